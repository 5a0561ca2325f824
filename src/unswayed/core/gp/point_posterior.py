"""The posterior at any point of the unit cube, with its slopes, so that one can climb on it.

X, n, y   the points that were played, the weight of each, and the mean there
lam       the noise variance of a play of weight 1
A         k(X, X) + diag(lam/n), the system behind it (`system.py`); its noise is lam/n
mu(x)     k(x, X) A^-1 y                   s(x)^2    k(x, x) - k(x, X) A^-1 k(X, x)
h         for a kernel of distances: dk(x, z)/dx_i = -h(x, z) (x_i - z_i)/l_i^2
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np

from unswayed.core.data.rows import numbered_rows
from unswayed.core.gp.improvement import log_improvement
from unswayed.core.gp.kernels import Kernel
from unswayed.core.gp.slopes import sloped
from unswayed.core.gp.system import System, pooled
from unswayed.types import EPS, FloatArray

SLOPE_STEP = 1e-5  # of numerical slopes in the unit cube, for kernels without a formula
LEAST_VARIANCE = 8 * EPS  # rounding error of a difference of numbers of size 1


@dataclass(frozen=True, eq=False)
class PointPosterior:
    """The posterior after plays at the points X; make it with `of`."""

    kernel: Kernel
    X: FloatArray
    system: System

    @classmethod
    def of(cls, kernel: Kernel, lam: float, X: FloatArray, n: FloatArray, y: FloatArray) -> Self:
        """The posterior after plays of total weight n and mean y at each row of X."""
        return cls(kernel, X, System.fit(kernel(X, X), y, n, lam))

    def then(self, rows: FloatArray, values: FloatArray) -> Self:
        """After one more play at each of some rows, which may be equal to each other or to those known."""
        X, place = numbered_rows(np.vstack([self.X, rows]))
        weights = np.append(self.n, np.ones(len(rows)))
        y, n = pooled(place, np.append(self.y, values), weights, len(X))
        return type(self).of(self.kernel, self.lam, X, n, y)

    @property
    def lam(self) -> float:
        """The noise variance of a play of weight 1."""
        return self.system.lam

    @property
    def n(self) -> FloatArray:
        """The weight of the plays at each row of X."""
        return self.system.counts

    @property
    def y(self) -> FloatArray:
        """The mean of the plays at each row of X."""
        return self.system.means

    @cached_property
    def means(self) -> FloatArray:
        """The posterior mean at each row of X."""
        means: FloatArray = self.y - self.system.noise * self.system.weights
        return means

    def alone(self) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of f at each row of X by the plays at the other rows.

        y - [A^-1 y]_j / [A^-1]_jj, and 1 / [A^-1]_jj minus the noise.
        """
        certain = self.system.inverse.diagonal()
        variance = np.maximum(1 / certain - self.system.noise, LEAST_VARIANCE / certain)
        return self.y - self.system.weights / certain, variance

    def means_without(self, row: int) -> FloatArray:
        """The mean at each row of X without the plays at one: mu + noise [A^-1]_.j [A^-1 y]_j / [A^-1]_jj."""
        column = self.system.inverse[:, row]
        off = self.system.weights[row] / column[row]
        means: FloatArray = self.means + self.system.noise * column * off
        means[row] = self.y[row] - off  # as in `alone`: the formula above is for the other rows
        return means

    def mean_at(self, rows: FloatArray) -> FloatArray:
        """The mean at each row."""
        return self.kernel(rows, self.X) @ self.system.weights

    def at(self, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean and deviation at each row."""
        k = self.kernel(rows, self.X)
        return k @ self.system.weights, np.sqrt(self._variance(rows, k))

    def _variance(self, rows: FloatArray, k: FloatArray) -> FloatArray:
        return self.system.variance(self.system.half(k), self.kernel.diagonal(rows))

    def lead(self, row: int) -> LeadOver:
        """How other rows compare with X[row]."""
        unit = np.zeros(len(self.n))
        unit[row] = self.system.noise[row]
        return LeadOver(self, row, self.system.solve(unit))


@dataclass(frozen=True, eq=False)
class LeadOver:
    """How much one more play at x can change the estimate of f(x) - f(x_j), where x_j is the j-th row of X.

    Before that play the expected difference is m = mu(x) - mu(x_j). Afterwards it is normal with mean m and deviation

        t(x) = (s(x)^2 - c(x)) / sqrt(s(x)^2 + lam),        c(x) = k(x, X) (lam/n_j) A^-1 e_j

    where c is the covariance of the two values. So t is small where f(x) is known up to the noise, and where f(x) and
    the leader are uncertain together. Where s^2 < c, one more play tells more about the leader than about x: t is 0.
    """

    posterior: PointPosterior
    row: int
    v: FloatArray  # (lam/n_j) A^-1 e_j

    def at(self, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        """m and t at each row."""
        posterior = self.posterior
        k = posterior.kernel(rows, posterior.X)
        return k @ posterior.system.weights - self._mean, self._change(posterior._variance(rows, k), k @ self.v)

    @property
    def _mean(self) -> float:
        return float(self.posterior.means[self.row])

    def again(self) -> float:
        """The expected improvement by one more play of the leader: it may fall behind another row of X."""
        means, noise = self.posterior.means, self.posterior.system.noise
        if len(means) < 2:
            return 0.0
        change = self._change(noise[self.row] * (1 - self.v[self.row]), -noise * self.v)
        gain = log_improvement(means - self._mean, change)[0]
        return float(np.exp(np.delete(gain, self.row).max()))

    def _change(self, variance: FloatArray | float, covariance: FloatArray) -> FloatArray:
        change: FloatArray = np.maximum(variance - covariance, LEAST_VARIANCE) / np.sqrt(variance + self.posterior.lam)
        return change

    def slopes(self, rows: FloatArray) -> Slopes:
        """m and t at each row, with their slopes."""
        X = self.posterior.X
        system = self.posterior.system
        formula = sloped(self.posterior.kernel, rows, X)
        if formula is None:
            return self._differences(rows)
        k, h, lengths = formula
        A_k = system.solve(k.T).T
        prior = self.posterior.kernel.diagonal(rows)
        variance = system.widened(prior - np.einsum("ij,ij->i", A_k, k), prior, lambda some: A_k[some])
        change, total = self._change(variance, k @ self.v), np.sqrt(variance + system.lam)

        def slope(weights: FloatArray) -> FloatArray:
            """The slope of k(x, X) times weights: one vector of weights, or one for each row."""
            toward = h * weights
            found: FloatArray = (toward @ X - toward.sum(axis=1)[:, None] * rows) / np.square(lengths)
            return found

        of_variance = -2 * slope(A_k)
        of_change = (of_variance - slope(self.v)) / total[:, None] - (change / (2 * total**2))[:, None] * of_variance
        return Slopes(k @ system.weights - self._mean, change, slope(system.weights), of_change)

    def _differences(self, rows: FloatArray) -> Slopes:
        """Central differences; one-sided at the faces of the unit cube, because a kernel may end there."""
        m, d = rows.shape
        steps = SLOPE_STEP * np.eye(d)
        ends = np.clip([rows[:, None] + steps, rows[:, None] - steps], 0.0, 1.0)
        apart = np.minimum(rows + SLOPE_STEP, 1.0) - np.maximum(rows - SLOPE_STEP, 0.0)
        mean, change = self.at(ends.reshape(-1, d))
        up, down = mean.reshape(2, m, d)
        wide, narrow = change.reshape(2, m, d)
        return Slopes(*self.at(rows), (up - down) / apart, (wide - narrow) / apart)


class Slopes(NamedTuple):
    """Mean and deviation at some rows, and their slopes: a row for each row, a column for each coordinate."""

    mean: FloatArray
    deviation: FloatArray
    mean_slope: FloatArray
    deviation_slope: FloatArray
