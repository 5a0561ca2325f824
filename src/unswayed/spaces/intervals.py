"""Parameters that are numbers: Real and Integer, each one column of the unit cube, linear or logarithmic.

Equal ends are allowed: that holds a parameter fixed without taking it out of the space.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from math import inf, isfinite
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from unswayed.errors import InvalidInput
from unswayed.spaces.values import LARGEST_INTEGER, Value, name_text, shown, to_float, to_int
from unswayed.types import FloatArray

MOST_INTEGERS = 2**40  # beyond, neighbours in a logarithmic column could not be told apart
NUDGED = 0.5  # share of the integers that move to a neighbour where a step is too short to show


@dataclass(frozen=True)
class _Interval:
    """The numbers from `low` to `high`; `_position` says where they lie in [0, 1]."""

    low: float
    high: float
    _: KW_ONLY
    log: bool = False
    unit: str = ""

    columns: ClassVar[int] = 1
    kind: ClassVar[str]

    def __post_init__(self) -> None:
        for end in ("low", "high"):
            object.__setattr__(self, end, self._bound(end, getattr(self, end)))
        if not isinstance(self.log, bool):
            raise InvalidInput(f"log must be true or false, not {shown(self.log)}")
        if self.unit != "":
            object.__setattr__(self, "unit", name_text(self.unit, "unit"))
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
        """`value` as a plain number of this interval, or an error that calls it `name`."""
        number = to_float(value)
        if number is None or number != number:
            raise InvalidInput(f"{name} must be a number, not {shown(value)}")
        if not self.low <= number <= self.high:
            raise InvalidInput(f"{name} = {shown(value)} lies outside [{shown(self.low)}, {shown(self.high)}]")
        return number

    def encode(self, values: ArrayLike) -> FloatArray:
        """The column of checked values."""
        return self._position(np.array(values, dtype=np.float64))[:, None]

    def describe(self, value: Any) -> str:
        """The value in a table or a sentence, with its unit."""
        return f"{value:.6g} {self.unit}".rstrip() if isinstance(value, float) else f"{value} {self.unit}".rstrip()

    def record(self) -> dict[str, Any]:
        """As JSON; `parameter_from_record` reads it."""
        return {"type": self.kind, "low": self.low, "high": self.high, "log": self.log, "unit": self.unit}

    @cached_property
    def _scale(self) -> tuple[float, float]:
        """Where the column begins, and its length (1 if there is none), in units of x or log x."""
        ends = np.array([self.low, self.high], dtype=np.float64)
        start, end = (np.log(ends) if self.log else ends).tolist()
        return start, (end - start) or 1.0

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
class Real(_Interval):
    """A real number from `low` to `high`, on a linear or logarithmic scale; `unit` is shown in tables."""

    kind: ClassVar[str] = "real"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isfinite(self.high - self.low):
            raise InvalidInput("low and high are too far apart: their difference must be a finite number")

    @property
    def size(self) -> int | None:
        """The number of values, if finite: only equal ends make it so."""
        return 1 if self.low == self.high else None

    def decode(self, Z: FloatArray) -> list[float]:
        """The value of each row."""
        values: list[float] = self._inverse(Z[:, 0]).tolist()
        return values

    def legal(self, Z: FloatArray) -> FloatArray:
        """Where the value of each row lies."""
        return self._position(self._inverse(Z[:, 0]))[:, None]

    def spread(self, u: FloatArray) -> FloatArray:
        """Uniform numbers of [0, 1] as a column of values."""
        return self.legal(u[:, None])

    def grid(self, levels: int) -> FloatArray:
        """Evenly spaced values, both ends included."""
        return self.legal(np.linspace(0.0, 1.0, levels)[:, None])

    def move(self, Z: FloatArray, radius: float, rng: np.random.Generator, *, surely: bool) -> FloatArray:
        """A uniform step of at most `radius`, reflected at the ends."""
        return _step(Z, radius, rng) if self.size is None else Z

    def _inverse(self, z: FloatArray) -> FloatArray:
        """The number at position z: wherever rounding leaves one that is encoded exactly there, such a one.

        So a row that came from a number is never moved. Two Newton steps on the rounded position, then, as these may
        pass over the number, from one float to the next.
        """
        x, (_, length) = self._number(z), self._scale
        off = np.arange(z.size)
        for newton in (True, True, False, False, False, False):
            missing = z[off] - self._position(x[off])
            off, missing = off[missing != 0], missing[missing != 0]
            if not off.size:
                break
            at = x[off]
            moved = np.nextafter(at, np.copysign(inf, missing))
            if newton:
                step = at + missing * length * (at if self.log else 1.0)
                moved = np.where(step == at, moved, step)
            x[off] = np.clip(moved, self.low, self.high)
        return x + 0.0  # no negative zero


@dataclass(frozen=True)
class Integer(_Interval):
    """A whole number from `low` to `high`, both included, on a linear or logarithmic scale."""

    low: int
    high: int
    kind: ClassVar[str] = "integer"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.high - self.low > MOST_INTEGERS or (self.log and self.high > MOST_INTEGERS):
            raise InvalidInput(
                f"low and high are too far apart for whole numbers: at most {MOST_INTEGERS} are possible"
            )

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
        """`value` as a plain int of this interval, or an error that calls it `name`; 3.0 is 3."""
        super().check(value, name)
        number = to_int(value)
        if number is None:
            raise InvalidInput(f"{name} must be a whole number, not {shown(value)}")
        return number

    def decode(self, Z: FloatArray) -> list[int]:
        """The nearest whole number of each row."""
        values: list[int] = self._nearest(Z[:, 0]).astype(np.int64).tolist()
        return values

    def legal(self, Z: FloatArray) -> FloatArray:
        """Where the nearest whole number of each row lies."""
        return self._position(self._nearest(Z[:, 0]))[:, None]

    def spread(self, u: FloatArray) -> FloatArray:
        """Uniform numbers of [0, 1] as a column of values; the ends get as much as the others."""
        low, high = self.low - 0.5, self.high + 0.5
        x = low * (high / low) ** u if self.log else low + u * (high - low)
        return self.encode(np.clip(np.rint(x), self.low, self.high))

    def grid(self, levels: int) -> FloatArray:
        """All values if `levels` are enough, else nearly evenly spaced ones; both ends included."""
        if self.size <= levels:
            return self.encode(np.arange(self.low, self.high + 1))
        return np.unique(self.legal(np.linspace(0.0, 1.0, levels)[:, None]), axis=0)

    def move(self, Z: FloatArray, radius: float, rng: np.random.Generator, *, surely: bool) -> FloatArray:
        """A uniform step of at most `radius`; where that is too short to show, often (or surely) to a neighbour."""
        moved = self.legal(_step(Z, radius, rng))
        nudged = (moved == Z) & (surely | (rng.random(Z.shape) < NUDGED))
        values = self._nearest(Z[:, 0]) + rng.choice([-1.0, 1.0], len(Z))
        values = np.where(values < self.low, self.low + 1, np.where(values > self.high, self.high - 1, values))
        return np.where(nudged, self.encode(np.clip(values, self.low, self.high)), moved)

    def _nearest(self, z: FloatArray) -> FloatArray:
        x = self._number(z)
        if not self.log:
            return np.rint(x) + 0.0
        below = np.floor(x)
        above = x > np.sqrt(below * (below + 1.0))  # nearer on the logarithm
        nearest: FloatArray = np.minimum(below + above, self.high)
        return nearest


def _step(Z: FloatArray, radius: float, rng: np.random.Generator) -> FloatArray:
    moved: FloatArray = np.abs(Z + rng.uniform(-radius, radius, Z.shape))
    return 1.0 - np.abs(1.0 - moved)
