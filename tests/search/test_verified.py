"""Long searches: the leader is measured again until late plays confirm it."""

import numpy as np
import pytest

from tests.search.games import SQUARE, Game, bowl, nothing, task
from unswayed import Box, Corrupted, Integer, Matern, Real, Threat, Why, maximize
from unswayed.adversaries.boxes import Promote
from unswayed.search.modes import KNOWN, step
from unswayed.search.schedule import propose
from unswayed.search.task import Failed, Told
from unswayed.search.verified import EACH, LATE, unverified

FALSE = np.array([0.8, 0.2])
GIVEN = {"threat": 60.0, "kernel": Matern(2.5, 0.4), "noise_std": 0.01, "level": 0.0, "output_scale": 1.0}
TURN = KNOWN + (1 - KNOWN) % EACH  # the number of a play that may verify


def deceived(source=None, **given):
    """Early lies make a hill around FALSE that agrees with itself; later plays are honest, and elsewhere."""
    rng, game = np.random.default_rng(0), Game(task(**GIVEN | given))
    for number in range(KNOWN):
        lies = number < KNOWN // 8
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


def asks(mode, number, source):
    return unverified(mode, number, set(), source) is not None


def test_a_leader_that_only_early_plays_know_is_measured_again_each_fourth_play():
    mode = deceived()
    assert np.abs(leader(mode) - FALSE).max() < 0.1
    asked = [unverified(mode, TURN + number, set()) for number in range(2 * EACH)]
    assert [row is not None for row in asked] == [number % EACH == 0 for number in range(2 * EACH)]
    np.testing.assert_array_equal(asked[0], leader(mode))
    assert propose(mode, TURN, nothing(mode.task)).why is Why.VERIFY


def test_late_plays_that_confirm_it_are_enough():
    mode = deceived()
    first = leader(mode)
    for late in range(LATE):
        assert unverified(mode, TURN, set()) is not None, late
        mode = again(mode, [2.0], first + 0.01 * late)
    assert unverified(mode, TURN, set()) is None


def test_a_false_leader_is_left():
    mode, plays = deceived(), 0
    while np.abs(leader(mode) - FALSE).max() < 0.3 and plays < 60:
        row = unverified(mode, TURN, set())
        assert row is not None, f"play {plays} confirms a false leader"
        mode, plays = step(mode, Told(row, bowl(row))), plays + 1
    assert bowl(leader(mode)) > 0.9, plays


@pytest.mark.parametrize("threat", [0.0, Threat()])
def test_nothing_is_verified_without_a_threat(threat):
    assert unverified(deceived(threat=threat), TURN, set()) is None


def test_a_threat_that_nobody_knows_counts():
    assert unverified(deceived(threat=None), TURN, set()) is not None


def test_a_leader_that_is_open_or_has_failed_is_not_asked_for():
    mode = deceived()
    pending = leader(mode)[None]
    assert unverified(mode, TURN, {pending.tobytes()}) is None
    assert propose(mode, TURN, pending).why is not Why.VERIFY
    failed = step(mode, Failed(leader(mode)))
    assert not np.array_equal(propose(failed, TURN, nothing(mode.task)).row, leader(mode))


def test_the_same_source_does_not_verify_itself():
    mode = deceived(source="lab")
    assert not any(asks(mode, number, "lab") for number in range(KNOWN, 2 * KNOWN))
    assert 30 < sum(asks(mode, number, "other") for number in range(KNOWN, 2 * KNOWN)) < 70


@pytest.mark.parametrize("workers", [2, 3, 4, 8])
def test_of_sources_that_take_turns_none_is_left_out(workers):
    mode, names = deceived(), [f"worker {i}" for i in range(workers)]
    asked = {names[n % workers] for n in range(KNOWN, KNOWN + 20 * workers) if asks(mode, n, names[n % workers])}
    assert asked == set(names)


def test_short_searches_and_small_spaces_verify_by_their_worth_alone():
    short = Game(task(SQUARE, **GIVEN)).play(KNOWN // 10).mode
    assert unverified(short, TURN, set()) is None
    small = Game(task(Box({"n": Integer(1, 20)}), **GIVEN | {"kernel": None}))
    for number in range(KNOWN):
        small.tell(small.task.all_rows[number % 20], float(number % 20))
    assert unverified(small.mode, TURN, set()) is None


def himmelblau(X):
    """Four peaks of height 0; at least -890 on the box."""
    x, y = X.T
    return -((x**2 + y - 11) ** 2) - (x + y**2 - 7) ** 2


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_who_lies_at_almost_every_early_play_is_found_out(seed):
    plays, worst, bounds = 1000, -890.0, np.array([[-5.0, 5.0]] * 2)
    budget, rng = 0.05 * plays * -worst, np.random.default_rng(seed)
    liar = Promote.over(himmelblau, bounds, 0.0, worst)
    told = Corrupted(lambda x: himmelblau(x[None])[0] + 0.01 * -worst * rng.standard_normal(), liar, budget)
    space = Box({"x": Real(-5, 5), "y": Real(-5, 5)})
    result = maximize(lambda p: told(np.array([p["x"], p["y"]])), space, plays=plays, threat=budget, seed=seed)
    assert told.spent > 0.99 * budget
    assert himmelblau(np.array([[result.point["x"], result.point["y"]]]))[0] > 0.02 * worst
