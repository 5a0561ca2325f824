"""The strongest attack on f1, T = 50,000: the table of docs/evidence/guarantees.md.

python scripts/strongest.py [--seeds 3]
"""

from __future__ import annotations

import argparse
from math import inf

from unswayed import simulate
from unswayed.adversaries import NoAttack, Strongest
from unswayed.experiments.registry import POLICIES, make_policy
from unswayed.problems import f1

T, C = 50_000, 50.0


def cell(name: str, attack: NoAttack | Strongest, budget: float, seeds: int) -> str:
    """The regret of each seed, and how often the best arm is recommended."""
    problem = f1()
    policy = make_policy(name, problem, C, T)
    runs = [simulate(problem, policy, attack, budget=budget, horizon=T, seed=seed) for seed in range(seeds)]
    found = sum(run.recommended_gap == 0 for run in runs)
    return ", ".join(f"{run.regret:,.0f}" for run in runs) + f" (best arm: {found} of {seeds})"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=3)
    seeds = parser.parse_args().seeds
    print(f"| policy, prepared for C = {C:g} | no attack | all {C:g} at once | 1 each time, {C:g} in all |")
    print("|---|---|---|---|")
    for name in ("rgp-ucb", "rgp-pe", "influence-ucb", "influence-pe"):
        cells = (cell(name, attack, C, seeds) for attack in (NoAttack(), Strongest(inf), Strongest(1.0)))
        print(f"| {POLICIES[name].label} |", " | ".join(cells), "|", flush=True)
    print(f"GP-UCB: {cell('gp-ucb', NoAttack(), 0.0, seeds)}; one unit in one play: "
          f"{cell('gp-ucb', Strongest(1.0), 1.0, seeds)}")  # fmt: skip


if __name__ == "__main__":
    main()
