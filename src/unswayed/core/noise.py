"""The noise of one measurement, from repeats, by medians: one tampered repeat changes it very little."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from unswayed.types import FloatArray, IntArray

MANY = 10  # from this number of repeats on, take distances from the median; with fewer, its own distance of 0 weighs


def noise_from_repeats(option: IntArray, values: FloatArray, *, least: int = 1) -> float | None:
    """The standard deviation of one measurement, from the median distance between repeats of the same option.

    With many repeats, distances are taken from their median. One tampered repeat moves these medians very little.

    Args:
        option: The number of the option of each value.
        values: The measurements.
        least: How many repeats are needed.

    Returns:
        The noise; None with fewer than `least` repeats, or if more than half of the distances are 0. In that case the
        program prints the same number every time, and the other distances may be lies.
    """
    order = np.argsort(option, kind="stable")
    sorted_options = option[order]
    starts = np.flatnonzero(np.diff(sorted_options, prepend=sorted_options[0] - 1))
    distances, repeats = [], 0
    for mine in np.split(values[order], starts[1:]):
        if len(mine) == 1:
            continue
        repeats += len(mine) - 1
        if len(mine) < MANY:
            first, second = np.triu_indices(len(mine), 1)
            distances.append((mine[first] - mine[second]) / np.sqrt(2))
        else:
            distances.append((mine - np.median(mine)) * np.sqrt(len(mine) / (len(mine) - 1)))
    if repeats < least or not distances:
        return None
    pooled = np.concatenate(distances)
    return float(np.median(np.abs(pooled)) / ndtri(0.75)) or None
