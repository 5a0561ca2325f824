"""How far a measurement can be trusted before anybody looks at its value: who says that it was made."""

from __future__ import annotations

from enum import StrEnum
from typing import Self

import numpy as np

from unswayed.errors import InvalidInput
from unswayed.text import printable
from unswayed.types import BoolArray, IntArray


class TrustLevel(StrEnum):
    """How far a measurement can be trusted, the least first.

    Attributes:
        SELF_REPORTED: Whoever measured it says so.
        WITNESSED: A witness ran the command of the study, and the server signed the record.
        REPEATED: The same, and another witness measured the same point too.

    Example:
        >>> TrustLevel("witnessed").rank
        1
    """

    SELF_REPORTED = "self-reported"
    WITNESSED = "witnessed"
    REPEATED = "repeated"

    @property
    def rank(self) -> int:
        """Its place among the levels, from 0."""
        return list(TrustLevel).index(self)

    @classmethod
    def doubted(cls, word: object) -> Self | None:
        """The level up to which measurements may be false; None for none.

        Args:
            word: The level, or its name.

        Raises:
            InvalidInput: There is no such level, or none would be left to rely on.
        """
        if word is None:
            return None
        below = [level for level in cls if level is not cls.REPEATED]
        found = next((level for level in below if level == word), None)
        if found is None:
            shown = printable(repr(word), limit=60)
            raise InvalidInput(f"what to doubt is one of {', '.join(below)}, not {shown}")
        return found


def trust_ranks(witnessed: BoolArray, arms: IntArray, sources: IntArray) -> IntArray:
    """The rank of the trust level of each measurement.

    Args:
        witnessed: Which of them a witness made.
        arms: The number of the point of each.
        sources: The number of the source of each.
    """
    ranks = np.where(witnessed, TrustLevel.WITNESSED.rank, TrustLevel.SELF_REPORTED.rank)
    pairs = np.unique(np.column_stack([arms, sources])[witnessed], axis=0)
    points, times = np.unique(pairs[:, 0], return_counts=True)
    ranks[witnessed & np.isin(arms, points[times > 1])] = TrustLevel.REPEATED.rank
    return ranks.astype(np.int64)
