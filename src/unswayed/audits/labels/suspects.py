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

from unswayed.audits.fit import MEDIANS, SUSPECTED
from unswayed.audits.labels.data import LabelData, added, others
from unswayed.audits.weak_points import Suspect
from unswayed.judgement.noise import Repeats
from unswayed.types import BoolArray, FloatArray, IntArray

HUBER = 1.345
ROUNDS = 30  # of Huber's weights
LEAST_TO_COMPARE = 3  # cells or values of an option: with fewer it cannot be told which one is wrong
FREEDOM = 0.7  # degrees of freedom for each cell: medians use 37%, but the dispersion is never taken to be below 1
SHOWN_EFFECT = 1e-3  # probability that honest data without effects of sources are taken to show them
QUARTILE = float(ndtri(0.75))


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

    def fit(self, kept: BoolArray, effects: bool) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The rate of each option, the factor of each source, and the weight of each cell, from the cells kept."""
        factor, rate = np.ones(self.sources), np.zeros(self.options)
        weight: FloatArray = kept.astype(np.float64)
        for round_ in range(ROUNDS):
            before = rate
            rate = self._ratio(self.option, weight * self.s, weight * self.n * factor[self.source], self.options, 0.0)
            if effects:
                expected = weight * self.n * rate[self.option]
                factor = self._ratio(self.source, weight * self.s, expected, self.sources, 1.0)
                factor /= np.average(factor, weights=np.bincount(self.source, self.n * kept, self.sources) + 1e-300)
            z = self.pearson(rate, factor)
            unit = max(1.0, float(np.median(np.abs(z[kept])) / QUARTILE))
            # Small counts are skewed: they are cut off further out, or rates would come out too low.
            wide = HUBER * unit + 2 / np.sqrt(np.maximum(self.n * rate[self.option] * factor[self.source], 0.1))
            weight = np.where(kept, np.minimum(1.0, wide / np.maximum(np.abs(z), 1e-300)), 0.0)
            if round_ > 2 and np.allclose(rate, before, rtol=1e-6, atol=0):
                break
        return rate, factor, weight

    @staticmethod
    def _ratio(group: IntArray, above: FloatArray, below: FloatArray, groups: int, default: float) -> FloatArray:
        top, bottom = np.bincount(group, above, groups), np.bincount(group, below, groups)
        return np.where(bottom > 0, top / np.where(bottom > 0, bottom, 1.0), default)

    def pearson(self, rate: FloatArray, factor: FloatArray) -> FloatArray:
        """The residual of each cell in standard deviations of an honest count."""
        p = np.clip(rate[self.option] * factor[self.source], 1e-300, 1 - 1e-9)
        return np.asarray((self.s - self.n * p) / np.sqrt(np.maximum(self.n * p * (1 - p), 1e-12)))

    def shows_effects(self, kept: BoolArray) -> bool:
        """Whether sources differ in all options alike."""
        rate, factor, _ = self.fit(kept, effects=False)
        return sources_differ(self.pearson(rate, factor)[kept], self.source[kept], self.sources, SHOWN_EFFECT)

    def scores(self, kept: BoolArray, effects: bool) -> tuple[FloatArray, FloatArray]:
        """How many standard deviations each cell is from what the others say, and what they say; 0 if it is out."""
        rate, factor, weight = self.fit(kept, effects)
        p = np.clip(rate[self.option] * factor[self.source], 1e-300, 1 - 1e-9)
        z = self.pearson(rate, factor)
        share = weight * self.n * factor[self.source]
        leverage = _share(self.option, share, self.options)
        if effects:
            leverage += (1 - leverage) * _share(self.source, weight * self.n * p, self.sources)
        leverage = np.minimum(leverage, 1 - 1e-9)
        extra = _dispersion(z[kept] / np.sqrt(1 - leverage[kept]), (self.n * p)[kept])
        others = np.clip((p - leverage * self.s / self.n) / (1 - leverage), 0.0, 1 - 1e-9)
        phi = (1 + extra * self.n * p) / (1 - leverage)
        tail = np.maximum(_tail(self.s, self.n, others, phi), _tail(self.n - self.s, self.n, 1 - others, phi))
        # Effects that multiply a rate have a heavier tail than counts: the root, or the logarithm, tames it.
        stable = np.abs(_stable(self.s, extra) - _stable(self.n * others, extra)) * np.sqrt((1 - leverage) / (1 - p))
        score = np.minimum(tail, stable)
        cells = np.bincount(self.option, kept, self.options)
        return np.where(kept & (cells[self.option] >= LEAST_TO_COMPARE), score, 0.0), others


def _dispersion(z: FloatArray, expected: FloatArray) -> float:
    """The t >= 0 that medians ask for, if the variance of a count is (1 + t x expected) times that of an honest one."""

    def excess(t: float) -> float:
        return float(np.median(np.abs(z) / np.sqrt(1 + t * expected)) - QUARTILE)

    if not excess(0.0) > 0:
        return 0.0
    most = float(np.max(np.square(z)) / QUARTILE**2 / max(float(expected.min()), 1e-9))
    return float(brentq(excess, 0.0, most + 1.0, rtol=1e-6))


def _stable(count: FloatArray, t: float) -> FloatArray:
    """A count on a scale where its variance is 1, if it is m + t m^2 for a mean of m: 2 sqrt(m) for t = 0."""
    root = max(t, 1e-12) ** 0.5
    return np.asarray(2 / root * np.arcsinh(root * np.sqrt(count + 0.375)))


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
    effects = several and counts.shows_effects(kept)
    taken, scores = _sequential(counts, kept, effects)
    _, expected = counts.scores(kept, effects) if len(taken) else (None, np.zeros(size))
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


def _sequential(counts: Counts, kept: BoolArray, effects: bool) -> tuple[list[int], list[float]]:
    """Cells taken out one after the other (`kept` is changed), and their scores.

    The first suspect of an option is one of all cells; the next ones are looked for among the cells of this option.
    """
    tested, own = int(kept.sum()), np.bincount(counts.option, kept, counts.options)
    free = max(FREEDOM * (tested - counts.options - (counts.sources if effects else 0)), 1.0)
    allowed = np.full(counts.options, -stdtrit(free, SUSPECTED / (2 * max(tested, 1))))
    taken: list[int] = []
    scores: list[float] = []
    while True:
        score, _ = counts.scores(kept, effects)
        left = np.bincount(counts.option, kept, counts.options)
        score[(left <= np.maximum(own / 2, LEAST_TO_COMPARE - 1))[counts.option]] = 0.0
        flagged = np.flatnonzero(score > allowed[counts.option])
        # With two options both look wrong where a source's factor is unknown: the one that left its own level is.
        rank = np.abs(counts.pearson(*counts.fit(kept, effects=False)[:2])) if counts.options == 2 else score
        worst = _worst(flagged, rank, counts, effects)
        if not worst:
            return taken, scores
        kept[worst] = False
        option = counts.option[worst]
        allowed[option] = -stdtrit(free, SUSPECTED / (2 * own[option]))
        taken += worst
        scores += [float(score[c]) for c in worst]


def _worst(flagged: IntArray, rank: FloatArray, counts: Counts, effects: bool) -> list[int]:
    """The cells that are the worst of their option, and of their source if sources have factors."""
    mine = rank[flagged]
    worst = np.ones(len(flagged), dtype=np.bool_)
    for group, groups in ((counts.option, counts.options), (counts.source, counts.sources))[: 1 + effects]:
        largest = np.zeros(groups)
        np.maximum.at(largest, group[flagged], mine)
        worst &= mine == largest[group[flagged]]
    return [int(cell) for cell in flagged[worst]]


def suspected_values(data: LabelData) -> Found:
    """Values that are too far from the others of their option."""
    kept = np.ones(len(data.option), dtype=np.bool_)
    repeats = Repeats.of(data.option)
    noise = repeats.noise(data.values, repeats.pooled) if data.noise_std is None else float(data.noise_std.min())
    if noise is None or len(np.unique(data.values)) == 2:
        return Found((), kept, None)
    tail = SUSPECTED / (2 * len(kept))
    allowed = -ndtri(tail) if data.noise_std is not None else -stdtrit(max(MEDIANS * repeats.number, 1.0), tail)
    size, option = len(data.labels), data.option
    suspects: list[Suspect] = []
    while True:
        w = data.weights * kept
        rest, mean = others(option, w, data.values, size)
        enough = np.bincount(option, kept, size) >= np.maximum(LEAST_TO_COMPARE, data.measured / 2)
        with np.errstate(divide="ignore"):
            score = np.abs(data.values - mean) / (noise * np.sqrt(1 / data.weights + 1 / rest))
        score = np.where(kept & enough[option], score, 0.0)
        worst = np.lexsort((-score, option))[np.cumsum(data.measured) - data.measured]
        worst = worst[score[worst] > allowed]
        if not len(worst):
            return Found(tuple(suspects), kept, None)
        kept[worst] = False
        for row in worst.tolist():
            suspect = Suspect(
                row=row,
                option=int(option[row]),
                source=None if data.sources is None else data.sources[data.source[row]],
                value=data.shown(data.values[row]),
                expected=data.shown(mean[row]),
                score=float(score[row]),
                rows=(row,),
            )
            suspects.append(suspect)
