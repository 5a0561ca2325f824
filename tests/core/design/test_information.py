from itertools import combinations_with_replacement

import numpy as np
import pytest

from unswayed import Matern, SquaredExponential, UnswayedError
from unswayed.core.design.information import gain_upper_bound, greedy_gain, information_gain, relaxed_gain


def dense_gain(K, plays, lam):
    return 0.5 * np.linalg.slogdet(np.eye(len(plays)) + K[np.ix_(plays, plays)] / lam)[1]


@pytest.fixture
def K(rng):
    X = rng.uniform(-1, 1, (6, 2))
    return Matern(1.5, 0.6)(X, X)


def test_gain_of_counts_is_the_gain_of_the_plays(K):
    plays = [0, 0, 3, 3, 3, 5]
    counts = np.bincount(plays, minlength=6)
    assert information_gain(K, counts, 0.3) == pytest.approx(dense_gain(K, plays, 0.3), rel=1e-12)


def test_greedy_is_the_literal_greedy(K):
    for lam in (0.05, 1.0):
        plays = []
        for _ in range(40):
            gains = [dense_gain(K, [*plays, arm], lam) for arm in range(6)]
            plays.append(int(np.argmax(np.round(gains, 10))))
        assert greedy_gain(K, lam, 40) == pytest.approx(dense_gain(K, plays, lam), rel=1e-9)


@pytest.mark.parametrize("lam", [0.05, 1.0])
@pytest.mark.parametrize("T", [1, 2, 3, 5])
def test_bounds_enclose_the_true_maximum(K, lam, T):
    gamma = max(dense_gain(K, list(plays), lam) for plays in combinations_with_replacement(range(6), T))
    greedy, relaxed = greedy_gain(K, lam, T), relaxed_gain(K, lam, T)
    upper, name = gain_upper_bound(K, lam, T)
    assert greedy <= gamma + 1e-12
    assert greedy >= (1 - 1 / np.e) * gamma
    assert relaxed >= gamma - 1e-12
    assert upper >= gamma - 1e-12
    assert upper == pytest.approx(min(relaxed, greedy / (1 - 1 / np.e)))
    assert name in ("convex relaxation", "greedy/(1 - 1/e)")


def test_the_relaxation_is_tight_for_many_plays(K):
    greedy, relaxed = greedy_gain(K, 1.0, 3000), relaxed_gain(K, 1.0, 3000)
    assert greedy <= relaxed <= 1.005 * greedy


def test_a_billion_plays(rng):
    X = rng.uniform(-5, 5, (100, 2))
    K = SquaredExponential(0.5)(X, X)
    upper, name = gain_upper_bound(K, 1.0, 10**9)
    assert name == "convex relaxation"
    assert 0.5 * 100 * np.log(10**7) * 0.8 < upper < 0.5 * 100 * np.log(1 + 10**7)


def test_nothing_to_learn():
    assert greedy_gain(np.zeros((2, 2)), 1.0, 10) == 0
    assert relaxed_gain(np.zeros((2, 2)), 1.0, 10) == 0
    assert greedy_gain(np.eye(2), 1.0, 0) == 0


def test_bad_input_is_refused():
    with pytest.raises(UnswayedError, match="counts"):
        information_gain(np.eye(2), [-1, 1], 1.0)
    with pytest.raises(UnswayedError, match="plays"):
        greedy_gain(np.eye(2), 1.0, -1)
