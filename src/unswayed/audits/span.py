"""Between which numbers honest values lie: what a false measurement can be."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from unswayed.core.tampering.threat import Threat
from unswayed.errors import InvalidInput
from unswayed.text import number
from unswayed.types import FloatArray


@dataclass(frozen=True)
class Span:
    """Between which two numbers every honest value lies.

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
    def of(cls, values: FloatArray, threat: Threat, low: float | None, high: float | None) -> Self:
        """From what is given, as keywords or with the threat, and from the values."""
        stated = Threat(low=_one("low", low, threat.low), high=_one("high", high, threat.high))
        lowest = float(values.min()) if stated.low is None else stated.low
        highest = float(values.max()) if stated.high is None else stated.high
        outside = np.flatnonzero((values < lowest) | (values > highest))
        if len(outside):
            which = f"measurement {outside[0] + 1:,} is {number(values[outside[0]])}"
            raise InvalidInput(f"{which}, which is not between low ({number(lowest)}) and high ({number(highest)})")
        return cls(lowest, highest, stated.low is not None, stated.high is not None)

    @property
    def given(self) -> bool:
        """Whether both ends were given."""
        return self.low_given and self.high_given

    def flipped(self) -> Self:
        """The same for the negated values."""
        return replace(self, low=-self.high, high=-self.low, low_given=self.high_given, high_given=self.low_given)

    def around(self, threat: Threat | None, *, observed: bool) -> Threat | None:
        """The threat with this range; with `observed`, also where the range is only that of the values."""
        if threat is None:
            return None
        low, high = self.low if self.low_given or observed else None, self.high if self.high_given or observed else None
        return replace(threat, low=low, high=high)

    def __str__(self) -> str:
        words = f"between {number(self.low)} and {number(self.high)}"
        if self.given:
            return words
        ends = (("the smallest", self.low_given), ("the largest", self.high_given))
        return f"{words} ({' and '.join(name for name, given in ends if not given)} measured)"


def _one(name: str, mine: float | None, other: float | None) -> float | None:
    """An end of the range that may be given twice, but not differently."""
    if mine is not None and other is not None and mine != other:
        raise InvalidInput(f"{name} is {mine:g}, but that of the threat is {other:g}: give it once")
    return other if mine is None else mine
