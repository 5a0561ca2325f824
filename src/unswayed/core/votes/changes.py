"""Which votes to change so that a rival is level with the leader, and how many that takes at least and at most.

The fewest is at least D (see `leads`). A plan, made greedily, is how many are enough: it takes the votes that lower D
most, by the potential c, and fits again after each kind of vote. Direct votes, "leader over rival", come first; if they
suffice, a plan of flipped votes is as short as possible.

    lowers D by       flipped            dropped
    "a over b"        c_b - c_a          s(theta_b - theta_a) (c_b - c_a)
    a tie             (c_b - c_a)/2      (s(theta_b - theta_a) - 1/2) (c_b - c_a), if it says b over a, or is dropped
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from unswayed.core.votes.bradley_terry import RIDGE, Votes, probabilities
from unswayed.core.votes.leads import Lead, lead, potential
from unswayed.types import FloatArray

MOST_STEPS = 500  # kinds of votes in a plan, at most
LEAST_GAIN = 1e-9  # votes: a smaller gain may be a rounding error


@dataclass(frozen=True)
class Move:
    """Votes of one kind that are changed in the same way.

    Attributes:
        over: The option that was preferred; of a tie, the one that loses by the change.
        under: The other one.
        tie: Whether these votes were ties.
        number: How many.
    """

    over: int
    under: int
    tie: bool
    number: int


@dataclass(frozen=True)
class Bracket:
    """The fewest changes that bring a rival level with the leader.

    Attributes:
        least: Fewer are not enough.
        most: This number is; None if no plan was found.
        plan: Which ones.
    """

    least: int
    most: int | None
    plan: tuple[Move, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether the number is known."""
        return self.least == self.most


def flipped(votes: Votes, found: Lead, *, ridge: float = RIDGE) -> Bracket:
    """The fewest votes that have to say the opposite, or to take a side.

    Args:
        votes: All votes.
        found: The lead, of these votes.
        ridge: Of the scores.
    """
    return _bracket(votes, found, ridge, drop=False)


def dropped(votes: Votes, found: Lead, *, ridge: float = RIDGE) -> Bracket:
    """The fewest votes that have to be left out.

    Args:
        votes: All votes.
        found: The lead, of these votes.
        ridge: Of the scores.
    """
    return _bracket(votes, found, ridge, drop=True)


def _bracket(votes: Votes, found: Lead, ridge: float, *, drop: bool) -> Bracket:
    least, now = found.least, found
    moves: list[Move] = []
    for _ in range(MOST_STEPS):
        if now.votes <= now.slack:
            return Bracket(least, sum(move.number for move in moves), tuple(moves))
        move = _best_move(votes, now, ridge, drop=drop)
        if move is None:
            break
        votes = moved(votes, move, drop=drop)
        moves.append(move)
        now = lead(votes.wins, found.leader, found.rival, ridge=ridge)
    return Bracket(least, None)


def _best_move(votes: Votes, found: Lead, ridge: float, *, drop: bool) -> Move | None:
    """The kind of vote that lowers D most, and as many of it as are there and needed; None if none does."""
    won, tied = gains(votes.wins, found, ridge, drop=drop)
    won, tied = np.where(votes.won > 0, won, 0.0), np.where(votes.tied > 0, tied, 0.0)
    tie = bool(tied.max() > won.max())
    gain, there = (tied, votes.tied) if tie else (won, votes.won)
    direct = (found.leader, found.rival)
    # of votes that gain the same, those between the two leave the fit as it is
    over, under = direct if gain[direct] >= gain.max() - LEAST_GAIN else np.unravel_index(gain.argmax(), gain.shape)
    if gain[over, under] <= LEAST_GAIN:
        return None
    needed = int(np.ceil((found.votes - found.slack) / gain[over, under]))
    return Move(int(over), int(under), tie, min(int(there[over, under]), needed))


def gains(wins: FloatArray, found: Lead, ridge: float, *, drop: bool) -> tuple[FloatArray, FloatArray]:
    """By how much a changed vote lowers D at first: one for the row, and a tie that turns against the row."""
    c = potential(wins, found, ridge=ridge)
    apart = c[None, :] - c[:, None]
    if not drop:
        return apart, apart / 2
    against = probabilities(found.scores).T
    return against * apart, (against - 0.5) * apart


def moved(votes: Votes, move: Move, *, drop: bool) -> Votes:
    """The votes after a change.

    Args:
        votes: All votes.
        move: The change.
        drop: Whether the votes are left out; else they say the opposite.
    """
    won, tied, (a, b) = votes.won.copy(), votes.tied.copy(), (move.over, move.under)
    if move.tie:
        tied[a, b] -= move.number
        tied[b, a] -= move.number
    else:
        won[a, b] -= move.number
    if not drop:
        won[b, a] += move.number
    return replace(votes, won=won, tied=tied)
