"""Counting lies after the fact: the fewest false measurements, or lying sources, that could have overturned a winner.

    a, b   the winner and a rival      d_j    effect of measurement j on the lead mu(a) - mu(b)
    h_j    the most that another value within [low, high] in place of y_j takes from the lead

The k measurements of largest h_j take most, so the least k whose h add up to the lead is exact; the same for sums of h
over the measurements of each source. The minimum over rivals is exact for "a is no longer the sole winner".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np

from unswayed.core.memory import row_blocks
from unswayed.core.threat import Records
from unswayed.types import FloatArray, IntArray

LEVEL = 1e-9  # of a lead: a rest this small is a rounding error


@dataclass(frozen=True, eq=False)
class Overturn:
    """The fewest false measurements, or lying sources, that take away the sole win.

    Attributes:
        number: How many; None if no number within the range is enough.
        rival: The arm that then draws level or ahead; None if none can.
        chosen: Which ones: numbers of records, or of sources.
    """

    number: int | None
    rival: int | None
    chosen: IntArray

    @classmethod
    def impossible(cls) -> Self:
        """Nothing within the range overturns the winner."""
        return cls(None, None, np.empty(0, dtype=np.int64))


def fewest(leads: FloatArray, h: FloatArray) -> tuple[FloatArray, IntArray]:
    """For each row, how many of the largest entries of h add up to the lead (infinite if all do not); and their order.

    A lead of at most 0 needs none.
    """
    order = np.argsort(-h, axis=1, kind="stable")
    with np.errstate(invalid="ignore"):
        sums = np.cumsum(np.take_along_axis(h, order, axis=1), axis=1)
    short = sums < (leads * (1 - LEVEL))[:, None]
    needed = np.where(leads > 0, short.sum(axis=1) + 1.0, 0.0)
    needed[(leads > 0) & short.all(axis=1)] = np.inf
    return needed, order


def overturns(
    leads: FloatArray, effect: Callable[[slice], FloatArray], records: Records, low: float, high: float, winner: int
) -> tuple[Overturn, Overturn]:
    """The fewest false measurements and the fewest lying sources that overturn `winner`, exactly, over all rivals.

    Fewer than that many false values within the range cannot have hidden that another arm is level or ahead; that many
    can bring the `rival` level. Plays, kernel and lam are held fixed.

    Args:
        leads: Lead of the winner over each arm.
        effect: The effects of all records on the leads over some arms (rows), given a slice of the arms.
        records: The measurements.
        low: Smallest possible value.
        high: Largest possible value.
        winner: The winning arm.
    """
    best = [Overturn.impossible(), Overturn.impossible()]
    for rows in row_blocks(len(leads), max(len(records.values), 1)):
        h = records.gains(-effect(rows), low, high)
        mine = leads[rows].copy()
        for kind, gains in enumerate((h, records.by_source(h))):
            needed, order = fewest(mine, gains)
            needed[np.arange(rows.start, rows.start + len(mine)) == winner] = np.inf
            first = int(np.argmin(needed))
            known = best[kind].number
            if np.isfinite(needed[first]) and (known is None or needed[first] < known):
                best[kind] = Overturn(int(needed[first]), rows.start + first, order[first][: int(needed[first])])
    return best[0], best[1]
