"""One play of a study: what was asked for and why, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple, Self

from unswayed.spaces import Point
from unswayed.types import FloatArray

ABOUT = ("source", "noise_std", "trials")  # what may be said about a value
OLD_WORDS = {"anew": "restart"}  # in journals of older versions


class Status(StrEnum):
    """The status of a play.

    Attributes:
        OPEN: It was asked for and has no answer yet.
        TOLD: It was measured.
        FAILED: It could not be measured.
        RETRACTED: It was measured, and the value does not count any more.
        QUARANTINED: It was measured by a source that does not count for now.

    Example:
        >>> Status("told") is Status.TOLD
        True
    """

    OPEN = "open"
    TOLD = "told"
    FAILED = "failed"
    RETRACTED = "retracted"
    QUARANTINED = "quarantined"


class Why(StrEnum):
    """What a play was chosen for.

    Attributes:
        START: Cover the space before there is a model.
        EXPLORE: It may be better than the leader, although the model expects less.
        EXPLOIT: The model expects a value like that of the leader.
        VERIFY: The leader is measured again, because its value may be a lie.
        RECHECK: A doubtful value is measured again.
        RESTART: The leader is known well: a search of its own, from its own plays only, begins elsewhere. Journals of
            older versions call it "anew".
        ELIMINATE: An epoch of influence-PE asks for it.
        ADDED: Nobody asked for it: the measurement was added.

    Example:
        >>> Why("verify") is Why.VERIFY
        True
    """

    START = "start"
    EXPLORE = "explore"
    EXPLOIT = "exploit"
    VERIFY = "verify"
    RECHECK = "recheck"
    RESTART = "restart"
    ELIMINATE = "eliminate"
    ADDED = "added"

    @classmethod
    def read(cls, word: object) -> Self | None:
        """The member that a file names.

        Args:
            word: What the file says.

        Returns:
            The member; None if there is no such word, for example in a file of another version.
        """
        now = OLD_WORDS.get(word, word) if isinstance(word, str) else None
        return next((why for why in cls if why == now), None)


class Proposal(NamedTuple):
    """A row of the unit cube to play, what for, and what that is worth, in output scales (see schedule.py)."""

    row: FloatArray
    why: Why
    worth: float = 0.0


@dataclass(frozen=True)
class Play:
    """One evaluation that a study asked for, or a measurement that was added to it.

    Attributes:
        number: Its place in the study, from 0.
        point: Where to measure.
        status: Open, told, failed or retracted.
        value: The measurement, also a retracted one; None if there is none.
        reason: Why it failed, was retracted or corrected.
        source: Who measured it, or is to measure it, if that is known.
        noise_std: Standard error of the value, if it was told.
        trials: How many outcomes the value is the mean of, if it is a rate.
        why: What it was chosen for; None if that is not known, as in journals of older versions.
        before: The values that it had before it was corrected, oldest first.
        asked: When it was asked for, in seconds since 1970; None in journals of older versions.
        answered: When it was told or failed.

    Example:
        >>> Play(0, {"x": 0.5}).status
        <Status.OPEN: 'open'>
    """

    number: int
    point: Point
    status: Status = Status.OPEN
    value: float | None = None
    reason: str | None = None
    source: str | None = None
    noise_std: float | None = None
    trials: int | None = None
    why: Why | None = None
    before: tuple[float, ...] = ()
    asked: float | None = field(default=None, compare=False)
    answered: float | None = field(default=None, compare=False)

    @property
    def seconds(self) -> float | None:
        """How long the answer took, if that is known; times are kept to a millisecond."""
        return None if self.asked is None or self.answered is None else round(self.answered - self.asked, 3)

    @property
    def measured(self) -> bool:
        """Whether its value counts."""
        return self.status is Status.TOLD

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        words = {"status": str(self.status), "why": self.why and str(self.why), "before": list(self.before)}
        return {**vars(self), **words}
