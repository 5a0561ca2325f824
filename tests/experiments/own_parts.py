"""A stranger's kernel, attack, policy and problem: named as own_parts:wave and so on."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unswayed import GPUCB
from unswayed.problems import table


def wave(X, Z):
    """A rational quadratic kernel."""
    return 1 / (1 + ((X[:, None, :] - Z[None, :, :]) ** 2).sum(axis=2))


@dataclass(frozen=True)
class Drown:
    """Lowers every value by a constant."""

    reads_estimates: ClassVar[bool] = False
    depth: float = 1.5

    def corrupt(self, f, view, rng):
        return np.full(len(f), -self.depth)


def drown(problem):
    return Drown()


class Cautious(GPUCB):
    """Plays the arm of largest mean."""

    @property
    def enlargement(self):
        return -0.5


def cautious(problem, budget, horizon, settings):
    return Cautious(problem.domain, problem.kernel, lam=settings.lam)


def hills(draw):
    x = np.linspace(0, 1, 25)
    return table(x[:, None], np.sin(7 * x + (draw or 0)), name="hills")


def nothing(*arguments):
    return None


FLAT = 3.0
