"""Influence is exact: by finite differences, by attacks that attain it, and by tampering that just fails."""

import numpy as np
import pytest

from unswayed import Linear, Matern, SquaredExponential, UnswayedError, certificate
from unswayed.core.influence import (
    breakdown,
    breakdown_budgets,
    influence_width,
    pairwise_deviation,
    pairwise_influence,
)
from unswayed.core.posterior import JointPosterior


def random_data(seed, T=40):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (int(rng.integers(2, 12)), 2))
    kernel = [SquaredExponential(0.5), Matern(1.5, 0.7), Linear(np.sqrt(2))][seed % 3]
    plays = rng.integers(0, len(X), T)
    return rng, kernel(X, X), plays, rng.standard_normal(T), 10 ** rng.uniform(-2, 0.5)


def fit(K, plays, rewards, lam):
    counts = np.bincount(plays, minlength=len(K)).astype(float)
    return JointPosterior.fit(K, counts, np.bincount(plays, weights=rewards, minlength=len(K)), lam)


@pytest.mark.parametrize("seed", range(30))
def test_the_derivative_of_the_mean_is_the_covariance_over_lam(seed):
    _, K, plays, rewards, lam = random_data(seed)
    posterior = fit(K, plays, rewards, lam)
    # In closed form: mu = k_S (K_T + lam I)^-1 y on all T plays.
    K_T = K[np.ix_(plays, plays)] + lam * np.eye(len(plays))
    derivative = np.linalg.solve(K_T, K[plays]).T
    assert np.abs(derivative - posterior.covariance[:, plays] / lam).max() < 1e-9
    for j in (0, 7, 39):  # and by finite differences: the mean is linear, so a large step is exact
        moved = rewards.copy()
        moved[j] += 1.0
        difference = fit(K, plays, moved, lam).mean - posterior.mean
        assert np.abs(difference - posterior.covariance[:, plays[j]] / lam).max() < 1e-9


@pytest.mark.parametrize("seed", range(30))
def test_the_width_bounds_every_tampering_and_is_attained(seed):
    rng, K, plays, rewards, lam = random_data(seed)
    posterior, C = fit(K, plays, rewards, lam), 3.0
    played = posterior.counts > 0
    width = influence_width(posterior.covariance, played, C, lam)
    for _ in range(50):
        c = rng.standard_normal(len(plays)) * (rng.uniform(size=len(plays)) < rng.uniform())
        if np.abs(c).sum() == 0:
            continue
        moved = fit(K, plays, rewards + C * c / np.abs(c).sum(), lam).mean - posterior.mean
        assert (np.abs(moved) <= width * (1 + 1e-9) + 1e-12).all()
    for x in range(len(K)):
        where = max(np.flatnonzero(played), key=lambda s: abs(posterior.covariance[x, s]))
        tampered = rewards.copy()
        tampered[np.flatnonzero(plays == where)[0]] += C
        moved = fit(K, plays, tampered, lam).mean[x] - posterior.mean[x]
        assert abs(moved) == pytest.approx(width[x], rel=1e-6, abs=1e-12)


def test_pairs_in_blocks_are_the_same(monkeypatch):
    _, K, plays, rewards, lam = random_data(4)
    effect, S = fit(K, plays, rewards, lam).effect()
    whole = pairwise_influence(effect, 0)
    monkeypatch.setattr("unswayed.core.influence.BLOCK", 1)
    parts = pairwise_influence(effect, 0)
    assert np.array_equal(whole[0], parts[0])
    assert np.array_equal(whole[1], parts[1])
    literal = [max(abs(effect[0, s] - effect[b, s]) for s in range(len(S))) for b in range(len(K))]
    assert np.allclose(whole[0], literal)


@pytest.mark.parametrize("noise", [1e-3, 1e-5, 1e-7])
def test_small_noise_keeps_its_digits(noise):
    """Against 60 digits: the effect of a play on every mean, where K - K A^-1 K would have lost everything."""
    import mpmath

    X = np.linspace(0, 1, 8)[:, None]
    K = SquaredExponential(0.15)(X, X)
    counts = np.full(8, 2.0)
    posterior = JointPosterior.fit(K, counts, np.sin(5 * X[:, 0]) * counts, noise**2)
    effect, _ = posterior.effect()
    with mpmath.workdps(60):
        A = mpmath.matrix(K.tolist()) + mpmath.diag([mpmath.mpf(noise) ** 2 / 2] * 8)
        exact = mpmath.matrix(K.tolist()) * A**-1 / 2
        worst = max(abs(float(exact[i, j]) - effect[i, j]) for i in range(8) for j in range(8))
    assert posterior.jitter == 0
    assert worst <= 1e-15 * 8 * posterior.condition
    assert (posterior.deviation**2 < noise**2).all()


def test_with_jitter_the_effect_is_still_the_derivative():
    X = np.linspace(0, 1, 20)[:, None]
    K = SquaredExponential(1.0)(X, X)
    counts, totals = np.ones(20), np.sin(3 * X[:, 0])
    posterior = JointPosterior.fit(K, counts, totals, 1e-12)
    assert posterior.jitter > 0
    effect, _ = posterior.effect()
    for j in (0, 9):
        moved = totals.copy()
        moved[j] += 1.0
        difference = JointPosterior.fit(K, counts, moved, 1e-12).mean - posterior.mean
        assert np.abs(difference - effect[:, j]).max() < 1e-2 * np.abs(effect[:, j]).max()


def test_deviation_of_differences():
    _, K, plays, rewards, lam = random_data(5)
    k = fit(K, plays, rewards, lam).covariance
    spread = pairwise_deviation(k, 1)
    assert spread[1] == 0
    assert spread[0] == pytest.approx(np.sqrt(k[0, 0] + k[1, 1] - 2 * k[0, 1]))


@pytest.mark.parametrize("seed", range(40))
def test_breakdown_is_tight(seed):
    """(1 - 1e-6) of it never changes the winner, in 1,000 ways; (1 + 1e-6) at the pivot always does."""
    rng, K, plays, rewards, lam = random_data(seed)
    posterior = fit(K, plays, rewards, lam)
    found = breakdown(posterior)
    assert found.winner == np.argmax(posterior.mean)
    assert 0 < found.budget <= np.abs(rewards).sum() * (1 + 1e-9)
    effect = posterior.covariance[:, plays] / lam  # the mean is linear in the rewards
    below = (1 - 1e-6) * found.budget
    ways = rng.standard_normal((700, len(plays)))
    ways[:350] *= rng.uniform(size=(350, len(plays))) < 0.1
    ways = ways[np.abs(ways).sum(axis=1) > 0]
    singles = np.concatenate([np.eye(len(plays)), -np.eye(len(plays))])  # the extreme points of the budget
    greedy = np.array([-np.sign(effect[found.winner] - effect[b]) for b in range(len(K)) if b != found.winner])
    for way in np.concatenate([ways, singles, greedy]):
        if np.abs(way).sum() > 0:
            mean = posterior.mean + effect @ (below * way / np.abs(way).sum())
            assert np.argmax(mean) == found.winner
    at_pivot = np.flatnonzero(plays == found.pivot)[0]
    sign = np.sign(posterior.covariance[found.winner, found.pivot] - posterior.covariance[found.rival, found.pivot])
    tampered = rewards.copy()
    tampered[at_pivot] -= sign * (1 + 1e-6) * found.budget
    overturned = fit(K, plays, tampered, lam).mean
    assert overturned[found.rival] > overturned[found.winner]


def test_indistinguishable_arms_break_down_at_nothing():
    posterior = JointPosterior.fit(np.ones((2, 2)), np.array([3.0, 0.0]), np.array([1.0, 0.0]), 1.0)
    budgets, _ = breakdown_budgets(posterior, 0)
    assert budgets[1] == 0
    assert breakdown(posterior).budget == 0


def test_a_single_arm_cannot_be_overturned():
    posterior = JointPosterior.fit(np.ones((1, 1)), np.array([3.0]), np.array([1.0]), 1.0)
    assert breakdown(posterior).budget == np.inf
    said = certificate(posterior, budget=5.0, norm_bound=1.0, noise_std=0.1)
    assert said.candidates.tolist() == [0]
    assert "is the best" in str(said)


def adaptive_run(seed, C, B=1.0, sigma=0.03, T=300):
    """A function of norm exactly B, an adaptive sampler, and an adversary that spends all of C on lies."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (8, 1))
    kernel = SquaredExponential(0.1)
    K = kernel(X, X)
    weights = rng.standard_normal(8)
    f = K @ weights * B / np.sqrt(weights @ K @ weights)
    posterior, left = JointPosterior.prior(K, sigma**2), C
    for t in range(T):
        arm = int(np.argmax(posterior.deviation if t % 2 else posterior.mean + posterior.deviation))
        lie = -min(left, 1.0) if arm == np.argmax(f) else 0.0
        left -= abs(lie)
        posterior = posterior.extend(arm, 1, f[arm] + sigma * rng.standard_normal() + lie)
    return f, posterior


@pytest.mark.parametrize("C", [0.0, 5.0])
def test_certificates_cover(C):
    """In 200 runs: the winner is within the gap, and the best arm among the candidates, with probability 0.95."""
    misses = sure = 0
    for seed in range(200):
        f, posterior = adaptive_run(seed, C)
        said = certificate(posterior, budget=C, norm_bound=1.0, noise_std=0.03, delta=0.05)
        gap = f.max() - f[said.winner]
        misses += gap > said.largest_gap or int(np.argmax(f)) not in said.candidates
        if said.certified_budget > C:
            sure += 1
            misses += said.winner != np.argmax(f)
    assert misses <= 24
    assert sure > 20  # and they say something (99 and 37 of 200)


def test_a_certificate_in_words():
    _, posterior = adaptive_run(0, 0.0)
    said = certificate(posterior, budget=0.1, norm_bound=1.0, noise_std=0.03)
    text = str(said)
    assert f"Option {said.winner}" in text
    assert "95% confidence" in text
    assert f"{said.breakdown_budget:.4g} of tampering" in text
    doubled = said.scaled(2.0)
    assert doubled.breakdown_budget == 2 * said.breakdown_budget
    assert doubled.largest_gap == 2 * said.largest_gap
    assert said.certified_budget <= said.breakdown_budget


@pytest.mark.parametrize("change", [{"budget": -1}, {"delta": 0}, {"norm_bound": np.nan}, {"noise_std": -1}])
def test_bad_input_is_refused(change):
    _, posterior = adaptive_run(0, 0.0)
    with pytest.raises(UnswayedError):
        certificate(posterior, **{"budget": 1.0, "norm_bound": 1.0, "noise_std": 0.1, **change})


@pytest.mark.parametrize("seed", range(20))
def test_breakdown_of_a_cautious_rule_is_tight(seed):
    """As for the largest mean, where mu - sd decides and an arm is left out: the deviations know nothing of rewards."""
    _, K, plays, rewards, lam = random_data(seed)
    posterior = fit(K, plays, rewards, lam)
    lower = posterior.mean - posterior.deviation
    out = int(np.argmax(lower))
    lower[out] = -np.inf
    winner = int(np.argmax(lower))
    found = breakdown(posterior, winner=winner, caution=1.0, without=[out])
    assert found.budget > 0
    assert found.rival not in (out, winner)
    for play in range(len(plays)):
        for way in (-1, 1):
            tampered = rewards.copy()
            tampered[play] += way * (1 - 1e-6) * found.budget
            lower = fit(K, plays, tampered, lam).mean - posterior.deviation
            lower[out] = -np.inf
            assert np.argmax(lower) == winner
    at_pivot = np.flatnonzero(plays == found.pivot)[0]
    sign = np.sign(posterior.covariance[winner, found.pivot] - posterior.covariance[found.rival, found.pivot])
    tampered = rewards.copy()
    tampered[at_pivot] -= sign * (1 + 1e-6) * found.budget
    lower = fit(K, plays, tampered, lam).mean - posterior.deviation
    assert lower[found.rival] > lower[winner]
