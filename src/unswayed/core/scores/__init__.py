"""Scores of options on the same items: is a difference of two means chance, and the fewest changes that turn it."""

from unswayed.core.scores.changes import Fewest, fewest, fewest_left_out, regrading
from unswayed.core.scores.crossed import with_groups, with_sources
from unswayed.core.scores.paired import Difference, difference

__all__ = [
    "Difference",
    "Fewest",
    "difference",
    "fewest",
    "fewest_left_out",
    "regrading",
    "with_groups",
    "with_sources",
]
