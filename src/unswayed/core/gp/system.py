"""The linear system under every posterior: A w = ybar, with a record of how far to trust what is solved.

S     the distinct arms played       n     how often each was played (or the weight of its plays)
ybar  the mean reward of each        lam   the regularisation (the model's noise variance)
A     K_SS + lam diag(1/n)           L     its Cholesky factor

A has |S| equations, where all T plays would give T. `Posterior` predicts points from their kernel values,
`JointPosterior` all arms at once, `PointPosterior` points with slopes, `EpochPosterior` one epoch in blocks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import ceil, log
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import LinAlgError, cholesky, lapack, solve_triangular

from unswayed.core.gp.rounding import Rounding, rounding_unit
from unswayed.errors import InvalidInput
from unswayed.types import EPS, BoolArray, FloatArray, IntArray, floats, positive, read_only

LARGEST_CONDITION = 1e13  # of A: beyond it, a solution keeps fewer than three digits
LARGEST_JITTER = 1e-3  # in units of |A|: rounding errors need far less, so such a matrix is no kernel matrix


def mean_rewards(totals: FloatArray, counts: FloatArray) -> FloatArray:
    """The mean reward of each arm from the sum of its rewards; 0 for an arm that was not played."""
    return np.divide(totals, counts, out=np.zeros(len(counts)), where=counts > 0)


def pooled(arms: IntArray, rewards: FloatArray, repeats: FloatArray, n_arms: int) -> tuple[FloatArray, FloatArray]:
    """Mean reward and number of plays of each arm; entry j is the mean of `repeats[j]` rewards of arm `arms[j]`."""
    counts = np.bincount(arms, weights=repeats, minlength=n_arms).astype(np.float64)
    totals = np.bincount(arms, weights=repeats * rewards, minlength=n_arms).astype(np.float64)
    return mean_rewards(totals, counts), counts


@dataclass(frozen=True, eq=False, repr=False)
class System:
    """A weights = means, solved. `Posterior` documents the fields.

    If A is nearly singular, the same jitter is added to each diagonal entry: the least power of 4 that brings the
    condition number below LARGEST_CONDITION. It acts like less weight for these plays.
    """

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
            InvalidInput: Shapes differ, a number is not finite, a count is not positive, or K_SS is no kernel matrix.
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
        largest = min(LARGEST_CONDITION, 1 / (4 * rounding_unit(n.size)))  # beyond it, rounding bounds fail
        while condition > largest:  # at most a few rounds: the condition falls to scale/jitter
            jitter = 4 * jitter or 4.0 ** ceil(log(4 * scale / largest, 4))  # a power of 4: see `certificate`
            if jitter > LARGEST_JITTER * scale:
                raise InvalidInput("a kernel matrix must be positive semi-definite, and this one is not")
            factor, condition = _factorise(A + jitter * np.eye(n.size), scale)
        weights = _solve(factor, ybar)
        return cls(K, ybar, n, lam, read_only(factor), read_only(weights), condition, scale, jitter)

    @property
    def noise(self) -> FloatArray:
        """The variance of each mean: lam/n and the jitter."""
        return self.lam / self.counts + self.jitter

    @property
    def log_det(self) -> float:
        """ln det(I + K_t / lam) of all plays, twice the information gained: det(A) prod(n/lam)."""
        n = self.counts
        return max(float(2 * np.log(self.factor.diagonal()).sum() + np.log(n / self.lam).sum()), 0.0)

    def solve(self, right: FloatArray) -> FloatArray:
        """A^-1 times a vector, or each column of a matrix.

        Args:
            right: The vector or the matrix.
        """
        return _solve(self.factor, right)

    def half(self, K_xS: ArrayLike) -> FloatArray:
        """L^-1 k_S(x), one column for each point x.

        Args:
            K_xS: k(x, s) for every point x (rows) and played arm s (columns).
        """
        return np.asarray(solve_triangular(self.factor, np.asarray(K_xS).T, lower=True, check_finite=False))

    def solved(self, half: FloatArray) -> FloatArray:
        """A^-1 k_S(x), one row for each point x.

        Args:
            half: What `half` returned.
        """
        return np.asarray(solve_triangular(self.factor, half, lower=True, trans="T", check_finite=False)).T

    def variance(self, half: FloatArray, prior: FloatArray) -> FloatArray:
        """`k(x, x) - |L^-1 k_S(x)|^2` for each point x, `widened`.

        Args:
            half: What `half` returned.
            prior: k(x, x) for every point x.
        """
        variance: FloatArray = prior - np.einsum("ij,ij->j", half, half)
        return self.widened(variance, prior, lambda points: self.solved(half[:, points]))

    def widened(self, variance: FloatArray, prior: FloatArray, solved: Callable[[BoolArray], FloatArray]) -> FloatArray:
        """The same variances; one that is below its own rounding error is replaced by that error.

        Args:
            variance: k(x, x) - k_S(x)^T A^-1 k_S(x) for every point x.
            prior: k(x, x) for every point x.
            solved: Gives A^-1 k_S(x) for some of the points, one row for each.
        """
        relative = EPS * len(self.weights)
        doubtful = variance < relative * self.condition * prior  # the worst case over all x
        if doubtful.any():
            # An error E in A changes k^T A^-1 k by z^T E z, z = A^-1 k, and |E| is about EPS m |A|.
            z = solved(doubtful)
            error = relative * self.scale * np.einsum("ij,ij->i", z, z) + 4 * EPS * prior[doubtful]
            variance[doubtful] = np.maximum(variance[doubtful], error)
        return variance

    @cached_property
    def inverse(self) -> FloatArray:
        """A^-1."""
        lower = np.tril(lapack.dpotri(self.factor, lower=1)[0])
        inverse: FloatArray = lower + np.tril(lower, -1).T
        return inverse

    @cached_property
    def rounding(self) -> Rounding:
        """Bounds on the rounding errors of what is solved."""
        noise = self.noise
        d = np.sqrt(self.K.diagonal() + noise)
        # |u_s|/lam = sum_j d_j |A^-1|_sj / n_s, from |A^-1|_sj <= 1/sqrt(noise_s noise_j), or from the condition
        # number, whose estimate is rarely more than three times too small.
        inverse = np.minimum(np.sum(d / np.sqrt(noise)) / np.sqrt(noise), 3 * np.max(d) * self.condition / self.scale)
        effect = float(np.max(inverse / self.counts))
        return Rounding(rounding_unit(len(d)), d, float(np.abs(self.weights) @ d), effect)


def _solve(factor: FloatArray, right: FloatArray) -> FloatArray:
    solution: FloatArray = lapack.dpotrs(factor, right, lower=1)[0]
    return solution


def _factorise(A: FloatArray, scale: float) -> tuple[FloatArray, float]:
    """Lower Cholesky factor and estimated condition number of A; the latter is infinite if there is no factor."""
    try:
        L: FloatArray = cholesky(A, lower=True, check_finite=False)
    except LinAlgError:
        return A, np.inf
    reciprocal, _ = lapack.dpocon(L, scale, uplo="L")
    return L, float(1 / reciprocal) if reciprocal > 0 else np.inf
