"""Spaces with conditions in a search: every family is covered, climbed and given its share."""

import importlib
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tests.search.test_improvement import drawn
from unswayed import Box, Categorical, Integer, Optimizer, Real
from unswayed.judgement.assumptions import Given
from unswayed.search.candidates import candidates, first_rows, leading, starts
from unswayed.search.improvement import climbed, maximize_acquisition
from unswayed.search.quotas import FAMILY_MOST, FAMILY_PLAYS, underplayed_family
from unswayed.search.task import Data, Failed, Task, Told

SVM = {"kind": "svm"}
MODELS = Box(
    {
        "kind": Categorical(["svm", "forest", "bayes"]),
        "C": Real(1e-3, 1e3, log=True, when=SVM),
        "kernel": Categorical(["rbf", "poly"], when=SVM),
        "degree": Integer(2, 5, when={"kernel": "poly"}),
        "depth": Integer(1, 20, when={"kind": "forest"}),
        "share": Real(0, 1),
    }
)


def kinds(rows):
    return Counter((point["kind"], point.get("kernel")) for point in MODELS.decode(rows))


@pytest.mark.parametrize("seed", range(5))
def test_first_plays_and_candidates_cover_every_family(seed):
    task = Task(MODELS, Given(), seed)
    assert len(MODELS.families) == 4
    assert min(kinds(task.initial_rows[:4]).values()) == 1
    assert len(kinds(task.initial_rows[:4])) == 4
    assert task.first_fit_at == 8
    assert len(first_rows(MODELS, seed)) == 64
    rng = np.random.default_rng(seed)
    leaders = MODELS.encode([{"kind": "bayes", "share": 0.5}])
    for rows in (starts(MODELS, leaders, rng), candidates(MODELS, leaders, rng)):
        assert np.array_equal(rows, MODELS.legal(rows))
        assert min(kinds(rows).values()) >= 20


def test_the_slope_along_an_arc_is_a_central_difference():
    goal, rows = drawn(MODELS, 3, lam=0.1)
    arcs, h = MODELS.conditions, 1e-6
    rows = rows[(rows[:, 3] > 0.05) & (rows[:, 3] < 0.95) & (rows[:, 4] > 0) & (goal.at(rows) > -30)]
    assert len(rows) > 10
    slope = arcs.along(rows, goal.sloped(rows)[1])[:, 3]
    moved = [rows + sign * h * np.eye(MODELS.columns)[3] for sign in (1, -1)]
    up, down = (goal.at(arcs.on_arcs(some)) for some in moved)
    np.testing.assert_allclose(slope, (up - down) / (2 * h), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("seed", range(4))
def test_climbing_stays_in_the_family_and_improves(seed):
    goal, rows = drawn(MODELS, seed)
    some = rows[:40]
    reached = climbed(MODELS, goal, some)
    assert np.array_equal(reached, MODELS.legal(reached))
    assert kinds(reached) == kinds(some)
    assert goal.at(reached).sum() > goal.at(some).sum()
    best = maximize_acquisition(MODELS, goal, rows)
    assert np.array_equal(best, MODELS.legal(best))
    assert goal.at(best[:1])[0] >= goal.at(rows).max()


def test_the_best_of_each_family_leads_and_neighbours_are_complete():
    rows = MODELS.spread(40, np.random.default_rng(0))
    scores = np.arange(len(rows), dtype=float)
    chosen = leading(MODELS, rows, scores, 1)
    assert chosen[0] == len(rows) - 1
    assert len(kinds(rows[chosen])) == len(chosen) == 4
    row = MODELS.encode([{"kind": "svm", "C": 1.0, "kernel": "poly", "degree": 2, "share": 0.5}])[0]
    near = MODELS.decode(MODELS.neighbours(row))
    assert [MODELS.check(point) for point in near] == near
    assert {(point["kind"], point.get("kernel"), point.get("degree")) for point in near} == {
        ("svm", "poly", 3),
        ("svm", "rbf", None),
        ("bayes", None, None),
    }


def test_its_turn_goes_to_the_family_that_is_farthest_behind_its_share():
    """Whatever failed or is open counts as played; without conditions it is nobody's turn."""
    task = Task(MODELS, Given(), 0, plays=400)
    points = [{"kind": "bayes", "share": 0.5}, {"kind": "forest", "depth": 3, "share": 0.5}]
    bayes, forest = MODELS.encode(points)
    both = {"kind": "svm", "C": 1.0, "share": 0.5}
    svm = MODELS.encode([both | {"kernel": "rbf"}, both | {"kernel": "poly", "degree": 2}])
    number = MODELS.family_of(np.vstack([bayes, forest, svm]))
    assert sorted(number) == [0, 1, 2, 3]
    data = Data.empty(MODELS.columns).after_all([Told(bayes, 1.0)] * 50 + [Failed(forest)] * 20)
    assert underplayed_family(task, data, np.repeat(svm[:1], 9, axis=0), 400) == number[3]
    full = [Told(row, 0.0) for row in (bayes, forest, *svm) for _ in range(FAMILY_PLAYS * 6)]
    assert underplayed_family(task, data.after_all(full), svm[:0], 400) is None
    better = data.after_all([*full, Told(bayes, 2.0)])  # a new best value: the family goes on
    assert underplayed_family(task, better, svm[:0], 400) == number[0]
    short = data.after_all([Told(row, 0.0) for row in svm for _ in range(6)])
    assert underplayed_family(task, short, svm[:0], 400) is not None
    assert underplayed_family(task, short, svm[:0], int(20 * FAMILY_MOST)) is None  # of few plays, a family has few
    plain = Box({"x": Real(0, 1)})
    assert underplayed_family(Task(plain, Given(), 0), Data.empty(1), np.zeros((0, 1)), 60) is None


def test_a_family_with_few_parameters_has_ten_plays_too():
    """Three for each of its parameters and three more would be six."""
    task = Task(MODELS, Given(), 0, plays=400)
    others = MODELS.encode([point for point in MODELS.decode(task.initial_rows) if point["kind"] != "bayes"])
    [bayes] = MODELS.encode([{"kind": "bayes", "share": 0.5}])
    full = [Told(row, 0.0) for row in others for _ in range(9)]
    for plays in (9, 10):
        data = Data.empty(MODELS.columns).after_all([*full, *[Told(bayes, 0.0)] * plays])
        behind = underplayed_family(task, data, others[:0], 400)
        assert behind == (MODELS.family_of(bayes[None])[0] if plays < 10 else None)
    assert MODELS.families[MODELS.family_of(bayes[None])[0]] == 1


def test_a_family_that_always_fails_does_not_stop_the_others():
    box = Box({"kind": Categorical(["a", "b"]), "x": Real(0, 1, when={"kind": "a"}), "y": Real(0, 1)})
    study = Optimizer(box, plays=30, seed=0)
    for _ in range(30):
        [play] = study.ask(1)
        if play.point["kind"] == "a":
            study.fail(play, "no")
        else:
            study.tell(play, -((play.point["y"] - 0.3) ** 2))
    found = study.answer().point
    assert found["kind"] == "b"
    assert abs(found["y"] - 0.3) < 0.1


def test_many_families_are_searched_too():
    """More than 64 families: no shares, but complete points."""
    gates = {f"g{i}": Categorical([True, False]) for i in range(7)}
    box = Box(gates | {f"x{i}": Real(0, 1, when={f"g{i}": True}) for i in range(7)})
    assert len(box.families) == 0
    study = Optimizer(box, plays=25, seed=0)
    for _ in range(25):
        [play] = study.ask(1)
        study.tell(play, sum(value for name, value in play.point.items() if name.startswith("x")))
    assert box.check(study.answer().point) == study.answer().point


def test_the_better_family_is_found_although_most_of_its_points_are_worse():
    own = {name: Real(0, 1, when={"kind": "tuned"}) for name in ("a", "b")}
    box = Box({"kind": Categorical(["plain", "tuned"]), "x": Real(0, 1), **own})

    def value(point):
        if point["kind"] == "plain":
            return 0.7 - 0.1 * point["x"]
        return np.exp(-((point["a"] - 0.3) ** 2 + (point["b"] - 0.6) ** 2) / 0.1)

    rng = np.random.default_rng(0)
    assert np.mean([value(point) > 0.65 for point in box.decode(box.spread(500, rng)) if "a" in point]) < 0.2
    study = Optimizer(box, plays=30, seed=0)
    for _ in range(30):
        [play] = study.ask(1)
        study.tell(play, value(play.point) + 0.01 * rng.standard_normal())
    found = study.answer().point
    assert found.keys() == {"kind", "x", "a", "b"}
    assert value(found) > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("name", ["models", "complex", "simple"])
def test_the_better_family_is_found_in_nearly_all_runs(monkeypatch, name):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    benchmark = importlib.import_module("families")
    assert sum(benchmark.gap(benchmark.problems()[name], 60, seed)[0] for seed in range(20)) >= 18
