"""Whether the winner also wins within the sources: days or labs may differ, and measure options in unequal shares.

    a, b   the winner and a rival          n_as   weight (trials, or 1/variance) of option a from source s
    D      the lead within the sources     W_s    n_as n_bs / (n_as + n_bs)

    D = sum_s W_s (mean_as - mean_bs) / sum_s W_s

does not depend on what the sources add to all options alike. If the shares of the options are the same in all sources,
D is the lead. Otherwise the lead may be a difference between sources (Simpson's paradox).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
from scipy.special import chdtri, fdtri, ndtri

from unswayed.audits.labels.data import LabelData
from unswayed.audits.labels.proof import Proof
from unswayed.audits.labels.suspects import sources_differ
from unswayed.types import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from unswayed.audits.labels.luck import Chance

LEVEL = 0.005  # of each of two tests that sources differ
OVERLAP = 0.5  # of what is known of a lead; with more of it within the sources, the lead is taken within them
TINY = 1e-300


class Pairs(NamedTuple):
    """The lead over each option, as in `Chance`; its skew, and a probability that it cannot be below."""

    lead: FloatArray
    deviation: FloatArray
    freedom: FloatArray
    varies: bool
    inside: BoolArray
    step: FloatArray
    skew: FloatArray | float = 0.0
    exact: FloatArray | float = 0.0


@dataclass(frozen=True, eq=False)
class Crossed:
    """The cells of rivals whose source also measured the winner.

    Attributes:
        cell: Which cells these are.
        mine: The cell of the winner from the same source.
        option: The option of each cell.
        W: Its weight in D.
        total: The sum of these weights for each option.
    """

    cell: IntArray
    mine: IntArray
    option: IntArray
    W: FloatArray
    total: FloatArray

    @classmethod
    def of(cls, data: LabelData, winner: int, weight: FloatArray) -> Self:
        """The cells that have weight."""
        cells, size, sources = data.cells, len(data.labels), len(data.sources or ())
        at = np.full(max(sources, 1), -1)
        mine = np.flatnonzero((cells.option == winner) & (weight > 0))
        if data.sources is not None:
            at[cells.source[mine]] = mine
        cell = np.flatnonzero((weight > 0) & (at[cells.source] >= 0) & (cells.option != winner))
        other = at[cells.source[cell]]
        W = weight[cell] * weight[other] / (weight[cell] + weight[other])
        return cls(cell, other, cells.option[cell], W, np.bincount(cells.option[cell], W, size).astype(np.float64))

    def added(self, amount: FloatArray) -> FloatArray:
        """The sum of what each cell has, for each option."""
        return np.bincount(self.option, amount, len(self.total)).astype(np.float64)

    def lead(self, mean: FloatArray) -> FloatArray:
        """D for each option; NaN where there is none."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.added(self.W * (mean[self.mine] - mean[self.cell])) / self.total

    def inside(self, data: LabelData, winner: int, weight: FloatArray, vary: bool) -> BoolArray:
        """Whether each lead is taken within the sources."""
        total = np.bincount(data.cells.option, weight, len(data.labels))
        all_of_it = total * total[winner] / np.maximum(total + total[winner], TINY)
        return np.asarray((self.total > 0) & (vary | (self.total >= OVERLAP * all_of_it)))

    def unknown(self, data: LabelData, winner: int, weight: FloatArray) -> BoolArray:
        """Whether an option and the winner share no source, and one of them comes from one source only."""
        if data.sources is None:
            return np.zeros(len(data.labels), dtype=np.bool_)
        alone = _single(data, weight)
        return np.asarray((self.total == 0) & (alone | alone[winner]))


@dataclass(frozen=True)
class Within:
    """An option that may be better than the winner, if options are compared within the sources.

    Attributes:
        rival: The option.
        lead: The lead of the winner over it within the sources; None if no source measured both.
        deviation: The standard deviation of this lead.
    """

    rival: int
    lead: float | None
    deviation: float | None


def compare_within(
    data: LabelData, winner: int, kept: BoolArray, proof: Proof | None, chance: Chance | None
) -> tuple[Proof | None, Within | None]:
    """What is left of a proof if sources may differ, or vary; and the rival that this is due to, if there is one."""
    if proof is None or chance is None or not (data.sources is not None or chance.varies):
        return proof, None
    rivals, lead = np.arange(len(chance.lead)) != winner, chance.lead
    weight, mean = cell_means(data, kept)
    careful = chance.varies or differ(data, kept, weight, mean, proof.noise_std)
    each = 2 * proof.delta / (len(lead) - 1)
    margin = lead - chance.deviation * np.array([chance.critical(i, each) for i in range(len(lead))])
    open_ = rivals & (~(margin > 0) if careful else np.isnan(lead))
    if not open_.any():
        few = np.floor(np.min((margin / chance.step)[rivals])) if careful and data.counts else np.inf
        return replace(proof, lies=int(min(proof.lies, few))), None
    gap = float(max(proof.largest_gap, np.max(np.where(np.isnan(margin), np.inf, -margin)[open_])))
    candidates = (winner, *sorted({*proof.candidates[1:], *(int(i) for i in np.flatnonzero(open_))}))
    worst = int(np.argmin(np.where(open_, np.where(np.isnan(lead), -np.inf, margin), np.inf)))
    known = not np.isnan(lead[worst])
    within = Within(worst, float(lead[worst]) if known else None, float(chance.deviation[worst]) if known else None)
    return replace(proof, candidates=candidates, largest_gap=gap, lies=-1, best_untampered=False), within


def cell_means(data: LabelData, kept: BoolArray) -> tuple[FloatArray, FloatArray]:
    """The weight and the mean of each cell, from the rows that are kept."""
    cell, size = data.cells.cell, len(data.cells.option)
    weight = np.bincount(cell, data.weights * kept, size).astype(np.float64)
    above = np.bincount(cell, data.weights * kept * data.values, size)
    return weight, above / np.where(weight > 0, weight, np.nan)


def _single(data: LabelData, weight: FloatArray) -> BoolArray:
    """Whether each option comes from one source only, which measured more than once."""
    cells, kept = data.cells, weight > 0
    found = np.bincount(cells.option, kept, len(data.labels)) == 1
    measured = data.option_trials if data.counts else data.measured
    return np.asarray(found & (measured > 1))


def differ(data: LabelData, kept: BoolArray, weight: FloatArray, mean: FloatArray, noise: float | None) -> bool:
    """Whether the data show that sources differ.

    Either rows, or counts, of one source are off in the same direction; or the means of an option's sources vary more
    than chance explains.
    """
    cells, some, size = data.cells, weight > 0, len(data.labels)
    estimate = np.bincount(data.option, data.weights * kept * data.values, size) / np.maximum(
        np.bincount(data.option, data.weights * kept, size), 1e-300
    )
    free = int(some.sum()) - len(np.unique(cells.option[some]))
    p = np.clip(estimate, 1e-12, 1 - 1e-12)
    unit = np.sqrt(p * (1 - p)) if noise is None else np.full(size, noise)
    z = (np.nan_to_num(mean) - estimate[cells.option])[some] * np.sqrt(weight[some]) / unit[cells.option[some]]
    between = float(z @ z)
    if noise is None:
        # Counts of rare outcomes vary more than the chi-square distribution says.
        rare = np.maximum((1 / (p * (1 - p)) - 6)[cells.option[some]] / weight[some], 0.0)
        wide = free + float(ndtri(1 - LEVEL)) * float(np.sqrt(2 * free + rare.sum()))
        shown = free > 0 and between > max(float(chdtri(free, LEVEL)), wide)
        return shown or sources_differ(z, cells.source[some], len(data.sources or ()), LEVEL)
    rows = np.flatnonzero(kept)
    inside = (data.values - mean[cells.cell])[rows] * np.sqrt(data.weights[rows]) / noise
    repeats = len(rows) - int(some.sum())
    if data.noise_std is not None:
        shown = free > 0 and between > float(chdtri(free, LEVEL))
    else:
        largest = float(fdtri(free, repeats, 1 - LEVEL)) if free > 0 and repeats > 0 else np.inf
        shown = between * repeats > largest * free * float(inside @ inside)
    each = (data.values - estimate[data.option])[rows] * np.sqrt(data.weights[rows]) / noise
    return shown or sources_differ(each, data.source[rows], len(data.sources or ()), LEVEL)
