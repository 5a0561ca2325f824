"""What is known of a named source: the same for studies and audits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Source:
    """A source of measurements: whether the others explain it, and what it could have done.

    Attributes:
        name: Its name.
        measurements: How many measurements it made.
        suspicious: Whether the others do not explain its measurements.
        set_aside: Whether all of them are left out for that. A study does so; an audit only says it.
        offset: How far it reads above the others on average; None if that cannot be told. A study takes it off the
            values, and says 0 of a source that is not off.
        deviation: The standard deviation of the offset; None if it is not known.
        drift: How much more it reads above the others at the end than at the beginning.
        alone: Whether other values of its measurements alone, within the range of honest values, could have changed
            the winner.
        without: The winner without its measurements: the number of an option, or a point. None if too little is left,
            or if it costs too much to find out.
    """

    name: str
    measurements: int
    suspicious: bool = False
    set_aside: bool = False
    offset: float | None = None
    deviation: float | None = None
    drift: float = 0.0
    alone: bool = False
    without: Any = None

    def to_dict(self, label: Callable[[Any], Any] = lambda winner: winner) -> dict[str, Any]:
        """As plain values.

        Args:
            label: How a winner is called.
        """
        return {
            "source": self.name,
            "measurements": self.measurements,
            "suspicious": self.suspicious,
            "set_aside": self.set_aside,
            "offset": self.offset,
            "deviation": self.deviation,
            "drift": self.drift,
            "alone_overturns": self.alone,
            "winner_without": None if self.without is None else label(self.without),
        }
