"""The strongest attack: knows the policy's posterior, and waits until the best arm's own plays move it most.

    k_t(best, x) / lam     what a unit of corruption in a play of x does to the estimate of the best arm

It pushes the best arm down on its own plays, once no play of another arm moves it more, and spends nothing before:
an arm that looks bad is not played again, so the lie stays; an arm that is made to look good is played, and found
out. Its shift of the best arm's estimate is then the whole influence width.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import ClassVar

import numpy as np

from unswayed.errors import InvalidInput
from unswayed.types import FloatArray, View


@dataclass(frozen=True)
class Strongest:
    """`stake` is what it spends on one play: everything at once (one-shot), or a little each time (greedy)."""

    stake: float = inf
    reads_estimates: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not self.stake > 0:
            raise InvalidInput(f"the stake must be positive, not {self.stake:g}")

    def corrupt(self, f: FloatArray, view: View, rng: np.random.Generator) -> FloatArray:
        """Minus the stake on the best active arm, when its own plays are where influence is largest."""
        c = np.zeros(len(f))
        best = int(np.argmax(f[view.active]))
        if view.covariance is None:  # a phased policy before its epoch: an arm's own plays move it most
            worth = True
        else:
            worth = view.covariance[best, best] >= 0.99 * np.abs(view.covariance[best]).max()
        if worth:
            c[view.active[best]] = -self.stake
        return c
