import numpy as np
import pytest

from unswayed import Linear, Matern, SquaredExponential, UnswayedError
from unswayed.core.design.g_optimal import g_optimal_design, support_bound
from unswayed.core.design.rare_switching import first_argmax, rare_switching_design


def literal_loop(K, lam, eta, length):
    """Lines 2-10 of Algorithm 1 with every determinant computed afresh (sigma_0 = sqrt k(x, x))."""
    chosen, t_prime = [], 0
    variance = np.diag(K).copy()
    for t in range(1, length + 1):
        chosen.append(first_argmax(variance))

        def log_det(plays):
            return np.linalg.slogdet(np.eye(plays) + K[np.ix_(chosen[:plays], chosen[:plays])] / lam)[1]

        if log_det(t) > log_det(t_prime) + np.log(eta) + 1e-10:  # a tie is not "more than"
            t_prime = t
            A = K[np.ix_(chosen, chosen)] + lam * np.eye(t)
            k = K[chosen]
            variance = np.diag(K) - np.sum(k * np.linalg.solve(A, k), axis=0)
    arms = list(dict.fromkeys(chosen))
    return arms, [chosen.count(arm) for arm in arms]


def random_kernel_matrix(rng):
    N, d = int(rng.integers(1, 12)), int(rng.integers(1, 4))
    X = rng.uniform(-1, 1, (N, d))
    lengthscale = 10 ** rng.uniform(-1, 0.7)
    kernel = [SquaredExponential(lengthscale), Matern(1.5, lengthscale), Linear(np.sqrt(d))][rng.integers(3)]
    return kernel(X, X)


@pytest.mark.parametrize("block", range(10))
def test_equals_the_literal_loop(block):
    for seed in range(block * 40, block * 40 + 40):
        rng = np.random.default_rng(seed)
        K = random_kernel_matrix(rng)
        lam, eta = 10 ** rng.uniform(-2, 1), 1 + 10 ** rng.uniform(-1, 1)
        if seed % 4 == 0:
            lam, eta = 1.0, 2.0  # where exact ties live
        length = int(rng.integers(1, 70))
        arms, counts = rare_switching_design(K, lam, eta, length)
        assert (arms.tolist(), counts.tolist()) == literal_loop(K, lam, eta, length), seed


@pytest.mark.parametrize("lam", [1.0, 2.0, 0.5, 3.0])
@pytest.mark.parametrize("eta", [2.0, 3.0, 1.5])
def test_exact_ties_on_independent_arms(lam, eta):
    K = np.eye(5)
    arms, counts = rare_switching_design(K, lam, eta, 40)
    assert (arms.tolist(), counts.tolist()) == literal_loop(K, lam, eta, 40)


def test_the_tie_of_the_paper_selects_twice():
    arms, counts = rare_switching_design(np.eye(3), 1.0, 2.0, 5)  # det = 2 is not > 2
    assert arms.tolist() == [0, 1, 2]
    assert counts.tolist() == [2, 2, 1]


def test_epoch_table_of_f1():
    """(distinct arms, plays) of the first ten epochs at the paper's settings, nothing eliminated."""
    side = np.linspace(-5, 5, 10)
    X = np.array([(x, y) for x in side for y in side])
    K = SquaredExponential(0.5)(X, X)
    table = []
    for h in range(10):
        l_h = 2 ** (h + 1)
        arms, counts = rare_switching_design(K, 1.0, 2.0, l_h)
        table.append((len(arms), int(np.maximum(counts, np.ceil(l_h * 0.5)).sum())))
    assert table == [
        (1, 2), (2, 4), (4, 16), (8, 64), (16, 256), (32, 1024), (64, 4096), (100, 12800), (100, 25600),
        (100, 51200),
    ]  # fmt: skip


def test_an_arm_without_variance_takes_the_rest():
    arms, counts = rare_switching_design(np.zeros((2, 2)), 1.0, 2.0, 100)
    assert (arms.tolist(), counts.tolist()) == ([0], [100])


def test_the_linear_kernel_does_not_start_from_one():
    """With sigma_0 = 1 (line 2 as printed) the tie would go to the origin, which says nothing for ever."""
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.5]])
    arms, _ = rare_switching_design(Linear()(X, X), 1.0, 2.0, 8)
    assert arms[0] == 1
    assert 0 not in arms


def test_the_cost_does_not_depend_on_the_length():
    """Switches, each one rank-one step, grow with the logarithm of the length."""
    K = Matern(2.5, 0.5)(X := np.random.default_rng(0).uniform(-1, 1, (30, 2)), X)
    arms, counts = rare_switching_design(K, 1.0, 2.0, 10**15)
    assert counts.sum() == 10**15
    assert len(arms) <= 30


def test_permuting_arms_permutes_the_design(rng):
    X = rng.uniform(-1, 1, (15, 2))
    K = Matern(1.5, 0.4)(X, X) * 0.9 + 0.1 * np.diag(rng.uniform(0.1, 1, 15))
    K /= K.max()
    order = rng.permutation(15)
    arms, counts = rare_switching_design(K, 0.5, 2.0, 300)
    arms2, counts2 = rare_switching_design(K[np.ix_(order, order)], 0.5, 2.0, 300)
    assert order[arms2].tolist() == arms.tolist()
    assert counts2.tolist() == counts.tolist()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"eta": 1.0}, "eta"),
        ({"eta": np.nan}, "eta"),
        ({"lam": 0.0}, "lam"),
        ({"length": 0}, "length"),
        ({"K": [[np.nan]]}, "finite"),
        ({"K": np.zeros((0, 0))}, "square"),
        ({"K": np.zeros((2, 3))}, "square"),
    ],
)
def test_bad_input_is_refused(change, reason):
    with pytest.raises(UnswayedError, match=reason):
        rare_switching_design(**{"K": np.eye(2), "lam": 1.0, "eta": 2.0, "length": 4, **change})


def test_first_argmax_ignores_rounding():
    assert first_argmax(np.array([1.0, 1.0 + 1e-13, 1.0])) == 0
    assert first_argmax(np.array([1.0, 1.0 + 1e-6, 1.0])) == 1
    assert first_argmax(np.array([0.0, 0.0])) == 0
    assert first_argmax(np.array([-2.0, -1.0])) == 1
    assert first_argmax(np.array([0.0, 1.0, -1e10])) == 1
    assert first_argmax(np.array([0.0, 1.0, 2.0]), scale=3e9) == 0


@pytest.mark.parametrize(
    ("N", "D", "seed"), [(5, 1, 0), (5, 5, 1), (40, 3, 2), (300, 10, 3), (2000, 4, 4), (60, 30, 5)]
)
def test_g_optimal_design(N, D, seed):
    X = np.random.default_rng(seed).standard_normal((N, D))
    support, zeta = g_optimal_design(X)
    assert zeta.min() > 0
    assert zeta.sum() == pytest.approx(1)
    assert len(support) <= support_bound(D)
    inverse = np.linalg.inv(X[support].T @ (zeta[:, None] * X[support]))
    assert np.einsum("ij,jk,ik->i", X, inverse, X).max() <= 2 * D


def test_g_optimal_design_works_in_the_span(rng):
    flat = rng.standard_normal((30, 2)) @ rng.standard_normal((2, 6))
    support, zeta = g_optimal_design(flat)
    pseudo = np.linalg.pinv(flat[support].T @ (zeta[:, None] * flat[support]))
    assert np.einsum("ij,jk,ik->i", flat, pseudo, flat).max() <= 2 * 2 + 1e-9


def test_g_optimal_design_can_be_tightened(rng):
    """By the Kiefer-Wolfowitz theorem the best possible value is D itself."""
    X = rng.standard_normal((100, 4))
    support, zeta = g_optimal_design(X, slack=1.1)
    inverse = np.linalg.inv(X[support].T @ (zeta[:, None] * X[support]))
    assert 4 - 1e-9 <= np.einsum("ij,jk,ik->i", X, inverse, X).max() <= 4.4


def test_support_bound():
    assert support_bound(1) == support_bound(2) // 2 == 72
    assert support_bound(100) == int(np.ceil(400 * (np.log(np.log(100)) + 18)))


def test_a_design_on_the_origin_alone_is_refused():
    with pytest.raises(UnswayedError, match="origin"):
        g_optimal_design(np.zeros((3, 2)))


@pytest.mark.parametrize("seed", range(10))
def test_the_dimension_of_a_design_is_that_of_the_span_of_its_arms(seed):
    """Arms in a plane, up to rounding errors: the design is one for two dimensions."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((30, 2)) @ rng.standard_normal((2, 4))
    support, weights = g_optimal_design(X, slack=1.2)
    gamma = X[support].T @ np.diag(weights) @ X[support]
    norms = np.einsum("ij,jk,ik->i", X, np.linalg.pinv(gamma, rcond=1e-9), X)
    assert weights.sum() == pytest.approx(1)
    assert norms.max() <= 1.2 * 2 * (1 + 1e-9)
    assert len(support) <= support_bound(2)
