"""What a liar knows, what it wants, and what limits it.

A liar is made once for each game, from the problem, the number of plays and its own random numbers. At each play it
says by how much it wants to change the report. The ledger of the game cuts this wish down to what the limit allows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from math import ceil

import numpy as np

from unswayed.types import FloatArray
from unswayed_gauntlet.problems import SpaceProblem

NOISE = 0.01  # share of the range: standard deviation of an honest report
SHARE = 0.04  # share of plays x range that all changes may add up to; or share of the plays that may be changed
WORKERS = 8  # sources that take turns where one of them lies
ROUNDING = 1e-9  # plays: without it, 0.04 x 175 plays, which is a little more than 7 in floating point, would give 8


class LiarLimit(Enum):
    """What limits a corruption."""

    NOTHING = "nothing is changed"
    TOTAL = f"the changes add up to at most {SHARE:g} x plays x range"
    LIES = f"at most {SHARE:g} x plays are changed, rounded up; each by anything"
    LIARS = f"one of {WORKERS} workers, who take turns, changes its own plays by anything"


@dataclass(frozen=True, eq=False)
class LiarView:
    """What a liar knows about a play before the report.

    Attributes:
        number: From 0.
        row: The encoded row that was asked for.
        truth: Its true value.
        honest: The honest report.
        left: The largest change that the ledger still allows, in the units of the values.
        rows: The encoded rows of all earlier plays.
        told: Their reports.
    """

    number: int
    row: FloatArray
    truth: float
    honest: float
    left: float
    rows: FloatArray
    told: FloatArray


Wish = Callable[[LiarView], float]  # the change that a liar wants
Maker = Callable[[SpaceProblem, int, np.random.Generator], Wish]  # problem, number of plays, random numbers of the liar


@dataclass(frozen=True)
class Corruption:
    """A liar by name.

    Attributes:
        name: Name of the corruption.
        about: What it does, in one line.
        bound: What limits it.
        make: Makes its wish for one game.
        in_range: Whether its reports, without noise, stay between the worst and the best value.
    """

    name: str
    about: str
    bound: LiarLimit
    make: Maker
    in_range: bool = False


def counted_lies(plays: int) -> int:
    """How many plays a liar with counted lies may change."""
    return max(ceil(SHARE * plays - ROUNDING), 1)
