"""Influence-UCB: an index policy whose certified band contains the exact effect of corruption.

    C      corruption budget             I(x)    influence width: (C/lam) max_j |k_t(x, x_j)| over past plays
    beta   log-determinant beta          w_t     confidence weight: min(1, alpha sqrt(lam) / sigma^w(x_t))
    B      bound on the norm of f        alpha   min(1, b/C), b = B sqrt(lam) + sigma sqrt(2 ln(2/delta) + 2 gamma)

Two posteriors see every reward, one plain and one with confidence weights. Each gives an upper bound

    mu + beta sigma + I,        mu^w + beta^w sigma^w + (C/lam) max_j w_j |k^w(x, x_j)|

that holds with probability 1 - delta/2. The policy plays the arm whose *smaller* bound is largest. The weights
give R_T = O*(b sqrt(gamma T) + max(C, b) gamma); the plain bound keeps the constants small.
See docs/explanation/theory.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from unswayed.core.gp.kernels import gram
from unswayed.core.gp.posterior import JointPosterior
from unswayed.core.tampering.influence import influence_width
from unswayed.core.theory import bounds
from unswayed.errors import InvalidInput
from unswayed.policies.finite import CertifiedForBudget, check_index_lam, play_largest
from unswayed.types import Feedback, FloatArray, Query, View, read_only, short_repr


@dataclass(frozen=True, eq=False)
class TwoPosteriors:
    """State of influence-UCB: plain and weighted posterior, and the largest weight of each arm's plays."""

    plain: JointPosterior
    weighted: JointPosterior
    weights: FloatArray
    __repr__ = short_repr


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class InfluenceUCB(CertifiedForBudget):
    """Influence-UCB on a finite domain. The methods are those of `Policy`.

    Attributes:
        domain: The arms, one row of coordinates each.
        kernel: How values at two points vary together.
        corruption_budget: Largest total corruption C.
        norm_bound: Bound B on the RKHS norm of f.
        noise_std: Sub-Gaussian scale sigma of the noise of one play.
        delta: Probability of failure.
        lam: Regularisation; by default the noise variance.
        alpha: Scale of the confidence weights. Any value in (0, 1] keeps the band valid.
        weighted: Whether to use the weighted posterior. Without it the band stays valid, but the regret bound is lost.

    Raises:
        InvalidInput: A setting is out of its range.

    Example:
        >>> from unswayed import InfluenceUCB, SquaredExponential
        >>> settings = {"corruption_budget": 5, "norm_bound": 1, "noise_std": 0.1}
        >>> policy = InfluenceUCB([[0.0], [1.0]], SquaredExponential(0.1), **settings)
        >>> policy.ask(policy.init(), np.random.default_rng(0))
        Query(arms=[0], repeats=[1])
    """

    alpha: float = 1.0
    weighted: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_index_lam(self.regularisation)
        if not 0 < self.alpha <= 1:
            raise InvalidInput(f"alpha must lie in (0, 1], not {self.alpha:g}")

    @property
    def share(self) -> float:
        """The probability of failure of each band."""
        return self.delta / 2 if self.weighted else self.delta

    def init(self) -> TwoPosteriors:
        """Before any play."""
        prior = JointPosterior.prior(gram(self.kernel, self.domain), self.regularisation)
        return TwoPosteriors(prior, prior, read_only(np.zeros(len(self.domain))))

    def ask(self, state: TwoPosteriors, rng: np.random.Generator) -> Query:
        """One play of the arm with the largest upper bound."""
        return play_largest(self.view(state))

    def tell(self, state: TwoPosteriors, feedback: Feedback) -> TwoPosteriors:
        """One rank-one step of each posterior for each arm of the answer."""
        plain, weighted, weights = state.plain, state.weighted, state.weights.copy()
        for arm, n, mean in zip(feedback.arms, feedback.repeats, feedback.means, strict=True):
            w = min(1.0, self.alpha * sqrt(self.regularisation) / float(weighted.deviation[arm]))
            weights[arm] = max(weights[arm], w)
            plain = plain.extend(int(arm), int(n), float(n * mean))
            weighted = weighted.extend(int(arm), int(n), float(n * mean), w)
        return TwoPosteriors(plain, weighted, read_only(weights))

    def recommend(self, state: TwoPosteriors) -> int:
        """The arm with the largest posterior mean."""
        return int(np.argmax(state.plain.mean))

    def view(self, state: TwoPosteriors) -> View:
        """All arms, with the intersection of both bands."""
        lower, upper = self._band(state.plain, np.where(state.plain.counts > 0, 1.0, 0.0))
        if self.weighted:
            lower_w, upper_w = self._band(state.weighted, state.weights)
            lower, upper = np.maximum(lower, lower_w), np.minimum(upper, upper_w)
        return View(np.arange(len(upper)), state.plain.mean, lower, upper, state.plain.covariance)

    def posterior(self, state: TwoPosteriors) -> JointPosterior:
        """The posterior of all plays so far."""
        return state.plain

    def _band(self, posterior: JointPosterior, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        lam = self.regularisation
        beta = bounds.log_det_beta(self.norm_bound, self.noise_std, lam, self.share, posterior.log_det)
        influence = influence_width(posterior.covariance * weights, weights > 0, self.corruption_budget, lam)
        width = beta * posterior.deviation + influence
        return posterior.mean - width, posterior.mean + width


def confidence_weight(B: float, sigma: float, lam: float, delta: float, gamma: float, C: float) -> float:
    """alpha = min(1, b/C) with b = B sqrt(lam) + sigma sqrt(2 ln(2/delta) + 2 gamma)."""
    b = sqrt(lam) * bounds.log_det_beta(B, sigma, lam, delta / 2, 2 * gamma)
    return min(1.0, b / C) if C > 0 else 1.0
