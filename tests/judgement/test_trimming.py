"""Trimming against the dense formulas on all plays."""

from itertools import pairwise

import numpy as np
import pytest

from unswayed.core.gp.kernels import Linear, Matern
from unswayed.core.gp.posterior import JointPosterior
from unswayed.core.tampering.threat import Records, Threat
from unswayed.errors import InvalidInput
from unswayed.judgement import trimming
from unswayed.judgement.allowance import Allowance
from unswayed.judgement.trimming import residuals


def game(seed, plays=30, arms=8):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(arms, 2))
    K = Matern(2.5, 0.5)(X, X)
    f = np.linalg.cholesky(K + 1e-10 * np.eye(arms)) @ rng.standard_normal(arms)
    played = rng.integers(arms, size=plays)
    rewards = f[played] + 0.1 * rng.standard_normal(plays)
    return K, f, played, rewards


def fit(K, played, rewards, lam=0.01):
    return JointPosterior.of_plays(K, played, rewards, np.ones(len(played)), lam)


def trim(posterior, played, rewards, repeats, **how):
    return trimming.trim(posterior, Records(played, rewards, repeats), **how)


def dense_residuals(K, played, rewards, lam=0.01):
    """Leave each play out, predict it from the others: literally."""
    z, r = [], []
    for j in range(len(played)):
        rest = np.arange(len(played)) != j
        A = K[np.ix_(played[rest], played[rest])] + lam * np.eye(rest.sum())
        k = K[played[rest], played[j]]
        solved = np.linalg.solve(A, k)
        off = rewards[j] - solved @ rewards[rest]
        z.append(abs(off) / np.sqrt(K[played[j], played[j]] - solved @ k + lam))
        r.append(abs(off))
    return np.array(z), np.array(r)


@pytest.mark.parametrize("seed", range(10))
def test_residuals_are_those_of_leaving_one_out(seed):
    K, _, played, rewards = game(seed)
    z, r = residuals(fit(K, played, rewards), played, rewards, np.ones(len(played)))
    expected_z, expected_r = dense_residuals(K, played, rewards)
    np.testing.assert_allclose(z, expected_z, rtol=1e-7)
    np.testing.assert_allclose(r, expected_r, rtol=1e-7)


@pytest.mark.parametrize("seed", range(10))
def test_trimming_is_the_literal_loop(seed):
    K, _, played, rewards = game(seed)
    rng = np.random.default_rng(100 + seed)
    lies = rng.choice(len(played), 4, replace=False)
    rewards[lies] += rng.choice([-3, 3], 4)
    kept = trim(fit(K, played, rewards), played, rewards, np.ones(len(played)), K=K, threshold=4.0)
    left = np.arange(len(played))
    while True:
        z, _ = dense_residuals(K, played[left], rewards[left])
        if z.max() <= 4.0:
            break
        left = np.delete(left, np.argmax(z))
    assert np.array_equal(np.flatnonzero(kept), left)
    assert set(lies) & set(np.flatnonzero(~kept))


def test_honest_plays_are_kept_and_lone_lies_are_not():
    dropped_honest = dropped_lies = 0
    for seed in range(50):
        K, _, played, rewards = game(seed, plays=40)
        dropped_honest += int(np.sum(~trim(fit(K, played, rewards), played, rewards, np.ones(40), K=K, threshold=4.0)))
        rewards[7] += 3.0
        kept = trim(fit(K, played, rewards), played, rewards, np.ones(40), K=K, threshold=4.0)
        dropped_lies += int(not kept[7])
    assert dropped_honest <= 2  # of 2,000
    assert dropped_lies >= 48


def test_what_is_dropped_stays_within_the_budget():
    K, _, played, rewards = game(3, plays=60)
    rewards[:10] += 2.0
    for budget in (0.0, 3.0, 7.0, 100.0):
        kept = trim(
            fit(K, played, rewards),
            played,
            rewards,
            np.ones(60),
            K=K,
            threshold=4.0,
            allowance=Allowance.of(Threat(budget)),
        )
        assert np.sum(~kept) * 1.0 <= budget / 1.0 + 1  # each lie is about 2, and never less than 1
    assert kept.sum() < 60


def test_a_fault_beyond_the_budget_goes_free():
    K, _, played, rewards = game(4)
    rewards[5] = 1e3
    kept = trim(
        fit(K, played, rewards), played, rewards, np.ones(30), K=K, threshold=4.0, allowance=Allowance.of(Threat(1.0))
    )
    assert not kept[5]
    assert kept.sum() >= 28


def test_repeats_count_as_one_value_of_larger_weight():
    K, _, played, rewards = game(6, plays=12)
    n = np.array([1.0, 4.0] * 6)
    posterior = JointPosterior.of_plays(K, played, rewards, n, 0.01)
    z, _ = residuals(posterior, played, rewards, n)
    A = K[np.ix_(played, played)] + np.diag(0.01 / n)
    inverse = np.linalg.inv(A)
    np.testing.assert_allclose(z, np.abs(inverse @ rewards) / np.sqrt(inverse.diagonal()), rtol=1e-7)


def test_steps_backwards_that_rounding_would_ruin_are_new_fits(monkeypatch):
    """A line through the origin cannot explain these rewards: 1 - n k_t/lam of what is dropped is a rounding error."""
    X = np.array([[0.0], [1.0], [0.3], [-1.0], [-0.5]])
    K, lam = Linear(1.0)(X, X), 1e-8
    played = np.r_[np.arange(5), np.arange(5), np.ones(26, dtype=np.int64)]
    rewards = 2 * X[played, 0] - 2
    nothing = Allowance.of(Threat(0.0))
    plays = fit(K, played, rewards, lam), played, rewards, np.ones(36)
    kept = trim(*plays, K=K, threshold=4.0, allowance=nothing)

    def anew(posterior, share, records, kept, dropped, K):
        return fit(K, records.arms[kept], records.values[kept], lam), share

    monkeypatch.setattr(trimming, "without", anew)
    fitted = trim(*plays, K=K, threshold=4.0, allowance=nothing)
    assert kept.any()
    assert (kept == fitted).all()


def test_plays_that_cannot_be_taken_back_are_refused():
    posterior = JointPosterior.fit(np.ones((1, 1)), [1.0], [1.0], 1e-20)
    with pytest.raises(InvalidInput, match="cannot be taken back in double precision"):
        posterior.extend(0, -1, -1.0)


def repeated(values_there, plays=20):
    """Zeros all over a line, and some values at one more arm."""
    X = np.linspace(0, 1, plays + 1)[:, None]
    played = np.append(np.arange(plays), np.full(len(values_there), plays))
    rewards = np.append(np.zeros(plays), values_there)
    return Matern(2.5, 0.5)(X, X), played, rewards


@pytest.mark.parametrize(
    ("there", "kept_there"), [((-1.0,), 0), ((-1.0, -1.01), 2), ((-1.0, 1.0), 0), ((-1.0, -1.0, 1.0), 2)]
)
def test_if_nobody_knows_the_threat_what_is_confirmed_is_kept(there, kept_there):
    K, played, rewards = repeated(there)
    plays = played, rewards, np.ones(len(played))
    unknown = trim(fit(K, played, rewards, 1e-4), *plays, K=K, threshold=4.0, allowance=Allowance.of(None))
    assert unknown[20:].sum() == kept_there
    enough = Allowance.of(Threat(lies=len(there)))
    assert trim(fit(K, played, rewards, 1e-4), *plays, K=K, threshold=4.0, allowance=enough)[20:].sum() == 0


@pytest.mark.parametrize(("budget", "kept_there"), [(2.0, 4), (6.0, 0)])
def test_an_arm_is_charged_for_all_its_plays(budget, kept_there):
    """Four equal lies of about 1 hide each other, but not from the neighbours; together they are 4."""
    K, played, rewards = repeated((-1.0,) * 4)
    plays = played, rewards, np.ones(24)
    found = trim(fit(K, played, rewards, 1e-4), *plays, K=K, threshold=4.0, allowance=Allowance.of(Threat(budget)))
    assert found[20:].sum() == kept_there


def test_equal_lies_of_one_arm_are_suspects_together_if_whole_arms_may_go():
    K, played, rewards = repeated((-1.0,) * 4)
    how = {"K": K, "threshold": 4.0, "allowance": Allowance.of(Threat(lies=4))}
    plays = fit(K, played, rewards, 1e-4), Records(played, rewards, np.ones(24))
    [found] = trimming.suspects(*plays, **how)
    assert np.flatnonzero(found.dropped).tolist() == [20, 21, 22, 23]
    assert found.z > 4.0
    left = fit(K, played[:20], rewards[:20], 1e-4)
    np.testing.assert_allclose(found.posterior.mean, left.mean, atol=1e-6)
    one_by_one = list(trimming.suspects(*plays, **how, whole_arms=False))
    assert {int(one.dropped.sum()) for one in one_by_one} == {1}


def test_more_than_some_are_no_accidents():
    for lies, kept_all in ((4, False), (12, True)):
        K, played, rewards = repeated(())
        rewards[:lies] = np.linspace(5, 9, lies)[np.random.default_rng(0).permutation(lies)]
        one = played, rewards, np.ones(len(played))
        kept = trim(fit(K, played, rewards, 1e-4), *one, K=K, threshold=4.0, allowance=Allowance.of(None))
        assert kept.all() == kept_all


def test_what_is_confirmed_is_the_literal_comparison():
    rng = np.random.default_rng(3)
    for seed in range(100):
        arms, rewards = rng.integers(4, size=12), rng.normal(size=12).round(1)
        noise = rng.uniform(0, 0.01, 12) * (seed % 2)  # without noise, plays agree if they are near beside the others
        rewards[0] += 1e3 * (seed % 3 == 0)
        low, high = np.quantile(rewards, (0.25, 0.75))
        least = trimming.ALIKE * min(np.ptp(rewards), 20 * (high - low) or np.inf)
        order = np.lexsort([rewards, arms])
        expected = np.zeros(12, dtype=bool)
        for a, b in pairwise(order):
            near = max(4.0 * np.sqrt(noise[a] + noise[b]), least)
            if arms[a] == arms[b] and rewards[b] - rewards[a] <= near:
                expected[[a, b]] = True
        np.testing.assert_array_equal(trimming.confirmed(arms, rewards, noise, 4.0), expected)


def test_a_fault_is_far_from_values_that_are_not_all_equal():
    for others, value, fault in (
        (np.zeros(20), 1.0, False),
        (np.linspace(0, 0.2, 20), 1.0, False),
        (np.linspace(0, 0.2, 20), 5.0, True),
    ):
        X = np.linspace(0, 1, 21)[:, None]
        K, played, rewards = Matern(2.5, 0.5)(X, X), np.arange(21), np.append(others, value)
        one = played, rewards, np.ones(21)
        nothing = Allowance.of(Threat())
        kept = trim(fit(K, played, rewards, 1e-6), *one, K=K, threshold=4.0, allowance=nothing)
        assert kept[-1] != fault


def test_a_fault_is_beyond_the_threat_and_ten_thresholds_and_far():
    usual = {"total": 2.0, "threshold": 4.0, "far": True}
    assert trimming.is_fault(2.1, 40.1, **usual)
    assert not trimming.is_fault(2.0, 40.1, **usual)
    assert not trimming.is_fault(2.1, 40.0, **usual)
    assert not trimming.is_fault(2.1, 40.1, **usual | {"far": False})


def test_far_is_ten_ranges_from_both_ends_of_the_others():
    rewards, number = np.array([0.0, 2.0, 1.0, 21.9, 22.1, -19.9, -20.1]), np.arange(7)
    for play, far in ((3, False), (4, True), (5, False), (6, True)):
        dropped = number == play
        for unit in (1.0, 1e-3):
            assert trimming.is_far(unit * rewards, dropped | (number < 3), dropped) == far
    assert not trimming.is_far(rewards, dropped, dropped)  # nothing is left to be far from


@pytest.mark.parametrize(("accidents", "most"), [(False, 4), (True, 2)])
def test_a_model_may_contradict_half_of_the_plays_or_a_quarter_if_they_are_accidents(accidents, most):
    for dropped in range(9):
        kept = np.arange(8) >= dropped
        expected = kept if dropped <= most else np.ones(8, bool)
        np.testing.assert_array_equal(trimming.or_all(kept, accidents=accidents), expected)


@pytest.mark.parametrize(("lam", "fresh"), [(0.01, False), (1e-8, True)])
def test_without_some_plays_the_posterior_is_that_of_the_rest(lam, fresh):
    """A step backwards while enough digits are left, then a new fit, after which all of them are.

    Few digits are left if all plays of an arm are taken back that the others hardly predict.
    """
    K, _, played, rewards = game(2, plays=12, arms=12)
    played = np.arange(12) if fresh else played // 3
    records, posterior, share = Records(played, rewards, np.ones(12)), fit(K, played, rewards, lam), 1.0
    kept, left = np.ones(12, bool), 1.0
    for play in (3, 7):
        dropped = np.arange(12) == play
        kept &= ~dropped
        left *= 1 - posterior.covariance[played[play], played[play]] / lam
        posterior, share = trimming.without(posterior, share, records, kept, dropped, K)
        expected = fit(K, played[kept], rewards[kept], lam)
        np.testing.assert_allclose(posterior.mean, expected.mean, atol=1e-6)
        np.testing.assert_allclose(posterior.covariance, expected.covariance, atol=1e-7)
        assert share == pytest.approx(1.0 if fresh else left)
