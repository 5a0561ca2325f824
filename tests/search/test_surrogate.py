"""The posterior of a search at any row, with what is open."""

import numpy as np
import pytest

from tests.search.games import Game, nothing, task
from unswayed import Linear, Matern, Options, Threat
from unswayed.search.doubt import doubts
from unswayed.search.modes import begin, step
from unswayed.search.schedule import propose
from unswayed.search.task import Told

GIVEN = {"kernel": Matern(2.5, 0.4), "noise_std": 0.1, "output_scale": 1.0, "level": 0.0, "threat": 0.0}


def dense(rows, values, at, lam=0.01):
    """The mean and the deviation from single plays."""
    k = GIVEN["kernel"]
    inverse = np.linalg.inv(k(rows, rows) + lam * np.eye(len(rows)))
    mean, covariance = k(at, rows) @ inverse @ values, k(at, at) - k(at, rows) @ inverse @ k(rows, at)
    return mean, np.sqrt(covariance.diagonal())


def test_open_plays_give_their_prediction():
    game = Game(task(**GIVEN)).play(6)
    rows, values = np.array(game.rows), np.array(game.values)
    at = np.random.default_rng(1).random((10, 2))
    pending = np.vstack([at[[2, 2, 3]], rows[:1]])
    mean = dense(rows, values, at)[0]
    values = np.append(values, dense(rows, values, pending)[0])
    found = game.mode.surrogate.field(pending).at(at)
    np.testing.assert_allclose(found, dense(np.vstack([rows, pending]), values, at), rtol=1e-6)
    np.testing.assert_allclose(found[0], mean, rtol=1e-6, err_msg="open plays leave the means alone")


def test_a_given_output_scale_that_is_far_too_small_does_not_stop_the_search():
    """All values are a million output scales off their median: half of them look like faults."""
    game = Game(task(output_scale=1e-6))
    for number in range(8):
        game.tell(game.ask(), (-1.0) ** number)
    assert game.mode.surrogate.kept.mask.sum() == 4
    assert all(np.isfinite(one.worth) for one in doubts(game.mode.surrogate, 16, nothing(game.task)))
    row = propose(game.mode, 8, nothing(game.task)).row
    np.testing.assert_array_equal(game.task.space.legal(row[None]), row[None])


@pytest.mark.parametrize("seed", range(3))
def test_a_linear_kernel_that_ends_at_the_corner_of_the_space(seed):
    game = Game(task(seed=seed, kernel=Linear(np.sqrt(2)), threat=0.0)).play(10, sum)
    assert max(sum(row) for row in game.rows) > 1.99


@pytest.mark.parametrize(
    ("threat", "sure"),
    [
        (Threat(lies=2), [True, True, False, False]),
        (Threat(lies=3), [True, False, False, False]),
        (Threat(lies=0), [True, True, True, False]),
        (Threat(liars=1), [True, False, False, False]),
        (Threat(lies=1, liars=1), [False, False, False, False]),
        (Threat(0.5, lies=2), [False, False, False, False]),
        (None, [False, False, False, False]),
    ],
    ids=str,
)
def test_a_value_is_sure_if_more_plays_agree_than_can_be_forged(threat, sure):
    """Four plays of two sources, three of one, one, and none. They agree within their noise, 0.1."""
    space = Options(list("abcd"))
    mode = begin(task(space, **GIVEN | {"threat": threat}))
    for option, value, source in zip("aaaabbbc", [1.0, 1.3, 1.1, 1.2, -1.0, -0.8, -0.9, 0.2], "uuuvwwww", strict=True):
        mode = step(mode, Told(space.encode([option])[0], value, source))
    rows = space.encode(list("abcd"))
    assert mode.surrogate.sure(rows).tolist() == sure
    assert mode.surrogate.counts(rows).tolist() == [4, 3, 1, 0]
    assert mode.surrogate.only_by(rows, "w").tolist() == [False, True, True, True]
    assert not mode.surrogate.only_by(rows, "nobody").any()
