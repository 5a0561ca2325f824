"""Information gain: how much T plays can tell about f.

    I(n)      = 1/2 ln det(I + K_SS diag(n)/lam), n plays of each arm
    gamma_T   = max I over all choices of T plays, repeats allowed

gamma_T is hard to compute exactly. `greedy_gain` is a lower bound, at least (1 - 1/e) gamma_T.
`gain_upper_bound` is the smaller of two upper bounds: one from the greedy value, one from the convex
relaxation, in which counts need not be whole.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import LinAlgError, cholesky, solve_triangular

from unswayed.core.design.rare_switching import Covariance
from unswayed.errors import InvalidInput
from unswayed.types import EPS, FloatArray, floats, positive, whole


def information_gain(K: ArrayLike, counts: ArrayLike, lam: float) -> float:
    """I(n) for `counts` plays of each arm of K; the counts need not be whole."""
    K = floats(K, "the kernel matrix", ndim=2)
    n = floats(counts, "counts", ndim=1)
    if n.size and n.min() < 0:
        raise InvalidInput("counts must be at least 0")
    root = np.sqrt(n / positive(lam, "lam"))
    return float(np.log(_factor(K, root).diagonal()).sum())


def greedy_gain(K: ArrayLike, lam: float, plays: int) -> float:
    """I after always playing the arm of largest posterior variance: a lower bound of gamma_T.

    One rank-one step for each run of plays of one arm: O(runs N^2), at most `plays` runs.
    """
    lam = positive(lam, "lam")
    posterior = Covariance(floats(K, "the kernel matrix", ndim=2), lam)
    gain = 0.0
    left = whole(plays, "the number of plays", least=0)
    while left > 0:
        arm, s = posterior.largest()
        if s <= EPS:
            break  # no arm has variance left
        # The arm stays the largest until it falls to the second largest, because that one can only fall too.
        rest = np.delete(posterior.covariance.diagonal(), arm).max(initial=0.0)
        n = 1 if rest >= s else int(min(left, 1 + np.floor(lam / max(rest, 1e-300) - lam / s)))
        gain += 0.5 * np.log1p(n * s / lam)
        posterior.select(arm, s, n)
        left -= n
    return gain


def relaxed_gain(K: ArrayLike, lam: float, plays: int, *, tolerance: float = 0.01) -> float:
    """An upper bound of gamma_T: the maximum of I over all counts that sum to T, whole or not.

    I is concave in the counts. So at any counts T w, the value plus its Frank-Wolfe gap
    max_i g_i - sum_i w_i g_i, with g_i = T k_w(i,i) / (2 lam), bounds the maximum, converged or not.
    The weights climb by multiplicative steps w_i <- w_i g_i / sum_j w_j g_j, which never lower I.
    """
    K = floats(K, "the kernel matrix", ndim=2)
    lam = positive(lam, "lam")
    T = whole(plays, "the number of plays", least=0)
    w = np.full(len(K), 1 / len(K))
    best = np.inf
    for _ in range(1000):
        root = np.sqrt(w * T / lam)
        L = _factor(K, root)
        value = float(np.log(L.diagonal()).sum())
        half = solve_triangular(L, root[:, None] * K, lower=True)
        slopes: FloatArray = np.maximum(K.diagonal() - np.sum(half**2, axis=0), 0.0) * T / (2 * lam)
        average = float(w @ slopes)
        best = min(best, value + float(slopes.max()) - average)
        if best <= value * (1 + tolerance) or average == 0:
            break
        w = w * slopes / average
    return best


def gain_upper_bound(K: ArrayLike, lam: float, plays: int) -> tuple[float, str]:
    """The smaller upper bound of gamma_T, and its name: "convex relaxation" or "greedy/(1 - 1/e)".

    The greedy bound may take T rank-one steps, and is the smaller one only for few plays. So it is tried only there.
    """
    K = floats(K, "the kernel matrix", ndim=2)
    relaxed = relaxed_gain(K, lam, plays)
    if plays <= 5_000 and len(K) <= 500:
        greedy = greedy_gain(K, lam, plays) / (1 - np.exp(-1))
        if greedy < relaxed:
            return greedy, "greedy/(1 - 1/e)"
    return relaxed, "convex relaxation"


def _factor(K: FloatArray, root: FloatArray) -> FloatArray:
    """Cholesky factor of I + diag(root) K diag(root)."""
    try:
        return np.asarray(cholesky(np.eye(len(K)) + root[:, None] * K * root, lower=True))
    except LinAlgError:
        raise InvalidInput("lam is too small for this many plays in double precision; use a larger lam") from None
