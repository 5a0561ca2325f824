"""How often the truth leaves the band of influence-UCB when an assumption is wrong: see docs/evidence/guarantees.md.

    python benchmarks/assumptions.py [--runs 200]

The functions have RKHS norm exactly B on 10 random points. A run has 100 rounds; it misses if any arm is outside its
band in any round; delta = 0.05. Every case is played prepared for C = 6 and under Top-3 with the full budget, and with
C = 0, in two settings: B = 1.5 with noise 0.3, where the noise term of beta is larger than B, and B = 15 with noise
0.02, where B is the larger one. The last line shows both terms.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from unswayed import InfluenceUCB, SquaredExponential
from unswayed.adversaries import TopK
from unswayed.core.theory.bounds import log_det_beta
from unswayed.types import Feedback

N, C, ROUNDS, LENGTH = 10, 6.0, 100, 0.3
SETTINGS = ((1.5, 0.3), (15.0, 0.02))  # B and sigma


class Case(NamedTuple):
    """What the policy believes, as a share of the truth, and how many times its budget is spent."""

    B: float = 1.0
    sigma: float = 1.0
    length: float = 1.0
    times: float = 1.0


CASES = {
    "all true": Case(),
    "B 0.8 of the truth": Case(B=0.8),
    "B half of the truth": Case(B=0.5),
    "B a tenth of the truth": Case(B=0.1),
    "sigma half of the truth": Case(sigma=0.5),
    "sigma a fifth of the truth": Case(sigma=0.2),
    "length-scale half of the truth": Case(length=0.5),
    "length-scale twice the truth": Case(length=2.0),
    "length-scale four times the truth": Case(length=4.0),
    "twice the budget spent": Case(times=2.0),
    "ten times the budget spent": Case(times=10.0),
}


def game(case: Case, budget: float, B: float, sigma: float, seed: int) -> tuple[bool, float]:
    """Whether a run misses, and the noise term of its beta after the last round."""
    rng, kernel = np.random.default_rng(seed), SquaredExponential(LENGTH)
    X = rng.uniform(-1, 1, (N, 1))
    K = kernel(X, X)
    weights = rng.standard_normal(N)
    f = K @ weights * B / np.sqrt(weights @ K @ weights)
    true: dict[str, Any] = {"norm_bound": B, "noise_std": sigma, "lam": sigma**2}
    policy = InfluenceUCB(X, SquaredExponential(LENGTH * case.length), corruption_budget=budget, **true)
    policy = replace(policy, norm_bound=case.B * B, noise_std=case.sigma * sigma)  # lam stays as it is
    state, left, missed = policy.init(), case.times * budget, False
    for _ in range(ROUNDS):
        view = policy.view(state)
        missed |= bool(((f < view.lower) | (f > view.upper)).any())
        arm = int(policy.ask(state, rng).arms[0])
        wanted = TopK(3).corrupt(f, view, rng)[arm]
        paid = min(abs(wanted), left)
        left -= paid
        reward = f[arm] + sigma * rng.standard_normal() + np.sign(wanted) * paid
        state = policy.tell(state, Feedback([arm], [1], [reward]))
    return missed, log_det_beta(0.0, policy.noise_std, sigma**2, policy.share, state.plain.log_det)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=200)
    runs = parser.parse_args().runs
    columns = [(B, sigma, budget) for B, sigma in SETTINGS for budget in (C, 0.0)]
    print("| assumption |", " | ".join(f"B = {B:g}, sigma = {s:g}, C = {c:g}" for B, s, c in columns), "|")
    print("|---|" + "---:|" * len(columns))
    terms = {}
    for name, case in CASES.items():
        cells = []
        for B, sigma, budget in columns:
            if budget == 0 and case.times != 1:
                cells.append("")  # there is no budget to exceed
                continue
            missed, noise = zip(*(game(case, budget, B, sigma, seed) for seed in range(runs)), strict=True)
            terms.setdefault((B, sigma), np.median(noise))  # of the first case: all true
            cells.append(f"{sum(missed)} of {runs}")
        print(f"| {name} |", " | ".join(cells), "|", flush=True)
    for (B, sigma), term in terms.items():
        print(f"B = {B:g}, sigma = {sigma:g}: beta is B + {term:.1f} after {ROUNDS} rounds (median, all true)")


if __name__ == "__main__":
    main()
