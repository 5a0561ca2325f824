"""A number that not every point has, encoded so that points without it are equally far from all its values.

z in [0, 1] becomes the place (z, h) on a quarter of a circle with centre (1/2, 0) and radius sqrt(1/2). The centre
stands for "no value". Its distance to each value is sqrt(1/2), and the ends of the scale are at distance 1. A category
that not every point has needs nothing new: its columns are all 0 then, at distance sqrt(1/2) from every choice.

So for any stationary kernel, points of two families are correlated by what they have in common, and not by a value
that only one of them has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from unswayed.spaces.encoding import Value
from unswayed.spaces.intervals import Integer
from unswayed.spaces.reals import Real
from unswayed.types import FloatArray

NO_VALUE = (0.5, 0.0)


@dataclass(frozen=True)
class Arc:
    """The encoding of a number that has a condition. The methods are those of `Encoding`."""

    number: Real | Integer
    columns: ClassVar[int] = 2

    @property
    def size(self) -> int | None:
        """The number of values; None if there are infinitely many."""
        return self.number.size

    def check(self, value: object, name: str) -> Value:
        """The value as plain Python."""
        return self.number.check(value, name)

    def encode(self, values: Any) -> FloatArray:
        """Values that were checked, as places on the arc."""
        return bent(self.number.encode(values))

    def decode(self, Z: FloatArray) -> list[Any]:
        """The nearest value to each row."""
        return self.number.decode(Z[:, :1])

    def legal(self, Z: FloatArray) -> FloatArray:
        """Each row moved to the place of its value."""
        return bent(self.number.legal(Z[:, :1]))

    def spread(self, u: FloatArray) -> FloatArray:
        """Encoded values that are as uniform as u."""
        return bent(self.number.spread(u))

    def grid(self, levels: int) -> FloatArray:
        """Encoded values that cover the parameter, the ends included."""
        return bent(self.number.grid(levels))

    def move(self, Z: FloatArray, radius: float, rng: np.random.Generator, *, surely: bool) -> FloatArray:
        """A random step from each row."""
        return bent(self.number.move(Z[:, :1], radius, rng, surely=surely))

    def near(self, value: Any) -> list[Any]:
        """The values next to one."""
        return list(self.number.near(value))

    def describe(self, value: Any) -> str:
        """The value as text."""
        return self.number.describe(value)

    def record(self) -> dict[str, Any]:
        """The parameter as plain values for JSON."""
        return self.number.record()


def bent(z: FloatArray) -> FloatArray:
    """A column of positions as places on the arc."""
    return np.hstack([z, np.sqrt(0.5 - np.square(np.clip(z, 0.0, 1.0) - 0.5))])


def along(Z: FloatArray, slopes: FloatArray) -> FloatArray:
    """The slope by the position of each place on the arc, from the slopes by its two columns; 0 without a value."""
    h = np.where(Z[:, 1] > 0, Z[:, 1], 1.0)
    slope: FloatArray = np.where(Z[:, 1] > 0, slopes[:, 0] - slopes[:, 1] * (Z[:, 0] - 0.5) / h, 0.0)
    return slope
