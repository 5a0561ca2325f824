"""Robust phased elimination for linear bandits (Algorithm 3) on the Newton basis (Algorithm 2).

Appendix E of the paper: f is replaced by a linear function of D features, up to an error Delta, and a
corruption-tolerant linear bandit algorithm does the rest.

    x~     features of an arm: the Newton basis       D       their number
    zeta   G-optimal design on the active arms        m_h     nominal length of the epoch, m_0 2^h
    alpha  truncation: least share of an arm          u_h(x)  plays of an arm in the epoch
    Delta  error of the reduction                     theta~  estimate from the epoch's mean rewards
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from unswayed.core import bounds
from unswayed.core.design import g_optimal_design, support_bound
from unswayed.core.kernels import Kernel, gram
from unswayed.core.newton import newton_basis
from unswayed.core.posterior import JointPosterior
from unswayed.policies.protocol import Epoch, check_guarantee
from unswayed.types import Feedback, FloatArray, Query, View, floats, positive, whole


def balanced_error(horizon: int) -> float:
    """Delta = 1/sqrt(T): equates the reduction's error with the stochastic term."""
    return float(horizon**-0.5)


def matern_error(horizon: int, dimension: int, nu: float) -> float:
    """Delta = T^(-nu/(d + nu)): equates it with the corrupted term, better for Matern with d/2 < nu < d."""
    return float(horizon ** (-nu / (dimension + nu)))


@dataclass(frozen=True, eq=False)
class LinearPhasedElimination:
    """Algorithm 3. `error` is Delta, `delta` the probability of failure of the whole run."""

    domain: FloatArray
    kernel: Kernel
    _: KW_ONLY
    corruption_budget: float
    horizon: int
    norm_bound: float
    noise_std: float
    error: float
    delta: float = 0.05

    phased: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "domain", floats(self.domain, "the domain", ndim=2))
        positive(self.corruption_budget, "the corruption budget", zero=True)
        whole(self.horizon, "the horizon", least=1)
        check_guarantee(self.norm_bound, self.noise_std, self.delta)
        positive(self.error, "the error of the reduction")
        positive(self.norm_bound, "the norm bound")

    @cached_property
    def features(self) -> FloatArray:
        """x~ of every arm: Algorithm 2 with admissible error e = Delta / B."""
        return newton_basis(gram(self.kernel, self.domain), self.error / self.norm_bound)[1]

    @property
    def m_0(self) -> int:
        """Line 1: the nominal length of epoch 0."""
        return support_bound(self.features.shape[1])

    def init(self) -> Epoch:
        """Line 1."""
        return Epoch.first(len(self.domain))

    def ask(self, epoch: Epoch, rng: np.random.Generator) -> Query:
        """Lines 2-4: a G-optimal design on the active arms, each arm at least alpha m_h times."""
        m_h, alpha = self.m_0 * 2**epoch.h, 1 / self.m_0
        support, zeta = g_optimal_design(self.features[epoch.active])  # line 2
        u = np.ceil(m_h * np.maximum(zeta, alpha)).astype(np.int64)  # line 3
        return Query(epoch.active[support], u)

    def tell(self, epoch: Epoch, feedback: Feedback) -> Epoch:
        """Lines 5-7: least squares on this epoch's mean rewards, then elimination."""
        root = np.sqrt(feedback.repeats)
        X_S = self.features[feedback.arms]
        # Line 5. Least squares of minimal norm: where the arms no longer span, this works in their span.
        theta = np.linalg.lstsq(root[:, None] * X_S, root * feedback.means, rcond=1e-12)[0]
        mean = self.features[epoch.active] @ theta
        width = bounds.linear_width(
            Delta=self.error,
            C=self.corruption_budget,
            sigma=self.noise_std,
            delta=self.delta / (2 * len(self.domain) * max(np.log2(self.horizon), 1)),
            alpha=1 / self.m_0,
            m_0=self.m_0,
            m_h=self.m_0 * 2**epoch.h,
            D=self.features.shape[1],
        )
        keep = np.max(mean) - mean <= width  # line 6
        return epoch.next(keep, mean, np.full(len(mean), width / 2), feedback)  # line 7

    def recommend(self, epoch: Epoch) -> int:
        """The active arm with the largest estimate in the last completed epoch."""
        return epoch.leader

    def view(self, epoch: Epoch) -> View:
        """The active arms with the bounds of the last completed epoch."""
        return epoch.view

    def posterior(self, epoch: Epoch) -> JointPosterior:
        """All completed epochs together."""
        return epoch.posterior(gram(self.kernel, self.domain), self.noise_std**2)
