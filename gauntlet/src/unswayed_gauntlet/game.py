"""What is reported in place of the truth: noise, and a liar with an exact ledger.

    reward = f(x) + noise + c      noise and the lots of a liar are drawn by the number of the play and the seed: two
                                   optimisers that ask for the same points are told the same

A liar says what it wants; the ledger cuts it down to what its bound allows. Within a total, the last lie gets the rest.
The liars are in `liars/`, one file for each kind; `liars/__init__.py` has their names.
"""

from __future__ import annotations

import zlib
from hashlib import sha256
from math import inf

import numpy as np

from unswayed.core.tampering.threat import Threat
from unswayed.errors import InvalidInput
from unswayed.spaces import Point
from unswayed.types import FloatArray
from unswayed_gauntlet.liars import CORRUPTIONS
from unswayed_gauntlet.liars.protocol import NOISE, SHARE, WORKERS, Corruption, LiarLimit, LiarView, counted_lies
from unswayed_gauntlet.liars.survey import SAMPLE
from unswayed_gauntlet.problems import SpaceProblem

NOISE_REACH = 6.0  # standard deviations of the noise; honest reports leave the range by at most this much


class MatchGame:
    """Noise and lies for one run.

    Args:
        problem: The truth.
        corruption: One of `CORRUPTIONS`.
        plays: How many there are.
        seed: Of noise and lies.

    Attributes:
        number: How many plays there were.
        spent: The sum of the changes so far, in ranges.
        lies: How many plays were changed.

    Raises:
        InvalidInput: There is no such corruption, or the numbers make no sense.

    Example:
        >>> from unswayed_gauntlet.problems import problem
        >>> game = MatchGame(problem("branin-2"), "none", plays=20, seed=0)
        >>> reward = game.measure({"x1": 0.5, "x2": 0.5})
        >>> game.number, game.spent
        (1, 0.0)
    """

    def __init__(self, problem: SpaceProblem, corruption: str, plays: int, seed: int) -> None:
        if corruption not in CORRUPTIONS:
            raise InvalidInput(f"unknown corruption {corruption!r}: choose one of {', '.join(CORRUPTIONS)}")
        self.problem, self.corruption, self.plays = problem, corruption, plays
        if plays < 1 or seed < 0:
            raise InvalidInput(f"a game needs at least one play and a seed of at least 0, not {plays} and {seed}")
        self._seed = zlib.crc32(problem.name.encode()), seed
        self._noise = NOISE * problem.range * np.random.default_rng([*self._seed, 0]).standard_normal(plays)
        self._wish = self._liar.make(problem, plays, np.random.default_rng([*self._seed, 1]))
        self._rows, self._told = np.empty((plays, problem.space.columns)), np.empty(plays)
        self._lying: set[str | None] = set()
        self.number, self.spent, self.lies = 0, 0.0, 0

    @property
    def _liar(self) -> Corruption:
        return CORRUPTIONS[self.corruption]

    @property
    def limit(self) -> float:
        """What the changes may add up to, in ranges."""
        return {LiarLimit.NOTHING: 0.0, LiarLimit.TOTAL: SHARE * self.plays}.get(self._liar.bound, inf)

    @property
    def liars(self) -> int:
        """How many sources have lied so far; plays without a named source have one source."""
        return len(self._lying)

    @property
    def source(self) -> str | None:
        """Who measures the next play; None if there is only one source."""
        return f"worker {self.number % WORKERS}" if self._liar.bound is LiarLimit.LIARS else None

    @property
    def threat(self) -> Threat:
        """The truth about the liar: what an optimiser that can be told is told.

        If false reports stay within the range of honest ones, it is told that range: from worst to best, and the noise.
        """
        if self._liar.bound is LiarLimit.LIARS:
            return Threat(liars=1)
        if self._liar.bound is not LiarLimit.LIES:
            return Threat(total=self.limit * self.problem.range)
        low = high = None
        if self._liar.in_range and self.problem.honest is None:
            outside = NOISE_REACH * NOISE * self.problem.range
            low, high = self.problem.worst - outside, self.problem.best + outside
        return Threat(lies=counted_lies(self.plays), low=low, high=high)

    def measure(self, point: Point) -> float:
        """What is reported for a point; this is one play."""
        if self.number >= self.plays:
            raise InvalidInput(f"the game has {self.plays} plays, and all of them were played")
        rows = self.problem.space.encode([point])
        truth = float(self.problem.truth(rows)[0])
        honest, left, past = self._honest(rows[0], truth), self._left(), slice(self.number)
        wish = self._wish(LiarView(self.number, rows[0], truth, honest, left, self._rows[past], self._told[past]))
        change = float(np.clip(wish, -left, left))
        reward = honest + change
        if reward != honest:
            total = self.spent + abs(change) / self.problem.range
            self.spent = self.limit if abs(change) == left else min(total, self.limit)  # no rounding error is left over
            self.lies += 1
            self._lying.add(self.source)
        self._rows[self.number], self._told[self.number] = rows[0], reward
        self.number += 1
        return reward

    def _honest(self, row: FloatArray, truth: float) -> float:
        """A report without a lie."""
        if self.problem.honest is None:
            return truth + float(self._noise[self.number])
        return self.problem.honest(row, truth, np.random.default_rng([*self._seed, 0, self.number]))

    def _left(self) -> float:
        """How far the next report may be changed, in the units of the values: the ledger."""
        if self._liar.bound is LiarLimit.LIES:
            return inf if self.lies < counted_lies(self.plays) else 0.0
        if self._liar.bound is LiarLimit.LIARS:
            return inf if self._lying <= {self.source} else 0.0
        return (self.limit - self.spent) * self.problem.range

    def digest(self) -> str:
        """A hash of the space and of what some plays are told: it changes with the problem, the noise or the liar.

        Half of the plays are random, the others are the best of many random ones.
        """
        problem, game = self.problem, MatchGame(self.problem, self.corruption, self.plays, 0)
        rows = problem.rows(SAMPLE, np.random.default_rng(1))
        order = np.argsort(-problem.truth(rows), kind="stable")
        some = np.arange(self.plays - self.plays // 2) % len(rows)  # a list may have fewer options than there are plays
        chosen = rows[[*some[: self.plays // 2], *order[some]]]
        told = [game.measure(point) for point in problem.space.decode(chosen)]
        rounded = np.round((np.array(told) - problem.worst) / problem.range, 5) + 0.0  # equal on all machines
        return sha256(f"{problem.space.fingerprint} {rounded.tolist()}".encode()).hexdigest()
