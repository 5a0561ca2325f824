import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unswayed import Linear, Matern, SquaredExponential, UnswayedError
from unswayed.core.gp.kernels import TwoScale, gram
from unswayed.core.gp.rounding import KERNEL_ERROR
from unswayed.types import EPS

KERNELS = [
    SquaredExponential(0.7),
    SquaredExponential((0.5, 2.0, 1.0)),
    Matern(0.5, 0.8),
    Matern(1.5, (0.8, 0.3, 2.0)),
    Matern(2.5, 1.2),
    Matern(0.3, 1.0),
    Matern(3.7, 1.0),
    Linear(4.0),
]


def literal_matern(nu, lengthscale, distance):
    """The definition at 30 digits."""
    if distance == 0:
        return 1.0
    with mpmath.workdps(30):
        s = mpmath.sqrt(2 * mpmath.mpf(nu)) * mpmath.mpf(distance) / mpmath.mpf(lengthscale)
        return float(2 ** (1 - mpmath.mpf(nu)) / mpmath.gamma(nu) * s**nu * mpmath.besselk(nu, s))


@pytest.mark.parametrize("nu", [0.05, 0.3, 0.5, 1.0, 1.2, 1.5, 2.0, 2.5, 3.5, 7.3, 40.0, 150.5])
def test_matern_is_its_definition_for_any_nu(nu):
    for distance in [0.0, 1e-160, 1e-12, 1e-3, 0.1, 0.5, 1.0, 3.0, 10.0]:
        k = Matern(nu, 0.9)(np.zeros((1, 1)), np.array([[distance]]))[0, 0]
        assert k == pytest.approx(literal_matern(nu, 0.9, distance), rel=1e-11, abs=1e-300)


def test_matern_approaches_the_squared_exponential(rng):
    X = rng.standard_normal((8, 2))
    assert np.abs(Matern(2000.0, 1.0)(X, X) - SquaredExponential(1.0)(X, X)).max() < 1e-3


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_symmetric_positive_semidefinite_and_at_most_one(kernel, rng):
    X = rng.uniform(-1, 1, (40, 3))
    K = kernel(X, X)
    assert np.array_equal(K, K.T)
    assert np.linalg.eigvalsh(K).min() > -1e-12
    assert K.max() <= 1 + 1e-12
    assert np.allclose(np.diag(K), kernel.diagonal(X), rtol=1e-14)
    assert np.array_equal(kernel(X[:5], X), K[:5])


def test_squared_exponential_by_hand():
    k = SquaredExponential((1.0, 2.0))(np.array([[0.0, 0.0]]), np.array([[1.0, 2.0]]))
    assert k[0, 0] == pytest.approx(np.exp(-0.5 * (1 + 1)), rel=1e-15)


@given(st.floats(1e-18, 1e-6))
def test_nearly_equal_points_are_nearly_one(gap):
    for kernel in (SquaredExponential(1.0), Matern(0.5, 1.0), Matern(1.7, 1.0)):
        k = kernel(np.array([[0.0]]), np.array([[gap]]))[0, 0]
        assert 1 - 2 * gap - KERNEL_ERROR * EPS <= k <= 1


def test_linear_is_normalised():
    X = np.array([[3.0, 4.0], [1.0, 0.0]])
    kernel = Linear.enclosing(X)
    assert kernel.radius == 5.0
    assert np.allclose(kernel(X, X), X @ X.T / 25)
    with pytest.raises(UnswayedError, match="outside the radius"):
        Linear(1.0)(X, X)


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan, np.inf, "wide", (1.0, -1.0)])
def test_bad_lengthscales_are_refused(bad):
    with pytest.raises(UnswayedError, match="lengthscale"):
        SquaredExponential(bad)


@pytest.mark.parametrize("name", ["share", "ratio"])
def test_shares_and_ratios_lie_between_0_and_1(name):
    for wrong in (0.0, -0.1, 1.0, 1.5):
        with pytest.raises(UnswayedError, match=f"{name} must lie between 0 and 1"):
            TwoScale(1.0, **{name: wrong})


def test_wrong_number_of_lengthscales_is_refused():
    with pytest.raises(UnswayedError, match="2 length-scales"):
        SquaredExponential((1.0, 1.0))(np.zeros((1, 3)), np.zeros((1, 3)))


def test_a_matrix_beyond_memory_is_refused_with_its_size():
    points = np.broadcast_to(0.0, (3_000_000, 1))
    with pytest.raises(UnswayedError, match=r"3,000,000 points need 360,000 GB"):
        gram(SquaredExponential(1.0), points)
