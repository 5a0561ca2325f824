"""Robust phased elimination for linear bandits (Algorithm 3) on the Newton basis (Algorithm 2).

Appendix E of the paper: replace f by a linear function of D features, up to an error Delta, and run a
corruption-tolerant algorithm for linear bandits.

    x~     features of an arm: the Newton basis       D       their number
    zeta   G-optimal design on the active arms        m_h     nominal length of the epoch, m_0 2^h
    alpha  truncation: least share of an arm          u_h(x)  plays of an arm in the epoch
    Delta  error of the reduction                     theta~  estimate from the epoch's mean rewards
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unswayed.core.design.g_optimal import g_optimal_design, support_bound
from unswayed.core.design.newton import newton_basis
from unswayed.core.gp.kernels import gram
from unswayed.core.gp.posterior import JointPosterior
from unswayed.core.theory import bounds
from unswayed.policies.finite import PhasedOnFiniteDomain, check_guarantee
from unswayed.policies.protocol import Epoch
from unswayed.types import Feedback, FloatArray, Query, positive, probability, whole


def balanced_error(horizon: int) -> float:
    """Delta = 1/sqrt(T): the error of the reduction costs as much regret as the noise."""
    return float(horizon**-0.5)


def matern_error(horizon: int, dimension: int, nu: float) -> float:
    """Delta = T^(-nu/(d + nu)): it costs as much as the corruption. Better for Matern kernels with d/2 < nu < d."""
    return float(horizon ** (-nu / (dimension + nu)))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LinearPhasedElimination(PhasedOnFiniteDomain):
    """Algorithm 3 on a finite domain. The methods are those of `Policy`.

    Attributes:
        domain: The arms, one row of coordinates each.
        kernel: How values at two points vary together.
        corruption_budget: Largest total corruption C.
        horizon: Number of plays T.
        norm_bound: Bound B on the RKHS norm of f.
        noise_std: Sub-Gaussian scale sigma of the noise of one play.
        error: Error Delta of the reduction; `balanced_error(T)` is the usual choice.
        delta: Probability of failure of the whole run.
        alpha: Least share of an arm in a design; None: 1/m_0, which gives Appendix E its C D^1.5.

    Raises:
        InvalidInput: A setting is out of its range.

    Example:
        >>> from unswayed import Linear, LinearPhasedElimination
        >>> settings = {"corruption_budget": 1, "horizon": 1000, "norm_bound": 1, "noise_std": 0.1, "error": 0.03}
        >>> policy = LinearPhasedElimination([[1.0, 0.0], [0.0, 1.0]], Linear(), **settings)
        >>> policy.ask(policy.init(), np.random.default_rng(0))
        Query(arms=[0, 1], repeats=[72, 72])
    """

    corruption_budget: float
    horizon: int
    norm_bound: float
    noise_std: float
    error: float
    delta: float = 0.05
    alpha: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        positive(self.corruption_budget, "the corruption budget", zero=True)
        whole(self.horizon, "the horizon", least=1)
        check_guarantee(self.norm_bound, self.noise_std, self.delta)
        positive(self.error, "the error of the reduction")
        positive(self.norm_bound, "the norm bound")
        if self.alpha is not None:
            probability(self.alpha, "alpha")

    @cached_property
    def features(self) -> FloatArray:
        """x~ of every arm: Algorithm 2 with admissible error e = Delta / B."""
        return newton_basis(gram(self.kernel, self.domain), self.error / self.norm_bound)[1]

    @property
    def m_0(self) -> int:
        """Line 1: the nominal length of epoch 0."""
        return support_bound(self.features.shape[1])

    @property
    def truncation(self) -> float:
        """alpha as a number: never None."""
        return 1 / self.m_0 if self.alpha is None else self.alpha

    def ask(self, epoch: Epoch, rng: np.random.Generator) -> Query:
        """Lines 2-4: a G-optimal design on the active arms, each arm at least alpha m_h times."""
        m_h = self.m_0 * 2**epoch.h
        alpha = self.truncation
        support, zeta = g_optimal_design(self.features[epoch.active])  # line 2
        u = np.ceil(m_h * np.maximum(zeta, alpha)).astype(np.int64)  # line 3
        return Query(epoch.active[support], u)

    def tell(self, epoch: Epoch, feedback: Feedback) -> Epoch:
        """Lines 5-7: least squares on this epoch's mean rewards, then elimination."""
        root = np.sqrt(feedback.repeats)
        X_S = self.features[feedback.arms]
        # Line 5. Least squares of minimal norm also works when the active arms no longer span all features.
        theta = np.linalg.lstsq(root[:, None] * X_S, root * feedback.means, rcond=1e-12)[0]
        mean = self.features[epoch.active] @ theta
        Delta, C, sigma = self.error, self.corruption_budget, self.noise_std
        delta = self.delta / (2 * len(self.domain) * max(np.log2(self.horizon), 1))
        m_0, m_h, D = self.m_0, self.m_0 * 2**epoch.h, self.features.shape[1]
        width = bounds.linear_width(Delta, C, sigma, delta, self.truncation, m_0, m_h, D)
        keep = np.max(mean) - mean <= width  # line 6
        return epoch.next(keep, mean, np.full(len(mean), width / 2), feedback)  # line 7

    def posterior(self, epoch: Epoch) -> JointPosterior:
        """The posterior of all completed epochs together."""
        return epoch.posterior(gram(self.kernel, self.domain), self.noise_std**2)
