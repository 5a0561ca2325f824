"""What a search is for, and what it has been told: rows of the unit cube with their values, and rows that failed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock
from typing import Any, Self

import numpy as np

from unswayed.core.data.measurement import own_noise
from unswayed.core.data.rows import numbered_rows
from unswayed.core.gp.kernels import Kernel
from unswayed.core.tampering.threat import Threat
from unswayed.core.tampering.trust import trust_ranks
from unswayed.errors import InvalidInput, UnswayedError
from unswayed.judgement.assumptions import Given
from unswayed.judgement.extent import Extent, without_dust
from unswayed.judgement.noise import Repeats
from unswayed.judgement.table import Table
from unswayed.search.candidates import EVERYWHERE, all_rows, first_rows, first_rows_twice
from unswayed.search.play import Why
from unswayed.spaces import Space
from unswayed.types import BoolArray, FloatArray, IntArray

_APPEND_LOCK = Lock()
METHODS = ("auto", "guided", "influence-pe")
NOISE_ALLOWANCE = 2.0  # standard deviations: 95% of honest values are nearer
BATCH = 30  # successes, or failures, that the outcomes of one batch hold on average


@dataclass(frozen=True, eq=False)
class Task:
    """Fixed for the whole search.

    Attributes:
        space: What may be varied.
        given: What the user states about the measurements.
        seed: Of every random choice.
        plays: How many plays there will be, if that is known.
        method: guided (schedule.py), for few plays; influence-pe, which eliminates with a guarantee; or auto:
            influence-pe where the space is finite and the plays suffice for it.
        planned: How many plays there were to be at first; `auto` chooses for these.
    """

    space: Space
    given: Given
    seed: int
    plays: int | None = None
    method: str = "auto"
    planned: int | None = None

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise InvalidInput(f"unknown method {self.method!r}: choose one of {', '.join(METHODS)}")
        if self.given.kernel is not None:
            self._check(self.given.kernel)
        if self.method == "influence-pe" and self.budget is None:
            raise InvalidInput(
                "influence-pe needs a threat that bounds how far values can be changed: a number, or "
                "Threat(lies=..., low=..., high=...)"
            )

    @property
    def budget(self) -> float | None:
        """The largest sum of changes that the threat allows for; None if it has no bound or is not known."""
        threat = Threat.of(self.given.threat)
        return None if threat is None else threat.sum_of_changes

    def _check(self, kernel: Kernel) -> None:
        """Refuse a kernel that cannot be computed on every row of the space."""
        corner = self.space.legal(np.ones((1, self.space.columns)))  # of a box, the farthest from the origin
        try:
            kernel(self.initial_rows, self.initial_rows)
            kernel.diagonal(np.vstack([self.space.arms(EVERYWHERE, 0), corner]))
        except UnswayedError as error:
            fits = f"does not fit the {self.space.columns} column(s) of space.encode"
            raise InvalidInput(f"the kernel {fits}: {error}") from None

    @cached_property
    def all_rows(self) -> FloatArray | None:
        """Every row of the space if it has few points; None for a continuum and for long tables."""
        return all_rows(self.space, self.seed)

    @cached_property
    def initial_rows(self) -> FloatArray:
        """The rows that are played before there is a model."""
        return (first_rows_twice if self.method == "influence-pe" else first_rows)(self.space, self.seed)

    @cached_property
    def decides_at(self) -> int:
        """After this many values the method `auto` decides whether the plays suffice to eliminate with a guarantee."""
        return len(first_rows_twice(self.space, self.seed))

    @property
    def may_eliminate(self) -> bool:
        """Whether this search eliminates in epochs, or may decide to."""
        known = self.all_rows is not None and self.planned is not None and self.budget is not None
        return self.method == "influence-pe" or (self.method == "auto" and known)

    @property
    def noise_allowance(self) -> float:
        """This many standard deviations of what is set aside are taken for noise, and not charged to the threat."""
        return 0.0 if self.method == "influence-pe" else NOISE_ALLOWANCE

    @property
    def first_fit_at(self) -> int:
        """With this many values there can be a model."""
        if self.method == "influence-pe":
            return len(self.initial_rows)
        return min(max(len(self.space.names) + 1, 2 * len(self.space.families)), len(self.initial_rows))


@dataclass(frozen=True, eq=False)
class Told:
    """A play at `row` was measured; larger values are better. `source` is a name; `why`, what it was chosen for.

    One that was added `continues` those that were added right before it.
    """

    row: FloatArray
    value: float
    source: str | None = None
    noise_std: float | None = None
    trials: int | None = None
    why: Why | None = None
    witnessed: bool = False
    continues: bool = False


@dataclass(frozen=True, eq=False)
class Failed:
    """A play at `row` gave no value."""

    row: FloatArray


Event = Told | Failed


class Data:
    """Everything told so far, in the order of the plays.

    It is a value: `after` leaves it as it is. Successive `Data` share one list; each remembers how long its part is.
    Arrays are made when they are needed. So one more event costs the same however many there are.
    """

    def __init__(self, columns: int, told: list[Told], failures: list[FloatArray], plays: int, failed: int) -> None:
        self._columns, self._told, self._failures = columns, told, failures
        self.plays, self.failures = plays, failed

    @classmethod
    def empty(cls, columns: int) -> Self:
        """Nothing told yet."""
        return cls(columns, [], [], 0, 0)

    def after(self, event: Event) -> Self:
        """With one more event."""
        return self.after_all([event])

    def after_all(self, events: Sequence[Event]) -> Self:
        """With some more events."""
        told = [event for event in events if isinstance(event, Told)]
        failed = [event.row for event in events if isinstance(event, Failed)]
        return type(self)(
            self._columns,
            _appended(self._told, self.plays, told),
            _appended(self._failures, self.failures, failed),
            self.plays + len(told),
            self.failures + len(failed),
        )

    @cached_property
    def told(self) -> list[Told]:
        """The plays that were measured."""
        return self._told[: self.plays]

    @cached_property
    def rows(self) -> FloatArray:
        """The row of each play."""
        return np.array([event.row for event in self.told]).reshape(-1, self._columns)

    @cached_property
    def claimed(self) -> FloatArray:
        """The value of each play as it was told."""
        return np.array([event.value for event in self.told], dtype=np.float64)

    @cached_property
    def extent(self) -> Extent:
        """Where the values lie."""
        return Extent.of(without_dust(self.claimed), self.sources)

    @cached_property
    def values(self) -> FloatArray:
        """The value of each play as it is computed with (extent.py)."""
        return self.extent.computed_with(without_dust(self.claimed))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the sources, in order of first appearance."""
        return tuple(dict.fromkeys(event.source for event in self.told if event.source is not None))

    @cached_property
    def source(self) -> IntArray:
        """The number of the source of each play; -1 if it was not named."""
        number: dict[str | None, int] = {name: i for i, name in enumerate(self.names)}
        return np.array([number.get(event.source, -1) for event in self.told], dtype=np.int64)

    @cached_property
    def noise_std(self) -> FloatArray:
        """The standard error of each play; NaN where it was not told."""
        return np.array([np.nan if one.noise_std is None else one.noise_std for one in self.told], dtype=np.float64)

    @cached_property
    def trials(self) -> FloatArray:
        """The trials of each play; 0 where they were not told."""
        return np.array([one.trials or 0 for one in self.told], dtype=np.float64)

    @cached_property
    def failed(self) -> FloatArray:
        """The rows of plays without a value, with repeats."""
        return np.array(self._failures[: self.failures]).reshape(-1, self._columns)

    @property
    def sources(self) -> IntArray | None:
        """The number of the source of each play, -1 if it was not named; None if none was."""
        return self.source if self.names else None

    @cached_property
    def trust(self) -> IntArray | None:
        """The rank of the trust level of each play; None if all are self-reported."""
        witnessed = np.array([one.witnessed for one in self.told], dtype=np.bool_)
        return trust_ranks(witnessed, self.arms, self.source) if witnessed.any() else None

    @cached_property
    def arms(self) -> IntArray:
        """Which plays were made at the same row, numbered in order of first appearance."""
        return numbered_rows(self.rows)[1]

    @cached_property
    def series(self) -> IntArray:
        """Which plays were made at the same row by the same source."""
        return numbered_rows(np.column_stack([self.arms, self.source]).astype(np.float64))[1]

    @cached_property
    def binary(self) -> bool:
        """Whether every value is a single yes or no, 1 or 0 (or negated), and some row gave both."""
        stated = self.trials.any() or not np.isnan(self.noise_std).all()
        if not len(self.values) or stated or not np.isin(np.abs(self.values), (0.0, 1.0)).all():
            return False
        mean = np.bincount(self.arms, weights=np.abs(self.values)) / np.bincount(self.arms)
        return bool(((mean > 0) & (mean < 1)).any())

    @cached_property
    def blocks(self) -> IntArray:
        """Plays that are judged together have the same number: each its own, but single outcomes in batches.

        A batch holds successive outcomes of one row, one source and one trust level, enough for a normal distribution
        of their sum.
        """
        plays = np.arange(len(self.values))
        if not self.binary:
            return plays
        rate = float(np.mean(np.abs(self.values)))
        size = int(np.ceil(BATCH / max(min(rate, 1 - rate), 1 / (len(plays) + 1))))
        groups = self.series
        if self.trust is not None:
            groups = numbered_rows(np.column_stack([groups, self.trust]).astype(np.float64))[1]
        order = np.argsort(groups, kind="stable")
        start = np.flatnonzero(np.diff(groups[order], prepend=-1))
        place = np.empty_like(plays)
        place[order] = plays - np.repeat(start, np.diff(start, append=len(plays)))
        return numbered_rows(np.column_stack([groups, place // size]).astype(np.float64))[1]

    def only(self, some: IntArray) -> Self:
        """Only these of the plays that were measured, in their order."""
        if len(some) == self.plays:
            return self
        told = [self.told[i] for i in some]
        return type(self)(self._columns, told, self._failures, len(told), self.failures)

    def _noise(self, plain: BoolArray) -> float | None:
        """The noise from repeats of some plays: by the same source, if there are enough, because sources may be off.

        Of repeats by different sources, half may be with one that lies. So the noise is the least one without a source.
        """
        values, sources = self.values[plain], self.sources
        if sources is None:
            return self.extent.possible_noise(Repeats.of(self.arms[plain]).noise(values))
        found = Repeats.of(self.series[plain]).noise(values)
        if found is None:
            others = [plain & (sources != one) for one in np.unique(sources[plain])]
            without = (
                [Repeats.of(self.arms[some]).noise(self.values[some]) for some in others] if len(others) > 2 else []
            )
            known = [noise for noise in without if noise is not None]
            found = min(known) if known else Repeats.of(self.arms[plain]).noise(values)
        return self.extent.possible_noise(found)

    def table(self, noise: float | None) -> Table:
        """The plays as they are judged: each with its weight, single outcomes in batches.

        Args:
            noise: The noise of a play that does not state its own, if it is known.
        """
        if self.binary:
            p = float(np.mean(np.abs(self.values)))
            sizes = np.bincount(self.blocks).astype(np.float64)
            first = np.unique(self.blocks, return_index=True)[1]
            values = np.bincount(self.blocks, weights=self.values) / sizes
            sources = None if self.sources is None else self.sources[first]
            trust = None if self.trust is None else self.trust[first]
            rows, weights = self.rows[first], sizes
            noise = noise or float(np.sqrt(p * (1 - p)))
        else:
            own = own_noise(self.values, self.noise_std, self.trials)
            plain = np.isnan(own)
            if noise is None and plain.any():
                noise = self._noise(plain)
            weights, noise = self.extent.weights(own, noise, self.sources)
            rows, values, sources, sizes, trust = self.rows, self.values, self.sources, None, self.trust
        when = np.linspace(-1, 1, len(values))
        known = Table.of(rows, values, weights, sources=sources, sizes=sizes, when=when, trust=trust, noise=noise)
        return replace(known, names=self.names)


def _appended(items: list[Any], known: int, more: list[Any]) -> list[Any]:
    """The first `known` items and some more; the same list, if nobody else has made it longer."""
    with _APPEND_LOCK:  # two threads may go on from the same data
        if more and len(items) > known:
            items = items[:known]
        items.extend(more)
    return items
