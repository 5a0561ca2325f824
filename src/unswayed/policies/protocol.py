"""What every policy is: frozen settings, and a state that is a fold of `tell` over the answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol, TypeVar

import numpy as np

from unswayed.core.posterior import JointPosterior, mean_rewards
from unswayed.errors import InvalidInput
from unswayed.types import BoolArray, Feedback, FloatArray, IntArray, Query, View, positive, probability

S = TypeVar("S")


class Policy(Protocol[S]):
    """A learner. Its methods change nothing; the same answers always give the same state.

    `phased` policies ask for whole epochs and drop arms; the others ask for one play at a time.
    """

    phased: ClassVar[bool]

    def init(self) -> S:
        """The state before the first play."""
        ...

    def ask(self, state: S, rng: np.random.Generator) -> Query:
        """What to play next."""
        ...

    def tell(self, state: S, feedback: Feedback) -> S:
        """The state after the complete answer to a query."""
        ...

    def recommend(self, state: S) -> int:
        """The arm to use from now on: the largest posterior mean among the active arms."""
        ...

    def view(self, state: S) -> View:
        """The active arms with their estimates and confidence bounds."""
        ...

    def posterior(self, state: S) -> JointPosterior:
        """What all answers so far say about all arms: the ground of a certificate."""
        ...


def check_guarantee(norm_bound: float, noise_std: float, delta: float) -> None:
    """Refuse what no guarantee can be built on."""
    positive(norm_bound, "the norm bound", zero=True)
    positive(noise_std, "the noise", zero=True)
    probability(delta, "delta")
    if norm_bound > 1e100 or noise_std > 1e100:
        raise InvalidInput("the norm bound and the noise must be below 1e100")


@dataclass(frozen=True, eq=False)
class Epoch:
    """State of a phased policy: epoch `h` is about to be played on the `active` arms.

    `mean` and `width` of the active arms come from the epoch before; at first they say nothing.
    """

    h: int
    active: IntArray
    mean: FloatArray
    width: FloatArray
    counts: FloatArray  # plays of each arm in all completed epochs, and the sum of their rewards
    totals: FloatArray

    @classmethod
    def first(cls, n_arms: int) -> Epoch:
        """Epoch 0, all arms active."""
        nothing = np.zeros(n_arms)
        return cls(0, np.arange(n_arms), nothing, np.full(n_arms, np.inf), nothing, nothing)

    def next(self, keep: BoolArray, mean: FloatArray, width: FloatArray, feedback: Feedback) -> Epoch:
        """The epoch after this one, on the active arms to keep."""
        counts, totals = self.counts.copy(), self.totals.copy()
        counts[feedback.arms] += feedback.repeats
        totals[feedback.arms] += feedback.repeats * feedback.means
        return Epoch(self.h + 1, self.active[keep], mean[keep], width[keep], counts, totals)

    def rows(self, arms: IntArray) -> IntArray:
        """The places of `arms` among the active ones."""
        rows: IntArray = np.minimum(np.searchsorted(self.active, arms), len(self.active) - 1)
        if not np.array_equal(self.active[rows], arms):
            raise InvalidInput("rewards can be told of active arms only: those that the last query asked for")
        return rows

    def posterior(self, K: FloatArray, lam: float) -> JointPosterior:
        """What all completed epochs together say about all arms, whose kernel matrix is K."""
        return JointPosterior.fit(K, mean_rewards(self.totals, self.counts), self.counts, lam)

    @property
    def view(self) -> View:
        """The active arms with the bounds of the last completed epoch."""
        return View(self.active, self.mean, self.mean - self.width, self.mean + self.width)

    @property
    def leader(self) -> int:
        """The active arm with the largest mean in the last completed epoch."""
        return int(self.active[np.argmax(self.mean)])
