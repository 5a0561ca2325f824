"""Which arm to recommend: the one that is best against the threat, not the one of largest estimate.

    mu(x)      estimate of arm x: linear in the values       z_j(x)   effect of measurement j on it
    h_j(x)     the most that a false value of measurement j can have added to it, within the range of honest values
    v(x)       the least estimate that honest values would have given: mu(x) less the largest h_j(x), of as many
               measurements or sources as may be false; it is attained
    S(x)       as many measurements, or sources, as may be false, chosen one after the other: the one without which
               least is left of the estimate
    w(x)       what is left without S: the estimate from the others less DOUBT standard deviations; it falls by no more
               than v does

v supposes the worst that can have happened, w forgets what may be false. v is exact, but it falls for honest arms
nearly as much as for forged ones, because it does not ask what the neighbours say. w does: an arm whose neighbours say
the same loses little without S, and of an arm that rests on S alone nothing is left but what is known of an arm that
was not measured. So only arms with a w near the largest are recommended, and of these the one with the best estimate.
(In benchmarks/decisions.py that is right more often than the largest v.) v is what is promised of the arm.

With the model held fixed, leaving measurements out is exact. Z are the effects on the measured arms themselves, off the
distances of the values from the estimates, lam_S the noise variances:

    estimate    mu(x) - z_S(x) (I - Z_SS)^-1 off_S
    variance    var(x) + z_S(x) (I - Z_SS)^-1 lam_S z_S(x)^T

A threat may be a sum of changes too: then S is one measurement. Whoever names no
threat gets an answer that survives one false measurement, or one lying source.

The challenger is what would be recommended if every measurement were true. To repeat the measurement that carries it
decides between the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from scipy.linalg import lu_factor, lu_solve
from scipy.special import ndtri

from unswayed.core.data.memory import row_blocks
from unswayed.core.gp.posterior import JointPosterior
from unswayed.core.tampering.threat import Records, Threat
from unswayed.judgement.prior import Prior
from unswayed.judgement.span import Span
from unswayed.types import BoolArray, FloatArray, IntArray

CAUTION = 1.0  # standard deviations: the less an arm was measured, the larger its mean must be
DOUBT = 2.0  # standard deviations: what is left without some measurements is at least this, with 97.5%
SLACK = 0.05  # of the range: arms whose w is this near the largest are supported too
MOST_LEFT_OUT = 64  # measurements that are left out of one estimate, at most; it bounds the cost
KINDS: dict[str, Any] = {"total": 0, "lies": 0, "liars": 0, "doubt": None}  # of tampering, each with what is none
ROUNDING = 1e-12  # of 1 - z: less cannot be told from 0


def cautious(mean: FloatArray, deviation: FloatArray, without: Sequence[int] = ()) -> FloatArray:
    """mu - CAUTION sd of each arm; minus infinity for arms to leave out, unless these are all arms.

    Args:
        mean: Of each arm.
        deviation: Of each arm.
        without: Arms to leave out.
    """
    lower: FloatArray = mean - CAUTION * deviation
    lower[list(without) if len(without) < len(lower) else []] = -float("inf")
    return lower


@dataclass(frozen=True, eq=False)
class Worth:
    """What each arm is worth, in the units of the values.

    Attributes:
        mean: The estimate.
        deviation: Of the estimate.
        guaranteed: v, within the range of honest values.
        supported: w.
        measured: Which arms were measured.
        gains: By how much the estimate falls without one measurement; a row for each arm.
        doubt: How far the estimate may be off, if it is not known how noisy measurements are.
    """

    mean: FloatArray
    deviation: FloatArray
    guaranteed: FloatArray
    supported: FloatArray
    measured: BoolArray
    gains: FloatArray
    doubt: FloatArray

    @classmethod
    def of(cls, prior: Prior, posterior: JointPosterior, records: Records, threat: Threat, span: Span) -> Self:
        """By a model.

        Args:
            prior: The model.
            posterior: Of the measurements.
            records: The measurements, in units of the prior.
            threat: What may be false, in the units of the values.
            span: The range of honest values.
        """
        unit, standard = prior.output_scale, threat.mapped(1 / prior.output_scale, prior.standardized)
        left = Left.of(posterior, records)
        least = prior.unstandardized(posterior.mean - standard.reach(-left.z, records))
        return cls(
            mean=span.clipped(prior.unstandardized(posterior.mean)),
            deviation=unit * posterior.deviation,
            guaranteed=np.clip(least, span.low, span.high),
            supported=prior.unstandardized(left.lowest(standard)),
            measured=np.isin(np.arange(len(posterior.mean)), records.arms),
            gains=unit * left.gains,
            doubt=unit * left.doubt,
        )


@dataclass(frozen=True, eq=False)
class Left:
    """What is left of estimates without some of the measurements, with the model held fixed.

    Attributes:
        mean: The estimate of each arm.
        variance: Of each estimate.
        records: The measurements.
        noise: The variance of each.
        z: The effect of each measurement on each estimate; a row for each arm.
    """

    mean: FloatArray
    variance: FloatArray
    records: Records
    noise: FloatArray
    z: FloatArray

    @classmethod
    def of(cls, posterior: JointPosterior, records: Records) -> Self:
        """By a posterior of these records."""
        z = records.effects(*posterior.effect())
        return cls(posterior.mean, posterior.deviation**2, records, posterior.lam / records.weights, z)

    @property
    def off(self) -> FloatArray:
        """How far each measurement is from the estimate of its arm."""
        return np.asarray(self.records.values - self.mean[self.records.arms])

    @property
    def unpredicted(self) -> FloatArray:
        """How far each measurement is from what the others predict."""
        own = self.z[self.records.arms, np.arange(len(self.records.arms))]
        return np.asarray(self.off / np.maximum(1 - own, ROUNDING))

    @property
    def gains(self) -> FloatArray:
        """By how much each estimate falls without one measurement."""
        return self.z * self.unpredicted

    @property
    def doubt(self) -> FloatArray:
        """How far each estimate may be off, if it is not known how noisy measurements are.

        A model of single values may take their noise for the function. So what the others do not predict of a typical
        measurement counts as noise, and an estimate is in doubt by what one measurement changes of it.
        """
        typical = float(np.median(np.abs(self.unpredicted))) / ndtri(0.75)
        noise = typical * np.sqrt(np.square(self.z).sum(axis=1))
        return np.asarray(np.maximum(np.abs(self.gains).max(axis=1), noise))

    def lowest(self, threat: Threat) -> FloatArray:
        """w of each arm. Kinds of tampering add up, as they do in v, and each takes off no more than there.

        Args:
            threat: What may be false.
        """
        low: FloatArray = self.mean - DOUBT * np.sqrt(self.variance)
        for kind in KINDS:
            alone = replace(threat, **{other: nothing for other, nothing in KINDS.items() if other != kind})
            if not alone.none:
                low -= np.minimum(self._without(alone), alone.reach(-self.z, self.records))
        return low

    def _without(self, alone: Threat) -> FloatArray:
        """By how much mu - DOUBT sd of each arm falls without what a threat of one kind allows to be false."""
        if alone.doubt:
            some, systems = np.flatnonzero(self.records.up_to(alone.doubt)), dict[bytes, Any]()
            return np.array([self._fall(arm, some, systems) if len(some) else 0.0 for arm in range(len(self.mean))])
        return self._without_sources(alone.liars) if alone.liars else self._without_lies(max(alone.lies, 1))

    def _without_lies(self, number: int) -> FloatArray:
        """By how much mu - DOUBT sd of each arm falls without this many measurements."""
        number = min(number, MOST_LEFT_OUT, len(self.off))
        blocks = row_blocks(len(self.mean), number * len(self.off))
        return np.concatenate([self._without_measurements(np.arange(len(self.mean))[rows], number) for rows in blocks])

    def _without_measurements(self, arms: IntArray, number: int) -> FloatArray:
        """The same for some arms: measurements are left out one after the other.

        Without measurement j, the effect of measurement l is z_l + z_j Z_jl / (1 - Z_jj): the changes of Z are sums of
        products of a column and a row.
        """
        Z, rows = self.z[self.records.arms], np.arange(len(arms))
        z, own = self.z[arms], np.tile(Z.diagonal(), (len(arms), 1))
        off, variance = np.tile(self.off, (len(arms), 1)), self.variance[arms]
        falls, gone = np.zeros(len(arms)), np.zeros(z.shape, dtype=np.bool_)
        changes: list[tuple[FloatArray, FloatArray]] = []
        for _ in range(number):
            left = np.maximum(1 - own, ROUNDING)
            widened = DOUBT * np.sqrt(variance[:, None] + self.noise * z**2 / left) - DOUBT * np.sqrt(variance)[:, None]
            lost = np.where(gone, 0.0, z * off / left + widened)
            j = np.argmax(lost, axis=1)
            some = lost[rows, j] > 0
            at = np.where(some, 1 / left[rows, j], 0.0)[:, None]  # nothing is left out where all of them lower the arm
            row, column = Z[j], Z[:, j].T
            for a, b in changes:
                row, column = row + a[rows, j][:, None] * b, column + b[rows, j][:, None] * a
            falls += np.where(some, lost[rows, j], 0.0)
            variance = variance + at[:, 0] * self.noise[j] * z[rows, j] ** 2
            changes.append((column, at * row))
            off = off + at * column * off[rows, j][:, None]
            own = own + column * at * row
            z = z + z[rows, j][:, None] * at * row
            gone[rows[some], j[some]] = True
        return falls

    def _without_sources(self, number: int) -> FloatArray:
        """The same without the measurements of this many sources; a liar may have made those without a name too."""
        sources = self.records.sources
        if sources is None:
            return np.full(len(self.mean), np.inf)
        systems: dict[bytes, Any] = {}
        groups = [np.flatnonzero((sources < 0) | (sources == one)) for one in np.unique(sources[sources >= 0])]
        falls = np.zeros(len(self.mean))
        for arm in range(len(falls)):
            some = np.zeros(0, dtype=np.int64)
            for _ in range(min(number, len(groups))):
                more = [np.union1d(some, group) for group in groups]
                lost = [self._fall(arm, one, systems) for one in more]
                best = int(np.argmax(lost))
                if lost[best] <= falls[arm]:
                    break
                some, falls[arm] = more[best], lost[best]
        return falls

    def _fall(self, arm: int, some: IntArray, systems: dict[bytes, Any]) -> float:
        """By how much mu - DOUBT sd of an arm falls without some measurements."""
        if (key := some.tobytes()) not in systems:
            own = self.z[np.ix_(self.records.arms[some], some)]
            systems[key] = lu_factor((1 + ROUNDING) * np.eye(len(some)) - own)
        z, variance = self.z[arm, some], self.variance[arm]
        estimate, more = z @ lu_solve(systems[key], np.column_stack([self.off[some], self.noise[some] * z]))
        return float(estimate + DOUBT * (np.sqrt(variance + max(more, 0.0)) - np.sqrt(variance)))


def supposed(threat: Threat | None, span: Span, *, sources: int) -> Threat:
    """What a recommendation is to be safe against: what was stated, else one lie, or one lying source.

    Args:
        threat: What was stated; None if nothing was.
        span: The range of honest values.
        sources: How many sources are named.
    """
    if span.width <= 0:
        return Threat()
    if threat is None:
        threat = Threat(liars=1) if sources > 2 else Threat(lies=1)  # of two, nobody could tell which one lies
    return replace(threat, low=span.low, high=span.high)


@dataclass(frozen=True)
class Choice:
    """What to recommend, and what else it might be.

    Attributes:
        arm: The arm to recommend.
        challenger: The measured arm that would be recommended if every measurement were true; None if it is the same,
            or no better than a tie.
        carrying: The measurement that carries the challenger: to repeat it decides between the two.
    """

    arm: int
    challenger: int | None = None
    carrying: int | None = None


def choose(worth: Worth, threat: Threat, *, tie: float = 0.0, without: Sequence[int] = ()) -> Choice:
    """What to recommend.

    Args:
        worth: What each arm is worth.
        threat: What may be false.
        tie: A challenger is estimated to be better by more than this, and so is a point that was not measured.
        without: Arms that are not to be recommended.
    """
    estimate = cautious(worth.mean, worth.deviation, without)
    if threat.none:
        return Choice(int(np.argmax(estimate)))
    least = np.where(np.isfinite(estimate), worth.supported, -np.inf)
    level = 1 / max(worth.gains.shape[1] - 1, 1)  # of the range: by so much one measurement can move all the others
    supported = np.where(least >= least.max() - max(SLACK, level) * threat.width, estimate, -np.inf)
    known = np.where(worth.measured, supported, -np.inf)
    arm, best = int(np.argmax(supported)), int(np.argmax(known))
    arm = best if known[best] >= supported[arm] - tie else arm  # rather what was measured
    rival = int(np.argmax(np.where(worth.measured, estimate, -np.inf)))
    if rival == arm or worth.mean[rival] - worth.mean[arm] <= tie:
        return Choice(arm)
    return Choice(arm, rival, int(np.argmax(worth.gains[rival])))
