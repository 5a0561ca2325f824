"""The exact effect of tampering on a posterior, and what follows from it.

    k_t     posterior covariance          S     the arms that were played
    lam     regularisation                C     total tampering, sum |c_j|

The posterior mean is linear in the rewards: d mu_t(x) / d y_j = k_t(x, x_j) / lam. So tampering of total C
moves mu_t(x) by at most (C/lam) max_{x' in S} |k_t(x, x')|, the *influence width*, and attains it by
spending everything on one play of the maximising arm. It is algebra: true for any way of choosing plays.
The same for a difference mu_t(a) - mu_t(b), with k_t(a, .) - k_t(b, .).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from holdfast.core.bounds import log_det_beta
from holdfast.core.posterior import JointPosterior
from holdfast.types import BoolArray, FloatArray, HoldfastError, IntArray, positive, read_only

BLOCK = 1 << 22  # entries of a matrix that are looked at together


def influence_width(covariance: FloatArray, played: BoolArray, C: float, lam: float) -> FloatArray:
    """I(x) = (C/lam) max_{x' in S} |k_t(x, x')| for every row x of `covariance` (columns: all arms)."""
    if C == 0 or not played.any():
        return np.zeros(len(covariance))
    width: FloatArray = (C / lam) * np.abs(covariance[:, played]).max(axis=1)
    return width


def pairwise_influence(effect: FloatArray, arm: int) -> tuple[FloatArray, IntArray]:
    """max over columns x' of |effect(a, x') - effect(b, x')| for the arm a and every b, and the column.

    `effect` is d mu / d y: k_t(x, x')/lam for played x'. One unit of tampering with a play of x' moves
    mu(a) - mu(b) by the difference. In blocks: O(N) memory beyond the matrix.
    """
    largest, where = np.zeros(len(effect)), np.zeros(len(effect), dtype=np.int64)
    if effect.shape[1] == 0:
        return largest, where
    rows = max(1, BLOCK // effect.shape[1])
    for begin in range(0, len(effect), rows):
        part = np.abs(effect[arm] - effect[begin : begin + rows])
        where[begin : begin + rows] = part.argmax(axis=1)
        largest[begin : begin + rows] = part.max(axis=1)
    return largest, where


def pairwise_deviation(covariance: FloatArray, arm: int) -> FloatArray:
    """sd(a - b) = sqrt(k_t(a,a) + k_t(b,b) - 2 k_t(a,b)) for the arm a and every b."""
    variance = np.diagonal(covariance)
    difference = variance[arm] + variance - 2 * covariance[arm]
    rounding = 8 * np.finfo(np.float64).eps * (variance[arm] + variance)
    spread: FloatArray = np.sqrt(np.maximum(difference, rounding))
    spread[arm] = 0.0
    return spread


@dataclass(frozen=True)
class Breakdown:
    """How much tampering overturns a recommendation: `budget` in all, on plays of the arm `pivot`.

    The winner has the largest posterior mean. With less than `budget` of tampering among the recorded rewards
    (plays, kernel and lam held fixed) the untampered rewards name the same winner; with more, they may name
    `rival`. Infinite if there is one arm only.
    """

    winner: int
    rival: int
    budget: float
    pivot: int


def breakdown(
    posterior: JointPosterior,
    *,
    beta: float = 0.0,
    winner: int | None = None,
    margin: float = 0.0,
    caution: float = 0.0,
    without: Sequence[int] = (),
) -> Breakdown:
    """min over rivals b of (mu(a) - mu(b) - beta sd(a - b)) / max_{x' in S} |k_t(a,x') - k_t(b,x')| * lam.

    With beta = 0 exact; with a valid beta certified: the winner is truly the best, at the confidence of beta,
    unless there was more tampering. Not below 0. `winner` replaces the arm of largest mean. With a `margin`, rivals
    that are behind by less do not count: on a fine grid the winner's neighbours are as good as the winner.
    With `caution`, of a rule that takes the largest mu - caution sd, rather than mu, among all arms but `without`.
    """
    winner = int(np.argmax(posterior.mean)) if winner is None else winner
    budgets, where = breakdown_budgets(posterior, winner, beta=beta, caution=caution)
    budgets[[winner, *without]] = np.inf
    if margin > 0:
        budgets[posterior.mean[winner] - posterior.mean < margin] = np.inf
    if np.isinf(budgets).all():
        return Breakdown(winner, winner, np.inf, winner)
    rival = int(np.argmin(budgets))
    return Breakdown(winner, rival, float(budgets[rival]), int(where[rival]))


def breakdown_budgets(
    posterior: JointPosterior, winner: int, *, beta: float = 0.0, caution: float = 0.0
) -> tuple[FloatArray, IntArray]:
    """For every rival the tampering that overturns the winner, and the arm where it is cheapest."""
    effect, S = posterior.effect()
    power, column = pairwise_influence(effect, winner)
    score = posterior.mean - caution * posterior.deviation if caution > 0 else posterior.mean  # sd knows no rewards
    lead = score[winner] - score
    if beta > 0:
        lead = lead - beta * pairwise_deviation(posterior.covariance, winner)
    with np.errstate(divide="ignore", invalid="ignore"):
        budgets = np.where(lead > 0, lead / power, 0.0)  # no power means no lead: such arms cannot be told apart
    return budgets, S[column] if len(S) else column


@dataclass(frozen=True, eq=False)
class Certificate:
    """What can be said of a recommendation with confidence 1 - delta, if tampering stayed within `budget`."""

    winner: int
    candidates: IntArray  # arms that may still be best, the winner among them
    largest_gap: float  # the winner is at most this far below the best
    breakdown_budget: float  # tampering that overturns the estimate (exact)
    certified_budget: float  # tampering up to which the winner is the best for certain (at this confidence)
    rival: int
    pivot: int
    budget: float
    delta: float
    beta: float

    def scaled(self, unit: float) -> Certificate:
        """The same certificate when rewards are measured in other units: every amount times `unit`."""
        amounts = ("largest_gap", "breakdown_budget", "certified_budget", "budget")
        return replace(self, **{name: unit * getattr(self, name) for name in amounts})

    def __str__(self) -> str:
        percent = f"{100 * (1 - self.delta):.4g}%"
        if len(self.candidates) == 1:
            first = (
                f"Option {self.winner} is the best, with {percent} confidence, "
                f"even if tampering of up to {self.budget:.4g} in total took place."
            )
        else:
            first = (
                f"Option {self.winner} leads; with {percent} confidence it is at most {self.largest_gap:.4g} below the "
                f"best, if tampering did not exceed {self.budget:.4g} in total, and {len(self.candidates)} options may "
                "still be the best."
            )
        second = (
            f" To make option {self.rival} win instead, {self.breakdown_budget:.4g} of tampering would have been "
            f"enough, on measurements of option {self.pivot}."
        )
        return first + (second if 0 < self.breakdown_budget < np.inf else "")


def certificate(
    posterior: JointPosterior,
    *,
    budget: float,
    norm_bound: float,
    noise_std: float,
    delta: float = 0.05,
    winner: int | None = None,
) -> Certificate:
    """Certify the arm of largest posterior mean (or `winner`) against tampering of total `budget`.

    Always with the log-determinant beta, valid for any way of choosing plays without sight of later noise. It
    needs a true bound on the RKHS norm, the true noise scale, and a kernel and lam that were not fitted to
    these very rewards.
    """
    C = positive(budget, "the budget", zero=True)
    B, sigma = positive(norm_bound, "the norm bound", zero=True), positive(noise_std, "the noise", zero=True)
    if not 0 < delta < 1:
        raise HoldfastError(f"delta must lie between 0 and 1, not {delta:g}")
    beta = log_det_beta(B, sigma, posterior.lam, delta, posterior.log_det)
    exact, certified = breakdown(posterior, winner=winner), breakdown(posterior, beta=beta, winner=winner)
    winner = exact.winner
    power, _ = pairwise_influence(posterior.effect()[0], winner)
    reach = beta * pairwise_deviation(posterior.covariance, winner) + C * power
    behind = posterior.mean - posterior.mean[winner] + reach  # f(b) - f(winner) is at most this
    behind[winner] = 0.0
    candidates = np.flatnonzero((behind >= 0) | (np.arange(len(behind)) == winner))
    return Certificate(
        winner=winner,
        candidates=read_only(candidates),
        largest_gap=max(float(behind.max()), 0.0),
        breakdown_budget=exact.budget,
        certified_budget=certified.budget,
        rival=exact.rival,
        pivot=exact.pivot,
        budget=C,
        delta=delta,
        beta=beta,
    )
