"""The truth as liars know it: rows that represent the space, their values, and the best row."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from unswayed.types import FloatArray
from unswayed_gauntlet.problems import SpaceProblem, climbed

SAMPLE = 2048  # rows of a box from which quantiles, balls and regions are computed


@dataclass(frozen=True, eq=False)
class Survey:
    """The truth on rows that represent the space.

    Attributes:
        rows: All rows of a list, or `SAMPLE` random ones of a box.
        values: Their true values.
        best: The row of the largest known value.
    """

    rows: FloatArray
    values: FloatArray
    best: FloatArray

    @property
    def std(self) -> float:
        """Standard deviation of the values: 1 for the function f1 of the paper."""
        return float(self.values.std())

    def radius(self, centre: FloatArray, share: float) -> float:
        """The radius of the ball around a centre that holds this share of the space."""
        return float(np.quantile(distance(self.rows, centre), share))


def distance(X: FloatArray, z: FloatArray) -> FloatArray:
    """Euclidean distance of rows X, or of one row, from a row z."""
    return np.asarray(np.sqrt(((X - z) ** 2).sum(axis=-1)))


@lru_cache(maxsize=64)
def survey(problem: SpaceProblem) -> Survey:
    """The survey of a problem, made once in each process."""
    rows = problem.rows(SAMPLE, np.random.default_rng(0))
    seen: list[tuple[float, FloatArray]] = []

    def remembered(X: FloatArray) -> FloatArray:
        values = problem.truth(X)
        top = int(np.argmax(values))
        seen.append((float(values[top]), X[top]))
        return values

    climbed(problem.space, remembered)
    return Survey(rows, problem.truth(rows), max(seen, key=lambda pair: pair[0])[1])
