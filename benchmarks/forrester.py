"""RCGP-UCB on the Forrester function: `python benchmarks/forrester.py [--seeds 10]`. Prints two tables.

The function, maximised, has its best arm at x = 1, one of 101 arms. Values are in deviations from their mean and the
noise is 1 before this scaling, as in the experiment of RCGP-UCB's authors (arXiv 2511.15315). The adversary knows x*.
It spends its lies on the first plays that qualify:

    near-far          plays within 0.1 of x* show -10, plays further than 0.4 show 25
    near-far, huge    the same with -1e6 and 1e6
    hide, huge        plays within 0.1 of x* show -1e6
    hide, inside      plays within 0.1 of x* show the lowest value on the plateau of half-width 1.96

An entry is the regret in the function's own units, mean and standard deviation over the seeds, and how many seeds end
with an arm that is worse than the best by more than the noise. In this folder, one entry by itself:

    unswayed simulate --problem forrester:problem --attack forrester:hide_inside --policy rcgp-ucb --plateau 1.96 \\
        --lam 0.048 --lies 10 --horizon 1000 --trials 10
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from functools import cache
from math import inf
from typing import Any, ClassVar

import numpy as np

from unswayed import Problem, Run, SquaredExponential, View
from unswayed.core.gp.fitting import fit_lengthscale
from unswayed.experiments.experiment import Experiment
from unswayed.experiments.settings import PolicySettings
from unswayed.types import BoolArray, FloatArray

X = np.linspace(0, 1, 101)[:, None]
VALUES = ((6 * X - 2) ** 2 * np.sin(12 * X - 4))[:, 0]
MEAN, SCALE = float(VALUES.mean()), float(VALUES.std())
PLATEAU = 1.96  # of the authors, for values in deviations from the mean
SIZES = {100: 5, 1000: 10}  # plays, and lies among them: T^(1/3)
POLICIES: dict[str, tuple[str, dict[str, Any]]] = {
    "GP-UCB": ("gp-ucb", {"clip": False}),
    "GP-UCB, clipped": ("gp-ucb", {}),
    "RCGP-UCB, L = 1.96": ("rcgp-ucb", {"plateau": PLATEAU}),
    "A2-RCGP-UCB, L = 1.96": ("a2-rcgp-ucb", {"plateau": PLATEAU}),
    "RCGP-UCB, L from the norm": ("rcgp-ucb", {}),
    "A2-RCGP-UCB, L from the norm": ("a2-rcgp-ucb", {}),
    "influence-UCB, clipped": ("influence-ucb", {}),
}
ATTACKS = {
    "none": "none",
    "near-far": "forrester:near_far",
    "near-far, huge": "forrester:near_far_huge",
    "hide, huge": "forrester:hide_huge",
    "hide, inside": "forrester:hide_inside",
}


@cache
def problem(draw: int | None = None) -> Problem:
    """The grid; beta_t = 2.4 sqrt(ln t) is close to the authors' 1.7 sqrt(2 ln(t + 2))."""
    f = (VALUES - MEAN) / SCALE
    kernel = fit_lengthscale(SquaredExponential(), X, f)
    return Problem("forrester", X, f, 1 / SCALE, kernel, X[:, 0] < 0.5, beta_scale=2.4)


@dataclass(frozen=True, eq=False)
class NearFar:
    """Plays near the best arm show `low`, plays far from it show `high`."""

    near: BoolArray
    far: BoolArray
    low: float
    high: float
    reads_estimates: ClassVar[bool] = False

    def corrupt(self, f: FloatArray, view: View, rng: np.random.Generator) -> FloatArray:
        """c = f~ - f."""
        return np.where(self.near, self.low - f, np.where(self.far, self.high - f, 0.0))


def near_far(attacked: Problem, low: float = -10.0, high: float = 25.0, far: float = 0.4) -> NearFar:
    """The adversary of the authors' experiment, with the values of their appendix."""
    distance = np.abs(attacked.domain[:, 0] - attacked.domain[attacked.best_arm, 0])
    slack = 1e-9  # 1 - 0.9 is less than 0.1
    return NearFar(distance <= 0.1 + slack, distance > far + slack, (low - MEAN) / SCALE, (high - MEAN) / SCALE)


def near_far_huge(attacked: Problem) -> NearFar:
    """Lies of a size that nobody could mistake."""
    return near_far(attacked, -1e6, 1e6)


def hide_huge(attacked: Problem) -> NearFar:
    """All lies for the best arms."""
    return near_far(attacked, -1e6, far=inf)


def hide_inside(attacked: Problem) -> NearFar:
    """All lies for the best arms, on the plateau of half-width 1.96 about 0."""
    return near_far(attacked, MEAN - PLATEAU * SCALE, far=inf)


def experiment(policy: str, attack: str, horizon: int) -> Experiment:
    """The one of a row and a column of the table."""
    name, known = POLICIES[policy]
    settings = PolicySettings(lam=SCALE**-2, plateau=known.get("plateau"))
    told = {"lies": SIZES[horizon], "horizon": horizon, "clip": known.get("clip", True), "settings": settings}
    return Experiment("forrester:problem", name, ATTACKS[attack], None, **told)


def lost(run: Run) -> bool:
    """Whether the run ends with an arm that is worse than the best by more than the noise."""
    return run.recommended_gap * SCALE > 1


def entry(runs: list[Run]) -> str:
    """The regret, and how many runs end with a bad arm."""
    regrets = [run.regret * SCALE for run in runs]
    return f"{np.mean(regrets):,.0f} ± {np.std(regrets):,.0f}, {sum(map(lost, runs))}/{len(runs)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    seeds = range(parser.parse_args().seeds)
    for horizon, lies in SIZES.items():
        heads = ["policy", *ATTACKS]
        print(f"{lies} lies among {horizon:,} plays:\n\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
        for policy in POLICIES:
            cells = [entry([experiment(policy, attack, horizon).run(seed) for seed in seeds]) for attack in ATTACKS]
            print(f"| {policy} | {' | '.join(cells)} |", flush=True)
        print()


if __name__ == "__main__":
    main()
