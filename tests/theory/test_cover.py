"""RGP-PE on a box: the best point of the box lies in the cell of an arm that is kept, whatever the attack does."""

import numpy as np
import pytest
from scipy.optimize import minimize

from unswayed import Feedback, Matern, RobustPhasedElimination, SquaredExponential, simulate
from unswayed.adversaries import Flip, TopK
from unswayed.core.design.information import gain_upper_bound
from unswayed.core.theory.bounds import theorem_psi
from unswayed.core.theory.cover import box_cover
from unswayed.policies.robust_phased_elimination import InformationWidth, TheoryWidth
from unswayed.problems import table

B, C, NOISE, T = 1.5, 5.0, 0.05, 2_000_000


def random_function(kernel, d, seed):
    """A function on [0, 1]^d whose RKHS norm is exactly B, and its best point, by a fine grid and a local search."""
    rng = np.random.default_rng(seed)
    Z, weights = rng.uniform(0, 1, (8, d)), rng.standard_normal(8)
    weights *= B / np.sqrt(weights @ kernel(Z, Z) @ weights)

    def f(X):
        return kernel(np.atleast_2d(X), Z) @ weights

    axis = np.linspace(0, 1, 2001 if d == 1 else 81)
    X = np.stack(np.meshgrid(*[axis] * d, indexing="ij"), axis=-1).reshape(-1, d)
    start = X[np.argmax(f(X))]
    return f, minimize(lambda x: -f(x)[0], start, bounds=[(0, 1)] * d).x


def play(f, kernel, cover, attack, seed, width, cover_error):
    problem = table(cover.points, f(cover.points), kernel=kernel, noise_std=NOISE)
    gamma, _ = gain_upper_bound(kernel(cover.points, cover.points), 1.0, T)
    told = {"corruption_budget": C, "truncation": theorem_psi(2.0, gamma), "cover_error": cover_error}
    policy = RobustPhasedElimination(cover.points, kernel, width=width, **told)
    return simulate(problem, policy, attack, budget=C, horizon=T, seed=seed)


def holds(cover, arms, x):
    """Whether x lies in the cell of one of the arms."""
    return (np.abs(cover.points[arms] - x) <= cover.half * (1 + 1e-9)).all(axis=1).any()


@pytest.mark.parametrize("width", [TheoryWidth(B, NOISE), InformationWidth(B, NOISE)], ids=lambda w: type(w).__name__)
@pytest.mark.parametrize(
    ("kernel", "d", "error"),
    [(SquaredExponential(0.2), 1, 0.15), (Matern(1.5, 0.5), 1, 0.15), (SquaredExponential(0.5), 2, 0.3)],
    ids=["se", "matern", "se in two dimensions"],
)
@pytest.mark.parametrize("runs", [4, pytest.param(30, marks=pytest.mark.slow)])
def test_the_best_point_of_the_box_stays_within_the_promise(kernel, d, error, width, runs):
    cover = box_cover(np.zeros(d), np.ones(d), kernel, norm_bound=B, error=error)
    kept = []
    for seed in range(runs):
        f, best = random_function(kernel, d, seed)
        run = play(f, kernel, cover, (TopK(3), Flip())[seed % 2], seed, width, cover.error)
        assert holds(cover, run.active, best)
        assert f(best)[0] - f(cover.points[run.active]).max() <= cover.error
        kept.append(len(run.active))
    assert np.mean(kept) < 0.5 * len(cover.points)  # not by keeping everything


def test_without_the_error_of_the_cover_the_best_cell_is_lost():
    """Two peaks: the best one between two arms, a lower one on an arm, higher than what both arms see of the best."""
    kernel = SquaredExponential(0.2)
    cover = box_cover([0.0], [1.0], kernel, norm_bound=B, error=0.6)
    best, other = cover.points[0] + cover.half, cover.points[-2]
    peaks = np.array([best, other])

    def f(X):
        return kernel(np.atleast_2d(X), peaks) @ [1.0, 0.96]

    assert np.sqrt([1.0, 0.96] @ kernel(peaks, peaks) @ [1.0, 0.96]) <= B
    arms = f(cover.points)
    assert f(best)[0] > arms.max() + 0.03  # no arm is as good as the best point
    assert np.argmax(arms) == len(arms) - 2
    exact, naive = (play(f, kernel, cover, TopK(3), 0, TheoryWidth(B, NOISE), e) for e in (cover.error, 0.0))
    assert holds(cover, exact.active, best)
    assert not holds(cover, naive.active, best)
    assert f(best)[0] - f(cover.points[exact.active]).max() <= cover.error


def test_the_view_reports_bands_for_whole_cells():
    """Lower and upper bounds of the last epoch contain f everywhere in the cells of the active arms."""
    kernel = SquaredExponential(0.2)
    cover = box_cover([0.0], [1.0], kernel, norm_bound=B, error=0.15)
    inside = np.linspace(-1, 1, 21)[:, None] * cover.half
    for seed in range(8):
        f, _ = random_function(kernel, 1, seed)
        given = {"corruption_budget": C, "width": TheoryWidth(B, NOISE)}
        with_error, without = (
            RobustPhasedElimination(cover.points, kernel, cover_error=e, **given) for e in (cover.error, 0.0)
        )
        problem = table(cover.points, f(cover.points), kernel=kernel, noise_std=NOISE)
        state, rng = with_error.init(), np.random.default_rng(seed)
        for _ in range(9):
            query = with_error.ask(state, rng)
            means = problem.f[query.arms] + NOISE * rng.standard_normal(len(query.arms)) / np.sqrt(query.repeats)
            means[0] -= C / query.repeats[0]
            feedback = Feedback(query.arms, query.repeats, means)
            plain = without.tell(state, feedback)
            state = with_error.tell(state, feedback)
            shared = np.isin(state.active, plain.active)
            assert np.allclose(state.width[shared], plain.width + cover.error, rtol=1e-12)
            view = with_error.view(state)
            for arm, low, high in zip(view.active, view.lower, view.upper, strict=True):
                values = f(cover.points[arm] + inside)
                assert low <= values.min()
                assert values.max() <= high
