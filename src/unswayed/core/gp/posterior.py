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

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from unswayed.core.data.memory import row_blocks
from unswayed.core.gp.joint_posterior import JointPosterior
from unswayed.core.gp.kernels import Kernel
from unswayed.core.gp.system import System, mean_rewards, pooled
from unswayed.types import FloatArray

__all__ = ["JointPosterior", "Posterior", "mean_rewards", "pooled"]


@dataclass(frozen=True, eq=False, repr=False)
class Posterior(System):
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
        jitter: What was added to every diagonal entry of A to keep its condition number below 1e13. It is 0 except for
            (nearly) equal points with lam/n near the rounding error. It acts like less weight for these plays:
            deviations only grow, so confidence bands for plays that were fixed beforehand stay valid. `joint` counts
            it as part of the kernel, which is valid for all plays.

    Example:
        >>> from unswayed import Posterior, SquaredExponential
        >>> X, kernel = np.array([[0.0], [1.0]]), SquaredExponential(0.5)
        >>> posterior = Posterior.fit(kernel(X, X), means=[0.2, 1.0], counts=[10, 40], lam=0.01)
        >>> mu, sigma = posterior.predict(kernel(X, X), kernel.diagonal(X))
        >>> mu.round(3).tolist()
        [0.2, 1.0]
    """

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
        """Mean and standard deviation at points x.

        A variance below its own rounding error is replaced by that error, so that a band is never too narrow.

        Args:
            K_xS: k(x, s) for every point x (rows) and played arm s (columns).
            k_xx: k(x, x) for every point x.

        Returns:
            Mean and standard deviation of each point.
        """
        K_xS = np.asarray(K_xS, dtype=np.float64)
        k_xx = np.asarray(k_xx, dtype=np.float64)
        mu: FloatArray = K_xS @ self.weights
        return mu, np.sqrt(self.variance(self.half(K_xS), k_xx))

    def predict_at(self, kernel: Kernel, X: FloatArray, X_S: FloatArray) -> tuple[FloatArray, FloatArray]:
        """`predict` in blocks, for millions of points.

        Args:
            kernel: The kernel that K was made with.
            X: The points, one in each row.
            X_S: The points of the played arms.

        Returns:
            Mean and standard deviation of each point.
        """
        mu, sigma = np.empty(len(X)), np.empty(len(X))
        for rows in row_blocks(len(X), len(X_S)):
            mu[rows], sigma[rows] = self.predict(kernel(X[rows], X_S), kernel.diagonal(X[rows]))
        return mu, sigma
