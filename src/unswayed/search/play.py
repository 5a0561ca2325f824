"""One play of a study: what was asked for and why, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from unswayed.spaces import Point
from unswayed.spaces.space import named_values
from unswayed.types import FloatArray

if TYPE_CHECKING:
    import pyarrow as pa

ABOUT = ("source", "noise_std", "trials")  # what may be said about a value
ABOUT_PLAYS = ("number", "value", "status", "reason", "why", *ABOUT, "before", "proposed", "moved", "asked", "seconds")
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
        proposed: The point that was asked for, if it was measured at another one.
        asked: When it was asked for, in seconds since 1970; None in journals of older versions.
        answered: When it was told or failed.
        witnessed: Whether a witness measured it, by a record whose signature was checked.

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
    proposed: Point | None = None
    asked: float | None = field(default=None, compare=False)
    answered: float | None = field(default=None, compare=False)
    witnessed: bool = False

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


def title(name: str) -> str:
    """How tables of plays call a parameter: by its name, unless that is one of their own columns.

    Args:
        name: The name of the parameter.
    """
    return f"{name} (parameter)" if name in ABOUT_PLAYS else name


def history(plays: Sequence[Play], names: Sequence[str]) -> pa.Table:
    """Every play as a row: number, parameters, value, status, reason, why; source, noise_std, trials, the values before
    corrections, what was proposed otherwise, the time of asking and the seconds to the answer where they are known.

    A parameter that a point does not have is empty. A parameter whose name is one of these columns gets the title
    `name (parameter)`.
    """
    import pyarrow as pa

    points = [named_values(names, play.point) for play in plays]
    about: dict[str, list[Any]] = {
        "value": [play.value for play in plays],
        "status": [str(play.status) for play in plays],
        "reason": [play.reason for play in plays],
        "why": [play.why and str(play.why) for play in plays],
    }
    for name in (*ABOUT, "before", "proposed", "asked", "seconds"):
        told = [instead(names, play) if name == "proposed" else _cell(getattr(play, name)) for play in plays]
        about |= {name: told} if any(one is not None for one in told) else {}
    columns: dict[str, list[Any]] = {"number": [play.number for play in plays]}
    for name in names:
        columns[title(name)] = _column([point.get(name) for point in points])
    return pa.table(columns | about)


def instead(names: Sequence[str], play: Play) -> str | None:
    """What was proposed and set otherwise, as text: "temperature = 70.5"; None if nothing was.

    Args:
        names: The names of the parameters.
        play: The play.
    """
    if play.proposed is None:
        return None
    now, asked = named_values(names, play.point), named_values(names, play.proposed)
    return ", ".join(f"{name} = {value}" for name, value in asked.items() if now.get(name) != value) or None


def _cell(value: Any) -> Any:
    """None for nothing; several values as text."""
    return " ".join(map(repr, value)) or None if isinstance(value, tuple) else value


def _column(values: list[Any]) -> list[Any]:
    """Values of one type, as a table needs them: mixed choices such as "a", 3 and true become text."""
    types = {type(value) for value in values if value is not None}
    mixed = len(types) > 1 and not types <= {int, float}
    return [str(value) if mixed and value is not None else value for value in values]
