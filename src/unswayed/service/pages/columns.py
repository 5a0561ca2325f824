"""The log of a study as arrays, so that a page of 50,000 plays costs a few passes over them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from unswayed.core.tampering.threat import Threat
from unswayed.core.tampering.trust import TrustLevel, trust_ranks
from unswayed.search.answer import Answer
from unswayed.search.play import Play, Status
from unswayed.spaces import Point
from unswayed.types import BoolArray, FloatArray, IntArray

STATUSES = tuple(Status)
SURPRISING = 4.0  # standard deviations: a measurement this far from the others at its point is surprising


@dataclass(frozen=True, eq=False)
class Columns:
    """Every play of a study, by column.

    Attributes:
        log: The plays, in order.
        value: The value; NaN if there is none.
        status: The place of its status in STATUSES.
        source: The number of its source; -1 if it has none.
        sources: The names of the sources, in order of first appearance.
        aside: Whether the answer sets it aside.
        noise: Standard deviation of one measurement, given or estimated; 0 if unknown.
        low: No honest value is smaller, as the owner says.
        high: No honest value is larger.
    """

    log: Sequence[Play]
    value: FloatArray
    status: IntArray
    source: IntArray
    sources: tuple[str, ...]
    aside: BoolArray
    noise: float
    low: float = -np.inf
    high: float = np.inf

    @classmethod
    def of(cls, log: Sequence[Play], answer: Answer | None, threat: Threat | None = None) -> Self:
        """The columns of a log, and between which values the threat says that honest ones lie."""
        low, high = (None, None) if threat is None else (threat.low, threat.high)
        source, names = _numbered([play.source for play in log])
        named = np.array([name is not None for name in names], dtype=np.bool_)
        new = np.where(named, np.cumsum(named) - 1, -1)
        codes = {status.value: number for number, status in enumerate(STATUSES)}
        status = np.array([codes[play.status._value_] for play in log], dtype=np.int64)
        aside = np.zeros(len(log), dtype=np.bool_)
        if answer is not None:
            aside[[number for number in answer.set_aside if number < len(log)]] = True
        return cls(
            log=log,
            value=np.array([play.value for play in log], dtype=np.float64),
            status=status,
            source=new[source],
            sources=tuple(name for name in names if name is not None),
            aside=aside & (status == STATUSES.index(Status.TOLD)),
            noise=0.0 if answer is None else answer.assumptions.noise_std,
            low=-np.inf if low is None else low,
            high=np.inf if high is None else high,
        )

    def latest(self, most: int) -> Self:
        """At most this many of the last plays; their sources keep their numbers."""
        start = max(len(self.log) - most, 0)
        parts = ("log", "value", "status", "source", "aside")
        return replace(self, **{name: getattr(self, name)[start:] for name in parts}) if start else self

    def having(self, name: str) -> Self:
        """The plays whose point has this parameter."""
        places = [place for place, play in enumerate(self.log) if name in play.point]
        if len(places) == len(self.log):
            return self
        parts = {part: getattr(self, part)[places] for part in ("value", "status", "source", "aside")}
        return replace(self, log=[self.log[place] for place in places], **parts)

    def at(self, status: Status) -> BoolArray:
        """Which plays have this status."""
        return np.asarray(self.status == STATUSES.index(status))

    @cached_property
    def told(self) -> BoolArray:
        """Which plays count as measured."""
        return self.at(Status.TOLD)

    @cached_property
    def kept(self) -> BoolArray:
        """Which measurements the answer uses."""
        return self.told & ~self.aside

    @cached_property
    def trust(self) -> list[TrustLevel | None]:
        """The trust level of each measurement that counts."""
        witnessed = self.told & np.array([play.witnessed for play in self.log], dtype=np.bool_)
        levels, ranks = list(TrustLevel), trust_ranks(witnessed, self.place, self.source)
        return [levels[rank] if told else None for rank, told in zip(ranks.tolist(), self.told, strict=True)]

    @cached_property
    def place(self) -> IntArray:
        """The number of the point of each play, in order of first appearance."""
        points = [play.point for play in self.log]
        named = bool(points) and isinstance(points[0], dict)
        return _numbered([tuple(point.values()) for point in points] if named else points)[0]

    @cached_property
    def points(self) -> list[Point]:
        """The distinct points, in order of first appearance."""
        first = np.zeros(int(self.place.max(initial=-1)) + 1, dtype=np.int64)
        first[self.place[::-1]] = np.arange(len(self.place))[::-1]
        return [self.log[number].point for number in first.tolist()]

    @cached_property
    def off(self) -> FloatArray:
        """How far each value is above the mean of what other sources measured at its point and is kept; NaN if nothing.

        Measurements without a source count as one source each.
        """
        mine = np.where(self.source < 0, len(self.sources) + np.arange(len(self.source)), self.source)
        _, pair = np.unique(self.place * (int(mine.max(initial=0)) + 1) + mine, return_inverse=True)
        kept = self.kept.astype(np.float64)
        values = np.where(self.kept, self.value, 0.0)
        count = np.bincount(self.place, kept)[self.place] - np.bincount(pair, kept)[pair]
        total = np.bincount(self.place, values)[self.place] - np.bincount(pair, values)[pair]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(count > 0, self.value - total / count, np.nan)

    @cached_property
    def deviations(self) -> FloatArray:
        """How many standard deviations each value is off the mean of the other kept ones at its point; NaN if none."""
        kept = self.kept.astype(np.float64)
        values = np.where(self.kept, self.value, 0.0)
        count = np.bincount(self.place, kept)[self.place] - kept
        total = np.bincount(self.place, values)[self.place] - values
        with np.errstate(divide="ignore", invalid="ignore"):
            off = np.abs(self.value - total / count) / (self.noise * np.sqrt(1 + 1 / count))
        return np.where((count > 0) & (self.noise > 0), off, np.nan)

    @cached_property
    def outside(self) -> BoolArray:
        """Which measurements count although no honest value can be there."""
        return self.told & ((self.value < self.low) | (self.value > self.high))

    @cached_property
    def surprising(self) -> BoolArray:
        """Which measurements are set aside, outside the honest range, or far from the others at their point."""
        return self.aside | self.outside | (np.nan_to_num(self.deviations) > SURPRISING)


def _numbered(keys: Iterable[Any]) -> tuple[IntArray, list[Any]]:
    """The number of each key among the distinct ones, and these."""
    numbers: dict[Any, int] = {}
    found = [numbers.setdefault(key, len(numbers)) for key in keys]
    return np.array(found, dtype=np.int64), list(numbers)
