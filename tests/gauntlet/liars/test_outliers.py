"""Outliers: drawn by lot, whatever is played; the right plays, sizes and sides."""

import numpy as np
import pytest

from tests.gauntlet.liars.forrester import play
from unswayed_gauntlet.game import MatchGame
from unswayed_gauntlet.liars.protocol import counted_lies
from unswayed_gauntlet.liars.survey import survey
from unswayed_gauntlet.problems import problem

PROBLEMS = ("branin-2", "mixed-5", "levy-10")
COUNTED = ("spikes-huge", "dips-huge", "spikes-in-range", "constant", "uniform", "asymmetric")


def lies(name, corruption, plays=100, seed=0, points=5):
    """The numbers of the plays that were changed, the changes in ranges, and the reports without noise."""
    one = problem(name)
    rows = one.rows(plays, np.random.default_rng(points))
    _, changes = play(MatchGame(one, corruption, plays, seed), rows)
    at = np.flatnonzero(np.abs(changes) > 1e-6 * one.range)
    return at, changes[at] / one.range, ((one.truth(rows) + changes)[at] - one.worst) / one.range


@pytest.mark.parametrize("name", PROBLEMS)
def test_spikes_and_dips_have_their_side_and_size(name):
    for corruption, sign in (("spikes", 1), ("dips", -1)):
        at, changes, _ = lies(name, corruption)
        assert len(at) > 2
        assert (sign * changes > 0).all()
        assert (sign * changes[:-1] >= 0.5).all()  # the last one gets the rest
        assert np.abs(changes).max() <= 1 + 1e-9


@pytest.mark.parametrize("corruption", COUNTED)
@pytest.mark.parametrize("name", PROBLEMS)
def test_the_lot_decides_and_not_the_points(name, corruption):
    at, _, _ = lies(name, corruption)
    assert len(at) == counted_lies(100)
    assert (lies(name, corruption, points=6)[0] == at).all()
    assert (lies(name, corruption, seed=1)[0] != at).any()


def test_every_play_may_be_drawn():
    drawn = [lies("branin-2", "constant", plays=20, seed=seed)[0].tolist() for seed in range(120)]
    assert {number for one in drawn for number in one} == set(range(20))


@pytest.mark.parametrize("name", PROBLEMS)
def test_what_is_reported(name):
    one = problem(name)
    assert lies(name, "spikes-huge")[1] == pytest.approx(1e6)
    assert lies(name, "dips-huge")[1] == pytest.approx(-1e6)
    assert lies(name, "spikes-in-range")[2] == pytest.approx(1, abs=1e-9)
    assert lies(name, "constant")[2] == pytest.approx(2, abs=1e-9)
    reports = np.concatenate([lies(name, "uniform", seed=seed)[2] for seed in range(20)])
    assert 0 <= reports.min() < 0.1
    assert 0.9 < reports.max() <= 1
    assert np.mean(reports) == pytest.approx(0.5, abs=0.1)
    sides = set()
    for seed in range(12):
        changes = lies(name, "asymmetric", seed=seed)[1] * one.range / survey(one).std
        assert len(set(np.sign(changes))) == 1
        assert 3 <= np.abs(changes).min() <= np.abs(changes).max() <= 9
        sides.add(np.sign(changes[0]))
    assert sides == {-1.0, 1.0}
