"""How often the truth leaves the band of influence-UCB when an assumption is wrong.

The functions have RKHS norm exactly B on 10 random points. There are 200 runs of 100 rounds each, once prepared for
C = 6 and under Top-3 with the full budget, once with C = 0. A run misses if any arm is outside its band in any round.
delta = 0.05. With B = 1.5 and sigma = 0.3 the noise term of the band is the larger one, so B hardly matters; the last
two cases have B = 15 and sigma = 0.02, where it does.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unswayed import InfluenceUCB, SquaredExponential
from unswayed.adversaries import TopK
from unswayed.types import Feedback

N, C = 10, 6.0
KERNEL = SquaredExponential(0.3)


def misses(change: dict[str, object], budget: float, spent: float, B: float, sigma: float, runs: int = 200) -> float:
    """The share of runs that miss when `change` replaces true settings of the policy."""
    missed = 0
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        X = rng.uniform(-1, 1, (N, 1))
        K = KERNEL(X, X)
        weights = rng.standard_normal(N)
        f = K @ weights * B / np.sqrt(weights @ K @ weights)
        true = InfluenceUCB(X, KERNEL, corruption_budget=budget, norm_bound=B, noise_std=sigma)
        policy = replace(true, **change)
        state, left, bad = policy.init(), spent, False
        for _ in range(100):
            view = policy.view(state)
            bad |= bool(((f < view.lower) | (f > view.upper)).any())
            arm = int(policy.ask(state, rng).arms[0])
            wanted = TopK(3).corrupt(f, view, rng)[arm]
            paid = min(abs(wanted), left)
            left -= paid
            reward = f[arm] + sigma * rng.standard_normal() + np.sign(wanted) * paid
            state = policy.tell(state, Feedback([arm], [1], [reward]))
        missed += bad
    return missed / runs


def main() -> None:
    B, sigma = 1.5, 0.3
    lam = sigma**2  # stays as it is when the sigma of the policy is wrong
    cases = {  # what the policy gets wrong, how many times its budget is spent, B, sigma
        "all true": ({}, 1, B, sigma),
        "B half of the truth": ({"norm_bound": B / 2}, 1, B, sigma),
        "B a tenth of the truth": ({"norm_bound": B / 10}, 1, B, sigma),
        "sigma half of the truth": ({"noise_std": sigma / 2, "lam": lam}, 1, B, sigma),
        "sigma a fifth of the truth": ({"noise_std": sigma / 5, "lam": lam}, 1, B, sigma),
        "length-scale half of the truth": ({"kernel": SquaredExponential(0.15)}, 1, B, sigma),
        "length-scale twice the truth": ({"kernel": SquaredExponential(0.6)}, 1, B, sigma),
        "length-scale four times the truth": ({"kernel": SquaredExponential(1.2)}, 1, B, sigma),
        "twice the budget spent": ({}, 2, B, sigma),
        "ten times the budget spent": ({}, 10, B, sigma),
        "all true, B = 15, sigma = 0.02": ({}, 1, 15.0, 0.02),
        "B half of the truth, B = 15, sigma = 0.02": ({"norm_bound": 7.5}, 1, 15.0, 0.02),
    }
    for name, (change, times, norm, noise) in cases.items():
        with_budget, without = (misses(change, budget, times * budget, norm, noise) for budget in (C, 0.0))
        print(f"| {name} | {with_budget:.1%} | {without:.1%} |", flush=True)


if __name__ == "__main__":
    main()
