"""Credible bounds: draws against the dense posterior, calibration where the model is true, and what they refuse."""

import numpy as np
import pytest

from unswayed import Matern, SquaredExponential
from unswayed.core.ard import Measured
from unswayed.core.assumptions import Assumptions, Given
from unswayed.core.certificate import Certificate
from unswayed.core.credible import Credible, Shapes, credible, gap_draws, gap_sentence, share_unexplored
from unswayed.core.evidence import Evidence
from unswayed.core.prior import WIDE
from unswayed.core.rows import numbered_rows

KERNEL = SquaredExponential(0.2)


def plays(seed, n=30, noise=0.1, points=12):
    """Measurements of a function drawn from the kernel, and its values at the points."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(points, 1))
    f = np.linalg.cholesky(KERNEL(X, X) + 1e-10 * np.eye(points)) @ rng.standard_normal(points)
    rows = np.append(np.arange(points), rng.integers(points, size=n - points))
    return X, f, X[rows], f[rows] + noise * rng.standard_normal(n)


@pytest.mark.parametrize("level_known", [True, False])
def test_draws_have_the_mean_and_covariance_of_the_dense_posterior(level_known):
    """Two points considered: the draws are of f(b) - f(a), cut off at 0."""
    X, _, rows, y = plays(0)
    points, arms = numbered_rows(rows)
    data = Measured.of(points, arms, y)
    evidence = Evidence.of([KERNEL], np.zeros(1), points, data.n, level_known=level_known)
    explained = evidence.explained(data.means, data.squares, unit=1.0, noise=0.1, scale=1.5)
    order = np.argsort(y[:12])
    considered = X[order[[-2, -1]]]
    honest, tampered, noise = gap_draws([KERNEL], explained, data, considered, 0, C=0.7, level_known=level_known)
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


def test_where_the_model_is_true_the_bound_holds_as_often_as_it_says():
    """200 functions drawn from the given kernel: about 5% of the bounds may be false; 20 is beyond 0.999."""
    false = 0
    for seed in range(200):
        X, f, rows, y = plays(seed, n=20)
        given = Given(threat=0, kernel=KERNEL, noise_std=0.1, output_scale=1.0, level=0.0)
        a = int(np.argmax(np.bincount(numbered_rows(rows)[1], weights=y) / np.bincount(numbered_rows(rows)[1])))
        found = credible(given, Shapes.given(KERNEL), (rows, y), X, a, noise_std=1e-6)
        false += found is not None and f.max() - f[a] > found.largest_gap
    assert false <= 20


def test_pure_noise_gets_no_bound():
    said = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = rng.uniform(size=(25, 2))
        shapes = Shapes.equal(np.ones(2))
        said += credible(Given(threat=0), shapes, (X, rng.standard_normal(25)), X, 0, noise_std=0.5) is not None
    assert said <= 2


def test_no_bound_is_below_the_noise_of_a_comparison():
    x = np.repeat([[0.0], [1.0]], 20, axis=0)
    y = np.where(x[:, 0] > 0, 5.0, 0.0) + 0.1 * np.random.default_rng(0).standard_normal(40)
    points = np.array([[0.0], [1.0]])
    found = credible(Given(threat=0), Shapes.equal(np.ones(1)), (x, y), points, 1, noise_std=0.1)
    assert found.best == found.best_untampered == 1.0
    assert 0.1 * np.sqrt(2 / 20) <= found.largest_gap < 0.1


def test_tampering_widens_the_bound():
    X, _, rows, y = plays(3)
    gaps = []
    for threat in (0.0, 0.5, 5.0):
        found = credible(Given(threat=threat), Shapes.equal(np.ones(1)), (rows, y), X, 0, noise_std=0.1)
        gaps.append(found.largest_gap)
        assert found.budget == threat
        assert found.best <= found.best_untampered
    assert gaps == sorted(gaps)
    assert gaps[2] > gaps[0] + 0.5


def test_units_do_not_matter():
    X, _, rows, y = plays(4)
    shapes = Shapes.equal(np.ones(1))
    one = credible(Given(threat=0.2), shapes, (rows, y), X, 2, noise_std=0.1)
    other = credible(Given(threat=0.2e6), shapes, (rows, 1e6 * y + 1e7), X, 2, noise_std=0.1e6)
    assert other.largest_gap == pytest.approx(1e6 * one.largest_gap, rel=1e-6)
    assert other.best == one.best


def test_peaks_hide_only_where_nothing_was_measured():
    grid = np.linspace(0, 1, 101)[:, None]
    values = np.linspace(0, 1, 21)
    assert share_unexplored(grid, np.linspace(0, 1, 21)[:, None], values, 0.01) == 0.0
    half = share_unexplored(grid, np.linspace(0, 0.5, 21)[:, None], values, 0.01)
    assert 0.3 < half < 0.5
    assert share_unexplored(grid, np.full((21, 1), 0.5), values, 10.0) == 1.0  # all is noise
    assert share_unexplored(grid, np.full((21, 1), 0.5), np.ones(21), 0.0) == 1.0  # all is flat


PROVED = Certificate(0, 0.5, 0.05, 0.25, 1.0, np.array([0, 1]), 3.0, 0.0)
MODEL = Assumptions(
    kernel=KERNEL, noise_std=0.1, output_scale=1.0, level=0.0, norm_bound=None, estimated=("noise", "level")
)


def sentence(proved, fitted, model=MODEL, **options):
    return gap_sentence(proved, fitted, model, claim="it is at most {:.4g} below", measured=7, **options)


def test_the_three_kinds_of_sentence():
    fitted = Credible(0.125, 0.9, 0.0, 0.5, 0.5)
    assert sentence(PROVED, None) == (
        "Certified: with 95% confidence it is at most 0.25 below, if tampering did not exceed 0.5 in total."
    )
    assert sentence(None, fitted) == (
        "Under the fitted model (estimated: noise and level), with 90% probability it is at most 0.125 below, if "
        "nothing was tampered with."
    )
    hint = " A hint."
    assert sentence(None, None, hint=hint).endswith("how far this is from the best: 7 so far. A hint.")


def test_kernels_that_are_possible():
    shapes = Shapes.equal(np.array([2.0, 1.0]))
    assert {type(kernel) for kernel in shapes.kernels} == {Matern}
    assert len(shapes.kernels) == len(shapes.odds)
    first = shapes.kernels[0].lengthscale
    assert first[0] == pytest.approx(2 * first[1])
