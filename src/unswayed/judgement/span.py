"""The range of honest values: what a false measurement can be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from unswayed.core.tampering.threat import Threat
from unswayed.errors import InvalidInput
from unswayed.text import number
from unswayed.types import FloatArray


@dataclass(frozen=True)
class Span:
    """The two numbers that every honest value lies between.

    Attributes:
        low: The smaller one.
        high: The larger one.
        low_given: Whether `low` was given; if not, it is the smallest value measured.
        high_given: Whether `high` was given; if not, it is the largest value measured.
    """

    low: float
    high: float
    low_given: bool
    high_given: bool

    @classmethod
    def of(cls, values: FloatArray, threat: Threat) -> Self:
        """What the threat gives, else the smallest and the largest of the values."""
        low = float(values.min()) if threat.low is None else threat.low
        high = float(values.max()) if threat.high is None else threat.high
        return cls(low, high, threat.low is not None, threat.high is not None)

    @classmethod
    def checked(
        cls,
        values: FloatArray,
        threat: Threat,
        low: float | None,
        high: float | None,
        place: Callable[[int], str] = lambda row: f"measurement {row + 1:,}",
    ) -> Self:
        """The same where both ends may be given twice, as keywords and with the threat.

        Args:
            values: The values; none may lie outside.
            threat: The threat.
            low: The smaller end, if it is given.
            high: The larger end, if it is given.
            place: How a value is called in an error.

        Raises:
            InvalidInput: An end is given twice and differently, or a value lies outside.
        """
        span = cls.of(values, Threat(low=_once("low", low, threat.low), high=_once("high", high, threat.high)))
        outside = np.flatnonzero((values < span.low) | (values > span.high))
        if len(outside):
            which, range_ = outside[0], f"low ({number(span.low)}) and high ({number(span.high)})"
            raise InvalidInput(f"{place(int(which))} is {number(values[which])}, which is not between {range_}")
        return span

    @property
    def given(self) -> bool:
        """Whether both ends were given."""
        return self.low_given and self.high_given

    @property
    def width(self) -> float:
        """The distance between the ends."""
        return self.high - self.low

    def clipped(self, values: FloatArray) -> FloatArray:
        """Values moved to the nearer of the ends that were given, where they lie beyond.

        Args:
            values: The values.
        """
        low, high = (self.low if self.low_given else -np.inf), (self.high if self.high_given else np.inf)
        return np.clip(values, low, high)

    def flipped(self) -> Self:
        """The same for the negated values."""
        return replace(self, low=-self.high, high=-self.low, low_given=self.high_given, high_given=self.low_given)

    def around(self, threat: Threat | None, *, observed: bool) -> Threat | None:
        """The threat with this range; with `observed`, also where the range is only that of the values."""
        if threat is None:
            return None
        low = self.low if self.low_given or observed else None
        high = self.high if self.high_given or observed else None
        return replace(threat, low=low, high=high)

    def __str__(self) -> str:
        words = f"between {number(self.low)} and {number(self.high)}"
        if self.given:
            return words
        ends = (("the smallest", self.low_given), ("the largest", self.high_given))
        return f"{words} ({' and '.join(name for name, given in ends if not given)} measured)"


def _once(name: str, mine: float | None, other: float | None) -> float | None:
    """An end of the range that may be given twice, but not differently."""
    if mine is not None and other is not None and mine != other:
        raise InvalidInput(f"{name} is {mine:g}, but that of the threat is {other:g}: give it once")
    return other if mine is None else mine
