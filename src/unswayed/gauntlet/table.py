"""The tables of the gauntlet: lost runs, gaps, ranks, paired differences and overhead, from rows of matches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.stats import rankdata

from unswayed.types import FloatArray

LOST = 0.1  # of the range: a larger gap is a lost run
RIVALS = ("botorch", "tpe")  # gaps and times are compared with theirs
RESAMPLES = 2000
Pair = tuple[str, int]  # problem and seed
Cell = Mapping[Pair, tuple[float, float]]  # gap, and CPU milliseconds for each play


def cells(rows: Iterable[Mapping[str, Any]]) -> dict[tuple[str, int, int], dict[str, dict[Pair, tuple[float, float]]]]:
    """By corruption, plays and checkpoint, the gap and the time of each optimiser in each problem and seed.

    Honest runs are read at all checkpoints, attacked ones at the end.
    """
    found: dict[tuple[str, int, int], dict[str, dict[Pair, tuple[float, float]]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    for row in rows:
        read = zip(row["checkpoints"], row["gaps"], row["seconds"], strict=True)
        for at, gap, seconds in read:
            if row["corruption"] == "none" or at == row["plays"]:
                key = row["corruption"], row["plays"], at
                found[key][row["optimizer"]][row["problem"], row["seed"]] = gap, 1000 * seconds / at
    return found


def ranks(methods: Mapping[str, Cell]) -> tuple[dict[str, float], int]:
    """The mean rank of each optimiser over the problems and seeds that all have, and how many these are."""
    shared = sorted(set.intersection(*(set(cell) for cell in methods.values())))
    if not shared:
        return dict.fromkeys(methods, np.nan), 0
    table = rankdata([[cell[pair][0] for pair in shared] for cell in methods.values()], axis=0)
    return dict(zip(methods, table.mean(axis=1).tolist(), strict=True)), len(shared)


def difference(one: Cell, other: Cell) -> tuple[float, float, float] | None:
    """The mean of paired differences of gaps, and a 95% interval; None without pairs.

    The bootstrap draws problems, each with all its seeds: seeds of one problem are no independent evidence.
    """
    by_problem: dict[str, list[float]] = defaultdict(list)
    for problem, seed in sorted(set(one) & set(other)):
        by_problem[problem].append(one[problem, seed][0] - other[problem, seed][0])
    if not by_problem:
        return None
    sums = np.array([[sum(group), len(group)] for group in by_problem.values()])
    rng = np.random.default_rng(0)
    drawn = sums[rng.integers(len(sums), size=(RESAMPLES, len(sums)))].sum(axis=1)
    low, high = np.quantile(drawn[:, 0] / drawn[:, 1], [0.025, 0.975]).tolist()
    return float(sums[:, 0].sum() / sums[:, 1].sum()), low, high


def markdown(rows: Iterable[Mapping[str, Any]]) -> str:
    """One table for each corruption, number of plays and checkpoint, best mean rank first."""
    parts = [_section(key, methods) for key, methods in sorted(cells(rows).items(), key=lambda item: _order(item[0]))]
    return "\n".join(parts) if parts else "No finished runs."


def _order(key: tuple[str, int, int]) -> tuple[bool, int, str, int]:
    corruption, plays, at = key
    return corruption != "none", plays, corruption, at


def _section(key: tuple[str, int, int], methods: Mapping[str, Cell]) -> str:
    corruption, plays, at = key
    place, shared = ranks(methods)
    heads = ["optimizer", "runs", "lost", "median gap (quartiles)", "rank"]
    heads += [f"gap less {rival}'s (95%)" for rival in RIVALS] + ["ms/play"] + [f"x {rival}" for rival in RIVALS]
    read = f"{plays} plays" if at == plays else f"{at} of {plays} plays"
    lines = [f"\n### {corruption}, {read}; ranks over {shared} problems and seeds\n"]
    lines += [f"| {' | '.join(heads)} |", "|---" + "|---:" * (len(heads) - 1) + "|"]
    for name in sorted(methods, key=lambda name: (place[name], name)):
        lines.append(
            f"| {' | '.join([name, *_line(name, methods), *_costs(name, methods)])} |".replace(
                "RANK", f"{place[name]:.2f}"
            )
        )
    return "\n".join(lines)


def _gaps(cell: Cell) -> FloatArray:
    return np.array([gap for gap, _ in cell.values()])


def _line(name: str, methods: Mapping[str, Cell]) -> list[str]:
    gaps = 100 * _gaps(methods[name])
    low, middle, high = np.quantile(gaps, [0.25, 0.5, 0.75])
    shown = [str(gaps.size), f"{np.mean(gaps > 100 * LOST):.0%}", f"{middle:.2f}% ({low:.2f}..{high:.2f})", "RANK"]
    for rival in RIVALS:
        found = None if rival == name or rival not in methods else difference(methods[name], methods[rival])
        shown.append("" if found is None else "{:+.2f}% ({:+.2f}..{:+.2f})".format(*(100 * x for x in found)))
    return shown


def _costs(name: str, methods: Mapping[str, Cell]) -> list[str]:
    """Mean CPU milliseconds for each play, and the ratios to rivals in the same problems and seeds."""
    times: Sequence[float] = [time for _, time in methods[name].values()]
    shown = [f"{np.mean(times):.1f}"]
    for rival in RIVALS:
        shared = set(methods[name]) & set(methods.get(rival, ()))
        own, other = (sum(methods[who][pair][1] for pair in shared) if shared else 0.0 for who in (name, rival))
        shown.append(f"{own / other:.2f}" if other and rival != name else "")
    return shown
