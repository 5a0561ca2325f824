"""Posterior variances of very many points, updated only where they may be the largest.

    S    the arms selected so far, in order         n    how often, in that selection
    h_i  row i of the factor: k_t(x, z) = k(x, z) - sum_i h_i(x) h_i(z)
    L    Cholesky factor of K_SS + lam diag(1/n):  L h = k_S, so L_ij = h_j(x_i) and L_ii = sqrt(s_i + lam/n_i)

Variances only fall, so an old variance bounds the new one from above. Points are kept in regions of nearby points.
To find the largest variance, only regions whose old variances exceed it need their missing rows. The selected arms
are the same as if all variances were up to date, for a fraction of the work: a region computes many missing rows at
once, while they are in the processor's cache. Memory: one number for each point and row.
"""

from __future__ import annotations

from heapq import heapify, heappop, heapreplace

import numpy as np
from scipy.linalg import LinAlgError, cholesky

from unswayed.core.data.memory import require_memory
from unswayed.core.gp.kernels import Kernel
from unswayed.types import FloatArray, IntArray

REGION_POINTS = 2048  # points whose variances are brought up to date together


class LazyVariances:
    """The variances of all rows of X while arms are selected one by one: call `largest`, then `select`."""

    def __init__(self, kernel: Kernel, X: FloatArray, lam: float, tie: float) -> None:
        self.kernel, self.X, self.lam, self.tie = kernel, X, lam, tie
        self.regions = regions(X, REGION_POINTS)
        self.sizes = np.array([len(region) for region in self.regions])
        self.points = [X[region] for region in self.regions]
        self.region_of = np.empty(len(X), dtype=np.int64)
        for b, region in enumerate(self.regions):
            self.region_of[region] = b
        self.variance = [kernel.diagonal(points) for points in self.points]
        self.bound = np.array([variance.max() for variance in self.variance])  # the largest of each region
        self.rows = np.zeros(len(self.regions), dtype=np.int64)  # how many each region has
        self.factor = [np.empty((0, len(region))) for region in self.regions]
        self.L = np.zeros((0, 0))
        self.selected: list[int] = []
        self.counts: dict[int, int] = {}
        self.merge_beyond = 64  # rows

    def largest(self) -> tuple[int, float]:
        """The lowest arm whose variance is the largest up to `tie` times it, and its variance."""
        while True:
            b = int(np.argmax(self.bound))
            if self.rows[b] == len(self.selected):
                break
            self._catch_up(b)
        least = self.bound[b] * (1 - self.tie)
        heap = [(self._first(b, least), b) for b in np.flatnonzero(self.bound >= least).tolist()]
        heapify(heap)
        while self.rows[b := heap[0][1]] < len(self.selected):  # ends at the region of the largest, if not before
            self._catch_up(b)
            if self.bound[b] >= least:
                heapreplace(heap, (self._first(b, least), b))
            else:
                heappop(heap)
        arm = heap[0][0]
        return arm, float(self.variance[b][self._place(arm, b)])

    def select(self, arm: int, s: float, n: int) -> None:
        """Select `arm`, of variance s (as `largest` returned it), n more times."""
        m = len(self.selected)
        b = int(self.region_of[arm])
        row = self.factor[b][:m, self._place(arm, b)]
        if m == len(self.L):
            self.L = np.pad(self.L, (0, m + 32))
        self.L[m, :m] = row
        self.L[m, m] = np.sqrt(s + self.lam / n)
        self.selected.append(arm)
        self.counts[arm] = self.counts.get(arm, 0) + n
        if len(self.selected) > max(self.merge_beyond, 2 * len(self.counts)):
            self._merge()

    def _first(self, b: int, least: float) -> int:
        """The lowest arm of region b whose last known variance is at least `least`."""
        return int(self.regions[b][np.argmax(self.variance[b] >= least)])

    def _place(self, arm: int, b: int) -> int:
        return int(np.searchsorted(self.regions[b], arm))

    def _catch_up(self, b: int) -> None:
        """Compute the missing rows of region b."""
        from unswayed.core.design.lazy_variance_compiled import solve_rows  # imports numba, which is slow

        first, last = int(self.rows[b]), len(self.selected)
        needed = 8 * int(self.rows @ self.sizes) + 16 * self.X.size
        purpose = f"a design of more than {last:,} switches"
        require_memory(needed, len(self.X), purpose, "use fewer points, a larger eta or a shorter design")
        H = self.factor[b]
        if last > len(H):
            # Rows that are not written yet cost no memory: the system provides it on writing.
            H = np.empty((2 * last, H.shape[1]))
            H[:first] = self.factor[b][:first]
            self.factor[b] = H
        if first == 0:
            self.variance[b] = self.kernel.diagonal(self.points[b])
        H[first:last] = self.kernel(self.X[self.selected[first:last]], self.points[b])
        solve_rows(self.L, H, first, last, self.variance[b])
        self.rows[b] = last
        self.bound[b] = self.variance[b].max()

    def _merge(self) -> None:
        """Merge the rows of each arm into one. This saves memory and removes accumulated rounding errors.

        Every region computes its rows again when they are needed; until then its old variances remain bounds.
        """
        S = list(self.counts)
        A = self.kernel(self.X[S], self.X[S]) + np.diag(self.lam / np.array(list(self.counts.values()), dtype=float))
        try:
            self.L = np.ascontiguousarray(cholesky(A, lower=True, check_finite=False))
        except LinAlgError:
            self.merge_beyond = 2 * len(self.selected)  # too close to singular: continue with the present rows
            return
        self.selected = S
        self.rows[:] = 0


def regions(X: FloatArray, size: int) -> list[IntArray]:
    """The rows of X in sorted groups of at most `size` nearby rows, by halving along the widest coordinate."""
    done, todo = [], [np.arange(len(X))]
    while todo:
        part = todo.pop()
        if len(part) <= size:
            done.append(np.sort(part))
            continue
        some = X[part[:: max(1, len(part) // 1024)]]
        axis = int(np.argmax(np.ptp(some, axis=0)))
        half = len(part) // 2
        order = np.argpartition(X[part, axis], half)
        todo += [part[order[:half]], part[order[half:]]]
    return done
