"""The lead of the winner over each other option by chance, where outcomes are counted."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.special import betainc, chdtri, fdtri, ndtri

from unswayed.audits.labels.data import LabelData
from unswayed.audits.labels.suspects import Counts
from unswayed.audits.labels.within import Crossed, Pairs, cell_means, differ
from unswayed.types import BoolArray, FloatArray

SEEN = 0.1  # variation between cells is allowed for from this probability of it by chance; then with Student's t
UNEQUAL = 0.05  # probability that an option seems to vary more than the others where all vary alike
FEW = 10  # expected outcomes: with fewer the normal distribution is not good enough
TINY = 1e-300


def pairs_of_counts(data: LabelData, winner: int, kept: BoolArray, spread_of: BoolArray) -> Pairs:
    """The leads by Mantel and Haenszel, from the rows that are kept, with the variation of those of `spread_of`."""
    n, rate = cell_means(data, kept)
    rate, option, size = np.nan_to_num(rate), data.cells.option, len(data.labels)
    crossed = Crossed.of(data, winner, n)
    inside = crossed.inside(data, winner, n, differ(data, kept, n, rate, None))
    trials, good = (np.bincount(option, x, size).astype(np.float64) for x in (n, n * rate))
    often = bool(2 * good.sum() > trials.sum())
    t, scale, freedom, varies = _spread(data, winner, spread_of, often)
    squares = np.bincount(option, np.square(n), size) / np.maximum(np.square(trials), 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = good / trials
        # Outcomes of the same kind in both options, under the hypothesis that the rates are the same.
        p = (good + good[winner]) / np.maximum(trials + trials[winner], 1)
        variance = p * (1 - p) * (1 / trials + 1 / trials[winner]) + t * _squared(p, often) * (
            squares + squares[winner]
        )
    lead = np.where(inside, crossed.lead(rate), estimate[winner] - estimate)
    few = trials - good if often else good
    return Pairs(
        np.where(crossed.unknown(data, winner, n), np.nan, lead),
        np.sqrt(np.where(inside, _variance_within(crossed, n, rate, t, often), variance) * scale),
        freedom,
        varies,
        inside,
        _step(crossed, n, trials, winner, inside),
        exact=np.where(np.isfinite(freedom), 0.0, _exact(few, trials, winner, often)),
    )


def _squared(p: FloatArray, often: bool) -> FloatArray:
    """The variance of a rate that varies with t = 1: of the rarer outcome."""
    return np.square(1 - p if often else p) * (p if often else 1 - p)


def _variance_within(crossed: Crossed, n: FloatArray, rate: FloatArray, t: float, often: bool) -> FloatArray:
    """The variance of D under the hypothesis that the rates of a source are the same."""
    c, m, W = crossed.cell, crossed.mine, crossed.W
    both = n[c] + n[m]
    q = (n[c] * rate[c] + n[m] * rate[m]) / both
    each = W * q * (1 - q) * both / np.maximum(both - 1, 1) + 2 * t * W**2 * _squared(q, often)
    with np.errstate(divide="ignore", invalid="ignore"):
        return crossed.added(each) / np.square(crossed.total)


def _step(crossed: Crossed, n: FloatArray, trials: FloatArray, winner: int, inside: BoolArray) -> FloatArray:
    """The most that one outcome moves each lead."""
    step = np.zeros(len(trials))
    least = np.minimum(n[crossed.cell], n[crossed.mine])
    np.maximum.at(step, crossed.option, crossed.W / least / crossed.total[crossed.option])
    with np.errstate(divide="ignore"):
        return np.where(inside, step, 1 / np.minimum(trials, trials[winner]))


def _exact(few: FloatArray, trials: FloatArray, winner: int, often: bool) -> FloatArray:
    """The test of two Poisson rates, both sides, where the rarer outcomes are few; else 0."""
    both, share = few + few[winner], trials[winner] / np.maximum(trials + trials[winner], 1)
    mine, rest = np.full(len(few), few[winner]), few
    if often:
        tail = np.where(rest > 0, betainc(np.maximum(rest, 1), mine + 1, 1 - share), 1.0)
    else:
        tail = np.where(mine > 0, betainc(np.maximum(mine, 1), rest + 1, share), 1.0)
    return np.where(both * np.minimum(share, 1 - share) < FEW, np.minimum(2 * tail, 1.0), 0.0)


def _spread(data: LabelData, winner: int, rows: BoolArray, often: bool) -> tuple[float, FloatArray, FloatArray, bool]:
    """How much more the cells vary than outcomes do: t, a factor of the variance of each lead, and what is known of it.

    An option's factor of the source is taken out, if sources measured several options. Variation that chance explains
    is allowed for, but t is then taken as known; so is a pair that varies more than the other options.
    """
    cells, size = data.cells, len(data.labels)
    n, rate = cell_means(data, rows)
    s = (1 - np.nan_to_num(rate) if often else np.nan_to_num(rate)) * n
    counts = Counts(s, n, cells.option, cells.source, size, len(data.sources or "x"))
    some = n > 0
    options, sources = len(np.unique(cells.option[some])), len(np.unique(cells.source[some]))
    free = int(some.sum()) - options
    effects = free >= sources > 1
    free -= (sources - 1) * effects
    if free < 1 or not (n > 1).any():
        return 0.0, np.ones(size), np.full(size, np.inf), False
    p, factor, _ = counts.fit(some, effects, cut=np.inf)
    square = np.where(some, np.square(counts.pearson(p, factor)), 0.0)
    m = np.maximum(n * p[cells.option] * factor[cells.source], TINY)
    t = _overdispersion(square[some], m[some], free)
    freedom = np.full(size, float(free) if _vary(square, m[some], free, SEEN) else np.inf)
    sums = np.bincount(cells.option, square / (1 + t * m), size).astype(np.float64)
    share: FloatArray = np.bincount(cells.option, some, size) * free / float(some.sum())
    own, unequal, mine = _of_pairs(sums, share, winner, free)
    varies = _vary(square, m[some], free, UNEQUAL)
    return t, np.where(unequal, own, 1.0), np.where(unequal, mine, freedom), varies


def _of_pairs(sums: FloatArray, share: FloatArray, winner: int, free: int) -> tuple[FloatArray, BoolArray, FloatArray]:
    """The variance of the winner and a rival, whether both vary more than the others, and what is known of it."""
    mine, pair = share + share[winner], sums + sums[winner]
    rest = free - mine
    own, others = pair / np.maximum(mine, TINY), (sums.sum() - pair) / np.maximum(rest, TINY)
    limit = np.maximum(others * fdtri(np.maximum(mine, 1), np.maximum(rest, 1), 1 - UNEQUAL), 1)
    return own, (mine >= 1) & (rest >= 1) & (own > limit), mine


def _overdispersion(square: FloatArray, m: FloatArray, free: int) -> float:
    """The t >= 0 with which the squares of the residuals are as large as expected."""
    if not square.sum() > free:
        return 0.0
    most = float((square / m).sum()) + 1e-9
    return float(brentq(lambda t: float((square / (1 + t * m)).sum()) - free, 0.0, most, rtol=1e-6, maxiter=5_000))


def _vary(square: FloatArray, m: FloatArray, free: int, level: float) -> bool:
    """Whether cells vary more than outcomes do. Rare outcomes vary more than the chi-square distribution says."""
    wide = free + float(ndtri(1 - level)) * float(np.sqrt(2 * free + (1 / m).sum()))
    return bool(square.sum() > max(float(chdtri(free, level)), wide))
