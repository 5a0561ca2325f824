"""Who lies at almost every early play: the search measures beside a false leader, and leaves it."""

import numpy as np
import pytest

from tests.search.games import Game, bowl, nothing, task
from unswayed import Box, Corrupted, Matern, Real, maximize
from unswayed.search.modes import step
from unswayed.search.schedule import propose
from unswayed.search.task import Told

FALSE = np.array([0.8, 0.2])
GIVEN = {"kernel": Matern(2.5, 0.4), "noise_std": 0.01, "level": 0.0, "output_scale": 1.0}


def leader(mode):
    field = mode.surrogate.measured
    return field.X[int(np.argmax(field.means))]


@pytest.mark.parametrize("threat", [60.0, None])
def test_a_hill_that_only_early_lies_know_is_left(threat):
    """Lies make a hill around FALSE that agrees with itself. Later plays are honest, and elsewhere: it is not seen."""
    rng, mode = np.random.default_rng(0), Game(task(threat=threat, **GIVEN)).mode
    for number in range(200):
        lies = number < 25
        row = np.clip(FALSE + 0.1 * rng.standard_normal(2), 0, 1) if lies else rng.random(2) * [0.5, 1.0]
        value = 2 - np.square(row - FALSE).sum() if lies else bowl(row)
        mode = step(mode, Told(row, value + 0.01 * rng.standard_normal()))
    assert np.abs(leader(mode) - FALSE).max() < 0.1
    for number in range(200, 230):
        row, why, _ = propose(mode, number, nothing(mode.task))
        mode = step(mode, Told(row, bowl(row) + 0.01 * rng.standard_normal(), why=why))
    assert np.abs(leader(mode) - FALSE).max() > 0.3
    assert bowl(leader(mode)) > 0.9


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
