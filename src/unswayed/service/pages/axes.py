"""Where an axis has its ticks, and what stands there."""

from __future__ import annotations

from math import ceil, floor, isfinite, log10
from typing import NamedTuple

from unswayed.spaces import Categorical, Integer
from unswayed.spaces.parameters import Parameter

TICKS = 5  # about as many, so that they do not touch on a phone
NAMED = 24  # choices that have room for their names


class Tick(NamedTuple):
    """A tick.

    Attributes:
        at: Its place, from 0 to 100.
        text: What stands there.
    """

    at: float
    text: str

    @property
    def anchor(self) -> str:
        """Which end of the text is at the place, so that it stays inside the picture."""
        return "start" if self.at < 4 else "end" if self.at > 96 else "middle"


class Axis(NamedTuple):
    """An axis.

    Attributes:
        ticks: Of numbers.
        names: Of choices, which lie side by side.
    """

    ticks: tuple[Tick, ...]
    names: tuple[str, ...] = ()

    @property
    def wide(self) -> int:
        """How many characters its longest tick has."""
        return max((len(tick.text) for tick in self.ticks), default=1)

    @property
    def lines(self) -> list[int]:
        """The ticks in thousandths."""
        return [round(10 * tick.at) for tick in self.ticks]


def ticks(low: float, high: float, *, whole: bool = False) -> list[float]:
    """Round numbers between two others: multiples of 1, 2 or 5 times a power of ten.

    Args:
        low: The smaller end.
        high: The larger end.
        whole: Whether only whole numbers make sense.

    Example:
        >>> ticks(0.27, 0.96)
        [0.4, 0.6, 0.8]
        >>> ticks(0, 63, whole=True)
        [0.0, 20.0, 40.0, 60.0]
    """
    width = high - low
    if not (isfinite(width) and width > 0):
        return [low]
    rough = width / TICKS
    unit = 10.0 ** floor(log10(rough))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough * (1 - 1e-9))
    step = max(step, 1.0) if whole else step
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [float(f"{k * step:.12g}") for k in range(first, last + 1)]


def numbers(low: float, high: float, *, whole: bool = False) -> Axis:
    """An axis of numbers.

    Args:
        low: The number at its beginning.
        high: The number at its end.
        whole: Whether only whole numbers make sense.
    """
    width = (high - low) or 1.0
    return Axis(tuple(Tick(round(100 * (one - low) / width, 2), f"{one:.6g}") for one in ticks(low, high, whole=whole)))


def order(n: int) -> Axis:
    """An axis of the numbers from 0 to n - 1, each in the middle of its place.

    Args:
        n: How many there are.
    """
    return Axis(tuple(Tick(round(100 * (one + 0.5) / n, 2), f"{one:,.0f}") for one in ticks(0, n - 1, whole=True)))


def of_parameter(parameter: Parameter) -> Axis:
    """The axis of a parameter; if it is logarithmic, at powers of ten, if there are two of them.

    Args:
        parameter: The parameter.
    """
    if isinstance(parameter, Categorical):
        names = [str(one) for one in parameter.choices]
        return Axis((), tuple(names if len(names) <= NAMED else [names[0], "...", names[-1]]))
    low, high = parameter.low, parameter.high
    shown = ticks(low, high, whole=isinstance(parameter, Integer))
    if parameter.log:
        powers = range(ceil(log10(low) - 1e-9), floor(log10(high) + 1e-9) + 1)
        step = max(-(-len(powers) // (TICKS + 1)), 1)
        shown = [10.0**power for power in powers[::step]] if len(powers) > 1 else [low, high]
    places = parameter.encode(shown)[:, 0]
    return Axis(tuple(Tick(round(100 * float(z), 2), f"{one:.6g}") for z, one in zip(places, shown, strict=True)))
