"""Long searches: the leader is measured again until late plays confirm it."""

import numpy as np
import pytest

from tests.search.games import SQUARE, Game, bowl, nothing, task
from unswayed import Box, Corrupted, Integer, Matern, Real, Threat, Why, maximize
from unswayed.search.improvement import Turn
from unswayed.search.modes import LONG_BOX, step
from unswayed.search.quotas import CONFIRMING, leader_to_confirm
from unswayed.search.schedule import QUOTAS, due, propose
from unswayed.search.task import Failed, Told

FALSE = np.array([0.8, 0.2])
GIVEN = {"threat": 60.0, "kernel": Matern(2.5, 0.4), "noise_std": 0.01, "level": 0.0, "output_scale": 1.0}
TURN = LONG_BOX + 1  # the number of a play with a ticket of the quota


def deceived(source=None, **given):
    """Early lies make a hill around FALSE that agrees with itself; later plays are honest, and elsewhere."""
    rng, game = np.random.default_rng(0), Game(task(**GIVEN | given))
    for number in range(LONG_BOX):
        lies = number < LONG_BOX // 8
        row = np.clip(FALSE + 0.1 * rng.standard_normal(2), 0, 1) if lies else rng.random(2) * [0.5, 1.0]
        value = 2 - np.square(row - FALSE).sum() if lies else bowl(row)
        game.mode = step(game.mode, Told(row, value + 0.01 * rng.standard_normal(), source))
    return game.mode


def leader(mode):
    field = mode.surrogate.measured
    return field.X[int(np.argmax(field.means))]


def again(mode, values, row=None):
    """After further plays of a row, by default of the leader."""
    row = leader(mode) if row is None else row
    for value in values:
        mode = step(mode, Told(row, value))
    return mode


def asked(mode, number=TURN, source=None, pending=None):
    """The row that the rule asks for, or None."""
    turn = Turn(mode, number, nothing(mode.task) if pending is None else pending, source)
    rows = [row for row, _, _ in leader_to_confirm(turn)]
    return rows[0] if rows else None


def has_turn(mode, number, source=None):
    """Whether a play has a ticket of the quota."""
    return leader_to_confirm in dict(due(Turn(mode, number, nothing(mode.task), source), QUOTAS))


def test_a_leader_that_only_early_plays_know_is_measured_again_each_fourth_play():
    mode = deceived()
    assert np.abs(leader(mode) - FALSE).max() < 0.1
    assert [has_turn(mode, TURN + number) for number in range(8)] == [True, False, False, False] * 2
    np.testing.assert_array_equal(asked(mode), leader(mode))
    assert propose(mode, TURN, nothing(mode.task)).why is Why.VERIFY


def test_late_plays_that_confirm_it_are_enough():
    mode = deceived()
    first = leader(mode)
    for late in range(CONFIRMING):
        assert asked(mode) is not None, late
        mode = again(mode, [2.0], first + 0.01 * late)
    assert asked(mode) is None


def test_late_plays_that_fall_short_of_it_confirm_nothing():
    """Under this threat nothing may be set aside, so these plays are kept."""
    mode = deceived(threat=0.01)
    first = leader(mode)
    for step_aside in (0.03, -0.03, 0.02):
        mode = again(mode, [1.5], first + step_aside)
    assert mode.surrogate.kept.mask[-3:].all()
    assert asked(mode) is not None


def test_a_false_leader_is_left():
    mode, plays = deceived(), 0
    while np.abs(leader(mode) - FALSE).max() < 0.3 and plays < 60:
        row = asked(mode)
        assert row is not None, f"play {plays} confirms a false leader"
        mode, plays = step(mode, Told(row, bowl(row))), plays + 1
    assert bowl(leader(mode)) > 0.9, plays


@pytest.mark.parametrize("threat", [0.0, Threat()])
def test_nothing_is_verified_without_a_threat(threat):
    assert asked(deceived(threat=threat)) is None


def test_a_threat_that_nobody_knows_counts():
    assert asked(deceived(threat=None)) is not None


def test_a_leader_that_is_open_or_has_failed_is_not_asked_for():
    mode = deceived()
    pending = leader(mode)[None]
    assert asked(mode, pending=pending) is None
    assert propose(mode, TURN, pending).why is not Why.VERIFY
    failed = step(mode, Failed(leader(mode)))
    assert not np.array_equal(propose(failed, TURN, nothing(mode.task)).row, leader(mode))


def test_the_same_source_does_not_verify_itself():
    mode = deceived(source="lab")
    assert asked(mode, source="lab") is None
    assert asked(mode, source="other") is not None


@pytest.mark.parametrize("workers", [2, 3, 4, 8])
def test_of_sources_that_take_turns_none_is_left_out(workers):
    mode, numbers = Game(task()).play(5).mode, range(LONG_BOX, LONG_BOX + 20 * workers)
    turns = [number % workers for number in numbers if has_turn(mode, number, f"worker {number % workers}")]
    assert set(turns) == set(range(workers))
    assert 0.15 < len(turns) / len(numbers) < 0.35


def test_short_searches_and_small_spaces_verify_by_their_worth_alone():
    short = Game(task(SQUARE, **GIVEN)).play(LONG_BOX // 10).mode
    assert asked(short) is None
    small = Game(task(Box({"n": Integer(1, 20)}), **GIVEN | {"kernel": None}))
    for number in range(LONG_BOX):
        small.tell(small.task.all_rows[number % 20], float(number % 20))
    assert asked(small.mode) is None


def himmelblau(X):
    """Four peaks of height 0; at least -890 on the box."""
    x, y = X.T
    return -((x**2 + y - 11) ** 2) - (x + y**2 - 7) ** 2


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_who_lies_at_almost_every_early_play_is_found_out(seed):
    plays, worst = 1000, -890.0
    budget, rng = 0.05 * plays * -worst, np.random.default_rng(seed)
    bad = np.quantile(himmelblau(np.random.default_rng(0).uniform(-5, 5, (100_000, 2))), 0.2)

    def liar(x, value):
        """The worst fifth of the box looks better than the best point."""
        truth = himmelblau(x[None])[0]
        return -0.1 * worst - truth if truth <= bad else 0.0

    told = Corrupted(lambda x: himmelblau(x[None])[0] + 0.01 * -worst * rng.standard_normal(), liar, budget)
    space = Box({"x": Real(-5, 5), "y": Real(-5, 5)})
    result = maximize(lambda p: told(np.array([p["x"], p["y"]])), space, plays=plays, threat=budget, seed=seed)
    assert told.spent > 0.99 * budget
    assert himmelblau(np.array([[result.point["x"], result.point["y"]]]))[0] > 0.02 * worst
