"""One schedule: what a play is for depends on its number alone, whatever failed or was retracted."""

from collections import Counter

import numpy as np
import pytest

from tests.search.games import Game, nothing, task
from unswayed import Box, Optimizer, Options, Real, Why
from unswayed.policies.vigilant_ucb import VigilantUCB
from unswayed.search import schedule
from unswayed.search.modes import Guided, step
from unswayed.search.schedule import CROWD, Turn, propose, turn
from unswayed.search.task import Told

SPACE = Box({"x": Real(0, 1), "y": Real(0, 1)})
START = 22  # plays before there is a model, in two dimensions


def test_the_turns_alternate():
    assert [turn(number) for number in range(4)] == [Turn.MOVE, Turn.EXPLORE, Turn.VERIFY, Turn.MOVE]
    for first in range(5):
        assert set(Counter(turn(number) for number in range(first, first + 60)).values()) == {20}


@pytest.fixture
def turns(monkeypatch):
    """Every turn that really happens."""
    seen = []

    def spy(owner, name, kind):
        plain = getattr(owner, name)
        monkeypatch.setattr(owner, name, lambda *given: (seen.append(kind), plain(*given))[1])

    spy(schedule, "_best_move", Turn.MOVE)
    spy(VigilantUCB, "explore", Turn.EXPLORE)
    spy(VigilantUCB, "pivot", Turn.VERIFY)
    return seen


def answered(study, plays):
    rng = np.random.default_rng(len(study.log))
    for _ in range(plays):
        (play,) = study.ask()
        x, y = play.point.values()
        study.tell(play, 1 - (x - 0.3) ** 2 - (y - 0.7) ** 2 + 0.01 * rng.standard_normal())


@pytest.mark.parametrize("retracted", [(), (30,), (30, 31), (3, 25, 33, 34)], ids=str)
def test_a_retraction_does_not_stop_verification(turns, retracted):
    study = Optimizer(SPACE, threat=1.0, seed=0)
    answered(study, START + 15)
    for number in retracted:
        study.retract(number, "the sensor was off")
    begun = len(study.log)
    turns.clear()
    answered(study, 60)
    assert Counter(turns) == {Turn.MOVE: 20, Turn.EXPLORE: 20, Turn.VERIFY: 20}
    assert turns == [turn(number) for number in range(begun, begun + 60)]
    before = [play.point for play in study.log[:begun] if play.measured]
    for play in study.log[begun:]:
        if turn(play.number) is Turn.VERIFY:
            assert play.point in before, "the pivot is a point that was measured, and it is measured again"
        before.append(play.point)


def test_failures_and_open_plays_do_not_shift_the_turns(turns):
    study = Optimizer(SPACE, threat=1.0, seed=0)
    answered(study, START + 6)
    study.fail(study.ask()[0], "broken")
    turns.clear()
    begun = len(study.log)
    study.ask(9)
    assert turns == [turn(number) for number in range(begun, begun + 9)]


def test_many_plays_at_once_spread_over_a_box():
    start = task(threat=1.0)
    asked = np.array([propose(Game(start).mode, number, nothing(start)).row for number in range(300)])
    assert len(np.unique(asked, axis=0)) > 120


def test_a_failed_or_pending_point_of_a_box_is_not_proposed_again():
    game = Game(task(threat=1.0)).play(START + 3)
    shut = []
    for number in range(START + 3, START + 23):
        row = propose(game.mode, number, np.array(shut) if shut else nothing(game.task)).row
        assert row.tobytes() not in {one.tobytes() for one in shut}
        shut.append(row)


def test_every_play_says_what_it_is_for():
    game = Game(task(threat=1.0)).play(START - 1)
    assert propose(game.mode, START - 1, nothing(game.task)).why is Why.START
    game.play(12)
    assert isinstance(game.mode, Guided)
    word = {Turn.MOVE: Why.EXPLORE, Turn.EXPLORE: Why.EXPLORE, Turn.VERIFY: Why.VERIFY}
    for number in range(START + 11, START + 23):
        row, why = propose(game.mode, number, nothing(game.task))
        assert why is word[turn(number)]
        assert (row.tobytes() in {one.tobytes() for one in game.rows}) >= (why is Why.VERIFY)


def test_a_verification_that_is_pending_in_a_box_becomes_exploration():
    game = Game(task(threat=1.0)).play(START + 11)
    number = next(n for n in range(START + 11, START + 14) if turn(n) is Turn.VERIFY)
    leader, why = propose(game.mode, number, nothing(game.task))
    assert why is Why.VERIFY
    other, why = propose(game.mode, number, np.vstack([game.rows, leader]))
    assert why is Why.EXPLORE
    assert not np.array_equal(other, leader)


def test_a_doubtful_value_of_one_source_is_rechecked():
    game = Game(task(threat=1.0)).play(START)
    mode, liar = game.mode, np.array([0.9, 0.1])
    for number, row in enumerate(game.rows[:10]):
        mode = step(mode, Told(row, game.values[number], "lab"))
    mode = step(mode, Told(liar, 50.0, "web"))
    number = next(n for n in range(33, 36) if turn(n) is Turn.VERIFY)
    row, why = propose(mode, number, nothing(game.task), "lab")
    np.testing.assert_array_equal(row, liar)
    assert why is Why.RECHECK
    assert propose(mode, number, nothing(game.task), "web").why is Why.VERIFY


def test_a_choice_that_a_crowd_repeats_counts_as_exploration():
    space = Options(list(range(40)))
    game = Game(task(space, threat=50.0)).play(60, lambda row: -float(np.argmax(row)))
    assert isinstance(game.mode, Guided)
    number = next(n for n in range(60, 63) if turn(n) is Turn.VERIFY)
    pending = np.repeat(space.encode([17, 23]), [2 * CROWD - 1, 1], axis=0)
    row, why = propose(game.mode, number, pending)
    np.testing.assert_array_equal(row, pending[-1])
    assert why is Why.EXPLORE
