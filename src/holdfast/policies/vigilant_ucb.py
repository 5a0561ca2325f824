"""Vigilant-UCB: for few plays. Trim what the other measurements do not explain, explore with GP-UCB, verify.

    z       leave-one-out residual of a play, in standard deviations        C       corruption budget
    mu, sd  posterior of the plays that are kept                            pivot   where tampering is cheapest

  trim      while the largest z exceeds `threshold`, drop that play, as long as all that is dropped could be
            lies within C; an arm whose plays were dropped counts as unmeasured, so if it matters it is measured
            again, and the adversary has to pay again
  explore   play the arm of largest mu + beta sd
  verify    every `verify`-th play goes to the pivot of the breakdown budget instead: the played arm where
            tampering would most cheaply have changed the verdict

A rule of thumb, not a theorem: with few plays nothing can rule out every arm against a large C. The certificate
and the breakdown budget of its posterior say how far to trust the answer. docs/real-problems.md has the variants tried.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from holdfast.core.design import first_argmax
from holdfast.core.influence import pairwise_influence
from holdfast.core.kernels import Kernel, gram
from holdfast.core.posterior import JointPosterior
from holdfast.core.trimming import trim
from holdfast.policies.gp_ucb import SMALLEST_LAM
from holdfast.types import (
    BoolArray,
    Feedback,
    FloatArray,
    HoldfastError,
    IntArray,
    Query,
    View,
    floats,
    positive,
    read_only,
    whole,
)

RIVALS = 150  # arms of largest upper bound that the pivot is sought for


@dataclass(frozen=True, eq=False)
class Watch:
    """State of vigilant-UCB: every play, which of them are kept, and the posterior of those."""

    K: FloatArray
    arms: IntArray
    rewards: FloatArray
    repeats: FloatArray
    kept: BoolArray
    posterior: JointPosterior

    @property
    def plays(self) -> int:
        """How many so far."""
        return int(self.repeats.sum())


@dataclass(frozen=True, eq=False)
class VigilantUCB:
    """Vigilant-UCB on a finite domain. `verify=0` never verifies; an infinite `threshold` never trims."""

    domain: FloatArray
    kernel: Kernel
    corruption_budget: float
    lam: float
    beta: float = 2.0
    threshold: float = 4.0
    verify: int = 3

    phased: ClassVar[bool] = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "domain", floats(self.domain, "the domain", ndim=2))
        positive(self.corruption_budget, "the corruption budget", zero=True)
        positive(self.beta, "beta", zero=True)
        whole(self.verify, "verify", least=0)
        if not self.threshold > 0:
            raise HoldfastError(f"the threshold must be positive, not {self.threshold:g}")
        if positive(self.lam, "lam") < SMALLEST_LAM:
            raise HoldfastError(f"an index policy cannot resolve variances for lam below {SMALLEST_LAM:g}")

    def init(self) -> Watch:
        """Nothing known."""
        K = read_only(gram(self.kernel, self.domain))
        nothing, none = np.zeros(0), np.zeros(0, dtype=np.int64)
        return Watch(K, none, nothing, nothing, np.zeros(0, dtype=np.bool_), JointPosterior.prior(K, self.lam))

    def ask(self, state: Watch, rng: np.random.Generator) -> Query:
        """One play: of the pivot when it is time to verify, else of the arm with the largest upper bound."""
        view = self.view(state)
        arm = first_argmax(view.upper, scale=float(np.max(view.upper - view.mean)))
        if self.verify and (state.plays + 1) % self.verify == 0 and state.kept.any():
            arm = self.pivot(state)
        return Query(np.array([arm]), np.array([1]))

    def pivot(self, state: Watch) -> int:
        """The played arm where tampering would most cheaply have made a rival win by one noise deviation.

        By a margin, because on a fine grid the winner's neighbours are as good as the winner, and telling them
        apart is not worth a play.
        """
        view = self.view(state)
        leader = self.recommend(state)
        rivals = np.union1d(np.argsort(-view.upper, kind="stable")[:RIVALS], [leader])
        effect, S = state.posterior.effect()
        power, where = pairwise_influence(effect[rivals], int(np.searchsorted(rivals, leader)))
        price = view.mean[leader] - view.mean[rivals] + np.sqrt(self.lam)
        with np.errstate(divide="ignore"):
            cost = np.where(rivals == leader, np.inf, price / power)
        return int(S[where[int(np.argmin(cost))]])

    def tell(self, state: Watch, feedback: Feedback) -> Watch:
        """Take the answers in; if one of them surprises, decide anew which plays to keep."""
        for arm, n, mean in zip(feedback.arms, feedback.repeats, feedback.means, strict=True):
            state = self._tell_one(state, int(arm), int(n), float(mean))
        return state

    def _tell_one(self, state: Watch, arm: int, n: int, mean: float) -> Watch:
        variance = float(state.posterior.covariance[arm, arm]) + self.lam / n
        surprise = abs(mean - float(state.posterior.mean[arm])) > self.threshold * np.sqrt(variance)
        arms = np.append(state.arms, arm)
        rewards, repeats = np.append(state.rewards, mean), np.append(state.repeats, float(n))
        if surprise:
            return self.after(state.K, arms, rewards, repeats)
        posterior = state.posterior.extend(arm, n, n * mean)
        return Watch(state.K, arms, rewards, repeats, np.append(state.kept, True), posterior)

    def after(self, K: FloatArray, arms: IntArray, rewards: FloatArray, repeats: FloatArray) -> Watch:
        """The state after these plays, decided anew: which to keep, and the posterior of those."""
        everything = self._fit(K, arms, rewards, repeats)
        kept = trim(everything, arms, rewards, repeats, threshold=self.threshold, budget=self.corruption_budget)
        posterior = everything if kept.all() else self._fit(K, arms[kept], rewards[kept], repeats[kept])
        return Watch(K, arms, rewards, repeats, kept, posterior)

    def _fit(self, K: FloatArray, arms: IntArray, rewards: FloatArray, repeats: FloatArray) -> JointPosterior:
        counts = np.bincount(arms, weights=repeats, minlength=len(K))
        totals = np.bincount(arms, weights=repeats * rewards, minlength=len(K))
        return JointPosterior.fit(K, counts, totals, self.lam)

    def recommend(self, state: Watch) -> int:
        """The arm with the largest posterior mean."""
        return int(np.argmax(state.posterior.mean))

    def view(self, state: Watch) -> View:
        """All arms, with bounds from the plays that are kept."""
        mu, width = state.posterior.mean, self.beta * state.posterior.deviation
        return View(np.arange(len(mu)), mu, mu - width, mu + width, state.posterior.covariance)

    def posterior(self, state: Watch) -> JointPosterior:
        """The plays that are kept."""
        return state.posterior
