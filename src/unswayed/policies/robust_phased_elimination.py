"""Robust GP phased elimination (RGP-PE): Algorithm 1 of the paper (arXiv 2202.01850).

    X_h   arms still active in epoch h         l_h    nominal length of the epoch, 2^(h+1)
    S_h   arms that the design selects         xi     share of the design on each of them
    u_h   plays in the epoch                   psi    least share of an arm in the design
    eta   switch when det grows by eta         lam    regularisation
    C     corruption budget                    beta   confidence parameter without corruption
    mu~   posterior mean of corrupted rewards  sigma  posterior deviation, both from this epoch alone

`widths.py` has the factor of sigma in line 15: that of the theory, and that of Section 4.

On a box, an arm stands for the cell of a cover around it (`core/theory/cover.py`), where f differs from its value at
the arm by at most eps = `cover_error`. So f in the cell is at most mu~ + w + eps, and line 15 keeps every cell that may
contain the best point of the box. On a finite domain eps = 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unswayed.core.design.rare_switching import rare_switching_design_at
from unswayed.core.gp.epoch_posterior import EpochPosterior
from unswayed.core.gp.kernels import gram
from unswayed.core.gp.posterior import JointPosterior
from unswayed.errors import InvalidInput
from unswayed.policies.finite import PhasedOnFiniteDomain
from unswayed.policies.protocol import Epoch
from unswayed.policies.widths import ExperimentsWidth, InformationWidth, TheoryWidth
from unswayed.types import Feedback, Query, growth, positive

__all__ = ["ExperimentsWidth", "InformationWidth", "RobustPhasedElimination", "TheoryWidth"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RobustPhasedElimination(PhasedOnFiniteDomain):
    """Algorithm 1 (RGP-PE) on a finite domain, or on a finite cover of a box. The methods are those of `Policy`.

    Attributes:
        domain: The arms, one row of coordinates each.
        kernel: How values at two points vary together.
        corruption_budget: Largest total corruption C.
        width: What multiplies the deviation in line 15: `ExperimentsWidth`, `TheoryWidth` or `InformationWidth`.
        lam: Regularisation, the model's noise variance.
        eta: The design switches arms when the determinant has grown by this factor.
        truncation: psi, the least share of an arm in the design; Theorem 1 uses `bounds.theorem_psi(eta, gamma_T)`.
        cover_error: For arms that cover a box, `box_cover(...).error`: what f in the cell of an arm differs from its
            value at the arm, at most. It is part of the width that `view` reports. 0 for a finite domain.

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
    cover_error: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        positive(self.corruption_budget, "the corruption budget", zero=True)
        positive(self.lam, "lam")
        positive(self.cover_error, "the error of the cover", zero=True)
        growth(self.eta)
        if not 0 <= self.truncation <= 1:
            raise InvalidInput(f"psi (truncation) must lie in [0, 1], not {self.truncation:g}")
        if self.truncation == 0 and self.corruption_budget > 0 and isinstance(self.width, TheoryWidth):
            raise InvalidInput("the theory width divides by psi: with a positive budget it needs psi > 0")
        self.width.factor(self, 0, 1, 0.0)  # a width that does not hold for this lam refuses now, not after the plays

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
        estimate = EpochPosterior.fit(self.kernel, X_h, S_h, feedback.means, feedback.repeats, self.lam)  # line 14
        factor = self.width.factor(self, epoch.h, u_h, estimate.posterior.log_det)
        w = factor * estimate.deviation
        keep = estimate.overlapping(w, factor, self.cover_error)  # line 15: mu + w >= max(mu - w), up to rounding
        return epoch.next(keep, estimate.mean, w + self.cover_error, feedback)  # line 16

    def posterior(self, epoch: Epoch) -> JointPosterior:
        """The posterior of all completed epochs together."""
        return epoch.posterior(gram(self.kernel, self.domain), self.lam)
