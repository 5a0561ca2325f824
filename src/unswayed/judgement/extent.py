"""How far apart the usual values are, whatever a few of them are; and what is computed with in place of the others.

    unit   spread of the values (`spread`), which lies in a quarter of them do not change
    D_s    distance from the middle of the farthest value of source s

A source may tell many values. So where sources are named, each counts once: the middle is the median of the values,
with a weight that is the same for each source, and the unit is at most MOST times the median of D_s over the sources. A
single source changes neither by much.

Computed with are values within FARTHEST units of the middle. That is farther than a fault (set_aside.py), so a value
that was moved there is always set aside, and the others keep their digits. In the same way a standard error is taken to
be at least LEAST_ERROR units: a smaller one only costs digits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from unswayed.core.data.measurement import weights_of
from unswayed.core.tampering.threat import LARGEST_VALUE
from unswayed.judgement.fit import spread
from unswayed.types import FloatArray, IntArray

COVERING = 8  # the first values, which cover the space; later ones are more alike
MOST = 100.0  # median distances of the farthest values: honest values are spread less
FARTHEST = 1e10  # units: beyond the largest output scale of a fit times the distance of a fault
NOISIEST = 10.0  # units: a larger noise contradicts the values
APART = 100.0  # a typical standard error that is off by this factor from that of the typical source is not typical
LEAST = 3  # a source counts from this many values on


@dataclass(frozen=True)
class Extent:
    """Where values lie.

    Attributes:
        middle: Of the values.
        unit: How far they are spread; 0 if no two differ.
        most: The largest spread that the sources together confirm; infinite if too few are named.
    """

    middle: float
    unit: float
    most: float

    @classmethod
    def of(cls, values: FloatArray, sources: IntArray | None = None) -> Self:
        """Of some values, in their order.

        Args:
            values: The values.
            sources: The number of the source of each, -1 if it was not named; None if none was.
        """
        if len(values) == 0 or np.ptp(values) == 0:
            return cls(float(values[0]) if len(values) else 0.0, 0.0, np.inf)
        middle, most = float(np.median(values)), np.inf
        if sources is not None:
            own = [np.abs(values[sources == one]) for one in np.unique(sources[sources >= 0])]
            if sum(len(one) >= LEAST for one in own) >= LEAST:
                middle = _middle(values, sources)
                far = [np.abs(values[sources == one] - middle).max() for one in np.unique(sources)]
                most = MOST * float(np.median(far)) or np.inf
        unit = max(spread(part) for part in (values[:COVERING], values) if np.ptp(part) > 0)
        return cls(middle, min(unit, most), most)

    def computed_with(self, values: FloatArray) -> FloatArray:
        """The same values; those beyond FARTHEST units are moved there.

        Args:
            values: The values.
        """
        if self.unit == 0:
            return values
        return np.clip(values, self.middle - FARTHEST * self.unit, self.middle + FARTHEST * self.unit)

    def possible_noise(self, noise: float | None) -> float | None:
        """A noise that was found; None if it contradicts the values, as that of forged repeats may.

        Args:
            noise: The noise.
        """
        return noise if noise is None or not self.unit or noise <= NOISIEST * self.unit else None

    def weights(
        self, own: FloatArray, noise: float | None, sources: IntArray | None
    ) -> tuple[FloatArray, float | None]:
        """The weight of each measurement, and the noise of weight 1; None if it is not known.

        Where it is not known, measurements that do not state their noise are as noisy as the typical one that does, if
        that agrees with the values, and not only few sources state it.

        Args:
            own: The standard deviation of each measurement that states it; NaN for the others, which have weight 1.
            noise: The noise of these others, if it is known.
            sources: The number of the source of each, if sources are known.
        """
        known = np.isfinite(own)
        if not known.any():
            return np.ones(len(own)), noise
        if noise is not None and not known.all():
            return weights_of(own, noise, self.unit), noise
        one, few = float(np.median(own[known])), False
        if sources is not None:
            typical = _middle(own[known], sources[known])
            one = one if typical / APART <= one <= typical * APART else typical
            few = 2 * len(np.unique(sources[known])) < len(np.unique(sources))
        if not known.all() and (few or self.possible_noise(one) is None):
            return weights_of(own, min(one, self.unit or one), self.unit), None
        return weights_of(own, one, self.unit), one


def _middle(values: FloatArray, sources: IntArray) -> float:
    """The median of values, each with a weight that gives every source the same."""
    number = np.unique(sources, return_inverse=True)[1]
    weights, order = 1 / np.bincount(number)[number], np.argsort(values, kind="stable")
    total = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(total, 0.5 * total[-1])])


def without_dust(values: FloatArray) -> FloatArray:
    """The same values; those whose square cannot be computed with are 0.

    Args:
        values: The values.
    """
    dust = np.abs(values) < 1 / LARGEST_VALUE
    return np.where(dust, 0.0, values) if dust.any() else values
