"""Kernels and their slopes: the formulas against central differences at 40 digits, and the kernels themselves."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unswayed import Linear, Matern, SquaredExponential
from unswayed.core.gp.kernels import TwoScale, WithLevel
from unswayed.core.gp.slopes import sloped

LENGTHS = (0.3, 1.7)
FORMULAS = [
    SquaredExponential(0.4),
    SquaredExponential(LENGTHS),
    Matern(1.5, LENGTHS),
    Matern(2.5, 0.6),
    Matern(3.2, LENGTHS),
    Matern(1.1, 0.5),
    TwoScale(LENGTHS, share=0.2, ratio=0.15),
]
KERNELS = [*FORMULAS, *(WithLevel(kernel, 3.0) for kernel in FORMULAS)]


def matern(nu, s):
    return 2 ** (1 - mpmath.mpf(nu)) / mpmath.gamma(nu) * s**nu * mpmath.besselk(nu, s)


def literal(kernel, x, z):
    """k(x, z) of any of KERNELS by its definition, for numbers of any precision."""
    if isinstance(kernel, WithLevel):
        return literal(kernel.kernel, x, z) + mpmath.mpf(kernel.spread) ** 2
    lengths = np.broadcast_to(kernel.lengthscale, len(x))
    r = mpmath.sqrt(sum(((a - b) / mpmath.mpf(float(s))) ** 2 for a, b, s in zip(x, z, lengths, strict=True)))
    if isinstance(kernel, SquaredExponential):
        return mpmath.exp(-(r**2) / 2)
    if isinstance(kernel, Matern):
        return matern(kernel.nu, mpmath.sqrt(2 * mpmath.mpf(kernel.nu)) * r)
    fine = r / mpmath.mpf(kernel.ratio)
    share = mpmath.mpf(kernel.share)
    return (1 - share) * matern(2.5, mpmath.sqrt(5) * r) + share * matern(2.5, mpmath.sqrt(5) * fine)


def slope_of(found, x, z):
    """dk/dx, by the formula of the module."""
    return -found.h[0, 0] * (x - z) / np.square(found.lengths)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_slopes_are_central_differences_at_40_digits(kernel):
    rng = np.random.default_rng(0)
    for _ in range(5):
        x, z = rng.random((2, 2))
        found = sloped(kernel, x[None], z[None])
        with mpmath.workdps(40):
            step, exact = mpmath.mpf(10) ** -12, []
            for i in range(2):
                ends = [[mpmath.mpf(float(v)) + sign * step * (j == i) for j, v in enumerate(x)] for sign in (1, -1)]
                up, down = (literal(kernel, end, [mpmath.mpf(float(v)) for v in z]) for end in ends)
                exact.append(float((up - down) / (2 * step)))
        np.testing.assert_allclose(slope_of(found, x, z), exact, rtol=1e-10, atol=1e-14)


@settings(deadline=None, max_examples=30, derandomize=True)
@given(st.integers(0, len(KERNELS) - 1), st.integers(0, 10**6))
def test_k_is_the_kernel(which, seed):
    kernel, rng = KERNELS[which], np.random.default_rng(seed)
    X, Z = rng.random((4, 2)), rng.random((3, 2))
    Z[0] = X[0]
    found = sloped(kernel, X, Z)
    np.testing.assert_allclose(found.k, kernel(X, Z), rtol=1e-13)
    assert found.k.shape == found.h.shape == (4, 3)
    assert np.isfinite(found.h).all()


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_equal_points_have_slope_zero_and_h_has_no_gap_there(kernel):
    x = np.array([[0.4, 0.6]])
    at, near = sloped(kernel, x, x), sloped(kernel, x + 1e-7, x)
    np.testing.assert_array_equal(slope_of(at, x[0], x[0]), np.zeros(2))
    rough = isinstance(getattr(kernel, "kernel", kernel), Matern) and "1.1" in repr(kernel)  # h is as steep as r^0.2
    np.testing.assert_allclose(near.h, at.h, rtol=0.1 if rough else 1e-5)


@pytest.mark.parametrize("kernel", [Linear(2.0), Matern(0.5, 0.4), Matern(1.0, 0.4)], ids=str)
def test_a_cusp_or_another_kind_of_kernel_has_no_formula(kernel):
    X = np.random.default_rng(0).random((3, 2))
    assert sloped(kernel, X, X) is None
    assert sloped(WithLevel(kernel, 1.0), X, X) is None
