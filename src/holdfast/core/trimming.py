"""Setting aside measurements that the others do not explain.

    A      K + lam I over all plays                z_j    leave-one-out residual in standard deviations
    k_t    posterior covariance given all plays    r_j    leave-one-out residual: y_j - mu_{-j}(x_j)

In the model of all plays [A^-1 y]_j = (y_j - mu(x_j))/lam and [A^-1]_jj = (1 - k_t(x_j,x_j)/lam)/lam, so that

    z_j = |y_j - mu(x_j)| / sqrt(lam - k_t(x_j, x_j)),      |r_j| = |y_j - mu(x_j)| / (1 - k_t(x_j, x_j)/lam).

Dropping a play is a rank-one step backwards: another play of its arm with weight -1.
"""

from __future__ import annotations

import numpy as np

from holdfast.core.posterior import EPS, JointPosterior
from holdfast.types import BoolArray, FloatArray, IntArray


def residuals(
    posterior: JointPosterior, arms: IntArray, rewards: FloatArray, repeats: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """z and |r| of every play (a mean of `repeats` equal ones), given a posterior that contains them all."""
    noise = posterior.lam / repeats
    spare = np.maximum(noise - np.diagonal(posterior.covariance)[arms], 8 * EPS * noise)
    off = np.abs(rewards - posterior.mean[arms])
    return off / np.sqrt(spare), off * noise / spare


def trim(
    posterior: JointPosterior,
    arms: IntArray,
    rewards: FloatArray,
    repeats: FloatArray,
    *,
    threshold: float,
    budget: float = np.inf,
) -> BoolArray:
    """Which plays to keep: drop, one at a time, the play with the largest z while that exceeds `threshold`.

    Tampering cannot have exceeded the budget, so neither may the sum of what is dropped: where it would, the
    model is wrong rather than the measurements, and the rest is kept. A play that is off by more than the whole
    budget and ten times the threshold is a fault and not a lie: it goes free. `posterior` contains all plays.
    """
    kept = np.ones(len(arms), dtype=np.bool_)
    exposed = 0.0
    while kept.any():
        z, r = residuals(posterior, arms, rewards, repeats)
        worst = int(np.argmax(np.where(kept, z, 0.0)))
        off = float(r[worst] * repeats[worst])
        if not z[worst] > threshold:
            break
        if not (off > budget and z[worst] > 10 * threshold):
            exposed += off
        if exposed > budget:
            break
        kept[worst] = False
        n = repeats[worst]
        posterior = posterior.extend(int(arms[worst]), -n, -n * float(rewards[worst]))
    return kept
