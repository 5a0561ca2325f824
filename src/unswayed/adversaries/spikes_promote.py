"""Spikes that promote bad arms: single plays of them look wonderful. For an adversary whose lies are counted."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import ClassVar

import numpy as np

from unswayed.types import FloatArray, View, positive, probability


@dataclass(frozen=True)
class SpikesPromote:
    """f~(x) = f(x) + `size` at the active arms of smallest f; with `shown`, f~(x) = `shown`.

    Attributes:
        size: How far a play is raised.
        shown: The largest value that looks possible. A lie within the range cannot be clipped away.
        share: Share of the active arms that is promoted; at least one arm.
    """

    size: float = 1e6
    shown: float | None = None
    share: float = 0.2
    reads_estimates: ClassVar[bool] = False

    def __post_init__(self) -> None:
        positive(self.size, "the size of a spike")
        probability(self.share, "the share of the arms that is promoted")

    def corrupt(self, f: FloatArray, view: View, rng: np.random.Generator) -> FloatArray:
        """c = f~ - f."""
        c = np.zeros(len(f))
        worst_first = view.active[np.argsort(f[view.active], kind="stable")]
        worst = worst_first[: ceil(self.share * len(worst_first))]
        c[worst] = self.size if self.shown is None else self.shown - f[worst]
        return c
