"""Ask and tell over a journal: `holdfast.Optimizer`.

    ticket    one play that was asked for: a number and a point
    prefix    the tickets before the first open one

The journal is the truth, the state a fold over it. Answers enter in the order of their tickets, whoever was faster, and
ticket k is chosen from the answers of tickets up to k - parallel and from the points of those after: so what is asked
does not depend on time, and a study read back goes on as if it had never stopped.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from math import isfinite
from threading import RLock
from typing import Any, Self

import numpy as np
import pyarrow as pa

from holdfast.core.influence import Certificate
from holdfast.core.kernels import Kernel, Linear, Matern, SquaredExponential
from holdfast.spaces import Options, Point, Space, space_from_record
from holdfast.storage import FileJournal, Journal, MemoryJournal, Record
from holdfast.study.answer import Answer
from holdfast.study.search import METHODS, Given, Search
from holdfast.types import FloatArray, HoldfastError, positive, whole

LARGEST_VALUE = 1e100
LARGEST_RECORD = 10_000  # options that are written into the journal, rather than their fingerprint
KERNELS = {"Linear": Linear, "SquaredExponential": SquaredExponential, "Matern": Matern}


@dataclass(frozen=True)
class Ticket:
    """One play that was asked for."""

    number: int
    point: Point


@dataclass(frozen=True)
class Play:
    """What is known of a ticket: open, answered with `value`, failed or retracted for a `reason`."""

    ticket: int
    point: Point
    status: str = "open"
    value: float | None = None
    reason: str | None = None


class Optimizer:
    """Finds the best point of a space by measurements of which some may lie. Larger values are better.

    `corruption_budget` bounds the total change of the recorded values that you want to be safe against, in their
    units. `plays` is the number of measurements in all, if it is known. `noise_std`, `kernel` (on rows of
    `space.encode`), `output_scale` and `norm_bound` are estimated where they are not given; `delta` is the probability
    of failure of the certificate. `method` is vigilant-ucb, for few plays, or influence-pe, which eliminates with a
    guarantee; by default the latter where the space is finite and the plays are enough for it. `parallel` is how
    many plays will be open at a time. `journal` is a file name for work that must survive; an existing journal is
    continued, and its settings must agree.
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
        journal: str | os.PathLike[str] | Journal | None = None,
    ) -> None:
        given = Given(
            corruption_budget=positive(corruption_budget, "the corruption budget", zero=True),
            noise_std=None if noise_std is None else positive(noise_std, "the noise"),
            kernel=kernel,
            output_scale=None if output_scale is None else positive(output_scale, "the output scale"),
            norm_bound=None if norm_bound is None else positive(norm_bound, "the norm bound"),
            delta=delta,
            plays=None if plays is None else whole(plays, "plays", least=1),
            method=method,
        )
        if method not in METHODS:
            raise HoldfastError(f"unknown method {method!r}: choose one of {', '.join(METHODS)}")
        if not 0 < delta < 1:
            raise HoldfastError(f"delta must lie between 0 and 1, not {delta:g}")
        self.space = space
        self.plays = given.plays
        self.parallel = whole(parallel, "parallel", least=1)
        self.minimize = bool(minimize)
        self._given, self._lock = given, RLock()
        self._log: list[Play] = []
        self._known: tuple[list[Play], Answer] | None = None
        self._journal = _opened(journal)
        try:
            self.seed = self._begin(seed)
            self._search = Search(space, given, self.seed)
            self._folded = 0
        except BaseException:
            self._journal.close()
            raise

    @classmethod
    def open(cls, journal: str | os.PathLike[str]) -> Self:
        """The study of an existing journal, with the settings it was begun with."""
        if not os.path.exists(journal):
            raise HoldfastError(f"there is no journal {os.fspath(journal)}")
        file = FileJournal(journal)
        try:
            header = _header(file.read())
            if "fingerprint" in header["space"]:
                raise HoldfastError(
                    f"{os.fspath(journal)} does not hold its space: give it to Optimizer(space, journal=...)"
                )
            settings = {**header["settings"], "kernel": _kernel_from_record(header["settings"]["kernel"])}
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
            asked = []
            try:
                for _ in range(left):
                    number = len(self._log)
                    point = self.space.decode(self._choose(number)[None])[0]
                    asked.append(Play(number, point))
                    self._log.append(asked[-1])
                if asked:
                    self._journal.append(
                        *({"kind": "ask", "ticket": p.ticket, "point": _plain(p.point)} for p in asked)
                    )
            except BaseException:
                del self._log[len(self._log) - len(asked) :]
                raise
            return [Ticket(play.ticket, play.point) for play in asked]

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
                raise HoldfastError(
                    f"ticket {play.ticket} is {play.status}: only a recorded measurement can be retracted"
                )
            self._journal.append({"kind": "retract", "ticket": play.ticket, "reason": str(reason)})
            self._log[play.ticket] = replace(play, status="retracted", reason=str(reason))
            self._search, self._folded = Search(self.space, self._given, self.seed), 0

    def _close(self, ticket: Ticket | int, status: str, *, value: float | None, reason: str | None) -> None:
        with self._lock:
            play = self._play(ticket)
            if play.status == "retracted" and value == play.value:
                return
            if play.status == status and (value == play.value):
                return
            if play.status != "open":
                known = f"answered with {play.value!r}" if play.status == "told" else f"{play.status}: {play.reason}"
                raise HoldfastError(f"ticket {play.ticket} was already {known}")
            record = {"kind": "tell", "ticket": play.ticket, "value": value}
            if status == "failed":
                record = {"kind": "fail", "ticket": play.ticket, "reason": reason}
            self._journal.append(record)
            self._log[play.ticket] = replace(play, status=status, value=value, reason=reason)

    def _play(self, ticket: Ticket | int) -> Play:
        number = whole(ticket.number if isinstance(ticket, Ticket) else ticket, "a ticket's number", least=0)
        if number >= len(self._log):
            raise HoldfastError(f"ticket {number} was never asked for; the last one is {len(self._log) - 1}")
        if isinstance(ticket, Ticket) and ticket.point != self._log[number].point:
            raise HoldfastError(f"ticket {number} of this study has another point; it belongs to another study")
        return self._log[number]

    # -- the fold -------------------------------------------------------------------------------------------------

    def _choose(self, number: int) -> FloatArray:
        """The row of ticket `number`, from the answers it may see and the points of the others."""
        while self._folded < number + 1 - self.parallel and self._log[self._folded].status != "open":
            self._fold(self._log[self._folded])
            self._folded += 1
        unseen = self._log[self._folded : number]
        pending = self.space.encode([play.point for play in unseen]) if unseen else np.empty((0, self.space.columns))
        return self._search.ask(number, pending)

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
        log = self.log
        points = [_columns(self.space, play.point) for play in log]
        columns: dict[str, list[Any]] = {"ticket": [play.ticket for play in log]}
        columns |= {name: [point[name] for point in points] for name in self.space.names}
        for name in ("value", "status", "reason"):
            columns[name] = [getattr(play, name) for play in log]
        return pa.table(columns)

    # -- the journal ----------------------------------------------------------------------------------------------

    def _begin(self, seed: int | None) -> int:
        """Write the header of a new journal, or check that of an old one and take in its records."""
        records = self._journal.read()
        long = isinstance(self.space, Options) and self.space.size > LARGEST_RECORD
        space = {"fingerprint": self.space.fingerprint} if long else self.space.record()
        given = {**asdict(self._given), "kernel": _kernel_record(self._given.kernel)}
        settings = {**given, "parallel": self.parallel, "minimize": self.minimize}
        if not records:
            seed = (
                int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else whole(seed, "the seed", least=0)
            )
            self._journal.append({"kind": "study", "space": space, "settings": settings, "seed": seed})
            return seed
        header = _header(records)
        if header["space"] != space:
            raise HoldfastError("the journal is of a study over another space")
        different = sorted(name for name in settings if settings[name] != header["settings"].get(name))
        if seed is not None and seed != header["seed"]:
            different.append("seed")
        if different:
            raise HoldfastError(f"the journal was begun with other settings: {', '.join(different)} differ")
        for number, record in enumerate(records[1:], start=2):
            try:
                self._replay(record)
            except (KeyError, TypeError, IndexError, AttributeError, HoldfastError) as error:
                raise HoldfastError(f"record {number} of the journal makes no sense: {error}") from None
        return int(header["seed"])

    def _replay(self, record: Mapping[str, Any]) -> None:
        kind, number = record["kind"], whole(record["ticket"], "a ticket's number", least=0)
        if kind == "ask":
            if number != len(self._log):
                raise HoldfastError(f"ticket {number} follows ticket {len(self._log) - 1}")
            self._log.append(Play(number, self.space.check(record["point"])))
            return
        play = self._log[number]
        if kind == "tell" and play.status == "open":
            self._log[number] = replace(play, status="told", value=finite(record["value"]))
        elif kind == "fail" and play.status == "open":
            self._log[number] = replace(play, status="failed", reason=record["reason"])
        elif kind == "retract" and play.status == "told":
            self._log[number] = replace(play, status="retracted", reason=record["reason"])
        else:
            raise HoldfastError(f"{kind!r} of a ticket that is {play.status}")


def _header(records: list[Record]) -> Record:
    if not records or records[0].get("kind") != "study" or not {"space", "settings", "seed"} <= records[0].keys():
        raise HoldfastError("the journal does not begin with a study")
    return records[0]


def _opened(journal: str | os.PathLike[str] | Journal | None) -> Journal:
    if journal is None:
        return MemoryJournal()
    return FileJournal(journal) if isinstance(journal, str | os.PathLike) else journal


def finite(value: object) -> float:
    """A measurement as a float; NaN, infinities and what is no number are refused."""
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise HoldfastError(f"a measurement must be a number, not {value!r}") from None
    if not isfinite(number):
        raise HoldfastError(f"a measurement must be finite, not {number}; report it with fail() instead")
    if abs(number) > LARGEST_VALUE:
        raise HoldfastError(f"a measurement of {number:g} is beyond what can be computed: give it in larger units")
    return number


def _plain(point: Point) -> Any:
    return list(point) if isinstance(point, tuple) else point


def _columns(space: Space, point: Point) -> dict[str, Any]:
    if isinstance(point, Mapping):
        return dict(point)
    values = point if isinstance(point, tuple) and len(space.names) == len(point) else (point,)
    return dict(zip(space.names, values, strict=True))


def _kernel_record(kernel: Kernel | None) -> dict[str, Any] | None:
    if kernel is None:
        return None
    if type(kernel).__name__ not in KERNELS or type(kernel) is not KERNELS[type(kernel).__name__]:
        raise HoldfastError(f"a study can be given a {', '.join(KERNELS)} kernel, not {kernel!r}")
    fields = {name: _plain(value) for name, value in vars(kernel).items()}
    return {"name": type(kernel).__name__, **fields}


def _kernel_from_record(record: dict[str, Any] | None) -> Kernel | None:
    if record is None:
        return None
    fields = {name: value for name, value in record.items() if name != "name"}
    kind: Any = KERNELS[record["name"]]
    kernel: Kernel = kind(**fields)
    return kernel
