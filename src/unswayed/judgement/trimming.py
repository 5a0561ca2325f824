"""Setting aside measurements that the others do not explain.

    A      K + lam I over all plays                z_j    leave-one-out residual in standard deviations
    k_t    posterior covariance given all plays    r_j    leave-one-out residual: y_j - mu_{-j}(x_j)

In the model of all plays [A^-1 y]_j = (y_j - mu(x_j))/lam and [A^-1]_jj = (1 - k_t(x_j,x_j)/lam)/lam. So

    z_j = |y_j - mu(x_j)| / sqrt(lam - k_t(x_j, x_j)),      |r_j| = |y_j - mu(x_j)| / (1 - k_t(x_j, x_j)/lam).

Dropping a play is a rank-one step backwards: another play of its arm with weight -1. It can enlarge rounding errors by
(1 - n k_t(x_j, x_j)/lam)^-2 for n plays. Where too few digits would remain, the posterior is fitted again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from unswayed.core.gp.posterior import JointPosterior, pooled
from unswayed.core.tampering.threat import Records
from unswayed.judgement.allowance import Allowance
from unswayed.types import EPS, BoolArray, FloatArray, IntArray

UNLIMITED = Allowance(np.inf, 0, 0)
DIGITS = 1e-6  # the relative rounding error of a posterior with which residuals are computed
FAR_FAULT = 10.0  # ranges of the other values: a fault is farther from them
SURELY = 10.0  # thresholds: the z of a fault is larger
MOST_CONTRADICTED = 0.5  # largest share of plays that a model may contradict
ACCIDENTS = 0.25  # the same for accidents: more of them would be no accident
ALIKE = 0.05  # of the range of the values: plays of one arm that differ by less agree, however small the noise


def residuals(
    posterior: JointPosterior, arms: IntArray, rewards: FloatArray, repeats: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """z and |r| of every play, given the posterior of all plays. A reward may be the mean of `repeats` plays."""
    noise = posterior.lam / repeats
    spare = np.maximum(noise - np.diagonal(posterior.covariance)[arms], 8 * EPS * noise)
    off = np.abs(rewards - posterior.mean[arms])
    return off / np.sqrt(spare), off * noise / spare


class Suspect(NamedTuple):
    """What was dropped: one play, or all plays of an arm; and what the rest says.

    Attributes:
        dropped: Which plays.
        z: How many standard deviations they are off.
        posterior: Of the plays that are left.
    """

    dropped: BoolArray
    z: float
    posterior: JointPosterior


def trim(
    posterior: JointPosterior, records: Records, *, K: FloatArray, threshold: float, allowance: Allowance = UNLIMITED
) -> BoolArray:
    """Which plays to keep: all but the `suspects`; but all of them, if too many are suspects (`or_all`).

    Args:
        posterior: The posterior of all plays.
        records: The plays.
        K: Kernel matrix of all arms.
        threshold: The largest z that is kept.
        allowance: What the threat allows to set aside.
    """
    kept: BoolArray = np.ones(len(records.arms), dtype=np.bool_)
    for suspect in suspects(posterior, records, K=K, threshold=threshold, allowance=allowance):
        kept &= ~suspect.dropped
    return or_all(kept, accidents=allowance.accidents)


def or_all(kept: BoolArray, *, accidents: bool) -> BoolArray:
    """These plays; all of them if fewer than half remain, because such a model explains too little.

    Args:
        kept: Which plays the model explains.
        accidents: Whether the others are taken for accidents. Then they are at most ACCIDENTS of all.
    """
    most = (ACCIDENTS if accidents else MOST_CONTRADICTED) * len(kept)
    return kept if (~kept).sum() <= most else np.ones_like(kept)


def suspects(
    posterior: JointPosterior,
    records: Records,
    *,
    K: FloatArray,
    threshold: float,
    allowance: Allowance = UNLIMITED,
    whole_arms: bool = True,
) -> Iterator[Suspect]:
    """Drop suspects one at a time, the largest z first, until no z exceeds `threshold`.

    A suspect is one play, or all plays of an arm whose mean is below the prediction of its neighbours: several equal
    lies at one arm hide each other, but not from the neighbours. (Dropping an arm above the prediction would hide a
    narrow peak.) What is dropped stays within the threat: an arm is believed once its plays outweigh what could have
    been forged. If the threat is unknown, plays of one arm that agree are kept, because accidents do not repeat. A
    fault is not charged to the threat (`is_fault`).

    Args:
        posterior: The posterior of all plays.
        records: The plays.
        K: Kernel matrix of all arms.
        threshold: The largest z that is kept.
        allowance: What the threat allows to set aside.
        whole_arms: Whether all plays of an arm may be dropped together.
    """
    arms, values, sizes = records.arms, records.values, records.measurements
    kept: BoolArray = np.ones(len(arms), dtype=np.bool_)
    believed = np.zeros(len(arms) + len(posterior.mean), dtype=np.bool_)  # plays, then arms, that the threat protects
    believed[len(arms) :] = not whole_arms
    share, total = 1.0, allowance.total
    if allowance.accidents:
        believed[_alike(arms, values, posterior.lam / records.weights, threshold)] = True
    while kept.any():
        z, off = _suspicion(posterior, records, kept)
        worst = int(np.argmax(np.where(believed, 0.0, z)))
        if not z[worst] > threshold or believed[worst]:
            return
        dropped = kept & ((arms == worst - len(arms)) if worst >= len(arms) else (np.arange(len(arms)) == worst))
        change, far = float(off[worst]), is_far(values, kept, dropped)
        if not is_fault(change, float(z[worst]), total=total, threshold=threshold, far=far):
            left = allowance.charged(change, int(sizes[dropped].sum()), z=float(z[worst]))
            if left is None:
                believed[worst] = True
                continue
            allowance = left
        kept[dropped] = False
        posterior, share = without(posterior, share, records, kept, dropped, K)
        yield Suspect(dropped, float(z[worst]), posterior)


def is_fault(off: float, z: float, *, total: float, threshold: float, far: bool) -> bool:
    """Whether plays are off by so much that they are a fault, not a lie.

    Args:
        off: The sum of their changes; a fault exceeds the total of the threat.
        z: How many standard deviations they are off; of a fault, SURELY times the threshold.
        total: The total of the threat.
        threshold: The largest z that is kept.
        far: Whether they are FAR_FAULT (`is_far`).
    """
    return off > total and z > SURELY * threshold and far


def _alike(arms: IntArray, rewards: FloatArray, noise: FloatArray, threshold: float) -> IntArray:
    """The plays that are confirmed, and their arms, numbered after all plays."""
    plays = np.flatnonzero(confirmed(arms, rewards, noise, threshold))
    return np.append(plays, len(arms) + arms[plays])


def confirmed(arms: IntArray, rewards: FloatArray, noise: FloatArray, threshold: float) -> BoolArray:
    """Which plays agree with another one of their arm.

    Args:
        arms: The arm of each play.
        rewards: The reward of each play.
        noise: The variance of each reward.
        threshold: How many standard deviations two that agree may differ by.
    """
    found, order = np.zeros(len(arms), dtype=np.bool_), np.lexsort([rewards, arms])
    if not len(arms):
        return found
    low, high = np.quantile(rewards, (0.25, 0.75))
    span = min(float(np.ptp(rewards)), 20 * (high - low) or np.inf)
    first, second = order[:-1], order[1:]
    near = np.maximum(threshold * np.sqrt(noise[first] + noise[second]), ALIKE * span)
    alike = (arms[first] == arms[second]) & (rewards[second] - rewards[first] <= near)
    found[first[alike]] = found[second[alike]] = True
    return found


def is_far(rewards: FloatArray, kept: BoolArray, dropped: BoolArray) -> bool:
    """Whether some plays are off by many times the range of the others; never if all others are equal.

    Args:
        rewards: The reward of each play.
        kept: Which plays count.
        dropped: Which of these are off.
    """
    others = rewards[kept & ~dropped]
    span = float(np.ptp(others)) if len(others) else 0.0
    return 0 < FAR_FAULT * span < float(np.abs(rewards[dropped][:, None] - (others.min(), others.max())).min())


def without(
    posterior: JointPosterior, share: float, records: Records, kept: BoolArray, dropped: BoolArray, K: FloatArray
) -> tuple[JointPosterior, float]:
    """The posterior without the `dropped` plays, all of one arm, and how much of its digits are left.

    Args:
        posterior: The posterior of the `kept` and the `dropped` plays.
        share: How much of its digits are left: 1 after a fit.
        records: All plays.
        kept: Which plays are left.
        dropped: Which plays are taken back.
        K: Kernel matrix of all arms.
    """
    arm, weights = int(records.arms[dropped][0]), records.weights[dropped]
    n, total = float(weights.sum()), float(weights @ records.values[dropped])
    share *= max(1 - n * float(posterior.covariance[arm, arm]) / posterior.lam, 0.0)
    if share**2 * DIGITS > EPS * posterior.condition:
        return posterior.extend(arm, -n, -total), share
    left = records.only(kept)
    return JointPosterior.of_plays(K, left.arms, left.values, left.weights, posterior.lam), 1.0


def _suspicion(posterior: JointPosterior, records: Records, kept: BoolArray) -> tuple[FloatArray, FloatArray]:
    """z and total tampering of every kept play, then of every arm whose mean is below its prediction."""
    arms, weights, sizes = records.arms, np.where(kept, records.weights, 0.0), records.measurements
    z, off = np.zeros(len(arms) + len(posterior.mean)), np.zeros(len(arms) + len(posterior.mean))
    z[: len(arms)][kept], r = residuals(posterior, arms[kept], records.values[kept], weights[kept])
    off[: len(arms)][kept] = r * sizes[kept]
    means, counts = pooled(arms, records.values, weights, len(posterior.mean))
    S = np.flatnonzero((counts > 0) & (means < posterior.mean))
    z[len(arms) + S], r = residuals(posterior, S, means[S], counts[S])
    off[len(arms) + S] = r * np.bincount(arms[kept], weights=sizes[kept], minlength=len(counts))[S]
    return z, off
