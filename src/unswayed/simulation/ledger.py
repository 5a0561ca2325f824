"""What an adversary may do: change rewards by a total, change a number of plays, or be some of the sources.

    a total      every play costs |c|, and no play costs more than what is left
    lies         at most this many plays are changed, each by anything
    liars        every play of a lying source may be changed, for ever and by anything

Sources take turns: play t, from 0, is made by source t mod S, and the sources 0, 1, ... lie.
"""

from __future__ import annotations

from math import copysign, inf, isnan

import numpy as np

from unswayed.errors import InvalidInput
from unswayed.types import FloatArray, IntArray, positive, whole


def affordable(wanted: float, plays: int, budget: float, spent: float) -> float:
    """The total corruption of `plays` plays by `wanted` each, cut to what is left of the budget, with its sign.

    Plain arithmetic and nothing else: the compiled loops compile this function.
    """
    return copysign(min(abs(wanted) * plays, max(budget - spent, 0.0)), wanted)


class Ledger:
    """What an adversary may do, and what it has done.

    Spending is counted up and not down: small sums would be lost beside a large remaining budget.

    Args:
        budget: The largest total corruption; None where lies or liars are counted instead.
        lies: How many plays of honest sources may be changed by anything.
        sources: How many sources make the plays, in turn.
        liars: How many of them lie. Their plays are not counted as lies.

    Raises:
        InvalidInput: A number is out of its range, or both a total and a count are given, or neither.

    Attributes:
        budget: The largest total corruption; infinite where lies or liars are counted.
        lies: How many plays of honest sources may be changed; infinite where a total is counted.
        sources: How many sources make the plays, in turn.
        liars: How many of them lie.
        spent: Total corruption so far.
        lies_spent: Plays of honest sources that were changed so far; None where a total is counted.
    """

    def __init__(
        self, budget: float | None = None, *, lies: int | None = None, sources: int = 1, liars: int = 0
    ) -> None:
        self.sources = whole(sources, "the number of sources", least=1)
        self.liars = whole(liars, "the number of liars", least=0, most=self.sources)
        counted = lies is not None or self.liars > 0
        if counted == (budget is not None):
            raise InvalidInput("an attack has either a budget, or a number of lies or of liars")
        self.budget = inf if budget is None else positive(budget, "the attack's budget", zero=True)
        self.lies = whole(lies or 0, "the number of lies", least=0) if counted else inf
        self.spent = 0.0
        self.lies_spent = 0 if counted else None

    def __repr__(self) -> str:
        if self.lies_spent is None:
            return f"Ledger(budget={self.budget:g}, spent={self.spent:g})"
        return f"Ledger(lies={self.lies}, sources={self.sources}, liars={self.liars}, lies_spent={self.lies_spent})"

    @property
    def left(self) -> float:
        """The corruption that can still be paid."""
        if self.lies_spent is None:
            return max(self.budget - self.spent, 0.0)
        return inf if self.liars or self.lies_spent < self.lies else 0.0

    def spend(self, wanted: float, plays: int = 1) -> float:
        """Corrupt `plays` plays by `wanted` each while the budget lasts; return the sum of what was done.

        The play that would exceed the budget gets the rest, with the same sign. Then the attack is over. So the sum
        is `plays * wanted`, cut to what is left.
        """
        if isnan(wanted):
            raise InvalidInput("the attack asked for a corruption of NaN")
        c = affordable(float(wanted), plays, self.budget, self.spent)
        self.spent += abs(c)
        return c

    def change(self, wanted: float, plays: int, first: int = 0, groups: int = 1) -> tuple[FloatArray, IntArray]:
        """Corrupt a block of plays of one arm. Its plays go to equal groups in turn; liars are whole groups.

        Args:
            wanted: What the attack adds to one play.
            plays: Number of plays.
            first: Number of the first one in the run, from 0.
            groups: Number of groups.

        Returns:
            The sum of the corruption of each group, and the plays changed in it: 0 where a total is counted, which is
            spread over all plays.
        """
        if self.lies_spent is None:
            return np.full(groups, self.spend(wanted, plays) / groups), np.zeros(groups, dtype=np.int64)
        if wanted == 0:
            return np.zeros(groups), np.zeros(groups, dtype=np.int64)
        changed = self._by_liars(plays, first, groups)
        honest = np.arange(groups) >= (self.liars if groups > 1 else 0)
        lies = min(plays - int(changed.sum()), int(self.lies) - self.lies_spent)
        if lies > 0:
            changed[honest] += in_turn(lies, int(honest.sum()))
        self.lies_spent += lies
        self.spent += abs(wanted) * int(changed.sum())
        return wanted * changed.astype(np.float64), changed

    def _by_liars(self, plays: int, first: int, groups: int) -> IntArray:
        """How many plays of each group are made by liars."""
        S, s = self.sources, self.liars
        if groups == 1:
            before, after = (t // S * s + min(t % S, s) for t in (first, first + plays))
            return np.array([after - before])
        if s > 0 and groups != S:
            raise InvalidInput(f"with liars, the groups of a query must be the {S} sources, not {groups}")
        return np.where(np.arange(groups) < s, plays // groups, 0)


def in_turn(plays: int, groups: int) -> IntArray:
    """How many of the first `plays` plays each group has, if the groups take turns."""
    return plays // groups + (np.arange(groups) < plays % groups)
