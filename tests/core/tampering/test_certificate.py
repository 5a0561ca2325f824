"""Breakdowns by tampering that just fails and just succeeds; certificates by how often they hold."""

import numpy as np
import pytest
from tests.theory.instances import posterior_of_plays as fit
from tests.theory.instances import random_plays as random_data

from unswayed import Posterior, SquaredExponential, UnswayedError, certificate
from unswayed.core.gp.posterior import JointPosterior
from unswayed.core.tampering.certificate import breakdown, breakdown_budgets
from unswayed.core.tampering.threat import Records, Threat


@pytest.mark.parametrize("seed", range(40))
def test_breakdown_is_tight(seed):
    """(1 - 1e-6) of it never changes the winner, in 1,000 ways; (1 + 1e-6) at the pivot always does."""
    rng, K, plays, rewards, lam = random_data(seed)
    posterior = fit(K, plays, rewards, lam)
    found = breakdown(posterior)
    winner = int(np.argmax(posterior.mean))
    assert 0 < found.budget <= np.abs(rewards).sum() * (1 + 1e-9)
    effect = posterior.covariance[:, plays] / lam  # the mean is linear in the rewards
    below = (1 - 1e-6) * found.budget
    ways = rng.standard_normal((700, len(plays)))
    ways[:350] *= rng.uniform(size=(350, len(plays))) < 0.1
    ways = ways[np.abs(ways).sum(axis=1) > 0]
    singles = np.concatenate([np.eye(len(plays)), -np.eye(len(plays))])  # the extreme points of the budget
    greedy = np.array([-np.sign(effect[winner] - effect[b]) for b in range(len(K)) if b != winner])
    for way in np.concatenate([ways, singles, greedy]):
        if np.abs(way).sum() > 0:
            mean = posterior.mean + effect @ (below * way / np.abs(way).sum())
            assert np.argmax(mean) == winner
    at_pivot = np.flatnonzero(plays == found.pivot)[0]
    sign = np.sign(posterior.covariance[winner, found.pivot] - posterior.covariance[found.rival, found.pivot])
    tampered = rewards.copy()
    tampered[at_pivot] -= sign * (1 + 1e-6) * found.budget
    overturned = fit(K, plays, tampered, lam).mean
    assert overturned[found.rival] > overturned[winner]


@pytest.mark.parametrize("beta", [0.0, 0.3, 2.0])
@pytest.mark.parametrize("caution", [0.0, 0.5])
@pytest.mark.parametrize("weighed", [False, True])
def test_budgets_are_their_formula(beta, caution, weighed):
    """lam (score(a) - score(b) - beta sd(a - b)) / max_j w_j |k_t(a, x_j) - k_t(b, x_j)|, rival by rival."""
    nothing = 0
    for seed in range(10):
        rng, K, plays, rewards, lam = random_data(seed)
        weights = rng.uniform(0.2, 3.0, len(plays)) if weighed else np.ones(len(plays))
        posterior = JointPosterior.of_plays(K, plays, rewards, weights, lam)
        k, winner = posterior.covariance, int(np.argmax(posterior.mean))
        score = posterior.mean - caution * np.sqrt(k.diagonal())
        records = Records(plays, rewards, weights) if weighed else None
        budgets, where = breakdown_budgets(posterior, winner, beta=beta, caution=caution, records=records)
        for b in set(range(len(K))) - {winner}:
            effects = weights * np.abs(k[winner, plays] - k[b, plays]) / lam
            sd = np.sqrt(k[winner, winner] + k[b, b] - 2 * k[winner, b])
            lead = score[winner] - score[b] - beta * sd
            nothing += lead <= 0
            assert budgets[b] == pytest.approx(max(lead, 0) / effects.max(), rel=1e-6, abs=1e-9)
            assert effects[plays == where[b]].max() == pytest.approx(effects.max(), rel=1e-9)
    assert (nothing > 0) == (beta + caution > 0)


@pytest.mark.parametrize(("lam", "share"), [(1e-20, 2.0**-31), (1e-2, 1.0)])
def test_a_jitter_costs_a_share_of_delta(lam, share):
    """The plays decide on the jitter, so the bound holds for all that are possible, each with its share."""
    posterior = JointPosterior.fit(np.ones((3, 3)), np.array([1.0, 2.0, 3.0]), np.full(3, 4.0), lam)
    assert (posterior.jitter > 0) == (share < 1)
    said = certificate(posterior, budget=0, norm_bound=2.0, noise_std=0.1, delta=0.05)
    log_det = posterior.log_det + posterior.errors.log_det
    assert said.beta == pytest.approx(2 + 0.1 / np.sqrt(lam) * np.sqrt(2 * np.log(1 / (0.05 * share)) + log_det))


def test_indistinguishable_arms_break_down_at_nothing():
    posterior = JointPosterior.fit(np.ones((2, 2)), np.array([1 / 3, 0.0]), np.array([3.0, 0.0]), 1.0)
    budgets, _ = breakdown_budgets(posterior, 0)
    assert budgets[1] == 0
    assert breakdown(posterior).budget == 0


def test_a_single_arm_cannot_be_overturned():
    posterior = JointPosterior.fit(np.ones((1, 1)), np.array([1 / 3]), np.array([3.0]), 1.0)
    found = breakdown(posterior)
    assert (found.budget, found.rival, found.pivot) == (np.inf, None, None)
    assert not found.possible
    assert found.to_dict() == {"budget": None, "rival": None, "pivot": None, "lies": None, "liars": None}
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
    assert f"option {said.winner}" in text
    assert "95% confidence" in text
    doubled = said.in_units(2.0, Threat(0.2))
    assert doubled.certified_budget == 2 * said.certified_budget
    assert doubled.largest_gap == 2 * said.largest_gap
    assert said.certified_budget <= breakdown(posterior).budget


@pytest.mark.parametrize("change", [{"budget": -1}, {"delta": 0}, {"norm_bound": np.nan}, {"noise_std": -1}])
def test_bad_input_is_refused(change):
    _, posterior = adaptive_run(0, 0.0)
    with pytest.raises(UnswayedError):
        certificate(posterior, **{"budget": 1.0, "norm_bound": 1.0, "noise_std": 0.1, **change})


@pytest.mark.parametrize("seed", range(20))
def test_breakdown_of_a_cautious_rule_is_tight(seed):
    """The same for a rule that takes the largest mu - sd and leaves an arm out: sd does not depend on the rewards."""
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


def test_both_posteriors_give_the_same_certificate():
    X = np.linspace(0, 1, 6)[:, None]
    K, means, counts = SquaredExponential(0.2)(X, X), np.sin(5 * X[:, 0]), np.array([3, 50, 9, 40, 7, 12])
    norm = {"budget": 2.0, "norm_bound": 2.0, "noise_std": 0.1}
    posteriors = (Posterior.fit(K, means, counts, 0.01), JointPosterior.fit(K, means, counts, 0.01))
    one, two = (certificate(posterior, **norm) for posterior in posteriors)
    assert one.to_dict() == two.to_dict()
    assert one.winner == int(np.argmax(posteriors[0].mean))
    assert breakdown(posteriors[0]) == breakdown(posteriors[1])
