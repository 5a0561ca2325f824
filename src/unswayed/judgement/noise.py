"""The noise of one measurement, from repeats: studies, audits of numbers and audits of labels use the same rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Self

import numpy as np
from scipy.special import ndtri

from unswayed.types import FloatArray, IntArray

LEAST_REPEATS = 6  # with fewer repeats, their median says too little about the noise
MANY_REPEATS = 10  # of one option; with fewer, the median's own distance of 0 counts too much: take pairs
LEAST_VALUES = 4  # distinct values: the differences of fewer are multiples of a step too easily
MOST_STEPS = 10_000  # between the smallest and the largest value; a finer step adds nothing to the noise
RATINGS = 10  # measurements for each distinct value: with more, values are such as ratings, and so are their distances


@dataclass(frozen=True, eq=False)
class Repeats:
    """Which values are repeats of the same option, to estimate the noise of any values.

    Attributes:
        number: How many measurements were made before, of the same option.
        pairs: Two values of the same option each, of options with few repeats.
        groups: The values of each option with many repeats.
        options: The values of each option with repeats.
    """

    number: int
    pairs: IntArray
    groups: tuple[IntArray, ...]
    options: tuple[IntArray, ...]

    @classmethod
    def of(cls, option: IntArray) -> Self:
        """The repeats of measurements, given the number of the option of each."""
        repeated = np.flatnonzero(np.bincount(option)[option] > 1)
        order = repeated[np.argsort(option[repeated], kind="stable")]
        mine = np.split(order, np.flatnonzero(np.diff(option[order])) + 1) if len(order) else []
        few = [group for group in mine if len(group) < MANY_REPEATS]
        pairs = [group[np.stack(np.triu_indices(len(group), 1))] for group in few]
        return cls(
            len(order) - len(mine),
            np.hstack([np.empty((2, 0), np.int64), *pairs]),
            tuple(group for group in mine if len(group) >= MANY_REPEATS),
            tuple(mine),
        )

    def pooled(self, values: FloatArray) -> float:
        """The standard deviation of the values around the means of their options; lies count in full."""
        squares = sum(float(np.square(values[group] - values[group].mean()).sum()) for group in self.options)
        return float(np.sqrt(squares / max(self.number, 1)))

    def agreeing(self, values: FloatArray) -> float:
        """The share of the repeated options all of whose values are the same."""
        return float(np.mean([np.ptp(values[group]) == 0 for group in self.options]))

    def noise(self, values: FloatArray, fallback: Callable[[FloatArray], float] | None = None) -> float | None:
        """The standard deviation of one measurement, from the median distance between repeats of the same option.

        With many repeats, distances are taken from their median. One tampered repeat moves these medians very little.
        If more than half of the distances are 0, there is no median to go by: the program prints the same number every
        time, and the other distances may be lies; or the values are few different numbers.

        Args:
            values: The measurements.
            fallback: The noise of values without a median to go by, or that are few different numbers.

        Returns:
            The noise; None if there are too few repeats, or no noise is found.
        """
        if self.number < LEAST_REPEATS:
            return None
        noise = self._median(values)
        if fallback is not None and (noise == 0 or RATINGS * len(np.unique(values)) <= len(values)):
            noise = fallback(values)
        return max(noise, self.rounding(values)) or None

    def rounding(self, values: FloatArray) -> float:
        """The noise that rounding adds: step/sqrt(12). Repeats that are rounded alike do not average it out.

        So if the noise itself is less than half a step, it counts as often as an option was measured.

        Args:
            values: The measurements.
        """
        found = step(values)
        if not found or not self.options or self.pooled(values) >= found / 2:
            return found / sqrt(12)
        return found * sqrt((1 + self.number / len(self.options)) / 12)

    def _median(self, values: FloatArray) -> float:
        """The median distance, in units in which it is the standard deviation of a normal distribution."""
        distances = [(values[self.pairs[0]] - values[self.pairs[1]]) / np.sqrt(2)]
        for group in self.groups:
            mine = values[group]
            distances.append((mine - np.median(mine)) * np.sqrt(len(mine) / (len(mine) - 1)))
        return float(np.median(np.abs(np.concatenate(distances))) / ndtri(0.75))


def step(values: FloatArray) -> float:
    """The step of rounded values: their smallest difference, or a power of ten; 0 if they have none.

    Args:
        values: The measurements.
    """
    distinct = np.unique(values)
    if len(distinct) < LEAST_VALUES:
        return 0.0
    smallest = float(np.diff(distinct).min())
    for found in (smallest, 10.0 ** np.floor(np.log10(smallest) + 1e-9)):
        if distinct[-1] - distinct[0] > MOST_STEPS * found:
            continue
        steps = (distinct - distinct[0]) / found
        if np.abs(steps - np.rint(steps)).max() <= 1e-6 * max(steps[-1], 1.0):
            return float(found)
    return 0.0
