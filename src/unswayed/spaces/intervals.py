"""Parameters that are numbers: each is one column of the unit cube, linear or logarithmic. Real is in reals.py.

Equal ends are allowed: they fix a parameter without removing it from the space.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from math import isfinite
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from unswayed.errors import InvalidInput
from unswayed.spaces.encoding import (
    LARGEST_INTEGER,
    Value,
    When,
    checked_when,
    name_text,
    shown,
    to_float,
    to_int,
    when_record,
)
from unswayed.types import FloatArray

MOST_INTEGERS = 2**40  # with more, neighbours in a logarithmic column would be equal after rounding
NUDGED = 0.5  # share of the integers that move to a neighbour if a step is too short to change them


@dataclass(frozen=True)
class Interval(ABC):
    """The numbers from `low` to `high`; `_position` maps them to [0, 1]."""

    low: float
    high: float
    _: KW_ONLY
    log: bool = False
    unit: str = ""
    when: When | None = field(default=None, hash=False)

    columns: ClassVar[int] = 1
    kind: ClassVar[str]
    dtype: ClassVar[type] = np.float64

    def __post_init__(self) -> None:
        for end in ("low", "high"):
            object.__setattr__(self, end, self._bound(end, getattr(self, end)))
        if not isinstance(self.log, bool):
            raise InvalidInput(f"log must be true or false, not {shown(self.log)}")
        if self.unit != "":
            object.__setattr__(self, "unit", name_text(self.unit, "unit"))
        if self.when is not None:
            object.__setattr__(self, "when", checked_when(self.when))
        if self.low > self.high:
            raise InvalidInput(f"low = {shown(self.low)} must not exceed high = {shown(self.high)}")
        if self.log and self.low <= 0:
            raise InvalidInput(f"a logarithmic scale needs a positive low, not {shown(self.low)}")

    def _bound(self, end: str, given: object) -> float:
        number = to_float(given)
        if number is None or not isfinite(number):
            raise InvalidInput(f"{end} must be a finite number, not {shown(given)}")
        return number

    def check(self, value: object, name: str) -> Value:
        """`value` as a plain number; an error about `name` if it is not in the interval."""
        number = to_float(value)
        if number is None or number != number:
            raise InvalidInput(f"{name} must be a number, not {shown(value)}")
        if not self.low <= number <= self.high:
            raise InvalidInput(f"{name} = {shown(value)} lies outside [{shown(self.low)}, {shown(self.high)}]")
        return number

    def encode(self, values: ArrayLike) -> FloatArray:
        """Values that were checked, as one column of the unit cube."""
        return self._position(np.array(values, dtype=np.float64))[:, None]

    def decode(self, Z: FloatArray) -> list[Any]:
        """The nearest value of each row."""
        return list(self._nearest(Z[:, 0]).astype(self.dtype).tolist())

    def legal(self, Z: FloatArray) -> FloatArray:
        """Each row moved to the position of its nearest value."""
        return self._position(self._nearest(Z[:, 0]))[:, None]

    def describe(self, value: Any) -> str:
        """The value as text, with its unit."""
        return f"{value:.6g} {self.unit}".rstrip() if isinstance(value, float) else f"{value} {self.unit}".rstrip()

    def record(self) -> dict[str, Any]:
        """The parameter as plain values for JSON; `parameter_from_record` reads them."""
        plain = {"type": self.kind, "low": self.low, "high": self.high, "log": self.log, "unit": self.unit}
        return plain | when_record(self.when)

    @cached_property
    def _scale(self) -> tuple[float, float]:
        """Start and length of the column in units of x or log x; a length of 0 is replaced by 1."""
        ends = np.array([self.low, self.high], dtype=np.float64)
        start, end = (np.log(ends) if self.log else ends).tolist()
        return start, (end - start) or 1.0

    @abstractmethod
    def _nearest(self, z: FloatArray) -> FloatArray:
        """The value whose position is nearest to z."""

    def _position(self, x: FloatArray) -> FloatArray:
        start, length = self._scale
        position: FloatArray = np.clip(((np.log(x) if self.log else x) - start) / length, 0.0, 1.0)
        return position

    def _number(self, z: FloatArray) -> FloatArray:
        """The number at position z, up to rounding."""
        start, length = self._scale
        x = start + np.clip(z, 0.0, 1.0) * length
        number: FloatArray = np.clip(np.exp(x) if self.log else x, self.low, self.high)
        return number


@dataclass(frozen=True)
class Integer(Interval):
    """A whole number. The methods are those of `Encoding`.

    Attributes:
        low: Smallest value.
        high: Largest value.
        log: Whether the scale is logarithmic.
        unit: Unit of the values, shown in tables.
        when: Where a point has this parameter: `{"kind": "svm"}`, or a list of values; None for everywhere. See `Box`.

    Raises:
        InvalidInput: The ends are not whole, low exceeds high, or a logarithmic scale has a low that is not positive.

    Example:
        >>> from unswayed import Integer
        >>> layers = Integer(1, 8)
        >>> layers.size, layers.check(3.0, "layers")
        (8, 3)
    """

    low: int
    high: int
    kind: ClassVar[str] = "integer"
    spacing: ClassVar[float] = 1.0
    places: ClassVar[int] = 0
    dtype: ClassVar[type] = np.int64

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.high - self.low > MOST_INTEGERS or (self.log and self.high > MOST_INTEGERS):
            raise InvalidInput(f"low and high are too far apart: at most {MOST_INTEGERS} whole numbers are possible")

    def _bound(self, end: str, given: object) -> int:
        number = to_int(given)
        if number is None or abs(number) > LARGEST_INTEGER:
            raise InvalidInput(f"{end} must be a whole number within +-2^53, not {shown(given)}")
        return number

    @property
    def size(self) -> int:
        """The number of values."""
        return self.high - self.low + 1

    def check(self, value: object, name: str) -> Value:
        """`value` as a plain int (3.0 becomes 3); an error about `name` if it is not in the interval."""
        super().check(value, name)
        number = to_int(value)
        if number is None:
            raise InvalidInput(f"{name} must be a whole number, not {shown(value)}")
        return number

    def spread(self, u: FloatArray) -> FloatArray:
        """Uniform numbers in [0, 1] as uniform values, encoded; the ends are as likely as the others."""
        low, high = self.low - 0.5, self.high + 0.5
        x = low * (high / low) ** u if self.log else low + u * (high - low)
        return self.encode(np.clip(np.rint(x) + 0.0, self.low, self.high))

    def grid(self, levels: int) -> FloatArray:
        """All values if there are at most `levels`, else nearly evenly spaced ones with both ends; encoded."""
        if self.size <= levels:
            return self.encode(np.arange(self.low, self.high + 1))
        return np.unique(self.legal(np.linspace(0.0, 1.0, levels)[:, None]), axis=0)

    def move(self, Z: FloatArray, radius: float, rng: np.random.Generator, *, surely: bool) -> FloatArray:
        """A uniform step of at most `radius`. If it changes nothing, often (or surely) a step to a neighbour."""
        moved = self.legal(moved_by(Z, radius, rng))
        nudged = (moved == Z) & (surely | (rng.random(Z.shape) < NUDGED))
        values = self._nearest(Z[:, 0]) + rng.choice([-1.0, 1.0], len(Z))
        values = np.where(values < self.low, self.low + 1, np.where(values > self.high, self.high - 1, values))
        return np.where(nudged, self.encode(np.clip(values, self.low, self.high)), moved)

    def near(self, value: Any) -> list[int]:
        """One less and one more."""
        return [number for number in (int(value) - 1, int(value) + 1) if self.low <= number <= self.high]

    def _nearest(self, z: FloatArray) -> FloatArray:
        x = self._number(z)
        if not self.log:
            return np.rint(x) + 0.0
        below = np.floor(x)
        above = x > np.sqrt(below * (below + 1.0))  # nearer on the logarithmic scale
        nearest: FloatArray = np.minimum(below + above, self.high)
        return nearest


def moved_by(Z: FloatArray, radius: float, rng: np.random.Generator) -> FloatArray:
    """Uniform steps of at most `radius`, reflected at the ends."""
    moved: FloatArray = np.abs(Z + rng.uniform(-radius, radius, Z.shape))
    return 1.0 - np.abs(1.0 - moved)
