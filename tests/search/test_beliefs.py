"""What a search estimates: a lie moves neither noise nor scale far, and what was given is taken as it is."""

import numpy as np
import pytest

from tests.search.games import bowl, task
from unswayed import Matern
from unswayed.search.beliefs import FITTED, estimate, fitted_plays
from unswayed.search.task import Data, Told


def measured(points=20, repeats=3, sigma=0.02, lie=0.0):
    rng = np.random.default_rng(1)
    rows = np.repeat(rng.uniform(size=(points, 2)), repeats, axis=0)
    values = np.array([bowl(row) for row in rows]) + sigma * rng.standard_normal(len(rows))
    values[7] += lie
    return Data.empty(2).after_all([Told(row, value) for row, value in zip(rows, values, strict=True)])


def test_noise_comes_from_repeats_and_a_lie_does_not_inflate_it():
    honest = estimate(task(), measured())
    lied = estimate(task(threat=500.0), measured(lie=100.0))
    assert honest.prior.noise_std == pytest.approx(0.02, rel=0.4)
    assert lied.prior.noise_std == pytest.approx(honest.prior.noise_std, rel=0.25)
    assert lied.prior.output_scale < 10 * honest.prior.output_scale


def test_what_is_given_is_believed():
    kernel = Matern(2.5, 0.4)
    beliefs = estimate(task(kernel=kernel, noise_std=0.5, output_scale=3.0), measured())
    assert (beliefs.prior.shape, beliefs.prior.noise_std, beliefs.prior.output_scale, beliefs.fitted) == (
        kernel,
        0.5,
        3.0,
        None,
    )
    assert beliefs.prior.lam == pytest.approx((0.5 / 3) ** 2)


def test_standard_values_have_level_and_unit():
    beliefs = estimate(task(), measured())
    assert beliefs.prior.standardized(beliefs.prior.centre + 2 * beliefs.prior.output_scale) == pytest.approx(2.0)
    np.testing.assert_allclose(beliefs.prior.standardized(np.array([beliefs.prior.centre])), [0.0], atol=1e-12)


def test_of_many_points_the_best_and_some_others_are_fitted():
    data = measured(points=2 * FITTED, repeats=1)
    some = fitted_plays(data.rows, data.values, seed=0)
    assert len(some) == FITTED
    assert set(np.argsort(-data.values)[: FITTED // 4]) <= set(some)
    np.testing.assert_array_equal(some, fitted_plays(data.rows, data.values, seed=0))
