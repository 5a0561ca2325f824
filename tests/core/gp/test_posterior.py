"""The posterior against exact arithmetic, the paper's T x T formulas, and its own symmetries."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unswayed import Linear, Matern, Posterior, SquaredExponential, UnswayedError
from unswayed.core.gp.posterior import JointPosterior, mean_rewards
from unswayed.core.gp.system import LARGEST_CONDITION


def oracle(K, ybar, n, lam, K_xS, k_xx):
    """Mean and variance with 50 digits, from the same doubles."""
    with mpmath.workdps(50):
        m = len(n)
        A = mpmath.matrix(K.tolist())
        for i in range(m):
            A[i, i] += mpmath.mpf(lam) / int(n[i])
        rhs = mpmath.matrix(m, 1 + len(K_xS))
        for i in range(m):
            rhs[i, 0] = float(ybar[i])
            for j in range(len(K_xS)):
                rhs[i, 1 + j] = float(K_xS[j, i])
        LU, p = mpmath.mp.LU_decomp(A)
        solved = []
        for j in range(rhs.cols):
            column = mpmath.mp.U_solve(LU, mpmath.mp.L_solve(LU, rhs[:, j], p))
            solved.append([column[i] for i in range(m)])
        mean, variance = [], []
        for j in range(len(K_xS)):
            k = [mpmath.mpf(float(v)) for v in K_xS[j]]
            mean.append(float(sum(a * b for a, b in zip(k, solved[0], strict=True))))
            variance.append(
                float(mpmath.mpf(float(k_xx[j])) - sum(a * b for a, b in zip(k, solved[1 + j], strict=True)))
            )
        return np.array(mean), np.array(variance)


@st.composite
def problems(draw):
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    d = draw(st.integers(1, 10))
    m = draw(st.integers(1, 60) if draw(st.integers(0, 4)) == 0 else st.integers(1, 16))
    lam = 10 ** draw(st.floats(-8, 1))
    lengthscale = 10 ** draw(st.floats(-1, 1))
    X = rng.uniform(-1, 1, (m + 3, d))
    kernel = draw(
        st.sampled_from(
            [SquaredExponential(lengthscale), Matern(1.5, lengthscale), Matern(0.9, lengthscale), Linear(np.sqrt(d))]
        )
    )
    n = np.ceil(10 ** rng.uniform(0, draw(st.floats(0, 7)), m))
    y = rng.standard_normal(m) * 10 ** draw(st.floats(-3, 3))
    K = kernel(X, X)
    return K[:m, :m], y, n, lam, K[:, :m], np.diag(K).copy()


def agrees_with_fifty_digits(problem):
    K, y, n, lam, K_xS, k_xx = problem
    posterior = Posterior.fit(K, y, n, lam)
    mu, sigma = posterior.predict(K_xS, k_xx)
    mean, variance = oracle(K, y, n, lam, K_xS, k_xx)
    condition = np.linalg.cond(K + np.diag(lam / n))
    if posterior.jitter == 0:
        allowed = max(1e-11, 1e-15 * len(y) * condition)
        assert np.abs(mu - mean).max() <= allowed * np.abs(y).max()
        assert (np.abs(sigma**2 - variance) <= allowed * np.maximum(k_xx, 1e-300)).all()
    else:  # recorded, and never narrower than the truth
        assert condition > LARGEST_CONDITION / 100
        assert (sigma**2 >= variance - 1e-15).all()


test_n1_agrees_with_fifty_digits = settings(max_examples=12)(given(problems())(agrees_with_fifty_digits))
test_n1_on_many_problems = pytest.mark.slow(settings(max_examples=300)(given(problems())(agrees_with_fifty_digits)))


def test_n1_beyond_the_largest_condition_the_jitter_is_recorded():
    K = np.ones((3, 3))
    posterior = Posterior.fit(K, np.array([1.0, 2.0, 3.0]), np.full(3, 1e7), 1e-8)
    assert posterior.jitter > 0
    assert posterior.condition <= LARGEST_CONDITION
    mu, sigma = posterior.predict(K, np.ones(3))
    assert mu == pytest.approx([2.0, 2.0, 2.0], rel=1e-3)
    assert (sigma**2 >= 1e-15 / 3).all()


def dense(kernel, X, plays, rewards, lam):
    """Equations (5) and (6) on all T plays, as the paper writes them."""
    P = X[plays]
    weights = np.linalg.inv(kernel(P, P) + lam * np.eye(len(plays)))
    k = kernel(X, P)
    return k @ weights @ rewards, kernel.diagonal(X) - np.einsum("ij,jk,ik->i", k, weights, k)


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 6))])
def test_n2_equals_the_dense_formula(seed):
    rng = np.random.default_rng(seed)
    T = int(rng.integers(2, 2000)) if seed else 2000
    X = rng.uniform(-2, 2, (int(rng.integers(2, 40)), 2))
    kernel, lam = Matern(2.5, 0.7), 10 ** rng.uniform(-2, 1)
    plays = rng.integers(0, len(X), T)
    rewards = np.sin(X[plays, 0]) + 0.1 * rng.standard_normal(T)
    mean, variance = dense(kernel, X, plays, rewards, lam)
    S, n = np.unique(plays, return_counts=True)
    ybar = np.array([rewards[plays == arm].mean() for arm in S])
    mu, sigma = Posterior.fit(kernel(X[S], X[S]), ybar, n, lam).predict(kernel(X, X[S]), kernel.diagonal(X))
    assert np.abs(mu - mean).max() < 1e-9
    assert np.abs(sigma**2 - variance).max() < 1e-9
    # The paper's averaged estimator, each reward replaced by its arm's mean, is the same thing.
    averaged = np.array([rewards[plays == arm].mean() for arm in plays])
    assert np.abs(dense(kernel, X, plays, averaged, lam)[0] - mean).max() < 1e-9


def test_n2_a_billion_plays_cost_what_sixty_do(rng):
    X = rng.uniform(-1, 1, (60, 3))
    kernel = SquaredExponential(0.3)
    K = kernel(X, X)
    y = rng.standard_normal(60)
    mu, sigma = Posterior.fit(K, y, np.full(60, 10**9 // 60), 1.0).predict(K, np.ones(60))
    assert np.abs(mu - y).max() < 1e-3
    assert (sigma**2 <= 60 / 1e9).all()
    assert (sigma > 0).all()


@pytest.mark.parametrize(
    ("points", "lengthscale"),
    [
        ([[0.0]], 1.0),
        ([[0.0], [0.0], [0.0]], 1.0),
        ([[0.0], [1e-16], [1.0]], 1.0),
        ([[0.0], [0.5], [1.0]], 1e-6),
        ([[0.0], [0.5], [1.0]], 1e6),
    ],
)
@pytest.mark.parametrize("lam", [1e-8, 1.0])
@pytest.mark.parametrize("count", [1, 10**7])
def test_n3_degenerate_inputs(points, lengthscale, lam, count):
    X = np.array(points)
    for kernel in (SquaredExponential(lengthscale), Matern(1.5, lengthscale)):
        for y in (np.ones(len(X)), np.arange(len(X), dtype=float)):
            K = kernel(X, X)
            posterior = Posterior.fit(K, y, np.full(len(X), count), lam)
            grid = np.linspace(-1, 2, 7)[:, None]
            mu, sigma = posterior.predict(kernel(grid, X), np.ones(7))
            assert np.isfinite(mu).all()
            assert (sigma > 0).all()
            assert (sigma <= 1 + 1e-9).all()
            assert posterior.condition <= LARGEST_CONDITION


@st.composite
def small_problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    m = draw(st.integers(2, 8))
    X = rng.uniform(-1, 1, (m + 3, 2))
    kernel = draw(st.sampled_from([SquaredExponential(0.5), Matern(1.5, 0.6), Linear(np.sqrt(2))]))
    return kernel, X, rng.standard_normal(m), rng.integers(1, 50, m), 10 ** rng.uniform(-2, 1), rng


def fitted(kernel, X, y, n, lam):
    S = X[: len(y)]
    return Posterior.fit(kernel(S, S), y, n, lam).predict(kernel(X, S), kernel.diagonal(X))


@settings(max_examples=1000)
@given(small_problems())
def test_n4_permuting_arms_permutes_answers(problem):
    kernel, X, y, n, lam, rng = problem
    order = rng.permutation(len(y))
    X2 = np.concatenate([X[: len(y)][order], X[len(y) :]])
    mu, sigma = fitted(kernel, X, y, n, lam)
    mu2, sigma2 = fitted(kernel, X2, y[order], n[order], lam)
    assert np.allclose(mu2[: len(y)], mu[: len(y)][order], atol=1e-9)
    assert np.allclose(mu2[len(y) :], mu[len(y) :], atol=1e-9)
    assert np.allclose(sigma2[len(y) :], sigma[len(y) :], atol=1e-7)


@settings(max_examples=1000)
@given(small_problems())
def test_n4_merging_repeats_changes_nothing(problem):
    kernel, X, y, n, lam, _ = problem
    X = X.copy()
    X[1] = X[0]  # the same point listed twice, against the merged list
    merged = (n[0] * y[0] + n[1] * y[1]) / (n[0] + n[1])
    mu, sigma = fitted(kernel, X, y, n, lam)
    mu2, sigma2 = fitted(kernel, X[1:], np.r_[merged, y[2:]], np.r_[n[0] + n[1], n[2:]], lam)
    assert np.allclose(mu[1:], mu2, atol=1e-8)
    assert np.allclose(sigma[1:] ** 2, sigma2**2, atol=1e-9)


@settings(max_examples=1000)
@given(small_problems())
def test_n4_more_data_never_raises_a_variance(problem):
    kernel, X, y, n, lam, rng = problem
    more = n + rng.integers(0, 5, len(n))
    _, sigma = fitted(kernel, X, y[:-1], n[:-1], lam)
    _, with_more = fitted(kernel, X, y[:-1], more[:-1], lam)
    _, with_another = fitted(kernel, X, y, n, lam)
    assert (with_more <= sigma + 1e-9).all()
    assert (with_another <= sigma + 1e-9).all()


def test_covariance_extends_the_deviation(rng):
    X = rng.uniform(-1, 1, (9, 2))
    kernel = Matern(2.5, 0.5)
    S, n, lam = X[:5], np.array([1, 7, 2, 30, 4]), 0.3
    posterior = Posterior.fit(kernel(S, S), rng.standard_normal(5), n, lam)
    mu, sigma = posterior.predict(kernel(X, S), np.ones(9))
    literal = kernel(X, X) - kernel(X, S) @ np.linalg.inv(kernel(S, S) + np.diag(lam / n)) @ kernel(S, X)
    assert np.allclose(posterior.covariance, literal[:5, :5], atol=1e-12)
    assert np.allclose(posterior.deviation, sigma[:5], atol=1e-12)
    assert np.allclose(posterior.mean, mu[:5], atol=1e-12)
    everywhere = JointPosterior.fit(kernel(X, X), np.r_[posterior.means, np.zeros(4)], np.r_[n, np.zeros(4)], lam)
    assert np.allclose(everywhere.covariance, literal, atol=1e-12)
    assert np.allclose(everywhere.deviation, sigma, atol=1e-12)


def test_rank_one_extension_equals_the_fit(rng):
    X = rng.uniform(-1, 1, (12, 2))
    kernel, lam = Matern(1.5, 0.5), 0.2
    joint = JointPosterior.prior(kernel(X, X), lam)
    counts, totals = np.zeros(12), np.zeros(12)
    for _ in range(60):
        arm, n = int(rng.integers(12)), int(rng.integers(1, 9))
        rewards = rng.standard_normal(n)
        joint = joint.extend(arm, n, rewards.sum())
        counts[arm] += n
        totals[arm] += rewards.sum()
    S = counts > 0
    posterior = Posterior.fit(kernel(X[S], X[S]), totals[S] / counts[S], counts[S], lam)
    mu, sigma = posterior.predict(kernel(X, X[S]), np.ones(12))
    assert np.allclose(joint.mean, mu, atol=1e-11)
    assert np.allclose(joint.deviation, sigma, atol=1e-11)
    at_once = JointPosterior.fit(kernel(X, X), mean_rewards(totals, counts), counts, lam)
    assert np.allclose(joint.covariance, at_once.covariance, atol=1e-11)
    K_S = kernel(X[S], X[S])
    sign, log_det = np.linalg.slogdet(np.eye(S.sum()) + K_S * counts[S] / lam)
    assert sign == 1
    assert joint.log_det == pytest.approx(log_det, rel=1e-11)


def test_a_variance_below_its_rounding_error_is_widened_not_clipped():
    X = np.linspace(0, 1, 8)[:, None]
    kernel = SquaredExponential(1.0)
    posterior = Posterior.fit(kernel(X, X), np.zeros(8), np.full(8, 10**6), 1e-8)
    _, sigma = posterior.predict(kernel(X, X), np.ones(8))
    assert (sigma > 0).all()
    assert (sigma**2 < 1e-9).all()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"means": [np.nan, 1.0]}, "rewards must be finite"),
        ({"means": [np.inf, 1.0]}, "rewards must be finite"),
        ({"counts": [0, 1]}, "counts must be positive"),
        ({"lam": 0.0}, "lam must be finite and positive"),
        ({"lam": np.nan}, "lam must be finite and positive"),
        ({"means": [1.0]}, "one mean and count"),
        ({"K_SS": np.zeros((0, 0)), "means": [], "counts": []}, "one mean and count"),
    ],
)
def test_bad_input_is_refused(change, reason):
    good = {"K_SS": np.eye(2), "means": [1.0, 2.0], "counts": [1, 2], "lam": 1.0}
    with pytest.raises(UnswayedError, match=reason):
        Posterior.fit(**{**good, **change})


def test_growth_the_cost_does_not_depend_on_the_number_of_plays(rng):
    """Counts enter one diagonal: the arrays are of the same size for 10 and for 10^12 plays of each arm."""
    K = SquaredExponential(0.2)(X := rng.uniform(-1, 1, (50, 2)), X)
    few, many = (Posterior.fit(K, np.ones(50), np.full(50, n), 1.0) for n in (10, 10**12))
    assert few.factor.shape == many.factor.shape == (50, 50)
