"""The adversary's budget: every play costs |c|, and no play costs more than what is left."""

from __future__ import annotations

from math import copysign, isnan

from unswayed.errors import InvalidInput
from unswayed.types import positive


def affordable(wanted: float, plays: int, budget: float, spent: float) -> float:
    """The total corruption of `plays` plays by `wanted` each, cut to what is left of the budget, with its sign.

    Plain arithmetic and nothing else: the compiled loops compile this function.
    """
    return copysign(min(abs(wanted) * plays, max(budget - spent, 0.0)), wanted)


class Ledger:
    """A corruption budget, and how much of it was spent.

    Spending is counted up and not down: small sums would be lost beside a large remaining budget.

    Args:
        budget: The largest total corruption.

    Attributes:
        budget: The largest total corruption.
        spent: Total corruption so far.
    """

    def __init__(self, budget: float) -> None:
        self.budget = positive(budget, "the attack's budget", zero=True)
        self.spent = 0.0

    def __repr__(self) -> str:
        return f"Ledger(budget={self.budget:g}, spent={self.spent:g})"

    @property
    def left(self) -> float:
        """The corruption that can still be paid."""
        return max(self.budget - self.spent, 0.0)

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
