"""Any Python objective under attack, with the same ledger as the simulator. Attack any optimiser with it."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from threading import Lock
from typing import Any

from unswayed.errors import InvalidInput
from unswayed.simulation.ledger import Ledger


class Corrupted:
    """An objective whose values are corrupted while the budget lasts. It can be called from several threads.

    Args:
        objective: A function of a point that returns a number.
        attack: A function of a point and its value that returns the corruption it wants to add. It is cut to what is
            left of the budget. `adversaries.at_points` makes one from an attack of the paper.
        budget: Largest total corruption.

    Raises:
        InvalidInput: The budget is negative; when it is called: the objective or the attack returns no finite number.

    Example:
        >>> from unswayed import Corrupted
        >>> lying = Corrupted(lambda x: x + 1.0, attack=lambda x, value: -2 * value, budget=5)
        >>> [lying(x) for x in (1.0, 2.0, 3.0)]
        [-2.0, 2.0, 4.0]
        >>> lying
        Corrupted(budget=5, spent=5)
    """

    def __init__(self, objective: Callable[[Any], float], attack: Callable[[Any, float], float], budget: float) -> None:
        self.objective = objective
        self.attack = attack
        self._ledger = Ledger(budget)
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"Corrupted(budget={self._ledger.budget:g}, spent={self.spent:g})"

    @property
    def spent(self) -> float:
        """Total corruption so far."""
        return self._ledger.spent

    def __call__(self, x: Any) -> float:
        """The corrupted value at a point.

        Args:
            x: The point.
        """
        value = float(self.objective(x))
        if not isfinite(value):
            raise InvalidInput(f"the objective returned {value} at {x}")
        with self._lock:
            return value + self._ledger.spend(float(self.attack(x, value)))
