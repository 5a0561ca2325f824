from __future__ import annotations

import mpmath
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from tests.core.votes.brute_force import some_votes

from unswayed.core.votes import fit
from unswayed.core.votes.bradley_terry import likelihood, slope_and_bend, steepest


@pytest.mark.parametrize("seed", range(5))
def test_scores_are_those_of_a_logistic_regression(seed: int) -> None:
    wins, ridge = some_votes(np.random.default_rng(seed), 6, 200).wins, 0.5
    a, b = np.nonzero(wins)
    x = np.zeros((len(a), 6))
    x[np.arange(len(a)), a], x[np.arange(len(a)), b] = 1, -1
    weights = np.tile(wins[a, b] / 2, 2)  # each row is there twice, with either option first
    model = LogisticRegression(C=1 / ridge, fit_intercept=False, tol=1e-12, max_iter=1000)
    model.fit(np.vstack([x, -x]), np.repeat([1, 0], len(a)), sample_weight=weights)
    np.testing.assert_allclose(fit(wins, ridge), model.coef_[0], atol=1e-6)


@pytest.mark.parametrize(("wins", "ridge"), [([[0, 50], [0, 0]], 1e-6), ([[0, 1e6], [1, 0]], 1e-3)])
def test_scores_of_two_options_solve_their_equation(wins: list[list[float]], ridge: float) -> None:
    table = np.array(wins, dtype=np.float64)
    n = table.sum()
    mpmath.mp.dps = 40
    exact = mpmath.findroot(lambda t: table[0, 1] - n / (1 + mpmath.exp(-2 * t)) - ridge * t, 5)
    np.testing.assert_allclose(fit(table, ridge), [float(exact), -float(exact)], rtol=1e-6)


def test_the_gradient_and_the_hessian_are_those_of_the_likelihood() -> None:
    rng = np.random.default_rng(0)
    wins, theta, step = some_votes(rng, 5, 40).wins, rng.normal(size=5), 1e-5
    slope, bend = slope_and_bend(wins, theta, 0.3)
    moves = step * np.eye(5)
    along = [(likelihood(wins, theta + m, 0.3) - likelihood(wins, theta - m, 0.3)) / (2 * step) for m in moves]
    np.testing.assert_allclose(slope, along, atol=1e-6)
    turns = [slope_and_bend(wins, theta - m, 0.3)[0] - slope_and_bend(wins, theta + m, 0.3)[0] for m in moves]
    np.testing.assert_allclose(bend, np.array(turns) / (2 * step), atol=1e-6)


@pytest.mark.parametrize("ridge", [1e-8, 0.1, 100.0])
def test_a_fit_ends_where_nothing_rises_any_more(ridge: float) -> None:
    rng = np.random.default_rng(1)
    wins = rng.integers(0, 3, (8, 8)) * (1 - np.eye(8))
    wins[0] = 10 * (np.arange(8) > 0)  # always wins
    wins[:, 0] = 0
    wins[6:, :6] = 0  # two that never win
    theta = fit(wins, ridge)
    assert np.isfinite(theta).all()
    assert np.abs(slope_and_bend(wins, theta, ridge)[0]).max() <= steepest(wins)


def test_parts_that_were_never_compared_have_scores_of_their_own() -> None:
    wins = np.zeros((4, 4))
    wins[0, 1], wins[1, 0], wins[2, 3], wins[3, 2] = 3, 1, 3, 1
    theta = fit(wins, 0.01)
    np.testing.assert_allclose(theta[:2], theta[2:], atol=1e-9)
    assert theta[0] > theta[1]
