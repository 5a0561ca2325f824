"""Setting aside measurements that the others do not explain.

    A      K + lam I over all plays                z_j    leave-one-out residual in standard deviations
    k_t    posterior covariance given all plays    r_j    leave-one-out residual: y_j - mu_{-j}(x_j)

In the model of all plays [A^-1 y]_j = (y_j - mu(x_j))/lam and [A^-1]_jj = (1 - k_t(x_j,x_j)/lam)/lam. So

    z_j = |y_j - mu(x_j)| / sqrt(lam - k_t(x_j, x_j)),      |r_j| = |y_j - mu(x_j)| / (1 - k_t(x_j, x_j)/lam).

Dropping a play is a rank-one step backwards: another play of its arm with weight -1. It can enlarge rounding errors by
(1 - n k_t(x_j, x_j)/lam)^-2 for n plays. Where too few digits would remain, the posterior is fitted again.
"""

from __future__ import annotations

import numpy as np

from unswayed.core.gp.posterior import JointPosterior, pooled
from unswayed.judgement.allowance import Allowance
from unswayed.types import EPS, BoolArray, FloatArray, IntArray

UNLIMITED = Allowance(np.inf, 0, 0)
DIGITS = 1e-6  # the relative rounding error of a posterior with which residuals are computed
FAR = 10.0  # a fault is off by so many times the range of the other values
ACCIDENTS = 0.25  # largest share of plays that are taken for accidents; more than that is no accident
ALIKE = 0.05  # of the range of the values: plays of one arm that differ by less agree, however small the noise


def residuals(
    posterior: JointPosterior, arms: IntArray, rewards: FloatArray, repeats: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """z and |r| of every play, given the posterior of all plays. A reward may be the mean of `repeats` plays."""
    noise = posterior.lam / repeats
    spare = np.maximum(noise - np.diagonal(posterior.covariance)[arms], 8 * EPS * noise)
    off = np.abs(rewards - posterior.mean[arms])
    return off / np.sqrt(spare), off * noise / spare


def trim(
    posterior: JointPosterior,
    arms: IntArray,
    rewards: FloatArray,
    repeats: FloatArray,
    sizes: FloatArray | None = None,
    *,
    K: FloatArray,
    threshold: float,
    allowance: Allowance = UNLIMITED,
) -> BoolArray:
    """Which plays to keep. Drop suspects one at a time, the largest z first, until no z exceeds `threshold`.

    A suspect is one play, or all plays of an arm whose mean is below the prediction of its neighbours: several equal
    lies at one arm hide each other, but not from the neighbours. (Dropping an arm above the prediction would hide a
    narrow peak.) What is dropped stays within the threat: an arm is believed once its plays outweigh what could have
    been forged. If nobody knows the threat, plays of one arm that agree are kept, because accidents do not repeat; and
    all plays, if many would be dropped. A play that is off by more than the total of the threat, ten times the
    threshold and FAR times the range of the others is a fault, not a lie, and is dropped without being charged.

    Args:
        posterior: The posterior of all plays.
        arms: The arm of each play.
        rewards: The reward of each play, or the mean of several plays of one arm.
        repeats: How many plays each reward is the mean of, or its weight.
        sizes: How many plays each reward is the mean of, if the weights are others.
        K: Kernel matrix of all arms.
        threshold: The largest z that is kept.
        allowance: What the threat allows to set aside.
    """
    kept: BoolArray = np.ones(len(arms), dtype=np.bool_)
    believed = np.zeros(len(arms) + len(posterior.mean), dtype=np.bool_)  # plays, then arms, that the threat protects
    budget, share, sizes = allowance.total, 1.0, repeats if sizes is None else sizes
    if allowance.accidents:
        believed[_alike(arms, rewards, posterior.lam / repeats, threshold)] = True
    while kept.any():
        z, off = _suspicion(posterior, arms, rewards, np.where(kept, repeats, 0.0), sizes)
        worst = int(np.argmax(np.where(believed, 0.0, z)))
        if not z[worst] > threshold or believed[worst]:
            break
        dropped = kept & ((arms == worst - len(arms)) if worst >= len(arms) else (np.arange(len(arms)) == worst))
        if not (off[worst] > budget and z[worst] > 10 * threshold and is_far(rewards, kept, dropped)):
            left = allowance.after(float(off[worst]), int(sizes[dropped].sum()), z=float(z[worst]))
            if left is None:
                believed[worst] = True
                continue
            allowance = left
        kept[dropped] = False
        posterior, share = without(posterior, share, arms, rewards, repeats, kept, dropped, K)
    return kept | (allowance.accidents and (~kept).sum() > ACCIDENTS * len(kept))


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
    low, high = np.quantile(rewards, (0.25, 0.75)) if len(rewards) else (0.0, 0.0)
    span = min(float(np.ptp(rewards)), 20 * (high - low) or np.inf) if len(rewards) else 0.0
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
    return 0 < FAR * span < float(np.abs(rewards[dropped][:, None] - (others.min(), others.max())).min())


def without(
    posterior: JointPosterior,
    share: float,
    arms: IntArray,
    rewards: FloatArray,
    repeats: FloatArray,
    kept: BoolArray,
    dropped: BoolArray,
    K: FloatArray,
) -> tuple[JointPosterior, float]:
    """The posterior without the `dropped` plays, all of one arm, and how much of its digits are left.

    Args:
        posterior: The posterior of the `kept` and the `dropped` plays.
        share: How much of its digits are left: 1 after a fit.
        arms: The arm of each play.
        rewards: The reward of each play, or the mean of several plays of one arm.
        repeats: How many plays each reward is the mean of.
        kept: Which plays are left.
        dropped: Which plays are taken back.
        K: Kernel matrix of all arms.
    """
    arm, n, total = int(arms[dropped][0]), float(repeats[dropped].sum()), float(repeats[dropped] @ rewards[dropped])
    share *= max(1 - n * float(posterior.covariance[arm, arm]) / posterior.lam, 0.0)
    if share**2 * DIGITS > EPS * posterior.condition:
        return posterior.extend(arm, -n, -total), share
    return JointPosterior.of_plays(K, arms[kept], rewards[kept], repeats[kept], posterior.lam), 1.0


def _suspicion(
    posterior: JointPosterior, arms: IntArray, rewards: FloatArray, repeats: FloatArray, sizes: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """z and total tampering of every kept play, then of every arm whose mean is below its prediction."""
    kept = repeats > 0
    z, off = np.zeros(len(arms) + len(posterior.mean)), np.zeros(len(arms) + len(posterior.mean))
    z[: len(arms)][kept], r = residuals(posterior, arms[kept], rewards[kept], repeats[kept])
    off[: len(arms)][kept] = r * sizes[kept]
    means, counts = pooled(arms, rewards, repeats, len(posterior.mean))
    S = np.flatnonzero((counts > 0) & (means < posterior.mean))
    z[len(arms) + S], r = residuals(posterior, S, means[S], counts[S])
    off[len(arms) + S] = r * np.bincount(arms[kept], weights=sizes[kept], minlength=len(counts))[S]
    return z, off
