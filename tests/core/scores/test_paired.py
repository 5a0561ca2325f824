"""Paired differences: the tests and intervals of others, and that both say the same."""

import numpy as np
import pytest
from scipy import stats

from unswayed.core.scores import difference


def pairs(up, down, size):
    return np.repeat([1.0, -1.0, 0.0], [up, down, size - up - down])


@pytest.mark.parametrize(("up", "down", "size"), [(1, 0, 5), (8, 1, 29), (30, 12, 500), (5, 5, 40), (0, 7, 7)])
def test_right_and_wrong_is_the_exact_test_of_mcnemar(up, down, size):
    found = difference(pairs(up, down, size), 1.0)
    assert found.test == "McNemar"
    assert found.probability == pytest.approx(stats.binomtest(up, up + down).pvalue)


@pytest.mark.parametrize("seed", range(10))
def test_many_graded_items_are_the_paired_t_test(seed):
    """Without skew, where the transformation of Hall changes nothing: each difference also with the other sign."""
    d = np.random.default_rng(seed).normal(0, 1, 40)
    d = 0.1 + np.concatenate([d, -d])
    found, theirs = difference(d, 8.0), stats.ttest_1samp(d, 0)
    assert found.probability == pytest.approx(theirs.pvalue)
    if found.probability <= 0.05:
        low, high = theirs.confidence_interval()
        assert (found.low, found.high) == pytest.approx((low, high))


def test_few_skewed_differences_are_not_as_sure_as_the_paired_t_test():
    """Equal means, one of a lognormal score: Student's t calls 22% of them different."""
    ours, students = 0, 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        d = rng.lognormal(-(1.5**2) / 2, 1.5, 30) - rng.normal(1, 0.05, 30)
        p = difference(d, 10.0).probability
        assert p >= stats.ttest_1samp(d, 0).pvalue - 1e-12
        ours, students = ours + (p <= 0.05), students + (stats.ttest_1samp(d, 0).pvalue <= 0.05)
    assert ours <= 0.6 * students


def test_what_is_far_from_chance_stays_so_whatever_the_skew():
    d = np.random.default_rng(0).exponential(1, 40)
    assert difference(d + 1, 10.0).probability < 1e-6
    assert difference(-d - 1, 10.0).probability < 1e-6


@pytest.mark.parametrize("seed", range(10))
def test_few_different_items_are_at_least_as_likely_as_all_their_signs_say(seed):
    rng = np.random.default_rng(seed)
    d = np.concatenate([np.round(rng.normal(0.5, 1, 7), 2), np.zeros(40)])
    theirs = stats.permutation_test(
        (d[:7],), np.sum, permutation_type="samples", alternative="two-sided", n_resamples=np.inf
    )
    assert difference(d, 5.0).probability >= theirs.pvalue - 1e-12


def test_the_interval_contains_nothing_exactly_where_the_test_does_not_decide():
    for size in (1, 3, 10, 40, 400):
        for up in range(min(size, 25) + 1):
            for down in range(min(size - up, 25) + 1):
                found = difference(pairs(up, down, size), 1.0)
                assert (found.low <= 0 <= found.high) == (found.probability > 0.05), (size, up, down)
                assert found.low <= found.mean <= found.high
                assert found.high > found.low


@pytest.mark.parametrize("delta", [0.01, 0.1])
def test_so_does_that_of_graded_items(delta):
    for seed in range(300):
        rng = np.random.default_rng(seed)
        d = np.round(rng.normal(0.3, 1, int(rng.integers(2, 60))), 1) * (rng.random() < 0.9)
        found = difference(d, 6.0, delta)
        assert (found.low <= 0 <= found.high) == (found.probability > delta)


def test_what_never_differed_may_differ_in_the_next_item():
    found = difference(np.zeros(100), 1.0)
    assert found.probability == 1
    assert found.high == pytest.approx(1 - 0.025**0.01)
    assert found.needed is None


@pytest.mark.slow
@pytest.mark.parametrize(("items", "apart"), [(30, 0.0), (100, 0.05), (400, 0.1)])
def test_the_interval_covers(items, apart):
    rng = np.random.default_rng(0)
    covered = sum(
        found.low <= apart <= found.high
        for found in (
            difference(rng.choice([1.0, -1.0, 0.0], items, p=[0.1 + apart, 0.1, 0.8 - apart]), 1.0)
            for _ in range(2_000)
        )
    )
    assert covered >= 0.945 * 2_000


@pytest.mark.slow
def test_the_number_of_items_that_would_tell_does_tell_in_four_of_five_cases():
    rng = np.random.default_rng(1)
    needed = difference(pairs(60, 40, 400), 1.0).needed
    told = sum(difference(rng.choice([1, -1, 0], needed, p=[0.15, 0.1, 0.75]), 1.0).probability <= 0.05
               for _ in range(500))  # fmt: skip
    assert 0.74 <= told / 500 <= 0.86


def test_the_interval_of_right_and_wrong_is_the_union_of_two():
    up, down, size = 30, 12, 500
    found, theirs = difference(pairs(up, down, size), 1.0), stats.binomtest(up, up + down).proportion_ci(0.95)
    p, q = (up + 1) / (size + 2), (down + 1) / (size + 2)
    half = stats.norm.isf(0.025) * np.sqrt((p + q - (p - q) ** 2) / (size + 2))
    ends = [(2 * end - 1) * (up + down) / size for end in (theirs.low, theirs.high)]
    assert (found.low, found.high) == pytest.approx((min(ends[0], p - q - half), max(ends[1], p - q + half)))


def test_the_number_of_items_that_would_tell_is_that_of_the_normal_distribution():
    d = pairs(60, 40, 400)
    z = stats.norm.isf(0.025) + stats.norm.isf(0.2)
    assert difference(d, 1.0).needed == np.ceil(z**2 * d.var(ddof=1) / d.mean() ** 2)
