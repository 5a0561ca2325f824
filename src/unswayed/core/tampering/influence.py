"""The exact effect of tampering on a posterior.

    k_t     posterior covariance          S     the arms that were played
    lam     regularisation                C     total tampering, sum |c_j|

The posterior mean is linear in the rewards: d mu_t(x) / d y_j = k_t(x, x_j) / lam. So tampering of total C
moves mu_t(x) by at most (C/lam) max_{x' in S} |k_t(x, x')|, the *influence width*. Tampering with a single play of
the maximising arm x' attains it. This is algebra: it holds for every way to choose plays. The same holds for a
difference mu_t(a) - mu_t(b), with k_t(a, .) - k_t(b, .).
"""

from __future__ import annotations

import numpy as np

from unswayed.core.data.memory import row_blocks
from unswayed.types import EPS, BoolArray, FloatArray, IntArray


def influence_width(covariance: FloatArray, played: BoolArray, C: float, lam: float) -> FloatArray:
    """I(x) = (C/lam) max_{x' in S} |k_t(x, x')| for every row x of `covariance` (columns: all arms)."""
    if C == 0 or not played.any():
        return np.zeros(len(covariance))
    return np.asarray((C / lam) * np.abs(covariance[:, played]).max(axis=1))


def pairwise_influence(effect: FloatArray, arm: int) -> tuple[FloatArray, IntArray]:
    """max over columns x' of |effect(a, x') - effect(b, x')| for the arm a and every b, and the column of the maximum.

    `effect` is d mu / d y: k_t(x, x')/lam for played x'. One unit of tampering with a play of x' moves
    mu(a) - mu(b) by the difference. The work is done in blocks, with O(N) memory beyond the matrix.
    """
    largest, where = np.zeros(len(effect)), np.zeros(len(effect), dtype=np.int64)
    if effect.shape[1] == 0:
        return largest, where
    for rows in row_blocks(len(effect), effect.shape[1]):
        part = np.abs(effect[arm] - effect[rows])
        where[rows] = part.argmax(axis=1)
        largest[rows] = part.max(axis=1)
    return largest, where


def pairwise_deviation(covariance: FloatArray, arm: int, error: FloatArray | float = 0.0) -> FloatArray:
    """sd(a - b) = sqrt(k_t(a,a) + k_t(b,b) - 2 k_t(a,b)) for the arm a and every b.

    `error` bounds the rounding errors of the variances of the differences: the result is then never too small.
    """
    variance = np.diagonal(covariance)
    deviation = difference_deviation(variance[arm] + variance, covariance[arm], error)
    deviation[arm] = 0.0
    return deviation


def difference_deviation(variances: FloatArray, covariance: FloatArray, error: FloatArray | float = 0.0) -> FloatArray:
    """sqrt(v_a + v_b - 2 k_ab + error), from the sums v_a + v_b. A variance below its rounding is replaced by that."""
    return np.sqrt(np.maximum(variances - 2 * covariance, 8 * EPS * np.abs(variances)) + error)
