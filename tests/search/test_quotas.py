"""Quotas: who has a turn, what a turn is worth, and that each rule changes what is played."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from tests.search.games import Game, bowl, nothing, task
from tests.search.test_doubt import GRID, hill
from unswayed import Matern, Options, Threat, Why
from unswayed.search.doubt import doubts, measure_again, repeat_challenger
from unswayed.search.improvement import Turn, improve, repeat_leader
from unswayed.search.quotas import closest_rival, family_turn, fill_hole, propose_restart
from unswayed.search.schedule import QUOTAS, SCHEDULE, Quota, due, propose, ticket

SMOOTH = {"kernel": Matern(2.5, 2.0), "noise_std": 1e-4, "level": 0.0, "output_scale": 1.0}


def turn(game, number=None, pending=None, source=None):
    """The next play of a game, or another one."""
    number = len(game.rows) if number is None else number
    return Turn(game.mode, number, nothing(game.task) if pending is None else pending, source)


def known():
    """A game of 60 plays in which nothing promises anything: the model knows the peak."""
    game, rng = Game(task(threat=0.0, **SMOOTH)), np.random.default_rng(0)
    around = np.array([0.3, 0.7]) + 0.02 * rng.standard_normal((30, 2))
    for row in np.vstack([rng.random((30, 2)) * [1.0, 0.5], around]):
        game.tell(row, bowl(row))
    return game


def lied(plays):
    """A game in which the leader is a lone lie."""
    game = Game(task(threat=Threat(lies=1), plays=plays, **SMOOTH | {"kernel": Matern(2.5, 0.5), "noise_std": 0.05}))
    for number, row in enumerate(GRID):
        game.tell(row, 1.2 if number == 3 else hill(row))
    return game


def without(rule):
    """The schedule without a rule."""
    rules = tuple(one for one in SCHEDULE.rules if one is not rule)
    return replace(SCHEDULE, rules=rules, quotas={one: quota for one, quota in QUOTAS.items() if one is not rule})


def test_a_quota_has_its_share_of_every_few_plays():
    for start in (0, 7, 1000):
        drawn = [ticket(0, number, None) for number in range(start, start + 64)]
        assert sorted(np.floor(8 * np.array(drawn)).astype(int).tolist()) == sorted(list(range(8)) * 8)
    assert [ticket(0, number, None) for number in range(5)] == [0, 0.5, 0.25, 0.75, 0.125]


def test_sources_that_take_turns_share_every_quota():
    """Of two that take turns, none has all tickets below 1/2."""
    drawn = {source: [ticket(3, n, source) for n in range(100) if n % 2 == (source == "b")] for source in "ab"}
    for mine in drawn.values():
        assert 0.3 < np.mean(np.array(mine) < 0.5) < 0.7
    assert ticket(3, 8, "a") == ticket(3, 8, "a") != ticket(4, 8, "a")


def test_rules_are_asked_from_the_largest_worth_down():
    worths = [quota.worth for quota in QUOTAS.values()]
    assert worths == sorted(worths, reverse=True)
    assert all(0 <= quota.first < quota.last <= 1 for quota in QUOTAS.values())
    game = Game(task()).play(6)
    even = [repeat_challenger, family_turn, propose_restart, fill_hole, closest_rival]
    assert [rule for rule, _ in due(turn(game, 0), QUOTAS)] == even
    assert [rule for rule, _ in due(turn(game, 1), QUOTAS)] == [repeat_challenger, closest_rival]


def test_a_quota_yields_to_what_is_worth_more():
    game = Game(task(threat=0.0)).play(10)
    number = 10 + 10 % 2
    [best] = improve(turn(game, number))
    assert best.worth > 3e-5 * turn(game, number).range
    assert np.array_equal(propose(game.mode, number, nothing(game.task)).row, best.row)
    eager = replace(SCHEDULE, quotas={fill_hole: Quota(0, 1)})
    hole = propose(game.mode, number, nothing(game.task), None, eager)
    assert np.array_equal(hole.row, fill_hole(turn(game, number))[0].row)
    assert not np.array_equal(hole.row, best.row)


def test_the_largest_hole_is_looked_into_if_nothing_promises_anything():
    game = known()
    [hole] = fill_hole(turn(game))
    assert np.linalg.norm(hole.row - [1.0, 1.0]) < 0.1
    asked = [propose(game.mode, number, nothing(game.task)) for number in (60, 61)]
    np.testing.assert_array_equal(asked[0].row, hole.row)
    assert not np.array_equal(asked[1].row, hole.row)
    assert not np.array_equal(propose(game.mode, 60, nothing(game.task), None, without(fill_hole)).row, hole.row)


def test_a_hole_is_not_beside_failures():
    game = known()
    [hole] = fill_hole(turn(game))
    for row in game.task.space.around(hole.row[None], 0.05, 10, np.random.default_rng(1)):
        game.tell(row, None)
    [other] = fill_hole(turn(game))
    assert np.linalg.norm(other.row - hole.row) > 0.1


def test_the_closest_two_of_a_small_space_are_told_apart():
    """The noise is large, so one more play changes nothing."""
    truth, rng = {"a": 0.0, "b": 0.99, "c": 1.0, "d": -1.0}, np.random.default_rng(0)
    space = Options(list(truth))
    game = Game(task(space, threat=0.0, noise_std=0.05))
    for _ in range(40):
        for name in truth:
            game.tell(space.encode([name])[0], truth[name] + 0.05 * rng.standard_normal())
    [one] = closest_rival(turn(game))
    assert space.decode(one.row[None])[0] in "bc"
    assert one.why is Why.EXPLOIT
    for schedule in (SCHEDULE, without(repeat_leader)):
        asked = Counter()
        for number in range(160, 170):
            row = propose(game.mode, number, nothing(game.task), None, schedule).row
            asked[space.decode(row[None])[0]] += 1
        assert set(asked) <= {"b", "c"}


def test_the_leader_of_a_small_space_is_repeated_where_that_promises_more():
    truth = {"a": 0.0, "b": 0.97, "c": 1.1, "d": -1.0}
    space = Options(list(truth))
    game = Game(task(space, threat=0.0, noise_std=0.2, output_scale=1.0, level=0.0))
    for name in [*"abcd", *"abbbbbbd"]:
        game.tell(space.encode([name])[0], truth[name])
    [again] = repeat_leader(turn(game))
    assert space.decode(again.row[None]) == ["c"]
    assert again.worth > improve(turn(game))[0].worth
    assert propose(game.mode, 13, nothing(game.task)).worth == again.worth
    assert propose(game.mode, 13, nothing(game.task), None, without(repeat_leader)).worth < again.worth
    assert repeat_leader(turn(Game(task()).play(8))) == []


def test_doubt_counts_for_less_early_on():
    """Leaders change. In a study of 20 plays the 16th is late, in one of 400 it is early."""
    for plays in (20, 400):
        game = lied(plays)
        found = measure_again(turn(game))
        plain = doubts(game.mode.surrogate, plays, nothing(game.task))
        np.testing.assert_array_equal(found[0].row, GRID[3])
        assert [one.worth for one in found] == pytest.approx([16 / plays * one.worth for one in plain])
        asked = propose(game.mode, 16, nothing(game.task))
        assert (asked.why is Why.VERIFY) == (plays == 20)


def test_nothing_is_measured_again_while_most_pending_plays_are_repeats():
    game = lied(20)
    assert measure_again(turn(game))
    assert measure_again(turn(game, pending=GRID[5:8])) == []


def test_without_a_number_of_plays_doubt_counts_in_full_after_a_while():
    assert turn(Game(task(plays=70)).play(6)).plays == 70
    game = lied(None)
    assert turn(game).plays == 30  # two parameters
    made = [measure_again(turn(game, number))[0].worth for number in (15, 30, 300)]
    assert 0 < made[0] < made[1]
    assert turn(game, 300).plays == 300
    plain = doubts(game.mode.surrogate, 300, nothing(game.task))
    assert made[2] == plain[0].worth
