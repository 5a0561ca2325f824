"""The certified policies: coverage under every attack, tight bands, regret near the price of robustness."""

from dataclasses import replace

import numpy as np
import pytest

from unswayed import InfluencePhasedElimination, InfluenceUCB, SquaredExponential, UnswayedError, certificate, simulate
from unswayed.adversaries import NoAttack, Strongest, TopK
from unswayed.core.design.information import gain_upper_bound
from unswayed.core.gp.posterior import JointPosterior
from unswayed.core.tampering.influence import influence_width
from unswayed.core.theory import bounds
from unswayed.experiments.registry import PAPER_ATTACKS, STARTS, make_attack, make_policy, make_start
from unswayed.policies.influence_ucb import confidence_weight
from unswayed.problems import f1, linear, table, three_arms
from unswayed.types import Feedback

N, B, SIGMA, DELTA = 10, 1.5, 0.3, 0.05


def random_problem(seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (N, 1))
    kernel = SquaredExponential(0.3)
    K = kernel(X, X)
    weights = rng.standard_normal(N)
    f = K @ weights * B / np.sqrt(weights @ K @ weights)
    return table(X, f, kernel=kernel, noise_std=SIGMA)


def walk(problem, policy, adversary, C, rounds, seed):
    """Play by play: whether any arm left its band at any time, and what was spent."""
    rng = np.random.default_rng(seed)
    state, left, missed = policy.init(), C, False
    while rounds > 0:
        view = policy.view(state)
        f = problem.f[view.active]
        missed |= bool(((f < view.lower - 1e-12) | (f > view.upper + 1e-12)).any())
        query = policy.ask(state, rng)
        wanted = adversary.corrupt(problem.f, view, rng)
        means = []
        for arm, n in zip(query.arms, query.repeats, strict=True):
            paid = min(abs(wanted[arm]) * n, left)
            left -= paid
            mean = problem.f[arm] + SIGMA * rng.standard_normal() / np.sqrt(n) + np.sign(wanted[arm]) * paid / n
            means.append(mean)
        state = policy.tell(state, Feedback(query.arms, query.repeats, means))
        rounds -= query.plays
    return missed, problem.best_arm in policy.view(state).active


ATTACKS = (*PAPER_ATTACKS, "strongest", "spikes-hide", "liar")


@pytest.mark.parametrize(
    ("attack", "runs", "most"),
    [
        ("clipping", 30, 6),
        ("strongest", 30, 6),
        *(pytest.param(one, 200, 24, marks=pytest.mark.slow) for one in ATTACKS),
    ],
)
@pytest.mark.parametrize("name", ["influence-ucb", "influence-pe"])
def test_t1_coverage(name, attack, runs, most):
    """Norm exactly B, the budget spent on every attack: misses and lost best arms are as rare as delta = 0.05 says."""
    C, misses, lost = 6.0, 0, 0
    for seed in range(runs):
        problem = random_problem(seed)
        policy = make_policy(name, problem, C, 200)
        assert policy.norm_bound == pytest.approx(B, rel=1e-6)
        missed, kept = walk(
            problem, policy, make_attack(attack, problem), C, 100 if name == "influence-ucb" else 500, seed
        )
        misses += missed
        lost += not kept
    assert misses <= most
    if name == "influence-pe":
        assert lost <= most


def epoch_data(seed, lam):
    problem = random_problem(seed)
    policy = InfluencePhasedElimination(
        problem.domain, problem.kernel, corruption_budget=5.0, norm_bound=B, noise_std=SIGMA, lam=lam
    )
    state = policy.init()
    rng = np.random.default_rng(seed)
    for _ in range(6):
        query = policy.ask(state, rng)
        state = policy.tell(state, Feedback(query.arms, query.repeats, problem.f[query.arms]))
    return problem, policy, query


@pytest.mark.parametrize("lam", [0.05, 1.0, 20.0])
@pytest.mark.parametrize("seed", range(15))
def test_the_width_is_never_larger_than_the_papers(seed, lam):
    """On the same data, at the same lam: against Lemma 1 (corrected) and against RGP-UCB's band."""
    problem, _, query = epoch_data(seed, lam)
    K = problem.kernel(problem.domain, problem.domain)
    counts = np.zeros(N)
    counts[query.arms] = query.repeats
    posterior = JointPosterior.fit(K, problem.f, counts, lam)
    width = influence_width(posterior.covariance, counts > 0, 5.0, lam)
    u_h, u_min = int(query.repeats.sum()), int(query.repeats.min())
    lemma = bounds.theory_factor(0.0, 5.0, lam, 1.0, u_min, u_h) * posterior.deviation
    robust = bounds.robust_ucb_factor(0.0, 5.0, 1.0, lam) * posterior.deviation
    assert (width <= lemma * (1 + 1e-9)).all()
    assert (width <= robust * (1 + 1e-9)).all()


@pytest.mark.parametrize("seed", range(20))
def test_the_strongest_attack_attains_the_width(seed):
    """The moment it strikes, it moves the estimate of the best arm by at least 0.99 of its influence width."""
    problem, C = random_problem(seed), 6.0
    policy = make_policy("influence-ucb", problem, C, 400)
    rng, state, adversary = np.random.default_rng(seed), policy.init(), Strongest()
    for _ in range(400):
        arm = int(policy.ask(state, rng).arms[0])
        wanted = adversary.corrupt(problem.f, policy.view(state), rng)[arm]
        reward = problem.f[arm] + SIGMA * rng.standard_normal()
        honest = policy.tell(state, Feedback([arm], [1], [reward]))
        if wanted != 0:
            break
        state = honest
    struck = policy.tell(state, Feedback([arm], [1], [reward + np.sign(wanted) * C]))
    moved = struck.plain.mean - honest.plain.mean
    width = influence_width(honest.plain.covariance, honest.plain.counts > 0, C, policy.regularisation)
    assert moved[problem.best_arm] < 0
    assert 0.99 * width[problem.best_arm] <= -moved[problem.best_arm]
    assert (np.abs(moved) <= width * (1 + 1e-9)).all()


def test_the_older_policies_break_where_their_width_lies():
    """One unit against GP-UCB, the whole budget at once against RGP-UCB with b = 0.1; influence-UCB holds."""
    problem, T = f1(), 10_000
    for name, stake, budget, holds in (
        ("gp-ucb", 1.0, 1.0, False),
        ("rgp-ucb", np.inf, 50.0, False),
        ("influence-ucb", np.inf, 50.0, True),
    ):
        policy = make_policy(name, problem, 50.0, T)
        run = simulate(problem, policy, Strongest(stake), budget=budget, horizon=T, seed=0)
        assert (run.recommended_gap == 0) == holds, name


@pytest.mark.parametrize("attack", ["none", "clipping", "top-3", "flip"])
@pytest.mark.parametrize("draw", [10, 11, 12, 13, 14])
def test_regret_is_near_the_price_of_robustness(draw, attack):
    """f1, T = 50,000, true B, delta = 0.05: at most 1.2 (N-1) C."""
    problem, C = f1(draw), 50.0
    policy = make_policy("influence-ucb", problem, C, 50_000)
    run = simulate(problem, policy, make_attack(attack, problem), budget=C, horizon=50_000, seed=0)
    assert run.regret <= 1.2 * 99 * C
    assert run.recommended_gap == 0


def test_without_corruption_it_pays_about_the_sum_of_gaps():
    problem = f1()
    run = simulate(
        problem, make_policy("influence-ucb", problem, 0.0, 50_000), NoAttack(), budget=0, horizon=50_000, seed=0
    )
    assert run.regret <= 1.25 * problem.gaps.sum()


@pytest.mark.parametrize("C", [50.0, 200.0])
@pytest.mark.parametrize("attack", ["none", "top-5", "flip"])
def test_linear_regret_bound(C, attack):
    problem = linear()
    policy = make_policy("influence-ucb", problem, C, 20_000)
    run = simulate(problem, policy, make_attack(attack, problem), budget=C, horizon=20_000, seed=0)
    assert run.regret <= 2.5 * C * 5


def test_influence_pe_grows_linearly_in_the_budget():
    """Slope between 0.3 and 3 times gamma_T, at the same lam, for three kernels; and its epochs end."""
    T, rng = 10**6, np.random.default_rng(0)
    X = rng.uniform(-5, 5, (60, 2))
    smooth = table(X, np.sin(X[:, 0]) + 0.5 * np.cos(X[:, 1]), kernel=SquaredExponential(1.5))
    for problem in (f1(), linear(), smooth):
        K = problem.kernel(problem.domain, problem.domain)
        gamma, _ = gain_upper_bound(K, problem.noise_std**2, T)
        budgets = [0.0, 10.0, 25.0, 50.0]
        runs = [
            simulate(problem, make_policy("influence-pe", problem, C, T), TopK(5), budget=C, horizon=T, seed=0)
            for C in budgets
        ]
        slope = np.polyfit(budgets, [run.regret for run in runs], 1)[0]
        assert 0.3 * gamma <= slope <= 3 * gamma, (problem.name, slope / gamma)
        assert all(problem.best_arm in run.active for run in runs)
    theory = make_policy("rgp-pe", f1(), 50.0, T, settings=_theory())
    assert len(simulate(f1(), theory, NoAttack(), budget=0, horizon=T, seed=0).active) == 100
    certified = make_policy("influence-pe", f1(), 50.0, T)
    assert len(simulate(f1(), certified, NoAttack(), budget=0, horizon=T, seed=0).active) < 100


def _theory():
    from unswayed.experiments.settings import PolicySettings

    return PolicySettings(width="theory", psi="theorem")


def test_three_arms():
    """The plain index grows like sqrt(T); with confidence weights, and in phases, regret is flat."""
    regrets = {"plain": [], "weighted": [], "phased": []}
    for T in (20_000, 320_000):
        problem = three_arms(10.0, T)
        ucb = make_policy("influence-ucb", problem, 10.0, T)
        policies = {
            "plain": replace(ucb, weighted=False),
            "weighted": ucb,
            "phased": make_policy("influence-pe", problem, 10.0, T),
        }
        for name, policy in policies.items():
            run = simulate(problem, policy, NoAttack(), budget=0, horizon=T, seed=0)
            regrets[name].append(run.regret)
    assert regrets["plain"][1] > 2 * regrets["plain"][0]  # sqrt(16) = 4 in the limit
    assert regrets["weighted"][1] < 1.5 * regrets["weighted"][0]
    assert regrets["phased"][1] < 1.5 * regrets["phased"][0]


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("attack", ["none", "top-3", "flip"])
def test_compiled_and_plain_loop_are_identical(attack, start):
    problem = f1()
    policy = make_policy("influence-ucb", problem, 15.0, 700)
    fast, plain = (
        simulate(
            problem,
            policy,
            make_attack(attack, problem),
            budget=15.0,
            horizon=700,
            seed=4,
            start=make_start(start),
            fast=fast,
        )
        for fast in (True, False)
    )
    assert np.array_equal(fast.arms, plain.arms)
    assert np.array_equal(fast.repeats, plain.repeats)
    assert np.allclose(fast.rewards, plain.rewards, atol=1e-9)
    assert fast.corruption_spent == pytest.approx(plain.corruption_spent)


def test_the_compiled_loop_goes_on_where_a_chunk_ends(monkeypatch):
    problem = f1()
    policy = make_policy("influence-ucb", problem, 5.0, 900)
    whole = simulate(problem, policy, TopK(3), budget=5.0, horizon=900, seed=2)
    monkeypatch.setattr("unswayed.simulation.compiled_influence.ROUNDS_AT_ONCE", 13)
    parts = simulate(problem, policy, TopK(3), budget=5.0, horizon=900, seed=2)
    assert np.array_equal(whole.arms, parts.arms)
    assert np.array_equal(whole.repeats, parts.repeats)


def test_the_weighted_posterior_is_the_weighted_formula(rng):
    """Against the dense formula with a weight for each play: A = K + lam diag(1/w)."""
    problem = random_problem(0)
    policy = replace(make_policy("influence-ucb", problem, 4.0, 100), alpha=0.3)
    state, arms, rewards, weights = policy.init(), [], [], []
    for _ in range(40):
        arm = int(rng.integers(N))
        w = min(1.0, 0.3 * np.sqrt(policy.regularisation) / state.weighted.deviation[arm])
        reward = problem.f[arm] + rng.standard_normal()
        state = policy.tell(state, Feedback([arm], [1], [reward]))
        arms.append(arm), rewards.append(reward), weights.append(w)
    K = problem.kernel(problem.domain, problem.domain)
    A = K[np.ix_(arms, arms)] + policy.regularisation * np.diag(1 / np.array(weights))
    k = K[:, arms]
    assert np.allclose(state.weighted.mean, k @ np.linalg.solve(A, rewards), atol=1e-9)
    assert np.allclose(state.weighted.covariance, K - k @ np.linalg.solve(A, k.T), atol=1e-9)
    assert state.weights[arms[0]] == max(w for a, w in zip(arms, weights, strict=True) if a == arms[0])


def test_confidence_weight():
    b = 2 * 0.5 + 0.1 * np.sqrt(2 * np.log(2 / 0.05) + 2 * 7.0)
    assert confidence_weight(2.0, 0.1, 0.25, 0.05, 7.0, 100.0) == pytest.approx(b / 100)
    assert confidence_weight(2.0, 0.1, 0.25, 0.05, 7.0, 0.0) == 1.0
    assert confidence_weight(2.0, 0.1, 0.25, 0.05, 7.0, 1e-3) == 1.0


def test_every_policy_can_be_certified():
    problem = f1()
    for name in ("gp-ucb", "rgp-ucb", "rgp-pe", "linear-pe", "influence-ucb", "influence-pe"):
        policy = make_policy(name, problem, 1.0, 3000)
        state = policy.init()
        rng = np.random.default_rng(0)
        for _ in range(200 if not policy.phased else 5):
            query = policy.ask(state, rng)
            state = policy.tell(state, Feedback(query.arms, query.repeats, problem.f[query.arms]))
        said = certificate(policy.posterior(state), budget=1.0, norm_bound=problem.norm, noise_std=0.02)
        assert problem.best_arm in said.candidates
        assert problem.gaps[said.winner] <= said.largest_gap


@pytest.mark.parametrize(
    "change",
    [{"alpha": 0.0}, {"alpha": 2.0}, {"delta": 0}, {"lam": 0.0}, {"noise_std": 0.0}, {"corruption_budget": -1.0}],
)
def test_bad_settings_are_refused(change):
    good = {"domain": [[0.0], [1.0]], "kernel": SquaredExponential(), "corruption_budget": 1.0, "norm_bound": 1.0}
    with pytest.raises(UnswayedError):
        InfluenceUCB(**{**good, "noise_std": 0.1, **change})


def test_rewards_of_arms_that_are_not_active_are_refused():
    policy = InfluencePhasedElimination(
        [[0.0], [1.0], [2.0]], SquaredExponential(0.1), corruption_budget=0.0, norm_bound=1.0, noise_std=0.01
    )
    state = policy.tell(policy.init(), Feedback([0, 1, 2], [9, 9, 9], [0.0, 1.0, 0.0]))
    assert state.active.tolist() == [1]
    for arm in (0, 2):
        with pytest.raises(UnswayedError, match="active"):
            policy.tell(state, Feedback([arm], [1], [0.0]))
