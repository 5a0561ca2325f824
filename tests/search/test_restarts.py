"""Restarts: once the leader is known well, searches of their own climb other hills."""

import numpy as np
import pytest

from tests.search.games import Game, bowl, nothing, task
from unswayed import Box, Categorical, Matern, Optimizer, Options, Real, Why
from unswayed.search.improvement import Turn
from unswayed.search.modes import LONG_BOX, step
from unswayed.search.quotas import REACH, RESTART_PLAYS, propose_restart
from unswayed.search.schedule import propose
from unswayed.search.task import Told

BROAD, NARROW = np.full(4, 0.3), np.full(4, 0.75)
GIVEN = {"threat": 0.0, "kernel": Matern(2.5, 0.4), "noise_std": 0.01, "level": 0.0, "output_scale": 1.0}
SPACE = Box({f"x{i}": Real(0, 1) for i in range(4)})
RESTART = RESTART_PLAYS * 5  # plays


def hills(row):
    """A broad hill of height 1, and a narrower one of height 1.3."""
    broad, narrow = np.square(row - BROAD).sum(), np.square(row - NARROW).sum()
    return float(np.exp(-5 * broad) + 1.3 * np.exp(-8 * narrow))


def settled(seed=0, shift=0.0):
    """A search that knows the broad hill well and has never seen the narrow one; `shift` is added to its values."""
    rng = np.random.default_rng(seed)
    game = Game(task(SPACE, seed=seed, **GIVEN))
    for row in np.clip(BROAD + 0.08 * rng.standard_normal((LONG_BOX, 4)), 0, 1):
        game.tell(row, hills(row) + shift + 0.01 * rng.standard_normal())
    return game


def restart(mode, number, pending=None):
    """The row of a restart."""
    [(row, why, _)] = propose_restart(Turn(mode, number, nothing(mode.task) if pending is None else pending))
    assert why is Why.RESTART
    return row


def restarted(mode, plays, value=hills, first=LONG_BOX):
    """The rows of some plays, all of them of restarts."""
    rows, rng = [], np.random.default_rng(3)
    for number in range(first, first + plays):
        rows.append(restart(mode, number, np.empty((0, mode.task.space.columns))))
        mode = step(mode, Told(rows[-1], value(rows[-1]) + 0.01 * rng.standard_normal(), why=Why.RESTART))
    return np.array(rows)


@pytest.mark.parametrize("seed", range(3))
def test_some_restart_climbs_the_hill_that_the_search_has_never_seen(seed):
    rows = restarted(settled(seed).mode, 6 * RESTART)
    assert max(map(hills, rows)) > 1.25
    assert all(row.min() >= 0 and row.max() <= 1 for row in rows)


def test_a_restart_stays_near_its_best_play_and_the_next_one_begins_elsewhere():
    rows = restarted(settled().mode, 2 * RESTART)
    first, second = rows[:RESTART], rows[RESTART:]
    for number in range(len(SPACE.names) + 1, RESTART):
        known = first[:number]
        steps = np.abs(known - first[number]).max(axis=1)
        assert steps.min() <= REACH
    assert np.abs(first[0] - second[0]).max() > 0.1
    np.testing.assert_array_less(np.abs(second[1:5] - second[0]).max(axis=1), REACH + 1e-9)


def test_a_restart_does_not_know_the_plays_before_it():
    """Lies about all of them change nothing, if the model is given."""
    np.testing.assert_array_equal(restarted(settled().mode, RESTART), restarted(settled(shift=0.7).mode, RESTART))


def test_a_restart_never_repeats_a_row_and_leaves_out_what_is_closed():
    game = settled()
    rows = restarted(game.mode, RESTART)
    assert len({row.tobytes() for row in rows}) == len(rows)
    row = restart(game.mode, LONG_BOX)
    assert not np.array_equal(restart(game.mode, LONG_BOX, row[None]), row)


def test_restarts_have_every_second_play_once_the_leader_is_known():
    game = Game(task(**GIVEN | {"noise_std": 0.001}))
    for row in game.task.space.spread(LONG_BOX, np.random.default_rng(0)):
        game.tell(row, bowl(row))
    whys = []
    for number in range(LONG_BOX, LONG_BOX + 20):
        row, why, _ = propose(game.mode, number, nothing(game.task))
        game.mode = step(game.mode, Told(row, bowl(row), why=why))
        whys.append(why)
    assert whys[10::2] == [Why.RESTART] * 5
    assert Why.RESTART not in whys[1::2]


def test_no_restart_before_the_model_knows_much_and_none_in_a_table():
    game = Game(task(SPACE, **GIVEN))
    for row in np.clip(BROAD + 0.08 * np.random.default_rng(0).standard_normal((LONG_BOX - 1, 4)), 0, 1):
        game.tell(row, hills(row))
    assert propose(game.mode, LONG_BOX, nothing(game.task)).why is not Why.RESTART
    table = Options(np.random.default_rng(0).random((1000, 4)))
    game = Game(task(table, **GIVEN))
    for row in table.arms(1, 0)[: LONG_BOX + 5]:
        game.tell(row, hills(row))
    assert {propose(game.mode, LONG_BOX + i, nothing(game.task)).why for i in range(4)}.isdisjoint({Why.RESTART})


def test_a_restart_in_a_mixed_space_keeps_its_choice():
    space = Box({"x": Real(0, 1), "y": Real(0, 1), "kind": Categorical(["a", "b", "c"])})
    game = Game(task(space, **GIVEN))
    for row in space.spread(LONG_BOX, np.random.default_rng(0)):
        game.tell(row, float(row[0] + row[3]))
    rows = restarted(game.mode, RESTART_PLAYS * 4, lambda row: float(row[0] + row[3]))
    assert len({tuple(row[2:]) for row in rows[4:]}) == 1


def test_a_study_that_is_opened_again_goes_on_with_its_restart(tmp_path):
    noise = 0.02 * np.random.default_rng(0).standard_normal(LONG_BOX + 24)

    def value(number, point):
        return float(np.sin(9 * point["x"])) + noise[number]

    def told(study, plays):
        for _ in range(plays):
            (play,) = study.ask()
            study.tell(play, value(play.number, play.point))
        return study

    def begun(**settings):
        given = {"threat": 0.0, "kernel": Matern(2.5, 0.3), "noise_std": 0.02, "level": 0.0, "output_scale": 1.0}
        study = Optimizer(Box({"x": Real(0, 1)}), seed=0, plays=400, **given, **settings)
        points = [{"x": number / LONG_BOX} for number in range(LONG_BOX)]
        study.add([(point, value(number, point)) for number, point in enumerate(points)])
        return study

    whole = told(begun(), 24)
    with told(begun(journal=tmp_path / "s.jsonl"), 9):
        pass
    with Optimizer.open(tmp_path / "s.jsonl") as again:
        assert told(again, 15).log[LONG_BOX:] == whole.log[LONG_BOX:]
    assert sum(play.why is Why.RESTART for play in whole.log[LONG_BOX:]) >= 8
