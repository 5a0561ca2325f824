"""If every score is honest: by how much an option leads, and the ranks that each may have."""

from __future__ import annotations

import numpy as np

from unswayed.audits.scores.data import ScoreData
from unswayed.core.scores import Difference, difference, with_groups, with_sources


def lead_over(data: ScoreData, a: int, b: int, delta: float) -> Difference:
    """By how much the mean of an option is larger than that of another, on the same items by the same sources.

    Args:
        data: The scores.
        a: The option.
        b: The other one.
        delta: The probability that the interval fails.
    """
    d = data.cells[a] - data.cells[b]
    found, group = difference(d, data.width, delta), None
    if data.groups is not None:
        found, group = with_groups(found, d, data.group, delta), data.group[data.unit_item]
    if data.sources is None:
        return found
    d = data.by_unit[a] - data.by_unit[b]
    return with_sources(found, d, data.unit_item, data.unit_source, delta, group)


def ranks(data: ScoreData, delta: float) -> list[tuple[int, int]]:
    """The ranks that each option may have: those of one option are wrong with probability delta at most.

    They allow for the number of rivals. A first one whose lead over each is more than chance needs no such allowance
    (Hung and Fithian, 2019): it is first alone, as the verdict says; that is wrong with probability delta at most.

    Args:
        data: The scores.
        delta: The probability.
    """
    size, means = len(data.labels), data.cells.mean(axis=1)
    p = np.ones((size, size))
    for a in range(size):
        for b in range(a + 1, size):
            p[a, b] = p[b, a] = lead_over(data, a, b, delta).probability
    different, first = p <= delta / (size - 1), int(np.argmax(means))
    if (np.delete(p[first], first) <= delta).all():
        different[first] = different[:, first] = True
    better = (different & (means[None, :] > means[:, None])).sum(axis=1)
    worse = (different & (means[None, :] < means[:, None])).sum(axis=1)
    return [(1 + int(b), size - int(w)) for b, w in zip(better, worse, strict=True)]
