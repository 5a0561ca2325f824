"""Ask and tell over a journal: `unswayed.Optimizer`.

The journal is the truth; the state follows from its records. Answers enter the search in the order of their plays,
whichever is finished first: play k is chosen from the answers of plays up to k - parallel and from the points of those
after. So what is asked does not depend on time, and a study that is read back continues as if it had never stopped.

A value can be corrected, retracted or restored, and settings can change: each is one more record. What was asked stays
asked. The search goes on from the values that count now.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import nullcontext, suppress
from dataclasses import replace
from typing import Any, Self, TypedDict, Unpack

from unswayed.core.data.measurement import Measurement
from unswayed.core.data.threads import one_thread
from unswayed.core.tampering.threat import Threat
from unswayed.errors import InvalidInput, UnswayedError
from unswayed.forwarding import forwards
from unswayed.programs.command import Command
from unswayed.progress import progress_bar
from unswayed.search.answer import Answer
from unswayed.search.play import ABOUT, Play, Status
from unswayed.spaces import Box, Duels, Options, Point, Space
from unswayed.storage import FileJournal, Journal, Record
from unswayed.study.dueling import search_of
from unswayed.study.header import begin_journal, now, open_journal, read_state
from unswayed.study.moved import moved_point
from unswayed.study.run import Advance, RunArgs, RunOptions, measure, one_line
from unswayed.study.settings import Settings, StudyArgs, source_names
from unswayed.study.state import changed, plain
from unswayed.study.study import Study, journal_name
from unswayed.study.workers import Objective
from unswayed.types import whole


class Changes(TypedDict, total=False):
    """The settings that `Optimizer.change` can change."""

    threat: Threat | float | None
    plays: int | None
    parallel: int | None
    note: str | None
    quarantined: Iterable[str]


@forwards(Settings)
class Optimizer(Study):
    """Finds the best point of a space by measurements, some of which may lie.

    Args:
        space: What may be varied: a `Box` or `Options`.
        journal: A file that keeps every record; an existing one is continued, and its settings must agree, except
            that `plays` may grow. A `Journal` of your own, or None to keep nothing.
        duels: Whether options are compared in pairs instead of being measured: a play is a pair, and what is told is
            which of the two is better.
        {settings}

    Raises:
        InvalidInput: An argument is wrong.
        JournalError: The journal is damaged, in use, or belongs to another study.

    Example:
        >>> import unswayed as uw
        >>> study = uw.Optimizer(uw.Box({"x": uw.Real(0, 1)}), threat=0.5, seed=0)
        >>> for play in study.ask(3):
        ...     study.tell(play, -((play.point["x"] - 0.3) ** 2))
        >>> len(study.log)
        3
    """

    def __init__(
        self,
        space: Space,
        *,
        journal: str | os.PathLike[str] | Journal | None = None,
        duels: bool = False,
        **settings: Unpack[StudyArgs],
    ) -> None:
        if not isinstance(space, Box | Options):
            raise InvalidInput(f"the space must be a Box or Options, not {type(space).__name__}")
        space = Duels.of(space) if duels else space
        wanted = Settings(**settings)
        wanted.check(space)  # before a journal is made
        file = open_journal(journal)
        self._journal = file
        try:
            super().__init__(begin_journal(file, space, wanted))
        except BaseException:
            file.close()
            raise

    @classmethod
    def open(cls, journal: str | os.PathLike[str] | Journal) -> Self:
        """The study of an existing journal, with the settings it was begun with.

        Args:
            journal: The file, or a `Journal` of your own.

        Returns:
            The study.

        Raises:
            InvalidInput: `journal` is not the name of a file.
            JournalError: There is no such file, it is no journal of a study, or it does not hold its space.
        """
        file = open_journal(journal) if hasattr(journal, "read") else FileJournal(journal_name(journal))
        try:
            found = cls.__new__(cls)
            found._journal = file
            records, checked = file.read(), getattr(file, "checked", False)
            Study.__init__(found, read_state(records, getattr(file, "path", "the journal"), checked=checked))
            return found
        except BaseException:
            file.close()
            raise

    def __repr__(self) -> str:
        journal = getattr(self._journal, "path", None)
        return f"Optimizer({self.space!r}, plays={len(self._state.log)}, journal={journal!r})"

    def ask(self, n: int = 1, *, source: str | None = None) -> list[Play]:
        """The next plays, recorded. They spread over the space while others are open.

        Args:
            n: How many; fewer are returned when the plays of the study are used up.
            source: Who will measure them, if that is known: doubtful values are measured again by another source.

        Returns:
            Open plays, to be measured and told.
        """
        with self._lock, one_thread():
            n = whole(n, "the number of plays", least=0, most=100_000)
            left = n if self.plays_left is None else min(n, self.plays_left)
            if left < 1:
                return []
            chosen = self._search.choose(left, source)
            fit = self._search.new_fit
            who = self._search.whom(left, None if source is None else Measurement(0.0, source).source)
            first = len(self._state.log)
            asked = ({"play": first + i, "point": plain(x), "why": str(why)} for i, (x, why) in enumerate(chosen))
            fits = () if fit is None else ({"kind": "fit", **fit},)
            given = ({} if one is None else {"source": one} for one in who)
            records = zip(asked, given, strict=True)
            self._record(*fits, *({"kind": "ask", **record, **by} for record, by in records))
            return self._state.log[first:]

    def close(self) -> None:
        """Release the journal. Closing twice is harmless."""
        self._journal.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self.close()

    def tell(
        self,
        play: Play | int,
        value: float | str | Measurement,
        *,
        source: str | None = None,
        noise_std: float | None = None,
        trials: int | None = None,
    ) -> None:
        """Record the measurement of a play. The same measurement again is harmless.

        Args:
            play: The play, or its number.
            value: A finite number, or a `Measurement`; of a duel, the option that is better, or left, right or tie.
            source: Who measured it; by default who asked for it.
            noise_std: The standard error of the value.
            trials: How many yes-or-no outcomes it is the mean of; it is then a rate between 0 and 1.

        Raises:
            InvalidInput: The play was never asked for or has another answer, or the measurement makes no sense.
        """
        with self._lock:
            known = self._state.find(play)
            value = self._state.value(known.point, value)
            told = Measurement.of(value, source=source, noise_std=noise_std, trials=trials)
            told = told if told.source is not None else replace(told, source=known.source)
            if replace(known, **vars(told)) != known:  # a retracted value that is told again stays retracted
                self._answer_open(known, {"kind": "tell", "play": known.number, **told.to_dict()})

    def fail(self, play: Play | int, reason: str) -> None:
        """Record that a play could not be measured. It counts as one of the plays, and the search prefers other points.

        Args:
            play: The play, or its number.
            reason: Why, in one line.

        Raises:
            InvalidInput: The play was never asked for or has another answer.
        """
        with self._lock:
            known = self._state.find(play)
            if known.status is not Status.FAILED:
                self._answer_open(known, {"kind": "fail", "play": known.number, "reason": one_line(reason)})

    def _answer_open(self, play: Play, record: Record) -> None:
        if play.status is not Status.OPEN:
            known = f"told {play.value!r}; `correct` replaces it" if play.measured else f"{play.status}: {play.reason}"
            raise InvalidInput(f"play {play.number} was already {known}")
        self._record(record)

    def retract(self, play: Play | int, reason: str) -> None:
        """Leave a recorded measurement out from now on, as if it had never been told. What was asked stays asked.

        Args:
            play: The play, or its number.
            reason: Why, in one line.

        Raises:
            InvalidInput: The play has no recorded measurement.
        """
        with self._lock:
            known = self._state.find(play)
            if known.status is Status.RETRACTED:
                return
            if known.status is not Status.TOLD:
                raise InvalidInput(f"play {known.number} is {known.status}: only a measurement can be retracted")
            self._record({"kind": "retract", "play": known.number, "reason": one_line(reason)})

    def restore(self, play: Play | int) -> None:
        """Undo a retraction: the measurement counts again. A play that has failed is open again, to be measured.

        Args:
            play: The play, or its number.

        Raises:
            InvalidInput: The play was neither retracted nor has it failed.
        """
        with self._lock:
            known = self._state.find(play)
            if known.status not in (Status.RETRACTED, Status.FAILED):
                raise InvalidInput(f"play {known.number} is {known.status}: there is nothing to restore")
            self._record({"kind": "restore", "play": known.number})

    def correct(
        self,
        play: Play | int,
        value: float | str | Measurement,
        reason: str,
        *,
        source: str | None = None,
        noise_std: float | None = None,
        trials: int | None = None,
    ) -> None:
        """Replace a value that was told, or give one to a play that has failed. Both values stay in the journal.

        Args:
            play: The play, or its number.
            value: The right value, or a `Measurement`; of a duel as in `tell`.
            reason: Why, in one line.
            source: Who measured it; by default as it was.
            noise_std: The standard error of the value; by default as it was.
            trials: How many yes-or-no outcomes it is the mean of; by default as it was.

        Raises:
            InvalidInput: The play has no measurement that counts, or the value makes no sense.
        """
        with self._lock:
            known = self._state.find(play)
            if known.status not in (Status.TOLD, Status.FAILED):
                first = "; restore it first" if known.status is Status.RETRACTED else ""
                raise InvalidInput(f"play {known.number} is {known.status}: only a measurement can be corrected{first}")
            value = self._state.value(known.point, value)
            given = value.to_dict() if isinstance(value, Measurement) else {"value": value}
            kept = {name: getattr(known, name) for name in ABOUT if getattr(known, name) is not None}
            about = {"source": source, "noise_std": noise_std, "trials": trials}
            told = Measurement(**{**kept, **given, **{name: one for name, one in about.items() if one is not None}})
            self._record({"kind": "correct", "play": known.number, **told.to_dict(), "reason": one_line(reason)})

    def move(self, play: Play | int, point: Any, *, nearest: bool = False) -> None:
        """Say that a play is measured at another point than the one that was proposed: 71 was set instead of 70.5.

        The measurement counts where it was made, before or after it is told, and the play is answered by it. The
        journal keeps both points.

        Args:
            play: The play, or its number.
            point: The parameters that were set otherwise, each with its value; of `Options` of labels or rows of
                numbers, another one of them.
            nearest: Whether a number between two steps of its parameter counts at the nearest one; the journal keeps
                the number. Else it is refused.

        Raises:
            InvalidInput: The play was never asked for, or the point is not in the space.

        Example:
            >>> import unswayed as uw
            >>> study = uw.Optimizer(uw.Box({"T": uw.Real(20, 80, step=0.5), "s": uw.Categorical(["a", "b"])}), seed=0)
            >>> (play,) = study.ask()
            >>> study.move(play, {"T": 71.5})
            >>> study.tell(play, 73.2)
            >>> study.log[0].point["T"], study.log[0].proposed == play.point
            (71.5, True)
        """
        with self._lock:
            known = self._state.find(play)
            there, between = moved_point(self.space, known.point, point, nearest=nearest)
            if there != known.point:
                exact = {"set": between} if between else {}
                self._record({"kind": "move", "play": known.number, "point": plain(there), **exact})

    def add(self, measurements: Iterable[tuple[Point, float | str | Measurement]]) -> list[Play]:
        """Take measurements that nobody asked for, such as old data. They do not count as plays of the study.

        Args:
            measurements: Points of the space, each with its value or a `Measurement`. All are added, or none.

        Returns:
            The new plays.

        Raises:
            InvalidInput: A point is not in the space, or a measurement makes no sense.
        """
        with self._lock:
            first = len(self._state.log)
            checked = [(self.space.check(x), y) for x, y in measurements]
            told = [(x, Measurement.of(self._state.value(x, y))) for x, y in checked]
            records = [
                {"kind": "add", "play": first + i, "point": plain(x), **y.to_dict()} for i, (x, y) in enumerate(told)
            ]
            self._record(*records)
            return self._state.log[first:]

    def change(self, **changes: Unpack[Changes]) -> None:
        """Change settings from here on. Nothing is lost.

        Args:
            **changes: `threat`, `plays`, `parallel`, `note` or `quarantined`, as when the study was begun.

        Raises:
            InvalidInput: A setting cannot change, or makes no sense.
        """
        with self._lock:
            record: Record = dict(changes)
            if isinstance(threat := changes.get("threat"), Threat):
                record["threat"] = threat.to_dict()
            if "quarantined" in changes:
                record["quarantined"] = list(source_names(changes["quarantined"]))
            after = changed(self.settings, record)
            after.check(self.space)
            if after != self.settings:
                self._record({"kind": "change", **record})

    @forwards(RunOptions)
    def run(self, objective: Objective | Command, **options: Unpack[RunArgs]) -> Answer:
        """Measure until the plays of the study are used up. Open plays come first.

        Args:
            objective: A function of a point, or a `Command`.
            {settings}

        Returns:
            The answer, with all plays.

        Raises:
            InvalidInput: The study has no limit of plays, it is one of duels, or no play could be measured.
            SystemFault: The workers are gone.
        """
        how = RunOptions(**options)
        how.check(objective)
        if isinstance(self.space, Duels):
            raise InvalidInput("duels are not run: ask() for one, and tell() which of the two is better")
        if self.settings.plays is None:
            raise InvalidInput("a study that is run needs a number of plays: Optimizer(..., plays=)")
        bar = progress_bar("Measuring", self.settings.plays) if how.progress else nullcontext(lambda count: None)
        with bar as advance:
            advance(sum(play.status is not Status.OPEN for play in self.log))
            measure(self, objective, how, Advance(self, how.callback, advance))
        found = self.answer()
        assert isinstance(found, Answer)  # duels are not run
        return found

    def _record(self, *records: Record) -> None:
        """Write records down, each with its time, then take them in."""
        timed = [{**record, "at": now()} for record in records]
        try:
            self._journal.append(*timed)
            for record in timed:
                self._state.take(record)
        except BaseException:  # an interrupt may come between the two: what is written counts
            with suppress(UnswayedError):
                self._reload()
            raise

    def _reload(self) -> None:
        """Begin again from the journal."""
        records, checked = self._journal.read(), getattr(self._journal, "checked", False)
        self._state = read_state(records, "the journal", self.space, checked=checked)
        self._search = search_of(self._state)
