"""What multiplies the deviation in line 15 of Algorithm 1 (RGP-PE): three ways to choose it.

    TheoryWidth        Lemma 1 with the beta of Corollary 1; Theorem 1 guarantees the result
    InformationWidth   Lemma 1 with the beta of Corollary 2, which does not depend on the number of arms; guaranteed too
    ExperimentsWidth   Section 4: constant beta and b C / sqrt(u_h); no guarantee

h     epoch, from 0             log_det   ln det(I + K/lam) of the plays of the epoch
u_h   plays in the epoch        delta_h   probability that its band fails
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unswayed.core.theory import bounds
from unswayed.policies.finite import Guarantee
from unswayed.types import positive

if TYPE_CHECKING:
    from unswayed.policies.robust_phased_elimination import RobustPhasedElimination


@dataclass(frozen=True)
class TheoryWidth(Guarantee):
    """beta_h + C sqrt(u_h)/(l_h psi sqrt(lam)), beta_h of Corollary 1. Its attributes are those of `Guarantee`."""

    def beta(self, policy: RobustPhasedElimination, delta_h: float, log_det: float) -> float:
        """beta_h of Corollary 1."""
        return bounds.nonadaptive_beta(self.norm_bound, self.noise_std, policy.lam, len(policy.domain), delta_h)

    def factor(self, policy: RobustPhasedElimination, h: int, u_h: int, log_det: float) -> float:
        """What multiplies sigma^(h) in line 15."""
        beta = self.beta(policy, bounds.epoch_delta(self.delta, h), log_det)
        l_h = 2 ** (h + 1)
        return bounds.theory_factor(beta, policy.corruption_budget, policy.lam, policy.truncation, l_h, u_h)


@dataclass(frozen=True)
class InformationWidth(TheoryWidth):
    """The same with beta_h of Corollary 2. Its attributes are those of `Guarantee`, and one more.

    Attributes:
        gamma: None for the exact form, with ln det(I + K/lam) of the epoch's own plays. For the form that the paper
            prints: an upper bound of gamma_T. It needs lam >= 1, and is then never narrower than the exact form.
    """

    gamma: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.gamma is not None:
            positive(self.gamma, "gamma", zero=True)

    def beta(self, policy: RobustPhasedElimination, delta_h: float, log_det: float) -> float:
        """beta_h of Corollary 2."""
        known = self.norm_bound, self.noise_std, policy.lam, delta_h
        if self.gamma is None:
            return bounds.log_det_beta(*known, log_det)
        return bounds.chowdhury_gopalan_beta(*known, self.gamma)


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

    def factor(self, policy: RobustPhasedElimination, h: int, u_h: int, log_det: float) -> float:
        """What multiplies sigma^(h) in line 15."""
        return bounds.experiments_factor(self.beta, policy.corruption_budget, self.b, u_h)
