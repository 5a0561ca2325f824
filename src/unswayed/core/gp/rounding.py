"""How far rounding errors can move a posterior: what a certificate and an elimination widen by.

    S     the distinct arms played, m of them        A     K_SS + lam diag(1/n)
    z_x   A^-1 k_S(x), so mu(x) = z_x^T ybar         w     A^-1 ybar, so mu(x) = k_S(x)^T w
    u_x   e_x - z_x, so k_t(x, y) = u_x^T K e_y      d     sqrt(k(x, x)), for a played arm sqrt(A_xx)

Rounding acts like a change of each entry (i, j) of K and of A by at most unit d_i d_j. This covers kernel values, dot
products, a Cholesky factor and its triangular solves (Higham, Accuracy and Stability, Theorems 10.3 and 10.4). In the
worst case the unit is a few m EPS. Rounding errors have both signs, so in practice it is a few sqrt(m) EPS (Higham and
Mary 2019), and this is what is used. With |v| = sum_i d_i |v_i| and |x| = |z_x| + sqrt(k(x, x)) the change moves

    mu(x)          by at most unit |x| |w|               k_t(x, y)   by at most unit |x| |y|
    effect(x, s)   by at most unit |x| |u_s| / lam       k_t(x, s)   by at most unit |x| |u_s|, from the effect
    ln det A       by at most unit sum_s d_s |u_s| n_s / lam

in first order. The condition number is kept so small that higher orders add a third at most. |u_s| is small for an arm
s whose own plays determine its mean. Rank-one steps do not gain from this: there, |u_s| is replaced by |s|.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from unswayed.types import EPS, FloatArray

KERNEL_ERROR = 40.0  # units of EPS by which a kernel value may be wrong: a Matern kernel of any nu
SUM_DEVIATIONS = 4.0  # standard deviations of a sum of rounding errors that are allowed for


def rounding_unit(m: int) -> float:
    """The relative change of the entries of K and A, for m equations, that has the effect of all rounding errors."""
    return EPS * (KERNEL_ERROR + SUM_DEVIATIONS * sqrt(m))


@dataclass(frozen=True, eq=False)
class Rounding:
    """Bounds on the rounding errors of one linear system, for arms of given |x|.

    Attributes:
        unit: Relative change of the entries of K and A.
        d: Square roots of the diagonal of A.
        weights: |w|.
        effect: max_s |u_s| / lam.
    """

    unit: float
    d: FloatArray
    weights: float
    effect: float

    def solved(self, z: FloatArray, k_xx: FloatArray) -> FloatArray:
        """|x| for every row z_x."""
        sizes: FloatArray = np.sqrt(k_xx) + np.abs(z) @ self.d
        return sizes

    def means(self, solved: FloatArray) -> FloatArray:
        """Of mu(x); with a sum over two arms, of the difference."""
        return self.unit * self.weights * solved

    def effects(self, solved: FloatArray) -> FloatArray:
        """Of d mu(x) / d y for any play; with a sum over two arms, of the difference."""
        return self.unit * self.effect * solved


@dataclass(frozen=True, eq=False)
class PairRounding:
    """Bounds on the rounding errors of all comparisons of two arms.

    Attributes:
        system: Those of the linear system.
        solved: |x| of each arm.
        left: |u_x| of each played arm, |x| of the others.
        log_det: Bound on the error of ln det(I + K_t / lam).
    """

    system: Rounding
    solved: FloatArray
    left: FloatArray
    log_det: float

    @classmethod
    def of(
        cls, prior: FloatArray, z: FloatArray, counts: FloatArray, weights: FloatArray, lam: float, *, steps: bool
    ) -> PairRounding:
        """From k(x, x), the rows z_x, the plays and the weights of all arms; the columns of z are the played arms.

        `steps` says that the posterior was made by rank-one steps.
        """
        S = np.flatnonzero(counts)
        noise = lam / counts[S]
        own = np.diagonal(z[S])
        d = np.sqrt(prior[S] + noise)
        solved = np.sqrt(prior) + np.abs(z) @ d
        left = solved.copy()
        unit = rounding_unit(len(S))
        if not steps:
            left[S] += d * (np.abs(1 - own) - np.abs(own) + unit) - np.sqrt(prior[S])
        effect = float(np.max(left[S] / lam, initial=0.0))
        system = Rounding(unit, d, float(np.abs(weights[S]) @ d), effect)
        logarithms = np.abs(np.log(noise)) + 2 * np.abs(np.log(d))  # ln det is a sum of these
        return cls(system, solved, left, unit * float(np.sum(d * left[S] / noise + logarithms)))

    def means(self, arm: int) -> FloatArray:
        """Of mu(a) - mu(b), for the arm a and every b."""
        return self.system.means(self.solved[arm] + self.solved)

    def variances(self, arm: int) -> FloatArray:
        """Of k_t(a,a) + k_t(b,b) - 2 k_t(a,b), for the arm a and every b."""
        bound: FloatArray = 2 * self.system.unit * (self.left[arm] + self.left) * (self.solved[arm] + self.solved)
        return bound

    def effects(self, arm: int) -> FloatArray:
        """Of the largest |effect(a, s) - effect(b, s)| over the plays s, for the arm a and every b."""
        return self.system.effects(self.solved[arm] + self.solved)
