"""The posterior of the active arms of one epoch, in blocks of rows: a matrix of all pairs is never built.

    X     the active arms                       S      those that were played
    A     K_SS + lam diag(1/n)                  n      how often each was played
    C     total tampering                       beta   confidence parameter for differences

mu(x) = k_S(x)^T A^-1 ybar. So one unit of tampering with one play of x' in S moves it by (k_S(x)^T A^-1)_x' / n_x'.
This equals k_t(x, x')/lam, but is accurate for small lam too. Time O(N |S|^2), memory O(N) beyond a block.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import Self

import numpy as np

from unswayed.core.data.memory import row_blocks
from unswayed.core.gp.kernels import Kernel
from unswayed.core.gp.posterior import Posterior
from unswayed.core.gp.rounding import Rounding
from unswayed.core.tampering.influence import difference_deviation
from unswayed.types import BoolArray, FloatArray, IntArray, read_only

FEW_ARMS = 1024  # up to this number of arms, each arm may drop others
MOST_LEADERS = 16  # with more arms, at most this many may drop others


@dataclass(frozen=True, eq=False)
class EpochPosterior:
    """Mean and deviation of every active arm; see `influence`, `undominated` and `trimmed`."""

    kernel: Kernel
    X: FloatArray
    S: IntArray  # rows of X
    posterior: Posterior
    mean: FloatArray
    deviation: FloatArray
    mean_error: FloatArray | None = None  # bound on the rounding errors of means that were not fitted to all plays

    @classmethod
    def fit(cls, kernel: Kernel, X: FloatArray, S: IntArray, means: FloatArray, counts: IntArray, lam: float) -> Self:
        """From the mean reward and the count of every row in S of X."""
        posterior = Posterior.fit(kernel(X[S], X[S]), means, counts, lam)
        mean, deviation = posterior.predict_at(kernel, X, X[S])
        return cls(kernel, X, S, posterior, read_only(mean), read_only(deviation))

    def trimmed(self, groups: FloatArray, k: int) -> EpochPosterior:
        """The same with trimmed means: for each arm, the k smallest and the k largest means of a group are left out.

        Row i of `groups` has the means of group i, one for each row in S; mu_i(x) = k_S(x)^T A^-1 ybar_i. A trimmed
        mean grows with every value, so it has no larger rounding errors than those of mu_i +- its own error. The
        errors of k groups, say with values of 1e6, do not count: they are left out.
        """
        rounding = self.posterior.rounding
        weights = self.posterior.solved(self.posterior.half(groups))
        sizes = np.abs(weights) @ rounding.d  # |w_i|
        mean, error = np.empty(len(self.X)), np.empty(len(self.X))
        for rows in row_blocks(len(self.X), max(len(groups), len(self.S))):
            mu = weights @ self.kernel(self.X[self.S], self.X[rows])
            unsure = rounding.unit * np.outer(sizes, self._arms(rows).solved)
            mean[rows] = trimmed_mean(mu, k)
            below, above = trimmed_mean(mu - unsure, k), trimmed_mean(mu + unsure, k)
            error[rows] = np.maximum(mean[rows] - below, above - mean[rows])
        return replace(self, mean=read_only(mean), mean_error=read_only(error))

    def influence(self) -> FloatArray:
        """How far one unit of tampering can move the mean of each arm: max_{x' in S} |k_t(x, x')| / lam."""
        largest = np.empty(len(self.X))
        for rows in row_blocks(len(self.X), len(self.S)):
            largest[rows] = np.abs(self._arms(rows).effect).max(axis=1)
        return largest

    def undominated(self, beta: float, C: float) -> BoolArray:
        """The arms x for which no a has mu(a) - mu(x) > beta sd(a - x) + C max_S |effect(a) - effect(x)|.

        No arm is dropped by less than the rounding errors of such a comparison.

        Arms a are tried in order of their means, largest first, and an arm that was dropped is not tried. With more
        than FEW_ARMS arms only the best arm and the played ones are tried, at most MOST_LEADERS of them. The design has
        spread these over all arms, so their neighbours would drop nearly the same arms, and dropping fewer is safe.
        """
        N = len(self.X)
        asked = np.arange(N) if N <= FEW_ARMS else np.union1d(self.S, np.argmax(self.mean))
        asked = asked[np.argsort(-self.mean[asked])]
        arms = self._arms(asked)
        k = self._covariance(arms, arms)
        kept = np.ones(len(asked), dtype=np.bool_)
        leaders: list[int] = []
        for a in range(len(asked)):
            if kept[a] and (N <= FEW_ARMS or len(leaders) < MOST_LEADERS):
                leaders.append(a)
                _drop(kept, arms, a, arms, k[a], beta, C, self.posterior.rounding)
        keep = np.ones(N, dtype=np.bool_)
        if N <= FEW_ARMS:
            keep[asked] = kept
            return keep
        arms = self._arms(asked[leaders])
        for rows in row_blocks(N, len(self.S)):
            others = self._arms(rows)
            k = self._covariance(arms, others)
            for a in range(len(leaders)):
                _drop(keep[rows], arms, a, others, k[a], beta, C, self.posterior.rounding)
        return keep

    def overlapping(self, width: FloatArray, factor: float, cover_error: float = 0.0) -> BoolArray:
        """The arms whose band reaches the highest lower bound, for bands mean +- width, width = factor * deviation.

        With a cover the upper ends are raised by its error: f may be larger elsewhere in the cell of an arm.
        No arm is dropped by less than the rounding errors of both bands. Cheap bounds on these settle most arms.
        """
        posterior = self.posterior
        a = int(np.argmax(self.mean - width))
        lead = (self.mean - width)[a] - (self.mean + width + cover_error)
        keep: BoolArray = lead <= 0
        # |z_x| <= |d| |A^-1|^(1/2) |L^-1 k_S(x)|, and the last factor is at most sqrt(k(x, x)).
        size = 1 + float(np.linalg.norm(posterior.rounding.d)) * sqrt(3 * posterior.condition / posterior.scale)
        error = self._band_error(slice(None), size * np.sqrt(self.kernel.diagonal(self.X)), factor)
        doubtful = np.flatnonzero(~keep & (lead <= error + error[a]))
        for rows in row_blocks(len(doubtful), len(self.S)):
            some = np.append(doubtful[rows], a)
            error = self._band_error(some, self._arms(some).solved, factor)
            keep[some] = lead[some] <= error + error[-1]
        return keep

    def _band_error(self, rows: slice | IntArray, solved: FloatArray, factor: float) -> FloatArray:
        """Bound on the rounding errors of mean + factor * deviation, for arms of this |x| (core/gp/rounding.py)."""
        rounding = self.posterior.rounding
        sd = self.deviation[rows]
        means = rounding.means(solved) if self.mean_error is None else self.mean_error[rows]
        error: FloatArray = means + factor * (np.hypot(sd, sqrt(rounding.unit) * solved) - sd)
        return error

    def _arms(self, rows: slice | IntArray) -> _Arms:
        X = self.X[rows]
        half = self.posterior.half(self.kernel(self.X[rows], self.X[self.S]))
        z = self.posterior.solved(half)  # A^-1 k_S
        solved = self.posterior.rounding.solved(z, self.kernel.diagonal(X))
        return _Arms(X, self.mean[rows], self.deviation[rows] ** 2, half, z / self.posterior.counts, solved)

    def _covariance(self, arms: _Arms, others: _Arms) -> FloatArray:
        return self.kernel(arms.X, others.X) - arms.half.T @ others.half


@dataclass(frozen=True, eq=False)
class _Arms:
    """Some of the active arms, with the numbers that are needed to compare them."""

    X: FloatArray
    mean: FloatArray
    variance: FloatArray
    half: FloatArray  # L^-1 k_S(x), one column for each arm
    effect: FloatArray  # d mu(x) / d y for one play of each arm in S, one row for each arm
    solved: FloatArray  # |z_x + e_x| of core/gp/rounding.py


def trimmed_mean(values: FloatArray, k: int) -> FloatArray:
    """The mean of each column without its k smallest and its k largest entries; k is below half their number."""
    G = len(values)
    middle: FloatArray = np.partition(values, (k, G - 1 - k), axis=0)[k : G - k].mean(axis=0)
    return middle


def _drop(
    keep: BoolArray, arms: _Arms, a: int, others: _Arms, k: FloatArray, beta: float, C: float, rounding: Rounding
) -> None:
    """Set `keep` to False for the others that arm a drops; k is their covariance with a."""
    solved = arms.solved[a] + others.solved
    lead = arms.mean[a] - others.mean - rounding.means(solved)
    error = rounding.unit * np.square(solved)
    lead = lead - beta * difference_deviation(arms.variance[a] + others.variance, k, error)
    unsettled = np.flatnonzero(keep & (lead > 0))  # the influence is only needed for these
    power = np.abs(arms.effect[a] - others.effect[unsettled]).max(axis=1, initial=0.0)
    keep[unsettled] = lead[unsettled] <= C * (power + rounding.effects(solved[unsettled]))
