"""What the theory proves: the lemmas behind Theorem 1, its explicit bound, and the rates of Table 1.

Symbols as in `bounds.py`; gamma is the maximal information gain gamma_T (or an upper bound of it),
S_h the arms that an epoch plays, H the number of epochs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unswayed.errors import InvalidInput

FORMULAS = {  # of Table 1: the lower bound, the bound before the paper, and the paper's own
    "linear": ("sqrt(T d) + C d", "sqrt(T d) + C d^1.5", "sqrt(T d) + C d^1.5"),
    "se": (
        "sqrt(T (log T)^(d/2)) + C (log T)^(d/2)",
        "sqrt(T) (log T)^d + C sqrt(T) (log T)^(d/2)",
        "sqrt(T (log T)^d) + C (log T)^(3d/2)",
    ),
    "matern": (
        "T^((nu+d)/(2nu+d)) + C^(nu/(d+nu)) T^(d/(d+nu))",
        "T^((2nu+3d)/(4nu+2d)) + C T^((nu+d)/(2nu+d))",
        "T^((nu+d)/(2nu+d)) + C T^(3d/(4nu+2d))",
    ),
}


def sum_of_deviations(lam: float, gamma: float, plays: int) -> float:
    """sum_t sigma_{t-1}(x_t) <= sqrt((2 lam + 1) T gamma_T) (Appendix A)."""
    return float(np.sqrt((2 * lam + 1) * plays * gamma))


def largest_deviation(eta: float, lam: float, gamma: float, l_h: int) -> float:
    """max over X_h of sigma^(h) <= sqrt(eta (2 lam + 1) gamma / l_h) after epoch h (Appendix C)."""
    return float(np.sqrt(eta * (2 * lam + 1) * gamma / l_h))


def number_of_arms(eta: float, gamma: float) -> float:
    """|S_h| <= 1 + 2 gamma / ln(eta) (Appendix C, where the 1 is missing)."""
    return float(1 + 2 * gamma / np.log(eta))


def epoch_length(l_h: int, psi: float, arms: int) -> float:
    """u_h <= l_h (2 + psi |S_h|) (Appendix C)."""
    return l_h * (2 + psi * arms)


def number_of_epochs(horizon: int) -> float:
    """H <= log2(T + 1) (Appendix C, where the 1 is missing)."""
    return float(np.log2(horizon + 1))


def regret_bound(
    B: float, C: float, beta: float, lam: float, eta: float, psi: float, gamma: float, horizon: int
) -> float:
    """The explicit bound on R_T at the end of the proof of Theorem 1, with its slips repaired.

    2 B u_0 + 8 H p (beta sqrt(eta (2 lam + 1) T gamma) + C sqrt(p eta (2 lam + 1) gamma) / (psi sqrt(lam)))
    with p = 2 + psi |S_h| and u_0 <= l_0 p. For psi = ln(eta)/(2 gamma), p <= 3 + psi and the bound is
    O(beta sqrt(T gamma) + C gamma^1.5), up to the logarithm H. `beta` is that of the last epoch.
    """
    p = 2 + psi * number_of_arms(eta, gamma)
    root = np.sqrt(eta * (2 * lam + 1) * gamma)
    corrupted = C * np.sqrt(p) * root / (psi * np.sqrt(lam)) if C > 0 else 0.0
    per_epoch = beta * root * np.sqrt(horizon) + corrupted
    return float(2 * B * 2 * p + 8 * number_of_epochs(horizon) * p * per_epoch)


def regret_bound_as_printed(
    B: float, C: float, beta: float, lam: float, eta: float, gamma: float, horizon: int, u_0: int = 2
) -> float:
    """The bound as the paper prints it, for psi = ln(eta)/(2 gamma). For comparison only: it has slips."""
    root = np.sqrt(eta * (2 * lam + 1))
    stochastic = beta * root * np.sqrt(horizon * gamma)
    corrupted = C * root * np.sqrt(12 * gamma**3) / (lam * np.log(eta))
    return float(u_0 * B + 24 * np.log2(horizon) * (stochastic + corrupted))


@dataclass(frozen=True)
class Rate:
    """One cell of Table 1: regret without corruption, and regret caused by C, up to constants and logarithms."""

    clean: float
    corrupted: float
    formula: str

    @property
    def total(self) -> float:
        """The sum of both terms."""
        return self.clean + self.corrupted


def gain_rate(kernel: str, horizon: int, d: int, nu: float | None = None) -> float:
    """gamma_T up to constants: d (linear), (ln T)^d (SE), T^(d/(2 nu + d)) (Matern)."""
    match kernel:
        case "linear":
            return float(d)
        case "se":
            return float(np.log(horizon) ** d)
        case "matern" if nu is not None:
            return float(horizon ** (d / (2 * nu + d)))
        case "matern":
            raise InvalidInput("the rate of the Matern kernel needs its nu")
        case _:
            raise InvalidInput(f"unknown kernel {kernel!r}: choose linear, se or matern")


def table_1(kernel: str, horizon: int, C: float, d: int, nu: float | None = None) -> dict[str, Rate]:
    """Table 1 for one kernel: the lower bound, the bound before the paper, and the paper's own.

    Without constants and dimension-independent logarithms, so compare growth, not size.
    """
    T, log_T = float(horizon), float(np.log(horizon))
    gamma = gain_rate(kernel, horizon, d, nu)
    ours = np.sqrt(T * gamma), C * gamma**1.5
    if kernel == "linear":
        lower, existing = (np.sqrt(T * d), C * d), (np.sqrt(T * d), C * d**1.5)
    elif kernel == "se":
        lower = np.sqrt(T * log_T ** (d / 2)), C * log_T ** (d / 2)
        existing = np.sqrt(T) * log_T**d, C * np.sqrt(T) * log_T ** (d / 2)
    else:
        assert nu is not None  # gain_rate has checked it
        lower = T ** ((nu + d) / (2 * nu + d)), C ** (nu / (d + nu)) * T ** (d / (d + nu))
        existing = T ** ((2 * nu + 3 * d) / (4 * nu + 2 * d)), C * T ** ((nu + d) / (2 * nu + d))
    rows = zip(("lower bound", "existing", "ours"), (lower, existing, ours), FORMULAS[kernel], strict=True)
    return {name: Rate(*terms, formula) for name, terms, formula in rows}
