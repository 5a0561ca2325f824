"""Algorithm 1 against a literal transcription of it, and what Theorem 1 promises."""

from pathlib import Path

import numpy as np
import pytest

import unswayed.policies.robust_phased_elimination as module
from unswayed import RobustPhasedElimination, SquaredExponential, UnswayedError, simulate
from unswayed.adversaries import Flip, NoAttack, TopK
from unswayed.core.design.information import gain_upper_bound
from unswayed.core.design.rare_switching import first_argmax
from unswayed.core.theory import bounds, regret_bounds
from unswayed.policies.protocol import Epoch
from unswayed.policies.robust_phased_elimination import ExperimentsWidth, InformationWidth, TheoryWidth
from unswayed.problems import f1, table


def literal_algorithm_1(X, kernel, C, psi, eta, lam, beta, b, rewards_of, T):
    """Algorithm 1 as printed, play by play: T x T matrices, determinants afresh, sigma_0 = sqrt k(x, x)."""
    active, l_h, h, total, history = list(range(len(X))), 2, 0, 0, []
    while True:
        chosen, t_prime = [], 0
        sigma2 = {x: kernel(X[[x]], X[[x]])[0, 0] for x in active}
        for t in range(1, l_h + 1):
            values = np.array([sigma2[x] for x in active])
            chosen.append(active[first_argmax(values)])
            K = kernel(X[chosen], X[chosen])
            det = np.linalg.slogdet(np.eye(t) + K / lam)[1]
            old = np.linalg.slogdet(np.eye(t_prime) + K[:t_prime, :t_prime] / lam)[1]
            if det > old + np.log(eta) + 1e-10:
                t_prime = t
                inverse = np.linalg.inv(K + lam * np.eye(t))
                for x in active:
                    k = kernel(X[[x]], X[chosen])[0]
                    sigma2[x] = kernel(X[[x]], X[[x]])[0, 0] - k @ inverse @ k
        S_h = list(dict.fromkeys(chosen))
        u = [int(np.ceil(l_h * max(chosen.count(x) / l_h, psi))) for x in S_h]
        u_h = sum(u)
        if total + u_h > T:
            return active, history
        plays = [x for x, n in zip(S_h, u, strict=True) for _ in range(n)]
        Y = np.array(rewards_of(h, S_h, u))
        averaged = np.array([Y[[j for j, x in enumerate(plays) if x == y]].mean() for y in plays])
        inverse = np.linalg.inv(kernel(X[plays], X[plays]) + lam * np.eye(u_h))
        k = kernel(X[active], X[plays])
        mu = k @ inverse @ averaged
        sigma = np.sqrt(kernel.diagonal(X[active]) - np.einsum("ij,jk,ik->i", k, inverse, k))
        w = (beta + b * C / np.sqrt(u_h)) * sigma
        active = [x for x, keep in zip(active, mu + w >= np.max(mu - w), strict=True) if keep]
        history.append((S_h, u, list(active)))
        total, l_h, h = total + u_h, 2 * l_h, h + 1


@pytest.mark.parametrize("seed", range(6))
def test_equals_the_printed_algorithm(seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (8, 2))
    f = 2 * np.sin(3 * X[:, 0]) + X[:, 1]
    kernel = SquaredExponential(0.6)
    lam, eta, psi, C, beta = 10 ** rng.uniform(-1, 0.5), 1.5 + rng.uniform(), rng.uniform(0.05, 0.6), 1.0, 1.0
    noise = 0.1 * rng.standard_normal((12, 8, 4000))

    def rewards_of(h, arms, repeats):
        return [f[x] + noise[h, x, j] for x, n in zip(arms, repeats, strict=True) for j in range(n)]

    active, history = literal_algorithm_1(X, kernel, C, psi, eta, lam, beta, 0.1, rewards_of, 900)
    width = ExperimentsWidth(beta, 0.1)
    policy = RobustPhasedElimination(X, kernel, corruption_budget=C, width=width, lam=lam, eta=eta, truncation=psi)
    state = policy.init()
    for h, (S_h, u, kept) in enumerate(history):
        query = policy.ask(state, rng)
        assert query.arms.tolist() == S_h
        assert query.repeats.tolist() == u
        arms = np.repeat(query.arms, query.repeats)
        state = policy.tell(state, module.Feedback.from_rewards(arms, rewards_of(h, S_h, u)))
        assert state.active.tolist() == kept
    assert state.active.tolist() == active
    assert len(active) < 8


def test_the_file_can_be_read_next_to_the_paper():
    source = Path(module.__file__).read_text()
    assert len(source.splitlines()) <= 150
    for line in ("Line 1", "Lines 2-13", "lines 2-10", "lines 11-12", "line 14", "line 15", "line 16"):
        assert line in source


def random_problem(seed, B=1.5, N=12):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (N, 2))
    kernel = SquaredExponential(0.4)
    weights = rng.standard_normal(N)
    K = kernel(X, X)
    f = K @ weights * B / np.sqrt(weights @ K @ weights)
    return table(X, f, kernel=kernel, noise_std=0.1)


@pytest.mark.parametrize("attack", [NoAttack(), TopK(3), Flip()], ids=repr)
def test_best_arm_survives_any_attack_within_budget(attack):
    """Theorem 1: with the theory width, psi by the theorem and the true B; regret within its bound."""
    C, T, lam, eta = 30.0, 200_000, 1.0, 2.0
    eliminated = 0
    for seed in range(15):
        problem = random_problem(seed)
        gamma, _ = gain_upper_bound(problem.kernel(problem.domain, problem.domain), lam, T)
        psi = bounds.theorem_psi(eta, gamma)
        width = TheoryWidth(problem.norm, problem.noise_std, delta=0.05)
        settings = {"corruption_budget": C, "width": width, "lam": lam, "eta": eta, "truncation": psi}
        policy = RobustPhasedElimination(problem.domain, problem.kernel, **settings)
        run = simulate(problem, policy, attack, budget=C, horizon=T, seed=seed)
        assert problem.best_arm in run.active
        beta = bounds.nonadaptive_beta(problem.norm, 0.1, lam, 12, bounds.epoch_delta(0.05, len(run.epochs) - 1))
        assert run.regret <= regret_bounds.regret_bound(problem.norm, C, beta, lam, eta, psi, gamma, T)
        eliminated += len(run.active) < 12
    assert eliminated >= 10  # the guarantee is not bought by keeping everything


@pytest.mark.parametrize("printed", [False, True], ids=["exact", "as printed"])
def test_corollary_2_keeps_the_best_arm_within_its_regret(printed):
    """The beta of the bound is that of the exact form at the largest ln det, 2 gamma_T, or the printed one."""
    C, T, lam, eta, delta = 30.0, 200_000, 1.0, 2.0, 0.05
    eliminated = 0
    for seed in range(10):
        problem = random_problem(seed)
        B, sigma = problem.norm, problem.noise_std
        gamma, _ = gain_upper_bound(problem.kernel(problem.domain, problem.domain), lam, T)
        psi = bounds.theorem_psi(eta, gamma)
        width = InformationWidth(B, sigma, delta, gamma if printed else None)
        settings = {"corruption_budget": C, "width": width, "lam": lam, "eta": eta, "truncation": psi}
        policy = RobustPhasedElimination(problem.domain, problem.kernel, **settings)
        run = simulate(problem, policy, TopK(3), budget=C, horizon=T, seed=seed)
        assert problem.best_arm in run.active
        last = bounds.epoch_delta(delta, len(run.epochs) - 1)
        beta = bounds.log_det_beta(B, sigma, lam, last, 2 * gamma)
        if printed:
            beta = bounds.chowdhury_gopalan_beta(B, sigma, lam, last, gamma)
        assert run.regret <= regret_bounds.regret_bound(B, C, beta, lam, eta, psi, gamma, T)
        eliminated += len(run.active) < 12
    assert eliminated >= 7


def test_with_the_printed_width_the_best_arm_is_lost():
    """Two independent arms, lam = 400, C = 1e4, no noise: the printed width is too narrow by sqrt(lam)."""
    l_h, lam, psi, C = 4096, 400.0, 0.5, 1e4
    f, n = np.array([1.0, 0.5]), np.full(2, l_h // 2)
    sigma = np.sqrt(lam / (lam + n))
    mu = (n * f + np.array([-C, 0.0])) / (lam + n)  # all corruption on the best arm

    def keeps_the_best(factor):
        return mu[0] + factor * sigma[0] >= np.max(mu - factor * sigma)

    printed = C * np.sqrt(n.sum()) / (l_h * psi * lam)
    assert not keeps_the_best(1.0 + printed)
    assert keeps_the_best(bounds.theory_factor(1.0, C, lam, psi, l_h, int(n.sum())))


def test_a_cut_epoch_counts_for_regret_but_concludes_nothing():
    problem = f1()
    policy = RobustPhasedElimination(problem.domain, problem.kernel, corruption_budget=50.0)
    run = simulate(problem, policy, NoAttack(), budget=0, horizon=2 + 4 + 16 + 64 + 256 + 1024 + 10, seed=0)
    whole = simulate(problem, policy, NoAttack(), budget=0, horizon=2 + 4 + 16 + 64 + 256 + 1024, seed=0)
    assert run.repeats.sum() == run.horizon
    assert [e.completed for e in run.epochs] == [True] * 6 + [False]
    assert run.epochs[-1].repeats.sum() == 10
    assert run.completed_epochs == whole.completed_epochs == 6
    assert np.array_equal(run.active, whole.active)
    assert run.recommended_arm == whole.recommended_arm
    assert run.regret > whole.regret


def test_before_the_first_epoch_nothing_is_known():
    problem = f1()
    policy = RobustPhasedElimination(problem.domain, problem.kernel, corruption_budget=50.0)
    view = policy.view(policy.init())
    assert len(view.active) == 100
    assert np.isneginf(view.lower).all()
    assert np.isposinf(view.upper).all()
    assert policy.recommend(policy.init()) == 0


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"corruption_budget": -1.0}, "budget"),
        ({"corruption_budget": np.nan}, "budget"),
        ({"lam": 0.0}, "lam"),
        ({"eta": 1.0}, "eta"),
        ({"eta": np.nan}, "eta"),
        ({"eta": np.inf}, "eta"),
        ({"cover_error": -0.1}, "cover"),
        ({"cover_error": np.nan}, "cover"),
        ({"truncation": 1.5}, "psi"),
        ({"truncation": -0.1}, "psi"),
        ({"truncation": np.nan}, "psi"),
        ({"truncation": 0.0, "width": TheoryWidth(1.0, 0.1)}, "psi > 0"),
        ({"truncation": 0.0, "width": InformationWidth(1.0, 0.1)}, "psi > 0"),
        ({"lam": 0.5, "width": InformationWidth(1.0, 0.1, gamma=3.0)}, "lam < 1"),
        ({"domain": [[np.nan]]}, "domain"),
    ],
)
def test_bad_settings_are_refused(change, reason):
    good = {"domain": [[0.0], [1.0]], "kernel": SquaredExponential(), "corruption_budget": 1.0}
    with pytest.raises(UnswayedError, match=reason):
        RobustPhasedElimination(**{**good, **change})


def test_theory_width_by_hand():
    policy = RobustPhasedElimination(
        np.arange(7.0)[:, None],
        SquaredExponential(),
        corruption_budget=5.0,
        width=TheoryWidth(2.0, 0.3, 0.1),
        lam=4.0,
        truncation=0.25,
    )
    delta_3 = 6 * 0.1 / (16 * np.pi**2)
    beta = 2 + 0.15 * np.sqrt(2 * np.log(7 / delta_3))
    assert policy.width.factor(policy, 3, 50, 7.0) == pytest.approx(beta + 5 * np.sqrt(50) / (16 * 0.25 * 2))


def test_corollary_2_by_hand():
    settings = {"corruption_budget": 5.0, "lam": 4.0, "truncation": 0.25}
    delta_3 = 6 * 0.1 / (16 * np.pi**2)
    exact, printed = InformationWidth(2.0, 0.3, 0.1), InformationWidth(2.0, 0.3, 0.1, gamma=9.0)
    beta = {exact: 2 + 0.15 * np.sqrt(2 * np.log(1 / delta_3) + 7.0)}  # 0.15 = sigma/sqrt(lam)
    beta[printed] = 2 + 0.3 * np.sqrt(2 * (9 + 1 + np.log(1 / delta_3)))
    for width in (exact, printed):
        policy = RobustPhasedElimination(np.arange(7.0)[:, None], SquaredExponential(), width=width, **settings)
        assert width.factor(policy, 3, 50, 7.0) == pytest.approx(beta[width] + 5 * np.sqrt(50) / (16 * 0.25 * 2))


@pytest.mark.parametrize("lam", [0.3, 1.0, 5.0])
def test_the_exact_form_of_corollary_2_sees_the_plays_of_its_epoch(lam):
    """w / sigma of an epoch against ln det of the T x T matrix of its plays; the printed form is never narrower."""
    problem, B, sigma, delta = random_problem(3), 1.5, 0.1, 0.05
    X, kernel = problem.domain, problem.kernel
    exact = InformationWidth(B, sigma, delta)
    policy = RobustPhasedElimination(X, kernel, corruption_budget=0.0, width=exact, lam=lam)
    state = policy.init()
    for h in range(6):
        query = policy.ask(state, np.random.default_rng(h))
        after = policy.tell(state, module.Feedback(query.arms, query.repeats, problem.f[query.arms]))
        plays = np.repeat(query.arms, query.repeats)
        K = kernel(X[plays], X[plays])
        log_det = np.linalg.slogdet(np.eye(len(plays)) + K / lam)[1]
        k = kernel(X[after.active], X[plays])
        inverse = np.linalg.inv(K + lam * np.eye(len(plays)))
        deviation = np.sqrt(1 - np.einsum("ij,jk,ik->i", k, inverse, k))
        beta = bounds.log_det_beta(B, sigma, lam, bounds.epoch_delta(delta, h), log_det)
        assert np.allclose(after.width, beta * deviation, rtol=1e-8)
        if lam >= 1:
            gamma, _ = gain_upper_bound(kernel(X, X), lam, len(plays))
            assert beta <= bounds.chowdhury_gopalan_beta(B, sigma, lam, bounds.epoch_delta(delta, h), gamma)
        state = after


def test_line_15_keeps_the_best_even_without_any_width():
    width = ExperimentsWidth(beta=0.0)
    policy = RobustPhasedElimination([[0.0], [1.0]], SquaredExponential(), corruption_budget=0.0, width=width)
    after = policy.tell(policy.init(), module.Feedback([0, 1], [4, 4], [0.0, 1.0]))
    assert after.active.tolist() == [1]


def test_the_recommendation_is_by_the_mean():
    nothing = np.zeros(6)
    epoch = Epoch(1, np.array([3, 5]), np.array([1.0, 0.9]), np.array([0.1, 0.5]), nothing, nothing)
    assert epoch.leader == 3


@pytest.mark.parametrize(
    "make",
    [
        lambda: ExperimentsWidth(beta=-1.0),
        lambda: ExperimentsWidth(beta=np.nan),
        lambda: ExperimentsWidth(b=-0.1),
        lambda: TheoryWidth(-1.0, 0.1),
        lambda: TheoryWidth(1.0, np.nan),
        lambda: TheoryWidth(1.0, 0.1, 1.0),
        lambda: InformationWidth(1.0, 0.1, 0.05, -1.0),
        lambda: InformationWidth(1.0, 0.1, 0.05, np.nan),
    ],
)
def test_bad_widths_are_refused(make):
    with pytest.raises(UnswayedError):
        make()
