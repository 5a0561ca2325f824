"""The lemmas of Appendices A and C as tests, in their corrected forms."""

import numpy as np
import pytest

from tests.theory.instances import random_domain
from unswayed.core.design.information import gain_upper_bound, information_gain
from unswayed.core.design.rare_switching import rare_switching_design
from unswayed.core.gp.posterior import JointPosterior, Posterior
from unswayed.core.theory import regret_bounds
from unswayed.core.theory.bounds import theorem_psi

SEEDS = range(60)


def design(seed):
    rng = np.random.default_rng(seed)
    X, kernel = random_domain(rng)
    lam, eta = 10 ** rng.uniform(-1.5, 1), 1 + 10 ** rng.uniform(-1, 0.8)
    l_h = int(2 ** rng.integers(1, 9))
    return kernel(X, X), lam, eta, l_h, rng


@pytest.mark.parametrize("seed", SEEDS)
def test_sum_of_deviations(seed):
    """sum sigma_{t-1}(x_t) <= sqrt((2 lam + 1) T gamma_T), for the greediest sequence and a random one."""
    K, lam, _, T, rng = design(seed)
    gamma, _ = gain_upper_bound(K, lam, T)
    for greedy in (True, False):
        joint, total = JointPosterior.prior(K, lam), 0.0
        for _ in range(T):
            arm = int(np.argmax(joint.deviation)) if greedy else int(rng.integers(len(K)))
            total += joint.deviation[arm]
            joint = joint.extend(arm, 1, 0.0)
        assert total <= np.sqrt((2 * lam + 1) * T * gamma) * (1 + 1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_deviation_between_switches(seed):
    """sigma_{t'} <= sqrt(eta) sigma_t for every arm while line 6 has not fired."""
    K, lam, eta, _, _ = design(seed)
    joint = JointPosterior.prior(K, lam)
    for _ in range(12):
        before = joint.deviation
        arm = int(np.argmax(before))
        s = before[arm] ** 2
        unfired = int(min(np.floor(lam * (eta - 1) / s), 1000)) if s > 0 else 1000
        if unfired:
            after = joint.extend(arm, unfired, 0.0)
            assert (before <= np.sqrt(eta) * after.deviation * (1 + 1e-9)).all()
        joint = joint.extend(arm, unfired + 1, 0.0)


@pytest.mark.parametrize("seed", SEEDS)
def test_after_an_epoch(seed):
    """Largest deviation, number of arms and length of an epoch, with psi of the theorem and with others."""
    K, lam, eta, l_h, rng = design(seed)
    arms, selected = rare_switching_design(K, lam, eta, l_h)
    gamma, _ = gain_upper_bound(K, lam, l_h)
    assert information_gain(K[np.ix_(arms, arms)], selected, lam) <= gamma * (1 + 1e-9)
    assert len(arms) <= regret_bounds.number_of_arms(eta, gamma) * (1 + 1e-9)
    for psi in (theorem_psi(eta, gamma), 0.5, rng.uniform()):
        u = np.maximum(selected, int(np.ceil(l_h * psi)))
        assert l_h <= u.sum() <= l_h * (2 + psi * len(arms))
        posterior = Posterior.fit(K[np.ix_(arms, arms)], np.zeros(len(arms)), u, lam)
        _, sigma = posterior.predict(K[:, arms], np.diag(K))
        assert sigma.max() <= np.sqrt(eta * (2 * lam + 1) * gamma / l_h) * (1 + 1e-9)


def test_the_printed_number_of_arms_is_one_short():
    """One arm, T = 2, lam = 1, eta = 8: the paper's 2 gamma / ln eta = 0.53 is below 1."""
    K, eta = np.ones((1, 1)), 8.0
    arms, _ = rare_switching_design(K, 1.0, eta, 2)
    gamma = information_gain(K, [2], 1.0)
    assert len(arms) > 2 * gamma / np.log(eta)
    assert len(arms) <= regret_bounds.number_of_arms(eta, gamma)


@pytest.mark.parametrize("T", [1, 3, 7, 15, 100, 1023, 50_000])
def test_number_of_epochs(T):
    """Epochs of at least 2^(h+1) plays: at most log2(T + 1) are begun; log2(T) fails at T = 2^m - 1."""
    begun, left, h = 0, T, 0
    while left > 0:
        begun, left, h = begun + 1, left - 2 ** (h + 1), h + 1
    assert begun <= regret_bounds.number_of_epochs(T) + 1e-12
    if T in (1, 3, 7, 15, 1023):
        assert begun > np.log2(T)
