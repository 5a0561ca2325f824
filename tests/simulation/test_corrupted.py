from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from unswayed import Corrupted, UnswayedError
from unswayed.adversaries import TopK, at_points
from unswayed.problems import f1


def test_any_objective_is_attacked_while_the_budget_lasts():
    objective = Corrupted(lambda x: x**2, lambda x, value: -2 * value, budget=10.0)
    assert [objective(2.0) for _ in range(3)] == [-4.0, 2.0, 4.0]  # pays 8, then the last 2, then nothing
    assert objective.spent == 10.0


def test_the_attacks_of_the_paper_on_points():
    problem = f1()
    attack = at_points(TopK(1), problem.domain, problem.f)
    lookup = {tuple(x): value for x, value in zip(problem.domain, problem.f, strict=True)}
    objective = Corrupted(lambda x: lookup[tuple(x)], attack, budget=100.0)
    best = problem.domain[problem.best_arm]
    assert objective(best) == pytest.approx(-1.0)
    other = problem.domain[0]
    assert objective(other) == problem.f[0]
    assert objective.spent == pytest.approx(problem.f.max() + 1)


def test_an_optimiser_is_misled():
    """Random search over a parabola believes the forged optimum."""
    rng = np.random.default_rng(0)
    objective = Corrupted(lambda x: -((x - 0.3) ** 2), lambda x, value: -1.0 if x < 0.5 else 0.0, budget=50.0)
    points = rng.uniform(0, 1, 40)
    assert max(points, key=objective) >= 0.5


def test_threads_share_one_budget():
    objective = Corrupted(lambda x: 1.0, lambda x, value: 0.01, budget=1.0)
    with ThreadPoolExecutor(8) as pool:
        values = list(pool.map(objective, range(1000)))
    assert sum(values) == pytest.approx(1001.0)
    assert objective.spent == pytest.approx(1.0)


def test_what_is_not_finite_is_refused():
    with pytest.raises(UnswayedError, match="returned nan"):
        Corrupted(lambda x: np.nan, lambda x, value: 0.0, budget=1.0)(0)
    with pytest.raises(UnswayedError, match="NaN"):
        Corrupted(lambda x: 1.0, lambda x, value: np.nan, budget=1.0)(0)
    with pytest.raises(UnswayedError, match="budget"):
        Corrupted(lambda x: 1.0, lambda x, value: 0.0, budget=-1.0)
