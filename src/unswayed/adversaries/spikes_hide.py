"""Spikes that hide the best arm: single plays of it look terrible. For an adversary whose lies are counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unswayed.types import FloatArray, View, positive


@dataclass(frozen=True)
class SpikesHide:
    """f~(x) = f(x) - `size` at the active arm of largest f; with `shown`, f~(x) = `shown`.

    Attributes:
        size: How far a play is lowered.
        shown: The lowest value that looks possible. A lie within the range cannot be clipped away.
    """

    size: float = 1e6
    shown: float | None = None
    reads_estimates: ClassVar[bool] = False

    def __post_init__(self) -> None:
        positive(self.size, "the size of a spike")

    def corrupt(self, f: FloatArray, view: View, rng: np.random.Generator) -> FloatArray:
        """c = f~ - f."""
        c = np.zeros(len(f))
        best = view.active[np.argmax(f[view.active])]
        c[best] = -self.size if self.shown is None else self.shown - f[best]
        return c
