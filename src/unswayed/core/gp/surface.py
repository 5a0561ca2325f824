"""What a fitted model says of any row, in units of the values, and which groups of columns its estimates depend on.

m        the posterior mean            A, B     independent random rows
A_i      A with group i of B           S_i      E (m(A) - m(A_i))^2 / (2 Var m): the total index of Sobol
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from unswayed.core.gp.kernels import Kernel
from unswayed.core.gp.point_posterior import PointPosterior
from unswayed.types import FloatArray, IntArray

MOST_POINTS = 1000  # of the model: more take seconds


@dataclass(frozen=True, eq=False)
class Surface:
    """A model and the measurements that it rests on.

    Attributes:
        kernel: Of the model.
        lam: The noise variance of a measurement of weight 1, in units of the model.
        rows: The rows that were measured.
        weights: The weight of the measurements at each.
        means: Their mean at each, in units of the model.
        centre: The value that is 0 in units of the model.
        scale: What a unit of the model is in values; negative if the values were negated.
        known: At how many rows there are measurements, also those that were left out.
    """

    kernel: Kernel
    lam: float
    rows: FloatArray
    weights: FloatArray
    means: FloatArray
    centre: float
    scale: float
    known: int

    def thinned(self, most: int = MOST_POINTS) -> Self:
        """The same with at most so many rows, taken at random.

        Args:
            most: How many.
        """
        n = len(self.rows)
        if n <= most:
            return self
        some = np.sort(np.random.default_rng(n).choice(n, most, replace=False))
        parts = (self.rows[some], self.weights[some], self.means[some])
        return type(self)(self.kernel, self.lam, *parts, self.centre, self.scale, self.known)

    @cached_property
    def _posterior(self) -> PointPosterior:
        return PointPosterior.of(self.kernel, self.lam, self.rows, self.weights, self.means)

    def at(self, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The estimate at each row, and its standard deviation in the fitted model.

        Args:
            rows: Rows of the unit cube.
        """
        mean, deviation = self._posterior.at(rows)
        return self.centre + self.scale * mean, abs(self.scale) * deviation

    def importance(self, A: FloatArray, B: FloatArray, groups: IntArray) -> FloatArray:
        """S_i of each group of columns; empty if the estimates do not vary.

        Args:
            A: Random rows, all over the space.
            B: As many others.
            groups: The group of each column, from 0.
        """
        mean = self._posterior.mean_at(A)
        both = np.concatenate([mean, self._posterior.mean_at(B)])
        if not np.ptp(both) > 1e-9:  # rounding errors
            return np.empty(0)
        mixed = (np.where(groups == i, B, A) for i in range(int(groups.max()) + 1))
        changes = [float(np.mean(np.square(mean - self._posterior.mean_at(rows)))) for rows in mixed]
        return np.array(changes, dtype=np.float64) / float(2 * both.var())
