"""GP-UCB (Srinivas et al. 2010): play the arm of largest upper confidence bound. Not robust.

t        round, from 1                  mu, sigma   posterior after t - 1 plays
beta_t   growing confidence parameter   log_det     ln det(I + K_{t-1}/lam)

x_t = argmax mu_{t-1}(x) + beta_t sigma_{t-1}(x), ties to the lowest arm
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from math import log, sqrt
from typing import ClassVar

import numpy as np

from unswayed.core import bounds
from unswayed.core.design import first_argmax
from unswayed.core.kernels import Kernel, gram
from unswayed.core.posterior import JointPosterior
from unswayed.errors import InvalidInput
from unswayed.policies.protocol import check_guarantee
from unswayed.types import Feedback, FloatArray, Query, View, floats, positive

SMALLEST_LAM = 1e-10


@dataclass(frozen=True)
class SqrtLogBeta:
    """beta_t = scale sqrt(ln t), as in Section 4 of the paper: natural logarithm, beta_1 = 0."""

    scale: float = 0.5

    def __post_init__(self) -> None:
        positive(self.scale, "the scale of beta", zero=True)

    def __call__(self, t: int, log_det: float, lam: float) -> float:
        """beta of round t."""
        return self.scale * sqrt(log(t))


@dataclass(frozen=True)
class LogDetBeta:
    """The beta that is valid for plays chosen adaptively: needs B, sigma and delta."""

    norm_bound: float
    noise_std: float
    delta: float = 0.05

    def __post_init__(self) -> None:
        check_guarantee(self.norm_bound, self.noise_std, self.delta)

    def __call__(self, t: int, log_det: float, lam: float) -> float:
        """beta of round t."""
        return bounds.log_det_beta(self.norm_bound, self.noise_std, lam, self.delta, log_det)


@dataclass(frozen=True, eq=False)
class Round:
    """State of an index policy: round `t` is about to be played."""

    t: int
    posterior: JointPosterior


@dataclass(frozen=True, eq=False)
class GPUCB:
    """GP-UCB on a finite domain."""

    domain: FloatArray
    kernel: Kernel
    _: KW_ONLY
    beta: SqrtLogBeta | LogDetBeta = SqrtLogBeta()
    lam: float = 1.0

    phased: ClassVar[bool] = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "domain", floats(self.domain, "the domain", ndim=2))
        if positive(self.lam, "lam") < SMALLEST_LAM:
            raise InvalidInput(f"an index policy cannot resolve variances for lam below {SMALLEST_LAM:g}")

    @property
    def enlargement(self) -> float:
        """What is added to beta_t against corruption: nothing."""
        return 0.0

    def init(self) -> Round:
        """Round 1, nothing known."""
        return Round(1, JointPosterior.prior(gram(self.kernel, self.domain), self.lam))

    def ask(self, state: Round, rng: np.random.Generator) -> Query:
        """One play of the arm with the largest upper bound."""
        view = self.view(state)
        arm = first_argmax(view.upper, scale=float(np.max(view.upper - view.mean)))
        return Query(np.array([arm]), np.array([1]))

    def tell(self, state: Round, feedback: Feedback) -> Round:
        """One rank-one step for each arm of the answer."""
        t, posterior = state.t, state.posterior
        for arm, n, mean in zip(feedback.arms, feedback.repeats, feedback.means, strict=True):
            posterior = posterior.extend(int(arm), int(n), float(n * mean))
            t += int(n)
        return Round(t, posterior)

    def recommend(self, state: Round) -> int:
        """The arm with the largest posterior mean."""
        return int(np.argmax(state.posterior.mean))

    def view(self, state: Round) -> View:
        """All arms, with the bounds of the coming round."""
        mu = state.posterior.mean
        factor = self.beta(state.t, state.posterior.log_det, self.lam) + self.enlargement
        width = factor * state.posterior.deviation
        return View(np.arange(len(mu)), mu, mu - width, mu + width, state.posterior.covariance)

    def posterior(self, state: Round) -> JointPosterior:
        """All plays so far."""
        return state.posterior
