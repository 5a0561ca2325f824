"""Estimates in blocks against the formulas on the matrix of all pairs."""

import subprocess
import sys

import numpy as np
import pytest

from unswayed import Linear, Matern, SquaredExponential
from unswayed.core.data import memory
from unswayed.core.gp import epoch_posterior as module
from unswayed.core.gp.epoch_posterior import EpochPosterior, trimmed_mean
from unswayed.core.gp.posterior import JointPosterior, Posterior
from unswayed.core.tampering.influence import influence_width


def random_epoch(seed, N=60):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (N, 2))
    lengthscale = 10 ** rng.uniform(-0.7, 0.3)
    kernel = [SquaredExponential(lengthscale), Matern(1.5, lengthscale), Linear(np.sqrt(2))][seed % 3]
    S = rng.choice(N, int(rng.integers(1, 12)), replace=False)
    counts = rng.integers(1, 200, len(S))
    means = np.sin(3 * X[S, 0]) + 0.1 * rng.standard_normal(len(S))
    lam = 10 ** rng.uniform(-2, 0)
    return kernel, X, S, means, counts, lam


def all_pairs(kernel, X, S, means, counts, lam):
    n, ybar = np.zeros(len(X)), np.zeros(len(X))
    n[S], ybar[S] = counts, means
    return JointPosterior.fit(kernel(X, X), ybar, n, lam), n > 0


def literally_undominated(joint, played, beta, C):
    """For every pair, without any order; an arm that was dropped may drop others."""
    mu, k = joint.mean, joint.covariance
    keep = np.ones(len(mu), dtype=bool)
    for x in range(len(mu)):
        for a in range(len(mu)):
            spread = np.sqrt(max(k[a, a] + k[x, x] - 2 * k[a, x], 0))
            power = np.abs(k[a, played] - k[x, played]).max() / joint.lam
            keep[x] &= mu[a] - mu[x] <= beta * spread + C * power + 1e-12
    return keep


@pytest.mark.parametrize("block", [1, 50, 1 << 20])
@pytest.mark.parametrize("seed", range(12))
def test_means_deviations_and_widths(seed, block, monkeypatch):
    monkeypatch.setattr(memory, "BLOCK_ENTRIES", block)
    epoch = random_epoch(seed)
    got = EpochPosterior.fit(*epoch)
    joint, played = all_pairs(*epoch)
    assert got.mean == pytest.approx(joint.mean, abs=1e-9)
    assert got.deviation == pytest.approx(joint.deviation, abs=1e-7)
    assert got.influence() == pytest.approx(influence_width(joint.covariance, played, 1.0, joint.lam), rel=1e-8)


def test_influence_is_what_tampering_does():
    """Move one play of one arm by one unit, and see how far each mean goes."""
    kernel, X, S, means, counts, lam = random_epoch(4)
    got = EpochPosterior.fit(kernel, X, S, means, counts, lam)
    moved = np.zeros(len(X))
    for i in range(len(S)):
        other = EpochPosterior.fit(kernel, X, S, means + (np.arange(len(S)) == i) / counts, counts, lam)
        moved = np.maximum(moved, np.abs(other.mean - got.mean))
    assert got.influence() == pytest.approx(moved, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("C", [0.0, 2.0, 20.0])
@pytest.mark.parametrize("seed", range(15))
def test_few_arms_are_all_asked(seed, C):
    """An order of asking drops as many arms as all pairs do, up to those that only dropped arms would drop."""
    epoch = random_epoch(seed)
    keep = EpochPosterior.fit(*epoch).undominated(0.3, C)
    joint, played = all_pairs(*epoch)
    literal = literally_undominated(joint, played, 0.3, C)
    assert keep[np.argmax(joint.mean)]
    assert not (literal & ~keep).any()
    asked = np.flatnonzero(keep)
    mu, k = joint.mean, joint.covariance
    for x in asked:  # nothing that is kept is dominated by something that is kept
        spread = np.sqrt(np.maximum(k[asked, asked] + k[x, x] - 2 * k[asked, x], 0))
        power = np.abs(k[np.ix_(asked, np.flatnonzero(played))] - k[x, played]).max(axis=1) / joint.lam
        assert (mu[asked] - mu[x] <= 0.3 * spread + C * power + 1e-9).all()


def test_the_cases_above_drop_and_keep():
    kept = [
        EpochPosterior.fit(*random_epoch(seed)).undominated(0.3, C).mean() for seed in range(15) for C in (0, 2, 20)
    ]
    assert min(kept) < 0.05
    assert max(kept) > 0.5


@pytest.mark.parametrize("block", [100, 1 << 20])
@pytest.mark.parametrize("seed", range(15))
def test_of_many_arms_a_few_leaders_drop_no_more_and_not_much_less(seed, block, monkeypatch):
    epoch = random_epoch(seed, N=200)
    got = EpochPosterior.fit(*epoch)
    everyone = got.undominated(0.3, 1.0)
    monkeypatch.setattr(memory, "BLOCK_ENTRIES", block)
    monkeypatch.setattr(module, "FEW_ARMS", 10)
    few = got.undominated(0.3, 1.0)
    assert few[np.argmax(got.mean)]
    assert not (everyone & ~few).any()
    assert (~few).sum() >= 0.5 * (~everyone).sum()
    monkeypatch.setattr(module, "MOST_LEADERS", 1)
    one = got.undominated(0.3, 1.0)
    assert not (few & ~one).any()


@pytest.mark.parametrize("lengthscale", [0.3, 1.5])
@pytest.mark.parametrize("cover_error", [0.0, 0.2])
def test_bands_that_reach_the_highest_lower_bound_are_kept(lengthscale, cover_error):
    """For many arms at once, also where the arm of largest mean does not have the highest lower bound."""
    different = dropped = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X, kernel = rng.uniform(-2, 2, (40, 1)), SquaredExponential(lengthscale)
        S, counts = np.arange(10), rng.integers(1, 200, 10)
        got = EpochPosterior.fit(kernel, X, S, rng.standard_normal(10), counts, 0.1)
        width = 2.0 * got.deviation
        highest = (got.mean - width).max()
        different += np.argmax(got.mean) != np.argmax(got.mean - width)
        expected = got.mean + width + cover_error >= highest
        dropped += (~expected).sum()
        np.testing.assert_array_equal(got.overlapping(width, 2.0, cover_error), expected)
    assert different > 0
    assert dropped > 20


def test_predictions_in_blocks_are_predictions(monkeypatch):
    kernel, X, S, means, counts, lam = random_epoch(1)
    posterior = Posterior.fit(kernel(X[S], X[S]), means, counts, lam)
    mu, sigma = posterior.predict(kernel(X, X[S]), kernel.diagonal(X))
    monkeypatch.setattr(memory, "BLOCK_ENTRIES", 7 * len(S))
    blocks = posterior.predict_at(kernel, X, X[S])
    assert blocks[0] == pytest.approx(mu, rel=1e-12)
    assert blocks[1] == pytest.approx(sigma, rel=1e-9)


def test_row_blocks_cover_everything_once(monkeypatch):
    monkeypatch.setattr(memory, "BLOCK_ENTRIES", 30)
    for rows, width, largest in ((100, 7, 4), (5, 100, 1), (3, 0, 3), (0, 5, 0)):
        parts = [list(range(rows))[part] for part in memory.row_blocks(rows, width)]
        assert [row for part in parts for row in part] == list(range(rows))
        assert max(map(len, parts), default=0) == largest


MEMORY = """
import resource
import numpy as np
from unswayed import SquaredExponential, InfluencePhasedElimination, RobustPhasedElimination
from unswayed.types import Feedback
X = np.random.default_rng(0).uniform(0, 1, (200_000, 2))
f = np.sin(5 * X[:, 0]) + X[:, 1]
kernel, rng = SquaredExponential(0.3), np.random.default_rng(0)
for domain, values in ((X[:3000], f[:3000]), (X, f)):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    certified = InfluencePhasedElimination(domain, kernel, corruption_budget=1.0, norm_bound=3.0, noise_std=0.1)
    for policy in (RobustPhasedElimination(domain, kernel, corruption_budget=1.0), certified):
        state = policy.init()
        for h in range(6):
            query = policy.ask(state, rng)
            state = policy.tell(state, Feedback(query.arms, query.repeats, values[query.arms]))
        print(len(state.active), len(query.arms), int(np.argmax(values) in state.active))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_epochs_of_both_policies_on_many_arms_in_little_memory():
    out = subprocess.run([sys.executable, "-c", MEMORY], check=True, capture_output=True, text=True).stdout
    *runs, grown = [tuple(map(int, line.split())) for line in out.splitlines()]
    for (few, _, kept), N in zip(runs, (3000, 3000, 200_000, 200_000), strict=True):
        assert kept
        assert few <= N
    assert runs[3][0] < 100_000  # it does drop arms
    assert grown[0] * 1024 < 8 * 200_000 * (60 + 30) + 150e6  # the matrix of all pairs would take 320 GB


@pytest.mark.parametrize(("G", "k"), [(1, 0), (5, 0), (5, 2), (30, 7), (31, 15)])
def test_a_trimmed_mean_leaves_out_both_ends(rng, G, k):
    values = rng.standard_normal((G, 6))
    expected = np.sort(values, axis=0)[k : G - k].mean(axis=0)
    assert trimmed_mean(values, k) == pytest.approx(expected, rel=1e-12)


def grouped(seed, G):
    """An epoch whose plays are in G equal groups: the estimate from all plays, and the means of each group."""
    kernel, X, S, means, per_group, lam = random_epoch(seed)
    groups = means + 0.3 * np.random.default_rng(seed).standard_normal((G, len(S)))
    return EpochPosterior.fit(kernel, X, S, groups.mean(axis=0), G * per_group, lam), groups, per_group


@pytest.mark.parametrize("block", [1, 50, 1 << 20])
@pytest.mark.parametrize("seed", range(6))
def test_what_a_group_says_is_its_own_posterior_mean_with_its_share_of_lam(seed, block, monkeypatch):
    monkeypatch.setattr(memory, "BLOCK_ENTRIES", block)
    G = 9
    pooled, groups, per_group = grouped(seed, G)
    K_SS, K_xS = pooled.kernel(pooled.X[pooled.S], pooled.X[pooled.S]), pooled.kernel(pooled.X, pooled.X[pooled.S])
    alone = K_xS @ np.linalg.solve(K_SS + np.diag(pooled.posterior.lam / G / per_group), groups.T)
    for k in (0, 1, 4):
        expected = np.sort(alone, axis=1)[:, k : G - k].mean(axis=1)
        assert pooled.trimmed(groups, k).mean == pytest.approx(expected, abs=1e-9)
    assert pooled.trimmed(groups, 0).mean == pytest.approx(pooled.mean, abs=1e-9)  # the groups are alike


@pytest.mark.parametrize("seed", range(6))
def test_spikes_that_are_trimmed_cost_no_digits(seed):
    """With spikes of both signs in k groups: the mean stays where Lemma T says, and its rounding error stays small."""
    G, k = 21, 4
    pooled, groups, _ = grouped(seed, G)
    honest = pooled.trimmed(groups, k)
    spiked = groups.copy()
    spiked[:k] += 1e6 * np.array([1, -1, 1, -1])[:, None]
    lied = pooled.trimmed(spiked, k)
    assert lied.mean_error.max() < 100 * honest.mean_error.max()
    every = pooled.trimmed(spiked, 0)
    assert every.mean_error.max() > 1000 * lied.mean_error.max()  # untrimmed, the digits are lost


@pytest.mark.parametrize("seed", range(4))
def test_the_rounding_error_of_a_trimmed_mean_is_bounded(seed):
    import mpmath

    pooled, groups, _ = grouped(seed, 7)
    lied = groups.copy()
    lied[2] += 1e6
    got = pooled.trimmed(lied, 1)
    with mpmath.workdps(60):
        A = mpmath.matrix(pooled.posterior.K.tolist())
        for i, n in enumerate(pooled.posterior.counts):
            A[i, i] += mpmath.mpf(pooled.posterior.lam) / mpmath.mpf(n)
        weights = [mpmath.lu_solve(A, mpmath.matrix(row.tolist())) for row in lied]
        for x in range(0, len(pooled.X), 7):
            k = pooled.kernel(pooled.X[[x]], pooled.X[pooled.S])[0]
            says = sorted(mpmath.fdot(k.tolist(), w) for w in weights)
            exact = sum(says[1:-1]) / 5
            assert abs(float(exact - mpmath.mpf(got.mean[x]))) <= got.mean_error[x]
