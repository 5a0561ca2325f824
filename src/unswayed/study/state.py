"""What the records of a study add up to: its settings as they are now, and its plays.

    study      the first record: space and settings               ask, tell, fail    a play and its answer
    retract    leave a measurement out                            restore            undo that; or measure a failed play
    correct    another value in place of the one that was told    add                a measurement nobody asked for
    change     other settings from here on                        extend             `plays`, in old journals
    move       a play was measured at another point than the one that was asked for
    hand       an open play goes to another source                late               an answer that came too late
    fit        a fit of the search, so that it is not repeated
    seal       a signature of the server for all records before it, at the end of an export

A `tell` may hold what a witness says of it, signed by a server (unswayed/witness). It makes the measurement a witnessed
one only in a state that is told that these signatures were checked: everybody can write into a file.

Nothing disappears: a record is never changed or removed, and what it says is undone by another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, Self

from unswayed.core.data.measurement import Measurement
from unswayed.errors import InvalidInput, JournalError, UnswayedError
from unswayed.search.fold import FitRecord
from unswayed.search.play import ABOUT, Play, Status, Why
from unswayed.search.task import Task
from unswayed.spaces import Duels, Point, Space
from unswayed.storage import Record
from unswayed.study.settings import Settings
from unswayed.types import whole

CHANGEABLE = ("threat", "plays", "parallel", "note", "quarantined")
REFITTED = ("threat", "parallel", "quarantined")  # changes of these make another search of the same plays
EDITS = ("retract", "restore", "correct")
FEW = 0.05  # of the answers; if more are edited, the fit before says little about those that are left
WRONG = (KeyError, TypeError, IndexError, AttributeError, OverflowError, UnswayedError)


@dataclass(eq=False)
class State:
    """The settings and the log after some records.

    Attributes:
        space: What may be varied.
        settings: As they are now.
        planned: How many plays were planned when it was begun; the method is chosen for these.
        log: Every play, in order.
        answered: The numbers of the plays that have an answer, in the order in which the answers came.
        waiting: The numbers of the open plays.
        asked: How many plays were asked for.
        edition: How often the settings, or answers that were there, have changed.
        fits: The recorded fits, by how many events each was made from and their mark.
        start: The fit that a search begins from after the last edit of the past; None: one from nothing.
        together: How many answers enter that search together.
        holders: The sources to which each play was given, the last one last.
        reopened: The plays that have failed and are open again.
        checked: Whether the signatures of witnessed measurements were checked, and are right.
        claimed: How many measurements say that they were witnessed, where that was not checked.
        command: The digest of the command that the first witness ran; all others must run the same.
    """

    space: Space
    settings: Settings
    planned: int | None
    log: list[Play] = field(default_factory=list)
    answered: dict[int, None] = field(default_factory=dict)
    waiting: dict[int, None] = field(default_factory=dict)
    asked: int = 0
    edition: int = 0
    fits: dict[tuple[int, str], FitRecord] = field(default_factory=dict)
    start: FitRecord | None = None
    together: int = 0
    holders: dict[int, list[str]] = field(default_factory=dict)
    reopened: set[int] = field(default_factory=set)
    checked: bool = False
    claimed: int = 0
    command: str | None = None
    _newest: FitRecord | None = None
    _edits: float = 0  # answers that were edited since the newest fit

    @classmethod
    def of(cls, space: Space, settings: Settings, records: Sequence[Record], *, checked: bool = False) -> Self:
        """After all records of a journal; the first one is the header, which gave these settings."""
        state = cls(space, settings, settings.plays, checked=checked)
        for number, record in enumerate(records[1:], start=2):
            try:
                state.take(record)
            except WRONG as error:
                raise JournalError(f"record {number} of the journal is invalid: {error}") from None
        return state

    @property
    def task(self) -> Task:
        """What the search is for."""
        settings = self.settings
        given = settings.flipped() if settings.minimize else settings
        seed = whole(settings.seed, "the seed", least=0)
        return Task(self.space, given, seed, settings.plays, settings.method, self.planned)

    @property
    def shown(self) -> tuple[Play, ...]:
        """Every play, in order; the measurements of quarantined sources have a status of their own."""
        return tuple(map(self.as_shown, self.log)) if self.settings.quarantined else tuple(self.log)

    def as_shown(self, play: Play) -> Play:
        """A play, whose source may be quarantined."""
        aside = play.status is Status.TOLD and play.source in self.settings.quarantined
        return replace(play, status=Status.QUARANTINED) if aside else play

    def find(self, play: Play | int) -> Play:
        """What is known of a play, given as a Play or as a number; refuse a play of another study."""
        if isinstance(play, list):
            raise InvalidInput("this is a list of plays, as ask() gives it: name one of them, as in (play,) = ask()")
        number = whole(play.number if isinstance(play, Play) else play, "the number of a play", least=0)
        if number >= len(self.log):
            last = f"the last one is {len(self.log) - 1}" if self.log else "there is none so far"
            raise InvalidInput(f"play {number} was never asked for; {last}")
        known = self.log[number]
        if isinstance(play, Play) and play.point != known.point and play.point != known.proposed:
            raise InvalidInput(f"play {number} of this study has another point; it belongs to another study")
        return known

    def value(self, point: Point, value: Any) -> Any:
        """What is told of a point; of a duel, who is preferred, as a number.

        Args:
            point: The point.
            value: A number or a `Measurement`; of a duel also a name, or left, right or tie.
        """
        if not isinstance(self.space, Duels):
            return value
        if not isinstance(value, Measurement):
            return self.space.value(point, value)
        if value.noise_std is not None or value.trials is not None:
            raise InvalidInput("a vote has no standard error and no trials: tell votes one by one")
        return replace(value, value=self.space.value(point, value.value))

    def copy(self) -> Self:
        """The same, for somebody who reads while more is taken in."""
        own = {name: copy(getattr(self, name)) for name in ("log", "answered", "waiting", "fits", "reopened")}
        return replace(self, **own)

    def in_turn(self, place: int) -> Sequence[int]:
        """The answers that play `place` may see, in order."""
        parallel = self.settings.parallel
        if parallel is None:
            return list(self.answered)
        first_open = min(self.waiting, default=len(self.log))
        end = max(min(place + 1 - parallel, first_open), 0)
        while end < min(place, len(self.log)) and self.log[end].why is Why.ADDED:
            end += 1  # what was added before the play was asked for was known
        return range(end)

    def take(self, record: Record) -> None:
        """Add one more record; refuse one that cannot follow."""
        kind = record["kind"]
        if kind == "seal":
            return  # it speaks for the records before it
        if kind == "extend" and record["plays"] is not None:
            whole(record["plays"], "plays", least=(self.settings.plays or 0) + 1)
        if kind in ("change", "extend"):
            self.settings = changed(self.settings, {name: record[name] for name in CHANGEABLE if name in record})
            self.edition += 1
            if any(name in record for name in REFITTED):
                self._edited(inf)
            return
        if kind == "fit":
            self._take_fit(record)
            return
        number = whole(record["play"], "the number of a play", least=0)
        if kind in ("ask", "add"):
            self._new(number, record)
            return
        play = self.log[number]
        if kind == "move":
            self._move(play, self.space.check(record["point"]))
        elif kind != "late":  # that is kept for people to read; the first answer counts
            self._say(play, record)

    def _say(self, play: Play, record: Record) -> None:
        """Take what is said of a play that was there."""
        kind, at, number = record["kind"], record.get("at"), play.number
        if kind == "hand":
            self._give(number, record)
        if kind == "hand" and play.status is Status.OPEN:
            after = replace(play, source=_measurement({"value": 0, **record}).source, asked=at)
        elif kind == "tell" and play.status is Status.OPEN:
            after = self._told(play, record, at)
        elif kind == "fail" and play.status is Status.OPEN:
            after = replace(play, status=Status.FAILED, reason=record["reason"], answered=at)
        elif kind == "retract" and play.status is Status.TOLD:
            after = replace(play, status=Status.RETRACTED, reason=record["reason"])
        elif kind == "restore" and play.status is Status.RETRACTED:
            after = replace(play, status=Status.TOLD, reason=None)
        elif kind == "restore" and play.status is Status.FAILED:
            after = replace(play, status=Status.OPEN, reason=None, answered=None)
        elif kind == "correct" and play.status in (Status.TOLD, Status.FAILED):
            before = () if play.value is None else (play.value,)
            about = {
                **vars(self._measurement(play.point, record)),
                "reason": record["reason"],
                "before": (*play.before, *before),
            }
            after = replace(play, status=Status.TOLD, answered=play.answered or at, witnessed=False, **about)
        else:
            raise InvalidInput(f"{kind!r} of a play that is {play.status}")
        self._put(after)
        if kind in EDITS:
            self.edition += 1
            self._edited(1)
        if kind == "restore" and after.status is Status.OPEN:
            self.reopened.add(number)
        elif number in self.reopened and after.status is not Status.OPEN:
            self.reopened.remove(number)
            self.edition += 1  # if it fails again, the past is as it was: fits from before the restoring hold again

    def _told(self, play: Play, record: Record, at: float | None) -> Play:
        """A play with its measurement; a witnessed one, if its signature was checked."""
        witnessed = "witness" in record and self.checked
        if witnessed:
            self.command = self.command or str(record["witness"]["command"])
        self.claimed += "witness" in record and not self.checked
        told = vars(self._measurement(play.point, record))
        return replace(play, status=Status.TOLD, **told, answered=at, witnessed=witnessed)

    def _take_fit(self, record: Record) -> None:
        """Keep a fit. One that makes no sense is never found again, by its mark."""
        told, mark = record.get("told"), record.get("of")
        if isinstance(told, int) and isinstance(mark, str):
            self.fits[told, mark] = self._newest = record
            self._edits = 0

    def _edited(self, answers: float) -> None:
        """The past has changed. If few answers have, the next fit may begin from the newest one, else from nothing."""
        self._edits += answers
        self.start = self._newest if self._edits <= FEW * len(self.answered) else None
        self.together = len(self.in_turn(len(self.log)))

    def _new(self, number: int, record: Record) -> None:
        """A play that was asked for, or a measurement that was added."""
        if number != len(self.log):
            raise InvalidInput(f"play {number} follows play {len(self.log) - 1}")
        play = Play(number, self.space.check(record["point"]), source=record.get("source"), asked=record.get("at"))
        if record["kind"] == "ask":
            self.log.append(replace(play, why=Why.read(record.get("why"))))
            self._give(number, record)
            self.waiting[number] = None
            self.asked += 1
            return
        self.log.append(play)
        about = vars(self._measurement(play.point, record))
        self._put(replace(play, status=Status.TOLD, why=Why.ADDED, answered=play.asked, **about))

    def _move(self, play: Play, point: Point) -> None:
        """The play was measured at this point, or is to be. What it was asked for at first is kept.

        If it was measured, a witness has seen it elsewhere.
        """
        first = play.point if play.proposed is None else play.proposed
        self.log[play.number] = replace(play, point=point, proposed=None if point == first else first, witnessed=False)
        self.edition += 1
        if play.status is not Status.OPEN:
            self._edited(1)

    def _measurement(self, point: Point, record: Record) -> Measurement:
        """What a record says of a point."""
        told: Measurement = self.value(point, _measurement(record))
        return told

    def _give(self, number: int, record: Record) -> None:
        if record.get("source") is not None:
            self.holders.setdefault(number, []).append(record["source"])

    def _put(self, play: Play) -> None:
        self.log[play.number] = play
        if play.status is Status.OPEN:
            self.answered.pop(play.number, None)
            self.waiting[play.number] = None
        else:
            self.answered.setdefault(play.number)
            self.waiting.pop(play.number, None)


def _measurement(record: Record) -> Measurement:
    return Measurement(**{name: record[name] for name in ("value", *ABOUT) if name in record})


def changed(settings: Settings, changes: dict[str, Any]) -> Settings:
    """Other settings from here on; refuse what cannot change."""
    fixed = [name for name in changes if name not in CHANGEABLE]
    if fixed:
        raise InvalidInput(f"{fixed[0]} cannot change: begin a new study, and add the measurements of this one to it")
    return Settings.from_record({**settings.record(), **changes})


def plain(point: Point) -> Any:
    """The point as JSON keeps it."""
    return list(point) if isinstance(point, tuple) else point
