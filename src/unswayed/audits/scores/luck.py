"""If every score is honest: by how much an option leads, and the ranks that each may have."""

from __future__ import annotations

import numpy as np

from unswayed.audits.scores.data import ScoreData
from unswayed.core.scores import Difference, difference, with_sources


def lead_over(data: ScoreData, a: int, b: int, delta: float) -> Difference:
    """By how much the mean of an option is larger than that of another, on the same items by the same sources.

    Args:
        data: The scores.
        a: The option.
        b: The other one.
        delta: The probability that the interval fails.
    """
    found = difference(data.cells[a] - data.cells[b], data.width, delta)
    if data.sources is None:
        return found
    return with_sources(found, data.by_unit[a] - data.by_unit[b], data.unit_item, data.unit_source, delta)


def ranks(data: ScoreData, delta: float) -> list[tuple[int, int]]:
    """The ranks that each option may have: those of one option are wrong with probability delta at most.

    Args:
        data: The scores.
        delta: The probability.
    """
    size, means = len(data.labels), data.cells.mean(axis=1)
    different = np.zeros((size, size), dtype=np.bool_)
    for a in range(size):
        for b in range(a + 1, size):
            p = lead_over(data, a, b, delta).probability
            different[a, b] = different[b, a] = p <= delta / (size - 1)
    better = (different & (means[None, :] > means[:, None])).sum(axis=1)
    worse = (different & (means[None, :] < means[:, None])).sum(axis=1)
    return [(1 + int(b), size - int(w)) for b, w in zip(better, worse, strict=True)]
