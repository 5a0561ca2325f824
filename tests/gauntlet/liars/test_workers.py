"""One of eight workers lies: about its own plays only, with random numbers or more and more."""

import numpy as np
import pytest

from tests.gauntlet.liars.forrester import play
from unswayed_gauntlet.game import MatchGame
from unswayed_gauntlet.liars.protocol import WORKERS
from unswayed_gauntlet.problems import problem


def lies(name, corruption, seed):
    one = problem(name)
    rows = one.rows(80, np.random.default_rng(5))
    _, changes = play(MatchGame(one, corruption, 80, seed), rows)
    at = np.flatnonzero(np.abs(changes) > 1e-9 * one.range)
    return at, changes[at] / one.range, ((one.truth(rows) + changes)[at] - one.worst) / one.range


@pytest.mark.parametrize("name", ["branin-2", "mixed-5", "levy-10"])
def test_a_worker_reports_random_numbers(name):
    liars = set()
    for seed in range(10):
        at, _, reports = lies(name, "worker", seed)
        assert len(at) == 80 / WORKERS
        assert len(set(at % WORKERS)) == 1
        assert 0 <= reports.min() <= reports.max() <= 1
        liars.add(int(at[0] % WORKERS))
    assert len(liars) > 3


@pytest.mark.parametrize("name", ["branin-2", "mixed-5", "levy-10"])
def test_a_drifting_worker_is_ever_further_away(name):
    sides = set()
    for seed in range(10):
        at, changes, _ = lies(name, "drift", seed)
        assert len(set(at % WORKERS)) == 1
        assert np.abs(changes) == pytest.approx(at / 80)
        sides |= set(np.sign(changes).tolist())
        assert len(set(np.sign(changes))) == 1
    assert sides == {-1.0, 1.0}
