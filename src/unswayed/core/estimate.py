"""What the rewards of an epoch say about its active arms, in blocks of rows: never a matrix of all pairs.

    X     the active arms                       S      those that were played
    A     K_SS + lam diag(1/n)                  n      how often each was played
    C     total tampering                       beta   confidence parameter for differences

mu(x) = k_S(x)^T A^-1 ybar, so one unit of tampering with one play of x' in S moves it by (k_S(x)^T A^-1)_x' / n_x',
which equals k_t(x, x')/lam and keeps its digits for small lam. Time O(N |S|^2), memory O(N) beyond a block.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.linalg import solve_triangular

from unswayed.core.kernels import Kernel
from unswayed.core.memory import row_blocks
from unswayed.core.posterior import Posterior
from unswayed.types import EPS, BoolArray, FloatArray, IntArray, read_only

FEW = 1024  # up to so many arms, all may drop others
LEADERS = 16  # of more arms, so many


@dataclass(frozen=True, eq=False)
class Estimate:
    """Mean and deviation of every active arm; see `influence` and `undominated`."""

    kernel: Kernel
    X: FloatArray
    S: IntArray  # rows of X
    counts: FloatArray
    posterior: Posterior
    mean: FloatArray
    deviation: FloatArray

    @classmethod
    def fit(cls, kernel: Kernel, X: FloatArray, S: IntArray, means: FloatArray, counts: IntArray, lam: float) -> Self:
        """From the mean reward and the count of every row in S of X."""
        posterior = Posterior.fit(kernel(X[S], X[S]), means, counts, lam)
        mean, deviation = posterior.predict_at(kernel, X, X[S])
        return cls(kernel, X, S, counts.astype(np.float64), posterior, read_only(mean), read_only(deviation))

    def influence(self) -> FloatArray:
        """How far one unit of tampering can move the mean of each arm: max_{x' in S} |k_t(x, x')| / lam."""
        largest = np.empty(len(self.X))
        for rows in row_blocks(len(self.X), len(self.S)):
            largest[rows] = np.abs(self._arms(rows).effect).max(axis=1)
        return largest

    def undominated(self, beta: float, C: float) -> BoolArray:
        """The arms x for which no a has mu(a) - mu(x) > beta sd(a - x) + C max_S |effect(a) - effect(x)|.

        Arms with larger means are asked first, and none is that was dropped before. Of more than FEW arms only the
        best one and played ones are asked, and no more than LEADERS: the design has spread these over all arms, their
        neighbours would say much the same, and to drop fewer arms is always safe.
        """
        N = len(self.X)
        asked = np.arange(N) if N <= FEW else np.union1d(self.S, np.argmax(self.mean))
        asked = asked[np.argsort(-self.mean[asked])]
        arms = self._arms(asked)
        k = self._covariance(arms, arms)
        kept = np.ones(len(asked), dtype=np.bool_)
        leaders: list[int] = []
        for a in range(len(asked)):
            if kept[a] and (N <= FEW or len(leaders) < LEADERS):
                leaders.append(a)
                _drop(kept, arms, a, arms, k[a], beta, C)
        keep = np.ones(N, dtype=np.bool_)
        if N <= FEW:
            keep[asked] = kept
            return keep
        arms = self._arms(asked[leaders])
        for rows in row_blocks(N, len(self.S)):
            others = self._arms(rows)
            k = self._covariance(arms, others)
            for a in range(len(leaders)):
                _drop(keep[rows], arms, a, others, k[a], beta, C)
        return keep

    def _arms(self, rows: slice | IntArray) -> _Arms:
        half = self.posterior.half(self.kernel(self.X[rows], self.X[self.S]))
        solved = solve_triangular(self.posterior.factor, half, lower=True, trans="T", check_finite=False)  # A^-1 k_S
        return _Arms(self.X[rows], self.mean[rows], self.deviation[rows] ** 2, half, solved.T / self.counts)

    def _covariance(self, arms: _Arms, others: _Arms) -> FloatArray:
        product: FloatArray = arms.half.T @ others.half
        return self.kernel(arms.X, others.X) - product


@dataclass(frozen=True, eq=False)
class _Arms:
    """Some of the active arms, with what it takes to compare them."""

    X: FloatArray
    mean: FloatArray
    variance: FloatArray
    half: FloatArray  # L^-1 k_S(x), one column for each arm
    effect: FloatArray  # d mu(x) / d y for one play of each arm in S, one row for each arm


def _drop(keep: BoolArray, arms: _Arms, a: int, others: _Arms, k: FloatArray, beta: float, C: float) -> None:
    """Mark (in `keep`) the others that arm a drops, where k is their covariance with it."""
    lead = arms.mean[a] - others.mean
    total = arms.variance[a] + others.variance
    lead = lead - beta * np.sqrt(np.maximum(total - 2 * k, 8 * EPS * total))
    unsettled = np.flatnonzero(keep & (lead > 0))  # tampering decides over these only
    power = np.abs(arms.effect[a] - others.effect[unsettled]).max(axis=1, initial=0.0)
    keep[unsettled] = lead[unsettled] <= C * power
