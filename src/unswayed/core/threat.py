"""What tampering to be safe against."""

from __future__ import annotations

from dataclasses import dataclass

from unswayed.core.assumptions import amount
from unswayed.errors import InvalidInput
from unswayed.types import fix, whole


@dataclass(frozen=True)
class Threat:
    """Tampering to be safe against; its parts add up.

    Attributes:
        total: The sum of all changes of values, in their units.
        lies: The number of false measurements.
        liars: The number of lying sources.
        low: No honest value is smaller; None if that is not known.
        high: No honest value is larger; None if that is not known.

    Raises:
        InvalidInput: A number is negative, or the range is empty.

    Example:
        >>> Threat(lies=3).lies
        3
    """

    total: float = 0.0
    lies: int = 0
    liars: int = 0
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        fix(self, total=amount(self.total, "the threat", zero=True))
        fix(self, lies=whole(self.lies, "lies", least=0), liars=whole(self.liars, "liars", least=0))
        if self.low is not None and self.high is not None and not self.low < self.high:
            raise InvalidInput(f"low must be below high, not {self.low:g} and {self.high:g}")
