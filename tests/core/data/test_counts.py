"""Counts of outcomes: the interval against mpmath, forged outcomes against literal loops, the promise by simulation."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unswayed.core.data.counts import forged_to_tie, leaders, lower_rate, most_forged, upper_rate


def mixture(s, n, p, alpha):
    """ln of (1/alpha) p^s (1-p)^(n-s) B(1/2, 1/2) / B(1/2 + s, 1/2 + n - s): positive where p is not rejected."""
    half = mpmath.mpf("0.5")
    term = (s * mpmath.log(p) if s else 0) + ((n - s) * mpmath.log(1 - p) if n > s else 0)
    return term - mpmath.log(mpmath.beta(half + s, half + n - s)) + mpmath.log(mpmath.pi) - mpmath.log(alpha)


@pytest.mark.parametrize(
    ("s", "n"), [(0, 1), (1, 1), (3, 10), (10, 10), (1, 10**6), (499, 10**3), (3 * 10**7, 10**9), (10**9 - 50, 10**9)]
)
@pytest.mark.parametrize("alpha", [0.05, 1e-4])
def test_the_ends_are_the_roots(s, n, alpha):
    with mpmath.workdps(60):
        for end, outside in ((float(lower_rate(s, n, alpha)), -1), (float(upper_rate(s, n, alpha)), 1)):
            if end in (0.0, 1.0):
                assert s == (0 if end == 0 else n)
                continue
            p, step = mpmath.mpf(end), min(mpmath.mpf("1e-9"), mpmath.mpf(min(end, 1 - end)) / 2)
            assert mixture(s, n, p - outside * step, alpha) > 0
            assert mixture(s, n, p + outside * mpmath.mpf("1e-15"), alpha) < 0


def test_forged_outcomes_shift_the_count():
    n, k = 200, 7
    s = np.arange(n + 1)
    low, high = lower_rate(s, n, 0.05, forged=k), upper_rate(s, n, 0.05, forged=k)
    for count in s:
        near = np.arange(max(count - k, 0), min(count + k, n) + 1)
        assert low[count] == pytest.approx(lower_rate(near, n, 0.05).min(), rel=1e-14)
        assert high[count] == pytest.approx(upper_rate(near, n, 0.05).max(), rel=1e-14)
    assert (np.diff(lower_rate(s, n, 0.05)) > 0).all()
    assert (low <= s / n).all()
    assert (s / n <= high).all()


counted = st.integers(1, 25).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(counted, counted)
@settings(max_examples=300, deadline=None)
def test_the_fewest_forged_outcomes_by_trying_all(one, two):
    (s_a, n_a), (s_b, n_b) = sorted((one, two), key=lambda count: Fraction(*count), reverse=True)
    k1, k2 = (int(k[0]) for k in forged_to_tie(s_a, n_a, s_b, n_b))
    assert (s_a - k1) * n_b <= (s_b + k2) * n_a
    assert 0 <= k1 <= s_a
    assert 0 <= k2 <= n_b - s_b
    plans = ((i, j) for i in range(s_a + 1) for j in range(n_b - s_b + 1))
    assert k1 + k2 == min(i + j for i, j in plans if Fraction(s_a - i, n_a) <= Fraction(s_b + j, n_b))


def test_large_counts_do_not_overflow():
    n_a, n_b = 2**52, 2**52 + 12345
    k1, k2 = (int(k[0]) for k in forged_to_tie(n_a // 2, n_a, n_b // 3, n_b))
    lead = n_a // 2 * n_b - n_b // 3 * n_a
    assert k1 * n_b + k2 * n_a >= lead > (k1 - 1) * n_b + k2 * n_a
    assert k2 == 0
    k1, k2 = forged_to_tie(10**9, 10**9, np.zeros(3, dtype=int), np.array([1, 10**3, 10**9]))
    assert (k1 + k2).tolist() == [1, 1000, 10**9]


def test_rates_are_compared_as_fractions():
    n = 10**9
    assert leaders(np.array([n // 3, n // 3 + 1, 1]), np.array([n, n + 3, 3])).tolist() == [2]
    assert leaders(np.array([1, 2, 0, 5]), np.array([2, 4, 0, 11])).tolist() == [0, 1]


def slow_most_forged(s, n, winner, alpha):
    """Every k in turn, and for each of them every j."""
    low = lower_rate(np.arange(n[winner] + 1), n[winner], alpha)
    high = [upper_rate(np.arange(n[b] + 1), n[b], alpha) for b in range(len(s))]
    k = 0
    while True:
        for j in range(k + 1):
            for b in set(range(len(s))) - {winner}:
                if not low[max(s[winner] - j, 0)] > high[b][min(s[b] + k - j, n[b])]:
                    return k - 1
        k += 1


def test_the_most_forged_outcomes_by_trying_all():
    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(40):
        n = rng.integers(40, 900, 3)
        s = rng.binomial(n, [0.6, 0.3, 0.1])
        winner = int(leaders(s, n)[0])
        k = most_forged(s, n, winner, 0.05)
        assert k == slow_most_forged(s, n, winner, 0.05)
        seen.add(k)
    assert len(seen) > 10
    assert min(seen) == -1


def test_what_else_was_moved_comes_first():
    s, n = np.array([600, 300]), np.array([1000, 1000])
    k = most_forged(s, n, 0, 0.05, fewer=40, more=[0, 30])
    assert k == most_forged(np.array([560, 330]), n, 0, 0.05)
    assert 0 < k < most_forged(s, n, 0, 0.05)


def test_millions_of_outcomes_are_no_work():
    n = np.array([10**8, 10**8, 10**8])
    s = np.array([6 * 10**6, 3 * 10**6, 2 * 10**6])
    k = most_forged(s, n, 0, 0.05 / 3)
    assert 2_900_000 < k < 3_000_000
    for j in (0, 1, k // 2, k):
        assert lower_rate(s[0] - j, n[0], 0.05 / 3) > upper_rate(s[1] + k - j, n[1], 0.05 / 3)
    beyond = [lower_rate(s[0] - j, n[0], 0.05 / 3) <= upper_rate(s[1] + k + 1 - j, n[1], 0.05 / 3) for j in (0, k + 1)]
    assert any(beyond)


def test_adaptive_tests_watched_at_every_look_miss_at_most_five_in_a_hundred():
    """2,000 runs: allocation by Thompson sampling, and an adversary who sees everything forges 5 outcomes."""
    rng, runs, looks, forgeries, delta = np.random.default_rng(1), 2_000, 250, 5, 0.05
    p = np.array([0.05, 0.3, 0.32])
    everyone, alpha = np.arange(runs), delta / len(p)
    s, n = np.zeros((runs, 3), dtype=np.int64), np.zeros((runs, 3), dtype=np.int64)
    left, missed, plain = np.full(runs, forgeries), np.zeros(runs, dtype=bool), np.zeros(runs, dtype=bool)
    for _ in range(looks):
        arm = np.argmax(rng.beta(1 + s, 1 + n - s), axis=1)
        honest = rng.random(runs) < p[arm]
        # The adversary pushes each option the way its count already errs, as soon as an outcome allows it.
        above = s[everyone, arm] >= p[arm] * n[everyone, arm]
        forge = (left > 0) & (honest != above)
        left -= forge
        s[everyone, arm] += honest ^ forge
        n[everyone, arm] += 1
        told, tried = s[everyone, arm], n[everyone, arm]
        low, high = lower_rate(told, tried, alpha, forged=forgeries), upper_rate(told, tried, alpha, forged=forgeries)
        missed |= (p[arm] < low) | (p[arm] > high)
        plain |= (p[arm] < lower_rate(told, tried, alpha)) | (p[arm] > upper_rate(told, tried, alpha))
    assert missed.mean() <= delta
    assert plain.mean() > delta  # without the shift the forged outcomes do break the promise
