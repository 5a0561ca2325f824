"""The posterior at any row of the unit cube, with its slopes, so that one can climb on it.

    X, n, y   the points that were played, the weight of each, and the mean there
    lam       the noise variance of a play of weight 1
    A         k(X, X) + diag(lam/n)
    mu(x)     k(x, X) A^-1 y                   s(x)^2    k(x, x) - k(x, X) A^-1 k(X, x)
    h         for a kernel of distances: dk(x, z)/dx_i = -h(x, z) (x_i - z_i)/l_i^2

The improvement that one more play promises, on a logarithmic scale (Ament et al., 2023: it has a slope everywhere).
With m, the expected lead over the best point so far, and t, how much one more play would change it (see `Lead`):

    u = m/t,     ln E max(m + t g, 0) = ln t + ln(phi(u) + u Phi(u)),     g normal
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from scipy.linalg import LinAlgError, cho_solve, cholesky, lapack, solve_triangular
from scipy.special import erfcx, ndtr

from unswayed.core.data.rows import numbered_rows
from unswayed.core.gp.kernels import Kernel
from unswayed.core.gp.posterior import pooled
from unswayed.core.gp.slopes import sloped
from unswayed.errors import InvalidInput
from unswayed.types import EPS, FloatArray

STEP = 1e-5  # of numerical slopes, for kernels without a formula
JITTERS = (0.0, 1e-14, 1e-12, 1e-10, 1e-8, 1e-6)  # in units of the average variance
FAR = -1e3  # below this u, h is phi(u)/u^2 up to a factor of 1 - 3e-6
LOG_ROOT = 0.5 * np.log(2 * np.pi)


@dataclass(frozen=True, eq=False)
class Field:
    """A posterior of points `X` with weights `n` and means `y`; `L` is the Cholesky factor of A."""

    kernel: Kernel
    lam: float
    X: FloatArray
    n: FloatArray
    y: FloatArray
    L: FloatArray
    weights: FloatArray  # A^-1 y

    @classmethod
    def of(cls, kernel: Kernel, lam: float, X: FloatArray, n: FloatArray, y: FloatArray) -> Self:
        """The posterior after plays of total weight n and mean y at each row of X.

        If A is singular, because points nearly coincide and lam/n is tiny, the least noise that helps is added.
        """
        A = kernel(X, X) + np.diag(lam / n)
        for jitter in JITTERS:
            try:
                L = cholesky(A + jitter * A.trace() / len(A) * np.eye(len(A)), lower=True, check_finite=False)
            except LinAlgError:
                continue
            return cls(kernel, lam, X, n, y, L, cho_solve((L, True), y, check_finite=False))
        raise InvalidInput("the kernel matrix is singular: two measured points may be the same up to rounding")

    def then(self, rows: FloatArray, values: FloatArray) -> Self:
        """After one more play at each of some rows, which may be equal to each other or to those known."""
        X, place = numbered_rows(np.vstack([self.X, rows]))
        weights = np.append(self.n, np.ones(len(rows)))
        y, n = pooled(place, np.append(self.y, values), weights, len(X))
        return type(self).of(self.kernel, self.lam, X, n, y)

    @cached_property
    def means(self) -> FloatArray:
        """The mean at each row of X."""
        means: FloatArray = self.y - self.lam / self.n * self.weights
        return means

    @cached_property
    def inverse(self) -> FloatArray:
        """A^-1."""
        lower = np.tril(lapack.dpotri(self.L, lower=1)[0])
        inverse: FloatArray = lower + np.tril(lower, -1).T
        return inverse

    def alone(self) -> tuple[FloatArray, FloatArray]:
        """What the other rows of X say of f at each: y - [A^-1 y]_j / [A^-1]_jj, and 1 / [A^-1]_jj - lam/n_j."""
        certain = self.inverse.diagonal()
        return self.y - self.weights / certain, np.maximum(1 / certain - self.lam / self.n, 8 * EPS / certain)

    def means_without(self, row: int) -> FloatArray:
        """The mean at each row of X without the plays at one: mu + (lam/n) [A^-1]_.j [A^-1 y]_j / [A^-1]_jj."""
        column = self.inverse[:, row]
        off = self.weights[row] / column[row]
        means: FloatArray = self.means + self.lam / self.n * column * off
        means[row] = self.y[row] - off  # as `alone` has it: the formula above is for the other rows
        return means

    def at(self, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean and deviation at each row."""
        k = self.kernel(rows, self.X)
        return k @ self.weights, np.sqrt(self._variance(rows, k))

    def _variance(self, rows: FloatArray, k: FloatArray) -> FloatArray:
        half = solve_triangular(self.L, k.T, lower=True, check_finite=False)
        prior = self.kernel.diagonal(rows)
        variance: FloatArray = np.maximum(prior - np.einsum("ij,ij->j", half, half), 8 * EPS * prior)
        return variance

    def lead(self, row: int) -> Lead:
        """How other rows compare with X[row]."""
        unit = np.zeros(len(self.n))
        unit[row] = self.lam / self.n[row]
        return Lead(self, row, cho_solve((self.L, True), unit, check_finite=False))


@dataclass(frozen=True, eq=False)
class Lead:
    """What one more play at x would change about f(x) - f(x_j), where x_j is the j-th row of X.

    Before that play the expected difference is m = mu(x) - mu(x_j). Afterwards it is normal with mean m and deviation

        t(x) = (s(x)^2 - c(x)) / sqrt(s(x)^2 + lam),        c(x) = k(x, X) (lam/n_j) A^-1 e_j

    where c is the covariance of the two values: what is known as well as the noise allows, and what is only as
    uncertain as the leader, promises little. Where s^2 < c, one more play would say more about the leader than about
    x; such a place is taken to promise nothing.
    """

    field: Field
    row: int
    v: FloatArray  # (lam/n_j) A^-1 e_j

    def at(self, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        """m and t at each row."""
        k = self.field.kernel(rows, self.field.X)
        return k @ self.field.weights - self._mean, self._change(self.field._variance(rows, k), k @ self.v)

    @property
    def _mean(self) -> float:
        return float(self.field.means[self.row])

    def again(self) -> float:
        """What one more play of the leader promises: it may fall behind another row of X."""
        field = self.field
        if len(field.n) < 2:
            return 0.0
        noise = field.lam / field.n
        variance, covariance = noise[self.row] * (1 - self.v[self.row]), -noise * self.v
        gain = log_improvement(field.means - self._mean, self._change(variance, covariance))[0]
        return float(np.exp(np.delete(gain, self.row).max()))

    def _change(self, variance: FloatArray | float, covariance: FloatArray) -> FloatArray:
        change: FloatArray = np.maximum(variance - covariance, 8 * EPS) / np.sqrt(variance + self.field.lam)
        return change

    def slopes(self, rows: FloatArray) -> Slopes:
        """m and t at each row, with their slopes."""
        field, formula = self.field, sloped(self.field.kernel, rows, self.field.X)
        if formula is None:
            return self._differences(rows)
        k, h, lengths = formula
        A_k = cho_solve((field.L, True), k.T, check_finite=False).T
        prior = field.kernel.diagonal(rows)
        variance = np.maximum(prior - np.einsum("ij,ij->i", A_k, k), 8 * EPS * prior)
        change, total = self._change(variance, k @ self.v), np.sqrt(variance + field.lam)

        def slope(weights: FloatArray) -> FloatArray:
            """Of k(x, X) times weights, one vector or one for each row."""
            toward = h * weights
            found: FloatArray = (toward @ field.X - toward.sum(axis=1)[:, None] * rows) / np.square(lengths)
            return found

        of_variance = -2 * slope(A_k)
        of_change = (of_variance - slope(self.v)) / total[:, None] - (change / (2 * total**2))[:, None] * of_variance
        return Slopes(k @ field.weights - self._mean, change, slope(field.weights), of_change)

    def _differences(self, rows: FloatArray) -> Slopes:
        """Central differences; one-sided at the faces of the unit cube, because a kernel may end there."""
        m, d = rows.shape
        steps = STEP * np.eye(d)
        ends = np.clip([rows[:, None] + steps, rows[:, None] - steps], 0.0, 1.0)
        apart = np.minimum(rows + STEP, 1.0) - np.maximum(rows - STEP, 0.0)
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


def log_improvement(mean: FloatArray, deviation: FloatArray) -> tuple[FloatArray, FloatArray]:
    """ln E max(g, 0) of a normal g, and d ln h/du, where u = mean/deviation and h = phi(u) + u Phi(u)."""
    u = mean / deviation
    near, low = np.maximum(u, -1.0), np.clip(u, FAR, -1.0)
    bell, below = np.exp(-0.5 * np.square(near) - LOG_ROOT), ndtr(near)
    h = bell + near * below
    ratio = np.sqrt(np.pi / 2) * erfcx(-low / np.sqrt(2))  # Phi/phi
    rest = 1 + low * ratio
    log_h = np.where(u > -1, np.log(h), -0.5 * np.square(u) - LOG_ROOT + np.log(rest))
    log_h = np.where(u < FAR, log_h - 2 * np.log(np.minimum(u, FAR) / FAR), log_h)
    slope = np.where(u > -1, below / h, np.where(u < FAR, -u, ratio / rest))
    return np.log(deviation) + log_h, slope
