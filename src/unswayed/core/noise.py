"""The noise of one measurement, from repeats, so that a tampered repeat does not inflate it."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from unswayed.types import FloatArray, IntArray

MANY = 10  # repeats of which the median is not one of them too often: its own distance is 0


def noise_from_repeats(option: IntArray, values: FloatArray, *, least: int = 1) -> float | None:
    """The median distance of repeats from each other or, where there are many, from their median.

    As a standard deviation. A tampered repeat moves a median little, and the median of all distances hardly. None
    with fewer than `least` repeats, and where more than half of the distances are 0: of a program that prints the same
    number every time, the few other distances may be all lies.
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
