import numpy as np
import pytest

from unswayed import GPUCB, Feedback, Matern, RobustGPUCB, SquaredExponential, UnswayedError, simulate
from unswayed.adversaries import TopK
from unswayed.policies.gp_ucb import LogDetBeta, SqrtLogBeta
from unswayed.problems import f1, table


def literal_gp_ucb(X, kernel, f, factor, lam, noise, T):
    """x_t = argmax mu + factor_t sigma with the T x T formulas of the paper."""
    plays, rewards = [], []
    for t in range(1, T + 1):
        mu, sigma = np.zeros(len(X)), np.sqrt(kernel.diagonal(X))
        if plays:
            inverse = np.linalg.inv(kernel(X[plays], X[plays]) + lam * np.eye(len(plays)))
            k = kernel(X, X[plays])
            mu = k @ inverse @ np.array(rewards)
            sigma = np.sqrt(kernel.diagonal(X) - np.einsum("ij,jk,ik->i", k, inverse, k))
        upper = mu + factor(t) * sigma
        plays.append(int(np.argmax(upper >= upper.max() - 1e-9 * np.abs(upper).max())))
        rewards.append(f[plays[-1]] + noise[t - 1])
    return plays


@pytest.mark.parametrize("robust", [False, True])
@pytest.mark.parametrize("lam", [0.05, 1.0])
def test_equals_the_literal_algorithm(robust, lam, rng):
    X = rng.uniform(-1, 1, (15, 2))
    kernel = Matern(2.5, 0.5)
    f = np.sin(4 * X[:, 0]) - X[:, 1]
    C, b = 8.0, 0.25
    beta = SqrtLogBeta(0.7)
    policy = GPUCB(X, kernel, beta=beta, lam=lam)
    extra = 0.0
    if robust:
        policy = RobustGPUCB(X, kernel, beta=beta, lam=lam, corruption_budget=C, b=b)
        extra = b * C / np.sqrt(lam)
    problem = table(X, f, kernel=kernel, noise_std=0.3)
    run = simulate(problem, policy, TopK(1), budget=0, horizon=120, seed=3)
    noise_stream = np.random.SeedSequence(3).spawn(3)[1]
    noise = 0.3 * np.random.default_rng(noise_stream).standard_normal(120)
    plays = literal_gp_ucb(X, kernel, f, lambda t: 0.7 * np.sqrt(np.log(t)) + extra, lam, noise, 120)
    assert np.repeat(run.arms, run.repeats).tolist() == plays
    assert len(set(plays)) > 1


def test_the_first_round_goes_to_arm_0():
    problem = f1()
    policy = GPUCB(problem.domain, problem.kernel)
    assert policy.ask(policy.init(), np.random.default_rng(0)).arms.tolist() == [0]


def test_log_det_beta_follows_the_posterior():
    problem = f1()
    policy = GPUCB(problem.domain, problem.kernel, beta=LogDetBeta(8.0, 0.02, 0.05), lam=0.5)
    view = policy.view(policy.init())
    beta = 8.0 + 0.02 / np.sqrt(0.5) * np.sqrt(2 * np.log(20))
    assert np.allclose(view.upper, beta)
    assert np.allclose(view.lower, -beta)


@pytest.mark.parametrize(
    ("change", "reason"), [({"lam": -1.0}, "lam"), ({"corruption_budget": np.inf}, "budget"), ({"b": -0.1}, "b must")]
)
def test_bad_settings_are_refused(change, reason):
    good = {"domain": [[0.0], [1.0]], "kernel": SquaredExponential(), "corruption_budget": 1.0}
    with pytest.raises(UnswayedError, match=reason):
        RobustGPUCB(**{**good, **change})


def test_a_bad_beta_is_refused():
    with pytest.raises(UnswayedError, match="beta"):
        SqrtLogBeta(-1.0)


def test_tell_advances_t_by_the_plays():
    policy = GPUCB([[0.0], [1.0]], SquaredExponential())
    assert policy.tell(policy.init(), Feedback([0, 1], [5, 2], [0.1, 0.2])).t == 8


def test_one_huge_lie_does_not_tie_the_other_arms():
    """The tolerance of ties follows the widths, not the values: 1e10 on one arm must not blur the rest."""
    policy = GPUCB(np.arange(3.0)[:, None] * 10, SquaredExponential())
    state = policy.tell(policy.init(), Feedback([0, 1, 2], [1, 100, 1], [0.0, 1.0, -1e10]))
    assert policy.recommend(state) == 1
    greedy = GPUCB(np.arange(3.0)[:, None] * 10, SquaredExponential(), beta=SqrtLogBeta(1e-3))
    state = greedy.tell(greedy.init(), Feedback([0, 1, 2], [1, 100, 1], [0.0, 1.0, -1e10]))
    assert greedy.ask(state, np.random.default_rng(0)).arms.tolist() == [1]


def test_lam_below_the_rounding_error_is_refused():
    with pytest.raises(UnswayedError, match="lam of at least"):
        GPUCB([[0.0], [1.0]], SquaredExponential(), lam=1e-12)
