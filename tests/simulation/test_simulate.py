"""Regret by brute force, both loops, the ledger against hostile adversaries, and the order of events."""

import numpy as np
import pytest

from unswayed import GPUCB, Query, RobustGPUCB, RobustPhasedElimination, Run, UnswayedError, simulate
from unswayed.adversaries import AggressiveSubtraction, NoAttack, TopK, immediately, later
from unswayed.experiments.registry import ATTACKS, STARTS, make_attack, make_policy, make_start
from unswayed.policies.gp_ucb import LogDetBeta
from unswayed.policies.robust_phased_elimination import ExperimentsWidth
from unswayed.problems import f1, table


@pytest.fixture(scope="module")
def problem():
    return f1()


@pytest.mark.parametrize("policy", ["gp-ucb", "rgp-ucb", "rgp-pe", "linear-pe"])
@pytest.mark.parametrize("attack", ["none", "top-3", "flip"])
def test_t3_regret_by_brute_force(problem, policy, attack):
    learner = make_policy(policy, problem, 20.0, 3000)
    run = simulate(problem, learner, make_attack(attack, problem), budget=20.0, horizon=3000, seed=1)
    plays = np.repeat(run.arms, run.repeats)
    assert len(plays) == 3000
    steps = [max(problem.f) - problem.f[arm] for arm in plays]
    assert min(steps) >= 0
    curve = np.concatenate([[0.0], np.cumsum(steps)])
    assert run.regret == pytest.approx(curve[-1], rel=1e-12)
    assert np.allclose(run.regret_at(np.arange(3001)), curve, rtol=1e-12, atol=1e-9)
    rounds, regret = run.curve()
    assert len(rounds) == 501
    assert (rounds[0], regret[0], rounds[-1]) == (0, 0, 3000)
    assert regret[-1] == pytest.approx(curve[-1], rel=1e-12)
    assert (np.diff(regret) >= -1e-12).all()
    assert run.final_regret_rate == pytest.approx(np.mean(steps[-1000:]), rel=1e-9, abs=1e-12)
    assert run.switches == np.sum(plays[1:] != plays[:-1])


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("policy", ["gp-ucb", "rgp-ucb"])
def test_t4_compiled_and_plain_loop_are_identical(problem, policy, attack, start):
    learner = make_policy(policy, problem, 15.0, 1500)
    fast, plain = (
        simulate(
            problem,
            learner,
            make_attack(attack, problem),
            budget=15.0,
            horizon=1500,
            seed=4,
            start=make_start(start),
            fast=fast,
        )
        for fast in (True, False)
    )
    assert np.array_equal(fast.arms, plain.arms)
    assert np.array_equal(fast.repeats, plain.repeats)
    assert fast.regret == plain.regret
    assert fast.recommended_arm == plain.recommended_arm
    assert np.allclose(fast.spent, plain.spent, atol=1e-9)
    assert np.allclose(fast.rewards, plain.rewards, atol=1e-9)
    assert fast.corruption_spent == pytest.approx(plain.corruption_spent, abs=1e-9)


@pytest.mark.parametrize("lam", [0.01, 1.0])
def test_t4_also_with_the_log_det_beta_on_a_smooth_kernel(lam, rng):
    X = rng.uniform(0, 1, (25, 2))
    smooth = table(X, np.sin(5 * X[:, 0]) + X[:, 1], noise_std=0.1)
    beta = LogDetBeta(2.0, 0.1, 0.05)
    policy = RobustGPUCB(smooth.domain, smooth.kernel, beta=beta, lam=lam, corruption_budget=2.0, b=0.3)
    fast, plain = (
        simulate(smooth, policy, TopK(3), budget=2.0, horizon=1500, seed=4, start=later, fast=fast)
        for fast in (True, False)
    )
    assert np.array_equal(np.repeat(fast.arms, fast.repeats), np.repeat(plain.arms, plain.repeats))


def test_the_compiled_loop_goes_on_where_a_chunk_ends(problem, monkeypatch):
    """The same plays whether the rounds are handed over in one piece or in many."""
    policy = make_policy("rgp-ucb", problem, 10.0, 2000)
    settings = {"budget": 10.0, "horizon": 2000, "seed": 2, "start": later}
    whole = simulate(problem, policy, TopK(3), **settings)
    monkeypatch.setattr("unswayed.simulation.compiled.ROUNDS_AT_ONCE", 17)
    parts = simulate(problem, policy, TopK(3), **settings)
    assert np.array_equal(whole.arms, parts.arms)
    assert np.array_equal(whole.repeats, parts.repeats)


def test_the_state_after_the_compiled_loop_is_the_posterior(problem):
    """The recommendation comes from the same posterior as refitting the recorded blocks."""
    policy = make_policy("rgp-ucb", problem, 10.0, 2000)
    run = simulate(problem, policy, TopK(3), budget=10.0, horizon=2000, seed=2)
    counts, totals = np.zeros(100), np.zeros(100)
    np.add.at(counts, run.arms, run.repeats)
    np.add.at(totals, run.arms, run.rewards)
    K = problem.kernel(problem.domain, problem.domain)
    S = counts > 0
    mu = K[:, S] @ np.linalg.solve(K[np.ix_(S, S)] + np.diag(1 / counts[S]), totals[S] / counts[S])
    assert run.recommended_arm == np.argmax(mu)


@pytest.mark.parametrize("policy", ["gp-ucb", "rgp-pe"])
def test_the_same_seed_gives_the_same_run(problem, policy):
    learner = make_policy(policy, problem, 10.0, 2000)
    first, again, other = (
        simulate(problem, learner, TopK(3), budget=10.0, horizon=2000, seed=seed) for seed in (5, 5, 6)
    )
    assert np.array_equal(first.rewards, again.rewards)
    assert not np.array_equal(first.rewards, other.rewards)


def test_the_attack_leaves_the_noise_alone(problem):
    """Where the same plays are made, the rewards differ by the corruption alone."""
    policy = RobustPhasedElimination(problem.domain, problem.kernel, corruption_budget=10.0)
    honest, attacked = (
        simulate(problem, policy, AggressiveSubtraction(problem.target), budget=budget, horizon=86, seed=5)
        for budget in (0.0, 10.0)
    )
    assert np.array_equal(honest.arms, attacked.arms)
    assert np.allclose(honest.rewards - attacked.rewards, attacked.spent, atol=1e-9)
    assert attacked.spent.sum() > 0


class Hostile:
    """Wants everything, in ways that might break a ledger."""

    reads_estimates = True

    def __init__(self, mode):
        self.mode = mode

    def corrupt(self, f, view, rng):
        match self.mode:
            case "huge":
                return np.full(len(f), -1e300)
            case "infinite":
                return np.where(rng.uniform(size=len(f)) < 0.5, np.inf, -np.inf)
            case "alternating":
                return rng.choice([-1.0, 1.0], len(f)) * rng.uniform(0, 3, len(f))
            case "tiny":
                return np.full(len(f), 1e-7)
            case "by estimate":
                return np.nan_to_num(-view.upper, posinf=5, neginf=-5)


@pytest.mark.parametrize("mode", ["huge", "infinite", "alternating", "tiny", "by estimate"])
@pytest.mark.parametrize("policy", ["gp-ucb", "rgp-ucb", "rgp-pe", "linear-pe"])
def test_corruption_never_exceeds_the_budget(problem, mode, policy):
    run = simulate(problem, make_policy(policy, problem, 7.3, 600), Hostile(mode), budget=7.3, horizon=600, seed=0)
    assert run.corruption_spent <= 7.3 + 1e-9
    assert np.abs(run.spent).sum() <= 7.3 + 1e-9
    assert run.spent.sum() == pytest.approx(run.corruption_spent, abs=1e-9)
    assert np.isfinite(run.rewards).all()


@pytest.mark.parametrize("answer", [np.zeros(3), np.full(100, np.nan), "zero"])
def test_attacks_that_make_no_sense_are_refused(problem, answer):
    class Wrong:
        reads_estimates = False

        def corrupt(self, f, view, rng):
            return answer

    for policy in ("gp-ucb", "rgp-pe"):
        with pytest.raises(ValueError, match=r"attack must name"):
            simulate(problem, make_policy(policy, problem, 1.0, 10), Wrong(), budget=1.0, horizon=10, seed=0)


def test_an_epoch_is_played_in_order_of_first_selection_arm_by_arm(problem):
    """The budget goes to the first plays: with little of it, only the first attacked arm is touched."""
    policy = RobustPhasedElimination(problem.domain, problem.kernel, corruption_budget=1.0)
    run = simulate(problem, policy, Hostile("huge"), budget=1.0, horizon=86, seed=0)
    assert run.spent.tolist() == [1.0] + [0.0] * (len(run.spent) - 1)
    asked = policy.ask(policy.init(), np.random.default_rng(0))
    assert run.arms[0] == asked.arms[0]


def test_a_later_attack_waits_for_the_first_elimination(problem):
    policy = RobustPhasedElimination(problem.domain, problem.kernel, corruption_budget=50.0)
    run = simulate(problem, policy, TopK(5), budget=50.0, horizon=50_000, seed=0, start=later)
    first = next(h for h, epoch in enumerate(run.epochs) if len(epoch.active) < 100)
    before = sum(int(epoch.repeats.sum()) for epoch in run.epochs[:first])
    begun = np.cumsum(run.repeats) - run.repeats
    assert first > 0
    assert run.spent[begun < before].sum() == 0
    assert run.corruption_spent == 50.0


def test_a_later_attack_on_an_index_policy_starts_in_the_round_of_the_overlap(problem):
    """The attack is asked for the first time in the first round whose bounds rule an arm out."""
    overlaps, attacked_in = [], []

    def start(view, n_arms):
        overlaps.append((view.upper < view.lower.max()).any())
        return later(view, n_arms)

    class Always:
        reads_estimates = True

        def corrupt(self, f, view, rng):
            attacked_in.append(len(overlaps))
            return np.full(len(f), -0.01)

    policy = make_policy("rgp-ucb", problem, 10.0, 3000)
    run = simulate(problem, policy, Always(), budget=1.0, horizon=1500, seed=0, start=start)
    assert overlaps == [False] * (len(overlaps) - 1) + [True]
    assert 1 < attacked_in[0] == len(overlaps) < 1500
    assert run.spent[np.cumsum(run.repeats) < attacked_in[0]].sum() == 0
    assert run.corruption_spent == pytest.approx(1.0)


def test_progress_adds_up(problem):
    for policy in ("gp-ucb", "rgp-pe"):
        done = []
        learner = make_policy(policy, problem, 10.0, 1234)
        simulate(problem, learner, NoAttack(), budget=0, horizon=1234, seed=0, progress=done.append)
        assert sum(done) == 1234


def test_phased_runs_of_a_billion_plays(problem):
    """Blocks have closed forms: the number of blocks, not of plays, is what costs."""
    policy = RobustPhasedElimination(problem.domain, problem.kernel, corruption_budget=50.0)
    run = simulate(problem, policy, TopK(5), budget=50.0, horizon=10**9, seed=0)
    assert run.repeats.sum() == 10**9
    assert len(run.arms) < 1000
    assert run.outcome == "settled"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"horizon": 0}, "horizon"),
        ({"horizon": -5}, "horizon"),
        ({"horizon": 2.5}, "horizon"),
        ({"horizon": 10**19}, "horizon"),
        ({"horizon": np.inf}, "horizon"),
        ({"seed": None}, "seed"),
        ({"budget": -1.0}, "budget"),
        ({"budget": np.nan}, "budget"),
        ({"seed": -1}, "seed"),
    ],
)
def test_bad_input_is_refused(problem, change, reason):
    policy = GPUCB(problem.domain, problem.kernel)
    with pytest.raises(UnswayedError, match=reason):
        simulate(problem, policy, NoAttack(), **{"budget": 1.0, "horizon": 10, "seed": 0, **change})


def test_one_arm(rng):
    single = f1().__class__("one", [[0.0]], [3.0], 0.1, f1().kernel, [True])
    for name in ("gp-ucb", "rgp-ucb", "rgp-pe", "linear-pe"):
        run = simulate(
            single, make_policy(name, single, 1.0, 50), NoAttack(), budget=0, horizon=50, seed=0, start=immediately
        )
        assert run.regret == 0
        assert run.recommended_arm == 0


@pytest.mark.parametrize("chunk", [1, 17])
def test_chunks_with_the_log_det_beta(problem, chunk, monkeypatch):
    policy = GPUCB(problem.domain, problem.kernel, beta=LogDetBeta(0.1, 1.0, 0.05), lam=0.1)
    settings = {"budget": 10.0, "horizon": 1500, "seed": 2}
    whole = simulate(problem, policy, TopK(3), **settings)
    monkeypatch.setattr("unswayed.simulation.compiled.ROUNDS_AT_ONCE", chunk)
    parts = simulate(problem, policy, TopK(3), **settings)
    assert np.array_equal(whole.arms, parts.arms)
    assert np.array_equal(whole.repeats, parts.repeats)
    assert whole.corruption_spent == pytest.approx(parts.corruption_spent)


def test_a_block_has_the_noise_of_its_mean():
    two = table([[0.0], [9.0]], [1.0, 0.0], kernel=f1().kernel, noise_std=0.5)
    width = ExperimentsWidth(beta=1e6)
    policy = RobustPhasedElimination(two.domain, two.kernel, corruption_budget=0.0, width=width)
    z = []
    for seed in range(40):
        run = simulate(two, policy, NoAttack(), budget=0, horizon=126, seed=seed)
        z.extend((run.rewards - run.repeats * two.f[run.arms]) / (0.5 * np.sqrt(run.repeats)))
    assert np.std(z) == pytest.approx(1.0, abs=0.15)


@pytest.mark.parametrize("budget", [1e13, 1e16, 1e20])
@pytest.mark.parametrize("policy", ["gp-ucb", "rgp-pe"])
@pytest.mark.parametrize("fast", [True, False])
def test_what_is_spent_of_a_huge_budget_is_counted(problem, policy, budget, fast):
    learner = make_policy(policy, problem, 5.0, 1500)
    run = simulate(problem, learner, TopK(5), budget=budget, horizon=1500, seed=0, fast=fast)
    assert 1 < run.corruption_spent == pytest.approx(run.spent.sum(), rel=1e-12)


def test_a_policy_for_other_arms_is_refused(problem):
    for policy in (
        GPUCB(problem.domain[:50], problem.kernel),
        RobustPhasedElimination(problem.domain[:50], problem.kernel, corruption_budget=1.0),
        GPUCB(np.concatenate([problem.domain, problem.domain + 50]), problem.kernel),
    ):
        with pytest.raises(UnswayedError, match="the problem 100"):
            simulate(problem, policy, NoAttack(), budget=0, horizon=10, seed=0)


def test_a_policy_derived_from_gp_ucb_keeps_its_own_ways(problem):
    class Stubborn(GPUCB):
        def ask(self, state, rng):
            return Query([7], [1])

    run = simulate(problem, Stubborn(problem.domain, problem.kernel), NoAttack(), budget=0, horizon=50, seed=0)
    assert run.arms.tolist() == [7]


def test_so_does_a_beta_of_ones_own(problem):
    class Own:
        def __call__(self, t, log_det, lam):
            return 1.0

    policy = GPUCB(problem.domain, problem.kernel, beta=Own())
    run = simulate(problem, policy, NoAttack(), budget=0, horizon=50, seed=0)
    assert run.repeats.sum() == 50


def test_an_index_policy_may_not_ask_for_batches(problem):
    class Batch(GPUCB):
        def ask(self, state, rng):
            return Query([1, 2], [3, 3])

    with pytest.raises(UnswayedError, match="one play at a time"):
        simulate(problem, Batch(problem.domain, problem.kernel), NoAttack(), budget=0, horizon=50, seed=0)


def test_outcomes_by_their_thresholds(problem):
    def ended(rate, gap):
        gaps = np.array([0.0, rate, gap])
        return Run(
            1000, 0, gaps, np.array([1]), np.array([1000]), np.zeros(1), np.zeros(1), 0.0, np.arange(3), 2, None
        ).outcome

    assert ended(0.0199, 0.0) == "settled"
    assert ended(0.0201, 0.0) == "learning"
    assert ended(0.0199, 0.1) == "learning"
    assert ended(0.1001, 0.0) == "linear regret"


def test_notebooks_show_a_run():
    problem = f1()
    run = simulate(problem, GPUCB(problem.domain, problem.kernel), NoAttack(), budget=0, horizon=300, seed=0)
    page = run._repr_html_()
    assert f"300 plays, seed 0: {run.outcome}" in page
    assert f"<td>{run.regret:.6g}</td>" in page
    assert page.count("<tr>") == 6
