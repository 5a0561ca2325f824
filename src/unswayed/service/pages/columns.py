"""The log of a study as arrays, so that a page of 50,000 plays costs a few passes over them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from unswayed.search.answer import Answer
from unswayed.search.play import Play, Status
from unswayed.spaces import Point
from unswayed.types import BoolArray, FloatArray, IntArray

STATUSES = tuple(Status)
FAR = 4.0  # standard deviations: a measurement so far from the others at its point is surprising


@dataclass(frozen=True, eq=False)
class Columns:
    """Every play of a study, by column.

    Attributes:
        value: The value; NaN if there is none.
        status: The place of its status in STATUSES.
        source: The number of its source; -1 if it has none.
        sources: The names of the sources, in order of first appearance.
        place: The number of its point.
        points: The distinct points, in order of first appearance.
        aside: Whether the answer sets it aside.
        noise: Standard deviation of one measurement, given or estimated; 0 if nobody knows.
    """

    value: FloatArray
    status: IntArray
    source: IntArray
    sources: tuple[str, ...]
    place: IntArray
    points: tuple[Point, ...]
    aside: BoolArray
    noise: float

    @classmethod
    def of(cls, log: Sequence[Play], answer: Answer | None) -> Self:
        """The columns of a log.

        Args:
            log: Every play, in order.
            answer: What says which plays are set aside.
        """
        place, firsts = _numbered([_key(play.point) for play in log])
        source, names = _numbered([play.source for play in log])
        named = np.array([name is not None for name in names], dtype=np.bool_)
        new = np.where(named, np.cumsum(named) - 1, -1)
        codes = {status.value: number for number, status in enumerate(STATUSES)}
        status = np.array([codes[play.status._value_] for play in log], dtype=np.int64)
        aside = np.zeros(len(log), dtype=np.bool_)
        if answer is not None:
            aside[[number for number in answer.set_aside if number < len(log)]] = True
        return cls(
            value=np.array([play.value for play in log], dtype=np.float64),
            status=status,
            source=new[source],
            sources=tuple(name for name in names if name is not None),
            place=place,
            points=tuple(log[int(first)].point for first in _first(place, len(firsts))),
            aside=aside & (status == STATUSES.index(Status.TOLD)),
            noise=0.0 if answer is None else answer.assumptions.noise_std,
        )

    def at(self, status: Status) -> BoolArray:
        """Which plays have this status."""
        return self.status == STATUSES.index(status)

    @cached_property
    def told(self) -> BoolArray:
        """Which plays count as measured."""
        return self.at(Status.TOLD)

    @cached_property
    def kept(self) -> BoolArray:
        """Which measurements the answer uses."""
        return self.told & ~self.aside

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
        """How many standard deviations each value is off the mean of all other kept values at its point; NaN if none."""
        kept = self.kept.astype(np.float64)
        values = np.where(self.kept, self.value, 0.0)
        count = np.bincount(self.place, kept)[self.place] - kept
        total = np.bincount(self.place, values)[self.place] - values
        with np.errstate(divide="ignore", invalid="ignore"):
            off = np.abs(self.value - total / count) / (self.noise * np.sqrt(1 + 1 / count))
        return np.where((count > 0) & (self.noise > 0), off, np.nan)

    @cached_property
    def surprising(self) -> BoolArray:
        """Which measurements are set aside, or far from the others at their point."""
        return self.aside | (np.nan_to_num(self.deviations) > FAR)


def _key(point: Point) -> Any:
    """A point as something that can be looked up."""
    return tuple(point.values()) if isinstance(point, dict) else point


def _numbered(keys: Iterable[Any]) -> tuple[IntArray, list[Any]]:
    """The number of each key among the distinct ones, and these."""
    numbers: dict[Any, int] = {}
    found = [numbers.setdefault(key, len(numbers)) for key in keys]
    return np.array(found, dtype=np.int64), list(numbers)


def _first(numbers: IntArray, count: int) -> IntArray:
    """Where each number comes first."""
    first = np.zeros(count, dtype=np.int64)
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]
    return first
