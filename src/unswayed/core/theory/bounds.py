"""Every beta and every width of the paper, one function for each equation.

    B     bound on the RKHS norm of f          sigma  sub-Gaussian scale of the noise
    lam   regularisation                       delta  probability of failure
    C     corruption budget                    N      number of arms
    h     epoch, from 0                        l_h    its nominal length, 2^(h+1)
    u_h   its plays                            psi    truncation: the least share of an arm in a design

A band is mean +- factor * deviation. The functions named `*_factor` return the factor, corruption included.
Slips of the paper are corrected here: docs/paper.md lists them.
"""

from __future__ import annotations

from math import hypot, inf, lgamma, log, pi, sqrt

from unswayed.errors import InvalidInput


def epoch_delta(delta: float, h: int) -> float:
    """delta_h = 6 delta / ((h+1)^2 pi^2), which sums to delta over all epochs (Corollary 1)."""
    return 6 * delta / ((h + 1) ** 2 * pi**2)


def nonadaptive_beta(B: float, sigma: float, lam: float, N: int, delta: float) -> float:
    """beta of Corollary 1: B + (sigma/sqrt(lam)) sqrt(2 ln(N/delta)), for plays fixed beforehand.

    One-sided at every arm with probability 1 - delta, which is all that elimination needs; a two-sided
    band needs 2 N in place of N (the paper prints it two-sided).
    """
    return B + sigma / sqrt(lam) * sqrt(2 * log(N / delta))


def sharp_nonadaptive_beta(B: float, sigma: float, lam: float, N: int, delta: float) -> float:
    """sqrt(B^2 + 2 (sigma^2/lam) ln(N/delta)): never larger than `nonadaptive_beta`, and equally valid.

    The squares of the bias and of the noise add up to at most the variance, so B and the quantile add as squares.
    """
    return hypot(B, sigma * sqrt(2 * log(N / delta) / lam))


def trimmed_beta(B: float, sigma: float, lam: float, N: int, delta: float, groups: int, trim: int) -> float:
    """sqrt(B^2 + kappa^2 sigma^2/lam): as `sharp_nonadaptive_beta`, for a mean over groups of plays, k of them false.

    The k smallest and the k largest of the G groups are left out, so each side loses at most 2k honest ones. kappa is
    the smaller of two bounds on the noise of what is left, over all choices of these: both are known before the data.
    One-sided at every arm with probability 1 - delta. Infinite if G <= 2k.
    """
    G, k = groups, trim
    if 2 * k >= G:
        return inf
    choices = lgamma(G + 1) - lgamma(2 * k + 1) - lgamma(G - 2 * k + 1)  # ln binom(G, 2k)
    L = log(2 * N / delta)
    split = (sqrt(2 * L) + sqrt(2 * k / G) * sqrt(2 * (choices + L))) / (1 - 2 * k / G)
    whole = sqrt(2 * G * (choices + log(N / delta)) / (G - 2 * k))
    return hypot(B, min(split, whole) * sigma / sqrt(lam))


def log_det_beta(B: float, sigma: float, lam: float, delta: float, log_det: float) -> float:
    """B + (sigma/sqrt(lam)) sqrt(2 ln(1/delta) + ln det(I + K_t/lam)), for plays chosen adaptively.

    Two-sided, for all rounds, arms and differences of arms at once, for any fixed lam > 0
    (Abbasi-Yadkori, Pal and Szepesvari 2011). It does not depend on the number of arms. With the plays of one epoch
    it is the exact form of Corollary 2: ln det <= 2 gamma, so for lam >= 1 it never exceeds `chowdhury_gopalan_beta`.
    """
    return B + sigma / sqrt(lam) * sqrt(2 * log(1 / delta) + log_det)


def chowdhury_gopalan_beta(B: float, sigma: float, lam: float, delta: float, gamma: float) -> float:
    """B + sigma sqrt(2 (gamma_t + 1 + ln(1/delta))), for plays chosen adaptively and lam >= 1 only.

    This is Corollary 2 as printed, where lam does not occur. It misses for small lam.
    """
    if lam < 1:
        raise InvalidInput(f"this beta does not hold for lam < 1 (here {lam:g}); use the log-det form")
    return B + sigma * sqrt(2 * (gamma + 1 + log(1 / delta)))


def theory_factor(beta: float, C: float, lam: float, psi: float, l_h: int, u_h: int) -> float:
    """beta_h + C sqrt(u_h) / (l_h psi sqrt(lam)): Lemma 1 with u_min = l_h psi, line 15 of Algorithm 1.

    The paper prints lam in place of sqrt(lam). With that, the best arm can be dropped if lam > 1.
    """
    return beta + (C * sqrt(u_h) / (l_h * psi * sqrt(lam)) if C > 0 else 0.0)


def experiments_factor(beta: float, C: float, b: float, u_h: int) -> float:
    """beta_h + b C / sqrt(u_h): what Section 4 uses in place of `theory_factor`. No guarantee."""
    return beta + b * C / sqrt(u_h)


def robust_ucb_factor(beta: float, C: float, b: float, lam: float) -> float:
    """beta_t + b C / sqrt(lam): RGP-UCB; b = 1 is the theory, b = 0.1 is Section 4."""
    return beta + b * C / sqrt(lam)


def plateau_factor(beta: float, T_c: int, kappa: float, lam: float, L: float, c: float) -> float:
    """Psi (beta_t + C_w sqrt(T_c)): RCGP-UCB with bands for T_c lies of any size (arXiv 2511.15315).

    Psi = sqrt(1 + n (1 + n)), n = T_c kappa/lam, where kappa = max k(x, x): what lies can take from a deviation.
    C_w = hypot(2 L + beta_t sqrt(kappa) + lam/c, c)/(2 sqrt(lam)): what they can do to a mean, in deviations without
    them. This constant is ours, as we know only the order of the paper's; docs/explanation/theory-lies.md derives it.
    """
    n = T_c * kappa / lam
    C_w = hypot(2 * L + beta * sqrt(kappa) + lam / c, c) / (2 * sqrt(lam))
    return sqrt(1 + n * (1 + n)) * (beta + C_w * sqrt(T_c))


def theorem_psi(eta: float, gamma: float) -> float:
    """psi = ln(eta) / (2 gamma_T) of Theorem 1, at most 1."""
    return min(1.0, log(eta) / (2 * gamma)) if gamma > 0 else 1.0


def guard_budget(horizon: int, gamma: float) -> float:
    """C^ = sqrt(T / gamma_T), a budget to assume when C is unknown. It does not change the order of the regret.

    If C <= C^, the guarantees hold with C^. If C > C^, there is no guarantee, and none is possible: every policy with
    small regret without corruption has linear regret at some C of the order of that regret.
    """
    return sqrt(horizon / gamma) if gamma > 0 else 0.0


def linear_width(
    Delta: float, C: float, sigma: float, delta: float, alpha: float, m_0: float, m_h: float, D: int
) -> float:
    """The width of line 6 of Algorithm 3: drop an arm whose estimate is more than this below the best.

    4 Delta q + 4 sigma sqrt(D ln(1/delta) / m_h) + 4 C q / (alpha m_h) with q = sqrt(D (1 + alpha m_0)),
    for misfit, noise (the paper omits sigma) and corruption.
    """
    q = sqrt(D * (1 + alpha * m_0))
    return 4 * (Delta * q + sigma * sqrt(D * log(1 / delta) / m_h) + C * q / (alpha * m_h))
