"""One measurement as people have it: a value, who made it, and how precise it is."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from numbers import Complex, Real
from typing import Any

import numpy as np

from unswayed.core.tampering.threat import LARGEST_VALUE
from unswayed.errors import InvalidInput
from unswayed.text import printable
from unswayed.types import FloatArray, fix, positive, whole

LONGEST_SOURCE = 200  # characters
LEAST_NOISE, MOST_NOISE = 1e-4, 1e12  # smaller and larger ones only cost digits (`weights_of`)
PSEUDO_COUNT = 0.5  # added to successes and failures, so that a rate of 0 or 1 has a noise too


@dataclass(frozen=True)
class Measurement:
    """A measured value, with what is known about it. An objective may return one in place of a number.

    Attributes:
        value: The value; with `trials`, the share of successes.
        source: Who or what measured it: a worker, a sensor, a rater, a day.
        noise_std: Its standard error.
        trials: How many yes-or-no outcomes the value is the mean of.

    Raises:
        InvalidInput: The value is not finite, a rate is not between 0 and 1, or another part makes no sense.

    Example:
        >>> import unswayed
        >>> unswayed.Measurement(0.031, source="monday", trials=2000).trials
        2000
    """

    value: float
    source: str | None = None
    noise_std: float | None = None
    trials: int | None = None

    def __post_init__(self) -> None:
        fix(self, value=finite(self.value), source=_checked_source(self.source))
        if self.noise_std is not None:
            noise = positive(self.noise_std, "the standard error of a measurement")
            if self.trials is not None:
                raise InvalidInput("give the trials of a measurement or its standard error, not both")
            if not 1 / LARGEST_VALUE < noise < LARGEST_VALUE:
                raise InvalidInput(f"a standard error of {noise:g} cannot be computed with: use other units")
            fix(self, noise_std=noise)
        if self.trials is not None:
            trials = whole(self.trials, "the trials of a measurement", least=1)
            if not 0 <= self.value <= 1:
                raise InvalidInput(f"a value with trials is a rate between 0 and 1, not {self.value:g}")
            if abs(self.value * trials - round(self.value * trials)) > 1e-6 * trials:
                raise InvalidInput(f"a rate of {self.value:g} is not a number of successes in {trials:,} trials")
            fix(self, trials=trials)

    @classmethod
    def of(cls, value: object, **about: Any) -> Measurement:
        """What an objective returned or a user told: a number, or a `Measurement`.

        Args:
            value: The number or the measurement.
            **about: `source`, `noise_std` and `trials` of a number.
        """
        told = {name: one for name, one in about.items() if one is not None}
        if not isinstance(value, Measurement):
            return cls(value, **told)  # type: ignore[arg-type]
        return cls(**{**vars(value), **told})

    def to_dict(self) -> dict[str, Any]:
        """As plain values; parts that are not known are left out."""
        return {name: one for name, one in vars(self).items() if one is not None}


def finite(value: object) -> float:
    """A value as a float; NaN, infinities and what is not a number are refused."""
    try:
        if isinstance(value, Complex) and not isinstance(value, Real):
            raise TypeError
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(f"a measurement must be a number, not {value!r}") from None
    if not isfinite(number):
        raise InvalidInput(f"a measurement must be finite, not {number}; report it with fail() instead")
    if abs(number) > LARGEST_VALUE:
        raise InvalidInput(f"a measurement of {number:g} is too large to compute with: use larger units")
    return number


def _checked_source(source: object) -> str | None:
    if source is None:
        return None
    if not isinstance(source, str | int) or isinstance(source, bool) or not str(source).strip():
        raise InvalidInput(f"a source must be a name, not {printable(repr(source), limit=60)}")
    if len(str(source)) > LONGEST_SOURCE:
        raise InvalidInput(f"the name of a source must have at most {LONGEST_SOURCE} characters")
    return str(source)


def own_noise(values: FloatArray, noise_std: FloatArray, trials: FloatArray) -> FloatArray:
    """The standard deviation of each measurement that states its precision; NaN for the others.

    A rate of n trials has the variance p(1 - p)/n, with p from all rates together: a rate of 0 has a noise too.

    Args:
        values: The values; rates may be negated.
        noise_std: The standard error of each, or NaN.
        trials: The trials of each, or 0.
    """
    own = noise_std.copy()
    rates = trials > 0
    if rates.any():
        n = trials[rates]
        p = (float(np.abs(values[rates]) @ n) + PSEUDO_COUNT) / (float(n.sum()) + 2 * PSEUDO_COUNT)
        least = PSEUDO_COUNT / 2 / (float(n.sum()) + 1)  # of p(1 - p), where rounding errors would leave nothing
        own[rates] = np.sqrt(max(p * (1 - p), least) / n)
    return own


def relative_weights(own: FloatArray, noise: float | None) -> tuple[FloatArray, float | None]:
    """The weight of each measurement, the noise variance of the model over its own; and the noise of weight 1.

    Args:
        own: The standard deviation of each measurement that states it; NaN for the others, which have weight 1.
        noise: The noise of these others, if it is known. If not, they are taken to be as noisy as the typical one that
            states it.
    """
    known = np.isfinite(own)
    if not known.any():
        return np.ones(len(own)), noise
    one = float(np.median(own[known])) if noise is None or known.all() else noise
    return weights_of(own, one), one


def weights_of(own: FloatArray, one: float, unit: float = 0.0) -> FloatArray:
    """The weight of each measurement: the squared ratio of the noise of weight 1 and its own.

    A noise below LEAST_NOISE times the noise of weight 1, or times the spread of the values, is taken to be that large,
    and none is more than MOST_NOISE times as large: others cannot be told from these.

    Args:
        own: The standard deviation of each measurement that states it; NaN for the others, which have weight 1.
        one: The noise of weight 1.
        unit: The spread of the values.
    """
    known, least = np.isfinite(own), LEAST_NOISE * max(one, unit)
    bounded = np.clip(np.where(known, own, 1.0), least, MOST_NOISE * max(one, least))
    return np.where(known, np.square(max(one, least) / bounded), 1.0)
