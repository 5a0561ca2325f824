"""The price of robustness on f1: the regret that a robust rule has even if nothing is attacked.

    python scripts/price.py

The statement of docs/explanation/theory.md: a rule that has R_T <= R with probability 1 - delta, for every function of
norm at most B and every adversary of budget C, has on f without any attack an expected regret of at least

    (1 - delta) C sum_A Delta_i / (Delta_i + D),

A the arms for which (T - C / (Delta_i + D)) D > R and |f + (Delta_i + D) e_i| <= B. Any D > 0 gives a bound; the
largest over a grid of D is shown. Beside it: the regret of influence-UCB, which is told the same B.
"""

from __future__ import annotations

import numpy as np
from theorems import influence_ucb

from unswayed import Problem, simulate
from unswayed.core.gp.kernels import gram
from unswayed.experiments.registry import PAPER_ATTACKS, make_attack, make_policy
from unswayed.experiments.settings import PolicySettings
from unswayed.problems import f1

T, C, DELTA, SEEDS = 50_000, 50.0, 0.05, 3
NORMS = (1.0, 1.01, 1.02, 1.03, 1.05, 1.5)  # B over the norm of f
GUARANTEES = (5_200.0, 10_000.0, 50_000.0)  # R


def price(problem: Problem, B: float, R: float) -> tuple[float, int]:
    """The largest lower bound over D, and how many arms are in its sum."""
    inverse = np.linalg.inv(gram(problem.kernel, problem.domain))
    slope, curve = inverse @ problem.f, inverse.diagonal()
    best = 0.0, 0
    for D in R / T * np.geomspace(1, 100, 2_000):
        raised = problem.gaps + D
        norm = np.sqrt(problem.f @ slope + 2 * raised * slope + raised**2 * curve)
        A = (norm <= B) & ((T - C / raised) * D > R) & (problem.gaps > 0)
        best = max(best, ((1 - DELTA) * C * float((problem.gaps / raised)[A].sum()), int(A.sum())))
    return best


def regrets(problem: Problem, attack: str, budget: float, B: float) -> list[float]:
    """Of influence-UCB, one for each seed."""
    policy = make_policy("influence-ucb", problem, budget, T, settings=PolicySettings(norm=B))
    adversary = make_attack(attack, problem)
    return [simulate(problem, policy, adversary, budget=budget, horizon=T, seed=seed).regret for seed in range(SEEDS)]


def main() -> None:
    problem = f1()
    print(f"f1, T = {T:,}, C = {C:g}, delta = {DELTA}: (N - 1) C = {(problem.n_arms - 1) * C:,.0f}")
    print("The bound, with the number of arms in A:")
    print("| B / norm of f |", " | ".join(f"R = {R:,.0f}" for R in GUARANTEES), "|")
    print("|---|" + "---:|" * len(GUARANTEES))
    for times in NORMS:
        found = (price(problem, times * problem.norm, R) for R in GUARANTEES)
        print(f"| {times:g} |", " | ".join(f"{bound:,.0f} ({arms})" for bound, arms in found), "|")
    B = 1.05 * problem.norm
    regret = {attack: regrets(problem, attack, C, B) for attack in PAPER_ATTACKS}
    honest, largest = regret["none"], max(max(runs) for runs in regret.values())
    print(f"influence-UCB, B = 1.05 times the norm, {SEEDS} seeds: {np.mean(honest):,.0f} unattacked", end=" ")
    print(f"({min(honest):,.0f} to {max(honest):,.0f}), under the attacks of the paper at most {largest:,.0f}")
    for R in (GUARANTEES[0], largest):
        bound, _ = price(problem, B, R)
        print(f"that is {np.mean(honest) / bound:.2f} times the bound for R = {R:,.0f}, {bound:,.0f}")
    proved = influence_ucb(problem, T, B)
    print(f"for R = {proved:,.0f}, all that its theorem proves here, the bound is {price(problem, B, proved)[0]:,.0f}")
    clean = regrets(problem, "none", 0.0, problem.norm)
    print(f"C = 0, B the norm: {np.mean(clean):,.0f}, {np.mean(clean) / problem.gaps.sum():.2f} times the sum of gaps")


if __name__ == "__main__":
    main()
