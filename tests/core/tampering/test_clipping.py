"""The range of honest rewards, and what lies become when rewards are clipped to it."""

import numpy as np
import pytest

from unswayed import UnswayedError
from unswayed.core.tampering.clipping import ClipRange, radius


def test_the_radius_spends_delta_exactly_on_the_sub_gaussian_tails():
    sigma, delta, T = 0.3, 0.05, 1000
    assert 2 * T * np.exp(-(radius(sigma, T, delta) ** 2) / (2 * sigma**2)) == pytest.approx(delta)


def test_clipping_leaves_honest_rewards_alone_and_bounds_lies(rng):
    sigma, delta, T = 0.3, 0.1, 200
    touched, honest = 0, ClipRange(-1.0, 2.0, radius(sigma, T, delta))
    for _ in range(500):
        f = rng.uniform(-1.0, 2.0, T)
        y = f + sigma * rng.standard_normal(T)
        touched += bool((np.clip(y, *honest.ends) != y).any())
        lies = y.copy()
        lies[rng.choice(T, 7, replace=False)] = rng.choice([-1e9, 1e9, 5.0], 7)
        change = np.abs(np.clip(lies, *honest.ends) - np.clip(y, *honest.ends)).sum()
        assert change <= honest.budget(7)
    assert touched <= 0.1 * 500
    worst = np.clip([-1e9, 1e9], *honest.ends)
    assert worst[1] - worst[0] == pytest.approx(honest.budget(1))  # the budget is attained


def test_half_the_radius_would_be_too_little(rng):
    noise = 0.3 * rng.standard_normal((500, 200))
    assert (np.abs(noise).max(axis=1) > radius(0.3, 200, 0.1) / 2).mean() > 0.5


@pytest.mark.parametrize("ends", [(1.0, 1.0), (2.0, -1.0), (np.nan, 1.0)])
def test_bad_bounds_are_refused(ends):
    with pytest.raises(UnswayedError, match="below the highest"):
        ClipRange(*ends, 0.1)
