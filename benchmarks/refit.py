"""How much less tampering overturns an audit's winner if the model is estimated again: docs/evidence/guarantees.md.

    python benchmarks/refit.py [--sets 100] [--changes 200] [--seed 0]

Small random data sets: 8 to 40 measurements of 4 to 15 options with one or two parameters. For each: the breakdown
budget with the model held fixed, the one with refit, and how many of some random changes of one measurement below 90%
of the latter change the winner of a new audit.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np

from unswayed import Audit, audit
from unswayed.audits.fit import Fit
from unswayed.audits.measurements import collect
from unswayed.core.data.threads import one_thread
from unswayed.judgement.assumptions import Given
from unswayed.progress import progress_bar
from unswayed.types import FloatArray


def measured(seed: int) -> tuple[FloatArray, FloatArray]:
    """Random options, measured unequally often; a smooth function, with noise of 2 to 50% of its spread."""
    rng = np.random.default_rng([seed, 7])
    options, columns = int(rng.integers(4, 16)), int(rng.integers(1, 3))
    points = rng.uniform(size=(options, columns))
    rows = np.append(np.arange(options), rng.integers(options, size=int(rng.integers(4, 26))))
    wave = rng.uniform(1, 8, columns)
    f = np.sin(points @ wave + rng.uniform(0, 6)) + points @ rng.standard_normal(columns)
    noise = float(rng.uniform(0.02, 0.5)) * float(np.std(f))
    return points[rows], 10 ** rng.uniform(-3, 3) * (f[rows] + noise * rng.standard_normal(len(rows)) + rng.normal())


def one_set(seed: int, changes: int) -> tuple[float, float, int, int]:
    """Both budgets in units of the values' range; changes tried and changes that overturn."""
    x, y = measured(seed)
    found: Audit = audit(x, y, tie=0)
    data = collect(x, y, minimize=False)
    fit, rng = Fit.of(Given(threat=0), data), np.random.default_rng([seed, 8])
    overturned = 0
    with one_thread():
        for _ in range(changes):
            values = y.copy()
            values[rng.integers(len(y))] += rng.uniform(-0.9, 0.9) * found.breakdown_budget_refit
            overturned += np.argmax(fit.estimates(data.with_values(values))) != found.winner
    unit = float(np.ptp(y))
    return found.breakdown_budget / unit, found.breakdown_budget_refit / unit, changes, overturned


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=100)
    parser.add_argument("--changes", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    seeds = range(chosen.seed, chosen.seed + chosen.sets)
    with ProcessPoolExecutor(2) as pool:
        results = []
        with progress_bar("data sets", chosen.sets) as advance:
            for result in pool.map(partial(one_set, changes=chosen.changes), seeds):
                results.append(result)
                advance(1)
    fixed, refit, tried, overturned = (np.array(column) for column in zip(*results, strict=True))
    ratio = refit / np.maximum(fixed, 1e-300)
    low, middle, high = np.quantile(ratio, (0.25, 0.5, 0.75))
    print(f"{chosen.sets} data sets. Budget with refit / budget with the model held fixed:")
    print(f"median {middle:.2f}, quartiles {low:.2f} and {high:.2f}, smallest {ratio.min():.2f};")
    print(f"below 0.9 in {(ratio < 0.9).sum()} data sets, below 0.5 in {(ratio < 0.5).sum()}.")
    print(f"Of {tried.sum():,} random changes of one measurement below 90% of the budget with refit,")
    print(f"{overturned.sum():,} ({overturned.sum() / tried.sum():.2%}) changed the winner of a new audit;")
    print(f"at most {overturned.max()} of {chosen.changes} in one data set.")


if __name__ == "__main__":
    main()
