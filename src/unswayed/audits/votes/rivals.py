"""What would bring each rival level with the leader, and tiers that withstand forged votes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from unswayed.audits.votes.data import VoteData
from unswayed.core.votes import Bracket, Lead, dropped, flipped, leads, voters
from unswayed.core.votes.voters import Liars, least_voters
from unswayed.types import FloatArray

PLANNED = 5  # rivals with a plan; of the others the number is a bound


@dataclass(frozen=True, eq=False)
class Rival:
    """What would bring an option level with the leader.

    Attributes:
        option: Its number.
        lead: By how many votes the leader is ahead.
        flipped: Votes that say the opposite.
        dropped: Votes that are left out.
        voters: Lying voters; None if voters are not known.
    """

    option: int
    lead: float
    flipped: Bracket
    dropped: Bracket
    voters: Liars | None

    def to_dict(self, labels: Sequence[str], names: Sequence[str] | None) -> dict[str, Any]:
        """As plain values.

        Args:
            labels: The options.
            names: The voters.
        """
        liars = self.voters
        return {
            "option": self.option,
            "option_label": labels[self.option],
            "lead": self.lead,
            "flipped": asdict(self.flipped),
            "dropped": asdict(self.dropped),
            "voters": liars and {**asdict(liars), "voters": [(names or ())[voter] for voter in liars.voters]},
        }


def rivals_of(data: VoteData, found: list[Lead], ridge: float) -> tuple[Rival, ...]:
    """What would bring each rival level, the easiest first; the first few with a plan.

    Args:
        data: The votes.
        found: The lead over each rival.
        ridge: Of the scores.
    """
    ordered = sorted(found, key=lambda one: one.votes)
    planned = [_planned(data, one, ridge) for one in ordered[:PLANNED]]
    planned.sort(key=lambda rival: (rival.flipped.most is None, rival.flipped.most or 0, rival.lead))
    return (*planned, *(_bounded(data, one) for one in ordered[PLANNED:]))


def _planned(data: VoteData, found: Lead, ridge: float) -> Rival:
    votes = data.votes
    liars = None if data.voters is None else voters(data.ballots, found, ridge=ridge)
    return Rival(
        found.rival, found.votes, flipped(votes, found, ridge=ridge), dropped(votes, found, ridge=ridge), liars
    )


def _bounded(data: VoteData, found: Lead) -> Rival:
    bound, liars = Bracket(found.least, None), None
    if data.voters is not None:
        least = least_voters(data.ballots, found)
        liars = Liars(len(data.voters) + 1 if least is None else least, None)
    return Rival(found.rival, found.votes, bound, bound, liars)


def tiers(wins: FloatArray, theta: FloatArray, forged: int, ridge: float) -> list[list[int]]:
    """Options in tiers, the best first.

    A tier ends where no option below can be put level with one above by so many forged votes.

    Args:
        wins: Votes of the option of the row over that of the column.
        theta: The scores.
        forged: How many votes may be forged.
        ridge: Of the scores.
    """
    order = np.argsort(-theta, kind="stable")
    reach = np.zeros(len(order), dtype=np.int64)  # the lowest place that can come level with each place
    for place, option in enumerate(order[:-1]):
        below = leads(wins, int(option), order[place + 1 :], ridge=ridge)
        level = [i for i, one in enumerate(below, place + 1) if one.least <= forged]
        reach[place] = max(level, default=place)
    found: list[list[int]] = [[]]
    last = 0
    for place, option in enumerate(order.tolist()):
        if found[-1] and place > last:
            found.append([])
        found[-1].append(int(option))
        last = max(last, int(reach[place]), place)
    return found
