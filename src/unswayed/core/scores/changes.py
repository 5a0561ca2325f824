"""The fewest changes after which a rival is level with the leader, or ahead: exact for means.

    d_i    score of the leader minus score of the rival on item i        S    lead: the sum of the d_i
    g_i    by how much S falls, at most, if item i is changed            W    high - low: how far scores can be apart

    re-graded    both scores of the item may be anything from low to high: d_i becomes -W at least, so g_i = d_i + W
    removed      the mean of the rest is at most 0 where their sum is: g_i = d_i

The same holds for anything that the lead is a sum over: single scores, groups of items, judges.

Proof that the largest gains first are optimal. To change a set J leaves S - sum_J g_i, which is least for the J of its
size with the largest gains. So some set of k is enough if and only if the k largest are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from unswayed.types import FloatArray, IntArray

ROUNDING = 1e-12  # of the sum of all gains: a lead that is smaller is none
MOST_SETS = 2_000  # of judges that are left out, of one size, that are tried one by one


@dataclass(frozen=True, eq=False)
class Fewest:
    """The fewest changes that bring a rival level with the leader.

    Attributes:
        least: Fewer are not enough; None if no number is.
        most: This number is; None if no number is.
        which: What to change, what tells most first.
        alike: If all of these tell the same, how many there are that do: any of them would do. Else 0.
        alone: How many changes would each be enough alone.
    """

    least: int | None
    most: int | None
    which: IntArray
    alike: int = 0
    alone: int = 0

    @property
    def exact(self) -> bool:
        """Whether the number is known."""
        return self.least == self.most

    @classmethod
    def never(cls) -> Fewest:
        """No number of changes is enough."""
        return cls(None, None, np.zeros(0, dtype=np.int64))


def fewest(lead: float, gains: FloatArray) -> Fewest:
    """The fewest changes whose gains add up to the lead.

    Args:
        lead: S, not negative.
        gains: g of each change.

    Example:
        >>> found = fewest(3.0, np.array([1.0, 2.0, 0.0, 2.0]))
        >>> found.most, found.which.tolist()
        (2, [1, 3])
    """
    slack = ROUNDING * float(np.abs(gains).sum())
    order = np.argsort(-gains, kind="stable")
    fallen = np.concatenate([[0.0], np.cumsum(gains[order], dtype=np.longdouble)])
    enough = fallen >= lead - slack
    if not enough.any():
        return Fewest.never()
    number = int(np.argmax(enough))
    same = number > 0 and gains[order[0]] - gains[order[number - 1]] <= slack
    alike = int((gains >= gains[order[0]] - slack).sum()) if same else 0
    alone = int((gains >= lead - slack).sum())
    return Fewest(number, number, order[:number].astype(np.int64), alike, alone)


def fewest_left_out(parts: FloatArray) -> Fewest:
    """The fewest parts of the lead without which it is gone; one part is left at least.

    Args:
        parts: What each item, group or judge adds to the lead.
    """
    found = fewest(float(parts.sum()), parts)
    return Fewest.never() if found.most is not None and found.most >= len(parts) else found


def regrading(differences: FloatArray, width: float) -> Fewest:
    """The fewest items whose scores have to be others.

    Args:
        differences: d of each item.
        width: W.
    """
    return fewest(float(differences.sum()), differences + width)


def fewest_tried(number: int, lead_without: Callable[[IntArray], float | None]) -> Fewest:
    """The fewest of a few that have to be left out, where the lead is no sum: small sets are all tried.

    Beyond that it is from what number to what number; the upper one is found by leaving out what lowers the lead most.

    Args:
        number: How many there are.
        lead_without: The lead without some of them; None if nothing is left.
    """
    size = -1
    while size < number - 1 and comb(number, size + 1) <= MOST_SETS:
        size += 1
        for chosen in combinations(range(number), size):
            which = np.array(chosen, dtype=np.int64)
            if (left := lead_without(which)) is not None and left <= 0:
                return Fewest(size, size, which)
    if size == number - 1:
        return Fewest.never()
    out: list[int] = []
    while len(out) < number - 1:
        after = {one: lead_without(np.array([*out, one])) for one in range(number) if one not in out}
        known = {one: left for one, left in after.items() if left is not None}
        if not known:
            break
        best = min(known, key=lambda one: known[one])
        out.append(best)
        if known[best] <= 0:
            return Fewest(size + 1, len(out), np.array(out, dtype=np.int64))
    return Fewest(size + 1, None, np.zeros(0, dtype=np.int64))
