"""What is reported instead of the truth: noise, and a liar with an exact ledger.

    reward = f(x) + noise + c      noise and the random numbers of a liar depend on the number of the play and the seed
                                   only: two optimisers that ask for the same points are told the same

A liar says which change it wants. The ledger cuts the change down to what the limit allows; the last lie within a total
gets the rest.
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
    """The noise and the lies of one match.

    Args:
        problem: The truth.
        corruption: One of `CORRUPTIONS`.
        plays: How many plays the game has.
        seed: Of the noise and the lies.

    Attributes:
        number: How many plays were made.
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
        if plays < 1 or seed < 0:
            raise InvalidInput(f"a game needs at least one play and a seed of at least 0, not {plays} and {seed}")
        self.problem = problem
        self.corruption = corruption
        self.plays = plays
        self._seed = zlib.crc32(problem.name.encode()), seed
        self._noise = NOISE * problem.range * np.random.default_rng([*self._seed, 0]).standard_normal(plays)
        self._wish = self._liar.make(problem, plays, np.random.default_rng([*self._seed, 1]))
        self._rows = np.empty((plays, problem.space.columns))
        self._told = np.empty(plays)
        self._lying: set[str | None] = set()
        self.number = 0
        self.spent = 0.0
        self.lies = 0

    @property
    def _liar(self) -> Corruption:
        return CORRUPTIONS[self.corruption]

    @property
    def limit(self) -> float:
        """The largest sum of the changes, in ranges."""
        return {LiarLimit.NOTHING: 0.0, LiarLimit.TOTAL: SHARE * self.plays}.get(self._liar.bound, inf)

    @property
    def liars(self) -> int:
        """How many sources have lied so far. Plays without a named source count as one source."""
        return len(self._lying)

    @property
    def source(self) -> str | None:
        """Who measures the next play; None if there is only one source."""
        return f"worker {self.number % WORKERS}" if self._liar.bound is LiarLimit.LIARS else None

    @property
    def threat(self) -> Threat:
        """The truth about the liar. Optimisers that have a setting for it are told.

        If false reports stay within the range of honest ones, the threat has that range: worst to best, and the noise.
        """
        if self._liar.bound is LiarLimit.LIARS:
            return Threat(liars=1)
        if self._liar.bound is not LiarLimit.LIES:
            return Threat(total=self.limit * self.problem.range)
        low = high = None
        if self._liar.in_range and self.problem.honest is None:
            outside = NOISE_REACH * NOISE * self.problem.range
            low = self.problem.worst - outside
            high = self.problem.best + outside
        return Threat(lies=counted_lies(self.plays), low=low, high=high)

    def measure(self, point: Point) -> float:
        """Play a point once: what is reported."""
        if self.number >= self.plays:
            raise InvalidInput(f"the game has {self.plays} plays, and all of them were played")
        rows = self.problem.space.encode([point])
        truth = float(self.problem.truth(rows)[0])
        honest = self._honest(rows[0], truth)
        left = self._left()
        past = slice(self.number)
        wish = self._wish(LiarView(self.number, rows[0], truth, honest, left, self._rows[past], self._told[past]))
        change = float(np.clip(wish, -left, left))
        reward = honest + change
        if reward != honest:
            total = self.spent + abs(change) / self.problem.range
            self.spent = self.limit if abs(change) == left else min(total, self.limit)  # no rounding error is left over
            self.lies += 1
            self._lying.add(self.source)
        self._rows[self.number] = rows[0]
        self._told[self.number] = reward
        self.number += 1
        return reward

    def _honest(self, row: FloatArray, truth: float) -> float:
        """A report without a lie."""
        if self.problem.honest is None:
            return truth + float(self._noise[self.number])
        return self.problem.honest(row, truth, np.random.default_rng([*self._seed, 0, self.number]))

    def _left(self) -> float:
        """The largest change of the next report, in the units of the values: the ledger."""
        if self._liar.bound is LiarLimit.LIES:
            return inf if self.lies < counted_lies(self.plays) else 0.0
        if self._liar.bound is LiarLimit.LIARS:
            return inf if self._lying <= {self.source} else 0.0
        return (self.limit - self.spent) * self.problem.range

    def digest(self) -> str:
        """A hash of the space and of some reports: it changes with the problem, the noise or the liar.

        Half of the plays are random, the others are the best of many random ones.
        """
        problem = self.problem
        game = MatchGame(problem, self.corruption, self.plays, 0)
        rows = problem.rows(SAMPLE, np.random.default_rng(1))
        order = np.argsort(-problem.truth(rows), kind="stable")
        some = np.arange(self.plays - self.plays // 2) % len(rows)  # a list may have fewer options than there are plays
        chosen = rows[[*some[: self.plays // 2], *order[some]]]
        told = [game.measure(point) for point in problem.space.decode(chosen)]
        rounded = np.round((np.array(told) - problem.worst) / problem.range, 5) + 0.0  # equal on all machines
        return sha256(f"{problem.space.fingerprint} {rounded.tolist()}".encode()).hexdigest()
