"""The linear system behind a posterior, with a record of how far its solution can be trusted.

S     the distinct arms played       n     how often each was played
ybar  the mean reward of each        lam   the regularisation (the model's noise variance)
A     K_SS + lam diag(1/n), a system of |S| equations, where all T plays would give T
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import LinAlgError, cholesky, lapack, solve_triangular

from unswayed.errors import InvalidInput
from unswayed.types import FloatArray, floats, positive, read_only

LARGEST_CONDITION = 1e13


@dataclass(frozen=True, eq=False, repr=False)
class System:
    """A weights = means, solved. `Posterior` documents the fields."""

    K: FloatArray
    means: FloatArray
    counts: FloatArray
    lam: float
    factor: FloatArray
    weights: FloatArray
    condition: float
    scale: float
    jitter: float

    @classmethod
    def fit(cls, K_SS: ArrayLike, means: ArrayLike, counts: ArrayLike, lam: float) -> Self:
        """Check the plays of some arms, factorise A and solve for the weights.

        Args:
            K_SS: Kernel matrix of the played arms.
            means: Mean reward of each.
            counts: How often each was played; at least 1.
            lam: Regularisation, the model's noise variance.

        Raises:
            InvalidInput: Shapes differ, a number is not finite, or a count is not positive.
        """
        K = floats(K_SS, "the kernel matrix", ndim=2)
        ybar = floats(means, "rewards", ndim=1)
        n = floats(counts, "counts", ndim=1)
        lam = positive(lam, "lam")
        if K.shape != (ybar.size, ybar.size) or n.shape != ybar.shape or ybar.size == 0:
            raise InvalidInput("a posterior needs a square kernel matrix and one mean and count for each arm")
        if n.min() <= 0:
            raise InvalidInput("counts must be positive")
        A = K + np.diag(lam / n)
        scale = float(np.linalg.norm(A, 1))
        jitter = 0.0
        factor, condition = _factorise(A, scale)
        while condition > LARGEST_CONDITION:  # at most a few rounds: the condition falls to scale/jitter
            jitter = 4 * jitter or 4 * scale / LARGEST_CONDITION
            factor, condition = _factorise(A + jitter * np.eye(n.size), scale)
        weights = lapack.dpotrs(factor, ybar, lower=1)[0]
        return cls(K, ybar, n, lam, read_only(factor), read_only(weights), condition, scale, jitter)

    def half(self, K_xS: ArrayLike) -> FloatArray:
        """L^-1 k_S(x), one column for each point x.

        Args:
            K_xS: k(x, s) for every point x (rows) and played arm s (columns).
        """
        columns = np.asarray(K_xS, dtype=np.float64).T
        half: FloatArray = solve_triangular(self.factor, columns, lower=True, check_finite=False)
        return half


def _factorise(A: FloatArray, scale: float) -> tuple[FloatArray, float]:
    """Lower Cholesky factor and estimated condition number of A; the latter is infinite if there is no factor."""
    try:
        L: FloatArray = cholesky(A, lower=True, check_finite=False)
    except LinAlgError:
        return A, np.inf
    reciprocal, _ = lapack.dpocon(L, scale, uplo="L")
    return L, float(1 / reciprocal) if reciprocal > 0 else np.inf
