"""Influence-PE: Algorithm 1 with the exact influence width, without truncation, and pairwise elimination.

    X_h   arms still active in epoch h          S_h    arms that the design selects
    l_h   length of the epoch, 2^(h+1)          C      corruption budget
    k     posterior covariance of this epoch    sd     deviation of a difference f(a) - f(x)
    beta  sqrt(B^2 + 2 (sigma^2/lam) ln(2 (N-1)/delta_h)), for differences with the best arm, both signs

An arm x is dropped if some active a has

    mu~(a) - mu~(x) > beta sd(a - x) + (C/lam) max_{x' in S_h} |k(a, x') - k(x, x')|.

With probability 1 - delta the best arm is never dropped, and the regret is O*(b sqrt(T gamma_T) + (B + C) gamma_T).
The proof is in docs/explanation/theory.md. Only the data of the epoch are used, so the design does not depend on its
rewards.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unswayed.core.design.rare_switching import rare_switching_design_at
from unswayed.core.gp.epoch_posterior import EpochPosterior
from unswayed.core.gp.kernels import gram
from unswayed.core.gp.posterior import JointPosterior
from unswayed.core.theory import bounds
from unswayed.policies.finite import CertifiedForBudget, PhasedOnFiniteDomain
from unswayed.policies.protocol import Epoch
from unswayed.types import Feedback, Query, growth


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class InfluencePhasedElimination(CertifiedForBudget, PhasedOnFiniteDomain):
    """Influence-PE on a finite domain. The methods are those of `Policy`.

    Attributes:
        domain: The arms, one row of coordinates each.
        kernel: How values at two points vary together.
        corruption_budget: Largest total corruption C.
        norm_bound: Bound B on the RKHS norm of f.
        noise_std: Sub-Gaussian scale sigma of the noise of one play.
        delta: Probability of failure.
        lam: Regularisation; by default the noise variance.
        eta: The design switches arms when the determinant has grown by this factor.

    Raises:
        InvalidInput: A setting is out of its range.

    Example:
        >>> from unswayed import InfluencePhasedElimination, SquaredExponential
        >>> settings = {"corruption_budget": 5, "norm_bound": 1, "noise_std": 0.1}
        >>> policy = InfluencePhasedElimination([[0.0], [1.0]], SquaredExponential(0.1), **settings)
        >>> policy.ask(policy.init(), np.random.default_rng(0))
        Query(arms=[0, 1], repeats=[1, 1])
    """

    eta: float = 2.0

    def __post_init__(self) -> None:
        super().__post_init__()
        growth(self.eta)

    def beta(self, h: int) -> float:
        """Confidence parameter for the differences of all arms with the best one, both signs.

        Args:
            h: Number of the epoch, from 0.
        """
        pairs = max(2 * (len(self.domain) - 1), 1)
        delta_h = bounds.epoch_delta(self.delta, h)
        return bounds.sharp_nonadaptive_beta(self.norm_bound, self.noise_std, self.regularisation, pairs, delta_h)

    def ask(self, epoch: Epoch, rng: np.random.Generator) -> Query:
        """Lines 2-13 with psi = 0: the design itself is played."""
        X_h = self.domain[epoch.active]
        S_h, u = rare_switching_design_at(self.kernel, X_h, self.regularisation, self.eta, 2 ** (epoch.h + 1))
        return Query(epoch.active[S_h], u)

    def tell(self, epoch: Epoch, feedback: Feedback) -> Epoch:
        """Lines 14-16, with the exact width of every difference."""
        C = self.corruption_budget
        beta = self.beta(epoch.h)
        X_h, S_h = self.domain[epoch.active], epoch.rows(feedback.arms)
        estimate = EpochPosterior.fit(self.kernel, X_h, S_h, feedback.means, feedback.repeats, self.regularisation)
        keep = estimate.undominated(beta, C)
        mu = estimate.mean
        width = beta * estimate.deviation + C * estimate.influence()
        return epoch.next(keep, mu, width, feedback)

    def posterior(self, epoch: Epoch) -> JointPosterior:
        """The posterior of all completed epochs together."""
        return epoch.posterior(gram(self.kernel, self.domain), self.regularisation)
