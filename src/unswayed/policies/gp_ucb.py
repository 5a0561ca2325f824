"""GP-UCB (Srinivas et al. 2010): play the arm of largest upper confidence bound. Not robust.

t        round, from 1                  mu, sigma   posterior after t - 1 plays
beta_t   growing confidence parameter   log_det     ln det(I + K_{t-1}/lam)

x_t = argmax mu_{t-1}(x) + beta_t sigma_{t-1}(x), ties to the lowest arm
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt

import numpy as np

from unswayed.core.gp.kernels import gram
from unswayed.core.gp.posterior import JointPosterior
from unswayed.core.theory import bounds
from unswayed.policies.finite import Guarantee, OnFiniteDomain, check_index_lam, play_largest
from unswayed.types import Feedback, Query, View, positive, short_repr


@dataclass(frozen=True)
class SqrtLogBeta:
    """beta_t = scale sqrt(ln t), as in Section 4 of the paper: natural logarithm, so beta_1 = 0.

    Attributes:
        scale: The factor of sqrt(ln t).
    """

    scale: float = 0.5

    def __post_init__(self) -> None:
        positive(self.scale, "the scale of beta", zero=True)

    def __call__(self, t: int, log_det: float, lam: float) -> float:
        """beta of round t."""
        return self.scale * sqrt(log(t))


@dataclass(frozen=True)
class LogDetBeta(Guarantee):
    """The beta that is valid for plays chosen adaptively. Its attributes are those of `Guarantee`."""

    def __call__(self, t: int, log_det: float, lam: float) -> float:
        """beta of round t."""
        return bounds.log_det_beta(self.norm_bound, self.noise_std, lam, self.delta, log_det)


@dataclass(frozen=True, eq=False)
class Round:
    """State of an index policy: round `t` is about to be played."""

    t: int
    posterior: JointPosterior
    __repr__ = short_repr


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class GPUCB(OnFiniteDomain):
    """GP-UCB on a finite domain. The methods are those of `Policy`.

    Attributes:
        domain: The arms, one row of coordinates each.
        kernel: How values at two points vary together.
        beta: Confidence parameter of each round.
        lam: Regularisation, the model's noise variance.

    Raises:
        InvalidInput: The domain is not a table of finite numbers, or lam is too small.

    Example:
        >>> from unswayed import GPUCB, SquaredExponential
        >>> policy = GPUCB([[0.0], [1.0]], SquaredExponential(0.5), lam=0.01)
        >>> policy.ask(policy.init(), np.random.default_rng(0))
        Query(arms=[0], repeats=[1])
    """

    beta: SqrtLogBeta | LogDetBeta = SqrtLogBeta()
    lam: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_index_lam(self.lam)

    @property
    def enlargement(self) -> float:
        """What is added to beta_t because of corruption: nothing."""
        return 0.0

    def init(self) -> Round:
        """Round 1, before any play."""
        return Round(1, JointPosterior.prior(gram(self.kernel, self.domain), self.lam))

    def ask(self, state: Round, rng: np.random.Generator) -> Query:
        """One play of the arm with the largest upper bound."""
        return play_largest(self.view(state))

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
        """The posterior of all plays so far."""
        return state.posterior
