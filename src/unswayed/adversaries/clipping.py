"""Clipping (Han and Scarlett 2021): cap all values outside a target region below the best inside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unswayed.errors import InvalidInput
from unswayed.types import BoolArray, FloatArray, View, positive, read_only, short_repr


@dataclass(frozen=True, eq=False)
class Clipping:
    """f~(x) = min(f(x), f(x~*) - margin) outside the region, where x~* is the best arm in the region.

    Attributes:
        target: Which arms are in the region.
        margin: How far all others end up below the best arm in the region.
    """

    target: BoolArray
    margin: float = 0.5
    reads_estimates: ClassVar[bool] = False
    __repr__ = short_repr

    def __post_init__(self) -> None:
        object.__setattr__(self, "target", target_region(self.target))
        positive(self.margin, "the margin of the clipping attack", zero=True)

    def corrupt(self, f: FloatArray, view: View, rng: np.random.Generator) -> FloatArray:
        """c = f~ - f."""
        cap = f[self.target].max() - self.margin
        return np.where(self.target, 0.0, np.minimum(f, cap) - f)


def target_region(target: BoolArray) -> BoolArray:
    """A read-only copy of `target`; an error if the region is empty."""
    region = np.array(target, dtype=np.bool_)
    if region.ndim != 1 or not region.any():
        raise InvalidInput("the target region of an attack needs at least one arm")
    return read_only(region)
