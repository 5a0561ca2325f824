"""The adversary's budget: it pays |c| for each play, and never more than it has."""

from __future__ import annotations

from math import copysign, isnan

from unswayed.errors import InvalidInput
from unswayed.types import positive


class Ledger:
    """A corruption budget, and what has been `spent` of it (counted up, so that small sums survive a large budget)."""

    def __init__(self, budget: float) -> None:
        self.budget = positive(budget, "the attack's budget", zero=True)
        self.spent = 0.0

    @property
    def left(self) -> float:
        """What can still be paid."""
        return max(self.budget - self.spent, 0.0)

    def spend(self, wanted: float, plays: int = 1) -> float:
        """Corrupt `plays` plays by `wanted` each while the budget lasts; the sum of what was done.

        The play that would exceed the budget gets the rest, with the same sign, and the attack is over:
        so the sum is `plays * wanted`, cut to what is left.
        """
        if isnan(wanted):
            raise InvalidInput("the attack asked for a corruption of NaN")
        paid = float(min(abs(wanted) * plays, self.left))
        self.spent += paid
        return copysign(paid, wanted)
