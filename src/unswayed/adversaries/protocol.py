"""What every adversary does: it knows the truth f, sees the policy, and names the corruption it wants.

An attack starts immediately, or "later" (Section 4.3), when the policy begins to rule arms out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike

from unswayed.errors import InvalidInput
from unswayed.types import FloatArray, View, floats

Start = Callable[[View, int], bool]


class Adversary(Protocol):
    """Names c(x) for every arm. The ledger of the simulation cuts it to what is left of the budget.

    Your own class can follow this protocol: it needs no base class. `unswayed.testing.check_adversary` checks it.

    Attributes:
        reads_estimates: Whether c depends on the view beyond its active arms. If it does not, c stays the same until
            an arm is eliminated, and whole blocks of plays are corrupted at once.
    """

    reads_estimates: ClassVar[bool]

    def corrupt(self, f: FloatArray, view: View, rng: np.random.Generator) -> FloatArray:
        """The corruption that the adversary wants for one play of each arm.

        Args:
            f: The true values of all arms.
            view: What the policy shows.
            rng: Random numbers, for adversaries that need them.
        """
        ...


@dataclass(frozen=True)
class NoAttack:
    """Honest measurements."""

    reads_estimates: ClassVar[bool] = False

    def corrupt(self, f: FloatArray, view: View, rng: np.random.Generator) -> FloatArray:
        """Zero for every arm."""
        return np.zeros(len(f))


def at_points(adversary: Adversary, domain: ArrayLike, f: ArrayLike) -> Callable[[ArrayLike, float], float]:
    """An attack on single evaluations, for `Corrupted`: what `adversary` wants at a row of `domain`.

    Args:
        adversary: An adversary that does not read estimates: a plain objective has none.
        domain: The points, one in each row. All of them count as active.
        f: The true values of these points.

    Returns:
        A function of a point and its measured value that returns the corruption wanted there.

    Raises:
        InvalidInput: The adversary reads estimates; when it is called: the point is not in the domain.
    """
    if adversary.reads_estimates:
        raise InvalidInput("this adversary reads the estimates of a policy; a plain objective has none")
    points, values = floats(domain, "the domain", ndim=2), floats(f, "values", ndim=1)
    view = View(np.arange(len(values)), values, values, values)
    wanted = adversary.corrupt(values, view, np.random.default_rng(0))
    rows = {(row + 0.0).tobytes(): arm for arm, row in enumerate(points)}  # + 0.0: -0 is 0

    def attack(x: ArrayLike, value: float) -> float:
        arm = rows.get((np.asarray(x, dtype=np.float64) + 0.0).tobytes())
        if arm is None:
            raise InvalidInput(f"{x!r} is not a point of the attacked domain")
        return float(wanted[arm])

    return attack


def immediately(view: View, n_arms: int) -> bool:
    """Attack from the first play on."""
    return True


def later(view: View, n_arms: int) -> bool:
    """Attack once an arm has been eliminated or, for policies that keep all arms, would be.

    Phased policies: from the first epoch with fewer than all arms active. Index policies: from the first round in
    which an upper bound lies strictly below the largest lower bound.
    """
    return len(view.active) < n_arms or bool((view.upper < view.lower.max()).any())
