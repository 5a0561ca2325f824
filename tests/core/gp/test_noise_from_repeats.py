"""Noise from repeats: near the truth, and unmoved by a lie."""

import numpy as np
import pytest

from unswayed.core.gp.fitting import noise_from_repeats


def measured(seed, options=40, repeats=3, sigma=0.2):
    rng = np.random.default_rng(seed)
    option = np.repeat(np.arange(options), repeats)
    return option, rng.normal(size=options)[option] + sigma * rng.standard_normal(len(option))


def test_it_is_near_the_truth():
    estimates = [noise_from_repeats(*measured(seed)) for seed in range(50)]
    assert np.mean(estimates) == pytest.approx(0.2, rel=0.15)


def test_a_tampered_repeat_does_not_inflate_it():
    option, values = measured(1)
    honest = noise_from_repeats(option, values)
    values[4] += 1e6
    assert noise_from_repeats(option, values) == pytest.approx(honest, rel=0.1)


def test_the_order_of_measurements_does_not_matter():
    option, values = measured(2)
    shuffled = np.random.default_rng(0).permutation(len(values))
    assert noise_from_repeats(option[shuffled], values[shuffled]) == pytest.approx(noise_from_repeats(option, values))


def test_without_enough_repeats_there_is_no_estimate():
    assert noise_from_repeats(np.arange(5), np.arange(5.0)) is None
    assert noise_from_repeats(np.array([0, 0, 1]), np.array([1.0, 2.0, 3.0]), least=2) is None
    assert noise_from_repeats(np.array([0, 0, 1]), np.array([1.0, 2.0, 3.0]), least=1) is not None
    assert noise_from_repeats(np.array([0, 0, 0]), np.array([1.0, 1.0, 1.0])) is None  # no noise at all


def test_one_lie_among_equal_repeats_is_no_noise():
    assert noise_from_repeats(np.repeat(np.arange(5), 4), np.append(np.repeat(np.arange(5.0), 4)[:-1], 1e6)) is None
