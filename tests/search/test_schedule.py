"""One schedule: new places, and what may be a lie, compete by what they are worth."""

from collections import Counter

import numpy as np
import pytest

from tests.search.games import Game, bowl, nothing, task
from unswayed import Box, Optimizer, Options, Real, Threat, Why
from unswayed.search.modes import Guided, step
from unswayed.search.schedule import CROWD, propose
from unswayed.search.task import Told

SPACE = Box({"x": Real(0, 1), "y": Real(0, 1)})


def played(threat, plays=40, lie=None, **settings):
    """A study of the bowl; `lie` is what is added to play 12."""
    study, rng = Optimizer(SPACE, threat=threat, seed=0, plays=plays, **settings), np.random.default_rng(1)
    for number in range(plays):
        (play,) = study.ask()
        value = bowl(list(play.point.values())) + 0.01 * rng.standard_normal()
        study.tell(play, value + (lie if lie is not None and number == 12 else 0.0))
    return study


@pytest.mark.parametrize("dimension", [1, 2, 5])
def test_the_model_chooses_after_at_most_two_plays_for_each_parameter(dimension):
    space = Box({f"x{i}": Real(0, 1) for i in range(dimension)})
    game = Game(task(space, threat=0.0)).play(2 * dimension + 3, lambda row: -float(np.square(row - 0.3).sum()))
    whys = [propose(Game(task(space)).mode, number, nothing(game.task)).why for number in range(3)]
    assert set(whys) == {Why.START}
    study = Optimizer(space, threat=0.0, seed=0)
    for _ in range(2 * dimension + 3):
        (play,) = study.ask()
        study.tell(play, -sum((v - 0.3) ** 2 for v in play.point.values()))
    assert sum(play.why is Why.START for play in study.log) <= 2 * dimension


def test_without_a_threat_nothing_is_verified():
    assert not {Why.VERIFY, Why.RECHECK} & {play.why for play in played(0.0).log}


def test_under_a_threat_some_plays_verify_what_was_measured():
    study = played(2.0, 60)
    again = [play for play in study.log if play.why in (Why.VERIFY, Why.RECHECK)]
    assert 0 < len(again) <= 15
    for play in again:
        assert play.point in [before.point for before in study.log[: play.number]]


def test_a_false_leader_is_measured_again_and_left():
    study = played(2.0, 40, lie=1.0)
    lied = study.log[12].point
    assert lied in [play.point for play in study.log[13:] if play.why in (Why.VERIFY, Why.RECHECK)]
    assert study.answer().point != lied


def test_counted_lies_and_an_unknown_threat_are_reasons_to_verify_too():
    for threat in (None, Threat(lies=3)):
        assert {Why.VERIFY, Why.RECHECK} & {play.why for play in played(threat).log}


def test_many_plays_at_once_spread_over_a_box():
    start = task(threat=1.0)
    asked = np.array([propose(Game(start).mode, number, nothing(start)).row for number in range(300)])
    assert len(np.unique(asked, axis=0)) > 120


def test_a_failed_or_pending_point_of_a_box_is_not_proposed_again():
    game = Game(task(threat=1.0)).play(20)
    shut = []
    for number in range(20, 40):
        row = propose(game.mode, number, np.array(shut) if shut else nothing(game.task)).row
        assert row.tobytes() not in {one.tobytes() for one in shut}
        shut.append(row)


def test_new_places_are_explored_or_exploited():
    whys = Counter(play.why for play in played(0.0, 60).log)
    assert whys[Why.EXPLORE] > 3
    assert whys[Why.EXPLOIT] > 3


def test_where_noise_hides_which_option_is_better_the_best_two_are_played_again():
    space, rng = Options(["a", "b", "c", "d"]), np.random.default_rng(0)
    study = Optimizer(space, threat=0.0, seed=0, method="guided")
    for _ in range(60):
        (play,) = study.ask()
        study.tell(play, {"a": 0.0, "b": 0.9, "c": 1.0, "d": -1.0}[play.point] + 0.3 * rng.standard_normal())
    times = Counter(play.point for play in study.log)
    assert min(times["b"], times["c"]) > 2 * max(times["a"], times["d"])


def test_a_doubtful_value_of_one_source_is_rechecked_by_another():
    game = Game(task(threat=1.0, plays=40)).play(20)
    mode, liar = game.mode, np.array([0.9, 0.1])
    for number, row in enumerate(game.rows[:10]):
        mode = step(mode, Told(row, game.values[number], "lab"))
    mode = step(mode, Told(liar, 1.5, "web"))
    row, why, _ = propose(mode, 35, nothing(game.task), "lab")  # not one of the last plays
    np.testing.assert_array_equal(row, liar)
    assert why in (Why.RECHECK, Why.VERIFY)
    assert not np.array_equal(propose(mode, 35, nothing(game.task), "web").row, liar)


def test_a_choice_that_a_crowd_repeats_counts_as_exploration():
    space = Options(list(range(40)))
    game = Game(task(space, threat=50.0)).play(60, lambda row: -float(np.argmax(row)))
    assert isinstance(game.mode, Guided)
    pending = np.repeat(space.encode([17, 23]), [2 * CROWD - 1, 1], axis=0)
    row, why, _ = propose(game.mode, 60, pending)
    np.testing.assert_array_equal(row, pending[-1])
    assert why is Why.EXPLORE
