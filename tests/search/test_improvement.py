"""Climbing on the expected improvement: legal rows, the best first, and the top that a fine grid finds."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from tests.search.games import SQUARE
from unswayed import Box, Categorical, Integer, Linear, Matern, Options, Real, SquaredExponential
from unswayed.core.gp.kernels import WithLevel
from unswayed.core.gp.point_posterior import PointPosterior
from unswayed.search.candidates import FEW, starts
from unswayed.search.improvement import CLIMB_STEPS, CLIMBS, WALK, Improvement, climbed, maximize_acquisition
from unswayed.spaces import Space
from unswayed.spaces.options import NEIGHBOURS

MIXED = Box(
    {"rate": Real(1e-5, 1e-1, log=True), "layers": Integer(1, 9), "width": Integer(4, 4096, log=True), "x": Real(-3, 3)}
    | {"kind": Categorical(["a", "b", "c", "d"])}
)
LINE_SEARCH = 20  # evaluations of one step of L-BFGS, at most


@dataclass(frozen=True, eq=False)
class Counted(Improvement):
    """It counts the rows that are evaluated, with slopes and without."""

    seen: dict[str, int] = field(default_factory=lambda: {"at": 0, "sloped": 0})

    def at(self, rows):
        self.seen["at"] += len(rows)
        return super().at(rows)

    def sloped(self, rows):
        self.seen["sloped"] += 1
        return super().sloped(rows)


def drawn(space: Space, seed, kernel=None, plays=12, lam=1e-3):
    """The goal after some plays of a random function, and rows to climb from."""
    rng = np.random.default_rng(seed)
    kernel = kernel or WithLevel(Matern(2.5, 0.4), 2.0)
    X = np.unique(space.spread(plays, rng)[:plays], axis=0)
    y = np.linalg.cholesky(kernel(X, X) + lam * np.eye(len(X))) @ rng.standard_normal(len(X))
    known = PointPosterior.of(kernel, lam, X, np.ones(len(X)), y)
    order = np.argsort(-known.means)
    return Counted(known.lead(int(order[0]))), starts(space, X[order[:3]], rng)


@pytest.mark.parametrize("kernel", [Matern(2.5, 0.4), SquaredExponential((0.2, 0.5)), Matern(0.5, 0.5), Linear(2.0)])
def test_the_slope_of_the_goal_is_a_central_difference(kernel):
    goal, _ = drawn(SQUARE, 0, WithLevel(kernel, 2.0), lam=0.3)
    rows = np.random.default_rng(1).uniform(0.05, 0.95, (100, 2))
    rows = rows[goal.at(rows) > -50]
    assert len(rows) > 5
    value, slope = goal.sloped(rows)
    np.testing.assert_allclose(value, goal.at(rows), rtol=1e-6)
    for i in range(2):
        step = 1e-6 * np.eye(2)[i]
        difference = (goal.at(rows + step) - goal.at(rows - step)) / 2e-6
        np.testing.assert_allclose(slope[:, i], difference, rtol=1e-3, atol=1e-3)


def test_the_top_of_a_fine_grid_is_reached():
    axis = np.linspace(0, 1, 200)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    reached = 0
    for seed in range(10):
        goal, some = drawn(SQUARE, seed)
        reached += goal.at(maximize_acquisition(SQUARE, goal, some)[:1])[0] > goal.at(grid).max() - 1e-3
    assert reached >= 8


@pytest.mark.parametrize("space", [SQUARE, MIXED, Options(np.random.default_rng(0).random((FEW + 50, 3)))], ids=repr)
@pytest.mark.parametrize("seed", range(3))
def test_rows_are_legal_and_the_best_comes_first(space, seed):
    goal, some = drawn(space, seed)
    rows = maximize_acquisition(space, goal, some)
    np.testing.assert_array_equal(space.legal(rows), rows)
    scores = goal.at(rows)
    assert (np.diff(scores) <= 1e-9 * np.abs(scores[1:])).all()
    known = {row.tobytes() for row in rows}
    assert all(row.tobytes() in known for row in some), "no start is lost"


def test_climbing_gains():
    better = 0
    for seed in range(10):
        goal, some = drawn(MIXED, seed)
        better += goal.at(maximize_acquisition(MIXED, goal, some)[:1])[0] > goal.at(some).max() + 1e-6
    assert better >= 8


@pytest.mark.parametrize("seed", range(5))
def test_a_better_category_is_found_by_walking(seed):
    """All starts have the kind that was measured. No neighbour of the result is better."""
    space = Box({"x": Real(0, 1), "kind": Categorical(["a", "b", "c"])})
    rng = np.random.default_rng(seed)
    x = rng.random(8)
    X = space.encode([{"x": one, "kind": "a"} for one in x])
    known = PointPosterior.of(WithLevel(Matern(2.5, 0.5), 1.0), 1e-3, X, np.ones(8), -np.square(x - 0.4))
    goal = Improvement(known.lead(int(np.argmax(known.means))))
    some = space.encode([{"x": one, "kind": "a"} for one in np.linspace(0, 1, 30)])
    [best] = space.decode(maximize_acquisition(space, goal, some)[:1])
    assert best["kind"] != "a"
    row = space.encode([best])
    assert goal.at(space.neighbours(row[0])).max() <= goal.at(row)[0] + 1e-9


def test_whole_numbers_and_categories_alone_are_only_walked():
    space = Box({"n": Integer(1, 5000), "kind": Categorical(["a", "b"])})
    goal, some = drawn(space, 1)
    rows = maximize_acquisition(space, goal, some)
    np.testing.assert_array_equal(space.legal(rows), rows)
    kinds = Box({"one": Categorical(["a", "b"]), "two": Categorical(list("cdef"))})
    goal, some = drawn(kinds, 1, plays=4)
    np.testing.assert_array_equal(climbed(kinds, goal, some), some)
    best = maximize_acquisition(kinds, goal, some)[0]
    np.testing.assert_allclose(goal.at(best[None])[0], goal.at(kinds.arms(100, 0)).max())
    assert goal.seen["sloped"] == 0


def test_the_best_row_of_a_long_table_is_found():
    space = Options(np.random.default_rng(0).random((2_000, 3)))
    found = 0
    for seed in range(10):
        goal, some = drawn(space, seed, plays=20)
        every = space.arms(0, 0)
        assert len(some) < len(every) / 2
        found += np.array_equal(maximize_acquisition(space, goal, some)[0], every[np.argmax(goal.at(every))])
    assert found >= 8


@pytest.mark.parametrize("seed", range(5))
def test_a_walk_through_a_table_ends_where_none_of_the_nearest_is_better(seed):
    space = Options(np.random.default_rng(0).random((2_000, 2)))
    goal, some = drawn(space, seed)
    [begin] = some[[int(np.argmin(goal.at(some)))]]
    best = maximize_acquisition(space, goal, begin[None])[0]
    assert goal.at(best[None])[0] > goal.at(begin[None])[0]
    distance = np.square(space.arms(0, 0) - best).sum(axis=1)
    near = space.arms(0, 0)[np.argsort(distance)[:25]]
    walked = WALK * np.sqrt(NEIGHBOURS / (np.pi * space.size))  # about the longest way
    assert goal.at(near).max() <= goal.at(best[None])[0] + 1e-9 or np.linalg.norm(best - begin) > 0.5 * walked


@pytest.mark.parametrize("space", [SQUARE, MIXED, Options(np.random.default_rng(0).random((2_000, 3)))], ids=repr)
def test_the_number_of_evaluations_is_bounded(space):
    for seed in range(5):
        goal, some = drawn(space, seed)
        maximize_acquisition(space, goal, some)
        near = 1 + max(NEIGHBOURS, 2 * 2 + 3)  # of MIXED: two whole numbers and three other categories
        assert goal.seen["at"] <= len(some) + 2 * (CLIMBS + 1) + WALK * near
        assert goal.seen["sloped"] <= (CLIMB_STEPS + 1) * LINE_SEARCH


def test_neighbours():
    point = {"rate": 0.01, "layers": 9, "width": 4, "x": 0.0, "kind": "b"}
    found = MIXED.decode(MIXED.neighbours(MIXED.encode([point])[0]))
    for one in found:
        assert {name for name in point if one[name] != pytest.approx(point[name])} <= {"layers", "width", "kind"}
    changed = [(name, one[name]) for one in found for name in ("layers", "width", "kind") if one[name] != point[name]]
    assert changed == [("layers", 8), ("width", 5), ("kind", "a"), ("kind", "c"), ("kind", "d")]
    assert len(SQUARE.neighbours(np.array([0.5, 0.5]))) == 0
    assert len(Options(["a", "b"]).neighbours(np.array([1.0, 0.0]))) == 0


def test_the_leader_among_the_starts_does_no_harm():
    """One more play of the leader itself changes no difference, so the slope there is as steep as can be."""
    for seed in range(5):
        goal, some = drawn(SQUARE, seed)
        leader = goal.lead.posterior.X[goal.lead.row]
        best = some[[int(np.argmax(goal.at(some)))]]
        rows = maximize_acquisition(SQUARE, goal, np.vstack([leader, best]))
        assert np.isfinite(rows).all()
        assert goal.at(rows[:1])[0] >= goal.at(best)[0]
        assert np.isfinite(np.concatenate([part.ravel() for part in goal.sloped(leader[None])])).all()
