"""Each formula against its numbers worked out by hand, and the relations between them."""

from math import e, hypot, log, log2, pi, sqrt

import pytest

from unswayed import UnswayedError
from unswayed.core.theory import bounds, regret_bounds


def test_epoch_deltas_sum_to_delta():
    assert bounds.epoch_delta(0.05, 0) == pytest.approx(6 * 0.05 / pi**2)
    assert sum(bounds.epoch_delta(0.05, h) for h in range(100_000)) == pytest.approx(0.05, rel=1e-4)


def test_betas_by_hand():
    assert bounds.nonadaptive_beta(2.0, 0.3, 4.0, 100, 0.1) == pytest.approx(2 + 0.15 * sqrt(2 * log(1000)))
    assert bounds.sharp_nonadaptive_beta(3.0, 1.0, 2.0, 1, e**-16) == pytest.approx(5.0)
    assert bounds.log_det_beta(1.0, 0.5, 0.25, e**-2, 5.0) == pytest.approx(1 + 3.0)
    assert bounds.chowdhury_gopalan_beta(1.0, 2.0, 1.0, e**-1, 6.0) == pytest.approx(1 + 2 * 4.0)


@pytest.mark.parametrize("B", [0.0, 0.5, 3.0])
@pytest.mark.parametrize("lam", [1e-3, 1.0, 7.0])
def test_the_sharp_beta_is_never_larger(B, lam):
    plain = bounds.nonadaptive_beta(B, 0.3, lam, 50, 0.05)
    assert plain / sqrt(2) <= bounds.sharp_nonadaptive_beta(B, 0.3, lam, 50, 0.05) <= plain * (1 + 1e-12)


def test_chowdhury_gopalan_is_refused_below_one():
    with pytest.raises(UnswayedError, match="lam < 1"):
        bounds.chowdhury_gopalan_beta(1.0, 1.0, 0.99, 0.05, 3.0)


def test_factors_by_hand():
    assert bounds.theory_factor(4.0, 50.0, 4.0, 0.5, 64, 100) == pytest.approx(4 + 50 * 10 / (64 * 0.5 * 2))
    assert bounds.theory_factor(4.0, 0.0, 4.0, 0.0, 64, 100) == 4.0
    assert bounds.experiments_factor(4.0, 50.0, 0.1, 100) == pytest.approx(4.5)
    assert bounds.robust_ucb_factor(1.0, 50.0, 0.1, 4.0) == pytest.approx(3.5)
    assert bounds.theorem_psi(e, 5.0) == pytest.approx(0.1)
    assert bounds.theorem_psi(e, 0.01) == 1.0
    assert bounds.theorem_psi(e, 0.0) == 1.0


def test_plateau_factor_by_hand():
    """n = 2, Psi = sqrt(1 + 2 (1 + 2)), C_w = hypot(2 + 1.5 + 0.5, 2)/2."""
    factor = bounds.plateau_factor(beta=1.5, T_c=2, kappa=1.0, lam=1.0, L=1.0, c=2.0)
    assert factor == pytest.approx(sqrt(7) * (1.5 + hypot(2 + 1.5 + 0.5, 2) / 2 * sqrt(2)))
    factor = bounds.plateau_factor(beta=1.0, T_c=1, kappa=4.0, lam=4.0, L=0.5, c=1.0)
    assert factor == pytest.approx(sqrt(3) * (1 + hypot(1 + 2 + 4, 1) / 4))


def test_linear_width_by_hand():
    width = bounds.linear_width(Delta=0.5, C=3.0, sigma=2.0, delta=e**-1, alpha=0.25, m_0=12.0, m_h=16.0, D=4)
    assert width == pytest.approx(4 * 0.5 * 4 + 4 * 2 * sqrt(4 / 16) + 4 * 3 / (0.25 * 16) * 4)


def test_lemma_bounds_by_hand():
    assert regret_bounds.number_of_arms(e, 5.0) == pytest.approx(11)
    assert regret_bounds.number_of_epochs(7) == 3


def test_regret_bound_by_hand():
    """2 B u_0 + 8 H p (beta r sqrt(T) + C sqrt(p) r/(psi sqrt(lam))), r = sqrt(eta (2 lam + 1) gamma)."""
    eta, gamma, lam, psi, T = e, 5.0, 4.0, 0.2, 1023
    p, r, H = 2 + 0.2 * 11, sqrt(e * 9 * 5), 10
    assert regret_bounds.regret_bound(0.0, 0.0, 3.0, lam, eta, psi, gamma, T) == pytest.approx(
        8 * H * p * 3 * r * sqrt(T)
    )
    assert regret_bounds.regret_bound(0.0, 7.0, 0.0, lam, eta, psi, gamma, T) == pytest.approx(
        8 * H * p * 7 * sqrt(p) * r / (0.2 * 2)
    )
    assert regret_bounds.regret_bound(6.0, 0.0, 0.0, lam, eta, psi, gamma, T) == pytest.approx(2 * 6 * 2 * p)
    assert regret_bounds.regret_bound(1.0, 0.0, 1.0, lam, eta, 0.0, gamma, T) > 0  # psi = 0 is fine without C


def printed_bound(B, C, beta, lam, eta, gamma, horizon):
    """The bound at the end of the proof of Theorem 1 as the paper prints it, for psi = ln(eta)/(2 gamma)."""
    root = sqrt(eta * (2 * lam + 1))
    stochastic, corrupted = beta * root * sqrt(horizon * gamma), C * root * sqrt(12 * gamma**3) / (lam * log(eta))
    return 2 * B + 24 * log2(horizon) * (stochastic + corrupted)


def test_regret_bound_repairs_the_printed_one():
    """At lam = 1 and psi of the theorem only the small slips remain: a few per cent."""
    eta, gamma, T = 2.0, 40.0, 50_000
    psi = bounds.theorem_psi(eta, gamma)
    for C in (0.0, 10.0, 1000.0):
        right = regret_bounds.regret_bound(2.0, C, 4.0, 1.0, eta, psi, gamma, T)
        printed = printed_bound(2.0, C, 4.0, 1.0, eta, gamma, T)
        assert printed < right < 1.02 * printed
    grown = [regret_bounds.regret_bound(0.0, 1.0, 0.0, 1.0, eta, bounds.theorem_psi(eta, g), g, T) for g in (50, 200)]
    assert grown[1] / grown[0] == pytest.approx(4**1.5, rel=0.01)  # C gamma^1.5


@pytest.mark.parametrize(("G", "k"), [(3, 1), (20, 1), (11, 5), (81, 20), (2600, 100), (250_001, 100), (8, 3)])
def test_trimmed_beta_is_its_formula(G, k):
    """Both forms of kappa, in 50 digits."""
    import mpmath

    B, sigma, lam, N, delta = 1.3, 0.4, 0.05, 30, 0.01
    with mpmath.workdps(50):
        binom, share = mpmath.log(mpmath.binomial(G, 2 * k)), mpmath.mpf(2 * k) / G
        L = mpmath.log(mpmath.mpf(2 * N) / delta)
        first = (mpmath.sqrt(2 * L) + mpmath.sqrt(share) * mpmath.sqrt(2 * (binom + L))) / (1 - share)
        second = mpmath.sqrt(2 * G * (binom + mpmath.log(N / mpmath.mpf(delta))) / (G - 2 * k))
        expected = mpmath.sqrt(B**2 + min(first, second) ** 2 * sigma**2 / lam)
    assert bounds.trimmed_beta(B, sigma, lam, N, delta, G, k) == pytest.approx(float(expected), rel=1e-9)


def test_trimmed_beta_without_lies_is_the_sharp_beta():
    known = (1.3, 0.4, 0.05, 30, 0.01)
    for G in (1, 7, 1000):
        assert bounds.trimmed_beta(*known, G, 0) == pytest.approx(bounds.sharp_nonadaptive_beta(*known), rel=1e-14)
    for G, k in ((1, 1), (4, 2), (40, 100)):
        assert bounds.trimmed_beta(*known, G, k) == float("inf")
    betas = [bounds.trimmed_beta(*known, G, 3) for G in (7, 8, 16, 64, 512, 10**5)]
    assert betas == sorted(betas, reverse=True)
    assert betas[-1] < 1.1 * bounds.trimmed_beta(*known, 1, 0)  # enough groups: lies cost next to nothing
