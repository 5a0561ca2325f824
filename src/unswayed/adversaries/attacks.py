"""The attacks: those of Section 4 of the paper, and the strongest one.

    f    the truth                               f~    what the attack shows instead, so c = f~ - f
    k_t(best, x) / lam     what a unit of corruption in a play of x does to the estimate of the best arm

Clipping and aggressive subtraction are from Han and Scarlett 2021, Flip and Top-K after Bogunovic et al. 2021.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import ClassVar

import numpy as np

from unswayed.errors import InvalidInput
from unswayed.types import BoolArray, FloatArray, View, positive, read_only, short_repr


@dataclass(frozen=True)
class Flip:
    """f~(x) = -f(x): every value changes its sign."""

    reads_estimates: ClassVar[bool] = False

    def corrupt(self, f: FloatArray, view: View, rng: np.random.Generator) -> FloatArray:
        """c = -2 f."""
        return -2.0 * f


@dataclass(frozen=True)
class TopK:
    """f~(x) = min(f(x), -1) at the k active arms of largest f: the best arms look bad.

    Attributes:
        k: How many arms are attacked.
    """

    k: int
    reads_estimates: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.k < 1:
            raise InvalidInput(f"Top-K needs k of at least 1, not {self.k}")

    def corrupt(self, f: FloatArray, view: View, rng: np.random.Generator) -> FloatArray:
        """c = f~ - f."""
        top = view.active[np.argsort(-f[view.active], kind="stable")[: self.k]]
        c = np.zeros(len(f))
        c[top] = np.minimum(-1.0 - f[top], 0.0)
        return c


@dataclass(frozen=True, eq=False, repr=False)
class _Outside:
    """An attack on every arm outside a target region."""

    target: BoolArray
    reads_estimates: ClassVar[bool] = False
    __repr__ = short_repr

    def __post_init__(self) -> None:
        region = np.array(self.target, dtype=np.bool_)
        if region.ndim != 1 or not region.any():
            raise InvalidInput("the target region of an attack needs at least one arm")
        object.__setattr__(self, "target", read_only(region))


@dataclass(frozen=True, eq=False, repr=False)
class Clipping(_Outside):
    """f~(x) = min(f(x), f(x~*) - margin) outside the region, where x~* is the best arm in the region.

    Attributes:
        target: Which arms are in the region.
        margin: How far all others end up below the best arm in the region.
    """

    margin: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        positive(self.margin, "the margin of the clipping attack", zero=True)

    def corrupt(self, f: FloatArray, view: View, rng: np.random.Generator) -> FloatArray:
        """c = f~ - f."""
        cap = f[self.target].max() - self.margin
        return np.where(self.target, 0.0, np.minimum(f, cap) - f)


@dataclass(frozen=True, eq=False, repr=False)
class AggressiveSubtraction(_Outside):
    """f~(x) = f(x) - h_max outside the region; succeeds if h_max > f(x*) - f(best in the region).

    Attributes:
        target: Which arms are in the region.
        h_max: How far the others are lowered.
    """

    h_max: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        positive(self.h_max, "h_max")

    def corrupt(self, f: FloatArray, view: View, rng: np.random.Generator) -> FloatArray:
        """c = f~ - f."""
        return np.where(self.target, 0.0, -self.h_max)


@dataclass(frozen=True)
class Strongest:
    """It sees the posterior, and waits until plays of the best arm have the largest influence on its estimate.

    It lowers the best arm on its own plays, and only when no play of another arm has more influence on it. An arm that
    looks bad is not played again, so the lie stays. An arm that is made to look good would be played again and found
    out. The estimate of the best arm then moves by the whole influence width.

    Attributes:
        stake: What it spends on one play. Infinity spends everything at once; a small stake spends a little each time.
    """

    stake: float = inf
    reads_estimates: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not self.stake > 0:
            raise InvalidInput(f"the stake must be positive, not {self.stake:g}")

    def corrupt(self, f: FloatArray, view: View, rng: np.random.Generator) -> FloatArray:
        """Minus the stake on the best active arm, if its own plays have the largest influence."""
        c, k = np.zeros(len(f)), view.covariance
        best = int(np.argmax(f[view.active]))
        # A phased policy shows no covariance: assume that an arm's own plays have the largest influence.
        if k is None or k[best, best] >= 0.99 * np.abs(k[best]).max():
            c[view.active[best]] = -self.stake
        return c
