"""Paired differences that several sources saw: items and sources both are samples.

    d_u    difference in unit u, one item as one source scored it    w_u    its weight in the mean
    r_u    d_u less the mean                                         n, s   numbers of items and of sources

    A = n/(n - 1) sum over items of (sum w r)^2
    B = s/(s - 1) sum over sources of (sum w r)^2 - sum over units of (w r)^2, and at least 0

Sources have tastes: another set of them might have seen another difference. A + B is the variance of the mean if both
are drawn anew (Cameron, Gelbach and Miller, 2011), with Satterthwaite's degrees of freedom. Where all sources agree, B
is next to nothing.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import stdtr, stdtrit

from unswayed.core.scores.paired import Difference
from unswayed.types import FloatArray, IntArray


def with_sources(found: Difference, d: FloatArray, item: IntArray, source: IntArray, delta: float) -> Difference:
    """A difference whose interval and probability allow for sources that differ; never more certain than before.

    Args:
        found: What the items alone say.
        d: The difference in each unit.
        item: The item of each unit.
        source: Its source.
        delta: The probability that the interval fails.
    """
    items = np.bincount(item)
    n, s = int((items > 0).sum()), len(np.unique(source))
    if s < 2 or n < 2:
        return found
    w = 1 / (n * items[item])
    wr = w * (d - found.mean)
    A = n / (n - 1) * float((np.bincount(item, weights=wr) ** 2).sum())
    by_source = s / (s - 1) * float((np.bincount(source, weights=wr) ** 2).sum())
    B = max(by_source - float((wr**2).sum()), 0.0)
    if A + B <= 0:
        return found
    error = float(np.sqrt(A + B))
    freedom = (A + B) ** 2 / (A**2 / (n - 1) + by_source**2 / (s - 1))
    p = 2 * float(stdtr(freedom, -abs(found.mean) / error))
    half = float(-stdtrit(freedom, delta / 2)) * error
    low, high = min(found.low, found.mean - half), max(found.high, found.mean + half)
    if p <= found.probability:
        return replace(found, low=low, high=high)
    return replace(found, low=low, high=high, probability=p, test="sources")
