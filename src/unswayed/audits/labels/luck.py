"""If every measurement is honest, is the winner better than chance explains? Judged once, at the end.

    a, b   the winner and a rival          n_as   weight (trials, or 1/variance) of option a from source s
    D      the lead within the sources     W_s    n_as n_bs / (n_as + n_bs)
    t      extra variance of a count: m + t m^2 for a mean of m

    D = sum_s W_s (mean_as - mean_bs) / sum_s W_s

does not depend on what the sources add to all options alike. If the shares of the options are the same in all sources,
D is the lead. Otherwise the lead may be a difference between sources (Simpson's paradox).

Counts: Mantel and Haenszel's test of two rates, with the variance that is seen between cells. Values: Welch's test,
with Hall's correction for skew, or the variance of D between sources; with few values the variance is pooled, but if
one option has far fewer than the other, the more careful of the two tests counts. Both sides count, which allows for
having chosen the winner of two, and Holm's correction for all the others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import betainc, chdtri, fdtri, ndtr, ndtri, stdtr, stdtrit

from unswayed.audits.labels.data import LabelData
from unswayed.audits.labels.lies import powers
from unswayed.audits.labels.proof import variances
from unswayed.audits.labels.suspects import Counts
from unswayed.audits.labels.within import cell_means, differ, single
from unswayed.judgement.noise import Repeats
from unswayed.types import BoolArray, FloatArray, IntArray

SEEN = 0.1  # variation between cells is allowed for from this probability of it by chance; then with Student's t
SEEN_IN_VALUES = 0.3  # the same for values, where nothing else bounds the variance from below
UNEQUAL = 0.05  # probability that an option seems to vary more than the others where all vary alike
UNEVEN = 1.5  # times the values of the other option: with fewer times, unequal noise moves a pooled test little
ENOUGH = 25  # measurements of an option that tell its own variance and skew; with fewer, those of all count too
FEW = 10  # expected outcomes: with fewer the normal distribution is not good enough
OVERLAP = 0.5  # of what is known of a lead; with more of it within the sources, the lead is taken within them
MOST_CAREFUL = 3.0  # times the interval of the normal distribution: more is due to a lead of almost nothing
ROUNDING = 1e-9  # relative: an interval that ends at 0 does so by rounding
TINY = 1e-300


@dataclass(frozen=True, eq=False)
class Chance:
    """The winner against each other option.

    Attributes:
        lead: The lead over each option, within the sources if both were measured there; NaN if it is not known.
        deviation: Its standard deviation, as it was seen.
        freedom: Degrees of freedom of this; infinite if it is known.
        each: The probability of such a lead by chance; 0 for the winner.
        adjusted: The same, corrected for the number of options.
        varies: Whether the cells of an option vary more than outcomes do.
        inside: Whether each lead is one within the sources.
        step: The most that one outcome, or a change of 1 in one value, moves each lead.
    """

    winner: int
    lead: FloatArray
    deviation: FloatArray
    freedom: FloatArray
    each: FloatArray
    adjusted: FloatArray
    varies: bool
    inside: BoolArray
    step: FloatArray

    @property
    def probability(self) -> float:
        """That of the least lead."""
        return float(self.adjusted.max())

    @property
    def closest(self) -> int:
        """The option whose lead is most easily chance."""
        others = np.flatnonzero(np.arange(len(self.lead)) != self.winner)
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.nan_to_num(self.lead / self.deviation, nan=-np.inf, posinf=np.inf, neginf=-np.inf)
        return int(others[np.lexsort((z[others], -self.adjusted[others]))[0]])

    @property
    def overtaken_by(self) -> int | None:
        """The option that is better than the winner within the sources, though not in total; None if there is none.

        Of several, the one that is ahead most clearly.
        """
        z = np.where(self.inside & (self.lead < 0), self.lead / np.maximum(self.deviation, TINY), np.inf)
        return int(np.argmin(z)) if np.isfinite(z).any() else None

    def critical(self, option: int, delta: float) -> float:
        """How many deviations a lead must have."""
        free = self.freedom[option]
        return float(-ndtri(delta / 2) if np.isinf(free) else -stdtrit(free, delta / 2))

    def half_width(self, option: int, delta: float) -> float:
        """Half the interval of a lead, for all options together; it is below the lead exactly if the test says so.

        Bonferroni's, wider if the test is more careful than the normal distribution or Student's t. Holm's test may be
        surer: then the interval is the one that its probability amounts to.
        """
        lead, deviation = float(self.lead[option]), float(self.deviation[option])
        wide = self.critical(option, delta / (len(self.lead) - 1)) * deviation
        careful, p = self._deviations(option, self.each[option]), float(self.adjusted[option])
        if lead <= 0:
            return wide
        if careful > 0:
            wide *= min(max(lead / deviation / careful, 1.0), MOST_CAREFUL) if deviation > 0 else 1.0
        if p > delta:
            return max(wide, lead)
        by_test = lead * self.critical(option, delta) / self._deviations(option, p)
        return wide if wide < lead else min(by_test, lead * (1 - ROUNDING))

    def _deviations(self, option: int, p: float) -> float:
        """How many deviations a lead of this probability has; infinite if the probability is too small to tell."""
        return self.critical(option, max(float(p), TINY))


class _Pairs(NamedTuple):
    """The lead over each option, as in `Chance`; its skew, and a probability that it cannot be below."""

    lead: FloatArray
    deviation: FloatArray
    freedom: FloatArray
    varies: bool
    inside: BoolArray
    step: FloatArray
    skew: FloatArray | float = 0.0
    exact: FloatArray | float = 0.0


class _Crossed(NamedTuple):
    """The cells of rivals whose source also measured the winner: which, its source's cell of the winner, and W."""

    cell: IntArray
    mine: IntArray
    option: IntArray
    W: FloatArray
    total: FloatArray


def by_chance(data: LabelData, winner: int, kept: BoolArray, spread_of: BoolArray | None = None) -> Chance | None:
    """The winner against the others, from the rows that are kept; None if nothing is known of the noise.

    Args:
        data: The measurements.
        winner: The option that leads.
        kept: The rows that are compared.
        spread_of: The rows whose variation counts; by default the same ones.
    """
    spread_of = kept if spread_of is None else spread_of
    found = _counts(data, winner, kept, spread_of) if data.counts else _values(data, winner, kept, spread_of)
    if found is None:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        z = _hall(found.lead / found.deviation, found.skew)
    t = stdtr(np.where(np.isinf(found.freedom), 1.0, found.freedom), -z)
    p = np.maximum(2 * np.where(np.isinf(found.freedom), ndtr(-z), t), found.exact)
    p = np.where(found.lead > 0, np.clip(p, 0.0, 1.0), 1.0)
    p[winner], each = -1.0, p.copy()
    order = np.argsort(p, kind="stable")
    p[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
    p[winner] = each[winner] = 0.0
    return Chance(winner, found.lead, found.deviation, found.freedom, each, p, found.varies, found.inside, found.step)


def _hall(z: FloatArray, skew: FloatArray | float) -> FloatArray:
    """Hall's transformation (1992): the statistic of skewed values on a scale where it is symmetric.

    Only where it makes a lead smaller: a winner that owes its lead to a few large values would otherwise gain by them.
    """
    return np.asarray(np.minimum(z, z + skew / 3 * z**2 + np.square(skew) / 27 * z**3 + skew / 6))


def _crossed(data: LabelData, winner: int, weight: FloatArray) -> _Crossed:
    cells, size, sources = data.cells, len(data.labels), len(data.sources or ())
    at = np.full(max(sources, 1), -1)
    mine = np.flatnonzero((cells.option == winner) & (weight > 0))
    if data.sources is not None:
        at[cells.source[mine]] = mine
    cell = np.flatnonzero((weight > 0) & (at[cells.source] >= 0) & (cells.option != winner))
    other = at[cells.source[cell]]
    W = weight[cell] * weight[other] / (weight[cell] + weight[other])
    return _Crossed(cell, other, cells.option[cell], W, np.bincount(cells.option[cell], W, size).astype(np.float64))


def _inside(data: LabelData, winner: int, crossed: _Crossed, weight: FloatArray, vary: bool) -> BoolArray:
    """Whether each lead is taken within the sources."""
    total = np.bincount(data.cells.option, weight, len(data.labels))
    all_of_it = total * total[winner] / np.maximum(total + total[winner], TINY)
    return np.asarray((crossed.total > 0) & (vary | (crossed.total >= OVERLAP * all_of_it)))


def _alone(data: LabelData, winner: int, weight: FloatArray, crossed: _Crossed) -> BoolArray:
    """Whether an option and the winner share no source, and one of them comes from one source only."""
    if data.sources is None:
        return np.zeros(len(data.labels), dtype=np.bool_)
    alone = single(data, weight)
    return np.asarray((crossed.total == 0) & (alone | alone[winner]))


def _counts(data: LabelData, winner: int, kept: BoolArray, spread_of: BoolArray) -> _Pairs:
    n, rate = cell_means(data, kept)
    rate = np.nan_to_num(rate)
    size, option = len(data.labels), data.cells.option
    crossed = _crossed(data, winner, n)
    inside = _inside(data, winner, crossed, n, differ(data, kept, n, rate, None))
    trials, good = (np.bincount(option, x, size).astype(np.float64) for x in (n, n * rate))
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = good / trials
        lead = estimate[winner] - estimate
    often = bool(2 * good.sum() > trials.sum())
    step = np.zeros(size)
    least = np.minimum(n[crossed.cell], n[crossed.mine])
    np.maximum.at(step, crossed.option, crossed.W / least / crossed.total[crossed.option])
    with np.errstate(divide="ignore"):
        step = np.where(inside, step, 1 / np.minimum(trials, trials[winner]))
    t, scale, freedom, varies = _spread(data, winner, spread_of, often)
    # Outcomes of the same kind in both options, under the hypothesis that the rates are the same.
    p = (good + good[winner]) / np.maximum(trials + trials[winner], 1)
    squares = np.bincount(option, np.square(n), size) / np.maximum(np.square(trials), 1)
    with np.errstate(divide="ignore"):
        variance = p * (1 - p) * (1 / trials + 1 / trials[winner])
    variance += t * np.square(1 - p if often else p) * (p if often else 1 - p) * (squares + squares[winner])
    c, m, W = crossed.cell, crossed.mine, crossed.W
    both = n[c] + n[m]
    q = (n[c] * rate[c] + n[m] * rate[m]) / both
    each = W * q * (1 - q) * both / np.maximum(both - 1, 1)
    each += 2 * t * W**2 * np.square(1 - q if often else q) * (q if often else 1 - q)
    with np.errstate(divide="ignore", invalid="ignore"):
        D = np.bincount(crossed.option, W * (rate[m] - rate[c]), size) / crossed.total
        of_D = np.bincount(crossed.option, each, size) / np.square(crossed.total)
    return _Pairs(
        np.where(_alone(data, winner, n, crossed), np.nan, np.where(inside, D, lead)),
        np.sqrt(np.where(inside, of_D, variance) * scale),
        freedom,
        varies,
        inside,
        step,
        exact=np.where(np.isfinite(freedom), 0.0, _exact(trials - good if often else good, trials, winner, often)),
    )


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
    # A pair that varies more than the others is judged by its own variance.
    sums = np.bincount(cells.option, square / (1 + t * m), size)
    share = np.bincount(cells.option, some, size) * free / some.sum()
    mine, pair = share + share[winner], sums + sums[winner]
    rest = free - mine
    own, others = pair / np.maximum(mine, TINY), (sums.sum() - pair) / np.maximum(rest, TINY)
    limit = np.maximum(others * fdtri(np.maximum(mine, 1), np.maximum(rest, 1), 1 - UNEQUAL), 1)
    unequal = (mine >= 1) & (rest >= 1) & (own > limit)
    varies = _vary(square, m[some], free, UNEQUAL)
    return t, np.where(unequal, own, 1.0), np.where(unequal, mine, freedom), varies


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


def _values(data: LabelData, winner: int, kept: BoolArray, spread_of: BoolArray) -> _Pairs | None:
    size = len(data.labels)
    around = _around(data, kept, spread_of)
    if around is None:
        return None
    variance, free, third, noise = around
    weight, mean = cell_means(data, kept)
    crossed = _crossed(data, winner, weight)
    inside = _inside(data, winner, crossed, weight, differ(data, kept, weight, mean, noise))
    total = np.bincount(data.option, data.weights * kept, size)
    count = np.bincount(data.option, kept, size)
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = np.bincount(data.option, data.weights * kept * data.values, size) / total
        lead = estimate[winner] - estimate
        each = variance / total
        both = each + each[winner]
        share = each / both
        freedom = 1 / (np.square(share) / free + np.square(1 - share) / free[winner] + TINY)
        if data.noise_std is None:
            both, freedom = _or_welch(data, winner, spread_of, lead, both, freedom)
        skews = third / np.square(count)
        skew = (skews[winner] - skews) / both**1.5
    c, m, W, b = crossed.cell, crossed.mine, crossed.W, crossed.option
    with np.errstate(divide="ignore", invalid="ignore"):
        D = np.bincount(b, W * (mean[m] - mean[c]), size) / crossed.total
        honest = (
            np.bincount(b, W**2 * (variance[b] / weight[c] + variance[winner] / weight[m]), size) / crossed.total**2
        )
        days = np.bincount(b, minlength=size)
        off = np.bincount(b, np.square(W * (mean[m] - mean[c] - D[b])), size)
        seen = off / crossed.total**2 * days / np.maximum(days - 1, 0)
        once = np.bincount(data.cells.cell, kept).max() <= 1
        ratio = seen / honest
    own = (
        inside
        & (days > 1)
        & (once | (ratio > fdtri(np.maximum(days - 1, 1), np.maximum(freedom, 1), 1 - SEEN_IN_VALUES)))
    )
    return _Pairs(
        np.where(_alone(data, winner, weight, crossed), np.nan, np.where(inside, D, lead)),
        np.sqrt(np.where(own, seen, np.where(inside, honest, both))),
        np.where(own, days - 1, np.minimum(freedom, 1e15)),
        bool(own.any()),
        inside,
        powers(data, winner)[0],
        skew=np.where(inside | ~np.isfinite(skew), 0.0, skew),
    )


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


def _around(
    data: LabelData, kept: BoolArray, spread_of: BoolArray
) -> tuple[FloatArray, FloatArray, FloatArray, float] | None:
    """The variance of a value of weight 1 of each option, its degrees of freedom, and the third moment; the noise."""
    size = len(data.labels)
    rows = replace(data, **{name: getattr(data, name)[spread_of] for name in ("option", "values", "weights", "source")})
    if (np.bincount(data.option, kept, size) == 0).any():
        return None
    repeats = Repeats.of(rows.option)
    if data.noise_std is not None:
        noise = float(data.noise_std.min())
        residuals = (rows.values - rows.estimate[rows.option]) * np.sqrt(rows.weights) / noise
        ratio = float(residuals @ residuals) / max(repeats.number, 1)
        more = repeats.number > 0 and ratio * repeats.number > chdtri(repeats.number, UNEQUAL)
        known = float(repeats.number) if more else np.inf
        return np.full(size, noise**2 * (ratio if more else 1.0)), np.full(size, known), np.zeros(size), noise
    noise = repeats.pooled(rows.values)
    if repeats.number == 0 or noise == 0:
        return None
    variance, free = variances(rows, noise, repeats.number)
    off = rows.values - rows.estimate[rows.option]
    own = rows.measured >= ENOUGH
    squares = np.bincount(rows.option, np.square(off), size) / np.maximum(rows.measured - 1, 1)
    variance, free = np.where(own, squares, variance), np.where(own, rows.measured - 1, free)
    cubes = np.bincount(rows.option, off**3, size)
    third = np.where(own, cubes / np.maximum(rows.measured, 1), cubes.sum() / len(off))
    return variance, free, third, noise
