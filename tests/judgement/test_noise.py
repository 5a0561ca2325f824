"""Noise from repeats: near the truth, and unmoved by a lie."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import norm

from unswayed.judgement.noise import LEAST_REPEATS, Repeats, step


def measured(seed, options=40, repeats=3, sigma=0.2):
    rng = np.random.default_rng(seed)
    option = np.repeat(np.arange(options), repeats)
    return option, rng.normal(size=options)[option] + sigma * rng.standard_normal(len(option))


def noise(option, values, fallback=None):
    return Repeats.of(option).noise(values, fallback)


def test_it_is_near_the_truth():
    estimates = [noise(*measured(seed)) for seed in range(50)]
    assert np.mean(estimates) == pytest.approx(0.2, rel=0.15)


@pytest.mark.parametrize("level", [0.0, -1000.0])
def test_one_option_with_many_repeats_is_enough_whatever_its_level(level):
    option, values = measured(4, options=1, repeats=200)
    assert noise(option, values + level) == pytest.approx(0.2, rel=0.2)
    assert Repeats.of(option).pooled(values + level) == pytest.approx(np.std(values, ddof=1))


def test_pooled_noise_counts_only_repeats():
    option, values = measured(5, repeats=3)
    literally = np.mean([np.var(values[option == one], ddof=1) for one in range(40)])
    assert Repeats.of(option).pooled(values) == pytest.approx(np.sqrt(literally))
    assert Repeats.of(np.arange(5)).pooled(np.arange(5.0)) == 0.0


@pytest.mark.parametrize("sizes", [[12], [10, 15], [3, 4], [12, 2, 5]])
def test_it_is_the_median_distance_between_repeats(sizes):
    """From the median of ten repeats or more, else from each other; in units of the deviation of a normal one."""
    rng = np.random.default_rng(0)
    groups = [rng.normal(i, 0.3, n) for i, n in enumerate(sizes)]
    distances = []
    for group in groups:
        n = len(group)
        if n >= 10:
            distances += [abs(one - np.median(group)) * np.sqrt(n / (n - 1)) for one in group]
        else:
            distances += [abs(a - b) / np.sqrt(2) for a, b in combinations(group, 2)]
    found = noise(np.repeat(np.arange(len(sizes)), sizes), np.concatenate(groups))
    if sum(sizes) - len(sizes) < LEAST_REPEATS:
        assert found is None
    else:
        assert found == pytest.approx(np.median(distances) / norm.ppf(0.75))


def test_a_tampered_repeat_does_not_inflate_it():
    option, values = measured(1)
    honest = noise(option, values)
    values[4] += 1e6
    assert noise(option, values) == pytest.approx(honest, rel=0.1)


def test_the_order_of_measurements_does_not_matter():
    option, values = measured(2)
    shuffled = np.random.default_rng(0).permutation(len(values))
    assert noise(option[shuffled], values[shuffled]) == pytest.approx(noise(option, values))


def test_without_enough_repeats_there_is_no_estimate():
    values = np.random.default_rng(0).standard_normal(LEAST_REPEATS + 1)
    assert noise(np.arange(5), np.arange(5.0)) is None
    assert noise(np.zeros(LEAST_REPEATS, np.int64), values[:-1]) is None
    assert noise(np.zeros(LEAST_REPEATS + 1, np.int64), values) > 0


@pytest.mark.parametrize("lie", [0.0, 1e6])
def test_values_that_are_always_the_same_have_no_noise_of_their_own(lie):
    option, values = np.repeat(np.arange(5), 4), np.repeat(np.sqrt([2.0, 3, 5, 7, 11]), 4)
    values[-1] += lie
    assert noise(option, values) is None
    assert noise(option, values, lambda values: 7.0) == 7.0
    assert noise(option, values, lambda values: 0.0) is None


def test_options_agree_if_all_of_their_values_are_the_same():
    repeats = Repeats.of(np.array([0, 0, 1, 1, 1, 2, 3, 3]))
    assert repeats.agreeing(np.array([5.0, 5.0, 1.0, 1.0, 2.0, 9.0, 0.0, 0.0])) == pytest.approx(2 / 3)
    assert repeats.agreeing(np.arange(8.0)) == 0.0


def test_the_fallback_is_for_few_different_numbers_only():
    option, values = measured(3)
    ratings = np.random.default_rng(3).integers(1, 4, len(option)).astype(float)
    assert noise(option, values, lambda values: 7.0) == noise(option, values)
    assert noise(option, ratings, lambda values: 7.0) == 7.0


def test_repeats_of_one_option_are_found_wherever_they_stand():
    found = Repeats.of(np.array([3, 0, 3, 1, 0, 3]))
    assert found.number == 3
    assert [group.tolist() for group in found.options] == [[1, 4], [0, 2, 5]]
    assert Repeats.of(np.zeros(0, np.int64)).number == 0


@pytest.mark.parametrize("rounded", [0.1, 0.5, 0.01])
def test_readings_with_a_step_have_at_least_its_noise(rounded):
    rng, option = np.random.default_rng(0), np.repeat(np.arange(8), 4)
    read = rounded * np.round((np.sin(option) + 0.1 * rounded * rng.standard_normal(32)) / rounded)
    assert step(read) == pytest.approx(rounded)
    assert noise(option, read) == pytest.approx(rounded * np.sqrt(4 / 12))  # four equal errors do not cancel
    loud = rounded * np.round((np.sin(option) + 3 * rounded * rng.standard_normal(32)) / rounded)
    assert noise(option, loud) == pytest.approx(3 * rounded, rel=0.5)
    assert step(rng.standard_normal(30)) == 0
