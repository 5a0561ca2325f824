"""The regret theorems in numbers, beside the trivial bound T times the largest gap (docs/evidence/guarantees.md).

    python scripts/theorems.py

On f1 with C = 50, delta = 0.05, eta = 2 and the true norm; gamma_T is its upper bound of `core/design/information.py`.
The certified policies have lam = sigma^2 as they do by default, the paper's theorem has lam = 1 as in its Section 4.
The last line is the corruption that a schedule for unknown C allows in an epoch, sqrt(T) / (m_0 log2 T) with the m_0 of
Algorithm 3."""

from __future__ import annotations

from math import log, log2, sqrt

from unswayed import Problem
from unswayed.core.design.g_optimal import support_bound
from unswayed.core.design.information import gain_upper_bound
from unswayed.core.gp.kernels import gram
from unswayed.core.theory import bounds, regret_bounds
from unswayed.problems import f1

C, DELTA, ETA = 50.0, 0.05, 2.0
HORIZONS = (50_000, 10**6, 10**7, 10**8)


def gain(problem: Problem, lam: float, T: int) -> float:
    return gain_upper_bound(gram(problem.kernel, problem.domain), lam, T)[0]


def influence_ucb(problem: Problem, T: int, B: float | None = None) -> float:
    """Section 4: 4 b sqrt(G T) + 4 max(C, b) G + 2 B G, b = B sqrt(lam) + sigma sqrt(2 ln(2/delta) + 2 gamma)."""
    B, sigma = problem.norm if B is None else B, problem.noise_std
    lam = sigma**2
    gamma = gain(problem, lam, T)
    G, b = 2 * gamma / log(2), sqrt(lam) * bounds.log_det_beta(B, sigma, lam, DELTA / 2, 2 * gamma)
    return 4 * b * sqrt(G * T) + 4 * max(C, b) * G + 2 * B * G


def influence_pe(problem: Problem, T: int) -> float:
    """Section 3: 4B + 8BG + 8 (1 + sqrt 2) b sqrt(eta G (T+1)) + 4 eta G C log2(T+1)."""
    B, sigma = problem.norm, problem.noise_std
    lam = sigma**2
    G = 2 * gain(problem, lam, T) / log(2)
    b = sqrt(lam) * bounds.nonadaptive_beta(B, sigma, lam, problem.n_arms, last_delta(T))
    return 4 * B + 8 * B * G + 8 * (1 + sqrt(2)) * b * sqrt(ETA * G * (T + 1)) + 4 * ETA * G * C * log2(T + 1)


def paper(problem: Problem, T: int) -> float:
    """Theorem 1 of the paper, with its slips repaired, at the psi of the theorem."""
    gamma = gain(problem, 1.0, T)
    beta = bounds.nonadaptive_beta(problem.norm, problem.noise_std, 1.0, problem.n_arms, last_delta(T))
    psi = bounds.theorem_psi(ETA, gamma)
    return regret_bounds.regret_bound(problem.norm, C, beta, 1.0, ETA, psi, gamma, T)


def last_delta(T: int) -> float:
    """delta_h of the last epoch, h = H - 1, with H <= log2(T + 1)."""
    return bounds.epoch_delta(DELTA, int(regret_bounds.number_of_epochs(T)) - 1)


def trivial(problem: Problem, T: int) -> float:
    return T * float(problem.gaps.max())


def shown(bound: float) -> str:
    """Six digits: more of them differ between linear algebra libraries."""
    return f"{float(f'{bound:.6g}'):,.0f}"


def main() -> None:
    problem = f1()
    print(f"f1, C = {C:g}, B = {problem.norm:.2f}, delta = {DELTA}")
    print("| bound |", " | ".join(f"T = {T:,}" for T in HORIZONS), "|")
    print("|---|" + "---:|" * len(HORIZONS))
    for bound in (trivial, influence_ucb, influence_pe, paper):
        print(f"| {bound.__name__} |", " | ".join(shown(bound(problem, T)) for T in HORIZONS), "|")
    T, D = HORIZONS[0], problem.n_arms
    allowed = sqrt(T) / (support_bound(D) * log2(T))
    print(f"T = {T:,}, D = {D}, m_0 = {support_bound(D):,}: the schedule for unknown C allows {allowed:.4f}")


if __name__ == "__main__":
    main()
