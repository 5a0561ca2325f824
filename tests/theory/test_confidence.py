"""Confidence bounds under noise and under the worst corruption there is."""

import numpy as np
import pytest

from tests.theory.instances import function_of_norm, random_domain
from unswayed.core.design.newton import newton_basis
from unswayed.core.design.rare_switching import rare_switching_design
from unswayed.core.gp.posterior import JointPosterior, Posterior
from unswayed.core.theory import bounds


def epoch(seed, lam=None):
    rng = np.random.default_rng(seed)
    X, kernel = random_domain(rng)
    K = kernel(X, X)
    lam = lam or 10 ** rng.uniform(-1, 1.5)
    l_h, psi = int(2 ** rng.integers(2, 9)), float(rng.uniform(0.05, 0.6))
    S, selected = rare_switching_design(K, lam, 2.0, l_h)
    u = np.maximum(selected, int(np.ceil(l_h * psi)))
    return rng, K, lam, l_h, psi, S, u


def shift(K, S, u, lam, corruption):
    """How the posterior mean of every arm moves when corruption[i] is added to the rewards of S[i]."""
    posterior = Posterior.fit(K[np.ix_(S, S)], corruption / u, u, lam)
    return posterior.predict(K[:, S], np.diag(K))


@pytest.mark.parametrize("seed", range(80))
def test_lemma_1_holds_for_the_worst_corruption(seed):
    """The shift at x is linear in the corruption, so the worst of budget C puts all on one arm: try each."""
    rng, K, lam, l_h, psi, S, u = epoch(seed)
    C = 10.0
    factor = bounds.theory_factor(0.0, C, lam, psi, l_h, int(u.sum()))
    for i in range(len(S)):
        moved, sigma = shift(K, S, u, lam, C * (np.arange(len(S)) == i))
        assert (np.abs(moved) <= factor * sigma * (1 + 1e-9) + 1e-12).all()
    for _ in range(20):  # and mixtures, which cannot be worse
        mixture = rng.standard_normal(len(S))
        moved, sigma = shift(K, S, u, lam, C * mixture / np.abs(mixture).sum())
        assert (np.abs(moved) <= factor * sigma * (1 + 1e-9) + 1e-12).all()


@pytest.mark.parametrize("seed", range(20))
def test_the_band_of_rgp_ucb_holds_for_the_worst_corruption(seed):
    _, K, lam, _, _, S, u = epoch(seed)
    for i in range(len(S)):
        moved, sigma = shift(K, S, u, lam, 10.0 * (np.arange(len(S)) == i))
        factor = bounds.robust_ucb_factor(0.0, 10.0, 1.0, lam)
        assert (np.abs(moved) <= factor * sigma * (1 + 1e-9) + 1e-12).all()


def test_lemma_1_as_printed_is_too_narrow():
    """One arm, n = lam = 4: the corruption moves the mean by C/8, the printed width is 0.0884 C."""
    C, lam, n = 1.0, 4.0, 4
    moved, sigma = shift(np.ones((1, 1)), np.array([0]), np.array([n]), lam, np.array([C]))
    assert moved[0] == pytest.approx(C / 8)
    printed = C * np.sqrt(n) / (n * lam) * sigma[0]
    assert printed == pytest.approx(0.0884, abs=1e-4)
    assert moved[0] > printed
    assert moved[0] <= bounds.theory_factor(0.0, C, lam, 1.0, n, n) * sigma[0]


def test_nonadaptive_beta_covers():
    """Noise, norm exactly B, plays fixed beforehand: one-sided misses in at most delta of the runs."""
    rng = np.random.default_rng(5)
    misses, runs, delta, B, sigma_noise = 0, 600, 0.1, 2.0, 0.5
    for seed in range(runs):
        rng, K, lam, _, _, S, u = epoch(seed)
        f = function_of_norm(lambda A, Z, K=K: K, np.zeros((len(K), 1)), B, rng)
        ybar = f[S] + sigma_noise * rng.standard_normal(len(S)) / np.sqrt(u)
        mu, sigma = Posterior.fit(K[np.ix_(S, S)], ybar, u, lam).predict(K[:, S], np.diag(K))
        beta = bounds.sharp_nonadaptive_beta(B, sigma_noise, lam, len(K), delta)
        assert beta <= bounds.nonadaptive_beta(B, sigma_noise, lam, len(K), delta)
        misses += bool((f > mu + beta * sigma).any())
    assert misses <= delta * runs


def test_log_det_beta_covers_an_epoch_on_both_sides():
    """Corollary 2, exact form: the band of one epoch, any lam, all arms, both sides."""
    misses, runs, delta, B, sigma_noise = 0, 600, 0.1, 2.0, 0.5
    for seed in range(runs):
        rng, K, lam, _, _, S, u = epoch(seed)
        f = function_of_norm(lambda A, Z, K=K: K, np.zeros((len(K), 1)), B, rng)
        ybar = f[S] + sigma_noise * rng.standard_normal(len(S)) / np.sqrt(u)
        posterior = Posterior.fit(K[np.ix_(S, S)], ybar, u, lam)
        mu, sigma = posterior.predict(K[:, S], np.diag(K))
        beta = bounds.log_det_beta(B, sigma_noise, lam, delta, posterior.log_det)
        misses += bool((np.abs(f - mu) > beta * sigma).any())
    assert misses <= delta * runs


def adaptive_misses(lam, beta_of, runs=200, rounds=100):
    """One arm played again and again, f = 0, noise 1: how often the band is left at any time."""
    misses = 0
    for seed in range(runs):
        noise = np.random.default_rng(seed).standard_normal(rounds)
        n = np.arange(1, rounds + 1)
        mu, sigma = np.cumsum(noise) / (n + lam), np.sqrt(lam / (lam + n))
        misses += bool((np.abs(mu) > beta_of(n) * sigma).any())
    return misses / runs


def test_log_det_beta_covers_for_any_lam_and_chowdhury_gopalan_does_not():
    delta = 0.05
    for lam in (1e-4, 0.01, 1.0):
        covered = adaptive_misses(
            lam, lambda n, lam=lam: [bounds.log_det_beta(0.0, 1.0, lam, delta, np.log1p(k / lam)) for k in n]
        )
        assert covered <= delta

    def outside_its_range(n, lam):  # the formula where the function itself refuses to answer
        return np.sqrt(2 * (0.5 * np.log1p(n / lam) + 1 + np.log(1 / delta)))

    assert adaptive_misses(1.0, lambda n: outside_its_range(n, 1.0)) <= delta
    assert adaptive_misses(0.01, lambda n: outside_its_range(n, 0.01)) > 0.5


def test_log_det_beta_covers_an_adaptive_sampler():
    """GP-UCB-like sampling on a random function of norm exactly B; a miss is any arm at any time."""
    misses, runs, delta, B, noise = 0, 150, 0.1, 1.5, 0.3
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        X, kernel = random_domain(rng, N=10)
        f = function_of_norm(kernel, X, B, rng)
        lam = 10 ** rng.uniform(-1.5, 0.5)
        joint = JointPosterior.prior(kernel(X, X), lam)
        missed = False
        for _ in range(60):
            arm = int(np.argmax(joint.mean + joint.deviation))
            joint = joint.extend(arm, 1, f[arm] + noise * rng.standard_normal())
            beta = bounds.log_det_beta(B, noise, lam, delta, joint.log_det)
            missed |= bool((np.abs(joint.mean - f) > beta * joint.deviation).any())
        misses += missed
    assert misses <= delta * runs


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("error", [0.5, 0.05, 1e-3])
def test_newton_basis_approximates_every_function(seed, error):
    """|f - <theta, x~>| <= B e with |theta| <= B, for f of norm exactly B."""
    rng = np.random.default_rng(seed)
    X, kernel = random_domain(rng, N=20)
    K, B = kernel(X, X), 3.0
    f = function_of_norm(kernel, X, B, rng)
    chosen, basis = newton_basis(K, error)
    theta = np.linalg.solve(basis[chosen], f[chosen])  # <f, N_i>: the interpolant on the chosen arms
    assert np.linalg.norm(theta) <= B * (1 + 1e-6)
    assert np.abs(f - basis @ theta).max() <= B * error * (1 + 1e-6)
    others = [arm for arm in range(20) if arm not in chosen]
    if others:  # optimal choice of the next point: what is left is below e everywhere
        left = np.diag(K) - np.sum(basis**2, axis=1)
        assert left.max() <= error**2 + 1e-12
