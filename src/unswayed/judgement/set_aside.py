"""Which measurements to set aside: one decision for policies, fits, studies and their answers.

    faults     measurements more than FAULT deviations of the prior from the median: beside them the others lose digits
    sources    one that the others do not explain is set aside; an offset or a drift is taken off, and measurements of
               a noisier source count less (sources.py)
    trim       single measurements and whole arms, the largest residual first (trimming.py)

Sources and trimmed measurements stay within the threat. Faults are not charged to it.

Trimming costs a posterior of all measurements each time. Where there are very many points, some measurements are judged
so, and they judge the others (`extended`): with m and v, the mean and the variance of f at a point by the judges and by
the other measurements there,

    z = |y - m| / sqrt(v + lam/w)      for a measurement of weight w.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from unswayed.core.gp.posterior import JointPosterior, pooled
from unswayed.core.tampering.threat import Records
from unswayed.judgement.allowance import Allowance
from unswayed.judgement.sources import believed, weigh_sources
from unswayed.judgement.trimming import confirmed, is_far, is_fault, or_all, trim
from unswayed.types import BoolArray, FloatArray, IntArray, read_only, short_repr

NOTHING: FloatArray = read_only(np.zeros((0, 2)))
SPENT = Allowance(0.0, 0, 0)
FAULT = 1e4  # deviations of the prior: a value farther from the median is a broken instrument, not a lie


@dataclass(frozen=True, eq=False)
class Kept:
    """All measurements, which of them are kept, and the posterior of those.

    Attributes:
        records: All measurements, in units of the prior.
        mask: Which of them are kept.
        posterior: The posterior of these, at all arms.
        offsets: How far each source reads above the others: a + b t at time t, a row (a, b) for each. The last row is
            of the measurements whose source was not named.
        factors: How many times noisier than the others each source is; the same rows.
        aside: The sources that are set aside; -1 stands for measurements whose source was not named.
        lies: How many measurements were set aside by themselves.
        cost: Minus the log probability of the sources that are set aside or off.
    """

    records: Records
    mask: BoolArray
    posterior: JointPosterior
    offsets: FloatArray = field(default_factory=lambda: NOTHING)
    factors: FloatArray = field(default_factory=lambda: NOTHING[:, 0])
    aside: tuple[int, ...] = ()
    lies: int = 0
    cost: float = 0.0
    __repr__ = short_repr

    @classmethod
    def nothing(cls, K: FloatArray, lam: float) -> Self:
        """Before the first measurement.

        Args:
            K: Kernel matrix of all arms.
            lam: The noise variance of a measurement of weight 1.
        """
        none = NOTHING[:, 0]
        records = Records(np.zeros(0, np.int64), none, none, sizes=none)
        return cls(records, np.zeros(0, np.bool_), JointPosterior.prior(K, lam))

    @property
    def believed(self) -> Records:
        """All measurements as their sources are believed: without offsets, those of noisier ones with less weight."""
        return believed(self.records, self.offsets, self.factors)

    @property
    def corrected(self) -> FloatArray:
        """The values without the offsets of their sources."""
        return self.believed.values

    @property
    def told(self) -> Records:
        """The measurements that are kept, as their sources are believed."""
        return self.believed.only(self.mask)

    @property
    def plays(self) -> int:
        """The number of measurements so far."""
        return int(self.records.measurements.sum())

    @property
    def means(self) -> FloatArray:
        """Mean of the kept values of each arm; 0 for an arm without any."""
        told = self.told
        return pooled(told.arms, told.values, told.weights, len(self.posterior.mean))[0]

    @property
    def alone(self) -> BoolArray:
        """Which measurements are set aside by themselves, not with their source."""
        sources = self.records.sources
        return ~self.mask if sources is None else ~self.mask & ~np.isin(sources, self.aside)

    def everything(self, K: FloatArray) -> JointPosterior:
        """The posterior of all measurements, for a certificate: its proof allows no choice of them by their values.

        Args:
            K: Kernel matrix of all arms.
        """
        told = self.records
        return JointPosterior.of_plays(K, told.arms, told.values, told.weights, self.posterior.lam)

    def surprise(self, arm: int, n: float, mean: float) -> float:
        """How many standard deviations the mean of `n` more plays of an arm is off its prediction."""
        variance = float(self.posterior.covariance[arm, arm]) + self.posterior.lam / n
        return abs(mean - float(self.posterior.mean[arm])) / float(np.sqrt(variance))

    def then(self, arm: int, n: float, mean: float) -> Self:
        """After `n` more plays of an arm with this mean, which are kept for now."""
        known = self.records
        records = Records(
            np.append(known.arms, arm),
            np.append(known.values, mean),
            np.append(known.weights, n),
            sizes=np.append(known.measurements, n),
        )
        posterior = self.posterior.extend(arm, n, n * mean)
        return replace(self, records=records, mask=np.append(self.mask, True), posterior=posterior)


def set_aside(
    records: Records, K: FloatArray, lam: float, *, threshold: float, allowance: Allowance, named: int = 0
) -> Kept:
    """Decide which measurements to keep.

    Args:
        records: All measurements, in units of the prior.
        K: Kernel matrix of all arms.
        lam: The noise variance of a measurement of weight 1.
        threshold: Set aside what is off by more standard deviations; infinity sets only faults aside.
        allowance: What the threat allows to set aside.
        named: How many sources there are, if more than in these records.
    """
    broken, mask = faults(records.values), usable(records.values, records.weights, lam)
    some = records.only(mask)
    posterior = JointPosterior.of_plays(K, some.arms, some.values, some.weights, lam)
    if np.isinf(threshold):
        return Kept(records, read_only(mask), posterior)
    weighed = weigh_sources(posterior, some, K=K, allowance=allowance, named=named)
    mask[mask] = weighed.kept
    told = weighed.believed(some).only(weighed.kept)
    explained = trim(weighed.posterior, told, K=K, threshold=threshold, allowance=weighed.allowance)
    posterior = weighed.posterior
    if not explained.all() or posterior.lam != lam:
        mask[mask] = explained
        left = told.only(explained)
        posterior = JointPosterior.of_plays(K, left.arms, left.values, left.weights, lam)
    lies = int(broken.sum()) + int((~explained).sum())
    sources = weighed.offsets, weighed.factors, weighed.aside
    return Kept(records, read_only(mask), posterior, *sources, lies, weighed.cost)


def faults(values: FloatArray, unit: float = 1.0) -> BoolArray:
    """Which values come from a broken instrument.

    Args:
        values: The values.
        unit: The deviation of the prior.
    """
    if not len(values):
        return np.zeros(0, dtype=np.bool_)
    far: BoolArray = np.abs(values - np.median(values)) > FAULT * unit
    if far.all():  # the median lies between two halves: that of the smaller values counts
        far = np.abs(values - np.quantile(values, 0.5, method="lower")) > FAULT * unit
    return far


def usable(values: FloatArray, weights: FloatArray, lam: float) -> BoolArray:
    """Which measurements are no faults, and say something: their noise is at most FAULT deviations of the prior.

    Args:
        values: The values, in units of the prior.
        weights: The weight of each.
        lam: The noise variance of a measurement of weight 1.
    """
    usual = ~faults(values)
    noise = lam / weights
    return np.asarray(usual & (noise <= FAULT**2 * np.maximum(noise[usual].min(initial=np.inf), 1.0)))


def extended(
    judges: Kept,
    judging: IntArray,
    records: Records,
    K: FloatArray,
    said: tuple[FloatArray, FloatArray],
    *,
    threshold: float,
    allowance: Allowance,
) -> Kept:
    """Decide on all measurements, where some of them have been decided on.

    Args:
        judges: What these have decided.
        judging: Their numbers.
        records: All measurements.
        K: Kernel matrix of all arms.
        said: Mean and deviation of f at each arm, by the judges that are kept.
        threshold: Set aside what is off by more standard deviations.
        allowance: What the threat allows to set aside.
    """
    judge = np.isin(np.arange(len(records.values)), judging)
    told = believed(records, judges.offsets, judges.factors)
    mask = np.ones(len(judge), np.bool_) if records.sources is None else ~np.isin(records.sources, judges.aside)
    off, z = _off(told, *said, judges.posterior.lam)
    for source in judges.aside:
        mine = records.sources == source
        allowance = allowance.charged(float(off[mine].sum()), int(np.sum(mine)), source=True) or SPENT
    doubted = mask & ~judge & (z > threshold)
    if allowance.accidents:
        doubted &= ~confirmed(told.arms, told.values, judges.posterior.lam / told.weights, threshold)
    decided, total = judging[judges.alone], allowance.total
    usual = mask & ~doubted
    usual[decided] = False
    explained = np.ones(len(judge), np.bool_)
    for play in (*decided, *sorted(np.flatnonzero(doubted), key=lambda play: -z[play])):
        one = np.arange(len(judge)) == play
        far = is_far(told.values, usual | one, one)
        if not is_fault(float(off[play]), float(z[play]), total=total, threshold=threshold, far=far):
            left = allowance.charged(float(off[play]), 1, z=float(z[play]))
            if left is None and not judge[play]:
                continue
            allowance = left or SPENT
        explained[play] = False
    if or_all(explained, accidents=allowance.accidents).all():
        explained |= ~judge
    mask &= explained
    rest = told.only(mask)
    posterior = JointPosterior.of_plays(K, rest.arms, rest.values, rest.weights, judges.posterior.lam)
    return replace(judges, records=records, mask=read_only(mask), posterior=posterior, lies=int((~explained).sum()))


def _off(told: Records, mean: FloatArray, deviation: FloatArray, lam: float) -> tuple[FloatArray, FloatArray]:
    """How far each measurement is off what the judges and the others at its point say, and z."""
    y, w, arms = told.values, told.weights, told.arms
    means, n = pooled(arms, y, w, len(mean))
    rest = np.maximum(n[arms] - w, 0.0)
    precision = 1 / np.square(deviation[arms])
    v = 1 / (precision + rest / lam)
    m = v * (precision * mean[arms] + (n[arms] * means[arms] - w * y) / lam)
    off = np.abs(y - m)
    return off, off / np.sqrt(v + lam / w)
