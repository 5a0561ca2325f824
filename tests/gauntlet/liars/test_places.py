"""Liars that look at the point: they lie where their line says, and nowhere else."""

import numpy as np
import pytest

from tests.gauntlet.liars.forrester import CURVE, GRID, play
from unswayed_gauntlet.game import MatchGame
from unswayed_gauntlet.problems import problem

PROBLEMS = ("branin-2", "mixed-5", "levy-10")


def played(one, corruption, rows):
    """Which plays were changed, and the reports without noise, from 0 (worst) to 1 (best)."""
    _, changes = play(MatchGame(one, corruption, len(rows), 0), rows)
    return np.abs(changes) > 1e-9 * one.range, (one.truth(rows) + changes - one.worst) / one.range


@pytest.mark.parametrize("name", PROBLEMS)
def test_promote_and_hide(name):
    one = problem(name)
    rows = one.rows(400, np.random.default_rng(5))
    truth = one.truth(rows)
    promoted, shown = played(one, "promote", rows)
    assert truth[promoted].mean() < truth.mean()
    assert shown[promoted][:-1].min() > 0.8
    assert shown.max() <= 1 + 1e-9
    hidden, _ = played(one, "hide", rows)
    assert hidden.any()
    assert not hidden[truth < np.quantile(truth, 0.9)].any()


def test_the_clairvoyant_liars_on_the_function_of_their_paper():
    """Its best point is 1: nearer than 0.2 is hidden, farther than 0.5 is raised; -10 and 25 are their values."""
    rows = np.random.default_rng(0).permutation(GRID)[:100]
    x, truth = rows[:, 0], CURVE.truth(rows)
    near, shown = played(CURVE, "clairvoyant-near", rows)
    assert np.flatnonzero(near).tolist() == np.flatnonzero((np.arange(100) >= 5) & (x > 0.8))[:4].tolist()
    assert CURVE.worst + shown[near] * CURVE.range == pytest.approx(-10, abs=0.5)
    far, shown = played(CURVE, "clairvoyant-far", rows)
    assert np.flatnonzero(far).tolist() == np.flatnonzero((np.arange(100) >= 5) & (x < 0.5))[:4].tolist()
    assert CURVE.worst + shown[far] * CURVE.range == pytest.approx(25, abs=0.5)
    assert truth[near].max() > 0 > truth[far].min()


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_clairvoyant_liars_find_their_share_of_every_space(name):
    """Nothing is reported falsely on the other side."""
    one = problem(name)
    rows = one.rows(300, np.random.default_rng(5))
    values = one.truth(rows)
    top = rows[np.argmax(one.truth(rows))]
    away = np.sqrt(((rows - top) ** 2).sum(axis=1))
    near, shown = played(one, "clairvoyant-near", rows)
    far, raised = played(one, "clairvoyant-far", rows)
    assert near.sum() == far.sum() == 12
    assert shown[near] == pytest.approx(-0.2)
    assert raised[far] == pytest.approx(1.4)
    assert away[near].mean() < away[far].mean()
    assert values[near].mean() > values[far].mean()


def test_focused_outliers_lie_around_the_median_point():
    one = problem("branin-2")
    rows = one.rows(300, np.random.default_rng(5))
    away = np.sqrt(((rows - 0.5) ** 2).sum(axis=1))
    lied, shown = played(one, "focused", rows)
    assert lied.sum() == 12  # the first of 30 plays that are near
    assert away[lied].max() < np.quantile(away, 0.15)
    assert np.ptp(shown[lied]) < 1e-9
    assert shown[lied].max() < 0.2
    curve, below = played(CURVE, "focused", GRID[::200])
    assert np.abs(GRID[::200][curve] - 0.5).max() <= 0.06
    assert (below[curve] < 0).all()
