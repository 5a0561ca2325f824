"""A run in progress: who plays against whom, with what randomness, and what has happened so far."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf

import numpy as np
from numpy.typing import ArrayLike

from unswayed.adversaries.protocol import Adversary, Start
from unswayed.errors import InvalidInput
from unswayed.problems.problem import Problem
from unswayed.simulation.ledger import Ledger
from unswayed.simulation.run import EpochRecord
from unswayed.types import FloatArray, IntArray, View, whole

Progress = Callable[[int], None]


@dataclass
class Game:
    """Everything about a run but the policy. Independent streams of random numbers, by name.

    With a `clip`, the policy sees every reward moved into this range.
    """

    problem: Problem
    adversary: Adversary
    start: Start
    ledger: Ledger
    horizon: int
    seed: int
    progress: Progress
    clip: tuple[float, float] = (-inf, inf)
    done: int = 0  # plays recorded
    epochs: list[EpochRecord] = field(default_factory=list)
    parts: list[tuple[IntArray, IntArray, FloatArray, FloatArray]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.horizon = whole(self.horizon, "the horizon", least=1)
        self.seed = whole(self.seed, "the seed", least=0)
        streams = np.random.SeedSequence(self.seed).spawn(4)
        self.policy_rng, self.noise_rng, self.adversary_rng, self.lies_rng = map(np.random.default_rng, streams)
        if not self.clip[0] < self.clip[1]:
            raise InvalidInput(f"rewards cannot be clipped to the range from {self.clip[0]:g} to {self.clip[1]:g}")
        if self.clip != (-inf, inf) and self.ledger.lies_spent is None:
            raise InvalidInput("clipping is for counted lies: say how many")

    def check(self, view: View) -> None:
        """Refuse a policy that was made for another number of arms than the problem has."""
        if len(view.active) != self.problem.n_arms:
            raise InvalidInput(f"the policy has {len(view.active)} arms, the problem {self.problem.n_arms}")

    def wanted(self, view: View) -> FloatArray:
        """What the adversary would do to one play of each arm."""
        c = np.array(self.adversary.corrupt(self.problem.f, view, self.adversary_rng))
        if c.shape != (self.problem.n_arms,) or c.dtype.kind not in "biuf" or np.isnan(c).any():
            raise InvalidInput(f"an attack must name one number for each of {self.problem.n_arms} arms")
        if np.isinf(c).any() and self.ledger.budget == inf:
            raise InvalidInput("an attack must name finite numbers where lies or liars are counted")
        return c.astype(np.float64)

    def record(self, arms: ArrayLike, repeats: ArrayLike, rewards: ArrayLike, spent: ArrayLike) -> None:
        """Add blocks: arms, how often each was played, the sum of its rewards, what was spent on it."""
        self.parts.append((np.array(arms), np.array(repeats), np.array(rewards), np.array(spent)))
        self.done += int(np.sum(repeats))
        self.progress(int(np.sum(repeats)))

    def blocks(self) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
        """All blocks in order, neighbours of the same arm merged."""
        arms, repeats, rewards, spent = (np.concatenate(column) for column in zip(*self.parts, strict=True))
        starts = np.flatnonzero(np.concatenate([[True], arms[1:] != arms[:-1]]))
        repeats, rewards, spent = (np.add.reduceat(column, starts) for column in (repeats, rewards, spent))
        return arms[starts], repeats, rewards, spent
