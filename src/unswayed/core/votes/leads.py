"""How many votes an option leads by: D, from one fit in which it is level with its rival.

    t, r    leader and rival        D = expected - actual wins of r + rho theta_r, with theta_r = theta_t

The rival is ahead in the free fit if and only if D < 0, and level if D = 0. Changing one vote in any way (the other
option is preferred, a tie, dropped, added) moves D by at most 1: no fewer than D changed votes can have hidden that
the rival is level. One vote "t over r" that says "r over t" moves D by exactly 1 and leaves that fit as it is. So the
number is exact wherever there are that many such votes.

    c_a     how much theta_a moves if theta_r - theta_t grows by 1 and all else follows: the potential of a network in
            which r and t are held 1 apart

To change a vote "a over b" to "b over a" lowers D by c_b - c_a, at first; no two potentials differ by more than 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unswayed.core.votes.bradley_terry import RIDGE, fit, level_fits, likelihood, slope_and_bend, steepest, surplus
from unswayed.types import FloatArray, IntArray

FITS_AT_ONCE = 1 << 22  # numbers in a block: rivals x options x options


@dataclass(frozen=True, eq=False)
class Lead:
    """What it takes to bring a rival level.

    Attributes:
        leader: The option that leads.
        rival: The one that is compared with it.
        votes: D.
        slack: How far D may be off by rounding.
        scores: Of all options, with the two held level.
        evidence: The log of the likelihood ratio of the free fit and that one: what the data say against a tie.
    """

    leader: int
    rival: int
    votes: float
    slack: float
    scores: FloatArray
    evidence: float

    @property
    def least(self) -> int:
        """The fewest changed votes that can bring the rival level, at least."""
        return max(int(np.ceil(self.votes - self.slack)), 0)


def leads(wins: FloatArray, leader: int, rivals: IntArray, *, ridge: float = RIDGE) -> list[Lead]:
    """What it takes to bring each rival level with the leader.

    Args:
        wins: Votes of the option of the row over that of the column.
        leader: An option; it need not be the first.
        rivals: Other options.
        ridge: Of the scores.
    """
    free = fit(wins, ridge)
    best = float(likelihood(wins, free, ridge))
    slack = 2 * len(wins) * steepest(wins)
    size = max(1, FITS_AT_ONCE // max(wins.size, 1))
    found = []
    for begin in range(0, len(rivals), size):
        some = rivals[begin : begin + size]
        theta = level_fits(wins, ridge, np.full(len(some), leader), some, _starts(wins, ridge, free, leader, some))
        ratio = np.maximum(best - likelihood(wins, theta, ridge), 0.0)
        found += [
            Lead(leader, int(r), -surplus(wins, scores, int(r), ridge), slack, scores, float(e))
            for r, scores, e in zip(some, theta, ratio, strict=True)
        ]
    return found


def lead(wins: FloatArray, leader: int, rival: int, *, ridge: float = RIDGE) -> Lead:
    """What it takes to bring one rival level with the leader.

    Args:
        wins: Votes of the option of the row over that of the column.
        leader: An option.
        rival: Another one.
        ridge: Of the scores.
    """
    return leads(wins, leader, np.array([rival]), ridge=ridge)[0]


def _starts(wins: FloatArray, ridge: float, free: FloatArray, leader: int, rivals: IntArray) -> FloatArray:
    """The level fits to second order around the free fit."""
    inverse = np.linalg.inv(slope_and_bend(wins, free, ridge)[1])
    moves = inverse[:, rivals] - inverse[:, [leader]]
    apart = moves[rivals, np.arange(len(rivals))] - moves[leader]
    return np.asarray(free + (moves * ((free[leader] - free[rivals]) / apart)).T)


def potential(wins: FloatArray, found: Lead, *, ridge: float = RIDGE) -> FloatArray:
    """c of each option.

    Args:
        wins: Votes of the option of the row over that of the column.
        found: The lead, of these votes.
        ridge: Of the scores.
    """
    t, r = found.leader, found.rival
    inverse = np.linalg.inv(slope_and_bend(wins, found.scores, ridge)[1])
    current = inverse[:, r] - inverse[:, t]
    return np.asarray(current / (current[r] - current[t]))
