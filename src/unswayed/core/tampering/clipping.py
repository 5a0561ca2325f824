"""Counted lies as a budget: clip every reward to where honest ones lie, then no lie can change more than their range.

    low, high   bounds of f              sigma   sub-Gaussian scale of the noise of one play
    K           number of lies           delta   probability that an honest reward lies outside the range
    r           how far honest rewards go beyond the bounds of f
    R           high - low + 2 r: what one lie can change after clipping

With probability 1 - delta clipping leaves all honest rewards unchanged, and K lies of any size become a total
corruption of at most C = K R. Every guarantee for a total C then holds, with its own delta added to this one.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt

from unswayed.errors import InvalidInput


def radius(sigma: float, plays: int, delta: float) -> float:
    """r = sigma sqrt(2 ln(2T/delta)): the noise of T plays stays within r, with probability 1 - delta."""
    return sigma * sqrt(2 * log(2 * plays / delta))


@dataclass(frozen=True)
class ClipRange:
    """Where honest rewards lie.

    Attributes:
        low: Lower bound of f.
        high: Upper bound of f.
        radius: r, how far noise goes beyond them.

    Raises:
        InvalidInput: low is not below high.
    """

    low: float
    high: float
    radius: float

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise InvalidInput(f"the lowest value must be below the highest, not {self.low:g} and {self.high:g}")

    @property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest honest reward."""
        return self.low - self.radius, self.high + self.radius

    def budget(self, lies: int) -> float:
        """C = K R: the total corruption that K lies become."""
        return lies * (self.high - self.low + 2 * self.radius)
