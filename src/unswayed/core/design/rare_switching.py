"""Which arms to play, and how often: the rare-switching design of line 3 to 10 of Algorithm 1.

K     kernel matrix of the active arms          lam   regularisation
eta   an arm is kept until det grows by eta     s     posterior variance of the arm selected
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg.blas import dger

from unswayed.core.design.lazy_variance import LazyVariances
from unswayed.core.gp.kernels import Kernel, gram
from unswayed.errors import InvalidInput
from unswayed.types import FloatArray, IntArray, floats, growth, positive

TIE = 1e-9  # share of the largest variance: arms that differ by less are equally good choices
DENSE_ARMS = 300  # up to this number of arms, the kernel matrix is faster than its factor


def first_argmax(values: FloatArray, scale: float | None = None) -> int:
    """The lowest index whose value is the largest up to 1e-9 of `scale` (by default: of the largest value).

    Equal arms, for example on a symmetric grid, differ in their last digits between linear algebra libraries.
    The choice between them must not.
    """
    largest = values.max()
    return int(np.argmax(values >= largest - TIE * (abs(largest) if scale is None else scale)))


def rare_switching_design(K: ArrayLike, lam: float, eta: float, length: int) -> tuple[IntArray, IntArray]:
    """Lines 2-10 of Algorithm 1: the arms in order of first selection, and how often each is selected.

    Selecting an arm of variance s another n times multiplies det(I + K_t/lam) by 1 + n s/lam, so
    line 6 (strictly more than eta) fires after exactly floor(lam (eta - 1)/s) + 1 selections. The
    cost depends on the number of switches, not on `length`.
    """
    K = floats(K, "the kernel matrix", ndim=2)
    _check(lam, eta, length)
    if K.shape[0] != K.shape[1] or len(K) == 0:
        raise InvalidInput("a design needs a square kernel matrix")
    return _rare_switching(Covariance(K, lam), lam, eta, length)


def rare_switching_design_at(
    kernel: Kernel, X: FloatArray, lam: float, eta: float, length: int
) -> tuple[IntArray, IntArray]:
    """The same design for the rows of X, without their kernel matrix, for millions of points.

    Time grows with len(X) times the square of the number of switches, memory with len(X) times their number.
    """
    _check(lam, eta, length)
    if X.ndim != 2 or len(X) == 0:
        raise InvalidInput("a design needs at least one point, one in each row")
    few = len(X) <= DENSE_ARMS
    variances: _Variances = Covariance(gram(kernel, X), lam) if few else LazyVariances(kernel, X, lam, TIE)
    return _rare_switching(variances, lam, eta, length)


def _check(lam: float, eta: float, length: int) -> None:
    positive(lam, "lam")
    growth(eta)
    if length < 1:
        raise InvalidInput(f"a design needs a length of at least 1, not {length}")


class _Variances(Protocol):
    """Posterior variances while arms are selected."""

    def largest(self) -> tuple[int, float]: ...

    def select(self, arm: int, s: float, n: int) -> None: ...


def _rare_switching(variances: _Variances, lam: float, eta: float, length: int) -> tuple[IntArray, IntArray]:
    order: dict[int, int] = {}
    left = length
    while left > 0:
        arm, s = variances.largest()  # line 4, ties to the lowest index
        n = left if s * left <= lam * (eta - 1) else min(left, _selections(lam * (eta - 1) / s))
        order[arm] = order.get(arm, 0) + n  # line 5
        left -= n
        if left > 0:
            variances.select(arm, s, n)  # line 8
    return np.array(list(order), dtype=np.int64), np.array(list(order.values()), dtype=np.int64)


class Covariance:
    """The posterior covariance of all arms, by one rank-one step for each selection."""

    def __init__(self, K: FloatArray, lam: float) -> None:
        self.lam = lam
        self.covariance = np.array(K, order="F")

    def largest(self) -> tuple[int, float]:
        """The lowest arm of largest variance, and that variance."""
        variance = self.covariance.diagonal()
        arm = first_argmax(variance)
        return arm, float(variance[arm])

    def select(self, arm: int, s: float, n: int) -> None:
        """Select `arm`, of variance s, n more times."""
        v = self.covariance[:, arm].copy()
        self.covariance = dger(-n / (self.lam + n * s), v, v, a=self.covariance, overwrite_a=1)


def _selections(ratio: float) -> int:
    """The smallest whole n > ratio, where a ratio within 1e-9 of a whole number counts as that number."""
    nearest = round(ratio)
    return (nearest if abs(ratio - nearest) <= TIE * max(nearest, 1) else int(np.floor(ratio))) + 1
