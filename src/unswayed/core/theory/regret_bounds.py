"""The explicit regret bound of Theorem 1, and two lemmas behind it.

Symbols as in `bounds.py`; gamma is the maximal information gain gamma_T (or an upper bound of it),
S_h the arms that an epoch plays, H the number of epochs. `growth.py` has the orders of such bounds.
"""

from __future__ import annotations

import numpy as np


def number_of_arms(eta: float, gamma: float) -> float:
    """|S_h| <= 1 + 2 gamma / ln(eta) (Appendix C, where the 1 is missing)."""
    return float(1 + 2 * gamma / np.log(eta))


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
