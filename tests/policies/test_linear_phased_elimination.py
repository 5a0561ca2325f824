from dataclasses import replace

import numpy as np
import pytest

from unswayed import Linear, LinearPhasedElimination, Matern, UnswayedError, simulate
from unswayed.adversaries import Flip, NoAttack, TopK
from unswayed.core.design.g_optimal import g_optimal_design, support_bound
from unswayed.core.theory import bounds
from unswayed.policies.linear_phased_elimination import balanced_error, matern_error
from unswayed.problems import f1, linear, table
from unswayed.types import Feedback


def on(problem, C, T, **settings):
    settings = {"error": balanced_error(T), "noise_std": problem.noise_std, **settings}
    settings = {"corruption_budget": C, "horizon": T, "norm_bound": problem.norm, **settings}
    return LinearPhasedElimination(problem.domain, problem.kernel, **settings)


def test_one_epoch_is_algorithm_3():
    """Lines 1 to 6 written out: theta from sums over plays, elimination by the printed rule (with sigma)."""
    problem, T, C = linear(1), 100_000, 5.0
    policy = on(problem, C, T)
    X = policy.features
    D = X.shape[1]
    assert D == 5
    state = policy.init()
    query = policy.ask(state, np.random.default_rng(0))
    m_0, alpha = support_bound(5), 1 / support_bound(5)
    assert (query.repeats >= np.ceil(m_0 * alpha)).all()
    u = query.repeats
    assert m_0 <= u.sum() <= m_0 * (1 + alpha * m_0) + len(u)
    rng = np.random.default_rng(1)
    plays = np.repeat(query.arms, u)
    rewards = problem.f[plays] + 0.02 * rng.standard_normal(len(plays))
    Gamma = sum(n * np.outer(X[a], X[a]) for a, n in zip(query.arms, u, strict=True))
    theta = np.linalg.solve(Gamma, sum(X[a] * y for a, y in zip(plays, rewards, strict=True)))
    estimate = X @ theta
    delta = 0.05 / (2 * 200 * np.log2(T))
    width = bounds.linear_width(balanced_error(T), C, 0.02, delta, alpha, m_0, m_0, D)
    after = policy.tell(state, Feedback.from_rewards(plays, rewards))
    assert after.active.tolist() == np.flatnonzero(estimate.max() - estimate <= width).tolist()
    assert np.allclose(after.width, width / 2, rtol=1e-12)
    assert np.allclose(after.mean, estimate[after.active], atol=1e-10)


def test_alpha_is_the_least_share_in_line_3_and_in_the_width_of_line_6(rng):
    X = np.random.default_rng(0).standard_normal((50, 10))
    problem = table(X, X[:, 0], kernel=Linear.enclosing(X), noise_std=0.02)
    T, C, D, alpha, m_0 = 100_000, 5.0, 10, 0.07, support_bound(10)
    policy = on(problem, C, T, alpha=alpha)
    support, zeta = g_optimal_design(policy.features)
    assert zeta.min() < alpha < zeta.max()  # it binds for some arms, and not for all
    for h in range(2):
        state, m_h = replace(policy.init(), h=h), m_0 * 2**h
        query = policy.ask(state, rng)
        assert query.arms.tolist() == support.tolist()
        assert query.repeats.tolist() == [int(np.ceil(m_h * max(share, alpha))) for share in zeta]
        after = policy.tell(state, Feedback(query.arms, query.repeats, problem.f[query.arms]))
        q = np.sqrt(D * (1 + alpha * m_0))
        noise = 0.02 * np.sqrt(D * np.log(2 * 50 * np.log2(T) / 0.05) / m_h)
        width = 4 * (balanced_error(T) * q + noise + C * q / (alpha * m_h))
        assert np.allclose(2 * after.width, width, rtol=1e-12)


def test_alpha_is_one_over_m_0_unless_it_is_given(rng):
    problem = linear(0)
    default, given = on(problem, 5.0, 10**5), on(problem, 5.0, 10**5, alpha=1 / support_bound(5))
    runs = [simulate(problem, policy, Flip(), budget=5.0, horizon=10**5, seed=1) for policy in (default, given)]
    assert runs[0].regret == runs[1].regret
    assert np.array_equal(runs[0].repeats, runs[1].repeats)


@pytest.mark.parametrize("alpha", [1e-3, 0.05, 0.9])
@pytest.mark.parametrize("attack", [TopK(5), Flip()], ids=repr)
def test_the_best_arm_survives_with_any_alpha(alpha, attack):
    eliminated = 0
    for draw in range(5):
        problem = linear(draw)
        run = simulate(problem, on(problem, 5.0, 10**6, alpha=alpha), attack, budget=5.0, horizon=10**6, seed=draw)
        assert problem.best_arm in run.active
        eliminated += len(run.active) < 100
    assert eliminated == 5


def test_line_5_weighs_arms_by_their_plays():
    policy = on(linear(1), 5.0, 10**5, error=0.003)
    arms, repeats = np.arange(10), np.arange(1, 11)
    means = linear(1).f[arms] + 0.1 * np.random.default_rng(1).standard_normal(10)
    X = policy.features
    theta = np.linalg.lstsq(X[np.repeat(arms, repeats)], np.repeat(means, repeats), rcond=None)[0]
    after = policy.tell(policy.init(), Feedback(arms, repeats, means))
    assert np.allclose(after.mean, (X @ theta)[after.active], atol=1e-10)


@pytest.mark.parametrize("attack", [NoAttack(), TopK(5), Flip()], ids=repr)
def test_it_finds_the_best_of_a_linear_problem(attack):
    problem = linear(0)
    run = simulate(problem, on(problem, 20.0, 10**7), attack, budget=20.0, horizon=10**7, seed=0)
    assert problem.best_arm in run.active
    assert len(run.active) < 20
    assert run.recommended_gap <= 0.05


def test_it_cannot_eliminate_on_f1():
    """As expected at these constants: D is about 100, so epoch 0 alone takes about 7,800 plays."""
    problem, T = f1(), 50_000
    policy = on(problem, 50.0, T)
    assert policy.features.shape == (100, 100)
    assert 7_700 < policy.m_0 < 7_900
    run = simulate(problem, policy, NoAttack(), budget=50.0, horizon=T, seed=0)
    assert len(run.active) == 100


def test_both_choices_of_the_error(rng):
    T = 10_000
    X = rng.uniform(-1, 1, (60, 1))
    kernel = Matern(1.5, 0.5)
    problem = table(X, np.sin(3 * X[:, 0]), kernel=kernel)
    assert balanced_error(T) == pytest.approx(0.01)
    assert matern_error(T, 1, 1.5) == pytest.approx(T**-0.6)
    coarse, fine = (on(problem, 1.0, T, error=e) for e in (balanced_error(T), matern_error(T, 1, 1.5)))
    assert coarse.features.shape[1] < fine.features.shape[1] <= 60
    for policy in (coarse, fine):
        run = simulate(problem, policy, NoAttack(), budget=0, horizon=T, seed=0)
        assert problem.best_arm in run.active


def test_where_the_active_arms_no_longer_span(rng):
    """Three arms left in five dimensions: the design and the estimate work in their span."""
    problem = linear(0)
    policy = on(problem, 0.0, 10**6)
    state = policy.init()
    few = replace(state, h=3, active=np.array([4, 50, 120]), mean=np.zeros(3), width=np.zeros(3))
    query = policy.ask(few, rng)
    assert set(query.arms) <= {4, 50, 120}
    after = policy.tell(few, Feedback(query.arms, query.repeats, problem.f[query.arms]))
    assert np.allclose(after.mean, problem.f[after.active], atol=1e-8)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"noise_std": np.nan}, "noise"),
        ({"error": 0.0}, "error"),
        ({"delta": 0.0}, "delta"),
        ({"delta": 1.0}, "delta"),
        ({"alpha": 0.0}, "alpha"),
        ({"alpha": 1.0}, "alpha"),
        ({"alpha": np.nan}, "alpha"),
    ],
)
def test_bad_settings_are_refused(change, reason):
    with pytest.raises(UnswayedError, match=reason):
        on(linear(0), 1.0, 100, **change)
