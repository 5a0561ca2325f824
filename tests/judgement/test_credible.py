"""Credible bounds: draws against the dense posterior, calibration where the model is true, and what they refuse."""

import numpy as np
import pytest

from unswayed import Matern, SquaredExponential
from unswayed.core.data.rows import numbered_rows
from unswayed.core.gp.evidence import Evidence
from unswayed.core.gp.kernels import TwoScale
from unswayed.core.tampering.certificate import Certificate
from unswayed.core.tampering.threat import Threat
from unswayed.judgement.assumptions import Assumptions, Given
from unswayed.judgement.credible import Credible, Mixture, Shapes, _root, credible, share_unexplored
from unswayed.judgement.fit import Model, spread
from unswayed.judgement.noise import Repeats
from unswayed.judgement.prior import WIDE
from unswayed.judgement.words import gap_sentence

KERNEL = SquaredExponential(0.2)


def plays(seed, n=30, noise=0.1, points=12):
    """Measurements of a function drawn from the kernel, and its values at the points."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(points, 1))
    f = np.linalg.cholesky(KERNEL(X, X) + 1e-10 * np.eye(points)) @ rng.standard_normal(points)
    rows = np.append(np.arange(points), rng.integers(points, size=n - points))
    return X, f, X[rows], f[rows] + noise * rng.standard_normal(n)


def bound(given, shapes, rows, values, considered, winner, noise):
    return credible(given, Mixture.of(given, shapes, rows, values), considered, winner, noise)


@pytest.mark.parametrize("level_known", [True, False])
def test_draws_have_the_mean_and_covariance_of_the_dense_posterior(level_known):
    """Two points considered: the draws are of f(b) - f(a), cut off at 0."""
    X, _, rows, y = plays(0)
    given = Given(threat=0, noise_std=0.1, output_scale=1.5, level=0.0 if level_known else None)
    mixture = Mixture.of(given, Shapes.given(KERNEL), rows, y)
    y = y if level_known else y - np.median(y)
    order = np.argsort(y[:12])
    considered = X[order[[-2, -1]]]
    honest, tampered, noise = mixture.gaps(considered, 0, Threat(0.7))
    c2 = 0.0 if level_known else WIDE**2
    A = 1.5**2 * (KERNEL(rows, rows) + c2) + 0.01 * np.eye(len(y))
    k = 1.5**2 * (KERNEL(considered, rows) + c2)
    inverse = np.linalg.inv(A)
    z = k[1] - k[0]
    mean, effect = z @ inverse @ y, z @ inverse
    K = 1.5**2 * KERNEL(considered, considered)
    sd = np.sqrt(K[0, 0] + K[1, 1] - 2 * K[0, 1] - z @ inverse @ z)
    seen = mean + sd * np.random.default_rng(5).standard_normal(100_000)
    assert honest.mean() == pytest.approx(np.maximum(seen, 0).mean(), abs=4 * sd / np.sqrt(len(honest)))
    shifted = np.maximum(seen + 0.7 * np.abs(effect).max(), 0).mean()
    assert tampered.mean() == pytest.approx(shifted, abs=4 * sd / np.sqrt(len(honest)))
    np.testing.assert_allclose(noise, 0.1)


@pytest.mark.parametrize(("points", "drawn"), [(5, 100_000), (400, 4_000)])
def test_among_many_points_the_gap_is_that_of_the_dense_posterior(points, drawn):
    """The largest of f(b) - f(a): draws of all points, though the product draws no more than 150 of them."""
    _, _, rows, y = plays(1)
    given = Given(threat=0, noise_std=0.1, output_scale=1.5, level=0.0)
    mixture = Mixture.of(given, Shapes.given(KERNEL), rows, y)
    considered = np.linspace(0.02, 0.98, points)[:, None]
    A, k = 1.5**2 * KERNEL(rows, rows) + 0.01 * np.eye(len(y)), 1.5**2 * KERNEL(considered, rows)
    mean, covariance = k @ np.linalg.solve(A, y), 1.5**2 * KERNEL(considered, considered) - k @ np.linalg.solve(A, k.T)
    values, vectors = np.linalg.eigh(covariance)
    noise = np.random.default_rng(5).standard_normal((drawn, points))
    f = mean + noise @ (vectors * np.sqrt(np.maximum(values, 0))).T
    effect = np.linalg.solve(A, k.T).T
    for winner in (int(np.argmax(mean)), points // 2):
        gaps = f - f[:, [winner]]
        honest, tampered, _ = mixture.gaps(considered, winner, Threat(0.7))
        for found, literally in ((honest, gaps), (tampered, gaps + 0.7 * np.abs(effect - effect[winner]).max(axis=1))):
            best = np.delete(literally, winner, axis=1).max(axis=1).clip(min=0)
            assert found.mean() == pytest.approx(best.mean(), abs=5 * best.std() / np.sqrt(len(found)))
            assert found.std() == pytest.approx(best.std(), rel=0.15)


def test_an_uncertain_point_is_a_contender_beside_hundreds_of_certain_ones():
    """Three hundred points at the winner, and twenty that nobody measured: only those can be much better."""
    rows, y = np.full((20, 1), 0.5), 1.0 + 0.1 * np.random.default_rng(0).standard_normal(20)
    mixture = Mixture.of(Given(threat=0, noise_std=0.1, output_scale=1.5, level=0.0), Shapes.given(KERNEL), rows, y)
    considered = np.append(np.linspace(0.49, 0.51, 300), np.linspace(5, 30, 20))[:, None]
    honest, _, _ = mixture.gaps(considered, 150, Threat())
    far = 1.5 * np.random.default_rng(1).standard_normal((100_000, 20)).max(axis=1) - y.mean()
    assert honest.mean() == pytest.approx(far.clip(min=0).mean(), rel=0.05)


@pytest.mark.parametrize("rank", [1, 3, 5])
def test_points_that_move_together_are_drawn_together(rank):
    """A covariance without full rank has rounding errors for its smallest eigenvalues, some of them negative."""
    half = np.random.default_rng(rank).standard_normal((5, rank))
    covariance = half @ half.T - 1e-13 * np.eye(5) * (rank < 5)
    root = _root(covariance)
    np.testing.assert_allclose(root @ root.T, covariance, atol=1e-12)


def test_each_model_is_drawn_as_often_as_it_is_probable():
    _, _, rows, y = plays(2)
    mixture = Mixture.of(Given(threat=0), Shapes.equal(np.ones(1)), rows, y)
    drawn = np.zeros_like(mixture.explained.weights)
    for kernel, ratio, s2 in mixture.models():
        i = next(i for i, one in enumerate(mixture.kernels) if one == kernel.kernel)
        drawn[i, np.flatnonzero(mixture.explained.ratios == ratio)] += len(s2)
    assert drawn.sum() == 1000
    weights = mixture.explained.weights / mixture.explained.weights.sum()
    np.testing.assert_allclose(drawn / 1000, weights, atol=0.0101)  # in steps of one in a hundred


def test_up_to_250_points_all_weigh_the_models():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(250, 1))
    y = np.sin(9 * X[:, 0]) + 0.1 * rng.standard_normal(250)
    mixture = Mixture.of(Given(threat=0, noise_std=0.1, level=0.0), Shapes.given(KERNEL), X, y)
    every = Evidence.of([KERNEL], np.zeros(1), X, np.ones(250), level_known=True, plays=250)
    expected = every.explained(y, 0.0, unit=spread(y), noise=0.1)
    np.testing.assert_allclose(mixture.explained.weights, expected.weights, rtol=1e-6, atol=1e-9)
    assert mixture.explained.signal == pytest.approx(expected.signal)


def test_repeats_that_agree_because_they_were_rounded_have_the_noise_of_rounding():
    """For each repeat beyond the first of a point, the square of the rounding is added."""
    rng = np.random.default_rng(0)
    points = rng.uniform(size=(12, 1))
    rows = np.repeat(points, 3, axis=0)
    values = np.round(4 * np.sin(9 * rows[:, 0]) + 0.1 * rng.standard_normal(36))
    found = Mixture.of(Given(threat=0, level=0.0), Shapes.given(KERNEL), rows, values).explained
    rounding = Repeats.of(np.repeat(np.arange(12), 3)).rounding(values)
    means = values.reshape(12, 3).mean(axis=1)
    squares = np.square(values.reshape(12, 3) - means[:, None]).sum()
    every = Evidence.of([KERNEL], np.zeros(1), points, np.full(12, 3.0), level_known=True, plays=36)
    literally = every.explained(means, squares + 24 * rounding**2, unit=spread(values))
    assert rounding > 0.1
    np.testing.assert_allclose(found.weights, literally.weights, rtol=1e-6, atol=1e-12)


def test_a_winner_that_was_not_measured_is_compared_as_if_it_had_been_once():
    X, _, rows, y = plays(3)
    points = np.append(X, [[0.5]], axis=0)
    loud = bound(Given(threat=0), Shapes.equal(np.ones(1)), rows, y, points, len(X), 50.0)
    assert loud.largest_gap == pytest.approx(50 * np.sqrt(2))


def test_lies_without_a_range_leave_no_bound():
    X, _, rows, y = plays(3)
    found = bound(Given(threat=Threat(lies=1)), Shapes.equal(np.ones(1)), rows, y, X, int(np.argmax(y[:12])), 0.1)
    assert found.largest_gap == np.inf
    assert found.to_dict()["largest_gap"] is None
    assert found.best == 0.0 < found.best_untampered


def test_a_point_that_is_better_by_a_tie_counts_as_the_same():
    X, _, rows, y = plays(3)
    given, shapes, winner = Given(threat=0), Shapes.equal(np.ones(1)), int(np.argsort(y[:12])[-2])
    mixture = Mixture.of(given, shapes, rows, y)
    honest, _, _ = mixture.gaps(X, winner, Threat())
    for tie in (0.0, 0.05, 10.0):
        assert credible(given, mixture, X, winner, 0.1, tie).best == np.mean(honest <= tie)
    assert np.mean(honest <= 0.0) < np.mean(honest <= 0.05) < 1.0


def test_where_the_model_is_true_the_bound_holds_as_often_as_it_says():
    """200 functions drawn from the given kernel: about 5% of the bounds may be false; 20 is beyond 0.999."""
    false = 0
    for seed in range(200):
        X, f, rows, y = plays(seed, n=20)
        given = Given(threat=0, kernel=KERNEL, noise_std=0.1, output_scale=1.0, level=0.0)
        a = int(np.argmax(np.bincount(numbered_rows(rows)[1], weights=y) / np.bincount(numbered_rows(rows)[1])))
        found = bound(given, Shapes.given(KERNEL), rows, y, X, a, 1e-6)
        false += found is not None and f.max() - f[a] > found.largest_gap
    assert false <= 20


def test_pure_noise_gets_no_bound():
    said = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = rng.uniform(size=(25, 2))
        shapes = Shapes.equal(np.ones(2))
        said += bound(Given(threat=0), shapes, X, rng.standard_normal(25), X, 0, 0.5) is not None
    assert said <= 2


def test_no_bound_is_below_the_noise_of_a_comparison():
    x = np.repeat([[0.0], [1.0]], (35, 5), axis=0)  # what counts is how often the winner was measured
    y = np.where(x[:, 0] > 0, 5.0, 0.0) + 0.1 * np.random.default_rng(0).standard_normal(40)
    points = np.array([[0.0], [1.0]])
    found = bound(Given(threat=0), Shapes.equal(np.ones(1)), x, y, points, 1, 0.1)
    assert found.best == found.best_untampered == 1.0
    assert 0.1 * np.sqrt(2 / 5) <= found.largest_gap < 0.1
    loud = bound(Given(threat=0), Shapes.equal(np.ones(1)), x, y, points, 1, 7.0)
    assert loud.largest_gap == pytest.approx(7 * np.sqrt(2 / 5))


def test_tampering_widens_the_bound():
    X, _, rows, y = plays(3)
    gaps = []
    for threat in (0.0, 0.5, 5.0):
        found = bound(Given(threat=threat), Shapes.equal(np.ones(1)), rows, y, X, 0, 0.1)
        gaps.append(found.largest_gap)
        assert found.budget == threat
        assert found.best <= found.best_untampered
    assert gaps == sorted(gaps)
    assert gaps[2] > gaps[0] + 0.5


def test_units_do_not_matter():
    X, _, rows, y = plays(4)
    shapes = Shapes.equal(np.ones(1))
    one = bound(Given(threat=0.2), shapes, rows, y, X, 2, 0.1)
    other = bound(Given(threat=0.2e6), shapes, rows, 1e6 * y + 1e7, X, 2, 0.1e6)
    assert other.largest_gap == pytest.approx(1e6 * one.largest_gap, rel=1e-6)
    assert other.best == one.best


def test_peaks_hide_only_where_nothing_was_measured():
    grid = np.linspace(0, 1, 101)[:, None]
    values = np.linspace(0, 1, 21)
    assert share_unexplored(grid, np.linspace(0, 1, 21)[:, None], values, 0.01) == 0.0
    half = share_unexplored(grid, np.linspace(0, 0.5, 21)[:, None], values, 0.01)
    assert 0.3 < half < 0.5
    assert share_unexplored(grid, np.full((21, 1), 0.505), values, 10.0) == 1.0  # all is noise
    assert share_unexplored(grid, np.full((21, 1), 0.505), np.ones(21), 0.0) == 1.0  # all is flat
    assert share_unexplored(grid[:3], grid[:3], np.ones(3), 0.0) == 0.0  # but each point was measured


@pytest.mark.parametrize("noise", [0.0, 0.01, 0.2])
def test_a_peak_is_noticed_if_it_moves_the_measurements_by_three_deviations(noise):
    """Point by point; the noise is taken to be a tenth of the height at least, and the peak is 0.07 wide in 1-d."""
    rng = np.random.default_rng(0)
    everywhere, rows, values = rng.uniform(size=(300, 2)), rng.uniform(size=(15, 2)), rng.uniform(0, 2, 15)
    height, hidden = values.max() - values.min(), 0
    for x in everywhere:
        moved = sum((height * np.exp(-np.sum((x - row) ** 2) / (2 * 0.07**2) / 2)) ** 2 for row in rows)
        hidden += moved**0.5 <= 3 * max(noise, 0.1 * height)
    assert 0 < hidden < 300
    assert share_unexplored(everywhere, rows, values, noise) == hidden / 300


PROVED = Certificate(0, Threat(0.5), 0.05, 0.25, 1.0, np.array([0, 1]), 3.0, 0.0)
MODEL = Assumptions(
    kernel=KERNEL, noise_std=0.1, output_scale=1.0, level=0.0, norm_bound=None, estimated=("noise", "level")
)


def sentence(proved, fitted, model=MODEL, **options):
    about = {"claim": "it is at most {} below", "measured": 7, "span": "between 0 and 9"}
    return gap_sentence(proved, fitted, model, **about | options)


def test_the_three_kinds_of_sentence():
    fitted = Credible(0.125, 0.9, Threat(), 0.5, 0.5)
    assert sentence(PROVED, None) == (
        "Certified: with 95% confidence it is at most 0.25 below, if tampering did not exceed 0.5 in total."
    )
    assert sentence(None, fitted) == (
        "Under the fitted model (estimated: noise and level), with 90% probability it is at most 0.125 below, if "
        "nothing was tampered with."
    )
    hint = " A hint."
    assert sentence(None, None, hint=hint).endswith("how far this is from the best: 7 so far. A hint.")


def test_a_bound_that_counts_lies_names_the_range_that_it_supposes():
    fitted = Credible(0.125, 0.9, Threat(lies=1, low=0, high=9), 0.5, 0.5)
    assert sentence(None, fitted).endswith(" This supposes that every honest value lies between 0 and 9.")
    assert "supposes" not in sentence(PROVED, None)
    for gap in (PROVED, None), (None, fitted):
        assert sentence(*gap, kept=True).split(", if ")[1] == sentence(*gap).split(", if ")[1]  # something is feared


def test_where_measurements_were_set_aside_the_rest_is_supposed_to_be_honest():
    fitted = Credible(0.125, 0.9, Threat(), 0.5, 0.5)
    assert sentence(None, fitted, kept=True).endswith(", if nothing else was tampered with.")
    assert sentence(None, fitted).endswith(", if nothing was tampered with.")


def test_kernels_that_are_possible():
    shapes = Shapes.equal(np.array([2.0, 1.0]))
    assert {type(kernel) for kernel in shapes.kernels} == {Matern}
    assert len(shapes.kernels) == len(shapes.odds)
    assert {kernel.nu for kernel in shapes.kernels} == {2.5, 0.5}
    assert {kernel.nu for kernel in Shapes.equal(np.ones(1), (1.5,)).kernels} == {1.5}
    lengths = [kernel.lengthscale[1] for kernel in shapes.kernels]
    assert (min(lengths), max(lengths)) == pytest.approx((0.03, 8.0))
    first = shapes.kernels[0].lengthscale
    assert first[0] == pytest.approx(2 * first[1])
    for columns, d in (
        (None, 2),
        (5, 5),
    ):  # ln l has the deviation 1 around ln 1/2, and more where there are more columns
        shapes = Shapes.equal(np.array([2.0, 1.0]), columns=columns)
        off = [np.log(kernel.lengthscale[1]) - np.log(0.5) - np.log(d) / 4 for kernel in shapes.kernels]
        np.testing.assert_allclose(shapes.odds, -np.square(off) / 2)


def test_beside_equal_length_scales_those_of_a_fitted_model_all_longer_or_shorter():
    """As probable as the equal ones: what counts is the typical length."""
    fitted = Model(np.array([0.1, 0.9]), 0.2, 0.3, 0.0, 1.0, 0.1, np.ones(3, bool), 0.0)
    shapes = Shapes.around(fitted, np.array([0, 1, 1]))
    equal = Shapes.equal(np.ones(3))
    assert shapes.kernels[: len(equal.kernels)] == equal.kernels
    others = shapes.kernels[len(equal.kernels) :]
    assert {(type(kernel), kernel.share, kernel.ratio) for kernel in others} == {(TwoScale, 0.2, 0.3)}
    for smooth, odds, kernel, same in zip(equal.kernels, equal.odds, others, shapes.odds[-len(others) :], strict=False):
        factor = smooth.lengthscale[0]
        np.testing.assert_allclose(kernel.lengthscale, factor / 0.3 * np.array([0.1, 0.9, 0.9]))
        assert same == odds


def test_the_deviation_of_one_point_is_that_of_the_dense_posterior():
    X, _, rows, y = plays(6)
    given = Given(threat=0, noise_std=0.1, output_scale=1.5, level=0.0)
    A = 1.5**2 * KERNEL(rows, rows) + 0.01 * np.eye(len(y))
    k = 1.5**2 * KERNEL(X[:1], rows)[0]
    mean, sd = k @ np.linalg.solve(A, y), np.sqrt(1.5**2 - k @ np.linalg.solve(A, k))
    mixture = Mixture.of(given, Shapes.given(KERNEL), rows, y)
    assert mixture.deviation(X[0], mean) == pytest.approx(sd, rel=0.15)
    assert mixture.deviation(X[0], mean + 5 * sd) == pytest.approx(5 * sd, rel=0.05)  # an estimate that is off


def test_few_measurements_have_a_wide_deviation():
    """One play tells almost nothing of the value there if the noise is not known."""
    given, shapes = Given(threat=0), Shapes.equal(np.ones(1))
    off = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        x = rng.uniform(size=(3, 1))
        y = 5 + x[:, 0] + 0.3 * rng.standard_normal(3)
        off.append(abs(y[0] - 5 - x[0, 0]) / Mixture.of(given, shapes, x, y).deviation(x[0], y[0]))
    assert np.median(off) < 3
