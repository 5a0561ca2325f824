"""The paper's five on any space: what they show, against the definitions written out."""

import numpy as np
import pytest

from tests.gauntlet.liars.forrester import CURVE, LIST, LISTED, play
from unswayed import InvalidInput, Options
from unswayed_gauntlet.game import MatchGame
from unswayed_gauntlet.liars import CORRUPTIONS
from unswayed_gauntlet.liars.paper import GAP, target
from unswayed_gauntlet.liars.survey import survey
from unswayed_gauntlet.problems import SpaceProblem, problem

PROBLEMS = [CURVE, LIST, *map(problem, ("branin-2", "mixed-5", "levy-10"))]


def shown(one, corruption, rows):
    """f~ where the budget does not bind: the first play of a long game."""
    changes = [play(MatchGame(one, corruption, 1000, 0), row[None])[1][0] for row in rows]
    return one.truth(rows) + np.array(changes)


@pytest.mark.parametrize("one", PROBLEMS, ids=lambda p: p.name)
def test_the_target_lacks_the_best_point_and_costs_something(one):
    (lower, upper), best = target(one)[0].T, target(one)[1]
    known = survey(one)
    inside = ((lower <= known.rows) & (known.rows <= upper)).all(axis=1)
    assert not ((lower <= known.best) & (known.best <= upper)).all()
    assert 0.05 < inside.mean() < 0.95
    assert known.values[inside].max() == best
    assert (best <= one.best - GAP * one.range) == (one.name != "levy-10")  # good points everywhere: the worst side


@pytest.mark.parametrize("one", PROBLEMS, ids=lambda p: p.name)
def test_what_is_shown(one):
    rows = survey(one).rows[:30] if one is not LIST else survey(one).rows
    rows = np.vstack([rows, survey(one).best])
    f, sigma = one.truth(rows), survey(one).std
    (lower, upper), v = target(one)[0].T, target(one)[1]
    inside = ((lower <= rows) & (rows <= upper)).all(axis=1)
    expected = {
        "clipping": np.where(inside, f, np.minimum(f, v - sigma / 2)),
        "aggsub": np.where(inside, f, f - (one.best - v + sigma / 2)),
        "flip": one.best + one.worst - f,
    }
    low = np.quantile(survey(one).values, 0.16)
    for k in (3, 5):
        expected[f"top-{k}"] = np.where(f >= np.quantile(survey(one).values, 1 - k / 100), np.minimum(f, low), f)
    for corruption, values in expected.items():
        assert shown(one, corruption, rows) == pytest.approx(values, abs=1e-9 * one.range), corruption


@pytest.mark.parametrize("corruption", ["clipping", "aggsub"])
@pytest.mark.parametrize("one", PROBLEMS, ids=lambda p: p.name)
def test_the_target_looks_best(one, corruption):
    rows = survey(one).rows[::16] if one is not LIST else survey(one).rows
    rows = np.vstack([rows, survey(one).rows[[np.argmax(survey(one).values == target(one)[1])]]])
    (lower, upper) = target(one)[0].T
    best = rows[np.argmax(shown(one, corruption, rows))]
    assert ((lower <= best) & (best <= upper)).all()


def test_top_k_takes_at_least_the_best_row_of_a_list():
    few = SpaceProblem("few", Options(LISTED[::8]), CURVE.truth, CURVE.best, CURVE.worst)
    assert (shown(few, "top-3", LISTED[::8]) != few.truth(LISTED[::8])).sum() == 1


def test_a_single_point_cannot_be_attacked():
    one = SpaceProblem("one", Options([[0.5]]), lambda X: np.zeros(len(X)), 1.0, 0.0)
    with pytest.raises(InvalidInput, match="one has one point only"):
        CORRUPTIONS["clipping"].make(one, 20, np.random.default_rng(0))
