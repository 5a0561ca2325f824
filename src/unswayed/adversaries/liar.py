"""A source that lies for ever: the best arm looks like the worst, and every other arm like the best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unswayed.types import FloatArray, View


@dataclass(frozen=True)
class Liar:
    """f~(x) = min f at the arm of largest f, max f at all others. The noise stays honest."""

    reads_estimates: ClassVar[bool] = False

    def corrupt(self, f: FloatArray, view: View, rng: np.random.Generator) -> FloatArray:
        """c = f~ - f."""
        c: FloatArray = f.max() - f
        c[np.argmax(f)] = f.min() - f.max()
        return c
