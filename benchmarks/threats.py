"""A wrong threat: what it costs to tell a study three times too much, a third, or nothing.

    python benchmarks/threats.py [--functions test|development] [--seeds 2] [--plays 60 200] [--jobs 2]

The functions of benchmarks/liars.py with noise of 1% of the range. K = plays/20 measurements are false: *hide* lowers
plays of the best tenth of the space by half of the range, *promote* raises plays of the worst fifth to the best value.
The study is told the number of lies or their total, right or wrong, or nothing (None). A row is the median gap of the
recommended point over all functions, attacks and seeds, in per cent of the range, with its quartiles, and the share of
studies with a gap above 10%. All see the same noise, and lies by the same rule.
"""

from __future__ import annotations

import argparse
from itertools import product
from typing import NamedTuple

import numpy as np
from liars import FUNCTIONS, NOISE, extremes, played, row

from unswayed import Box, Optimizer, Options, Real, Threat
from unswayed.spaces import Space

ATTACKS = ("hide", "promote")
FACTORS = {"right": 1.0, "three times": 3.0, "a third": 1 / 3}
TOLD = [*product(("lies", "total"), FACTORS), ("unknown", "unknown")]


class Row(NamedTuple):
    kind: str
    told: str
    plays: int
    gap: float
    spent: int


def study(key: tuple[str, int, str, int, tuple[str, str], int]) -> Row:
    """One study; the gap of what it recommends comes from the truth."""
    functions, number, attack, plays, (kind, told), seed = key
    case = FUNCTIONS[functions][number]
    rng = np.random.default_rng([seed, number, 5])
    cloud = rng.uniform(size=(60 if case.table else 200_000, case.dimension))
    best, worst = extremes(case, cloud)
    bad, good = np.quantile(case.function(cloud), (0.2, 0.9))
    space: Space = Options(cloud) if case.table else Box({f"x{i}": Real(0, 1) for i in range(case.dimension)})
    lies, change = plays // 20, 0.5 * (best - worst) if attack == "hide" else best - float(bad)
    factor, threat = FACTORS.get(told, 0.0), None
    if kind != "unknown":
        threat = Threat(lies=round(lies * factor)) if kind == "lies" else Threat(lies * change * factor)
    noise, spent = NOISE * (best - worst) * rng.standard_normal(plays), 0
    optimizer = Optimizer(space, plays=plays, seed=seed, threat=threat, method="guided")
    for t in range(plays):
        play = optimizer.ask()[0]
        truth = float(case.function(np.atleast_2d(row(play.point)))[0])
        lying = spent < lies and (truth >= good if attack == "hide" else truth <= bad)
        forged = truth - change if attack == "hide" else best
        optimizer.tell(play, (forged if lying else truth) + noise[t])
        spent += lying
    point = optimizer.answer().point
    gap = (best - float(case.function(np.atleast_2d(row(point)))[0])) / (best - worst)
    return Row(kind, told, plays, max(gap, 0.0), spent)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--functions", choices=FUNCTIONS, default="test")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--plays", type=int, nargs="+", default=[60, 200])
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    numbers = range(len(FUNCTIONS[given.functions]))
    keys = list(product([given.functions], numbers, ATTACKS, given.plays, TOLD, range(given.seeds)))
    rows = played(study, keys, given.jobs)
    print("| plays | told | median gap (quartiles), % | gap above 10% |\n|---|---|---|---|")
    for plays, (kind, told) in product(given.plays, TOLD):
        mine = [one.gap for one in rows if (one.plays, one.kind, one.told) == (plays, kind, told)]
        low, middle, high = 100 * np.quantile(mine, (0.25, 0.5, 0.75))
        name = kind if kind == told else f"{kind}: {told}"
        lost = sum(gap > 0.1 for gap in mine)
        print(f"| {plays} | {name} | {middle:.2f} ({low:.2f} to {high:.2f}) | {lost} of {len(mine)} |")
    spent = np.mean([one.spent / (one.plays // 20) for one in rows])
    print(f"{spent:.0%} of the lies were spent")


if __name__ == "__main__":
    main()
