"""How few lying voters can bring a rival level with the leader.

A voter may say anything about each pair that was shown to them. A vote that prefers the rival, or that another option
is preferred to the leader, already does all that it can; any other one lowers D by at most 1, a tie by at most 1/2.
The fewest voters whose votes add up to D is therefore at least needed. A plan takes voters in the order of what their
votes can do by the potential, and fits again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unswayed.core.votes.bradley_terry import RIDGE, Votes
from unswayed.core.votes.changes import LEAST_GAIN, gains
from unswayed.core.votes.leads import Lead, lead
from unswayed.types import FloatArray, IntArray


@dataclass(frozen=True)
class Liars:
    """The fewest voters that bring a rival level with the leader.

    Attributes:
        least: Fewer are not enough.
        most: This number is; None if not even all are.
        voters: Which ones.
    """

    least: int
    most: int | None
    voters: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Ballots:
    """Votes one by one.

    Attributes:
        over: The option that was preferred; of a tie, one of the two.
        under: The other one.
        tie: Whether neither was preferred.
        voter: The number of who voted.
        number: How often.
    """

    over: IntArray
    under: IntArray
    tie: IntArray
    voter: IntArray
    number: IntArray

    def counted(self, options: int) -> Votes:
        """As a table.

        Args:
            options: How many there are.
        """
        won, tied = np.zeros((2, options, options), dtype=np.int64)
        tie = self.tie.astype(bool)
        np.add.at(won, (self.over[~tie], self.under[~tie]), self.number[~tie])
        np.add.at(tied, (self.over[tie], self.under[tie]), self.number[tie])
        return Votes(won, tied + tied.T)


def voters(ballots: Ballots, found: Lead, *, ridge: float = RIDGE) -> Liars:
    """The fewest voters whose votes may be false so that the rival is level.

    Args:
        ballots: All votes.
        found: The lead, of these votes.
        ridge: Of the scores.
    """
    options, number = len(found.scores), int(ballots.voter.max(initial=-1)) + 1
    least = least_voters(ballots, found)
    if least is None:
        return Liars(number + 1, None)
    chosen: list[int] = []
    now = found
    while now.votes > now.slack:
        gain = np.bincount(ballots.voter, weights=_gains(ballots, now, options, ridge), minlength=number)
        gain[chosen] = -np.inf
        order = np.argsort(-gain, kind="stable")[: int((gain > LEAST_GAIN).sum())]
        if not len(order):
            return Liars(least, None)
        needed = int(np.searchsorted(np.cumsum(gain[order]), now.votes - now.slack)) + 1
        some = order[: (needed + 1) // 2]  # half of them; then the fit is another one
        chosen += some.tolist()
        ballots = _against(ballots, now, some, options, ridge)
        now = lead(ballots.counted(options).wins, found.leader, found.rival, ridge=ridge)
    return Liars(least, len(chosen), tuple(chosen))


def least_voters(ballots: Ballots, found: Lead) -> int | None:
    """A number of voters that is at least needed; None if all together are not enough.

    Args:
        ballots: All votes.
        found: The lead, of these votes.
    """
    sums = np.cumsum(reach(ballots, found))
    needed = found.votes - found.slack
    if needed <= 0:
        return 0
    return int(np.searchsorted(sums, needed)) + 1 if len(sums) and sums[-1] >= needed else None


def reach(ballots: Ballots, found: Lead) -> FloatArray:
    """The most by which each voter can lower D, the largest first.

    Args:
        ballots: All votes.
        found: The lead, of these votes.
    """
    tie = ballots.tie.astype(bool)
    idle = ((ballots.over == found.rival) | (ballots.under == found.leader)) & ~tie
    can = np.where(idle, 0.0, np.where(tie, 0.5, 1.0)) * ballots.number
    return np.asarray(np.sort(np.bincount(ballots.voter, weights=can))[::-1])


def _gains(ballots: Ballots, found: Lead, options: int, ridge: float) -> FloatArray:
    """By how much each row can lower D, at first."""
    won, tied = gains(ballots.counted(options).wins, found, ridge, drop=False)
    tie = ballots.tie.astype(bool)
    each = np.where(tie, np.abs(tied[ballots.over, ballots.under]), won[ballots.over, ballots.under])
    return np.asarray(np.maximum(each, 0.0) * ballots.number)


def _against(ballots: Ballots, found: Lead, liars: IntArray, options: int, ridge: float) -> Ballots:
    """The votes after these voters said all that lowers D."""
    won, _ = gains(ballots.counted(options).wins, found, ridge, drop=False)
    apart, tie = won[ballots.over, ballots.under], ballots.tie.astype(bool)
    mine = np.isin(ballots.voter, liars)
    swap = mine & (apart > 0)
    over, under = np.where(swap, ballots.under, ballots.over), np.where(swap, ballots.over, ballots.under)
    return Ballots(over, under, (tie & ~mine).astype(np.int64), ballots.voter, ballots.number)
