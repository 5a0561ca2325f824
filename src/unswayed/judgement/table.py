"""Measurements as every judgement takes them: by point, with their weights, sources and times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from unswayed.core.data.rows import numbered_rows
from unswayed.core.gp.posterior import pooled
from unswayed.core.tampering.threat import Records
from unswayed.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False, kw_only=True)
class Table(Records):
    """Measurements, in their order; larger values are better. `arms` are the numbers of their points.

    Attributes:
        points: The distinct rows of parameters, in order of first appearance.
        names: The name of each source, in order of first appearance.
        noise: The standard deviation of a measurement of weight 1, if it is known.
    """

    points: FloatArray
    names: tuple[str, ...] = ()
    noise: float | None = None

    @classmethod
    def of(
        cls,
        rows: FloatArray,
        values: FloatArray,
        weights: FloatArray | None = None,
        *,
        sources: IntArray | None = None,
        sizes: FloatArray | None = None,
        when: FloatArray | None = None,
        trust: IntArray | None = None,
        names: Sequence[str] = (),
        noise: float | None = None,
    ) -> Self:
        """Number the points of measurements.

        Args:
            rows: The row of parameters of each.
            values: Its value.
            weights: Its weight; by default 1.
            sources: The number of its source, if sources are known.
            sizes: How many measurements it is the mean of, if some are means.
            when: Its time, if the order says something.
            trust: The rank of its trust level, if some are witnessed.
            names: The names of the sources.
            noise: The standard deviation of a measurement of weight 1, if it is known.
        """
        points, arms = numbered_rows(rows)
        w = np.ones(len(values)) if weights is None else weights
        return cls(arms, values, w, sources, sizes, when, trust, points=points, names=tuple(names), noise=noise)

    @property
    def rows(self) -> FloatArray:
        """The row of parameters of each measurement."""
        return self.points[self.arms]

    @property
    def counts(self) -> IntArray:
        """How often each point was measured."""
        return np.bincount(self.arms, minlength=len(self.points)).astype(np.int64)

    @property
    def means(self) -> FloatArray:
        """The mean value at each point."""
        return pooled(self.arms, self.values, self.weights, len(self.points))[0]

    @property
    def series(self) -> IntArray:
        """Which measurements are of the same point by the same source."""
        if self.sources is None:
            return self.arms
        return numbered_rows(np.column_stack([self.arms, self.sources]).astype(np.float64))[1]

    def source(self, row: int) -> str | None:
        """The source of a measurement, if sources are known."""
        return None if self.sources is None else self.names[self.sources[row]]

    def part(self, kept: BoolArray | IntArray) -> Self:
        """Some of the measurements; their points are numbered anew.

        Args:
            kept: Which of them.
        """
        points, arms = numbered_rows(self.points[self.arms[kept]])
        return replace(self.only(kept), points=points, arms=arms)


@dataclass(frozen=True, eq=False)
class Pooled:
    """Measurements pooled by point: weight and mean at each, weighted squares around these means, and how many.

    Repeats collapse exactly: nothing else of them enters a Gaussian likelihood.
    """

    X: FloatArray
    n: FloatArray
    means: FloatArray
    squares: float
    plays: int

    @classmethod
    def of(cls, points: FloatArray, arms: IntArray, z: FloatArray, weights: FloatArray | None = None) -> Pooled:
        """Pool measurements, given the number of the point, the value and the weight of each."""
        w = np.ones(len(z)) if weights is None else weights
        means, counts = pooled(arms, z, w, len(points))
        played = counts > 0
        squares = float(np.sum(w * np.square(z - means[arms])))
        return cls(points[played], counts[played], means[played], squares, len(z))
