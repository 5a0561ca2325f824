"""How far a recommendation can be trusted: how much tampering overturns it, and how far it is from the best.

    mu, k_t   posterior mean and covariance      a     the winner           b      a rival
    lam       regularisation                     S     the arms played

`Breakdown` is algebra (influence.py): it holds the plays, the kernel and lam fixed. `Certificate` is a theorem: it
needs a true kernel, noise and norm bound that were not fitted to these rewards. Both allow for the rounding errors of
the posterior (core/gp/rounding.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from unswayed.core.data.memory import row_blocks
from unswayed.core.gp.posterior import JointPosterior, Posterior
from unswayed.core.tampering.influence import pairwise_deviation, pairwise_influence
from unswayed.core.tampering.threat import Records, Threat
from unswayed.core.theory.bounds import log_det_beta
from unswayed.errors import InvalidInput
from unswayed.text import at_most
from unswayed.types import FloatArray, IntArray, positive, probability, read_only, short_repr, whole

# Each possible jitter gets the share 1/JITTER_SHARES of delta, because the plays decide on the jitter. A jitter is a
# power of 4, and a double can be a thousand of these: together they add a millionth of delta.
JITTER_SHARES = 2.0**31


@dataclass(frozen=True)
class Breakdown:
    """The least tampering with recorded rewards that overturns a recommendation.

    Plays, kernel and lam are held fixed. With less tampering than `budget`, the untampered rewards name the same
    winner; with a little more, all of it on plays of the `pivot`, they name the `rival`. In an `Answer` of a continuous
    space, a point that is worse by less than the noise counts as the same winner.

    Attributes:
        budget: The total change of rewards that is needed. Infinite if no tampering makes another arm win.
        rival: The arm that then wins, as a number (in an `Answer`, as a point). None if no arm can.
        pivot: The arm whose plays have to change: a number, in an `Answer` a point. None if there is none.
        lies: The fewest false measurements within the range of values after which the winner is not the sole one; None
            if no number is enough, or if they were not counted.
        liars: The same for lying sources.

    Example:
        >>> import unswayed
        >>> found = unswayed.breakdown(unswayed.Posterior.fit([[1, 0], [0, 1]], means=[1, 0], counts=[4, 4], lam=1))
        >>> round(found.budget, 6), found.rival
        (4.0, 1)
    """

    budget: float
    rival: Any
    pivot: Any
    lies: int | None = None
    liars: int | None = None

    @property
    def possible(self) -> bool:
        """Whether any tampering could have made another arm win."""
        return bool(np.isfinite(self.budget))

    def to_dict(self) -> dict[str, Any]:
        """As plain values; an infinite budget is None."""
        return {**asdict(self), "budget": self.budget if self.possible else None}


def breakdown(
    posterior: Posterior | JointPosterior,
    *,
    winner: int | None = None,
    beta: float = 0.0,
    margin: float = 0.0,
    caution: float = 0.0,
    without: Sequence[int] = (),
    records: Records | None = None,
) -> Breakdown:
    """The least tampering that makes another arm win.

    `min over rivals b of lam (mu(a) - mu(b) - beta sd(a - b)) / max_{x' in S} |k_t(a,x') - k_t(b,x')|`, not below 0,
    and rounded down by the rounding errors of the posterior.

    Args:
        posterior: Of all arms.
        winner: The recommended arm a; by default the one with the largest mean.
        beta: 0 for the exact breakdown of the estimate. With a valid confidence parameter, the tampering up to which
            the winner is truly the best, at that confidence.
        margin: Rivals that are behind by less do not count. On a fine grid the winner's neighbours are as good as it.
        caution: The recommendation rule takes the largest mu - caution sd.
        without: Arms that the rule leaves out.
        records: The measurements, if they differ in weight.

    Returns:
        The breakdown; infinite, without rival and pivot, where no tampering makes another arm win.

    Example:
        >>> import unswayed
        >>> posterior = unswayed.Posterior.fit([[1, 0], [0, 1]], means=[1, 0], counts=[4, 4], lam=1)
        >>> unswayed.breakdown(posterior).pivot
        0
    """
    joint = _joint(posterior)
    winner = _winner(joint, winner)
    margin = positive(margin, "the margin", zero=True)
    budgets, where = breakdown_budgets(joint, winner, beta=beta, caution=caution, records=records)
    budgets[[winner, *without]] = np.inf
    if margin > 0:
        budgets[joint.mean[winner] - joint.mean < margin] = np.inf
    rival = int(np.argmin(budgets))
    if np.isinf(budgets[rival]):
        return Breakdown(np.inf, None, None)
    return Breakdown(float(budgets[rival]), rival, int(where[rival]))


def breakdown_budgets(
    posterior: JointPosterior, winner: int, *, beta: float = 0.0, caution: float = 0.0, records: Records | None = None
) -> tuple[FloatArray, IntArray]:
    """For every rival the tampering that overturns the winner, and the arm where it is cheapest."""
    effect, S = posterior.effect()
    heaviest = 1.0
    if records is not None:  # a change counts as much as the heaviest measurement of its arm
        weights = np.zeros(len(posterior.mean))
        np.maximum.at(weights, records.arms, records.weights)
        effect = effect * weights[S]
        heaviest = float(weights.max())
    power, column = pairwise_influence(effect, winner)
    errors = posterior.errors
    # sd does not depend on the rewards, so caution only shifts the lead.
    score = posterior.mean - caution * posterior.deviation if caution > 0 else posterior.mean
    lead = score[winner] - score - errors.means(winner)
    if beta > 0:
        lead = lead - beta * pairwise_deviation(posterior.covariance, winner, errors.variances(winner))
    power = power + heaviest * errors.effects(winner)
    with np.errstate(invalid="ignore"):  # before the first play no tampering moves any lead, and no arm leads
        budgets = np.where(lead > 0, lead / power, 0.0)
    return budgets, S[column] if len(S) else column


@dataclass(frozen=True, eq=False, repr=False)
class Certificate:
    """What is proved about a recommendation, with probability 1 - delta, if there was no more tampering than `threat`.

    Attributes:
        winner: The recommended arm.
        threat: The tampering that the certificate allows for.
        delta: Probability of failure.
        largest_gap: The winner is at most this far below the best arm.
        certified_budget: Tampering up to which the winner is the best arm.
        candidates: The arms that may be the best, the winner among them.
        beta: The confidence parameter that was used.
        rounding: How much of the `largest_gap` allows for rounding errors.

    Example:
        >>> import unswayed
        >>> posterior = unswayed.Posterior.fit([[1, 0], [0, 1]], means=[1, 0], counts=[900, 900], lam=0.01)
        >>> unswayed.certificate(posterior, budget=0, norm_bound=2, noise_std=0.1).candidates
        array([0])
    """

    winner: int
    threat: Threat
    delta: float
    largest_gap: float
    certified_budget: float
    candidates: IntArray
    beta: float
    rounding: float
    __repr__ = short_repr

    @property
    def budget(self) -> float:
        """Total tampering that the certificate allows for."""
        return self.threat.total

    @property
    def resolved(self) -> bool:
        """Whether rounding errors are a minor part of the largest gap."""
        return self.rounding <= self.largest_gap / 2

    @property
    def rounding_note(self) -> str:
        """The sentence for a gap that is not resolved."""
        return (
            f"Most of this gap, {self.rounding:.4g}, allows for rounding errors: double precision cannot resolve these "
            "options. Leave out options that are nearly equal, or allow for a larger noise (lam)."
        )

    def in_units(self, unit: float, threat: Threat) -> Certificate:
        """The same certificate when rewards are measured in other units.

        Args:
            unit: What every amount is multiplied by.
            threat: The threat in these units.
        """
        amounts = ("largest_gap", "certified_budget", "rounding")
        return replace(self, threat=threat, **{name: unit * getattr(self, name) for name in amounts})

    def to_dict(self) -> dict[str, Any]:
        """As plain values; an infinite amount is None."""
        record = {**asdict(self), "budget": self.budget, "candidates": self.candidates.tolist()}
        return {name: None if value == np.inf else value for name, value in record.items()}

    def __str__(self) -> str:
        begin = f"If kernel, noise and norm bound are true, then with {100 * (1 - self.delta):.4g}% confidence"
        condition = self.threat.condition
        if len(self.candidates) == 1:
            return f"{begin} option {self.winner} is the best, if {condition}."
        gap = at_most(self.largest_gap)
        options = f"{len(self.candidates)} options may be the best"
        text = f"{begin} option {self.winner} is at most {gap} worse than the best, and {options}, if {condition}."
        return text if self.resolved else f"{text} {self.rounding_note}"


def certificate(
    posterior: Posterior | JointPosterior,
    *,
    budget: Threat | float,
    norm_bound: float,
    noise_std: float,
    delta: float = 0.05,
    winner: int | None = None,
    records: Records | None = None,
) -> Certificate:
    """Certify a recommendation against tampering.

    Uses the log-determinant beta, which holds for plays chosen in any way that does not see later noise. The
    certificate is true if the norm bound, the noise, the kernel and lam are true and were not fitted to these rewards.
    Gap and candidates are widened by the rounding errors of the posterior.

    Args:
        posterior: Of all plays: none may be left out because of its reward.
        budget: Total tampering to certify against, in units of the rewards; or a `Threat`, whose range must hold for
            every honest measurement.
        norm_bound: Bound B on the RKHS norm of the truth.
        noise_std: Sub-Gaussian scale of the noise of one play.
        delta: Probability of failure.
        winner: The arm to certify; by default the one with the largest posterior mean.
        records: The measurements: a threat of false measurements or lying sources needs them.

    Returns:
        The certificate.

    Raises:
        InvalidInput: A number is negative or not finite, or delta is not between 0 and 1.

    Example:
        >>> import unswayed
        >>> posterior = unswayed.Posterior.fit([[1, 0], [0, 1]], means=[0, 1], counts=[400, 400], lam=0.01)
        >>> unswayed.certificate(posterior, budget=20, norm_bound=2, noise_std=0.1).largest_gap
        0.0
    """
    joint = _joint(posterior)
    threat, delta = Threat.of(budget) or Threat(), probability(delta, "delta")
    B, sigma = positive(norm_bound, "the norm bound", zero=True), positive(noise_std, "the noise", zero=True)
    winner = _winner(joint, winner)
    share = delta / JITTER_SHARES if joint.jitter > 0 else delta
    beta = log_det_beta(B, sigma, joint.lam, share, joint.log_det + joint.errors.log_det)
    behind, exact = _behind(joint, winner, beta, threat, records)
    largest_gap = float(behind.max())  # at least 0: the winner is 0 behind itself
    candidates = read_only(np.flatnonzero(behind >= 0))
    certified_budget = breakdown(joint, beta=beta, winner=winner, records=records).budget
    rounding = largest_gap - float(exact.max()) if np.isfinite(largest_gap) else 0.0
    return Certificate(winner, threat, delta, largest_gap, certified_budget, candidates, beta, rounding)


def _behind(
    joint: JointPosterior, winner: int, beta: float, threat: Threat, records: Records | None
) -> tuple[FloatArray, FloatArray]:
    """The largest possible f(b) - f(winner), for every arm b: with rounding errors, and without."""
    lead = joint.mean - joint.mean[winner]
    errors = joint.errors
    reach = reach_of_leads(joint, winner, threat, records)
    exact = lead + beta * pairwise_deviation(joint.covariance, winner) + reach
    deviation = pairwise_deviation(joint.covariance, winner, errors.variances(winner))
    behind = lead + errors.means(winner) + beta * deviation + reach + threat.margin(errors.effects(winner), records)
    behind[winner] = exact[winner] = 0.0
    return behind, exact


def reach_of_leads(joint: JointPosterior, winner: int, threat: Threat, records: Records | None) -> FloatArray:
    """How far a threat can raise mu(b) - mu(winner), for every arm b."""
    effect, S = joint.effect()
    reach = np.zeros(len(effect))
    for rows in row_blocks(len(effect), effect.shape[1] if records is None else len(records.values)):
        g = effect[rows] - effect[winner]
        reach[rows] = threat.reach(g if records is None else records.effects(g, S), records)
    return reach


def _joint(posterior: Posterior | JointPosterior) -> JointPosterior:
    if not isinstance(posterior, Posterior | JointPosterior):
        raise InvalidInput(f"a Posterior or a JointPosterior is needed, not {type(posterior).__name__}")
    joint = posterior.joint if isinstance(posterior, Posterior) else posterior
    if not (np.isfinite(joint.mean).all() and np.isfinite(joint.covariance).all()):
        raise InvalidInput("lam is too small for rank-one steps in double precision: use JointPosterior.fit")
    return joint


def _winner(joint: JointPosterior, arm: int | None) -> int:
    return int(np.argmax(joint.mean)) if arm is None else whole(arm, "the winner", least=0, most=len(joint.mean) - 1)
