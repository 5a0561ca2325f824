"""Trimmed-PE: without lies it is Algorithm 1, and with lies it never loses the best arm and pays for them once."""

import numpy as np
import pytest
from tests.theory.instances import random_domain

from unswayed import (
    Feedback,
    RobustPhasedElimination,
    SquaredExponential,
    TrimmedPhasedElimination,
    UnswayedError,
    simulate,
)
from unswayed.adversaries import Liar, NoAttack, SpikesHide, SpikesPromote
from unswayed.core.design.rare_switching import rare_switching_design
from unswayed.core.theory import bounds
from unswayed.policies.protocol import Epoch
from unswayed.problems import f1, table

KNOWN = {"norm_bound": 1.5, "noise_std": 0.2}


class SharpWidth:
    """The width of Lemma B for RGP-PE: what Algorithm 1 needs without corruption."""

    def factor(self, policy, h, u_h, log_det):
        delta_h = bounds.epoch_delta(0.05, h)
        return bounds.sharp_nonadaptive_beta(1.5, 0.2, policy.lam, len(policy.domain), delta_h)


@pytest.mark.parametrize("seed", range(8))
def test_without_lies_it_is_algorithm_1(seed):
    """Lemma B's width and psi l_h = l_h/m: the same queries, the same means, the same arms, to the last bit."""
    rng = np.random.default_rng(seed)
    X, kernel = random_domain(rng, N=15)
    f = np.sin(4 * X[:, 0])
    policy = TrimmedPhasedElimination(X, kernel, **KNOWN)
    ours = theirs = Epoch.first(15)
    for h in range(11):
        K, l_h = kernel(X[ours.active], X[ours.active]), 2 ** (h + 1)
        m = len(rare_switching_design(K, 0.04, 2.0, l_h)[0])
        known = {"corruption_budget": 0.0, "lam": 0.2**2, "truncation": 1 / m, "width": SharpWidth()}
        algorithm_1 = RobustPhasedElimination(X, kernel, **known)
        query, other = policy.ask(ours, rng), algorithm_1.ask(theirs, rng)
        assert np.array_equal((query.arms, query.repeats), (other.arms, other.repeats))
        assert query.groups == 1
        means = f[query.arms] + 0.2 * rng.standard_normal(m) / np.sqrt(query.repeats)
        feedback = Feedback(query.arms, query.repeats, means)
        ours, theirs = policy.tell(ours, feedback), algorithm_1.tell(theirs, feedback)
        assert np.array_equal(ours.active, theirs.active)
        assert np.array_equal(ours.mean, theirs.mean)
        assert ours.width == pytest.approx(theirs.width, rel=1e-14)
    assert len(ours.active) < 15


@pytest.mark.parametrize("lies", [1, 4, 20])
@pytest.mark.parametrize("seed", range(4))
def test_an_epoch_is_its_pseudo_code(seed, lies):
    rng = np.random.default_rng(seed)
    X, kernel = random_domain(rng, N=12)
    policy = TrimmedPhasedElimination(X, kernel, lies=lies, **KNOWN)
    epoch = Epoch.first(12)
    for h in range(3):
        query = policy.ask(epoch, rng)
        l_h, G, active = policy.first_length * 2**h, query.groups, epoch.active
        S_h, u = rare_switching_design(kernel(X[active], X[active]), 0.04, 2.0, l_h)
        m = len(S_h)
        assert G == min(l_h // m, 25 * lies**2 + 1) > 2 * lies
        v = [G * int(np.ceil(max(n, l_h / m) / G)) for n in u]
        assert query.arms.tolist() == active[S_h].tolist()
        assert query.repeats.tolist() == v
        assert query.plays <= 3 * l_h
        groups = np.cos(3 * X[query.arms, 0]) + rng.standard_normal((G, m))
        groups[rng.choice(G, lies, replace=False)] = 1e6 * rng.standard_normal((lies, m))
        K_xS = kernel(X[active], X[query.arms])
        A = kernel(X[query.arms], X[query.arms]) + np.diag(0.04 / query.repeats)
        says = K_xS @ np.linalg.solve(A, groups.T)
        m_h = np.sort(says, axis=1)[:, lies : G - lies].mean(axis=1)
        sigma = np.sqrt(kernel.diagonal(X[active]) - np.einsum("ij,ji->i", K_xS, np.linalg.solve(A, K_xS.T)))
        w = sigma * bounds.trimmed_beta(1.5, 0.2, 0.04, 12, bounds.epoch_delta(0.05, h), G, lies)
        keep = m_h + w >= (m_h - w).max()
        epoch = policy.tell(epoch, Feedback(query.arms, query.repeats, groups.mean(axis=0), groups))
        assert epoch.active.tolist() == active[keep].tolist()
        assert epoch.mean == pytest.approx(m_h[keep], abs=1e-6)
        assert epoch.width == pytest.approx(w[keep], rel=1e-6)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("settings", "least"), [({"lies": 1}, 3), ({"lies": 5}, 11), ({"sources": 8, "liars": 3}, 8), ({}, 1)]
)
def test_the_first_epoch_is_the_shortest_with_enough_plays_of_each_arm(seed, settings, least):
    X, kernel = random_domain(np.random.default_rng(seed), N=12)
    policy = TrimmedPhasedElimination(X, kernel, **KNOWN, **settings)
    lengths = range(2, policy.first_length + 1)
    arms = [len(rare_switching_design(kernel(X, X), 0.04, 2.0, length)[0]) for length in lengths]
    assert [length >= least * m for length, m in zip(lengths, arms, strict=True)].index(True) == len(arms) - 1


@pytest.mark.parametrize("k", [1, 5, 30])
@pytest.mark.parametrize("attack", [SpikesHide(), SpikesPromote(), SpikesHide(shown=-3.0), NoAttack()])
def test_lies_of_any_size_cost_a_multiple_of_their_number(k, attack):
    problem = f1()
    told = {"norm_bound": problem.norm, "noise_std": problem.noise_std, "lies": k}
    policy = TrimmedPhasedElimination(problem.domain, problem.kernel, **told)
    run = simulate(problem, policy, attack, lies=k, horizon=300_000, seed=1)
    assert run.best_arm_kept
    assert run.outcome == "settled"
    assert run.lies_spent == (0 if isinstance(attack, NoAttack) else k)
    assert run.regret <= 6 * max(k, 5) * problem.gaps.sum()
    assert run.regret == pytest.approx(float(run.regret_at(150_000)))  # nothing is paid any more


@pytest.mark.parametrize(("S", "s"), [(8, 3), (20, 2)])
def test_a_minority_of_liars_is_outvoted(S, s):
    problem = f1()
    told = {"norm_bound": problem.norm, "noise_std": problem.noise_std, "sources": S, "liars": s}
    policy = TrimmedPhasedElimination(problem.domain, problem.kernel, **told)
    run = simulate(problem, policy, Liar(), sources=S, liars=s, horizon=100_000, seed=1)
    assert run.best_arm_kept
    assert run.outcome == "settled"


def test_a_majority_of_liars_is_kept_with_everything():
    problem = table([[0.0], [9.0]], [1.0, 0.0], kernel=SquaredExponential(0.5), noise_std=0.1)
    policy = TrimmedPhasedElimination(problem.domain, problem.kernel, **KNOWN, sources=4, liars=2)
    run = simulate(problem, policy, Liar(), sources=4, liars=2, horizon=10_000, seed=0)
    assert len(run.active) == 2


def test_lies_beside_liars_are_trimmed_together():
    problem = f1()
    told = {"norm_bound": problem.norm, "noise_std": problem.noise_std, "sources": 9, "liars": 2, "lies": 2}
    policy = TrimmedPhasedElimination(problem.domain, problem.kernel, **told)
    assert policy.trim == 4
    run = simulate(problem, policy, SpikesHide(), sources=9, liars=2, lies=2, horizon=100_000, seed=1)
    assert (run.lies_spent, run.best_arm_kept, run.outcome) == (2, True, "settled")


def test_a_spike_of_any_size_costs_no_digits():
    """The rounding errors of what is trimmed must not keep arms that honest groups rule out."""
    X = np.linspace(0, 1, 30)[:, None]
    policy = TrimmedPhasedElimination(X, SquaredExponential(0.3), norm_bound=2.0, noise_std=0.01, lies=2)
    epoch = policy.init()
    query = policy.ask(epoch, np.random.default_rng(0))
    kept = []
    for size in (0.0, 1e6, 1e13):
        groups = np.tile(np.sin(3 * X[query.arms, 0]), (query.groups, 1))
        groups[:2] -= size
        after = policy.tell(epoch, Feedback(query.arms, query.repeats, groups.mean(axis=0), groups))
        kept.append(after.active.tolist())
    assert kept[0] == kept[1] == kept[2]
    assert len(kept[0]) < 25


def test_a_spike_leaves_the_posterior_alone():
    """The sums over all epochs keep the trimmed means."""
    problem = f1()
    told = {"norm_bound": problem.norm, "noise_std": problem.noise_std, "lies": 2}
    policy = TrimmedPhasedElimination(problem.domain, problem.kernel, **told)
    state = policy.init()
    query = policy.ask(state, np.random.default_rng(0))
    groups = np.tile(problem.f[query.arms], (query.groups, 1))
    groups[1] -= 1e6
    state = policy.tell(state, Feedback(query.arms, query.repeats, groups.mean(axis=0), groups))
    assert policy.posterior(state).mean[query.arms] == pytest.approx(problem.f[query.arms], abs=0.01)


@pytest.mark.parametrize(
    ("change", "reason"),
    [({"lies": -1}, "lies"), ({"lies": 1.5}, "lies"), ({"liars": 2}, "liars"), ({"sources": 0}, "sources"),
     ({"eta": 1.0}, "eta"), ({"delta": 0.0}, "delta"), ({"lam": -1.0}, "lam")],
)  # fmt: skip
def test_bad_settings_are_refused(change, reason):
    with pytest.raises(UnswayedError, match=reason):
        TrimmedPhasedElimination([[0.0], [1.0]], SquaredExponential(0.5), **{**KNOWN, **change})
