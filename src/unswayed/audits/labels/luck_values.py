"""The lead of the winner over each other option by chance, where values are measured."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.special import fdtri, stdtr

from unswayed.audits.labels.data import LabelData
from unswayed.audits.labels.lies import powers
from unswayed.audits.labels.proof import seen_noise, variances
from unswayed.audits.labels.within import Crossed, Pairs, cell_means, differ
from unswayed.judgement.noise import Repeats
from unswayed.types import BoolArray, FloatArray

SEEN_IN_VALUES = 0.3  # variation between sources is allowed for from this probability of it by chance
UNEVEN = 1.5  # times the values of the other option: with fewer times, unequal noise moves a pooled test little
ENOUGH = 25  # measurements of an option that tell its own variance and skew; with fewer, those of all count too
LARGEST = 1e15  # degrees of freedom: with more, the variance is known
TINY = 1e-300


def pairs_of_values(data: LabelData, winner: int, kept: BoolArray, spread_of: BoolArray) -> Pairs | None:
    """The leads by Welch's test, from the rows that are kept, with the variation of those of `spread_of`.

    None if nothing is known of the noise.
    """
    around = _around(data, kept, spread_of)
    if around is None:
        return None
    weight, mean = cell_means(data, kept)
    crossed = Crossed.of(data, winner, weight)
    inside = crossed.inside(data, winner, weight, differ(data, kept, weight, mean, around.noise))
    lead, variance, freedom, skew, vary = _apart(data, winner, kept, spread_of, around)
    D, of_D, free, own = _within(data, winner, kept, around, freedom)
    own &= inside
    return Pairs(
        np.where(crossed.unknown(data, winner, weight), np.nan, np.where(inside, D, lead)),
        np.sqrt(np.where(inside, of_D, variance)),
        np.where(own, free, np.minimum(freedom, LARGEST)),
        bool(own.any() or (vary and not inside.all()) or around.more),
        inside,
        powers(data, winner)[0],
        skew=np.where(inside | ~np.isfinite(skew), 0.0, skew),
    )


def _within(
    data: LabelData, winner: int, kept: BoolArray, around: _Around, freedom: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, BoolArray]:
    """The leads within the sources, their variance, its degrees of freedom, and whether that is seen between sources.

    It is seen there if each source has one value of an option and the noise is not stated; or if the leads of the
    sources differ by more than the noise explains.
    """
    weight, mean = cell_means(data, kept)
    crossed, size = Crossed.of(data, winner, weight), len(data.labels)
    c, m, b, W = crossed.cell, crossed.mine, crossed.option, crossed.W
    D = crossed.lead(mean)
    with np.errstate(divide="ignore", invalid="ignore"):
        each = around.variance[b] / weight[c] + around.variance[winner] / weight[m]
        honest = crossed.added(W**2 * each) / crossed.total**2
        days = np.bincount(b, minlength=size)
        off = crossed.added(np.square(W * (mean[m] - mean[c] - D[b])))
        seen = off / crossed.total**2 * days / np.maximum(days - 1, 0)
        more = seen / honest > fdtri(np.maximum(days - 1, 1), np.maximum(freedom, 1), 1 - SEEN_IN_VALUES)
    once = data.noise_std is None and np.bincount(data.cells.cell, kept).max() <= 1
    own = (days > 1) & (seen > 0) & (once | more)
    return D, np.where(own, seen, honest), np.asarray(days - 1, dtype=np.float64), np.asarray(own)


def _apart(
    data: LabelData, winner: int, kept: BoolArray, spread_of: BoolArray, around: _Around
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, bool]:
    """The leads over all rows, their variance, its degrees of freedom, their skew, and whether sources add to it."""
    size = len(data.labels)
    total = np.bincount(data.option, data.weights * kept, size)
    count = np.bincount(data.option, kept, size)
    tau, free = _between(data, spread_of)
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = np.bincount(data.option, data.weights * kept * data.values, size) / total
        lead = estimate[winner] - estimate
        each = around.variance / total
        both = each + each[winner]
        share = each / both
        known = np.square(share) / around.freedom + np.square(1 - share) / around.freedom[winner]
        freedom = np.minimum(1 / (known + TINY), around.freedom.max())  # what is pooled is one estimate
        if data.noise_std is None:
            both, freedom = _or_welch(data, winner, spread_of, lead, both, freedom)
        weight = cell_means(data, kept)[0]
        of_sources = tau * np.bincount(data.cells.option, np.square(weight), size) / np.square(total)
        more = of_sources + of_sources[winner]
        freedom = np.where(more > 0, np.minimum(freedom, free), freedom)
        both += more
        skews = around.third / np.square(count)
        skew = (skews[winner] - skews) / both**1.5
    return lead, both, freedom, skew, tau > 0


def _between(data: LabelData, rows: BoolArray) -> tuple[float, int]:
    """The variance of the sources of an option around its mean, and its degrees of freedom; 0 if none is seen.

    By the analysis of variance: the values of one person, or one lab, are no independent measurements.
    """
    if data.sources is None:
        return 0.0, 0
    weight, mean = cell_means(data, rows)
    option, some, size = data.cells.option, weight > 0, len(data.labels)
    total = np.bincount(option, weight, size)
    mean = np.nan_to_num(mean)
    estimate = np.bincount(option, weight * mean, size) / np.maximum(total, TINY)
    free = int(some.sum()) - int((total > 0).sum())
    repeats = int(rows.sum()) - int(some.sum())
    inside = float(data.weights[rows] @ np.square(data.values - mean[data.cells.cell])[rows])
    if data.noise_std is not None:
        inside, repeats = float(data.noise_std.min()) ** 2, 1
    if free < 1 or repeats < 1:
        return 0.0, 0
    between = float(weight @ np.square(mean - estimate[option]))
    squares = np.bincount(option, np.square(weight), size) / np.maximum(total, TINY)
    return max(between - free * inside / repeats, 0.0) / float(total.sum() - squares.sum()), free


def _or_welch(
    data: LabelData, winner: int, rows: BoolArray, lead: FloatArray, variance: FloatArray, freedom: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The variance of each lead and its degrees of freedom, or Welch's where these make the lead easier by chance.

    What is pooled holds if the noise is the same, or if the options were measured about equally often. Otherwise the
    few values of one option may vary more than can be shown, and the many values of the other hide it.
    """
    size = len(data.labels)
    count = np.bincount(data.option[rows], minlength=size).astype(np.float64)
    mean = np.bincount(data.option[rows], data.values[rows], size) / np.maximum(count, 1)
    off = np.bincount(data.option[rows], np.square(data.values[rows] - mean[data.option[rows]]), size)
    free = count - 1
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # of very large values: what is pooled holds
        each = off / free / count
        both = each + each[winner]
        own = np.square(both) / (np.square(each) / free + np.square(each[winner]) / free[winner])
        p, q = stdtr(own, -lead / np.sqrt(both)), stdtr(freedom, -lead / np.sqrt(variance))
    uneven = np.maximum(count, count[winner]) > UNEVEN * np.minimum(count, count[winner])
    welch = uneven & (np.minimum(free, free[winner]) > 0) & (both > 0) & (p > q)
    return np.where(welch, both, variance), np.where(welch, own, freedom)


class _Around(NamedTuple):
    """How values of weight 1 vary around the mean of their option.

    Attributes:
        variance: Of each option.
        freedom: Its degrees of freedom; infinite if it is known.
        third: The third moment.
        noise: The noise of all options.
        more: Whether it is more than was stated.
    """

    variance: FloatArray
    freedom: FloatArray
    third: FloatArray
    noise: float
    more: bool = False


def _around(data: LabelData, kept: BoolArray, spread_of: BoolArray) -> _Around | None:
    """How values vary, from the rows of `spread_of`; None if that is not known, or an option has no rows."""
    size = len(data.labels)
    rows = replace(data, **{name: getattr(data, name)[spread_of] for name in ("option", "values", "weights", "source")})
    if (np.bincount(data.option, kept, size) == 0).any():
        return None
    repeats = Repeats.of(rows.option)
    if rows.noise_std is not None:
        noise, known = seen_noise(rows)
        return _Around(
            np.full(size, noise**2), np.full(size, known), np.zeros(size), noise, more=bool(np.isfinite(known))
        )
    noise = repeats.pooled(rows.values)
    if repeats.number == 0 or noise == 0:
        return None
    variance, free = variances(rows, noise, repeats.number)
    off = rows.values - rows.estimate[rows.option]
    own = rows.measured >= ENOUGH
    squares = np.bincount(rows.option, np.square(off), size) / np.maximum(rows.measured - 1, 1)
    # Values that are all equal may still differ later: as if one of them did, by the noise.
    squares = np.where(squares > 0, squares, noise**2 / np.maximum(rows.measured, 1))
    variance, free = np.where(own, squares, variance), np.where(own, rows.measured - 1, free)
    cubes = np.bincount(rows.option, off**3, size)
    third = np.where(own, cubes / np.maximum(rows.measured, 1), cubes.sum() / len(off))
    return _Around(variance, free, third, noise)
