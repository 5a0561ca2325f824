"""Counting lies after the fact: the fewest false measurements, or lying sources, that could have overturned a winner.

    a, b   the winner and a rival      d_j    effect of measurement j on the lead mu(a) - mu(b)
    h_j    the most that another value within [low, high] in place of y_j takes from the lead

The k measurements of largest h_j take most, so the least k whose h add up to the lead is exact; the same for sums of h
over the measurements of each source. The minimum over rivals is exact for "a is no longer the sole winner".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from unswayed.core.data.memory import row_blocks
from unswayed.core.tampering.threat import Records
from unswayed.types import BoolArray, FloatArray, IntArray

LEAD_ROUNDING = 1e-9  # share of a lead: less of it than this is a rounding error


@dataclass(frozen=True, eq=False)
class Overturn:
    """The fewest false measurements, or lying sources, that take away the sole win.

    Attributes:
        number: How many; None if no number within the range is enough.
        rival: The arm that then draws level or ahead; None if none can. Of several, the one that is least behind now.
        lead: The lead over it.
        chosen: Which ones: numbers of records, or of sources.
        lowest: The lowest possible lead of the winner over its best rival, with 0, 1, 2, ... of them.
        alone: For each of them, whether it alone is enough.
    """

    number: int | None
    rival: int | None
    lead: float
    chosen: IntArray
    lowest: FloatArray
    alone: BoolArray

    @classmethod
    def impossible(cls, candidates: int) -> Self:
        """The result if no number of these records, or sources, overturns the winner."""
        nothing = np.empty(0, dtype=np.int64), np.full(candidates + 1, np.inf)
        return cls(None, None, np.inf, *nothing, np.zeros(candidates, dtype=np.bool_))

    def over(self, leads: FloatArray, h: FloatArray, first: int, shared: FloatArray | float = 0.0) -> Self:
        """With some more rivals.

        Args:
            leads: The lead over each; infinite where it is no rival.
            h: What each record, or source, takes from it at most.
            first: The number of the first of these rivals.
            shared: What is taken from the lead in addition, whatever their number.
        """
        extra = np.broadcast_to(shared, len(h))[:, None]
        needed, order, sums = fewest(leads, h, extra)
        b = int(np.lexsort((leads, needed))[0])
        lowest = np.minimum(self.lowest, (leads[:, None] - np.insert(sums, 0, 0.0, axis=1)).min(axis=0))
        alone = self.alone | (h + extra >= (leads * (1 - LEAD_ROUNDING))[:, None]).any(axis=0)
        known = np.inf if self.number is None else self.number
        if np.isinf(needed[b]) or (known, self.lead) <= (needed[b], leads[b]):
            return replace(self, lowest=lowest, alone=alone)
        number = int(needed[b])
        return type(self)(number, first + b, float(leads[b]), order[b][:number], lowest, alone)


def fewest(
    leads: FloatArray, h: FloatArray, extra: FloatArray | float = 0.0
) -> tuple[FloatArray, IntArray, FloatArray]:
    """For each row, how many of the largest entries of h add up to the lead; their order; and their sums.

    A lead of at most 0 needs none. The number is infinite if all together do not add up to it. `extra` is added to
    each sum.
    """
    order = np.argsort(-h, axis=1, kind="stable")
    sums = np.cumsum(np.take_along_axis(h, order, axis=1), axis=1) + extra
    short = sums < (leads * (1 - LEAD_ROUNDING))[:, None]
    needed = np.where(leads > 0, short.sum(axis=1) + 1.0, 0.0)
    needed[(leads > 0) & short.all(axis=1)] = np.inf
    return needed, order, sums


def overturns(
    leads: FloatArray,
    effect: Callable[[slice], FloatArray],
    records: Records,
    low: float,
    high: float,
    winner: int,
    error: FloatArray | None = None,
) -> tuple[Overturn, Overturn]:
    """The fewest false measurements and the fewest lying sources that overturn `winner`, exactly, over all rivals.

    Fewer than that many false values within the range cannot have hidden that another arm is level or ahead; that many
    can bring the `rival` level. Plays, kernel and lam are held fixed. Sources are counted only where they are known.

    Args:
        leads: Lead of the winner over each arm.
        effect: The effects of all records on the leads over some arms (rows), given a slice of the arms.
        records: The measurements.
        low: Smallest possible value.
        high: Largest possible value.
        winner: The winning arm.
        error: Bound on the rounding errors of the effects of a play of weight 1, for each arm.
    """
    sources = 0 if records.sources is None else int(records.sources.max(initial=-1)) + 1
    lies, liars = Overturn.impossible(len(records.values)), Overturn.impossible(sources)
    for rows in row_blocks(len(leads), max(len(records.values), 1)):
        h = records.gains(-effect(rows), low, high)
        if error is not None:
            h += (high - low) * error[rows, None] * records.weights
        mine = np.where(np.arange(len(leads))[rows] == winner, np.inf, leads[rows])
        lies = lies.over(mine, h, rows.start)
        if records.sources is not None:
            liars = liars.over(mine, records.by_source(h), rows.start, records.unnamed(h))
    return lies, liars
