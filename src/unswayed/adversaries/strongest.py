"""The strongest attack: it sees the posterior, and waits until plays of the best arm have the largest influence.

    k_t(best, x) / lam     what a unit of corruption in a play of x does to the estimate of the best arm

It lowers the best arm on its own plays, and only when no play of another arm has more influence on it. An arm that
looks bad is not played again, so the lie stays. An arm that is made to look good would be played again and found
out. The estimate of the best arm then moves by the whole influence width.
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
    """The strongest attack.

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
        c = np.zeros(len(f))
        best = int(np.argmax(f[view.active]))
        if view.covariance is None:  # a phased policy: assume that an arm's own plays have the largest influence
            worth = True
        else:
            worth = view.covariance[best, best] >= 0.99 * np.abs(view.covariance[best]).max()
        if worth:
            c[view.active[best]] = -self.stake
        return c
