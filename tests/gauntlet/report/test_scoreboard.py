"""The scoreboard, against counts by hand."""

import pytest

from unswayed_gauntlet.report.scoreboard import lines, scoreboard

from . import page_data


def row(optimizer, problem, gap, ours, corruption="none", seed=0):
    return page_data.row(optimizer, problem, corruption, seed, gap, gap_ours=ours)


ROWS = [
    row("tpe", "a", 0.2, 0.0), row("tpe", "a", 0.4, 0.05, "hide"), row("tpe", "b", 0.0, None, "hide"),
    row("random", "a", 0.1, 0.2), row("random", "a", 0.6, 0.2, "hide"), row("random", "b", 0.3, None, "hide"),
    row("tpe", "b", 0.9, 0.9, "hide", seed=1),
]  # fmt: skip


def test_only_games_that_all_have_finished_are_compared():
    board = scoreboard(ROWS)
    assert board["games"] == {"attacked": 2, "honest": 1}
    assert board["optimizers"]["tpe"]["runs"] == 4
    attacked = board["optimizers"]["tpe"]["attacked"]
    assert attacked == {"lost": 0.5, "gap": pytest.approx([0.1, 0.2, 0.3]), "lost_ours": 0.0}
    assert board["optimizers"]["random"]["attacked"]["lost_ours"] == 1.0
    assert board["optimizers"]["random"]["honest"]["lost"] == 0.0  # 10% is not more than 10%
    empty = scoreboard([])
    assert empty == {"games": {"attacked": 0, "honest": 0}, "optimizers": {}}


def test_the_fewest_lost_runs_come_first():
    heads, first, second = lines(scoreboard(ROWS))
    assert heads[:4] == ["optimizer", "runs", "attacked: lost", "median gap (quartiles)"]
    assert first == ["tpe", "4", "50%", "20.0% (10.0..30.0)", "0%", "100%", "20.0% (20.0..20.0)", "0%"]
    assert second[0] == "random"
    alone = lines(scoreboard([row("tpe", "a", 0.2, None, "hide")]))
    assert alone[1] == ["tpe", "1", "100%", "20.0% (20.0..20.0)", ""]
