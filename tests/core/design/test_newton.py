import numpy as np
import pytest

from unswayed import Linear, Matern, SquaredExponential, UnswayedError
from unswayed.core.design.newton import newton_basis


def literal(K, e):
    """Algorithm 2, line by line, with functions as dictionaries of values."""
    N = len(K)
    s = [int(np.argmax(np.diag(K)))]
    basis = [[K[x, s[0]] / np.sqrt(K[s[0], s[0]]) for x in range(N)]]
    while True:
        P2 = [K[x, x] - sum(n[x] ** 2 for n in basis) for x in range(N)]
        if max(P2) < e**2:
            return s, np.array(basis).T
        new = int(np.argmax(P2))
        u = [K[x, new] - sum(n[new] * n[x] for n in basis) for x in range(N)]
        s.append(new)
        basis.append([value / np.sqrt(P2[new]) for value in u])


@pytest.mark.parametrize("e", [2.0, 0.5, 0.1, 1e-3])
@pytest.mark.parametrize("kernel", [SquaredExponential(0.5), Matern(1.5, 0.5), Linear(2.0)], ids=repr)
def test_equals_the_algorithm(kernel, e, rng):
    X = rng.uniform(-1, 1, (25, 2))
    K = kernel(X, X)
    chosen, basis = newton_basis(K, e)
    expected, values = literal(K, e)
    assert chosen.tolist() == expected
    assert np.allclose(basis, values, atol=1e-7)


def test_the_linear_kernel_needs_its_dimension(rng):
    X = rng.standard_normal((50, 3))
    kernel = Linear.enclosing(X)
    chosen, basis = newton_basis(kernel(X, X), 1e-6)
    assert basis.shape == (50, 3)
    assert np.allclose(basis @ basis.T, kernel(X, X), atol=1e-12)
    assert len(chosen) == 3


def test_it_stops_at_rounding(rng):
    X = rng.uniform(0, 1, (30, 1))
    K = SquaredExponential(1.0)(X, X)
    _, basis = newton_basis(K, 1e-300)
    assert basis.shape[1] <= 30
    assert np.abs(basis @ basis.T - K).max() < 1e-12


def test_a_bad_error_is_refused():
    with pytest.raises(UnswayedError, match="admissible error"):
        newton_basis(np.eye(2), 0.0)


def test_it_goes_on_at_exactly_e():
    assert newton_basis(0.25 * np.eye(2), 0.5)[0].tolist() == [0, 1]


def test_a_zero_kernel_is_refused():
    with pytest.raises(UnswayedError, match="k\\(x, x\\) > 0"):
        newton_basis(np.zeros((2, 2)), 0.1)
