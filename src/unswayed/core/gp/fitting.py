"""Length-scales by maximum likelihood, for a unit-variance kernel and mean zero.

minus log likelihood  =  1/2 y^T A^-1 y + 1/2 ln det A + const,   A = K + lam I
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import LinAlgError, cholesky, solve_triangular
from scipy.optimize import minimize_scalar

from unswayed.core.gp.kernels import Kernel, Matern, SquaredExponential, gram
from unswayed.errors import InvalidInput
from unswayed.types import FloatArray, floats, positive

Stationary = TypeVar("Stationary", bound=SquaredExponential | Matern)
NOISELESS_VARIANCE = 1e-10  # added where the values carry no noise, so that A is invertible


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


def fit_lengthscale(kernel: Stationary, X: ArrayLike, y: ArrayLike, *, lam: float = NOISELESS_VARIANCE) -> Stationary:
    """`kernel` with the most likely length-scale, the same for each coordinate.

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

    def scaled(log_scale: float) -> Stationary:
        return replace(kernel, lengthscale=float(np.exp(log_scale)))

    def loss(log_scale: float) -> float:
        return negative_log_likelihood(scaled(log_scale), points, values, lam)

    grid = np.linspace(low, high, 60)
    losses = np.array([loss(g) for g in grid])
    best = int(np.argmin(losses))
    if not np.isfinite(losses[best]):
        raise InvalidInput("no length-scale gives a positive definite kernel matrix; raise lam")
    around = (grid[max(best - 1, 0)], grid[min(best + 1, 59)])
    return scaled(minimize_scalar(loss, bounds=around, method="bounded", options={"xatol": 1e-6}).x)
