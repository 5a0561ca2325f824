"""Influence is exact: by finite differences, by attacks that attain it, and by tampering that just fails."""

import numpy as np
import pytest
from tests.theory.instances import posterior_of_plays as fit
from tests.theory.instances import random_plays as random_data

from unswayed.core.gp.kernels import SquaredExponential
from unswayed.core.gp.posterior import JointPosterior
from unswayed.core.tampering.influence import influence_width, pairwise_deviation, pairwise_influence


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
    monkeypatch.setattr("unswayed.core.data.memory.BLOCK_ENTRIES", 1)
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
    posterior = JointPosterior.fit(K, np.sin(5 * X[:, 0]), counts, noise**2)
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
    posterior = JointPosterior.fit(K, totals, counts, 1e-12)
    assert posterior.jitter > 0
    effect, _ = posterior.effect()
    for j in (0, 9):
        moved = totals.copy()
        moved[j] += 1.0
        difference = JointPosterior.fit(K, moved, counts, 1e-12).mean - posterior.mean
        assert np.abs(difference - effect[:, j]).max() < 1e-2 * np.abs(effect[:, j]).max()


def test_deviation_of_differences():
    _, K, plays, rewards, lam = random_data(5)
    k = fit(K, plays, rewards, lam).covariance
    spread = pairwise_deviation(k, 1)
    assert spread[1] == 0
    assert spread[0] == pytest.approx(np.sqrt(k[0, 0] + k[1, 1] - 2 * k[0, 1]))
