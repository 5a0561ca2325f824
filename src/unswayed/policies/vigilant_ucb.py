"""Vigilant-UCB: for few plays. Trim what the other measurements do not explain, explore with GP-UCB, verify.

    z       leave-one-out residual of a play, in standard deviations        C       corruption budget
    mu, sd  posterior of the plays that are kept                            pivot   where tampering is cheapest

  trim      while the largest z exceeds `threshold`, drop that play, as long as all that is dropped could be
            lies within C; an arm whose plays were dropped counts as unmeasured, so if it matters it is measured
            again, and the adversary has to pay again
  explore   play the arm of largest mu + beta sd, with a smaller and a larger beta in turn, among those that
            are not known to a third of the noise yet
  verify    every `verify`-th play goes to the pivot of the breakdown budget instead: the played arm where
            tampering would most cheaply have changed the verdict

A rule of thumb, not a theorem: with few plays nothing can rule out every arm against a large C. The certificate
and the breakdown budget of its posterior say how far to trust the answer. docs/real-problems.md has the variants tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np

from unswayed.core.design import first_argmax
from unswayed.core.influence import pairwise_influence
from unswayed.core.kernels import Kernel, gram
from unswayed.core.posterior import JointPosterior
from unswayed.errors import InvalidInput
from unswayed.policies.gp_ucb import SMALLEST_LAM
from unswayed.policies.watch import Watch
from unswayed.types import Feedback, FloatArray, Query, View, floats, positive, read_only, whole

RESOLVED = 1 / 3  # of the noise: an arm that is known so well is not played again, except to verify
CURIOSITY = (0.5, 1.0, 2.0)  # factors of beta, in turn: a search that has settled looks elsewhere now and then
CAUTION = 1.0  # standard deviations that an arm must be better by to be recommended in place of one known exactly


@dataclass(frozen=True, eq=False)
class VigilantUCB:
    """Vigilant-UCB on a finite domain. `verify=0` never verifies; an infinite `threshold` never trims."""

    domain: FloatArray
    kernel: Kernel
    _: KW_ONLY
    corruption_budget: float
    lam: float
    beta: float = 2.0
    threshold: float = 4.0
    verify: int = 3
    margin: float = 2.0

    phased: ClassVar[bool] = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "domain", floats(self.domain, "the domain", ndim=2))
        positive(self.corruption_budget, "the corruption budget", zero=True)
        positive(self.beta, "beta", zero=True)
        whole(self.verify, "verify", least=0)
        if not self.threshold > 0:
            raise InvalidInput(f"the threshold must be positive, not {self.threshold:g}")
        if positive(self.lam, "lam") < SMALLEST_LAM:
            raise InvalidInput(f"an index policy cannot resolve variances for lam below {SMALLEST_LAM:g}")

    def init(self) -> Watch:
        """Nothing known."""
        return Watch.before(read_only(gram(self.kernel, self.domain)), self.lam)

    def ask(self, state: Watch, rng: np.random.Generator) -> Query:
        """One play: of the pivot when it is time to verify, else of the arm with the largest upper bound."""
        mu, sd = state.posterior.mean, state.posterior.deviation
        beta = self.beta * CURIOSITY[state.plays // len(CURIOSITY) % len(CURIOSITY)]
        upper = mu + beta * sd
        unknown = sd > RESOLVED * np.sqrt(self.lam)
        if unknown.any():
            upper = np.where(unknown, upper, -np.inf)
        arm = first_argmax(upper, scale=beta * float(np.max(sd)))
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
        price = mu[leader] - mu + self.margin * np.sqrt(self.lam)
        cost = np.divide(price, power, out=np.full_like(mu, np.inf), where=power > 0)
        return int(S[where[int(np.argmin(cost))]])

    def tell(self, state: Watch, feedback: Feedback) -> Watch:
        """Take the answers in; if one of them surprises, decide anew which plays to keep."""
        for arm, n, mean in zip(feedback.arms, feedback.repeats, feedback.means, strict=True):
            state = self._tell_one(state, int(arm), int(n), float(mean))
        return state

    def _tell_one(self, state: Watch, arm: int, n: int, mean: float) -> Watch:
        told = state.then(arm, n, mean)
        variance = float(state.posterior.covariance[arm, arm]) + self.lam / n
        surprise = abs(mean - float(state.posterior.mean[arm])) > self.threshold * np.sqrt(variance)
        return self.watch(told) if surprise else told

    def watch(self, state: Watch) -> Watch:
        """Decide anew which plays to keep."""
        return state.trimmed(threshold=self.threshold, budget=self.corruption_budget)

    def recommend(self, state: Watch, without: Sequence[int] = ()) -> int:
        """The arm of largest mu - sd: an arm that was hardly measured must promise more."""
        lower = state.posterior.mean - CAUTION * state.posterior.deviation
        if len(without) < len(lower):
            lower[list(without)] = -np.inf
        return int(np.argmax(lower))

    def view(self, state: Watch) -> View:
        """All arms, with bounds from the plays that are kept."""
        mu, width = state.posterior.mean, self.beta * state.posterior.deviation
        return View(np.arange(len(mu)), mu, mu - width, mu + width, state.posterior.covariance)

    def posterior(self, state: Watch) -> JointPosterior:
        """All plays, trimmed or not: a certificate has no room for a choice that depends on the noise."""
        return state.everything()
