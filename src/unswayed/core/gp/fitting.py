"""Length-scales by maximum likelihood, for a unit-variance kernel and mean zero; the noise from repeats.

minus log likelihood  =  1/2 y^T A^-1 y + 1/2 ln det A + const,   A = K + lam I
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import LinAlgError, cholesky, solve_triangular
from scipy.optimize import minimize, minimize_scalar
from scipy.special import ndtri

from unswayed.core.gp.kernels import Kernel, Matern, SquaredExponential, gram
from unswayed.errors import InvalidInput
from unswayed.types import FloatArray, IntArray, floats, positive

Stationary = TypeVar("Stationary", bound=SquaredExponential | Matern)
NOISELESS_VARIANCE = 1e-10  # added where the values carry no noise, so that A is invertible
MANY_REPEATS = 10  # with fewer repeats, the median's own distance of 0 counts too much: take pairs


def negative_log_likelihood(kernel: Kernel, X: FloatArray, y: FloatArray, lam: float | FloatArray) -> float:
    """Minus the log likelihood of y under GP(0, k) with noise variance lam: one number, or one for each value.

    It is infinite if A is singular.
    """
    A = gram(kernel, X) + np.diag(np.broadcast_to(lam, len(y)))
    try:
        L = cholesky(A, lower=True)
    except (LinAlgError, ValueError):  # singular, or beyond the range of floats
        return np.inf
    half = solve_triangular(L, y, lower=True)
    return float(0.5 * half @ half + np.log(L.diagonal()).sum() + 0.5 * len(y) * np.log(2 * np.pi))


def fit_lengthscale(
    kernel: Stationary, X: ArrayLike, y: ArrayLike, *, lam: float = NOISELESS_VARIANCE, ard: bool = False
) -> Stationary:
    """`kernel` with the most likely length-scale: one number, or with `ard` one for each coordinate.

    Searches from a hundredth of the smallest spread of a coordinate to a hundred times the largest. The likelihood
    has several peaks, so a grid comes first, then a refinement around its best point.
    """
    points, values = floats(X, "points", ndim=2), floats(y, "values", ndim=1)
    positive(lam, "lam")
    if len(points) != len(values) or len(values) < 2:
        raise InvalidInput("fitting needs as many values as points, and at least two")
    spread = np.ptp(points, axis=0)
    if not (spread > 0).any():
        raise InvalidInput("fitting needs points that differ")
    low, high = np.log(spread[spread > 0].min() / 100), np.log(spread.max() * 100)

    def loss(log_scale: FloatArray | float) -> float:
        scale = np.exp(log_scale)
        fitted = replace(kernel, lengthscale=tuple(scale) if np.ndim(scale) else float(scale))
        return negative_log_likelihood(fitted, points, values, lam)

    grid = np.linspace(low, high, 60)
    losses = np.array([loss(g) for g in grid])
    best = int(np.argmin(losses))
    if not np.isfinite(losses[best]):
        raise InvalidInput("no length-scale gives a positive definite kernel matrix; raise lam")
    around = (grid[max(best - 1, 0)], grid[min(best + 1, 59)])
    isotropic = float(minimize_scalar(loss, bounds=around, method="bounded", options={"xatol": 1e-6}).x)
    if not ard:
        return replace(kernel, lengthscale=float(np.exp(isotropic)))
    start = np.full(points.shape[1], isotropic)
    box = [(low, high)] * points.shape[1]
    refined = minimize(lambda s: min(loss(s), 1e300), start, bounds=box, method="L-BFGS-B")
    scales = refined.x if refined.fun < loss(start) else start
    return replace(kernel, lengthscale=tuple(float(l) for l in np.exp(scales)))  # noqa: E741


@dataclass(frozen=True, eq=False)
class Repeats:
    """Which values are repeats of the same option, to estimate the noise of any values.

    Attributes:
        number: How many measurements were made before, of the same option.
        pairs: Two values of the same option each, of options with few repeats.
        groups: The values of each option with many repeats.
        options: The values of each option with repeats.
    """

    number: int
    pairs: IntArray
    groups: tuple[IntArray, ...]
    options: tuple[IntArray, ...]

    @classmethod
    def of(cls, option: IntArray) -> Self:
        """The repeats of measurements, given the number of the option of each."""
        order = np.argsort(option, kind="stable")
        starts = np.flatnonzero(np.diff(option[order], prepend=option[order[:1]] - 1))
        mine = [group for group in np.split(order, starts[1:]) if len(group) > 1]
        few = [np.stack(np.triu_indices(len(group), 1)) for group in mine if len(group) < MANY_REPEATS]
        pairs = [group[two] for group, two in zip((g for g in mine if len(g) < MANY_REPEATS), few, strict=True)]
        return cls(
            sum(len(group) - 1 for group in mine),
            np.hstack([np.empty((2, 0), np.int64), *pairs]),
            tuple(group for group in mine if len(group) >= MANY_REPEATS),
            tuple(mine),
        )

    def pooled(self, values: FloatArray) -> float:
        """The standard deviation of the values around the means of their options; lies count in full."""
        squares = sum(float(np.square(values[group] - values[group].mean()).sum()) for group in self.options)
        return float(np.sqrt(squares / max(self.number, 1)))

    def agreeing(self, values: FloatArray) -> float:
        """The share of the repeated options all of whose values are the same."""
        return float(np.mean([np.ptp(values[group]) == 0 for group in self.options]))

    def noise(self, values: FloatArray, *, least: int = 1) -> float | None:
        """The standard deviation of one measurement, from the median distance between repeats of the same option.

        With many repeats, distances are taken from their median. One tampered repeat moves these medians very little.

        Args:
            values: The measurements.
            least: How many repeats are needed.

        Returns:
            The noise; None with fewer than `least` repeats, or if more than half of the distances are 0. In that case
            the program prints the same number every time, and the other distances may be lies.
        """
        if self.number < max(least, 1):
            return None
        distances = [(values[self.pairs[0]] - values[self.pairs[1]]) / np.sqrt(2)]
        for group in self.groups:
            mine = values[group]
            distances.append((mine - np.median(mine)) * np.sqrt(len(mine) / (len(mine) - 1)))
        return float(np.median(np.abs(np.concatenate(distances))) / ndtri(0.75)) or None


def noise_from_repeats(option: IntArray, values: FloatArray, *, least: int = 1) -> float | None:
    """`Repeats.noise` of these values."""
    if len(option) - len(np.unique(option)) < max(least, 1):
        return None
    return Repeats.of(option).noise(values, least=least)
