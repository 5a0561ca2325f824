"""Robust GP phased elimination (RGP-PE): Algorithm 1 of the paper (arXiv 2202.01850).

    X_h   arms still active in epoch h         l_h    nominal length of the epoch, 2^(h+1)
    S_h   arms that the design selects         xi     share of the design on each of them
    u_h   plays in the epoch                   psi    least share of an arm in the design
    eta   switch when det grows by eta         lam    regularisation
    C     corruption budget                    beta   confidence parameter without corruption
    mu~   posterior mean of corrupted rewards  sigma  posterior deviation, both from this epoch alone

There are two ways to choose the width of line 15:
    TheoryWidth        Lemma 1 with the beta of Corollary 1; Theorem 1 guarantees the result
    ExperimentsWidth   Section 4: constant beta and b C / sqrt(u_h); no guarantee
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unswayed.core import bounds
from unswayed.core.design import rare_switching_design_at
from unswayed.core.estimate import Estimate
from unswayed.core.kernels import gram
from unswayed.core.posterior import JointPosterior
from unswayed.errors import InvalidInput
from unswayed.policies.finite import Guarantee, PhasedOnFiniteDomain
from unswayed.policies.protocol import Epoch
from unswayed.types import Feedback, Query, growth, positive


@dataclass(frozen=True)
class TheoryWidth(Guarantee):
    """beta_h + C sqrt(u_h)/(l_h psi sqrt(lam)), beta_h of Corollary 1. Its attributes are those of `Guarantee`."""

    def factor(self, policy: RobustPhasedElimination, h: int, u_h: int) -> float:
        """What multiplies sigma^(h) in line 15."""
        delta_h = bounds.epoch_delta(self.delta, h)
        beta = bounds.nonadaptive_beta(self.norm_bound, self.noise_std, policy.lam, len(policy.domain), delta_h)
        l_h = 2 ** (h + 1)
        return bounds.theory_factor(beta, policy.corruption_budget, policy.lam, policy.truncation, l_h, u_h)


@dataclass(frozen=True)
class ExperimentsWidth:
    """beta + b C/sqrt(u_h), as in Section 4 of the paper.

    Attributes:
        beta: Confidence parameter without corruption.
        b: Factor of the corruption term.
    """

    beta: float = 4.0
    b: float = 0.1

    def __post_init__(self) -> None:
        positive(self.beta, "beta", zero=True)
        positive(self.b, "b", zero=True)

    def factor(self, policy: RobustPhasedElimination, h: int, u_h: int) -> float:
        """What multiplies sigma^(h) in line 15."""
        return bounds.experiments_factor(self.beta, policy.corruption_budget, self.b, u_h)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RobustPhasedElimination(PhasedOnFiniteDomain):
    """Algorithm 1 (RGP-PE) on a finite domain. The methods are those of `Policy`.

    Attributes:
        domain: The arms, one row of coordinates each.
        kernel: How values at two points vary together.
        corruption_budget: Largest total corruption C.
        width: What multiplies the deviation in line 15: `ExperimentsWidth` or `TheoryWidth`.
        lam: Regularisation, the model's noise variance.
        eta: The design switches arms when the determinant has grown by this factor.
        truncation: psi, the least share of an arm in the design; Theorem 1 uses `bounds.theorem_psi(eta, gamma_T)`.

    Raises:
        InvalidInput: A setting is out of its range.

    Example:
        >>> from unswayed import RobustPhasedElimination, SquaredExponential
        >>> policy = RobustPhasedElimination([[0.0], [1.0]], SquaredExponential(0.1), corruption_budget=5)
        >>> policy.ask(policy.init(), np.random.default_rng(0))
        Query(arms=[0], repeats=[2])
    """

    corruption_budget: float
    width: TheoryWidth | ExperimentsWidth = ExperimentsWidth()
    lam: float = 1.0
    eta: float = 2.0
    truncation: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        positive(self.corruption_budget, "the corruption budget", zero=True)
        positive(self.lam, "lam")
        growth(self.eta)
        if not 0 <= self.truncation <= 1:
            raise InvalidInput(f"psi (truncation) must lie in [0, 1], not {self.truncation:g}")
        if self.truncation == 0 and self.corruption_budget > 0 and isinstance(self.width, TheoryWidth):
            raise InvalidInput("the theory width divides by psi: with a positive budget it needs psi > 0")

    def init(self) -> Epoch:
        """Line 1: all arms are active."""
        return Epoch.first(len(self.domain))

    def ask(self, epoch: Epoch, rng: np.random.Generator) -> Query:
        """Lines 2-13: the design on the active arms, and at least psi l_h plays of each arm in it."""
        l_h = 2 ** (epoch.h + 1)
        X_h = self.domain[epoch.active]
        S_h, selected = rare_switching_design_at(self.kernel, X_h, self.lam, self.eta, l_h)  # lines 2-10
        u = np.maximum(selected, int(np.ceil(l_h * self.truncation)))  # lines 11-12, as l_h xi = selected
        return Query(epoch.active[S_h], u)

    def tell(self, epoch: Epoch, feedback: Feedback) -> Epoch:
        """Lines 14-16: estimate from this epoch alone, keep every arm that may still be best."""
        u_h = int(feedback.repeats.sum())
        X_h, S_h = self.domain[epoch.active], epoch.rows(feedback.arms)
        estimate = Estimate.fit(self.kernel, X_h, S_h, feedback.means, feedback.repeats, self.lam)  # line 14
        factor = self.width.factor(self, epoch.h, u_h)
        w = factor * estimate.deviation
        keep = estimate.overlapping(w, factor)  # line 15: mu + w >= max(mu - w), up to rounding errors
        return epoch.next(keep, estimate.mean, w, feedback)  # line 16

    def posterior(self, epoch: Epoch) -> JointPosterior:
        """The posterior of all completed epochs together."""
        return epoch.posterior(gram(self.kernel, self.domain), self.lam)
