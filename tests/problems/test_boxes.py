"""The test functions: textbook values, and extremes that a search finds again."""

from dataclasses import FrozenInstanceError
from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import qmc

from unswayed import UnswayedError
from unswayed.problems import BoxProblem, ackley5, branin, hartmann6

PROBLEMS = [branin, hartmann6, ackley5]
OPTIMA = [
    (branin, [-np.pi, 12.275]),
    (branin, [np.pi, 2.275]),
    (branin, [3 * np.pi, 2.475]),
    (hartmann6, [0.20168951, 0.15001069, 0.47687397, 0.27533243, 0.31165162, 0.65730053]),
    (ackley5, [0, 0, 0, 0, 0]),
]


@pytest.mark.parametrize(("problem", "x"), OPTIMA)
def test_the_published_optima_are_the_best(problem, x):
    assert problem.function(np.array([x], dtype=float))[0] == pytest.approx(problem.best, abs=1e-12 * problem.range)
    assert problem.gap(x) == pytest.approx(0, abs=1e-12)


def test_values_worked_out_by_hand():
    assert -branin.function(np.array([[0.0, 0.0]]))[0] == pytest.approx(36 + 10 * (1 - 1 / (8 * np.pi)) + 10)
    assert -ackley5.function(np.ones((1, 5)))[0] == pytest.approx(20 - 20 * np.exp(-0.2))  # cosines are 1
    first_centre = np.array([[0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886]])
    assert 1.0 < hartmann6.function(first_centre)[0] < 1.1  # the first hill is 1 high, the others are far


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.name)
@pytest.mark.parametrize("sign", [-1, 1], ids=["best", "worst"])
def test_a_search_finds_the_extremes_again_and_nothing_beyond(problem, sign):
    points = problem.scaled(qmc.Sobol(problem.dimension, seed=7).random_base2(14))
    points = np.vstack([points, list(product(*problem.bounds))])
    values = sign * problem.function(points)
    known = sign * (problem.best if sign < 0 else problem.worst)
    assert values.min() >= known - 1e-12 * problem.range
    starts = points[np.argsort(values)[:15]]
    found = min(
        minimize(lambda x: sign * problem.function(x[None])[0], x, bounds=problem.bounds, options={"ftol": 1e-14}).fun
        for x in starts
    )
    assert found == pytest.approx(known, abs=1e-6 * problem.range)
    assert found >= known - 1e-12 * problem.range


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.name)
def test_rows_are_independent_and_gaps_are_shares_of_the_range(problem):
    X = problem.scaled(np.random.default_rng(0).uniform(size=(20, problem.dimension)))
    f = problem.function(X)
    assert f.tolist() == pytest.approx([problem.function(x[None])[0] for x in X])
    assert [problem.gap(x) for x in X] == pytest.approx(((problem.best - f) / (problem.best - problem.worst)).tolist())
    assert problem.noise_std == pytest.approx((problem.best - problem.worst) / 100)


def test_scaling_meets_both_ends():
    assert branin.scaled([[0, 0], [1, 1], [0.5, 0.2]]).tolist() == [[-5, 0], [10, 15], [2.5, 3]]


def test_a_problem_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        branin.best = 0.0
    with pytest.raises(ValueError, match="read-only"):
        branin.bounds[0, 0] = 1.0


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: branin.gap([0.0]), "2 coordinates"),
        (lambda: branin.gap([0.0, 16.0]), "not in the box"),
        (lambda: branin.gap([0.0, np.nan]), "finite"),
        (lambda: BoxProblem("p", np.array([[1.0, 0.0]]), np.sum, 1.0, 0.0), "lower end"),
        (lambda: BoxProblem("p", np.array([[0.0, 1.0]]), np.sum, 0.0, 0.0), "range"),
    ],
)
def test_bad_input_is_refused(make, reason):
    with pytest.raises(UnswayedError, match=reason):
        make()
