"""Real numbers: a continuum, or values at equal steps."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import inf, isfinite
from typing import Any, ClassVar

import numpy as np

from unswayed.errors import InvalidInput
from unswayed.spaces.encoding import Value
from unswayed.spaces.intervals import Integer, Interval, moved_by
from unswayed.spaces.steps import Steps, checked_digits, checked_step
from unswayed.types import FloatArray


@dataclass(frozen=True)
class Real(Interval):
    """A real number. The methods are those of `Encoding`.

    Attributes:
        low: Smallest value.
        high: Largest value.
        log: Whether the scale is logarithmic.
        unit: Unit of the values, shown in tables.
        when: Where a point has this parameter: `{"kind": "svm"}`, or a list of values; None for everywhere. See `Box`.
        step: Distance of the values from each other, beginning at low; `high` must be one of them.
        digits: Digits of the values after the decimal point; the same as a step of 1, 0.1, 0.01, ...

    Raises:
        InvalidInput: The ends are not finite, low exceeds high, a logarithmic scale has a low that is not positive, or
            high is not on a step.

    Example:
        >>> from unswayed import Real
        >>> rate = Real(1e-5, 1e-1, log=True, unit="1/s")
        >>> rate.describe(0.001)
        '0.001 1/s'
        >>> Real(0, 10, step=0.5).size
        21
    """

    step: float | None = field(default=None, kw_only=True)
    digits: int | None = field(default=None, kw_only=True)
    kind: ClassVar[str] = "real"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isfinite(self.high - self.low):
            raise InvalidInput("low and high are too far apart: their difference must be a finite number")
        if self.step is None and self.digits is None:
            return
        if self.step is not None and self.digits is not None:
            raise InvalidInput("give step or digits, not both")
        if self.log:
            raise InvalidInput("a logarithmic scale has no steps: remove log, or step and digits")
        if self.step is not None:
            object.__setattr__(self, "step", checked_step(self.step))
        else:
            object.__setattr__(self, "digits", checked_digits(self.digits, self.low))
        assert self._counted is not None  # raises InvalidInput if high is not on a step

    @cached_property
    def _steps(self) -> Steps | None:
        if self.digits is not None:
            return Steps.of(self.low, self.high, float(f"1e-{self.digits}"))
        return None if self.step is None else Steps.of(self.low, self.high, self.step)

    @cached_property
    def _counted(self) -> Integer | None:
        """The number of steps as a parameter: it has all the methods that values at equal distances need."""
        return None if self._steps is None else Integer(0, self._steps.last)

    @property
    def size(self) -> int | None:
        """The number of values if they have a step, 1 if both ends are equal, else None: there are infinitely many."""
        if self._counted is not None:
            return self._counted.size
        return 1 if self.low == self.high else None

    @property
    def spacing(self) -> float | None:
        """Distance of the values from each other; None in a continuum."""
        return None if self._steps is None else self._steps.each / 10.0**self._steps.places

    @property
    def places(self) -> int | None:
        """The most digits that a value has after the decimal point; None in a continuum."""
        return None if self._steps is None else self._steps.places

    def check(self, value: object, name: str) -> Value:
        """`value` as a plain number; an error about `name` if it is not in the interval or lies between two steps."""
        number = super().check(value, name)
        return number if self._steps is None else self._steps.check(float(number), name)

    def spread(self, u: FloatArray) -> FloatArray:
        """Uniform numbers in [0, 1] as uniform values, encoded."""
        return self.legal(u[:, None]) if self._counted is None else self._counted.spread(u)

    def grid(self, levels: int) -> FloatArray:
        """Evenly spaced values with both ends, encoded; a single one if both ends are equal."""
        if self._counted is not None:
            return self._counted.grid(levels)
        return self.legal(np.linspace(0.0, 1.0, self.size or levels)[:, None])

    def move(self, Z: FloatArray, radius: float, rng: np.random.Generator, *, surely: bool) -> FloatArray:
        """A uniform step of at most `radius`, reflected at the ends."""
        if self._counted is not None:
            return self._counted.move(Z, radius, rng, surely=surely)
        return moved_by(Z, radius, rng) if self.size is None else Z

    def near(self, value: Any) -> list[float]:
        """One step less and one more, if there are steps."""
        if self._steps is None or self._counted is None:
            return []
        [count] = self._steps.counts(np.array([value])).tolist()
        return list(self._steps.numbers(np.array(self._counted.near(count), dtype=np.float64)).tolist())

    def describe(self, value: Any) -> str:
        """The value as text, with its unit."""
        return super().describe(value) if self._steps is None else f"{value:.15g} {self.unit}".rstrip()

    def record(self) -> dict[str, Any]:
        """The parameter as plain values for JSON; `parameter_from_record` reads them."""
        steps = {"step": self.step, "digits": self.digits}
        return super().record() | {name: value for name, value in steps.items() if value is not None}

    def _position(self, x: FloatArray) -> FloatArray:
        if self._steps is None or self._counted is None:
            return super()._position(x)
        return self._counted._position(self._steps.counts(x))

    def _nearest(self, z: FloatArray) -> FloatArray:
        """The number at position z. If a number has exactly the position z, return that number.

        So a row that came from a number is never moved. Two Newton steps on the rounded position may step over the
        number, so steps from one float to the next follow.
        """
        if self._steps is not None and self._counted is not None:
            return self._steps.numbers(self._counted._nearest(z))
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
