"""Variants of vigilant-UCB on functions drawn for this purpose: 400 arms, 200 plays, a budget of 10.

    python benchmarks/vigilant.py [--functions 10] [--plays 200]

Every variant meets the same functions, noise and attacks. Shown: the median over the functions of the gap of the
recommendation (f has a range of about 4), with the largest in brackets.
"""

from __future__ import annotations

import argparse
from itertools import product

import numpy as np

from unswayed import SquaredExponential, VigilantUCB
from unswayed.types import Feedback

SIGMA, C, SIDE = 0.05, 10.0, 20
LINE = np.linspace(0, 1, SIDE)
GRID = np.stack(np.meshgrid(LINE, LINE), axis=-1).reshape(-1, 2)
VARIANTS = {
    "GP-UCB (no trimming, no verification)": {"threshold": np.inf, "verify": 0},
    "trim only": {"verify": 0},
    "verify every 2nd": {"verify": 2},
    "verify every 3rd": {"verify": 3},
    "verify every 5th": {"verify": 5},
    "verify only, every 3rd": {"threshold": np.inf, "verify": 3},
    "threshold 3": {"threshold": 3.0},
    "threshold 6": {"threshold": 6.0},
    "beta 3": {"beta": 3.0},
    "margin 3": {"margin": 3.0},
    "steady beta": {"curiosity": (1.0,)},
}


def attacks(f):
    """What each attack wants to add at each arm."""
    order = np.argsort(-f)
    top, bottom = np.isin(np.arange(len(f)), order[:20]), f <= np.quantile(f, 0.2)
    target = GRID[:, 0] <= 0.5 if GRID[order[0], 0] > 0.5 else GRID[:, 0] > 0.5
    cap = f[target].max() - 0.2
    return {
        "none": np.zeros(len(f)),
        "clipping": np.where(target, 0.0, np.minimum(cap - f, 0.0)),
        "top-20": np.where(top, np.minimum(-1.0 - f, 0.0), 0.0),
        "flip": -2 * f,
        "promote": np.where(bottom, f.max() + 0.4 - f, 0.0),
    }


def gap(f, wanted, plays, seed, options):
    policy = VigilantUCB(GRID, SquaredExponential(0.3), corruption_budget=C, lam=SIGMA**2, **options)
    rng, left = np.random.default_rng([seed, 1]), C
    state = policy.init()
    for _ in range(plays):
        arm = int(policy.ask(state, rng).arms[0])
        c = float(np.sign(wanted[arm])) * min(abs(wanted[arm]), left)
        left -= abs(c)
        reward = f[arm] + SIGMA * rng.standard_normal() + c
        state = policy.tell(state, Feedback(np.array([arm]), np.array([1]), np.array([reward])))
    return float(f.max() - f[policy.recommend(state)])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--functions", type=int, default=10)
    parser.add_argument("--plays", type=int, default=200)
    given = parser.parse_args()
    L = np.linalg.cholesky(SquaredExponential(0.3)(GRID, GRID) + 1e-8 * np.eye(len(GRID)))
    functions = [L @ np.random.default_rng(seed).standard_normal(len(GRID)) for seed in range(given.functions)]
    names = list(attacks(functions[0]))
    print(f"{given.functions} functions, {given.plays} plays, C = {C:g}, noise {SIGMA:g}")
    print(f"{'':40s}" + "".join(f"{name:>16s}" for name in names) + f"{'mean':>8s}")
    for label, options in VARIANTS.items():
        gaps = {name: [] for name in names}
        for (seed, f), name in product(enumerate(functions), names):
            gaps[name].append(gap(f, attacks(f)[name], given.plays, seed, options))
        cells = "".join(f"{np.median(g):9.2f} ({max(g):.1f})" for g in gaps.values())
        print(f"{label:40s}{cells}{np.mean(list(gaps.values())):8.3f}", flush=True)
