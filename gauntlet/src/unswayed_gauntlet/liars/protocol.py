"""What a liar knows, what it wants, and what bounds it.

A liar is made once for each game, from the problem, the number of plays and random numbers of its own. At each play it
says by how much it would change the report. The ledger of the game cuts the wish down to what the bound allows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from math import ceil

import numpy as np

from unswayed.types import FloatArray
from unswayed_gauntlet.problems import SpaceProblem

NOISE = 0.01  # standard deviation, as a share of the range
SHARE = 0.04  # of plays x range: what a liar may change in all; of plays: how many it may change
WORKERS = 8
ROUNDING = 1e-9  # 0.04 x 175 is a little more than 7


class LiarLimit(Enum):
    """What bounds a corruption."""

    NOTHING = "nothing is changed"
    TOTAL = f"the changes add up to at most {SHARE:g} x plays x range"
    LIES = f"at most {SHARE:g} x plays are changed, rounded up; each by anything"
    LIARS = f"one of {WORKERS} workers, who take turns, changes its own plays by anything"


@dataclass(frozen=True, eq=False)
class LiarView:
    """What a liar knows about a play before it is reported.

    Attributes:
        number: From 0.
        row: Encoded row that was asked for.
        truth: Its true value.
        honest: What an honest report would be.
        left: How far the liar may still change it, in the units of the values.
        rows: Encoded rows of all plays before.
        told: What was reported for them.
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
        bound: What bounds it.
        make: Makes its wish for one game.
        in_range: Whether its reports, without the noise, lie between the worst and the best value.
    """

    name: str
    about: str
    bound: LiarLimit
    make: Maker
    in_range: bool = False


def counted_lies(plays: int) -> int:
    """How many plays a liar with counted lies may change."""
    return max(ceil(SHARE * plays - ROUNDING), 1)
