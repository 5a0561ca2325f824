"""What is reported in place of the truth: noise, and a liar with an exact ledger.

    reward = f(x) + noise + c      noise and the wishes of a liar are drawn by the number of the play and the seed: two
                                   optimisers that ask for the same points are told the same

    none      nobody lies
    spikes    random plays are raised by half to one range
    dips      random plays are lowered by half to one range
    promote   the ball of a fifth of the space with the lowest mean looks as if the best point were in it
    hide      plays near the best, by value, are lowered to the lower quartile
    worker    one of eight workers, who take turns, reports random numbers between worst and best

The changes of spikes, dips, promote and hide add up to at most SHARE x plays x range: the last lie gets the rest, then
all values are true. A lying worker is bounded by its turns.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from hashlib import sha256
from math import inf

import numpy as np

from unswayed.core.threat import Threat
from unswayed.errors import InvalidInput
from unswayed.gauntlet.problems import Problem
from unswayed.spaces import Point
from unswayed.types import FloatArray

NOISE = 0.01  # standard deviation, as a share of the range
SHARE = 0.04  # of plays x range: what a liar may change in all
WORKERS = 8
RATE = 1 / 15  # of plays that spikes and dips want to change
BALL, SLOPE = 0.2, 0.1  # promote: the share of the space, and how far the claimed values fall towards its edge
TOP, NEAR, POOR = 0.95, 0.25, 0.25  # hide: quantile of the space, distance from the best in ranges, reported quantile
SAMPLE = 2048  # rows that quantiles and balls are taken from

Wish = Callable[[int, FloatArray, float], float]  # number of the play, encoded row, true value -> wanted change
Maker = Callable[[Problem, int, np.random.Generator], Wish]


def _none(problem: Problem, plays: int, rng: np.random.Generator) -> Wish:
    return lambda number, row, truth: 0.0


def _outliers(sign: float) -> Maker:
    def make(problem: Problem, plays: int, rng: np.random.Generator) -> Wish:
        draws = rng.random((plays, 2))
        changes = np.where(draws[:, 0] < RATE, sign * (0.5 + 0.5 * draws[:, 1]) * problem.range, 0.0)
        return lambda number, row, truth: float(changes[number])

    return make


def _promote(problem: Problem, plays: int, rng: np.random.Generator) -> Wish:
    X = problem.rows(SAMPLE, np.random.default_rng(0))
    f, size = problem.truth(X), max(int(BALL * len(X)), 1)
    centres = X[:: max(len(X) // 256, 1)]
    distances = np.sqrt(((centres[:, None, :] - X) ** 2).sum(axis=2))
    nearest = np.argsort(distances, axis=1, kind="stable")[:, :size]
    lowest = int(np.argmin(f[nearest].mean(axis=1)))
    centre, radius = centres[lowest], float(distances[lowest, nearest[lowest, -1]]) or 1.0

    def wish(number: int, row: FloatArray, truth: float) -> float:
        distance = float(np.sqrt(((row - centre) ** 2).sum())) / radius
        claimed = problem.best - SLOPE * distance**2 * problem.range
        return max(claimed - truth, 0.0) if distance <= 1 else 0.0

    return wish


def _hide(problem: Problem, plays: int, rng: np.random.Generator) -> Wish:
    f = problem.truth(problem.rows(SAMPLE, np.random.default_rng(0)))
    near = max(float(np.quantile(f, TOP)), problem.best - NEAR * problem.range)
    poor = float(np.quantile(f, POOR))
    return lambda number, row, truth: min(poor - truth, 0.0) if truth >= near else 0.0


def _worker(problem: Problem, plays: int, rng: np.random.Generator) -> Wish:
    liar = int(rng.integers(WORKERS))
    reports = problem.worst + problem.range * rng.random(plays)
    return lambda number, row, truth: float(reports[number] - truth) if number % WORKERS == liar else 0.0


CORRUPTIONS: Mapping[str, Maker] = {
    "none": _none,
    "spikes": _outliers(1.0),
    "dips": _outliers(-1.0),
    "promote": _promote,
    "hide": _hide,
    "worker": _worker,
}


class Game:
    """Noise and lies for one run.

    Args:
        problem: The truth.
        corruption: One of `CORRUPTIONS`.
        plays: How many there are.
        seed: Of noise and lies.

    Attributes:
        spent: The sum of the changes so far, in ranges.
        lies: How many plays were changed.

    Raises:
        InvalidInput: There is no such corruption, or the numbers make no sense.

    Example:
        >>> from unswayed.gauntlet.problems import problem
        >>> game = Game(problem("branin-2"), "none", plays=20, seed=0)
        >>> reward = game.measure({"x1": 0.5, "x2": 0.5})
        >>> game.number, game.spent
        (1, 0.0)
    """

    def __init__(self, problem: Problem, corruption: str, plays: int, seed: int) -> None:
        if corruption not in CORRUPTIONS:
            raise InvalidInput(f"unknown corruption {corruption!r}: choose one of {', '.join(CORRUPTIONS)}")
        self.problem, self.corruption, self.plays = problem, corruption, plays
        if plays < 1 or seed < 0:
            raise InvalidInput(f"a game needs at least one play and a seed of at least 0, not {plays} and {seed}")
        name = zlib.crc32(problem.name.encode())
        self._noise = NOISE * problem.range * np.random.default_rng([name, seed, 0]).standard_normal(plays)
        self._wish = CORRUPTIONS[corruption](problem, plays, np.random.default_rng([name, seed, 1]))
        self.number, self.spent, self.lies = 0, 0.0, 0

    @property
    def limit(self) -> float:
        """What the changes may add up to, in ranges."""
        return {"none": 0.0, "worker": inf}.get(self.corruption, SHARE * self.plays)

    @property
    def liars(self) -> int:
        """How many sources have lied so far; plays without a named source have one source."""
        return int(self.lies > 0)

    @property
    def source(self) -> str | None:
        """Who measures the next play; None if there is only one source."""
        return f"worker {self.number % WORKERS}" if self.corruption == "worker" else None

    @property
    def threat(self) -> Threat:
        """The truth about the liar: what an optimiser that can be told is told."""
        liars = self.corruption == "worker"
        return Threat(liars=1) if liars else Threat(total=self.limit * self.problem.range)

    def measure(self, point: Point) -> float:
        """What is reported for a point; this is one play."""
        if self.number >= self.plays:
            raise InvalidInput(f"the game has {self.plays} plays, and all of them were played")
        row = self.problem.space.encode([point])
        truth = float(self.problem.truth(row)[0])
        left = (self.limit - self.spent) * self.problem.range
        change = float(np.clip(self._wish(self.number, row[0], truth), -left, left))
        reward = truth + float(self._noise[self.number]) + change
        self.spent = min(self.spent + abs(change) / self.problem.range, self.limit)
        self.lies += change != 0.0
        self.number += 1
        return reward

    def digest(self) -> str:
        """A hash of the space and of what some plays are told: it changes with the problem, the noise or the liar.

        Half of the plays are random, the others are the best of many random ones.
        """
        problem, game = self.problem, Game(self.problem, self.corruption, self.plays, 0)
        rows = problem.rows(SAMPLE, np.random.default_rng(1))
        order = np.argsort(-problem.truth(rows), kind="stable")
        half = self.plays // 2
        told = [
            game.measure(point) for point in problem.space.decode(rows[[*range(half), *order[: self.plays - half]]])
        ]
        rounded = np.round((np.array(told) - problem.worst) / problem.range, 5) + 0.0  # equal on all machines
        return sha256(f"{problem.space.fingerprint} {rounded.tolist()}".encode()).hexdigest()
