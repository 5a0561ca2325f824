"""What every policy is: frozen settings, and a state that is computed from the answers alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol, TypeVar

import numpy as np

from unswayed.core.gp.posterior import JointPosterior, mean_rewards
from unswayed.errors import InvalidInput
from unswayed.types import BoolArray, Feedback, FloatArray, IntArray, Query, View, short_repr

S = TypeVar("S")


class Policy(Protocol[S]):
    """A learner. No method changes the policy or a state, and the same answers always give the same state.

    Your own class can follow this protocol: it needs no base class. `unswayed.testing.check_policy` checks it.

    Attributes:
        phased: True for a policy that asks for whole epochs and eliminates arms. The others ask for one play at a time.
    """

    phased: ClassVar[bool]

    def init(self) -> S:
        """The state before the first play."""
        ...

    def ask(self, state: S, rng: np.random.Generator) -> Query:
        """What to play next.

        Args:
            state: The current state.
            rng: Random numbers, for policies that need them.
        """
        ...

    def tell(self, state: S, feedback: Feedback) -> S:
        """The state after the answer to a query.

        Args:
            state: The state in which the query was asked.
            feedback: The complete answer.
        """
        ...

    def recommend(self, state: S) -> int:
        """The arm to use from now on.

        Args:
            state: The current state.
        """
        ...

    def view(self, state: S) -> View:
        """The active arms with their estimates and confidence bounds.

        Args:
            state: The current state.
        """
        ...

    def posterior(self, state: S) -> JointPosterior:
        """The posterior of all arms given all plays so far. A certificate is computed from it.

        Args:
            state: The current state.
        """
        ...


@dataclass(frozen=True, eq=False)
class Epoch:
    """State of a phased policy: epoch `h` is about to be played on the `active` arms.

    Attributes:
        h: Number of the epoch, from 0.
        active: The active arms, in increasing order.
        mean: Estimate of each active arm from the epoch before; 0 at first.
        width: Width of its confidence band; infinite at first.
        counts: Plays of each arm in all completed epochs.
        totals: Sum of the rewards of each arm in all completed epochs.
    """

    h: int
    active: IntArray
    mean: FloatArray
    width: FloatArray
    counts: FloatArray
    totals: FloatArray
    __repr__ = short_repr

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
        """The places of `arms` in the list of active arms."""
        rows: IntArray = np.minimum(np.searchsorted(self.active, arms), len(self.active) - 1)
        if not np.array_equal(self.active[rows], arms):
            raise InvalidInput("feedback must be about active arms: those that the last query asked for")
        return rows

    def posterior(self, K: FloatArray, lam: float) -> JointPosterior:
        """The posterior of all arms after all completed epochs, for the kernel matrix K of all arms."""
        return JointPosterior.fit(K, mean_rewards(self.totals, self.counts), self.counts, lam)

    @property
    def view(self) -> View:
        """The active arms with the bounds of the last completed epoch."""
        return View(self.active, self.mean, self.mean - self.width, self.mean + self.width)

    @property
    def leader(self) -> int:
        """The active arm with the largest mean in the last completed epoch."""
        return int(self.active[np.argmax(self.mean)])
