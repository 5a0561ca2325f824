"""What certificates are worth when an assumption is wrong: how often the band of influence-UCB is left.

Functions of RKHS norm exactly B on 10 random points, 200 runs of 100 rounds each, once prepared for C = 6 and under
Top-3 with the full budget, once with C = 0; a miss is any arm outside its band at any time. delta = 0.05.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unswayed import InfluenceUCB, SquaredExponential
from unswayed.adversaries import TopK
from unswayed.types import Feedback

N, B, SIGMA, C = 10, 1.5, 0.3, 6.0
KERNEL = SquaredExponential(0.3)


def misses(change: dict[str, object], budget: float, spent: float, runs: int = 200) -> float:
    missed = 0
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        X = rng.uniform(-1, 1, (N, 1))
        K = KERNEL(X, X)
        weights = rng.standard_normal(N)
        f = K @ weights * B / np.sqrt(weights @ K @ weights)
        policy = InfluenceUCB(X, KERNEL, corruption_budget=budget, norm_bound=B, noise_std=SIGMA)
        policy = replace(policy, **change)
        state, left, bad = policy.init(), spent, False
        for _ in range(100):
            view = policy.view(state)
            bad |= bool(((f < view.lower) | (f > view.upper)).any())
            arm = int(policy.ask(state, rng).arms[0])
            wanted = TopK(3).corrupt(f, view, rng)[arm]
            paid = min(abs(wanted), left)
            left -= paid
            reward = f[arm] + SIGMA * rng.standard_normal() + np.sign(wanted) * paid
            state = policy.tell(state, Feedback([arm], [1], [reward]))
        missed += bad
    return missed / runs


def main() -> None:
    lam = SIGMA**2
    cases = {
        "all true": ({}, 1),
        "B half of the truth": ({"norm_bound": B / 2}, 1),
        "B a tenth of the truth": ({"norm_bound": B / 10}, 1),
        "sigma half of the truth": ({"noise_std": SIGMA / 2, "lam": lam}, 1),
        "sigma a fifth of the truth": ({"noise_std": SIGMA / 5, "lam": lam}, 1),
        "length-scale half of the truth": ({"kernel": SquaredExponential(0.15)}, 1),
        "length-scale twice the truth": ({"kernel": SquaredExponential(0.6)}, 1),
        "length-scale four times the truth": ({"kernel": SquaredExponential(1.2)}, 1),
        "twice the budget spent": ({}, 2),
        "ten times the budget spent": ({}, 10),
    }
    for name, (change, times) in cases.items():
        with_budget, without = (misses(change, budget, times * budget) for budget in (C, 0.0))
        print(f"| {name} | {with_budget:.1%} | {without:.1%} |", flush=True)


if __name__ == "__main__":
    main()
