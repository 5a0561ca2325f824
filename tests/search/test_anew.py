"""Attempts: once the leader is known well, searches of their own climb other hills."""

import numpy as np
import pytest

from tests.search.games import Game, bowl, nothing, task
from unswayed import Box, Categorical, Matern, Optimizer, Options, Real, Why
from unswayed.search.anew import LENGTH, NEAR, anew
from unswayed.search.modes import KNOWN, step
from unswayed.search.schedule import propose
from unswayed.search.task import Told

BROAD, NARROW = np.full(4, 0.3), np.full(4, 0.75)
GIVEN = {"threat": 0.0, "kernel": Matern(2.5, 0.4), "noise_std": 0.01, "level": 0.0, "output_scale": 1.0}
SPACE = Box({f"x{i}": Real(0, 1) for i in range(4)})
ATTEMPT = LENGTH * 5  # plays


def hills(row):
    """A broad hill of height 1, and a narrower one of height 1.3."""
    broad, narrow = np.square(row - BROAD).sum(), np.square(row - NARROW).sum()
    return float(np.exp(-5 * broad) + 1.3 * np.exp(-8 * narrow))


def settled(seed=0, shift=0.0):
    """A search that knows the broad hill well and has never seen the narrow one; `shift` is added to its values."""
    rng = np.random.default_rng(seed)
    game = Game(task(SPACE, seed=seed, **GIVEN))
    for row in np.clip(BROAD + 0.08 * rng.standard_normal((KNOWN, 4)), 0, 1):
        game.tell(row, hills(row) + shift + 0.01 * rng.standard_normal())
    return game


def attempted(mode, plays, value=hills, first=KNOWN):
    """The rows of so many plays, all of them of attempts."""
    rows, rng = [], np.random.default_rng(3)
    for number in range(first, first + plays):
        rows.append(anew(mode, number, set()))
        mode = step(mode, Told(rows[-1], value(rows[-1]) + 0.01 * rng.standard_normal(), why=Why.ANEW))
    return np.array(rows)


@pytest.mark.parametrize("seed", range(3))
def test_some_attempt_climbs_the_hill_that_the_search_has_never_seen(seed):
    rows = attempted(settled(seed).mode, 6 * ATTEMPT)
    assert max(map(hills, rows)) > 1.25
    assert all(row.min() >= 0 and row.max() <= 1 for row in rows)


def test_an_attempt_stays_near_its_best_play_and_the_next_one_begins_elsewhere():
    rows = attempted(settled().mode, 2 * ATTEMPT)
    first, second = rows[:ATTEMPT], rows[ATTEMPT:]
    for number in range(len(SPACE.names) + 1, ATTEMPT):
        known = first[:number]
        steps = np.abs(known - first[number]).max(axis=1)
        assert steps.min() <= NEAR
    assert np.abs(first[0] - second[0]).max() > 0.1
    np.testing.assert_array_less(np.abs(second[1:5] - second[0]).max(axis=1), NEAR + 1e-9)


def test_an_attempt_does_not_know_the_plays_before_it():
    """Lies about all of them change nothing, if the model is given."""
    np.testing.assert_array_equal(attempted(settled().mode, ATTEMPT), attempted(settled(shift=0.7).mode, ATTEMPT))


def test_an_attempt_never_repeats_a_row_and_leaves_out_what_is_shut():
    game = settled()
    rows = attempted(game.mode, ATTEMPT)
    assert len({row.tobytes() for row in rows}) == len(rows)
    row = anew(game.mode, KNOWN, set())
    assert not np.array_equal(anew(game.mode, KNOWN, {row.tobytes()}), row)


def test_attempts_have_every_second_play_once_the_leader_is_known():
    game = Game(task(**GIVEN | {"noise_std": 0.001}))
    for row in game.task.space.spread(KNOWN, np.random.default_rng(0)):
        game.tell(row, bowl(row))
    whys = []
    for number in range(KNOWN, KNOWN + 20):
        row, why = propose(game.mode, number, nothing(game.task))
        game.mode = step(game.mode, Told(row, bowl(row), why=why))
        whys.append(why)
    assert whys[10::2] == [Why.ANEW] * 5
    assert Why.ANEW not in whys[1::2]


def test_no_attempt_before_the_model_knows_much_and_none_in_a_table():
    game = Game(task(SPACE, **GIVEN))
    for row in np.clip(BROAD + 0.08 * np.random.default_rng(0).standard_normal((KNOWN - 1, 4)), 0, 1):
        game.tell(row, hills(row))
    assert propose(game.mode, KNOWN, nothing(game.task)).why is not Why.ANEW
    table = Options(np.random.default_rng(0).random((1000, 4)))
    game = Game(task(table, **GIVEN))
    for row in table.arms(1, 0)[: KNOWN + 5]:
        game.tell(row, hills(row))
    assert {propose(game.mode, KNOWN + i, nothing(game.task)).why for i in range(4)}.isdisjoint({Why.ANEW})


def test_an_attempt_in_a_mixed_space_keeps_its_choice():
    space = Box({"x": Real(0, 1), "y": Real(0, 1), "kind": Categorical(["a", "b", "c"])})
    game = Game(task(space, **GIVEN))
    for row in space.spread(KNOWN, np.random.default_rng(0)):
        game.tell(row, float(row[0] + row[3]))
    rows = attempted(game.mode, LENGTH * 4, lambda row: float(row[0] + row[3]))
    assert len({tuple(row[2:]) for row in rows[4:]}) == 1


def test_a_study_that_is_opened_again_goes_on_with_its_attempt(tmp_path):
    noise = 0.02 * np.random.default_rng(0).standard_normal(KNOWN + 24)

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
        points = [{"x": number / KNOWN} for number in range(KNOWN)]
        study.add([(point, value(number, point)) for number, point in enumerate(points)])
        return study

    whole = told(begun(), 24)
    with told(begun(journal=tmp_path / "s.jsonl"), 9):
        pass
    with Optimizer.open(tmp_path / "s.jsonl") as again:
        assert told(again, 15).log[KNOWN:] == whole.log[KNOWN:]
    assert sum(play.why is Why.ANEW for play in whole.log[KNOWN:]) >= 8
