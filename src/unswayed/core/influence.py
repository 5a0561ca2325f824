"""The exact effect of tampering on a posterior.

    k_t     posterior covariance          S     the arms that were played
    lam     regularisation                C     total tampering, sum |c_j|

The posterior mean is linear in the rewards: d mu_t(x) / d y_j = k_t(x, x_j) / lam. So tampering of total C
moves mu_t(x) by at most (C/lam) max_{x' in S} |k_t(x, x')|, the *influence width*, and attains it by
spending everything on one play of the maximising arm. It is algebra: true for any way of choosing plays.
The same for a difference mu_t(a) - mu_t(b), with k_t(a, .) - k_t(b, .).
"""

from __future__ import annotations

import numpy as np

from unswayed.types import BoolArray, FloatArray, IntArray

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
