"""Values that are equal nearly everywhere: what is not equal must be found, kept and not spoken of too surely."""

import numpy as np
import pytest

from unswayed import Box, Options, Real, Why, maximize
from unswayed.search.conclude import MANY

TABLE = Options([[i / 100] for i in range(101)])
SQUARE = Box({"x": Real(0, 1), "y": Real(0, 1)})


def narrow(point):
    return max(0.0, 1 - abs(point[0] - 0.7) / 0.08)


def disc(point):
    return max(0.0, 1 - np.hypot(point["x"] - 0.6, point["y"] - 0.4) / 0.2)


@pytest.mark.parametrize("threat", [None, 0.0])
@pytest.mark.parametrize(("space", "objective"), [(TABLE, narrow), (SQUARE, disc)])
def test_a_peak_on_a_plateau_is_found_and_believed(space, objective, threat):
    for seed in range(2):
        found = maximize(objective, space, plays=40, threat=threat, seed=seed, progress=False).answer
        assert objective(found.point) > 0.9
        assert len({number for number in found.set_aside if found.plays[number].value > 0}) <= 1
        assert len({str(play.point) for play in found.plays}) > 20


@pytest.mark.parametrize("unit", [1e-6, 1e3])
def test_what_is_found_does_not_depend_on_the_unit(unit):
    found = [maximize(lambda x: unit * disc(x), SQUARE, plays=40, seed=s, progress=False).answer for s in range(2)]
    assert [disc(one.point) > 0.9 for one in found] == [True] * 2


def test_many_equal_values_are_not_too_few():
    truth = {"a": 1.0, "b": 1.0, "c": 0.2}
    found = maximize(truth.get, Options(list(truth)), plays=60, seed=0, progress=False).answer
    assert "Most points that were measured have the same value: nothing can be said" in found.sentence
    assert "Too few" not in str(found)


@pytest.mark.parametrize("value", [0.0, 3e-9, 4e9])
def test_equal_values_say_nothing_about_amounts(value):
    """There is no scale, so a deviation, a distance or a budget would be a number without a unit."""
    found = maximize(lambda point: value, TABLE, plays=30, seed=0, progress=False).answer
    assert found.deviation is None
    assert found.credible is None
    assert "±" not in str(found)
    assert "Breakdown budget" not in str(found)
    assert len({play.point for play in found.plays}) == 30


def test_a_deviation_takes_repeats_or_many_measurements():
    rng = np.random.default_rng(0)

    def smooth(point):
        return -((point["x"] - 0.3) ** 2) - (point["y"] - 0.6) ** 2 + 0.01 * rng.normal()

    few = maximize(smooth, SQUARE, plays=MANY * 2 - 4, threat=0, seed=1, progress=False).answer
    assert few.deviation is None
    assert "±" not in str(few)
    many = maximize(smooth, SQUARE, plays=MANY * 2 + 4, threat=0, seed=1, progress=False).answer
    assert 0 < many.deviation < 0.1
    known = maximize(smooth, SQUARE, plays=MANY * 2 - 4, threat=0, noise_std=0.01, seed=1, progress=False).answer
    assert 0 < known.deviation < 0.1


def test_in_a_table_two_that_are_close_are_told_apart():
    """One more play of either changes nothing, so both are played in turn."""
    rng, truth = np.random.default_rng(0), {"red": 0.1, "green": 0.9, "blue": 0.89}
    how = {"plays": 120, "threat": 0, "method": "guided", "seed": 0, "progress": False}
    plays = maximize(lambda point: truth[point] + 0.05 * rng.normal(), Options(list(truth)), **how).plays
    last = [play.point for play in plays[40:]]
    assert min(last.count("green"), last.count("blue")) > 25
    assert {play.why for play in plays[40:]} <= {Why.EXPLOIT, Why.EXPLORE}
