"""Flip (after Bogunovic et al. 2021): every value changes its sign."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unswayed.types import FloatArray, View


@dataclass(frozen=True)
class Flip:
    """f~(x) = -f(x)."""

    reads_estimates: ClassVar[bool] = False

    def corrupt(self, f: FloatArray, view: View, rng: np.random.Generator) -> FloatArray:
        """c = -2 f."""
        return -2.0 * f
