"""Paired differences whose items come in groups, or that several sources saw: these are samples, as the items are.

    d_u    difference in unit u, one item as one source scored it    w_u    its weight in the mean
    r_u    d_u less the mean                                         p_c    weight of a cluster: the sum of its w

A cluster is an item, a group of items, or a source. What its units have in common is drawn once. So the variance of
the mean, if the clusters are drawn anew, is estimated by

    V = f sum over clusters of (sum w r)^2        f = S2 / (S2 - 2 S3 + S2^2)        Sk = sum over clusters of p^k

where f is c/(c - 1) for c clusters of one size. V is a quadratic form in what the clusters have in common, u'Au with
A = (I - p1')diag(p^2)(I - 1p'); its degrees of freedom are tr(A)^2 / tr(A^2) (Bell and McCaffrey, 2002), which is few
if one cluster has most of the weight.

    A = the larger of V of items and V of groups        B = V of sources less sum over units of (w r)^2, at least 0

A + B is the variance if items, or groups, and sources are all drawn anew (Cameron, Gelbach and Miller, 2011), with
Satterthwaite's degrees of freedom. Where all sources agree, B is next to nothing.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import stdtr, stdtrit

from unswayed.core.scores.paired import Difference
from unswayed.types import FloatArray, IntArray


def with_groups(found: Difference, d: FloatArray, group: IntArray, delta: float) -> Difference:
    """A difference whose interval and probability allow for groups that differ; never more certain than before.

    Args:
        found: What the items alone say.
        d: The difference on each item.
        group: The group of each item.
        delta: The probability that the interval fails.
    """
    if len(np.unique(group)) < 2:
        return found
    variance, freedom = _drawn_anew(np.full(len(d), 1 / len(d)), d - found.mean, group)
    return _allowing(found, variance, freedom, delta, "groups")


def with_sources(
    found: Difference, d: FloatArray, item: IntArray, source: IntArray, delta: float, group: IntArray | None = None
) -> Difference:
    """A difference whose interval and probability allow for sources that differ; never more certain than before.

    Args:
        found: What the items alone say.
        d: The difference in each unit.
        item: The item of each unit.
        source: Its source.
        delta: The probability that the interval fails.
        group: The group of its item.
    """
    items = np.bincount(item)
    if len(np.unique(source)) < 2 or (items > 0).sum() < 2:
        return found
    w = 1 / ((items > 0).sum() * items[item])
    r = d - found.mean
    A, freedom = _drawn_anew(w, r, item)
    if group is not None and len(np.unique(group)) > 1:
        A, freedom = max((A, freedom), _drawn_anew(w, r, group))
    by_source, own = _drawn_anew(w, r, source)
    B = max(by_source - float(((w * r) ** 2).sum()), 0.0)
    if A + B <= 0:
        return found
    return _allowing(found, A + B, (A + B) ** 2 / (A**2 / freedom + by_source**2 / own), delta, "sources")


def _drawn_anew(w: FloatArray, r: FloatArray, cluster: IntArray) -> tuple[float, float]:
    """V of clusters, and its degrees of freedom; there are two clusters at least."""
    p = np.bincount(cluster, weights=w)
    S2, S3, S4, S5 = (float((p**k).sum()) for k in (2, 3, 4, 5))
    trace = S2 - 2 * S3 + S2**2
    trace_of_square = S4 + 2 * (S2 * S4 - 2 * S5) + 2 * (S3**2 + S2 * S4) - 4 * S2**2 * S3 + S2**4
    sums = np.bincount(cluster, weights=w * r)
    return S2 / trace * float((sums**2).sum()), trace**2 / trace_of_square


def _allowing(found: Difference, variance: float, freedom: float, delta: float, test: str) -> Difference:
    """The worse of a difference and of what Student's t says with this variance."""
    if variance <= 0:
        return found
    error = float(np.sqrt(variance))
    p = 2 * float(stdtr(freedom, -abs(found.mean) / error))
    half = float(-stdtrit(freedom, delta / 2)) * error
    low, high = min(found.low, found.mean - half), max(found.high, found.mean + half)
    if p <= found.probability:
        return replace(found, low=low, high=high)
    return replace(found, low=low, high=high, probability=p, test=test)
