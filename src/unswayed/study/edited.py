"""What can be said about a study: values told, corrected, retracted, restored, added; settings changed.

Each is one more record of the journal. What was asked stays asked. The search goes on from the values that count now.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any, Self

from unswayed.core.data.measurement import Measurement
from unswayed.core.tampering.threat import Threat
from unswayed.errors import InvalidInput, UnswayedError
from unswayed.search.play import Play, Status
from unswayed.spaces import Point
from unswayed.storage import Journal, Record
from unswayed.study.header import Header, now
from unswayed.study.reading import Study
from unswayed.study.run import one_line
from unswayed.study.searching import Searching
from unswayed.study.settings import Settings
from unswayed.study.state import ABOUT, State, changed, plain


class Edited(Study):
    """A study with its journal, to which records can be added."""

    def __init__(self, state: State, journal: Journal) -> None:
        super().__init__(state)
        self._journal = journal

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
        value: float | Measurement,
        *,
        source: str | None = None,
        noise_std: float | None = None,
        trials: int | None = None,
    ) -> None:
        """Record the measurement of a play. The same measurement again is harmless.

        Args:
            play: The play, or its number.
            value: A finite number, or a `Measurement`.
            source: Who measured it; by default who asked for it.
            noise_std: The standard error of the value.
            trials: How many yes-or-no outcomes it is the mean of; it is then a rate between 0 and 1.

        Raises:
            InvalidInput: The play was never asked for or has another answer, or the measurement makes no sense.
        """
        with self._lock:
            known = self._state.find(play)
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

    def correct(self, play: Play | int, value: float | Measurement, reason: str, **about: Any) -> None:
        """Replace a value that was told, or give one to a play that has failed. Both values stay in the journal.

        Args:
            play: The play, or its number.
            value: The right value, or a `Measurement`.
            reason: Why, in one line.
            **about: `source`, `noise_std` and `trials`, as in `tell`; by default as they were.

        Raises:
            InvalidInput: The play has no measurement that counts, or the value makes no sense.
        """
        with self._lock:
            known = self._state.find(play)
            if known.status not in (Status.TOLD, Status.FAILED):
                first = "; restore it first" if known.status is Status.RETRACTED else ""
                raise InvalidInput(f"play {known.number} is {known.status}: only a measurement can be corrected{first}")
            given = value.to_dict() if isinstance(value, Measurement) else {"value": value}
            kept = {name: getattr(known, name) for name in ABOUT if getattr(known, name) is not None}
            told = Measurement(**{**kept, **given, **about})
            self._record({"kind": "correct", "play": known.number, **told.to_dict(), "reason": one_line(reason)})

    def add(self, measurements: Iterable[tuple[Point, float | Measurement]]) -> list[Play]:
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
            records = [
                {"kind": "add", "play": first + i, "point": plain(self.space.check(x)), **Measurement.of(y).to_dict()}
                for i, (x, y) in enumerate(measurements)
            ]
            self._record(*records)
            return self._state.log[first:]

    def change(self, **changes: Any) -> None:
        """Change settings from here on: `threat`, `plays`, `parallel`, `note` or `quarantined`. Nothing is lost.

        Args:
            **changes: The settings that change, as they were given when the study was begun.

        Raises:
            InvalidInput: A setting cannot change, or makes no sense.
        """
        with self._lock:
            if isinstance(changes.get("threat"), Threat):
                changes["threat"] = changes["threat"].to_dict()
            if "quarantined" in changes:
                changes["quarantined"] = list(Settings(quarantined=changes["quarantined"]).quarantined)
            after = changed(self.settings, changes)
            after.check(self.space)
            if after != self.settings:
                self._record({"kind": "change", **changes})

    def _record(self, *records: Record) -> None:
        """Write records down, each with its time, then take them in."""
        timed = [{**record, "at": now()} for record in records]
        try:
            self._journal.append(*timed)
            for record in timed:
                self._state.take(record)
        except BaseException:  # an interrupt may come between the two: what is written counts
            with suppress(UnswayedError):
                records_now = self._journal.read()
                first = Header.read(records_now, "the journal").settings
                self._state = State.of(self.space, first, records_now)
            self._search = Searching(self._state)
            raise
