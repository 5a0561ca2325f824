"""RCGP-UCB (Ezzerg, Bogunovic and Knoblauch, arXiv 2511.15315), for a number of lies of any size: both of its forms.

    L, c   half-width of the plateau, softness       T_c   number of lies that the bands are widened for
    g      where rewards are expected                Psi   sqrt(1 + n (1 + n)), n = T_c max k(x, x)/lam

GP-UCB with the posterior of core/tampering/robust_conjugate.py, where a reward far from g has little weight:

    x_t = argmax mu(x) + Psi (beta_t + C_w sqrt(T_c)) sigma(x)

  stable (FC)     g is constant.
  adaptive (A2)   The posterior of the stable form is only an anchor. A second one, with its own plateau, weighs all
                  plays about the mean that the anchor had before the latest play. The second one chooses.

If all rewards lie on the plateau and T_c = 0, both make the plays of GP-UCB, to the last bit. Lies that stay on the
plateau have full weight. docs/reference/algorithms.md lists the details that are our reading of the paper.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unswayed.core.gp.kernels import gram
from unswayed.core.gp.posterior import JointPosterior
from unswayed.core.tampering.robust_conjugate import Plateau, Recentred
from unswayed.core.theory import bounds
from unswayed.errors import InvalidInput
from unswayed.policies.finite import OnFiniteDomain, check_index_lam, play_largest
from unswayed.policies.gp_ucb import LogDetBeta, SqrtLogBeta
from unswayed.types import Feedback, Query, View, positive, short_repr, whole


@dataclass(frozen=True, eq=False)
class Weighed:
    """State of RCGP-UCB.

    Attributes:
        t: The round that is about to be played.
        plain: The posterior of all plays alike.
        anchor: The posterior about the constant centre.
        recentred: All plays about the mean of the anchor; None in the stable form.
    """

    t: int
    plain: JointPosterior
    anchor: JointPosterior
    recentred: Recentred | None
    __repr__ = short_repr

    @property
    def model(self) -> JointPosterior:
        """The posterior that chooses."""
        return self.anchor if self.recentred is None else self.recentred.posterior


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RobustConjugateUCB(OnFiniteDomain):
    """RCGP-UCB on a finite domain. The methods are those of `Policy`.

    Attributes:
        domain: The arms, one row of coordinates each.
        kernel: How values at two points vary together.
        plateau: L. Rewards within L of the centre count in full.
        recentred: L of the adaptive form, about the mean of the anchor; None is the stable form.
        centre: The constant g.
        softness: c. At L + c a reward counts half.
        beta: Confidence parameter of each round, without corruption.
        lam: Regularisation, the model's noise variance.
        corruptions: T_c, the number of lies that the bands are widened for. With 0 they are those of GP-UCB.

    Raises:
        InvalidInput: The domain is not a table of finite numbers, or a setting is out of its range.

    Example:
        >>> from unswayed import Feedback, RobustConjugateUCB, SquaredExponential
        >>> policy = RobustConjugateUCB([[0.0], [9.0]], SquaredExponential(0.5), plateau=3.0, lam=0.01)
        >>> state = policy.tell(policy.init(), Feedback([0, 1], [1, 1], [1.0, 1e6]))
        >>> policy.view(state).mean.round(2).tolist()
        [0.99, 0.0]
    """

    plateau: float
    recentred: float | None = None
    centre: float = 0.0
    softness: float = 1.0
    beta: SqrtLogBeta | LogDetBeta = SqrtLogBeta()
    lam: float = 1.0
    corruptions: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        positive(self.plateau, "the plateau")
        positive(self.softness, "the softness")
        if self.recentred is not None:
            positive(self.recentred, "the recentred plateau")
        if not np.isfinite(self.centre):
            raise InvalidInput(f"the centre must be finite, not {self.centre:g}")
        check_index_lam(self.lam)
        whole(self.corruptions, "the number of corruptions", least=0)

    def init(self) -> Weighed:
        """Round 1, before any play."""
        prior = JointPosterior.prior(gram(self.kernel, self.domain), self.lam)
        return Weighed(1, prior, prior, None if self.recentred is None else Recentred.before(prior))

    def ask(self, state: Weighed, rng: np.random.Generator) -> Query:
        """One play of the arm with the largest upper bound."""
        return play_largest(self.view(state))

    def tell(self, state: Weighed, feedback: Feedback) -> Weighed:
        """Weigh each answer. The mean of several plays counts like as many plays with this reward."""
        first = Plateau(self.plateau, self.softness)
        for arm, n, mean in zip(
            feedback.arms.tolist(), feedback.repeats.tolist(), feedback.means.tolist(), strict=True
        ):
            share, seen = map(float, first.weigh(mean, self.centre, self.lam))
            plain = state.plain.extend(arm, n, n * mean)
            recentred = state.recentred
            alike = share == 1 and state.anchor is state.plain  # no reward was off the plateau yet
            anchor = plain if alike else state.anchor.extend(arm, n, n * seen, share)
            if recentred is not None and self.recentred is not None:
                second = Plateau(self.recentred, self.softness)
                recentred = recentred.then(arm, n, mean, centre=state.anchor.mean, plateau=second)
            state = Weighed(state.t + n, plain, anchor, recentred)
        return state

    def recommend(self, state: Weighed) -> int:
        """The arm with the largest posterior mean."""
        return int(np.argmax(state.model.mean))

    def view(self, state: Weighed) -> View:
        """All arms, with the bounds of the coming round."""
        mu = state.model.mean
        T_c = self.corruptions
        factor = self.beta(state.t, state.model.log_det, self.lam)
        if T_c:
            L = self.plateau if self.recentred is None else self.recentred
            kappa = float(state.plain.prior_variance.max())
            factor = bounds.plateau_factor(factor, T_c, kappa, self.lam, L, self.softness)
        width = factor * state.model.deviation
        return View(np.arange(len(mu)), mu, mu - width, mu + width, state.model.covariance)

    def posterior(self, state: Weighed) -> JointPosterior:
        """The posterior of all plays alike: a certificate must not weigh plays by their rewards."""
        return state.plain
