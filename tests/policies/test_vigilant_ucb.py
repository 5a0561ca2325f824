"""Vigilant-UCB against a literal version of itself, and what it is for: few plays, some of them lies."""

import numpy as np
import pytest

from unswayed import SquaredExponential, UnswayedError, VigilantUCB
from unswayed.core.gp.posterior import JointPosterior, mean_rewards
from unswayed.core.tampering.certificate import breakdown_budgets, certificate
from unswayed.types import Feedback

GRID = np.stack(np.meshgrid(np.linspace(0, 1, 20), np.linspace(0, 1, 20)), axis=-1).reshape(-1, 2)
KERNEL = SquaredExponential(0.2)
SIGMA = 0.05


def smooth(seed):
    K = KERNEL(GRID, GRID)
    return np.linalg.cholesky(K + 1e-8 * np.eye(400)) @ np.random.default_rng(seed).standard_normal(400)


def policy(C=10.0, **options):
    return VigilantUCB(GRID, KERNEL, corruption_budget=C, lam=SIGMA**2, **options)


def play(policy, f, plays, seed, lie=lambda arm, t: 0.0, budget=10.0):
    rng = np.random.default_rng([seed, 1])
    state = policy.init()
    for t in range(plays):
        arm = int(policy.ask(state, rng).arms[0])
        c = lie(arm, t)
        c = float(np.sign(c)) * min(abs(c), budget)
        budget -= abs(c)
        reward = f[arm] + SIGMA * rng.standard_normal() + c
        state = policy.tell(state, Feedback(np.array([arm]), np.array([1]), np.array([reward])))
    return state


def gap(policy, state, f):
    return float(f.max() - f[policy.recommend(state)])


def test_without_lies_it_finds_the_best():
    gaps = [gap(policy(), play(policy(), smooth(s), 120, s), smooth(s)) for s in range(5)]
    assert np.median(gaps) < 0.02


@pytest.mark.parametrize("attack", ["top", "flip", "promote"])
def test_it_recovers_from_lies_where_an_unwatched_search_does_not(attack):
    watched, trusting = [], []
    for seed in range(5):
        f = smooth(seed)
        top, bottom = f >= np.quantile(f, 0.95), f <= np.quantile(f, 0.2)
        lie = {
            "top": lambda arm, t, f=f, top=top: (-1.0 - f[arm]) * top[arm],
            "flip": lambda arm, t, f=f: -2 * f[arm],
            "promote": lambda arm, t, f=f, bottom=bottom: (f.max() + 1 - f[arm]) * bottom[arm],
        }[attack]
        vigilant, blind = policy(), policy(threshold=np.inf, verify=0)
        watched.append(gap(vigilant, play(vigilant, f, 200, seed, lie), f))
        trusting.append(gap(blind, play(blind, f, 200, seed, lie), f))
    assert np.median(watched) < 0.25
    if attack == "top":  # the others are found out by playing on, watched or not
        assert np.mean(watched) < np.mean(trusting)


def test_the_pivot_is_where_tampering_is_cheapest():
    f = smooth(1)
    p = policy()
    state = play(p, f, 40, 1)
    leader = p.recommend(state)
    posterior, lam = state.posterior, p.lam
    S = np.unique(state.records.arms[state.mask])
    cheapest = (np.inf, -1)
    for b in range(400):
        for x in S:
            power = abs(posterior.covariance[leader, x] - posterior.covariance[b, x]) / lam
            if b != leader and power > 0:
                cost = (posterior.mean[leader] - posterior.mean[b] + p.margin * np.sqrt(lam)) / power
                cheapest = min(cheapest, (cost, x))
    assert p.pivot(state) == cheapest[1]
    with_margin_zero = VigilantUCB(GRID, KERNEL, corruption_budget=10.0, lam=lam, margin=0.0)
    if leader == int(np.argmax(posterior.mean)):
        budgets, where = breakdown_budgets(posterior, leader)
        budgets[leader] = np.inf
        assert with_margin_zero.pivot(state) == where[int(np.argmin(budgets))]


def test_its_posterior_is_that_of_the_plays_it_keeps():
    f = smooth(2)
    p = policy()
    state = play(p, f, 80, 2, lambda arm, t: -3.0 if t in (30, 50) else 0.0)
    assert not state.mask[30]
    assert not state.mask[50]
    counts = np.bincount(state.records.arms[state.mask], minlength=400).astype(float)
    totals = np.bincount(state.records.arms[state.mask], weights=state.records.values[state.mask], minlength=400)
    expected = JointPosterior.fit(KERNEL(GRID, GRID), mean_rewards(totals, counts), counts, p.lam)
    np.testing.assert_allclose(state.posterior.mean, expected.mean, atol=1e-6)
    np.testing.assert_allclose(state.posterior.deviation, expected.deviation, atol=1e-5)
    np.testing.assert_allclose(state.means, mean_rewards(totals, counts))


def test_a_certificate_of_its_posterior_counts_every_play():
    """The proof has no room for plays that were left out because of their rewards."""
    f = smooth(2)
    p = policy()
    state = play(p, f, 80, 2, lambda arm, t: -3.0 if t in (30, 50) else 0.0)
    assert not state.mask.all()
    posterior = p.posterior(state)
    assert posterior.counts.sum() == 80
    everything = JointPosterior.of_plays(
        KERNEL(GRID, GRID), state.records.arms, state.records.values, np.ones(80), p.lam
    )
    norm = {"budget": 10.0, "norm_bound": 10.0, "noise_std": SIGMA}
    said, expected, trimmed = (certificate(one, **norm) for one in (posterior, everything, state.posterior))
    assert said.to_dict() == expected.to_dict()
    assert said.beta != trimmed.beta
    assert said.largest_gap != trimmed.largest_gap


def test_one_huge_value_changes_nothing_else():
    f = smooth(3)
    honest = play(policy(), f, 60, 3)
    p = policy()
    state = play(p, f, 60, 3, lambda arm, t: 1e12 if t == 20 else 0.0, budget=np.inf)
    assert not state.mask[20]
    assert gap(p, state, f) <= gap(p, honest, f) + 0.3


def test_it_says_what_is_wrong():
    with pytest.raises(UnswayedError, match="threshold"):
        policy(threshold=0)
    with pytest.raises(UnswayedError, match="verify"):
        policy(verify=-1)
    with pytest.raises(UnswayedError, match="threat"):
        policy(C=-1)
    with pytest.raises(UnswayedError, match="lam"):
        VigilantUCB(GRID, KERNEL, corruption_budget=1.0, lam=1e-30)
