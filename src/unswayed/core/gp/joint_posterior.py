"""The posterior of all arms at once, played or not.

S     the distinct arms played       n     how often each was played
lam   the regularisation             A     K_SS + lam diag(1/n), the system behind it (`system.py`)
k_t   the posterior covariance       w     the weights: mean = K w
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import log1p, sqrt
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg.blas import dger

from unswayed.core.gp.rounding import PairRounding
from unswayed.core.gp.system import System, pooled
from unswayed.errors import InvalidInput
from unswayed.types import EPS, FloatArray, IntArray, floats, positive, read_only


@dataclass(frozen=True, eq=False, repr=False)
class JointPosterior:
    """Mean and covariance of all arms at once, played or not. Make it with `fit` or `prior`, continue with `extend`.

    Attributes:
        mean: Posterior mean of each arm.
        covariance: Posterior covariance of all arms.
        counts: Plays of each arm, each times its weight.
        log_det: ln det(I + K_t / lam), twice the information gained so far.
        lam: Regularisation, the model's noise variance.
        weights: w with mean = K w; 0 for arms that were not played.
        prior_variance: k(x, x) of each arm.
        jitter: What was added to k(x, x) of every arm; 0 unless `fit` met (nearly) equal points with lam/n near the
            rounding error. No function has a larger norm under this kernel, so norm bounds remain true.
        rounding: Absolute error of a variance.
        condition: Condition number of the system that was solved.

    Example:
        >>> from unswayed import JointPosterior, SquaredExponential
        >>> X = np.array([[0.0], [0.5], [1.0]])
        >>> posterior = JointPosterior.prior(SquaredExponential(0.5)(X, X), lam=0.01).extend(1, repeats=4, total=4.0)
        >>> posterior.mean.round(2).tolist()
        [0.61, 1.0, 0.61]
    """

    mean: FloatArray
    covariance: FloatArray
    counts: FloatArray
    log_det: float
    lam: float
    weights: FloatArray
    prior_variance: FloatArray
    jitter: float = 0.0
    rounding: float = EPS
    condition: float = 1.0

    def __repr__(self) -> str:
        return f"{type(self).__name__}(arms={len(self.mean)}, plays={self.counts.sum():g}, lam={self.lam:g})"

    @classmethod
    def prior(cls, K: ArrayLike, lam: float) -> Self:
        """The state before the first play: mean 0 and covariance K.

        Args:
            K: Kernel matrix of all arms.
            lam: Regularisation, the model's noise variance.
        """
        covariance = read_only(np.array(K, order="F"))
        nothing = read_only(np.zeros(len(covariance)))
        diagonal = read_only(covariance.diagonal().copy())
        return cls(nothing, covariance, nothing, 0.0, positive(lam, "lam"), nothing, diagonal)

    @classmethod
    def fit(cls, K: ArrayLike, means: ArrayLike, counts: ArrayLike, lam: float) -> Self:
        """The posterior of all arms after the plays of some, by one solve.

        For played arms k_t(., S) = K A^-1 lam/n, which keeps its digits for small lam, where K - K A^-1 K would lose
        them. A jitter is part of the kernel: K A^-1 + jitter A^-1, where A^-1 = (I - K A^-1)/(lam/n + jitter).

        Args:
            K: Kernel matrix of all arms.
            means: Mean reward of each arm; ignored for arms whose count is 0.
            counts: How often each arm was played.
            lam: Regularisation, the model's noise variance.

        Returns:
            The posterior.

        Raises:
            InvalidInput: Shapes differ, or a number is not finite.
        """
        K = floats(K, "the kernel matrix", ndim=2)
        ybar = np.asarray(means, dtype=np.float64)
        n = floats(counts, "counts", ndim=1)
        if K.shape != (n.size, n.size) or ybar.shape != n.shape:
            raise InvalidInput("a posterior needs a square kernel matrix and one mean and count for each arm")
        S = np.flatnonzero(n)
        if len(S) == 0:
            return cls.prior(K, lam)
        system = System.fit(K[np.ix_(S, S)], ybar[S], n[S], lam)
        half = system.half(K[:, S])
        jitter = system.jitter
        mean: FloatArray = K[:, S] @ system.weights
        solved = system.solved(half)  # K A^-1
        covariance = K - half.T @ half if len(S) < len(K) else np.zeros_like(K)
        np.fill_diagonal(covariance, np.maximum(covariance.diagonal(), EPS * K.diagonal()) + jitter)
        if jitter > 0:
            mean[S] += jitter * system.weights
            solved[S] += (np.eye(len(S)) - solved[S]) * (jitter / (lam / n[S] + jitter))[:, None]
        covariance[:, S] = solved * (lam / n[S])
        covariance[S] = covariance[:, S].T
        weights = np.zeros(len(n))
        weights[S] = system.weights
        arrays = read_only(weights), read_only(K.diagonal() + jitter)
        moments = read_only(mean), read_only(covariance)
        return cls(*moments, n, system.log_det, lam, *arrays, jitter, rounding=0.0, condition=system.condition)

    @classmethod
    def of_plays(cls, K: FloatArray, arms: IntArray, rewards: FloatArray, repeats: FloatArray, lam: float) -> Self:
        """The same as `fit`, from single plays.

        Args:
            K: Kernel matrix of all arms.
            arms: The arm of each play.
            rewards: The reward of each play, or the mean of several plays of one arm.
            repeats: How many plays each reward is the mean of.
            lam: Regularisation, the model's noise variance.
        """
        return cls.fit(K, *pooled(arms, rewards, repeats, len(K)), lam)

    @property
    def deviation(self) -> FloatArray:
        """Posterior standard deviation of each arm."""
        return np.sqrt(np.maximum(np.diagonal(self.covariance), self.rounding))

    def effect(self) -> tuple[FloatArray, IntArray]:
        """d mu(x) / d y for a play of each played arm, k_t(x, S) / lam, and the played arms S."""
        S = np.flatnonzero(self.counts)
        return self.covariance[:, S] / self.lam, S

    @cached_property
    def errors(self) -> PairRounding:
        """Bounds on the rounding errors of this posterior."""
        effect, S = self.effect()
        z = effect * self.counts[S]
        steps = self.rounding > 0
        return PairRounding.of(self.prior_variance, z, self.counts, self.weights, self.lam, steps=steps)

    def mean_norm(self, rewards: FloatArray) -> float:
        """RKHS norm of the posterior mean mu_t = K a, where a = (ybar - mu_t)/(lam/n) on S and 0 elsewhere.

        Args:
            rewards: Mean reward of each arm.
        """
        S = np.flatnonzero(self.counts)
        a = (rewards[S] - self.mean[S]) / (self.lam / self.counts[S])
        return sqrt(max(float(a @ self.mean[S]), 0.0))

    def extend(self, arm: int, repeats: float, total: float, weight: float = 1.0) -> Self:
        """The posterior after more plays of one arm, by a rank-one step.

        With v = k_t(., i), s = k_t(i, i) and n the sum of weights:  k_{t+n} = k_t - v v^T n / (lam + n s),
        mu_{t+n} = mu_t + v (w total - n mu_t(i)) / (lam + n s),  det grows by the factor 1 + n s / lam.

        Args:
            arm: The arm i that was played.
            repeats: How often. A negative number takes plays back.
            total: Sum of the rewards of these plays.
            weight: Weight w of each of them.

        Raises:
            InvalidInput: Plays are taken back that determine the mean of their arm up to rounding errors.
        """
        n = repeats * weight
        lam = self.lam
        v = self.covariance[:, arm]
        s = max(float(v[arm]), 0.0)
        if not n * s > -lam:
            raise InvalidInput(f"plays of arm {arm} cannot be taken back in double precision: fit without them")
        step = (weight * total - n * self.mean[arm]) / (lam + n * s)
        mean = self.mean + v * step
        covariance = dger(-n / (lam + n * s), v, v, a=self.covariance)
        counts, weights = self.counts.copy(), self.weights - (step / lam) * v * self.counts
        counts[arm] += n
        weights[arm] += step
        log_det = self.log_det + log1p(n * s / lam)
        arrays = {"mean": mean, "covariance": covariance, "counts": counts, "weights": weights}
        kept = {name: read_only(array) for name, array in arrays.items()}
        return replace(self, **kept, log_det=log_det, rounding=EPS)
