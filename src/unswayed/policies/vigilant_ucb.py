"""Vigilant-UCB, for few plays: trim measurements that the others do not explain, explore with GP-UCB, verify.

    z       leave-one-out residual of a play, in standard deviations        C       corruption budget
    mu, sd  posterior of the plays that are kept                            pivot   where tampering is cheapest

  trim      While the largest z exceeds `threshold`, drop that play. The sum of all that is dropped stays within C.
  explore   Play the arm of largest mu + beta sd, among arms whose sd is above a third of the noise.
  verify    Every `verify`-th play goes to the pivot of the breakdown budget: the played arm where the least
            tampering would have changed the recommendation.

A heuristic without a theorem: with few plays and a large C no arm can be ruled out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unswayed.core.design.rare_switching import first_argmax
from unswayed.core.gp.kernels import gram
from unswayed.core.gp.posterior import JointPosterior
from unswayed.core.tampering.influence import pairwise_influence
from unswayed.core.tampering.threat import Threat
from unswayed.errors import InvalidInput
from unswayed.judgement.allowance import Allowance
from unswayed.judgement.recommend import cautious
from unswayed.judgement.set_aside import Kept, set_aside
from unswayed.policies.finite import OnFiniteDomain, check_index_lam
from unswayed.types import Feedback, FloatArray, Query, View, fix, positive, read_only, whole

RESOLVED = 1 / 3  # of the noise: an arm whose sd is smaller is played again only to verify


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class VigilantUCB(OnFiniteDomain):
    """Vigilant-UCB on a finite domain. The methods are those of `Policy`.

    Attributes:
        domain: The arms, one row of coordinates each.
        kernel: How values at two points vary together.
        corruption_budget: Largest total corruption C; or a `Threat`, or None if it is not known.
        lam: Regularisation, the model's noise variance.
        beta: Standard deviations of the upper bound while exploring.
        threshold: Trim plays that are off by more standard deviations; infinity never trims.
        verify: Every `verify`-th play verifies; 0 never verifies.
        margin: A rival counts if it wins by this many noise deviations: on a fine grid neighbours are equally good.
        curiosity: Factors of beta, used in turn. The larger ones make a settled search look elsewhere.
        free: This many standard deviations of what is trimmed are taken for noise, and not charged to C.

    Example:
        >>> from unswayed import SquaredExponential, VigilantUCB
        >>> VigilantUCB([[0.0], [1.0]], SquaredExponential(0.5), corruption_budget=1, lam=0.01).verify
        3
    """

    corruption_budget: Threat | float | None
    lam: float
    beta: float = 2.0
    threshold: float = 4.0
    verify: int = 3
    margin: float = 2.0
    curiosity: tuple[float, ...] = (0.5, 1.0, 2.0)
    free: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        fix(self, corruption_budget=Threat.of(self.corruption_budget))
        positive(self.beta, "beta", zero=True)
        whole(self.verify, "verify", least=0)
        if not self.threshold > 0:
            raise InvalidInput(f"the threshold must be positive, not {self.threshold:g}")
        check_index_lam(self.lam)

    @cached_property
    def _K(self) -> FloatArray:
        return read_only(gram(self.kernel, self.domain))

    def init(self) -> Kept:
        """Before any play."""
        return Kept.nothing(self._K, self.lam)

    def ask(self, state: Kept, rng: np.random.Generator) -> Query:
        """One play: of the pivot if this play verifies, else of the arm with the largest upper bound."""
        verifies = self.verify and (state.plays + 1) % self.verify == 0 and state.mask.any()
        arm = self.pivot(state) if verifies else self.explore(state, state.plays)
        return Query(np.array([arm]), np.array([1]))

    def explore(self, state: Kept, number: int) -> int:
        """The arm of largest mu + beta sd that is not well known yet.

        Args:
            state: The current state.
            number: Of the play; decides on the factor of beta.
        """
        mu, sd = state.posterior.mean, state.posterior.deviation
        beta = self.beta * self.curiosity[number // len(self.curiosity) % len(self.curiosity)]
        unknown = sd > RESOLVED * np.sqrt(self.lam)
        upper = np.where(unknown, mu + beta * sd, -np.inf) if unknown.any() else mu + beta * sd
        return first_argmax(upper, scale=beta * float(np.max(sd)))

    def pivot(self, state: Kept) -> int:
        """The played arm where the least tampering would have made a rival win by `margin` noise deviations.

        Args:
            state: The current state, with at least one play.
        """
        mu, leader = state.posterior.mean, self.recommend(state)
        effect, S = state.posterior.effect()
        power, where = pairwise_influence(effect, leader)
        price = mu[leader] - mu + self.margin * np.sqrt(self.lam)
        cost = np.divide(price, power, out=np.full_like(mu, np.inf), where=power > 0)
        return int(S[where[int(np.argmin(cost))]])

    def tell(self, state: Kept, feedback: Feedback) -> Kept:
        """Add the answers. If one of them is a surprise, decide again which plays to keep."""
        for arm, n, mean in zip(feedback.arms, feedback.repeats, feedback.means, strict=True):
            surprise = state.surprise(int(arm), float(n), float(mean)) > self.threshold
            state = state.then(int(arm), float(n), float(mean))
            state = self.watch(state) if surprise else state
        return state

    def watch(self, state: Kept) -> Kept:
        """The `state` with a new decision which plays to keep.

        Args:
            state: The current state.
        """
        allowance = Allowance.of(Threat.of(self.corruption_budget), self.free)
        return set_aside(state.records, self._K, self.lam, threshold=self.threshold, allowance=allowance)

    def recommend(self, state: Kept, without: Sequence[int] = ()) -> int:
        """The arm of largest mu - sd: the less an arm was measured, the larger its mean has to be.

        Args:
            state: The current state.
            without: Arms to leave out.
        """
        return int(np.argmax(cautious(state.posterior.mean, state.posterior.deviation, without)))

    def view(self, state: Kept) -> View:
        """All arms, with bounds from the kept plays."""
        mu, width = state.posterior.mean, self.beta * state.posterior.deviation
        return View(np.arange(len(mu)), mu, mu - width, mu + width, state.posterior.covariance)

    def posterior(self, state: Kept) -> JointPosterior:
        """The posterior of all plays, trimmed or not: a certificate must not leave out plays by their rewards."""
        return state.everything(self._K)
