"""The cover of a box: its error is exact for the kernel, its cells fill the box, and no coarser grid would do."""

import mpmath
import numpy as np
import pytest

from unswayed import Linear, Matern, SquaredExponential, UnswayedError
from unswayed.core.theory.cover import box_cover, kernel_distance

LOW, HIGH = np.array([-1.0, 0.0]), np.array([1.0, 0.7])
KERNELS = [
    SquaredExponential(0.6),
    SquaredExponential((0.3, 1.5)),
    Matern(0.5, 2.0),
    Matern(1.2, 0.8),
    Matern(1.5, 0.7),
    Matern(2.5, (0.5, 0.9)),
    Linear(2.0),
]
B = 1.7


def cover_of(kernel, error=0.4):
    return box_cover(LOW, HIGH, kernel, norm_bound=B, error=error)


def cell(cover, X):
    """The centre that each row of X belongs to, by its definition: at most half a side away along each coordinate."""
    inside = (np.abs(X[:, None] - cover.points) <= cover.half * (1 + 1e-9)).all(axis=2)
    assert inside.any(axis=1).all(), "the cells do not fill the box"
    return np.argmax(inside, axis=1)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_a_function_of_norm_b_moves_by_at_most_the_error_in_a_cell(kernel):
    cover, rng = cover_of(kernel), np.random.default_rng(0)
    assert cover.error <= 0.4
    X = rng.uniform(LOW, HIGH, (300, 2))
    centres = cover.points[cell(cover, X)]
    for _ in range(50):
        Z, weights = rng.uniform(LOW, HIGH, (12, 2)), rng.standard_normal(12)
        weights *= B / np.sqrt(weights @ kernel(Z, Z) @ weights)  # now f = sum_i w_i k(z_i, .) has norm B
        assert np.abs((kernel(X, Z) - kernel(centres, Z)) @ weights).max() <= cover.error


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_the_error_is_attained(kernel):
    """By f = B (k(corner, .) - k(centre, .)) / d_k, which has norm B."""
    cover = cover_of(kernel)
    pair = np.array([cover.points[0] + cover.half, cover.points[0]])
    K = kernel(pair, pair)
    weights = np.array([1.0, -1.0])
    weights *= B / np.sqrt(weights @ K @ weights)
    f = K @ weights
    assert f[0] - f[1] == pytest.approx(cover.error, rel=1e-6)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_one_cell_less_along_the_longest_side_is_too_coarse(kernel):
    cover = cover_of(kernel)
    cells = (HIGH - LOW) / (2 * cover.half)
    scaled = (HIGH - LOW) / np.asarray(getattr(kernel, "lengthscale", 1.0))
    m = round(cells[np.argmax(scaled)])
    coarser = (HIGH - LOW) / (2 * np.ceil((m - 1) * scaled / scaled.max() - 1e-9))
    assert B * kernel_distance(kernel, LOW, LOW + coarser) > 0.4


def test_the_box_is_filled_without_overlap():
    cover = cover_of(SquaredExponential((0.3, 1.5)))
    assert len(cover.points) * np.prod(2 * cover.half) == pytest.approx(np.prod(HIGH - LOW))
    assert (cover.points - cover.half).min(axis=0) == pytest.approx(LOW)
    assert (cover.points + cover.half).max(axis=0) == pytest.approx(HIGH)
    assert cover.points[0, 0] == cover.points[1, 0]  # the first coordinate is the slowest


@pytest.mark.parametrize("nu", [0.5, 0.8, 1.5, 2.5, 3.7])
@pytest.mark.parametrize("r", [1e-7, 1e-4, 0.03, 1.0, 5.0])
def test_the_distance_of_a_matern_kernel_with_fifty_digits(nu, r):
    with mpmath.workdps(50):
        n, s = mpmath.mpf(nu), mpmath.sqrt(2 * mpmath.mpf(nu)) * mpmath.mpf(r)
        k = 2 ** (1 - n) / mpmath.gamma(n) * s**n * mpmath.besselk(n, s)
        true = float(mpmath.sqrt(2 - 2 * k))
    ours = kernel_distance(Matern(nu, 1.0), np.zeros(1), np.array([r]))
    assert true <= ours <= np.sqrt(true**2 + 2e-12)


def test_norm_zero_needs_one_cell():
    cover = box_cover(LOW, HIGH, SquaredExponential(), norm_bound=0.0, error=0.1)
    assert (len(cover.points), cover.error) == (1, 0.0)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"low": [0.0]}, "corner"),
        ({"low": [1.0, 0.0]}, "low < high"),
        ({"high": [np.inf, 1.0]}, "finite"),
        ({"kernel": lambda X, Z: np.ones((len(X), len(Z)))}, "cover"),
        ({"kernel": Linear(1.0)}, "radius"),
        ({"kernel": SquaredExponential((1.0, 1.0, 1.0))}, "3 length-scales"),
        ({"norm_bound": -1.0}, "norm"),
        ({"error": 0.0}, "error"),
        ({"error": 1e-7}, "rounding"),
        ({"kernel": Matern(0.5, 1.0), "error": 1e-5}, "allow a larger error"),
    ],
)
def test_bad_covers_are_refused(change, reason):
    good = {"low": LOW, "high": HIGH, "kernel": SquaredExponential(), "norm_bound": B, "error": 0.1}
    with pytest.raises(UnswayedError, match=reason):
        box_cover(**{**good, **change})
