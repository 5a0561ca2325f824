"""Weights and posterior of RCGP against its formulas on all plays, written out, and against scikit-learn."""

from math import hypot, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process import kernels as sk

from unswayed import JointPosterior, SquaredExponential
from unswayed.core.tampering.robust_conjugate import Plateau, Recentred
from unswayed.core.theory.bounds import plateau_factor

KERNEL = SquaredExponential(0.4)


def literal_weight(y, g, L, c, lam):
    """Definition of the weight with a plateau: sigma/sqrt 2 there, an inverse multi-quadric beyond."""
    if abs(y - g) <= L:
        return sqrt(lam / 2)
    return sqrt(lam / 2) * (1 + (abs(y - g) - L) ** 2 / c**2) ** -0.5


def literal_rcgp(X, arms, y, g, L, c, lam, kernel=KERNEL):
    """mu and covariance on X by the formulas on all t plays; the derivative in m_w is a difference quotient."""
    w = np.array([literal_weight(*yg, L, c, lam) for yg in zip(y, g, strict=True)])
    h = 1e-6 * np.maximum(1.0, np.abs(y))
    up = [literal_weight(a + d, b, L, c, lam) for a, b, d in zip(y, g, h, strict=True)]
    down = [literal_weight(a - d, b, L, c, lam) for a, b, d in zip(y, g, h, strict=True)]
    m_w = lam * (np.log(np.square(up)) - np.log(np.square(down))) / (2 * h)
    J_w = np.diag(lam / (2 * w**2))
    A = kernel(X[arms], X[arms]) + lam * J_w
    k = kernel(X, X[arms])
    return k @ np.linalg.solve(A, y - m_w), kernel(X, X) - k @ np.linalg.solve(A, k.T)


@given(
    y=st.floats(-1e300, 1e300), g=st.floats(-5, 5), L=st.floats(0.1, 10), c=st.floats(0.1, 10), lam=st.floats(1e-4, 2)
)
def test_a_weight_is_one_on_the_plateau_and_no_reward_counts_for_much(y, g, L, c, lam):
    with np.errstate(all="raise", under="ignore"):
        share, seen = Plateau(L, c).weigh(y, g, lam)
    assert 0 <= share <= 1
    assert np.isfinite(seen)
    if abs(y - g) <= L:
        assert (share, seen) == (1.0, y)
    # sqrt(share) |y - m_w - g| is bounded: the bound that plateau_factor rests on
    assert sqrt(share) * abs(seen - g) <= hypot(L + lam / c, c) * (1 + 1e-9)


def test_weights_by_their_definition():
    L, c, lam = 1.5, 0.7, 0.3
    y = np.array([-9.0, -2.2, -1.5, 0.0, 1.4, 1.6, 2.2, 40.0])
    share, seen = Plateau(L, c).weigh(y, np.zeros(8), lam)
    w = np.array([literal_weight(a, 0.0, L, c, lam) for a in y])
    assert np.allclose(share, 2 * w**2 / lam, rtol=1e-12)
    assert share[1] == share[6] == pytest.approx(0.5)  # at L + c a reward counts half
    m_w = y - seen
    u = np.maximum(np.abs(y) - L, 0)
    assert np.allclose(m_w, -lam * np.sign(y) * 2 * u / (c**2 + u**2), rtol=1e-12)


def game(rng, plays=60, arms=9):
    """Rewards of a smooth function, some of them lies, up to a million."""
    X = np.linspace(0, 2, arms)[:, None]
    played = rng.integers(0, arms, plays)
    y = np.sin(3 * X[played, 0]) + 0.3 * rng.standard_normal(plays)
    lies = rng.choice(plays, 8, replace=False)
    y[lies] = rng.choice([-1, 1], 8) * 10 ** rng.uniform(0, 6, 8)
    return X, played, y


@pytest.mark.parametrize(("L", "c"), [(1.3, 1.0), (0.4, 0.2), (50.0, 3.0)])
def test_rank_one_steps_are_the_posterior_of_all_plays(L, c, rng):
    X, played, y = game(rng)
    lam, g = 0.2, 0.1
    posterior = JointPosterior.prior(KERNEL(X, X), lam)
    for arm, reward in zip(played, y, strict=True):
        share, seen = map(float, Plateau(L, c).weigh(reward, g, lam))
        posterior = posterior.extend(int(arm), 1, seen, share)
    mu, covariance = literal_rcgp(X, played, y, np.full(len(y), g), L, c, lam)
    assert np.allclose(posterior.mean, mu, atol=1e-6)
    assert np.allclose(posterior.covariance, covariance, atol=1e-9)
    everything = posterior.counts.sum()
    assert everything < len(y) if L < 10 else everything < len(y) - 1  # some plays count for less


def test_scikit_learn_agrees(rng):
    X, played, y = game(rng)
    L, c, lam = 1.3, 1.0, 0.2
    share, seen = Plateau(L, c).weigh(y, np.zeros(len(y)), lam)
    gp = GaussianProcessRegressor(sk.RBF(0.4), alpha=lam / share, optimizer=None).fit(X[played], seen)
    mean, covariance = gp.predict(X, return_cov=True)
    posterior = JointPosterior.prior(KERNEL(X, X), lam)
    for arm, z, p in zip(played, seen, share, strict=True):
        posterior = posterior.extend(int(arm), 1, float(z), float(p))
    assert np.allclose(posterior.mean, mean, atol=1e-8)
    assert np.allclose(posterior.covariance, covariance, atol=1e-8)


@pytest.mark.parametrize("L", [0.4, 1.3, 1e9])
def test_a_moving_centre_gives_the_posterior_of_all_plays_about_it(L, rng):
    X, played, y = game(rng, plays=40)
    plateau, lam = Plateau(L, 0.8), 0.2
    state = Recentred.before(JointPosterior.prior(KERNEL(X, X), lam))
    entered = left = 0
    for t, (arm, reward) in enumerate(zip(played, y, strict=True)):
        centre = np.sin(3 * X[:, 0]) + rng.normal(0, 0.8, len(X))
        before = state.inside
        state = state.then(int(arm), 1, float(reward), centre=centre, plateau=plateau)
        left += int((before & ~state.inside[:-1]).sum())
        entered += int((~before & state.inside[:-1]).sum())
        done = played[: t + 1]
        mu, covariance = literal_rcgp(X, done, y[: t + 1], centre[done], L, 0.8, lam)
        assert np.allclose(state.posterior.mean, mu, atol=1e-6)
        assert np.allclose(state.posterior.covariance, covariance, atol=1e-9)
    assert (min(entered, left) > 5) == (L < 1e9)  # plays have entered and left the plateau
    assert repr(state) == f"Recentred(plays=40, outside={np.sum(~state.inside)})"


def test_the_mean_of_several_plays_counts_like_as_many_plays_of_it():
    X, centre = np.array([[0.0], [1.0]]), np.zeros(2)
    first = Recentred.before(JointPosterior.prior(KERNEL(X, X), 0.1))
    at_once = first.then(1, 3, 5.0, centre=centre, plateau=Plateau(1.0, 1.0))
    one_by_one = first
    for _ in range(3):
        one_by_one = one_by_one.then(1, 1, 5.0, centre=centre, plateau=Plateau(1.0, 1.0))
    assert np.allclose(at_once.posterior.mean, one_by_one.posterior.mean, rtol=1e-12)
    assert np.allclose(at_once.posterior.covariance, one_by_one.posterior.covariance, rtol=1e-12)


def test_the_widened_band_holds_for_any_lies_and_its_constant_is_not_loose(rng):
    """Without noise |f - mu| <= B sigma. With lies, |f - mu| <= Psi (B + C_w sqrt(T_c)) sigma, whatever they are."""
    X, tightest = np.linspace(0, 2, 12)[:, None], 0.0
    K = KERNEL(X, X)
    for _ in range(150):
        f = K @ rng.standard_normal(12)
        B = float(np.sqrt(f @ np.linalg.solve(K + 1e-9 * np.eye(12), f)))
        lam, c, T_c = 10 ** rng.uniform(-3, 0.5), 10 ** rng.uniform(-1, 1), int(rng.integers(1, 6))
        honest = JointPosterior.prior(K, lam)
        for arm in rng.integers(0, 12, rng.integers(0, 30)):
            honest = honest.extend(int(arm), 1, float(f[arm]))
        L, posterior = B, honest
        for arm in rng.integers(0, 12, T_c):
            lie = L + c**2 / (2 * L) * 10 ** rng.uniform(-1, 1) if rng.random() < 0.5 else 10 ** rng.uniform(-1, 6)
            share, seen = map(float, Plateau(L, c).weigh(-np.sign(f[arm]) * lie, 0.0, lam))
            posterior = posterior.extend(int(arm), 1, seen, share)
        band = plateau_factor(B, T_c, 1.0, lam, L, c) * posterior.deviation
        assert (np.abs(f - posterior.mean) <= band * (1 + 1e-9)).all()
        n = T_c / lam
        C_w = hypot(2 * L + B + lam / c, c) / (2 * sqrt(lam))
        moved = np.abs(posterior.mean - honest.mean) / (C_w * sqrt(T_c) * honest.deviation)
        assert (honest.deviation <= sqrt(1 + n * (1 + n)) * posterior.deviation * (1 + 1e-9)).all()
        assert moved.max() <= 1
        tightest = max(tightest, float(moved.max()))
    assert tightest > 0.3
    assert plateau_factor(B, 0, 1.0, lam, L, c) == B
