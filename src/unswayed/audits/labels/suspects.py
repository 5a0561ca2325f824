"""Counts and values that the others do not explain.

Counts: the rows of one option and one source form a cell. Its expected count is

    E = trials x (rate of the option) x (factor of the source),

the rarer outcome is counted, and factors differ from 1 only if the data show that sources differ. Rates and factors
come from Huber's weights, so that a few lies move them little. A cell is compared with what the others say: the tail of
the binomial distribution, widened by the overdispersion of all cells and by the uncertainty of E. The worst cell of its
option and its source is taken out before the next one is looked for. Single outcomes are never suspected.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import betainc, fdtri, ndtri, stdtrit

from unswayed.audits.labels.data import LabelData, added
from unswayed.audits.weak_points import Suspect
from unswayed.types import BoolArray, FloatArray, IntArray

HUBER = 1.345  # deviations that count in full when sources are compared
ROUNDS = 30  # of weights
TUKEY, SKEWED = 4.685, 7.0  # deviations from which a cell has no weight; more if its count is small
TINY = 1e-300
MOST_OF_TWO = 300  # sources of two options that may be off: they are looked at one by one
LEAST_TO_COMPARE = 3  # cells or values of an option: with fewer it cannot be told which one is wrong
SUSPECTED = 0.02  # share of honest audits in which some count is suspected; about half of them change the verdict
SHOWN_EFFECT = 0.2  # probability that honest data without effects of sources are taken to show them
SURE_EFFECT = 0.02  # the same where two options are also compared without effects
SHARED = 1.5  # deviations of the other options of a source: from here on a cell is compared with them
QUARTILE = float(ndtri(0.75))
VARIES = 1.25  # times the variance of outcomes: from here on what is seen of the variance is all there is
KNOWN = 2  # times the degrees of freedom otherwise, as it is known that the variance is not below that of outcomes


@dataclass(frozen=True, eq=False)
class Found:
    """The suspects, which rows are left, and the options' values by these rows, without the sources' effects."""

    suspects: tuple[Suspect, ...]
    kept: BoolArray
    adjusted: FloatArray | None  # None unless sources were seen to differ


@dataclass(frozen=True, eq=False)
class Counts:
    """Cells: rarer outcomes and trials, the option and the source of each."""

    s: FloatArray
    n: FloatArray
    option: IntArray
    source: IntArray
    options: int
    sources: int

    def fit(self, kept: BoolArray, effects: bool, cut: float = TUKEY) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The rate of each option, the factor of each source, and the weight of each cell, from the cells kept."""
        factor, rate = np.ones(self.sources), np.zeros(self.options)
        weight: FloatArray = kept.astype(np.float64)
        if not np.isinf(cut):
            weight = self._near_medians(kept, effects)
        for round_ in range(ROUNDS):
            before = rate
            rate = self._ratio(self.option, weight * self.s, weight * self.n * factor[self.source], self.options, 0.0)
            if effects:
                expected = weight * self.n * rate[self.option]
                alike = self._ratio(self.source, kept * self.s, kept * self.n * rate[self.option], self.sources, 1.0)
                factor = self._ratio(self.source, weight * self.s, expected, self.sources, alike)
                factor /= np.average(factor, weights=np.bincount(self.source, self.n * weight, self.sources) + 1e-300)
            z = self.pearson(rate, factor) / np.sqrt(1 - self.leverage(rate, factor, kept * self.n, effects))
            unit = max(1.0, float(np.median(np.abs(z[kept])) / QUARTILE))
            # Small counts are skewed: they are cut off further out, or rates would come out too low.
            wide = cut * unit + SKEWED / np.sqrt(np.maximum(self.n * rate[self.option] * factor[self.source], 0.1))
            weight = np.where(kept, np.square(np.maximum(1 - np.square(z / wide), 0.0)), 0.0)
            if round_ > 2 and np.allclose(rate, before, rtol=1e-6, atol=0):
                break
        return rate, factor, weight

    def _near_medians(self, kept: BoolArray, effects: bool) -> FloatArray:
        """Weights to begin with: the half of an option's cells that is closest to the median of its rates.

        With effects, rates are relative to those of the other options of the source.
        """
        n, s = self.n * kept, self.s * kept
        rate = self._ratio(self.option, s, n, self.options, 0.0)
        beside = np.ones(len(n))
        if effects:
            expected = n * rate[self.option]
            rest = np.bincount(self.source, s, self.sources)[self.source] - s
            beside = (rest + 0.5) / (np.bincount(self.source, expected, self.sources)[self.source] - expected + 0.5)
        value = np.log((s + 0.5) / (n + 0.5) / beside)
        some = np.flatnonzero(kept)
        first = _medians(self.option[some], value[some], self.options)
        off = np.abs(value - first[self.option])
        return np.where(kept & (off <= _medians(self.option[some], off[some], self.options)[self.option]), 1.0, 0.0)

    @staticmethod
    def _ratio(
        group: IntArray, above: FloatArray, below: FloatArray, groups: int, default: FloatArray | float
    ) -> FloatArray:
        top, bottom = np.bincount(group, above, groups), np.bincount(group, below, groups)
        return np.where(bottom > 0, top / np.where(bottom > 0, bottom, 1.0), default)

    def pearson(self, rate: FloatArray, factor: FloatArray) -> FloatArray:
        """The residual of each cell in standard deviations of an honest count."""
        p = np.clip(rate[self.option] * factor[self.source], 1e-300, 1 - 1e-9)
        return np.asarray((self.s - self.n * p) / np.sqrt(np.maximum(self.n * p * (1 - p), 1e-12)))

    def leverage(self, rate: FloatArray, factor: FloatArray, weight: FloatArray, effects: bool) -> FloatArray:
        """How far each expected count follows the count itself."""
        share = weight * factor[self.source]
        leverage = _share(self.option, share, self.options)
        if effects:
            leverage += (1 - leverage) * _share(self.source, share * rate[self.option], self.sources)
        return np.minimum(leverage, 1 - 1e-9)

    def shows_effects(self, kept: BoolArray, level: float) -> bool:
        """Whether sources differ in all options alike, and how surely."""
        rate, factor, _ = self.fit(kept, effects=False)
        return sources_differ(self.pearson(rate, factor)[kept], self.source[kept], self.sources, level)

    def scores(self, kept: BoolArray, effects: bool) -> tuple[FloatArray, FloatArray, FloatArray]:
        """How many standard deviations each cell is from what the others say, by the dispersion of all cells.

        Also the square of its residual in these units, and the variance of outcomes alone; 0 if it is out.
        """
        rate, factor, weight = self.fit(kept, effects)
        p = np.clip(rate[self.option] * factor[self.source], 1e-300, 1 - 1e-9)
        z = self.pearson(rate, factor)
        leverage = self.leverage(rate, factor, weight * self.n, effects)
        extra = _dispersion(z[kept] / np.sqrt(1 - leverage[kept]), (self.n * p)[kept])
        others = np.clip((p - leverage * self.s / self.n) / (1 - leverage), 0.0, 1 - 1e-9)
        wide = 1 + extra * self.n * p
        phi = wide / (1 - leverage)
        tail = np.maximum(_tail(self.s, self.n, others, phi), _tail(self.n - self.s, self.n, 1 - others, phi))
        # Effects that multiply a rate have a heavier tail than counts: the root, or the logarithm, tames it.
        stable = np.abs(_stable(self.s, extra) - _stable(self.n * others, extra)) * np.sqrt((1 - leverage) / (1 - p))
        score = np.where(kept, np.minimum(tail, stable), 0.0)
        return score, np.where(kept, np.square(z) / wide, 0.0), 1 / wide


def _dispersion(z: FloatArray, expected: FloatArray) -> float:
    """The t >= 0 that medians ask for, if the variance of a count is (1 + t x expected) times that of an honest one."""

    def excess(t: float) -> float:
        return float(np.median(np.abs(z) / np.sqrt(1 + t * expected)) - QUARTILE)

    if not excess(0.0) > 0:
        return 0.0
    most = float(np.max(np.square(z)) / QUARTILE**2 / max(float(expected.min()), 1e-9))
    return float(brentq(excess, 0.0, most + 1.0, rtol=1e-6, maxiter=5_000))


def _stable(count: FloatArray, t: float) -> FloatArray:
    """A count on a scale where its variance is 1, if it is m + t m^2 for a mean of m: 2 sqrt(m) for t = 0."""
    root = max(t, 1e-12) ** 0.5
    return np.asarray(2 / root * np.arcsinh(root * np.sqrt(count + 0.375)))


def _medians(group: IntArray, value: FloatArray, groups: int) -> FloatArray:
    """The upper median of each group."""
    order, size = np.lexsort((value, group)), np.bincount(group, minlength=groups)
    last = len(order) - 1
    return np.asarray(value[order[np.minimum(np.cumsum(size) - size + size // 2, last)]])


def _share(group: IntArray, amount: FloatArray, groups: int) -> FloatArray:
    return np.asarray(amount / np.maximum(np.bincount(group, amount, groups), 1e-300)[group])


def _tail(s: FloatArray, n: FloatArray, p: FloatArray, phi: FloatArray) -> FloatArray:
    """P(count >= s) as standard deviations of a normal tail; counts and trials are divided by the dispersion."""
    tail = np.where(s > 0, betainc(np.maximum(s / phi, 1e-9), (n - s) / phi + 1, p), 1.0)
    normal = (s - n * p) / np.sqrt(np.maximum(phi * n * p * (1 - p), 1e-12))
    return np.asarray(np.where(tail > 1e-290, -ndtri(np.clip(tail, 1e-290, 1 - 1e-16)), np.maximum(normal, 36.0)))


def sources_differ(residuals: FloatArray, source: IntArray, sources: int, level: float) -> bool:
    """Whether sources differ: an F test on residuals that are cut off, so that few lies count.

    Residuals of one source vary among themselves, and the means of the sources vary more than that explains. `level` is
    the probability that this is found where sources do not differ.
    """
    cut = np.clip(residuals, -HUBER, HUBER)
    size = np.bincount(source, minlength=sources)
    mean = np.bincount(source, cut, sources) / np.maximum(size, 1)
    between, within = int((size > 0).sum()) - 1, len(cut) - int((size > 0).sum())
    inside = float(np.square(cut - mean[source]).sum())
    if between < 1 or within < 1 or inside == 0:
        return False
    statistic = size @ np.square(mean - cut.mean()) / between / (inside / within)
    return bool(statistic > fdtri(between, within, 1 - level))


def suspected_counts(data: LabelData) -> Found:
    """Cells of counts that the others do not explain."""
    cells, kept_rows = data.cells, np.ones(len(data.option), dtype=np.bool_)
    size = len(cells.option)
    s = added(cells.cell, data.successes, size).astype(np.float64)
    n = added(cells.cell, data.trials, size).astype(np.float64)
    if not (n > 1).any():
        return Found((), kept_rows, None)
    often = s.sum() > n.sum() / 2  # the rarer outcome is counted
    counts = Counts(n - s if often else s, n, cells.option, cells.source, len(data.labels), len(data.sources or "x"))
    kept, several = n > 1, counts.sources > 1
    effects = several and counts.shows_effects(kept, SHOWN_EFFECT)
    taken, scores = _outliers(counts, kept, effects)
    kept[taken] = False
    rate, factor, _ = counts.fit(kept, effects)
    expected = rate[counts.option] * factor[counts.source]
    kept_rows[np.isin(cells.cell, taken)] = False
    adjusted = None
    if effects:
        rate, _, _ = counts.fit(kept, effects)
        adjusted = np.where(np.bincount(cells.option, kept, counts.options) > 0, 1 - rate if often else rate, -np.inf)
    doubted = np.flatnonzero(~kept_rows)
    where: dict[int, list[int]] = {cell: [] for cell in taken}
    for row, cell in zip(doubted.tolist(), cells.cell[doubted].tolist(), strict=True):
        where[cell].append(row)
    return Found(
        tuple(
            Suspect(
                row=where[cell][0] if len(where[cell]) == 1 else None,
                option=int(cells.option[cell]),
                source=None if data.sources is None else data.sources[cells.source[cell]],
                value=data.shown(s[cell] / n[cell]),
                expected=data.shown(1 - expected[cell] if often else expected[cell]),
                score=score,
                trials=int(n[cell]),
                rows=tuple(where[cell]),
            )
            for cell, score in zip(taken, scores, strict=True)
        ),
        kept_rows,
        adjusted,
    )


def _outliers(counts: Counts, kept: BoolArray, effects: bool) -> tuple[IntArray, FloatArray]:
    """The cells that are too far from the others, the farthest first, and how far each is.

    The farthest cells are candidates. The i-th one is compared with how much the cells vary that are not among the
    first i (Rosner, 1983), and never less than outcomes do: so cells that are off do not hide each other. If the i-th
    one is off, so are all that are farther.
    """
    within = _of_two(counts, kept) if counts.options == 2 and counts.sources > 1 else None
    if within is not None:
        if len(within[0]) or counts.shows_effects(kept, SURE_EFFECT):
            return within
        effects = False  # false days of one option seem to be such effects: a cell is compared with its own option too
    score, square, share = counts.scores(kept, effects)
    score = np.where(_among_others(counts, kept, score), score, 0.0)
    if not effects and counts.sources > 1:
        # Where the other options of a source are off in the same direction, a cell is compared with them.
        z = np.where(kept, counts.pearson(*counts.fit(kept, effects=False)[:2]), 0.0)
        rest = np.bincount(counts.source, z, counts.sources)[counts.source] - z
        beside = np.maximum(np.bincount(counts.source, kept, counts.sources)[counts.source] - kept, 1)
        shared = rest * np.sign(z) > SHARED * np.sqrt(beside)
        if shared.any():
            with_effects, squares, _ = counts.scores(kept, effects=True)
            score = np.where(shared, np.minimum(score, with_effects), score)
            square = np.where(shared, np.minimum(square, squares), square)
    order = np.argsort(-score, kind="stable")
    most = min(int((score > 0).sum()), int(kept.sum()) // 3)
    sources = len(np.unique(counts.source[kept])) if effects else 1
    first = int(kept.sum()) - len(np.unique(counts.option[kept])) - (sources - 1)
    order, free = order[:most], first - np.arange(1, most + 1)
    order, free = order[free > 0], free[free > 0]
    left = np.maximum(square.sum() - np.cumsum(square[order]), 0.0) / np.maximum(free, 1)
    far = score[order] / np.sqrt(np.maximum(left, share[order]))
    allowed = -stdtrit(free, SUSPECTED / (2 * (first - np.arange(len(order)))))
    off = np.flatnonzero(far > allowed)
    number = off[-1] + 1 if len(off) else 0
    return order[:number], far[:number]


def _among_others(counts: Counts, kept: BoolArray, score: FloatArray) -> BoolArray:
    """Whether a cell can be judged: more than half of the cells of its option are less far off."""
    order = np.lexsort((-score, counts.option))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order)) - np.searchsorted(counts.option[order], counts.option[order])
    own = np.bincount(counts.option, kept, counts.options)[counts.option]
    return np.asarray(kept & (rank < np.minimum((own - 1) // 2, own - LEAST_TO_COMPARE + 1)))


def _of_two(counts: Counts, kept: BoolArray) -> tuple[IntArray, FloatArray]:
    """The same for two options: sources are compared by the logarithm of the ratio of the two rates.

    Of the two cells of a source that is too far off, the one that left its own level is taken.
    """
    at = np.full((2, counts.sources), -1)
    at[counts.option[kept], counts.source[kept]] = np.flatnonzero(kept)
    a, b = at[:, (at >= 0).all(axis=0)]
    y = _log_rate(counts, a) - _log_rate(counts, b)
    variance = sum(1 / (counts.s[c] + 0.5) - 1 / (counts.n[c] + 1) for c in (a, b))
    left, removed, far, scores = np.ones(len(y), dtype=np.bool_), list[int](), list[float](), list[float]()
    centre = float(np.median(y)) if len(y) else 0.0
    for number in range(1, min(len(y) // 3, MOST_OF_TWO) + 1):
        worst = int(np.argmax(np.where(left, np.abs(y - centre) / np.sqrt(variance), -1.0)))
        left[worst] = False
        w, free = left / variance, len(y) - number - 1
        if free < 2:
            break
        centre = float(w @ y / w.sum())
        spread = max(float(w @ np.square(y - centre)) / free, 1.0)
        known = KNOWN if spread < VARIES else 1
        score = abs(y[worst] - centre) / np.sqrt((variance[worst] + 1 / w.sum()) * spread)
        removed.append(worst)
        scores.append(float(score))
        far.append(float(score / -stdtrit(known * free, SUSPECTED / (2 * (len(y) - number + 1)))))
    off = np.flatnonzero(np.array(far) > 1)
    number = int(off[-1]) + 1 if len(off) else 0
    level = np.abs(counts.pearson(*counts.fit(kept, effects=False)[:2]))
    days = np.array(removed[:number], dtype=np.int64)
    cells = np.where(level[a[days]] > level[b[days]], a[days], b[days])
    return cells, np.array(scores[:number])


def _log_rate(counts: Counts, cells: IntArray) -> FloatArray:
    return np.asarray(np.log((counts.s[cells] + 0.5) / (counts.n[cells] + 1)))
