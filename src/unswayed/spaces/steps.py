"""Numbers at equal steps, exactly as people write them: 0.3, never 0.30000000000000004."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Self

import numpy as np

from unswayed.errors import InvalidInput
from unswayed.spaces.encoding import LARGEST_INTEGER, shown, to_float, to_int
from unswayed.types import FloatArray

MOST_DIGITS = 15
MOST_PLACES = 22  # 10^22 is the largest power of ten that is a float without rounding
STEP_TOLERANCE = 1e-9  # a number may be off its step by this share of one: the rounding of sums and products


@dataclass(frozen=True)
class Steps:
    """The numbers (first + k each) / 10^places for k = 0 ... last.

    Numerator and denominator are whole numbers that a float holds exactly. So their quotient is the float nearest to
    the decimal number, which is the float that people get when they write it.
    """

    first: int
    each: int
    places: int
    last: int

    @classmethod
    def of(cls, low: float, high: float, step: float) -> Self:
        """From low to high; an error if high is not reached."""
        start, end, width = (Decimal(repr(number)) for number in (low, high, step))
        places = max(0, *(-_exponent(number) for number in (start, end, width)))
        first, final, each = (int(number.scaleb(places)) for number in (start, end, width))
        if places > MOST_PLACES or max(abs(first), abs(final), each) > LARGEST_INTEGER:
            raise InvalidInput(
                f"low, high and step = {shown(step)} need too many digits together: at most 15 are exact"
            )
        last, rest = divmod(final - first, each)
        if rest:
            reached = shown((first + last * each) / 10.0**places)
            raise InvalidInput(
                f"high = {shown(high)} is not a whole number of steps of {shown(step)} above low = {shown(low)}: "
                f"the last step is {reached}"
            )
        return cls(first, each, places, last)

    def numbers(self, k: FloatArray) -> FloatArray:
        """The numbers after k steps."""
        numbers: FloatArray = (self.first + k * self.each) / 10.0**self.places
        return numbers

    def counts(self, x: FloatArray) -> FloatArray:
        """The number of steps to each of these numbers, or to the one nearest to it."""
        counts: FloatArray = np.clip(np.rint((x * 10.0**self.places - self.first) / self.each), 0, self.last)
        return counts + 0.0

    def check(self, number: float, name: str) -> float:
        """The number of this step; an error about `name` if it lies between two steps."""
        nearest = float(self.numbers(self.counts(np.array([number])))[0])
        width = self.each / 10.0**self.places
        if abs(number - nearest) > STEP_TOLERANCE * width:
            steps = f"steps of {shown(width)} from {shown(self.first / 10.0**self.places)}"
            raise InvalidInput(f"{name} = {shown(number)} lies between two {steps}; the nearest is {shown(nearest)}")
        return nearest


def checked_step(step: object) -> float:
    """A step as a positive number."""
    number = to_float(step)
    if number is None or not 0 < number < np.inf:
        raise InvalidInput(f"step must be a positive number, not {shown(step)}")
    return number


def checked_digits(digits: object, low: float) -> int:
    """The number of digits after the decimal point, which `low` must not exceed."""
    number = to_int(digits)
    if number is None or not 0 <= number <= MOST_DIGITS:
        raise InvalidInput(f"digits must be a whole number from 0 to {MOST_DIGITS}, not {shown(digits)}")
    if -_exponent(Decimal(repr(low))) > number:
        raise InvalidInput(f"low = {shown(low)} has more than {number} digits after the point")
    return number


def _exponent(number: Decimal) -> int:
    """The power of ten of the last digit that is not 0."""
    exponent = number.normalize().as_tuple().exponent
    assert isinstance(exponent, int)  # the number is finite
    return exponent
