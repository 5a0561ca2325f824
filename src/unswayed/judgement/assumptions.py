"""What a model of measurements rests on: stated by the user, or estimated from the measurements."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Self, TypedDict

import numpy as np

from unswayed.core.gp.kernels import Kernel
from unswayed.core.tampering.threat import LARGEST_VALUE, Threat
from unswayed.errors import InvalidInput
from unswayed.forwarding import setting
from unswayed.text import printable
from unswayed.types import fix, positive, probability

WORDS = {"kernel": "kernel", "output_scale": "output scale", "noise_std": "noise", "level": "level"}

Level = float | tuple[float, float]


def amount(value: float, name: str) -> float:
    """A positive quantity in units of the measurements."""
    number = positive(value, name)
    if number > LARGEST_VALUE:
        raise InvalidInput(f"{name} of {number:g} is too large to compute with: use larger units")
    return number


@dataclass(frozen=True, kw_only=True)
class Given:
    """What the user states about the measurements. None stands for "estimate it"."""

    threat: Threat | float | None = setting(
        "What tampering to be safe against: a `Threat`; or a number, the largest sum of all changes of values, in "
        "their units; None if nobody knows.",
        None,
    )
    kernel: Kernel | None = setting("How values at two points vary together; estimated if None.", None)
    noise_std: float | None = setting("Standard deviation of one measurement; estimated if None.", None)
    output_scale: float | None = setting("Standard deviation of the true values; estimated if None.", None)
    level: Level | None = setting(
        "The value around which the true values lie: a number; or a pair, if it lies between the two; estimated if "
        "None.",
        None,
    )
    norm_bound: float | None = setting(
        "Bound on the RKHS norm of the truth minus the level, under the kernel, in units of the values. Nothing is "
        "certified without it.",
        None,
    )
    delta: float = setting("Probability that the sentence about the distance from the best fails.", 0.05)

    def __post_init__(self) -> None:
        if self.kernel is not None and (isinstance(self.kernel, type) or not isinstance(self.kernel, Kernel)):
            shown = printable(repr(self.kernel), limit=60)
            raise InvalidInput(f"kernel must be a kernel such as Matern(2.5, 0.3), not {shown}")
        fix(self, threat=Threat.of(self.threat), delta=probability(self.delta, "delta"))
        for name, words in (("noise_std", "noise"), ("output_scale", "output scale"), ("norm_bound", "norm bound")):
            if (value := getattr(self, name)) is not None:
                fix(self, **{name: amount(value, f"the {words}")})
        fix(self, level=None if self.level is None else _checked_level(self.level))

    @property
    def threat_or_nothing(self) -> Threat:
        """The threat; none at all if nobody knows it."""
        return Threat.of(self.threat) or Threat()

    @property
    def estimated(self) -> tuple[str, ...]:
        """What is not given and so estimated, in words."""
        return tuple(words for name, words in WORDS.items() if getattr(self, name) is None)

    @property
    def complete(self) -> bool:
        """Whether everything is given that a certificate needs."""
        return not self.estimated and self.norm_bound is not None

    @property
    def level_known(self) -> bool:
        """Whether the level is given as a number."""
        return self.level is not None and self.level_width == 0

    @property
    def level_centre(self) -> float:
        """The level, or the middle of the two numbers that it lies between."""
        return sum(self.level) / 2 if isinstance(self.level, tuple) else self.level or 0.0

    @property
    def level_width(self) -> float:
        """How far the two numbers lie apart that the level lies between; 0 for a number."""
        return self.level[1] - self.level[0] if isinstance(self.level, tuple) else 0.0

    def flipped(self) -> Self:
        """The same for the negated values."""
        level, threat = self.level, Threat.of(self.threat)
        if level is not None:
            level = (-level[1], -level[0]) if isinstance(level, tuple) else -level
        return replace(self, level=level, threat=None if threat is None else threat.mapped(-1.0, lambda value: -value))


def _checked_level(level: Any) -> Level:
    """A level as a number, or as a pair of numbers in order."""
    try:
        numbers = np.asarray(np.real(level) if np.iscomplexobj(level) else level, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        numbers = np.empty(0)
    if np.iscomplexobj(level) or numbers.shape not in ((), (2,)) or not (np.abs(numbers) <= LARGEST_VALUE).all():
        shown = printable(repr(level), limit=60)
        raise InvalidInput(f"the level must be a number, or a pair of numbers that it lies between, not {shown}")
    if numbers.ndim == 0:
        return float(numbers)
    low, high = numbers.tolist()
    if low > high:
        raise InvalidInput(f"the level must lie between its two numbers, but {low:g} is larger than {high:g}")
    return low, high


class GivenArgs(TypedDict, total=False):
    """The fields of `Given` as keywords, for static tools."""

    threat: Threat | float | None

    kernel: Kernel | None
    noise_std: float | None
    output_scale: float | None
    level: Level | None
    norm_bound: float | None
    delta: float


@dataclass(frozen=True, kw_only=True, repr=False)
class Assumptions:
    """The model behind a result, in units of the values.

    Attributes:
        kernel: How values at two points vary together, for values of variance 1.
        noise_std: Standard deviation of one measurement.
        output_scale: Standard deviation of the true values.
        level: The value far from all measurements; a pair if two numbers were given that it lies between.
        norm_bound: Bound on the RKHS norm of the truth minus the level; None if it was not given.
        estimated: Which of these were estimated from the same measurements, in words.

    Example:
        >>> import unswayed
        >>> unswayed.audit([[0.0], [1.0], [1.0]], [0.0, 1.0, 1.2], noise_std=0.1).assumptions.noise_std
        0.1
    """

    kernel: Kernel
    noise_std: float
    output_scale: float
    level: Level
    norm_bound: float | None
    estimated: tuple[str, ...]

    def __repr__(self) -> str:
        return f"Assumptions({type(self.kernel).__name__}, noise_std={self.noise_std:g}, estimated={self.estimated})"

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {**asdict(self), "kernel": repr(self.kernel), "estimated": list(self.estimated)}
