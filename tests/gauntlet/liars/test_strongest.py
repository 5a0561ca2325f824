"""The strongest liar: the cheapest change, against a search by brute force, and what it achieves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.gauntlet.liars.forrester import CURVE, play
from unswayed.core.gp.kernels import Matern
from unswayed.core.gp.posterior import JointPosterior, Posterior
from unswayed_gauntlet.game import MatchGame
from unswayed_gauntlet.liars.protocol import NOISE
from unswayed_gauntlet.liars.strongest import WRONG, _kernel, cheapest
from unswayed_gauntlet.liars.survey import survey
from unswayed_gauntlet.problems import problem


def leads(mu, effect, bad, changes, margin):
    """For each change, whether a bad arm leads after it."""
    after = mu + np.asarray(changes)[..., None] * effect
    return after[..., bad].max(axis=-1) >= after[..., ~bad].max(axis=-1) + margin


@settings(max_examples=200)
@given(st.integers(0, 10**6), st.integers(2, 8))
def test_the_cheapest_change_is_the_cheapest(seed, n):
    """It does it, and nothing smaller on a fine grid of changes of both signs does."""
    rng = np.random.default_rng(seed)
    mu, effect, bad, margin = rng.normal(size=n), rng.uniform(-0.2, 1, n), rng.random(n) < 0.5, 0.1
    found = cheapest(mu, effect, bad, margin)
    if bad.all() or not bad.any() or mu[bad].max() >= mu[~bad].max():
        assert found == 0
        return
    grid = np.linspace(-50, 50, 20_001)
    enough = grid[leads(mu, effect, bad, grid, margin)]
    if np.isfinite(found):
        assert leads(mu, effect, bad, found, margin - 1e-9)
    assert np.abs(enough).min(initial=np.inf) >= abs(found) - 1e-9


def test_its_effect_is_the_derivative():
    """Also for a point that was played before."""
    X, arms = np.array([[0.1], [0.4], [0.5]]), np.array([0, 1, 2, 1])
    y, K, lam = np.array([0.3, 1.0, 0.8, 1.2]), Matern(2.5, 0.3)(X, X), 1e-3
    posterior = JointPosterior.of_plays(K, arms, y, np.ones(4), lam)
    moved = JointPosterior.of_plays(K, arms, y + 1e-4 * np.eye(4)[3], np.ones(4), lam)
    assert (moved.mean - posterior.mean) / 1e-4 == pytest.approx(posterior.covariance[:, 1] / lam, rel=1e-6)


def test_a_good_point_is_hidden_just_below_the_leader():
    """The best point of a curve, after a point that is much worse, looks a little worse than that."""
    rows = np.array([[0.9], [1.0]])
    truth = CURVE.truth(rows)
    assert truth[1] - truth[0] > WRONG * CURVE.range
    told, changes = play(game := MatchGame(CURVE, "strongest", 60, 0), rows)
    assert changes[0] == 0 > changes[1]
    assert told[1] < told[0] < truth[1]
    assert game.lies == 1
    assert -changes[1] == pytest.approx(truth[1] - truth[0], rel=0.15)


def test_it_does_nothing_where_it_need_not_or_cannot():
    """A bad leader is left alone; so is a best point whose disguise costs more than the total of a short game."""
    bad = np.array([[0.3], [0.5], [0.4], [0.7]])
    assert not play(MatchGame(CURVE, "strongest", 60, 0), bad)[1].any()
    assert not play(MatchGame(CURVE, "strongest", 2, 0), np.array([[0.75], [1.0]]))[1].any()


@pytest.mark.parametrize("name", ["branin-2", "hartmann-6"])
def test_whoever_trusts_a_posterior_loses(name):
    """The point of the largest posterior mean after random plays is bad; without the liar it is not."""
    one = problem(name)
    rows = one.rows(200, np.random.default_rng(0))
    rows = np.vstack([rows[:59], survey(one).best])
    kernel, sigma, gaps = _kernel(one), survey(one).std, {}
    for corruption in ("none", "strongest"):
        told, _ = play(MatchGame(one, corruption, 60, 0), rows)
        values, lam = (told - survey(one).values.mean()) / sigma, (NOISE * one.range / sigma) ** 2
        posterior = Posterior.fit(kernel(rows, rows), values, np.ones(60), lam)
        mu, _ = posterior.predict(kernel(rows, rows), np.ones(60))
        gaps[corruption] = (one.best - one.truth(rows)[np.argmax(mu)]) / one.range
    assert gaps["none"] < 0.1
    assert gaps["strongest"] > WRONG
