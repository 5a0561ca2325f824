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

CURIOSITY = (1.0,)  # factors of beta, in turn:
FAULT = 1e4  # deviations of the prior: no value, and no lie worth its price, but a broken instrument


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

    @property
    def means(self) -> FloatArray:
        """Of the kept rewards of each arm; 0 where there are none."""
        arms, n = self.arms[self.kept], self.repeats[self.kept]
        totals = np.bincount(arms, weights=n * self.rewards[self.kept], minlength=len(self.K))
        return totals / np.maximum(np.bincount(arms, weights=n, minlength=len(self.K)), 1)


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
    margin: float = 1.0

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
        mu, sd = state.posterior.mean, state.posterior.deviation
        beta = self.beta * CURIOSITY[state.plays % len(CURIOSITY)]
        arm = first_argmax(mu + beta * sd, scale=beta * float(np.max(sd)))
        if self.verify and (state.plays + 1) % self.verify == 0 and state.kept.any():
            arm = self.pivot(state)
        return Query(np.array([arm]), np.array([1]))

    def pivot(self, state: Watch) -> int:
        """The played arm where tampering would most cheaply have made a rival win by `margin` noise deviations.

        By a margin, because on a fine grid the winner's neighbours are as good as the winner, and telling them
        apart is not worth a play.
        """
        mu, leader = state.posterior.mean, self.recommend(state)
        effect, S = state.posterior.effect()
        power, where = pairwise_influence(effect, leader)
        with np.errstate(divide="ignore"):
            cost = (mu[leader] - mu + self.margin * np.sqrt(self.lam)) / power
        cost[leader] = np.inf
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
        kept = np.abs(rewards) <= FAULT  # beyond, the arithmetic would lose the digits of all others
        posterior = self._fit(K, arms[kept], rewards[kept], repeats[kept])
        limits = {"threshold": self.threshold, "budget": self.corruption_budget}
        explained = trim(posterior, arms[kept], rewards[kept], repeats[kept], **limits)
        if not explained.all():
            kept[kept] = explained
            posterior = self._fit(K, arms[kept], rewards[kept], repeats[kept])
        return Watch(K, arms, rewards, repeats, read_only(kept), posterior)

    def _fit(self, K: FloatArray, arms: IntArray, rewards: FloatArray, repeats: FloatArray) -> JointPosterior:
        counts = np.bincount(arms, weights=repeats, minlength=len(K)).astype(np.float64)
        totals = np.bincount(arms, weights=repeats * rewards, minlength=len(K)).astype(np.float64)
        return JointPosterior.fit(K, counts, totals, self.lam)

    def recommend(self, state: Watch) -> int:
        """The arm of largest mu - sd: an arm that was hardly measured must promise more."""
        return int(np.argmax(state.posterior.mean - state.posterior.deviation))

    def view(self, state: Watch) -> View:
        """All arms, with bounds from the plays that are kept."""
        mu, width = state.posterior.mean, self.beta * state.posterior.deviation
        return View(np.arange(len(mu)), mu, mu - width, mu + width, state.posterior.covariance)

    def posterior(self, state: Watch) -> JointPosterior:
        """The plays that are kept."""
        return state.posterior

    def all_plays(self, state: Watch) -> JointPosterior:
        """All plays, for the certificate, whose proof has no room for a choice that depends on the noise."""
        return self._fit(state.K, state.arms, state.rewards, state.repeats)
