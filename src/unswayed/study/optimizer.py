"""Ask and tell over a journal: `unswayed.Optimizer`.

    ticket    one play that was asked for: a number and a point
    prefix    the tickets before the first open one

The journal is the truth, the state a fold over it. Answers enter in the order of their tickets, whoever was faster, and
ticket k is chosen from the answers of tickets up to k - parallel and from the points of those after: so what is asked
does not depend on time, and a study read back goes on as if it had never stopped.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import asdict, replace
from threading import RLock
from typing import Any, Self

import numpy as np
import pyarrow as pa

from unswayed.core.influence import Certificate
from unswayed.core.kernels import Kernel
from unswayed.errors import InvalidInput, UnswayedError
from unswayed.search.answer import Answer
from unswayed.search.beliefs import Given
from unswayed.search.search import Search
from unswayed.spaces import Point, Space, space_from_record
from unswayed.storage import FileJournal, Journal, MemoryJournal, Record
from unswayed.study.header import (
    check_header,
    extension,
    header_of,
    header_record,
    kernel_from_record,
    kernel_record,
    plays_of,
)
from unswayed.study.plays import Play, Ticket, finite, history_of, plain, replay, take
from unswayed.types import FloatArray, whole


class Optimizer:
    """Finds the best point of a space by measurements of which some may lie. Larger values are better.

    `corruption_budget` bounds the total change of the recorded values that you want to be safe against, in their
    units. `plays` is the number of measurements in all, if it is known. `noise_std`, `kernel` (on rows of
    `space.encode`), `output_scale` and `norm_bound` are estimated where they are not given; `delta` is the probability
    of failure of the certificate. `method` is vigilant-ucb, for few plays, or influence-pe, which eliminates with a
    guarantee; by default the latter where the space is finite and the plays are enough for it. `parallel` is how
    many plays will be open at a time. `note` says what is measured. `journal` is a file name for work that must
    survive; an existing journal is continued, and its settings must agree, except that `plays` may grow.
    """

    def __init__(
        self,
        space: Space,
        *,
        corruption_budget: float,
        plays: int | None = None,
        noise_std: float | None = None,
        kernel: Kernel | None = None,
        output_scale: float | None = None,
        norm_bound: float | None = None,
        delta: float = 0.05,
        method: str = "auto",
        minimize: bool = False,
        parallel: int = 1,
        seed: int | None = None,
        note: str | None = None,
        journal: str | os.PathLike[str] | Journal | None = None,
    ) -> None:
        given = Given(corruption_budget, noise_std, kernel, output_scale, norm_bound, delta, plays, method)
        if not hasattr(space, "fingerprint"):
            raise InvalidInput(f"the space must be a Box or Options, not {type(space).__name__}")
        self.space = space
        self.plays = given.plays
        self.parallel = whole(parallel, "parallel", least=1)
        self.minimize = bool(minimize)
        self.note = None if note is None else str(note)
        self._given, self._lock = given, RLock()
        self._log: list[Play] = []
        self._known: tuple[list[Play], Answer] | None = None
        settings = self._settings()
        seed = None if seed is None else whole(seed, "the seed", least=0)
        self._journal = _opened(journal)
        try:
            self.seed = self._begin(settings, seed)
            self._start_over()
        except BaseException:
            self._journal.close()
            raise

    @classmethod
    def open(cls, journal: str | os.PathLike[str]) -> Self:
        """The study of an existing journal, with the settings it was begun with."""
        if not os.path.exists(journal):
            raise InvalidInput(f"there is no journal {os.fspath(journal)}")
        file = FileJournal(journal)
        try:
            records = file.read()
            header = header_of(records)
            if "fingerprint" in header["space"]:
                raise InvalidInput(
                    f"{os.fspath(journal)} does not hold its space: give it to Optimizer(space, journal=...)"
                )
            kernel = kernel_from_record(header["settings"]["kernel"])
            settings = {**header["settings"], "kernel": kernel, "plays": plays_of(records)}
            return cls(space_from_record(header["space"]), **settings, seed=header["seed"], journal=file)
        except BaseException:
            file.close()
            raise

    def close(self) -> None:
        """Let go of the journal."""
        self._journal.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self.close()

    # -- asking and telling ---------------------------------------------------------------------------------------

    def ask(self, n: int = 1) -> list[Ticket]:
        """The next `n` plays (fewer when `plays` are used up), recorded. They spread while others are open."""
        with self._lock:
            n = whole(n, "the number of tickets", least=0, most=100_000)
            left = n if self.plays is None else min(n, self.plays - len(self._log))
            asked: list[Ticket] = []
            for number in range(len(self._log), len(self._log) + left):
                row = self._choose(number, [ticket.point for ticket in asked])
                asked.append(Ticket(number, self.space.decode(row[None])[0]))
            self._record(*({"kind": "ask", "ticket": one.number, "point": plain(one.point)} for one in asked))
            return asked

    def tell(self, ticket: Ticket | int, value: float) -> None:
        """The measurement of a ticket. The same again is harmless; a different one is an error."""
        number = finite(value)
        self._close(ticket, "told", value=number, reason=None)

    def fail(self, ticket: Ticket | int, reason: str) -> None:
        """The play could not be measured: it is used up, and other points come first from now on."""
        self._close(ticket, "failed", value=None, reason=str(reason))

    def retract(self, ticket: Ticket | int, reason: str) -> None:
        """A recorded measurement was found to be bad: it is left out, as if never told. What was asked stays asked."""
        with self._lock:
            play = self._play(ticket)
            if play.status == "retracted":
                return
            if play.status != "told":
                raise InvalidInput(
                    f"ticket {play.ticket} is {play.status}: only a recorded measurement can be retracted"
                )
            self._record({"kind": "retract", "ticket": play.ticket, "reason": str(reason)})
            self._start_over()

    def _close(self, ticket: Ticket | int, status: str, *, value: float | None, reason: str | None) -> None:
        with self._lock:
            play = self._play(ticket)
            if play.status == "retracted" and value == play.value:
                return
            if play.status == status and (value == play.value):
                return
            if play.status != "open":
                known = f"answered with {play.value!r}" if play.status == "told" else f"{play.status}: {play.reason}"
                raise InvalidInput(f"ticket {play.ticket} was already {known}")
            if status == "told":
                self._record({"kind": "tell", "ticket": play.ticket, "value": value})
            else:
                self._record({"kind": "fail", "ticket": play.ticket, "reason": reason})

    def _play(self, ticket: Ticket | int) -> Play:
        number = whole(ticket.number if isinstance(ticket, Ticket) else ticket, "a ticket's number", least=0)
        if number >= len(self._log):
            raise InvalidInput(f"ticket {number} was never asked for; the last one is {len(self._log) - 1}")
        if isinstance(ticket, Ticket) and ticket.point != self._log[number].point:
            raise InvalidInput(f"ticket {number} of this study has another point; it belongs to another study")
        return self._log[number]

    # -- the fold -------------------------------------------------------------------------------------------------

    def _choose(self, number: int, with_it: list[Point]) -> FloatArray:
        """The row of ticket `number`, from the answers it may see, the other points, and those asked `with_it`."""
        self._fold_for(number)
        unseen = [play.point for play in self._log[self._folded :]] + with_it
        pending = self.space.encode(unseen) if unseen else np.empty((0, self.space.columns))
        return self._search.ask(number, pending)

    def _fold_for(self, number: int) -> None:
        """Take in the answers that ticket `number` may see."""
        try:
            while self._folded < min(number + 1 - self.parallel, len(self._log)):
                if self._log[self._folded].status == "open":
                    return
                self._fold(self._log[self._folded])
                self._folded += 1
        except BaseException:  # an interrupt may leave a play half taken in
            self._start_over()
            raise

    def _start_over(self) -> None:
        """Forget what was folded; the next question folds the log anew."""
        self._search, self._folded = Search(self.space, self._given, self.seed), 0

    def _fold(self, play: Play) -> None:
        if play.status == "told":
            self._search.tell(*self._row_and_value(play))
        elif play.status == "failed":
            self._search.fail(self.space.encode([play.point])[0])

    def _row_and_value(self, play: Play) -> tuple[FloatArray, float]:
        assert play.value is not None
        return self.space.encode([play.point])[0], -play.value if self.minimize else play.value

    # -- what is known --------------------------------------------------------------------------------------------

    @property
    def log(self) -> tuple[Play, ...]:
        """Every ticket, in order."""
        with self._lock:
            return tuple(self._log)

    def open_tickets(self) -> list[Ticket]:
        """The tickets that were asked for and not answered: after a crash, measure these first."""
        return [Ticket(play.ticket, play.point) for play in self.log if play.status == "open"]

    def answer(self) -> Answer:
        """The recommended point with estimate, certificate and breakdown budget, from all answers so far."""
        with self._lock:
            if self._known is None or self._known[0] != self._log:
                self._fold_for(len(self._log))  # so that the answer depends on the log alone, not on past questions
                told = [play for play in self._log if play.status == "told"]
                tickets = [play.ticket for play in told]
                more = [self._row_and_value(play) for play in told if play.ticket >= self._folded]
                answer = self._search.answer(tickets, minimize=self.minimize, more=more)
                self._known = (list(self._log), answer)
            return self._known[1]

    def recommend(self) -> Point:
        """The point to use, from all answers so far."""
        return self.answer().point

    def certificate(self) -> Certificate:
        """What can be said of the recommendation with confidence, if tampering stayed within the budget."""
        return self.answer().certificate

    def history(self) -> pa.Table:
        """Every ticket as a row: number, parameters, value, status and reason."""
        return history_of(self.log, self.space)

    # -- the journal ----------------------------------------------------------------------------------------------

    def _settings(self) -> dict[str, Any]:
        given = {**asdict(self._given), "kernel": kernel_record(self._given.kernel)}
        return {**given, "parallel": self.parallel, "minimize": self.minimize, "note": self.note}

    def _begin(self, settings: dict[str, Any], seed: int | None) -> int:
        """Write the header of a new journal, or check that of an old one and take in its records; the seed."""
        records = self._journal.read()
        if not records:
            seed = int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else seed
            self._journal.append(header_record(self.space, settings, seed))
            return seed
        header, journal = header_of(records), getattr(self._journal, "path", "the journal")
        check_header(header, self.space, settings, seed, journal)
        self._log = replay(records, self.space)
        self._journal.append(*extension(plays_of(records), self.plays, journal))
        # What was asked was chosen for the plays that were planned then, and so it goes on.
        self._given = replace(self._given, plays=header["settings"]["plays"])
        return int(header["seed"])

    def _record(self, *records: Record) -> None:
        """Write records down, then take them in."""
        try:
            self._journal.append(*records)
            for record in records:
                take(self._log, record, self.space)
        except BaseException:  # an interrupt may come between the two: what is written counts
            with suppress(UnswayedError):
                self._log = replay(self._journal.read(), self.space)
            self._start_over()
            raise


def _opened(journal: str | os.PathLike[str] | Journal | None) -> Journal:
    if journal is None:
        return MemoryJournal()
    return FileJournal(journal) if isinstance(journal, str | os.PathLike) else journal
