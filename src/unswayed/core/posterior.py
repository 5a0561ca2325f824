"""The Gaussian process posterior under repeated plays: Section 2.1 of the paper, collapsed exactly.

    S     the distinct arms played       n     how often each was played
    ybar  the mean reward of each        lam   the regularisation (the model's noise variance)
    A     K_SS + lam diag(1/n)

    mu(x)     = k_S(x)^T A^-1 ybar
    k_t(x, z) = k(x, z) - k_S(x)^T A^-1 k_S(z),   sigma^2(x) = k_t(x, x)

These equal the paper's formulas on all T plays, at O(|S|^3) instead of O(T^3). The paper's averaged
estimator replaces each reward by its arm's mean, which leaves them unchanged: it *is* this mean.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import log1p, sqrt
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import LinAlgError, cholesky, lapack, solve_triangular
from scipy.linalg.blas import dger

from unswayed.core.kernels import Kernel
from unswayed.core.memory import row_blocks
from unswayed.errors import InvalidInput
from unswayed.types import FloatArray, IntArray, floats, positive, read_only

EPS = float(np.finfo(np.float64).eps)
LARGEST_CONDITION = 1e13


@dataclass(frozen=True, eq=False, repr=False)
class Posterior:
    """The posterior given the mean reward and count of each played arm; make it with `fit`.

    `mean`, `covariance` and `deviation` are those of the played arms; `predict` gives other points.

    Attributes:
        K: Kernel matrix of the played arms.
        means: Mean reward of each played arm.
        counts: How often each was played.
        lam: Regularisation, the model's noise variance.
        factor: L with A = L L^T, where A = K + lam diag(1/counts).
        weights: A^-1 means.
        condition: Estimated condition number of A, in the 1-norm.
        scale: 1-norm of A.
        jitter: What had to be added to every diagonal entry of A to keep its condition number below 1e13. It is 0
            except for (nearly) equal points with lam/n near the rounding error. It acts like less weight for these
            plays: deviations only grow, so confidence bands stay valid.
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
        """The posterior after the plays of some arms.

        Args:
            K_SS: Kernel matrix of the played arms.
            means: Mean reward of each.
            counts: How often each was played; at least 1.
            lam: Regularisation, the model's noise variance.

        Returns:
            The posterior.

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

    def __repr__(self) -> str:
        return f"{type(self).__name__}(arms={len(self.counts)}, plays={self.counts.sum():g}, lam={self.lam:g})"

    @cached_property
    def joint(self) -> JointPosterior:
        """The played arms as a `JointPosterior`."""
        return JointPosterior.fit(self.K, self.means, self.counts, self.lam)

    @property
    def mean(self) -> FloatArray:
        """Posterior mean of each played arm."""
        return self.joint.mean

    @property
    def covariance(self) -> FloatArray:
        """Posterior covariance of the played arms."""
        return self.joint.covariance

    @property
    def deviation(self) -> FloatArray:
        """Posterior standard deviation of each played arm."""
        return self.joint.deviation

    def predict(self, K_xS: ArrayLike, k_xx: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Mean and standard deviation at points x, from k(x, S) and k(x, x).

        A variance below its own rounding error is replaced by that error: never negative, never
        smaller than what the arithmetic can vouch for.
        """
        K_xS = np.asarray(K_xS, dtype=np.float64)
        k_xx = np.asarray(k_xx, dtype=np.float64)
        mu: FloatArray = K_xS @ self.weights
        half = self.half(K_xS)
        variance = k_xx - np.einsum("ij,ij->j", half, half)
        m = len(self.weights)
        doubtful = variance < EPS * m * self.condition * k_xx  # the worst case over all x
        if doubtful.any():
            # An error E in A changes k^T A^-1 k by z^T E z, z = A^-1 k, and |E| is about EPS m |A|.
            z = solve_triangular(self.factor, half[:, doubtful], lower=True, trans="T")
            error = EPS * m * self.scale * np.einsum("ij,ij->j", z, z) + 4 * EPS * k_xx[doubtful]
            variance[doubtful] = np.maximum(variance[doubtful], error)
        return mu, np.sqrt(variance)

    def predict_at(self, kernel: Kernel, X: FloatArray, X_S: FloatArray) -> tuple[FloatArray, FloatArray]:
        """`predict` at every row of X, for played arms at X_S: in blocks, so that X may have millions of rows."""
        mu, sigma = np.empty(len(X)), np.empty(len(X))
        for rows in row_blocks(len(X), len(X_S)):
            mu[rows], sigma[rows] = self.predict(kernel(X[rows], X_S), kernel.diagonal(X[rows]))
        return mu, sigma

    def half(self, K_xS: ArrayLike) -> FloatArray:
        """L^-1 k_S(x), one column for each x."""
        columns = np.asarray(K_xS, dtype=np.float64).T
        half: FloatArray = solve_triangular(self.factor, columns, lower=True, check_finite=False)
        return half


def _factorise(A: FloatArray, scale: float) -> tuple[FloatArray, float]:
    """Lower Cholesky factor and estimated condition number of A (infinite if there is no factor)."""
    try:
        L: FloatArray = cholesky(A, lower=True, check_finite=False)
    except LinAlgError:
        return A, np.inf
    reciprocal, _ = lapack.dpocon(L, scale, uplo="L")
    return L, float(1 / reciprocal) if reciprocal > 0 else np.inf


def mean_rewards(totals: FloatArray, counts: FloatArray) -> FloatArray:
    """The mean reward of each arm from the sum of its rewards; 0 where it was not played."""
    return np.divide(totals, counts, out=np.zeros(len(counts)), where=counts > 0)


@dataclass(frozen=True, eq=False, repr=False)
class JointPosterior:
    """Mean and covariance of all arms at once, played or not. Make it with `fit` or `prior`, continue with `extend`.

    Attributes:
        mean: Posterior mean of each arm.
        covariance: Posterior covariance of all arms.
        counts: Plays of each arm, each times its weight.
        log_det: ln det(I + K_t / lam), twice the information gained so far.
        lam: Regularisation, the model's noise variance.
        jitter: As in `Posterior`, where the data were fitted at once.
        rounding: Absolute error of a variance.
        condition: Condition number of the system that was solved.
    """

    mean: FloatArray
    covariance: FloatArray
    counts: FloatArray
    log_det: float
    lam: float
    jitter: float = 0.0
    rounding: float = EPS
    condition: float = 1.0

    def __repr__(self) -> str:
        return f"{type(self).__name__}(arms={len(self.mean)}, plays={self.counts.sum():g}, lam={self.lam:g})"

    @classmethod
    def prior(cls, K: ArrayLike, lam: float) -> Self:
        """Before the first play: mean 0 and covariance K."""
        covariance = read_only(np.array(K, order="F"))
        nothing = read_only(np.zeros(len(covariance)))
        return cls(nothing, covariance, nothing, 0.0, positive(lam, "lam"))

    @classmethod
    def fit(cls, K: ArrayLike, means: ArrayLike, counts: ArrayLike, lam: float) -> Self:
        """The posterior of all arms after the plays of some, by one solve.

        For played arms k_t(., S) = K A^-1 (lam/n + jitter), which keeps its digits for small lam, where
        K - K A^-1 K would lose them.

        Args:
            K: Kernel matrix of all arms.
            means: Mean reward of each arm; not looked at where the count is 0.
            counts: How often each arm was played.
            lam: Regularisation, the model's noise variance.

        Returns:
            The posterior.

        Raises:
            InvalidInput: Shapes differ, or a number is not finite.
        """
        K, ybar = floats(K, "the kernel matrix", ndim=2), np.asarray(means, dtype=np.float64)
        n = floats(counts, "counts", ndim=1)
        if K.shape != (n.size, n.size) or ybar.shape != n.shape:
            raise InvalidInput("a posterior needs a square kernel matrix and one mean and count for each arm")
        S = np.flatnonzero(n)
        if len(S) == 0:
            return cls.prior(K, lam)
        posterior = Posterior.fit(K[np.ix_(S, S)], ybar[S], n[S], lam)
        half = posterior.half(K[:, S])
        mean: FloatArray = K[:, S] @ posterior.weights
        solved = solve_triangular(posterior.factor, half, lower=True, trans="T", check_finite=False).T  # K A^-1
        covariance = K - half.T @ half if len(S) < len(K) else np.empty_like(K)
        np.fill_diagonal(covariance, np.maximum(covariance.diagonal(), EPS * K.diagonal()))
        covariance[:, S] = solved * (lam / n[S] + posterior.jitter)
        covariance[S] = covariance[:, S].T
        # det(I + K n/lam) = det(A) prod(n/lam)
        log_det = 2 * np.log(posterior.factor.diagonal()).sum() + np.log(n[S] / lam).sum()
        return cls(
            mean=read_only(mean),
            covariance=read_only(covariance),
            counts=n,
            log_det=max(float(log_det), 0.0),
            lam=lam,
            jitter=posterior.jitter,
            rounding=0.0,
            condition=posterior.condition,
        )

    @classmethod
    def of_plays(cls, K: FloatArray, arms: IntArray, rewards: FloatArray, repeats: FloatArray, lam: float) -> Self:
        """The same from single plays: entry j is the mean of `repeats[j]` rewards of arm `arms[j]`."""
        counts = np.bincount(arms, weights=repeats, minlength=len(K)).astype(np.float64)
        totals = np.bincount(arms, weights=repeats * rewards, minlength=len(K)).astype(np.float64)
        return cls.fit(K, mean_rewards(totals, counts), counts, lam)

    @property
    def deviation(self) -> FloatArray:
        """sigma_t of every arm."""
        return np.sqrt(np.maximum(np.diagonal(self.covariance), self.rounding))

    def effect(self) -> tuple[FloatArray, IntArray]:
        """d mu(x) / d y for one more unit in a play of each played arm: k_t(x, S) / (lam + jitter n); and S."""
        S = np.flatnonzero(self.counts)
        return self.covariance[:, S] / (self.lam + self.jitter * self.counts[S]), S

    def mean_norm(self, rewards: FloatArray) -> float:
        """|mu_t|_k, from the mean reward of every arm: mu_t = K a with a = (ybar - mu_t)/(lam/n + jitter) on S."""
        S = np.flatnonzero(self.counts)
        a = (rewards[S] - self.mean[S]) / (self.lam / self.counts[S] + self.jitter)
        return sqrt(max(float(a @ self.mean[S]), 0.0))

    def extend(self, arm: int, repeats: float, total: float, weight: float = 1.0) -> Self:
        """After playing `arm` `repeats` more times with rewards summing to `total`, each of this weight.

        Negative repeats take plays back.

        With v = k_t(., i), s = k_t(i, i) and n the sum of weights:  k_{t+n} = k_t - v v^T n / (lam + n s),
        mu_{t+n} = mu_t + v (w total - n mu_t(i)) / (lam + n s),  det grows by the factor 1 + n s / lam.
        """
        n, lam = repeats * weight, self.lam
        v = self.covariance[:, arm]
        s = max(float(v[arm]), 0.0)
        mean = self.mean + v * ((weight * total - n * self.mean[arm]) / (lam + n * s))
        covariance = dger(-n / (lam + n * s), v, v, a=self.covariance)
        counts = self.counts.copy()
        counts[arm] += n
        log_det = self.log_det + log1p(n * s / lam)
        return replace(
            self,
            mean=read_only(mean),
            covariance=read_only(covariance),
            counts=read_only(counts),
            log_det=log_det,
            rounding=EPS,
        )
