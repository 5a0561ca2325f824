"""What a model of measurements rests on: stated by the user, or estimated from the measurements."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Required, TypedDict

from unswayed.core.kernels import Kernel
from unswayed.core.posterior import JointPosterior
from unswayed.errors import InvalidInput
from unswayed.forwarding import setting
from unswayed.text import printable
from unswayed.types import FloatArray, fix, positive, probability

LARGEST_VALUE = 1e100  # of a measurement: squares must stay finite
WORDS = {"kernel": "kernel", "output_scale": "output scale", "noise_std": "noise", "norm_bound": "norm bound"}


def amount(value: float, name: str, *, zero: bool = False) -> float:
    """A positive quantity (or zero, where that is allowed) in units of the measurements."""
    number = positive(value, name, zero=zero)
    if number > LARGEST_VALUE:
        raise InvalidInput(f"{name} of {number:g} is too large to compute with: use larger units")
    return number


@dataclass(frozen=True, kw_only=True)
class Given:
    """What the user states about the measurements. None stands for "estimate it"."""

    threat: float = setting("Total tampering to be safe against: the sum of all changes of values, in their units.")
    kernel: Kernel | None = setting("How values at two points vary together; estimated if None.", None)
    noise_std: float | None = setting("Standard deviation of one measurement; estimated if None.", None)
    output_scale: float | None = setting("Standard deviation of the true values; estimated if None.", None)
    norm_bound: float | None = setting(
        "Bound on the RKHS norm of the truth, in units of the values; by default twice the norm of the estimate.", None
    )
    delta: float = setting("Probability that a certified sentence fails.", 0.05)

    def __post_init__(self) -> None:
        if self.kernel is not None and (isinstance(self.kernel, type) or not isinstance(self.kernel, Kernel)):
            shown = printable(repr(self.kernel), limit=60)
            raise InvalidInput(f"kernel must be a kernel such as Matern(2.5, 0.3), not {shown}")
        fix(self, threat=amount(self.threat, "the threat", zero=True), delta=probability(self.delta, "delta"))
        for name in ("noise_std", "output_scale", "norm_bound"):
            if (value := getattr(self, name)) is not None:
                fix(self, **{name: amount(value, f"the {WORDS[name]}")})

    @property
    def estimated(self) -> tuple[str, ...]:
        """What is not given, in words."""
        return tuple(words for name, words in WORDS.items() if getattr(self, name) is None)

    def norm(self, posterior: JointPosterior, means: FloatArray, unit: float) -> float:
        """The norm bound in units of `unit`: what was given, else twice the norm of the posterior mean.

        `means` are the mean rewards of the arms, as `JointPosterior.mean_norm` needs them.
        """
        return 2 * posterior.mean_norm(means) if self.norm_bound is None else self.norm_bound / unit


class ModelArgs(TypedDict, total=False):
    """The fields of `Given` but the threat as keywords, for static tools."""

    kernel: Kernel | None
    noise_std: float | None
    output_scale: float | None
    norm_bound: float | None
    delta: float


class GivenArgs(ModelArgs):
    """The fields of `Given` as keywords, for static tools."""

    threat: Required[float]


@dataclass(frozen=True, kw_only=True, repr=False)
class Assumptions:
    """The model behind a result, in units of the values.

    Attributes:
        kernel: How values at two points vary together, for values of variance 1.
        noise_std: Standard deviation of one measurement.
        output_scale: Standard deviation of the true values.
        level: The value far from all measurements.
        norm_bound: Bound on the RKHS norm of the truth minus the level.
        estimated: Which of these were estimated from the same measurements, in words.

    Example:
        >>> import unswayed
        >>> unswayed.audit([[0.0], [1.0], [1.0]], [0.0, 1.0, 1.2], noise_std=0.1).assumptions.noise_std
        0.1
    """

    kernel: Kernel
    noise_std: float
    output_scale: float
    level: float
    norm_bound: float
    estimated: tuple[str, ...]

    def __repr__(self) -> str:
        return f"Assumptions({type(self.kernel).__name__}, noise_std={self.noise_std:g}, estimated={self.estimated})"

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {**asdict(self), "kernel": repr(self.kernel), "estimated": list(self.estimated)}


def certified(estimated: tuple[str, ...]) -> str:
    """How a sentence that needs true assumptions begins, when some of them were estimated."""
    if not estimated:
        return "Certified"
    words = " and ".join(filter(None, (", ".join(estimated[:-1]), estimated[-1])))
    return f"Certified only as far as the estimated {words} can be relied on"
