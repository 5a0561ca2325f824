"""The strongest attack: knows the policy's posterior, and strikes where one unit of corruption moves it most.

    g(x) = k_t(best, x) / lam     what a unit of corruption in a play of x does to the estimate of the best arm

It pushes the best arm down, on plays of (nearly) the largest |g| only, and waits for them: an arm that looks bad
is not played again, so the lie stays; an arm that is made to look good is played, and found out.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import ClassVar

import numpy as np

from holdfast.types import FloatArray, HoldfastError, View


@dataclass(frozen=True)
class Strongest:
    """`stake` is what it spends on one play: everything at once (one-shot), or a little each time (greedy)."""

    stake: float = inf
    reads_estimates: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not self.stake > 0:
            raise HoldfastError(f"the stake must be positive, not {self.stake:g}")

    def corrupt(self, f: FloatArray, view: View, rng: np.random.Generator) -> FloatArray:
        """Minus the sign of g, times the stake, where |g| is largest."""
        best = int(np.argmax(f[view.active]))
        if view.covariance is None:  # a phased policy before its epoch: an arm's own plays move it most
            g = np.zeros(len(view.active))
            g[best] = 1.0
        else:
            g = view.covariance[best]
        worth = np.abs(g) >= 0.99 * np.abs(g).max()
        c = np.zeros(len(f))
        c[view.active[worth]] = -np.sign(g[worth]) * self.stake
        return c
