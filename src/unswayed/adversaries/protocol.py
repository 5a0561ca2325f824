"""What every adversary is: it knows the truth f and sees the policy, and names the corruption it wants."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike

from unswayed.errors import InvalidInput
from unswayed.types import FloatArray, View, floats


class Adversary(Protocol):
    """Names c(x) for every arm; the ledger of the simulation decides how much of it is paid for.

    `reads_estimates` says whether c depends on the view beyond its active set. Where it does not, c
    stays the same from one elimination to the next, and whole blocks of plays are corrupted at once.
    """

    reads_estimates: ClassVar[bool]

    def corrupt(self, f: FloatArray, view: View, rng: np.random.Generator) -> FloatArray:
        """The corruption wanted for one play of each arm."""
        ...


@dataclass(frozen=True)
class NoAttack:
    """Honest measurements."""

    reads_estimates: ClassVar[bool] = False

    def corrupt(self, f: FloatArray, view: View, rng: np.random.Generator) -> FloatArray:
        """Nothing."""
        return np.zeros(len(f))


def at_points(adversary: Adversary, domain: ArrayLike, f: ArrayLike) -> Callable[[ArrayLike, float], float]:
    """An attack on single evaluations, for `Corrupted`: what `adversary` wants at a row of `domain`.

    `f` are the true values of the rows; all of them count as active. Only for adversaries that do not
    read estimates: a lone objective has none.
    """
    if adversary.reads_estimates:
        raise InvalidInput("this adversary reads a policy's estimates, which a lone objective does not have")
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
