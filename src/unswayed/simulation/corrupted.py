"""Any Python objective under attack, with the same ledger as the simulator: attack any optimiser with it."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from threading import Lock
from typing import Any

from unswayed.errors import InvalidInput
from unswayed.simulation.ledger import Ledger


class Corrupted:
    """An objective whose answers are tampered with while the budget lasts.

    `attack(x, value)` names the corruption it wants to add to the value of `objective(x)`: a function of
    your own, such as `lambda x, value: -2 * value`, or `adversaries.at_points(...)` for the attacks of the
    paper. What is left of the budget cuts the last one. Safe to call from several threads.
    """

    def __init__(self, objective: Callable[[Any], float], attack: Callable[[Any, float], float], budget: float) -> None:
        self.objective = objective
        self.attack = attack
        self._ledger = Ledger(budget)
        self._lock = Lock()

    @property
    def spent(self) -> float:
        """What the attack has used of its budget."""
        return self._ledger.spent

    def __call__(self, x: Any) -> float:
        """The value at x, corrupted."""
        value = float(self.objective(x))
        if not isfinite(value):
            raise InvalidInput(f"the objective returned {value} at {x}")
        with self._lock:
            return value + self._ledger.spend(float(self.attack(x, value)))
