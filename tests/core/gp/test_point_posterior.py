"""The posterior at any row and what one more play would change, against dense formulas and central differences."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unswayed import Linear, Matern, SquaredExponential
from unswayed.core.gp.improvement import ASYMPTOTIC, log_improvement
from unswayed.core.gp.kernels import TwoScale, WithLevel
from unswayed.core.gp.point_posterior import SLOPE_STEP, PointPosterior
from unswayed.errors import InvalidInput

LENGTHS = (0.3, 0.8)
SMOOTH = [
    SquaredExponential(LENGTHS),
    Matern(1.5, LENGTHS),
    Matern(2.5, 0.5),
    Matern(3.2, LENGTHS),
    TwoScale(LENGTHS, share=0.2, ratio=0.3),
]
OTHER = [Linear(2.0), Matern(0.5, 0.5)]  # without a formula of slopes
KERNELS = [*SMOOTH, *(WithLevel(kernel, 3.0) for kernel in SMOOTH), *OTHER, WithLevel(OTHER[0], 2.0)]
kernels = pytest.mark.parametrize("kernel", KERNELS, ids=str)


def drawn(kernel, seed=0, rows=7, lam=0.05):
    """A field of rows inside the cube, with different weights."""
    rng = np.random.default_rng(seed)
    X, n = rng.uniform(0.05, 0.95, (rows, 2)), rng.uniform(0.3, 4.0, rows)
    return PointPosterior.of(kernel, lam, X, n, rng.normal(0, 1, rows))


def dense(kernel, lam, X, n, y, rows):
    """Mean and covariance of f at some rows, by the inverse of A."""
    A_inverse, k = np.linalg.inv(kernel(X, X) + np.diag(lam / n)), kernel(rows, X)
    return k @ A_inverse @ y, kernel(rows, rows) - k @ A_inverse @ k.T


def of(field):
    return field.kernel, field.lam, field.X, field.n, field.y


def change(field, x, one, other):
    """The deviation of the change of E[f(one) - f(other)] by one play at x: the joint normal of all three, conditioned.

    The law of total variance: what the variance of the difference loses is the variance of its new mean.
    """
    rows = np.array([one, other, x])
    _, C = dense(*of(field), rows)
    difference = np.array([1.0, -1.0, 0.0])
    C_play = np.outer(C[:, 2], C[2]) / (C[2, 2] + field.lam)
    return float(np.sqrt(difference @ C @ difference - difference @ (C - C_play) @ difference))


@kernels
def test_mean_and_deviation_are_those_of_the_dense_formulas(kernel):
    field, rows = drawn(kernel), np.random.default_rng(9).random((12, 2))
    mean, covariance = dense(*of(field), rows)
    found, deviation = field.at(rows)
    np.testing.assert_allclose(found, mean, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(deviation, np.sqrt(covariance.diagonal()), rtol=1e-7)
    np.testing.assert_allclose(field.means, dense(*of(field), field.X)[0], rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(
        field.system.inverse, np.linalg.inv(kernel(field.X, field.X) + np.diag(field.lam / field.n))
    )


@kernels
@pytest.mark.parametrize("lam", [1e-4, 0.05, 30.0])
def test_what_the_other_rows_say_is_a_refit_without_one(kernel, lam):
    field = drawn(kernel, lam=lam)
    means, variances = field.alone()
    for j in range(len(field.n)):
        rest = np.arange(len(field.n)) != j
        others = kernel, lam, field.X[rest], field.n[rest], field.y[rest]
        mean, covariance = dense(*others, field.X)
        np.testing.assert_allclose(means[j], mean[j], rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(variances[j], covariance[j, j], rtol=1e-5, atol=1e-8)
        np.testing.assert_allclose(field.means_without(j), mean, rtol=1e-5, atol=1e-6)


@settings(deadline=None, max_examples=30, derandomize=True)
@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(0, 6), st.floats(1e-4, 10))
def test_more_plays_are_a_fit_of_all_plays_one_by_one(seed, known, more, lam):
    rng, kernel = np.random.default_rng(seed), WithLevel(Matern(2.5, 0.5), 1.0)
    X, y = rng.random((known, 2)), rng.normal(size=known)
    new = np.vstack([X, rng.random((2, 2))])[rng.integers(known + 2, size=more)]  # equal to known ones, and repeated
    values, rows = rng.normal(size=more), rng.random((5, 2))
    field = PointPosterior.of(kernel, lam, X, np.ones(known), y).then(new, values)
    plays = np.vstack([X, new]), np.ones(known + more), np.append(y, values)
    mean, covariance = dense(kernel, lam, *plays, rows)
    found, deviation = field.at(rows)
    np.testing.assert_allclose(found, mean, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(deviation**2, covariance.diagonal(), rtol=1e-5, atol=1e-9)
    assert len(field.X) == len(np.unique(plays[0], axis=0))
    assert field.n.sum() == known + more


@kernels
def test_the_change_by_one_more_play_is_that_of_the_joint_normal(kernel):
    """Where x would say more about the leader than about itself, one more play is taken to change nothing."""
    field, rows = drawn(kernel), np.random.default_rng(5).random((40, 2))
    for j in (0, 3):
        mean, t = field.lead(j).at(rows)
        at = dense(*of(field), np.vstack([rows, field.X[j]]))
        np.testing.assert_allclose(mean, at[0][:-1] - at[0][-1], rtol=1e-9, atol=1e-9)
        ahead = at[1].diagonal()[:-1] > at[1][-1, :-1]
        assert ahead.sum() > 20
        exact = np.array([change(field, x, x, field.X[j]) for x in rows])
        np.testing.assert_allclose(t[ahead], exact[ahead], rtol=1e-5, atol=1e-7)
        assert (t[~ahead] < 1e-13).all()
        assert (t > 0).all()


def test_the_change_by_one_more_play_in_a_simulation():
    field, x, plays = drawn(Matern(2.5, 0.5), lam=0.2), np.array([0.2, 0.9]), 4_000
    lead, rng = field.lead(1), np.random.default_rng(0)
    mean, deviation = (float(one[0]) for one in field.at(x[None]))
    values = mean + np.hypot(deviation, np.sqrt(field.lam)) * rng.standard_normal(plays)  # drawn from the model
    after = np.array([field.then(x[None], np.array([y])).at(np.array([x, field.X[1]]))[0] for y in values])
    before, t = (float(one[0]) for one in lead.at(x[None]))
    differences = after[:, 0] - after[:, 1]
    assert abs(differences.mean() - before) < 4 * t / np.sqrt(plays)
    assert abs(differences.std() / t - 1) < 4 / np.sqrt(2 * plays)
    gains = np.maximum(differences, 0)
    gain = np.exp(log_improvement(np.array([before]), np.array([t]))[0][0])
    assert abs(gains.mean() - gain) < 4 * gains.std() / np.sqrt(plays)


@kernels
def test_one_more_play_of_the_leader_may_let_another_row_win(kernel):
    for seed in range(5):
        field = drawn(kernel, seed)
        j = int(np.argmax(field.means))
        mean, C = dense(*of(field), field.X)
        gains = []
        for i in set(range(len(mean))) - {j}:
            if C[j, j] > C[i, j]:
                t = change(field, field.X[j], field.X[i], field.X[j])
                gains.append(np.exp(log_improvement(mean[i] - mean[j], np.array(t))[0]))
        np.testing.assert_allclose(field.lead(j).again(), max(gains), rtol=1e-4, atol=1e-12)


@kernels
def test_slopes_are_central_differences(kernel):
    field, rows = drawn(kernel), np.random.default_rng(3).uniform(0.1, 0.9, (15, 2))
    lead, step = field.lead(2), 1e-6
    found = lead.slopes(rows)
    mean, t = lead.at(rows)
    np.testing.assert_allclose(found.mean, mean, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(found.deviation, t, rtol=1e-7, atol=1e-12)
    moving = t > 1e-6
    assert moving.sum() >= 5
    for i in range(2):
        ends = [lead.at(rows + sign * step * np.eye(2)[i]) for sign in (1, -1)]
        by_mean, by_t = ((up - down) / (2 * step) for up, down in zip(*ends, strict=True))
        np.testing.assert_allclose(found.mean_slope[:, i], by_mean, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(found.deviation_slope[moving, i], by_t[moving], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kernel", [Linear(np.sqrt(2)), WithLevel(Linear(np.sqrt(2)), 2.0)], ids=str)
def test_numerical_slopes_do_not_leave_the_cube(kernel):
    """The linear kernel raises an error outside of its radius, which here is the corner of the cube."""
    field = drawn(kernel)
    rows = np.array([[1.0, 1.0], [0.0, 1.0], [1.0, 0.5], [0.0, 0.0], [0.4, 1.0 - SLOPE_STEP / 2]])
    slopes = field.lead(0).slopes(rows)
    constant = field.X.T @ field.system.weights / 2  # the mean is linear
    np.testing.assert_allclose(slopes.mean_slope, np.tile(constant, (5, 1)), rtol=1e-6)
    assert np.isfinite(slopes.deviation_slope).all()


@pytest.mark.parametrize("lam", [1e-8, 1.0, 1e6])
@kernels
def test_one_row(kernel, lam):
    field = PointPosterior.of(kernel, lam, np.array([[0.3, 0.4]]), np.array([2.0]), np.array([1.5]))
    k = float(kernel.diagonal(field.X)[0])
    mean, variance = field.alone()
    np.testing.assert_allclose(mean, [0.0], atol=1e-12)
    np.testing.assert_allclose(variance, [k], rtol=1e-6)
    np.testing.assert_allclose(field.means, [1.5 * k / (k + lam / 2)])
    np.testing.assert_allclose(field.means_without(0), [0.0], atol=1e-12)
    assert field.lead(0).again() == 0.0
    assert np.isfinite(np.concatenate([part.ravel() for part in field.lead(0).slopes(field.X)])).all()


@pytest.mark.parametrize("kernel", SMOOTH, ids=str)
def test_tiny_noise(kernel):
    """The rounding error of a variance is far below what it is compared with."""
    field = drawn(kernel, lam=1e-10)
    _, deviation = field.at(field.X)
    np.testing.assert_allclose(field.means, field.y, atol=1e-5)
    assert (deviation < 1e-4).all()
    assert (deviation > 0).all()
    _, t = field.lead(0).at(field.X)
    assert (t > 0).all()


def test_points_that_coincide_without_noise_are_borne_and_a_matrix_that_is_none_is_an_error():
    X = np.array([[0.3, 0.3], [0.3, 0.3], [0.5, 0.5]])
    field = PointPosterior.of(SquaredExponential(0.5), 1e-30, X, np.ones(3), np.ones(3))
    np.testing.assert_allclose(field.at(X)[0], 1, atol=1e-3)

    class Broken:
        def __call__(self, X, Z):
            return -np.ones((len(X), len(Z)))

    with pytest.raises(InvalidInput, match="positive semi-definite"):
        PointPosterior.of(Broken(), 1e-30, X, np.ones(3), np.ones(3))


@pytest.mark.parametrize(
    "u",
    [
        30.0,
        8.0,
        1.0,
        0.0,
        -0.5,
        -1 + 1e-9,
        -1.0,
        -1 - 1e-9,
        -5.0,
        -40.0,
        ASYMPTOTIC + 1,
        ASYMPTOTIC,
        ASYMPTOTIC - 1,
        -1e4,
        -1e6,
    ],
)
@pytest.mark.parametrize("deviation", [1e-12, 1.0, 1e12])
def test_the_logarithm_of_the_improvement_and_its_slope(u, deviation):
    with mpmath.workdps(60):
        exact = mpmath.mpf(u * deviation) / mpmath.mpf(deviation)
        bell = mpmath.exp(-(exact**2) / 2) / mpmath.sqrt(2 * mpmath.pi)
        below = mpmath.erfc(-exact / mpmath.sqrt(2)) / 2
        h = bell + exact * below
        log_gain, slope = float(mpmath.log(deviation) + mpmath.log(h)), float(below / h)
    found = log_improvement(np.array([u * deviation]), np.array([deviation]))
    np.testing.assert_allclose(found[0][0], log_gain, rtol=1e-9, atol=1e-9 if u > -40 else 1e-5)
    np.testing.assert_allclose(found[1][0], slope, rtol=1e-9 if u > -40 else 1e-5)


@settings(deadline=None, max_examples=50, derandomize=True)
@given(st.lists(st.floats(-1e6, 30), min_size=2, max_size=20, unique=True))
def test_more_mean_is_more_improvement(us):
    u = np.sort(us)
    gain, slope = log_improvement(u, np.ones(len(u)))
    assert np.isfinite(gain).all()
    assert (np.diff(gain) >= -1e-12 * np.abs(gain[:-1])).all()
    assert (slope > 0).all()
