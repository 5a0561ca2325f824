"""Each attack on a box against its formula, and its numbers against a dense search."""

from itertools import product

import numpy as np
import pytest

from unswayed import Corrupted, UnswayedError
from unswayed.problems import ackley5, branin, hartmann6
from unswayed_gauntlet.liars.boxes import BoxAttack, Clipping, Flip, LevelSet, Promote

PROBLEMS = [branin, hartmann6, ackley5]
SQUARE = np.array([[0.0, 1.0], [0.0, 1.0]])


def slope(X):
    return X[:, 0]


def shown(attack, *firsts):
    """f~ at points whose value is their first coordinate, through the interface of Corrupted."""
    return [x + attack(np.array([x, 0.5]), 1e9) for x in firsts]  # 1e9: what was measured plays no part


def test_none():
    assert shown(BoxAttack(slope), 0.1, 0.9) == [0.1, 0.9]


def test_level_set_lowers_the_top_and_never_raises():
    assert shown(LevelSet(slope, threshold=0.8, low=0.2), 0.1, 0.79, 0.8, 1.0) == pytest.approx([0.1, 0.79, 0.2, 0.2])
    assert shown(LevelSet(slope, threshold=0.1, low=0.5), 0.3, 0.6) == pytest.approx([0.3, 0.5])


def test_flip_reflects_about_the_middle():
    assert shown(Flip.over(slope, best=1.0, worst=0.0), 0.0, 0.3, 1.0) == pytest.approx([1.0, 0.7, 0.0])


def test_clipping_caps_outside_the_target_only():
    attack = Clipping(slope, np.array([[0.0, 0.6], [0.0, 1.0]]), cap=0.5)
    assert shown(attack, 0.4, 0.55, 0.6, 0.61, 1.0) == pytest.approx([0.4, 0.55, 0.6, 0.5, 0.5])


def test_promote_raises_the_bottom():
    assert shown(Promote(slope, threshold=0.2, high=1.1), 0.0, 0.2, 0.21, 1.0) == pytest.approx([1.1, 1.1, 0.21, 1.0])


def test_numbers_are_derived_from_quantiles():
    """The value x_1 is uniform on the square: its quantiles are the shares themselves."""
    top, bottom = LevelSet.over(slope, SQUARE), Promote.over(slope, SQUARE, best=1.0, worst=0.0)
    assert (top.threshold, top.low) == pytest.approx((0.99, 0.16), abs=1e-3)
    assert (bottom.threshold, bottom.high) == pytest.approx((0.2, 1.1), abs=1e-3)
    corner = Clipping.over(slope, SQUARE, best=1.0, worst=0.0)
    assert corner.target.tolist() == [[0.0, 0.4], [0.0, 0.4]]  # two corners are equal: the first
    assert corner.cap == pytest.approx(0.4 - 0.5 / np.sqrt(12), abs=1e-3)


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.name)
def test_attacks_do_what_they_say_on_every_function(problem):
    f, bounds, best, worst = problem.function, problem.bounds, problem.best, problem.worst
    X = problem.scaled(np.random.default_rng(1).uniform(size=(40_000, problem.dimension)))
    truth = f(X)

    top = LevelSet.over(f, bounds)
    hit = top.forged(X, truth) < truth
    assert hit.mean() == pytest.approx(0.01, rel=0.3)
    assert truth[hit].min() >= truth[~hit].max()
    assert (top.forged(X, truth) <= truth).all()

    bottom = Promote.over(f, bounds, best, worst)
    hit = bottom.forged(X, truth) > truth
    assert hit.mean() == pytest.approx(0.2, rel=0.1)
    assert truth[hit].max() <= truth[~hit].min()
    assert bottom.forged(X, truth).max() == pytest.approx(best + (best - worst) / 10)

    clip = Clipping.over(f, bounds, best, worst)
    lower, upper = clip.target.T
    unit = np.random.default_rng(2).uniform(size=(40_000, problem.dimension))
    inside = np.vstack([lower + unit * (upper - lower), list(product(*clip.target))])
    best_inside = f(inside).max()
    assert clip.forged(inside, f(inside)).tolist() == f(inside).tolist()
    assert clip.cap < best_inside <= best - 0.1 * (best - worst)  # the optimum is elsewhere, and looks worse
    assert clip.forged(X, truth)[~((lower <= X) & (upper >= X)).all(axis=1)].max() <= clip.cap


def test_the_truth_is_attacked_and_not_the_measurement():
    noise = iter([0.3, -0.3])
    objective = Corrupted(lambda x: x[0] + next(noise), Flip.over(slope, best=1.0, worst=0.0), budget=1.0)
    assert objective(np.array([0.9, 0.0])) == pytest.approx(0.1 + 0.3)  # pays 0.8
    assert objective(np.array([0.9, 0.0])) == pytest.approx(0.9 - 0.2 - 0.3)  # the rest
    assert objective.spent == pytest.approx(1.0)


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.name)
def test_attacks_are_always_the_same(problem):
    one, two = (LevelSet.over(problem.function, problem.bounds) for _ in range(2))
    assert (one.threshold, one.low) == (two.threshold, two.low)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: LevelSet.over(slope, SQUARE, share=0.0), "share"),
        (lambda: Promote.over(slope, SQUARE, 1.0, 0.0, share=1.0), "share"),
        (lambda: Clipping.over(slope, SQUARE, 1.0, 0.0, gap=0.9), "every corner"),
        (lambda: Clipping.over(slope, np.tile([0.0, 1.0], (11, 1)), 1.0, 0.0), "at most 10"),
        (lambda: Flip(slope, 0.5)([np.nan, 0.0], 0.0), "finite"),
    ],
)
def test_bad_settings_are_refused(make, reason):
    with pytest.raises(UnswayedError, match=reason):
        make()
