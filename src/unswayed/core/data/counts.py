"""Options whose outcomes are counted: s successes of n trials each, and outcomes that were forged.

    s, n     successes and trials of an option, whole numbers        a, b   the winner and a rival
    alpha    probability that the interval of one option ever fails
    k        forged outcomes: a success recorded as a failure, or a failure as a success

The interval is the set of rates that the beta-binomial mixture does not reject,

    { p : B(1/2 + s, 1/2 + n - s) / B(1/2, 1/2)  <  p^s (1 - p)^(n - s) / alpha },

By Ville's inequality it holds at all times at once, however the trials were allocated. Its ends increase with s.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaln, gammaln, xlog1py

from unswayed.types import EPS, FloatArray, IntArray

PRIOR = 0.5  # both parameters of the mixture, fixed in advance
NEWTON_STEPS = 60  # at most; about 6 are needed
LEAST_RATE = 1e-300  # in place of 0 in a denominator
EXACT_TRIALS = 1 << 31  # up to this number of trials, products fit into 64 bits
CLOSE_RATES = 1e-12  # rates that differ by less are compared as fractions

Whole = NDArray[Any]  # int64, or Python's own whole numbers where products do not fit into 64 bits


def lower_rate(successes: ArrayLike, trials: ArrayLike, alpha: float, *, forged: int = 0) -> FloatArray:
    """The least rate that can explain the count, if at most `forged` outcomes were forged."""
    n = np.asarray(trials, dtype=np.float64)
    s = np.clip(np.asarray(successes, dtype=np.float64) - forged, 0.0, n)
    q = s / n
    failures = n - s
    best = xlog1py(s, q - 1) + xlog1py(failures, -q)
    # The logarithms are rounded; the interval is widened by what that can be.
    slack = 8 * EPS * (gammaln(n + 1) + 1) + 1e-12
    allowed = best - betaln(PRIOR + s, PRIOR + failures) + betaln(PRIOR, PRIOR) - np.log(alpha) + slack
    return np.asarray(np.where(s > 0, q - _distance(s, failures, q, allowed), 0.0))


def _distance(s: FloatArray, failures: FloatArray, q: FloatArray, allowed: FloatArray) -> FloatArray:
    """The u <= q at which the log likelihood of the rate q - u is `allowed` below that of q.

    It falls by a convex function of u. Newton's steps from a u that is too large stay too large, so the interval is
    never too short. The first u: KL(q, p) >= u^2/(2 max x(1 - x)) and n KL(q, p) >= s (ln(q/p) - 1).
    """
    n = s + failures
    q = np.where(s > 0, q, 1.0)
    rest = np.where(failures > 0, failures / n, 1.0)
    variance = np.where(q < 0.5, q * (1 - q), 0.25)
    u = np.minimum(np.sqrt(2 * allowed * variance / n), -q * np.expm1(-1 - allowed / np.maximum(s, 1)))
    for _ in range(NEWTON_STEPS):
        p = q - u
        fall = -xlog1py(s, -u / q) - xlog1py(failures, u / rest)
        slope = np.where(s > 0, s / np.maximum(p, LEAST_RATE) - failures / (rest + u), 1.0)
        step = np.where(s > 0, np.maximum(fall - allowed, 0.0) / np.maximum(slope, LEAST_RATE), 0.0)
        u = u - step
        if (step <= EPS * q).all():
            break
    return np.asarray(u)


def upper_rate(successes: ArrayLike, trials: ArrayLike, alpha: float, *, forged: int = 0) -> FloatArray:
    """The largest rate that can explain the count, if at most `forged` outcomes were forged."""
    failures = np.asarray(trials, dtype=np.float64) - np.asarray(successes, dtype=np.float64)
    return 1 - lower_rate(failures, trials, alpha, forged=forged)


def whole_numbers(numbers: ArrayLike, largest: int) -> Whole:
    """Whole numbers whose products are exact, where no option has more than `largest` trials."""
    return np.atleast_1d(np.asarray(numbers, dtype=np.int64)).astype(np.int64 if largest <= EXACT_TRIALS else object)


def leaders(successes: IntArray, trials: IntArray) -> IntArray:
    """The options with the largest rate, in order; options without trials have none. Fractions are compared exactly."""
    with np.errstate(invalid="ignore"):
        rates = np.where(trials > 0, successes / np.maximum(trials, 1), -1.0)
    close = np.flatnonzero((rates >= rates.max() - CLOSE_RATES) & (trials > 0))
    best = close[:1]
    for option in close[1:]:
        s = int(successes[option])
        n = int(trials[option])
        first = best[0]
        ahead = s * int(trials[first]) - int(successes[first]) * n
        if ahead > 0:
            best = np.array([option])
        elif ahead == 0:
            best = np.append(best, option)
    return best.astype(np.int64)


def forged_to_tie(s_a: int, n_a: int, s_b: ArrayLike, n_b: ArrayLike) -> tuple[IntArray, IntArray]:
    """The fewest outcomes that have to be forged so that a is no longer ahead of b.

    The least k1 + k2 with k1 n_b + k2 n_a >= s_a n_b - s_b n_a, k1 <= s_a, k2 <= n_b - s_b. An outcome of the option
    with fewer trials moves the difference more, so these come first.

    Args:
        s_a: Successes of the winner.
        n_a: Its trials.
        s_b: Successes of each rival.
        n_b: Trials of each rival.

    Returns:
        For each rival, successes of a that become failures (k1), and failures of b that become successes (k2).
    """
    largest = max(int(n_a), int(np.max(n_b, initial=0)))
    s, n = whole_numbers(s_b, largest), whole_numbers(n_b, largest)
    s_a, n_a = int(s_a), int(n_a)
    lead = np.maximum(s_a * n - s * n_a, 0)
    winner_first = n >= n_a
    most = np.where(winner_first, s_a, n - s)
    step, other = np.where(winner_first, n, n_a), np.where(winner_first, n_a, n)
    first = np.minimum(-(-lead // step), most)
    second = -(-np.maximum(lead - first * step, 0) // other)
    k1, k2 = np.where(winner_first, first, second), np.where(winner_first, second, first)
    return k1.astype(np.int64), k2.astype(np.int64)


def most_forged(
    successes: IntArray, trials: IntArray, winner: int, alpha: float, *, fewer: int = 0, more: ArrayLike = 0
) -> int:
    """The largest k such that the winner is the best option unless more than k outcomes were forged.

    That is lower_a(s_a - j) > upper_b(s_b + k - j) for all rivals b and all j = 0..k. If it holds for k, it holds for
    every smaller one, so k is found by bisection.

    Args:
        successes: Of each option.
        trials: Of each option.
        winner: The option with the largest rate.
        alpha: Probability that the interval of one option ever fails.
        fewer: Successes of the winner that something else may have added.
        more: Successes of each option that something else may have hidden.

    Returns:
        The number; -1 if the winner is not known to be the best even if no outcome was forged.
    """
    rivals = np.flatnonzero((np.arange(len(trials)) != winner) & (trials > 0))
    s_a, n_a = max(int(successes[winner]) - fewer, 0), int(trials[winner])
    n_b = trials[rivals]
    s_b = np.minimum((successes + np.asarray(more))[rivals], n_b)
    k1, k2 = forged_to_tie(s_a, n_a, s_b, n_b)
    known, failed = -1, int((k1 + k2).min(initial=s_a + 1))  # a tie is never certain
    while failed - known > 1:
        k = (known + failed) // 2 if known >= 0 else 0
        if _certain(s_a, n_a, s_b, n_b, k, alpha):
            known = k
        else:
            failed = k
    return known


def _certain(s_a: int, n_a: int, s_b: IntArray, n_b: IntArray, k: int, alpha: float) -> bool:
    """Whether lower_a(s_a - j) > upper_b(s_b + k - j) for all rivals and j = 0..k.

    Both sides fall as j grows, so lower_a at the last j of a range and upper_b at its first j decide for the whole
    range. Where they do not, the range is halved, down to a single j.
    """
    rival = np.arange(len(n_b))
    first, last = np.zeros(len(n_b), dtype=np.int64), np.full(len(n_b), k)

    def separated(j_a: IntArray, j_b: IntArray) -> NDArray[np.bool_]:
        up = upper_rate(np.minimum(s_b[rival] + k - j_b, n_b[rival]), n_b[rival], alpha)
        return np.asarray(lower_rate(np.maximum(s_a - j_a, 0), n_a, alpha) > up)

    while len(rival):
        middle = (first + last) // 2
        if not separated(middle, middle).all():
            return False
        open_ = ~separated(last, first)
        rival, first, middle, last = rival[open_], first[open_], middle[open_], last[open_]
        rival, first, last = np.tile(rival, 2), np.append(first, middle + 1), np.append(middle, last)
        some = first <= last
        rival, first, last = rival[some], first[some], last[some]
    return True
