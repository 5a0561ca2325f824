"""Rounding errors of hostile problems, against 50 digits: the bounds hold, and no equally good arm is excluded."""

from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np
import pytest
from mpmath import mpf

from unswayed import JointPosterior, Linear, Matern, Posterior, SquaredExponential, breakdown, certificate
from unswayed.core.gp.epoch_posterior import EpochPosterior
from unswayed.core.tampering.certificate import breakdown_budgets
from unswayed.core.tampering.influence import pairwise_deviation, pairwise_influence
from unswayed.errors import InvalidInput
from unswayed.policies.influence_phased_elimination import InfluencePhasedElimination
from unswayed.types import Feedback

SEEDS = range(40)


@dataclass(frozen=True)
class Lifted:
    """k + level: a kernel for functions whose level is not known."""

    kernel: Any
    level: float

    def __call__(self, X, Z):
        return self.kernel(X, Z) + self.level

    def diagonal(self, X):
        return self.kernel.diagonal(X) + self.level


@dataclass(frozen=True, eq=False)
class Hostile:
    """Points as close as 1e-8, some of them equal; lam from 1e-10 to 1e-2; up to 10^7 plays of an arm."""

    X: Any
    kernel: Any
    lam: float
    S: Any
    n: Any
    rng: Any

    @classmethod
    def draw(cls, seed):
        rng = np.random.default_rng(seed)
        d, groups, N = int(rng.integers(1, 3)), int(rng.integers(1, 4)), int(rng.integers(4, 13))
        X = rng.uniform(-1, 1, (groups, d))[rng.integers(0, groups, N)]
        X = X + rng.uniform(-0.5, 0.5, (N, d)) * 10.0 ** rng.choice([-8, -8, -4, -1, 0], size=(N, 1))
        if seed % 4 == 0:
            X[1] = X[0]
        length = 10 ** rng.uniform(-0.5, 0.5)
        kernel = [SquaredExponential(length), *(Matern(nu, length) for nu in (0.5, 1.5, 2.5)), Linear(3.0)][seed % 5]
        m = int(rng.integers(1, N + 1))
        S, n = np.sort(rng.choice(N, m, replace=False)), np.zeros(N)
        n[S] = np.ceil(10 ** rng.uniform(0, rng.choice([0, 3, 7]), m))
        return cls(X, Lifted(kernel, 1e4) if seed % 3 == 0 else kernel, 10 ** rng.uniform(-10, -2), S, n, rng)

    def rewards(self):
        """Rewards that contradict each other, or those of a smooth function with a little noise."""
        y = np.zeros(len(self.X))
        smooth = np.sin(3 * self.X[self.S, 0])
        noise = self.rng.standard_normal(len(self.S))
        y[self.S] = smooth + (noise if self.rng.uniform() < 0.5 else np.sqrt(self.lam / self.n[self.S]) * noise)
        return y

    def fit(self, y):
        return JointPosterior.fit(self.kernel(self.X, self.X), y, self.n, self.lam)

    def by_steps(self, y):
        """The same by rank-one steps: many plays at once, then single ones."""
        posterior = JointPosterior.prior(self.kernel(self.X, self.X), self.lam)
        for s in self.S:
            single = min(int(self.n[s]) - 1, 3)
            for plays in [int(self.n[s]) - single] + [1] * single:
                posterior = posterior.extend(int(s), plays, plays * y[s])
        return posterior


def exact_kernel(kernel, X):
    """The kernel matrix of the points, not of its rounded entries."""
    if isinstance(kernel, Lifted):
        return exact_kernel(kernel.kernel, X) + mpmath.ones(len(X)) * mpf(kernel.level)
    P = [[mpf(float(v)) for v in row] for row in X]
    K = mpmath.matrix(len(P), len(P))
    for i, p in enumerate(P):
        for j, q in enumerate(P):
            if isinstance(kernel, Linear):
                K[i, j] = sum(a * b for a, b in zip(p, q, strict=True)) / mpf(kernel.radius) ** 2
                continue
            r = mpmath.sqrt(sum((a - b) ** 2 for a, b in zip(p, q, strict=True))) / mpf(kernel.lengthscale)
            if isinstance(kernel, SquaredExponential):
                K[i, j] = mpmath.exp(-(r**2) / 2)
            else:
                s = mpmath.sqrt(2 * mpf(kernel.nu)) * r
                K[i, j] = {0.5: 1, 1.5: 1 + s, 2.5: 1 + s + s**2 / 3}[kernel.nu] * mpmath.exp(-s)
    return K


def exact_posterior(case, y, *, jitter=0.0, weight=0.0):
    """Mean, covariance, effect of one play, and ln det. `jitter` is added to k(x, x), `weight` to A alone."""
    N, S = len(case.X), [int(s) for s in case.S]
    K = exact_kernel(case.kernel, case.X) + mpmath.eye(N) * mpf(jitter)
    K_xS, A = mpmath.matrix(N, len(S)), mpmath.matrix(len(S), len(S))
    for j, s in enumerate(S):
        for x in range(N):
            K_xS[x, j] = K[x, s]
        for i, other in enumerate(S):
            A[i, j] = K[other, s]
        A[j, j] += mpf(case.lam) / int(case.n[s]) + mpf(weight)
    z = K_xS * A**-1
    effect = z.copy()
    for j, s in enumerate(S):
        for x in range(N):
            effect[x, j] = z[x, j] / int(case.n[s])
    log_det = mpmath.log(mpmath.det(A)) + sum(mpmath.log(int(case.n[s]) / mpf(case.lam)) for s in S)
    return z * mpmath.matrix([mpf(float(y[s])) for s in S]), K - z * K_xS.T, effect, log_det


def off(got, exact):
    """The error of every entry, as a double."""
    rows = np.atleast_2d(np.asarray(got).T).T
    entries = [[float(mpf(float(rows[i, j])) - exact[i, j]) for j in range(exact.cols)] for i in range(exact.rows)]
    return np.array(entries)


@pytest.fixture(autouse=True)
def _fifty_digits():
    with mpmath.workdps(50):
        yield


@pytest.mark.parametrize("steps", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_no_error_of_a_comparison_exceeds_its_bound(seed, steps):
    case = Hostile.draw(seed)
    y = case.rewards()
    posterior = case.by_steps(y) if steps else case.fit(y)
    mean, covariance, effect, log_det = exact_posterior(case, y, jitter=posterior.jitter)
    d_mean, d_cov = off(posterior.mean, mean)[:, 0], off(posterior.covariance, covariance)
    d_effect = off(posterior.effect()[0], effect)
    for a in range(len(y)):
        others, errors = np.arange(len(y)) != a, posterior.errors
        assert (np.abs(d_mean[a] - d_mean) <= errors.means(a))[others].all()
        assert (np.abs(d_cov[a, a] + np.diagonal(d_cov) - 2 * d_cov[a]) <= errors.variances(a))[others].all()
        assert (np.abs(d_effect[a] - d_effect).max(axis=1) <= errors.effects(a))[others].all()
    assert abs(float(mpf(posterior.log_det) - log_det)) <= posterior.errors.log_det


@pytest.mark.parametrize("steps", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_no_breakdown_budget_is_too_large(seed, steps):
    """Not even where the effects of all plays on two arms are equal up to rounding, so that their lead is an error."""
    case = Hostile.draw(seed)
    y = case.rewards()
    posterior = case.by_steps(y) if steps else case.fit(y)
    mean, _, effect, _ = exact_posterior(case, y, jitter=posterior.jitter)
    for winner in range(len(y)):
        budgets, _ = breakdown_budgets(posterior, winner)
        for rival in set(range(len(y))) - {winner}:
            lead = mean[winner] - mean[rival]
            power = max(abs(effect[winner, j] - effect[rival, j]) for j in range(effect.cols))
            assert budgets[rival] <= (lead / power if lead > 0 and power > 0 else 0), (winner, rival)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_error_of_an_epoch_exceeds_its_bound(seed):
    case = Hostile.draw(seed)
    y = case.rewards()
    got = EpochPosterior.fit(case.kernel, case.X, case.S, y[case.S], case.n[case.S].astype(np.int64), case.lam)
    mean, covariance, effect, _ = exact_posterior(case, y, weight=got.posterior.jitter)
    rounding, arms = got.posterior.rounding, got._arms(slice(None))
    assert (np.abs(off(got.mean, mean)[:, 0]) <= rounding.means(arms.solved)).all()
    assert (np.abs(off(arms.effect, effect)).max(axis=1) <= rounding.effects(arms.solved)).all()
    variance = np.array([float(covariance[i, i]) for i in range(len(y))])
    assert (variance - got.deviation**2 <= rounding.unit * arms.solved**2).all()
    d_cov = off(got._covariance(arms, arms), covariance)
    assert (np.abs(d_cov) <= rounding.unit * np.outer(arms.solved, arms.solved)).all()


def test_some_of_these_cases_need_a_jitter_and_some_are_nearly_singular():
    posteriors = [case.fit(case.rewards()) for case in map(Hostile.draw, SEEDS)]
    assert sum(posterior.jitter > 0 for posterior in posteriors) >= 3
    assert sum(posterior.condition > 1e9 for posterior in posteriors) >= 10


@pytest.mark.parametrize("seed", SEEDS)
def test_tampering_of_exactly_the_influence_width_excludes_no_equal_arm(seed):
    """f = 0, so all arms are equally good. One play of one arm is moved by the whole budget: the bound is attained."""
    case, C = Hostile.draw(seed), 3.0
    for s in case.S:
        for lie in (C, -C):
            y = np.zeros(len(case.X))
            y[s] = lie / case.n[s]
            said = certificate(case.fit(y), budget=C, norm_bound=0, noise_std=0)
            assert said.candidates.tolist() == list(range(len(y)))
            assert said.largest_gap >= 0
            assert said.certified_budget <= C
            counts = case.n[case.S].astype(np.int64)
            assert (
                EpochPosterior.fit(case.kernel, case.X, case.S, y[case.S], counts, case.lam).undominated(0.0, C).all()
            )


def tampered_truth(case, noise_std):
    """A function of norm 1 that is hard to learn, and rewards with lies against its best arm at the dearest place."""
    K = exact_kernel(case.kernel, case.X)
    w = mpmath.matrix([mpf(v) for v in case.rng.standard_normal(len(case.X))])
    size = mpmath.sqrt((w.T * K * w)[0])
    f = K * w / size
    y = np.zeros(len(case.X))
    y[case.S] = [float(f[int(s)]) for s in case.S]
    y[case.S] += noise_std * case.rng.standard_normal(len(case.S)) / np.sqrt(case.n[case.S])
    best = max(range(len(case.X)), key=lambda x: f[x])
    honest = case.fit(y)
    effect, S = honest.effect()
    rival = int(np.argmax(np.where(np.arange(len(y)) == best, -np.inf, honest.mean)))
    _, where = pairwise_influence(effect, best)
    s = int(S[where[rival]])
    C = float(case.rng.choice([0.0, 0.1, 10.0]))
    y[s] += np.sign(effect[rival, where[rival]] - effect[best, where[rival]]) * C / case.n[s]
    return f, y, C


@pytest.mark.parametrize("noisy", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_certificates_and_eliminations_hold(seed, noisy):
    case = Hostile.draw(seed)
    noise_std = np.sqrt(case.lam) if noisy else 0.0
    f, y, C = tampered_truth(case, noise_std)
    for posterior in (case.fit(y), case.by_steps(y)):
        said = certificate(posterior, budget=C, norm_bound=1.0, noise_std=noise_std, delta=1e-6)
        good = [x for x in range(len(y)) if f[x] >= f[said.winner]]
        assert set(good) <= set(said.candidates.tolist())
        assert max(f) - f[said.winner] <= said.largest_gap
        if said.certified_budget > C:
            assert max(f) == f[said.winner]
    got = EpochPosterior.fit(case.kernel, case.X, case.S, y[case.S], case.n[case.S].astype(np.int64), case.lam)
    kept = got.undominated(np.hypot(1.0, noise_std * np.sqrt(2 * np.log(1e6 * len(y)) / case.lam)), C)
    assert kept[[x for x in range(len(y)) if f[x] == max(f)]].all()


def literal_gap(posterior, said):
    """The largest gap without any widening."""
    power, _ = pairwise_influence(posterior.effect()[0], said.winner)
    reach = said.beta * pairwise_deviation(posterior.covariance, said.winner) + said.budget * power
    behind = posterior.mean - posterior.mean[said.winner] + reach
    return max(float(np.delete(behind, said.winner).max()), 0.0)


@pytest.mark.parametrize("seed", range(20))
def test_an_ordinary_certificate_does_not_change_at_six_digits(seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (100, 2))
    K = [SquaredExponential(0.2), Matern(2.5, 0.4), Linear(1.5)][seed % 3](X, X)
    n = np.where(rng.uniform(size=100) < 0.7, rng.integers(1, 1000, 100), 0).astype(float)
    lam = 10 ** rng.uniform(-3, 0)
    posterior = JointPosterior.fit(K, K @ rng.standard_normal(100), n, lam)
    assert posterior.condition < 1e8
    said = certificate(posterior, budget=2.0, norm_bound=20.0, noise_std=lam**0.5)
    assert said.largest_gap == pytest.approx(literal_gap(posterior, said), rel=1e-6)
    assert said.resolved
    assert "rounding" not in str(said)


def test_a_posterior_that_rank_one_steps_have_ruined_is_refused():
    case = Hostile.draw(69)
    y = case.rewards()
    with np.errstate(over="ignore", invalid="ignore"):
        ruined = case.by_steps(y)
    for say in (breakdown, lambda posterior: certificate(posterior, budget=0, norm_bound=1, noise_std=1)):
        say(case.fit(y))
        with pytest.raises(InvalidInput, match=r"use JointPosterior\.fit"):
            say(ruined)


def test_a_certificate_says_that_it_cannot_resolve_the_options():
    """Without noise, norm or tampering only rounding errors are left."""
    X = np.array([[0.0], [1e-8], [2e-8], [1.0]])
    K = Lifted(SquaredExponential(0.5), 1e4)(X, X)
    said = certificate(JointPosterior.fit(K, np.ones(4), np.ones(4), 1e-10), budget=0, norm_bound=0, noise_std=0)
    assert said.candidates.tolist() == [0, 1, 2, 3]
    assert not said.resolved
    assert said.rounding == pytest.approx(said.largest_gap)
    assert "double precision cannot resolve these options" in str(said)
    assert said.in_units(2.0, said.threat).rounding == 2 * said.rounding


@pytest.mark.parametrize("seed", SEEDS)
def test_a_breakdown_is_rounded_down(seed):
    """Against the formula in 50 digits: tampering below the budget never changes the winner."""
    case = Hostile.draw(seed)
    y = case.rewards()
    posterior = case.fit(y)
    found, a = breakdown(posterior), int(np.argmax(posterior.mean))
    mean, _, effect, _ = exact_posterior(case, y, jitter=posterior.jitter)
    for b in range(len(y)):
        power = max(abs(effect[a, j] - effect[b, j]) for j in range(effect.cols))
        assert b == a or found.budget * power <= max(mean[a] - mean[b], 0)


def test_a_clear_breakdown_is_hardly_rounded():
    clear = breakdown(Posterior.fit(np.eye(2), [1.0, 0.0], [4, 4], 1.0))
    assert clear.budget == pytest.approx(4.0, rel=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_bands_without_width_keep_the_arm_of_largest_mean(seed):
    """What is largest in 50 digits may not be largest in double precision."""
    case = Hostile.draw(seed)
    y = case.rewards()
    got = EpochPosterior.fit(case.kernel, case.X, case.S, y[case.S], case.n[case.S].astype(np.int64), case.lam)
    mean, *_ = exact_posterior(case, y, weight=got.posterior.jitter)
    kept = got.overlapping(np.zeros(len(y)), 0.0)
    assert kept[[x for x in range(len(y)) if mean[x] == max(mean)]].all()


@pytest.mark.parametrize("lam", [1e-10, 1e-6, 1e-2])
def test_influence_pe_drops_no_equal_arm_under_the_strongest_lie(lam):
    """f = 0, no noise, and the whole budget on one play of an epoch."""
    X = np.array([[0.0], [1e-8], [-1e-8], [0.5], [0.5 + 1e-8], [1.0], [1.0]])
    policy = InfluencePhasedElimination(
        X, SquaredExponential(0.3), corruption_budget=3.0, norm_bound=0, noise_std=0, lam=lam
    )
    state = policy.init()
    for _ in range(10):
        query = policy.ask(state, np.random.default_rng(0))
        for i, lie in ((i, lie) for i in range(len(query.arms)) for lie in (3.0, -3.0)):
            means = np.where(np.arange(len(query.arms)) == i, lie / query.repeats, 0.0)
            told = policy.tell(state, Feedback(query.arms, query.repeats, means))
            assert told.active.tolist() == list(range(len(X)))
        state = told
