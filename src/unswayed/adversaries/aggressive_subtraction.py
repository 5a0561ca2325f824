"""Aggressive subtraction (Han and Scarlett 2021): lower every value outside a target region."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unswayed.adversaries.clipping import target_region
from unswayed.types import BoolArray, FloatArray, View, positive, short_repr


@dataclass(frozen=True, eq=False)
class AggressiveSubtraction:
    """f~(x) = f(x) - h_max outside the region; succeeds if h_max > f(x*) - f(best in the region).

    Attributes:
        target: Which arms are in the region.
        h_max: How far the others are lowered.
    """

    target: BoolArray
    h_max: float = 1.0
    reads_estimates: ClassVar[bool] = False
    __repr__ = short_repr

    def __post_init__(self) -> None:
        object.__setattr__(self, "target", target_region(self.target))
        positive(self.h_max, "h_max")

    def corrupt(self, f: FloatArray, view: View, rng: np.random.Generator) -> FloatArray:
        """c = f~ - f."""
        return np.where(self.target, 0.0, -self.h_max)
