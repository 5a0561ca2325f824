"""Top-K (after Bogunovic et al. 2021): the best arms that are still active look bad."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unswayed.errors import InvalidInput
from unswayed.types import FloatArray, View


@dataclass(frozen=True)
class TopK:
    """f~(x) = min(f(x), -1) at the k active arms of largest f.

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
        best_first = view.active[np.argsort(-f[view.active], kind="stable")]
        c = np.zeros(len(f))
        top = best_first[: self.k]
        c[top] = np.minimum(-1.0 - f[top], 0.0)
        return c
