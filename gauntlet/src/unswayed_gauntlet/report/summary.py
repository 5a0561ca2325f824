"""The tables of the gauntlet: lost runs, gaps, ranks, paired differences and overhead, from rows of matches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.stats import rankdata
from scipy.stats import t as student

from unswayed.text import counted

LOST = 0.1  # of the range: a larger gap is a lost run
RIVALS = ("botorch", "tpe")  # gaps and times are compared with theirs
Key = tuple[str, int, int]  # corruption, plays, checkpoint
Pair = tuple[str, int]  # problem, seed
Cell = dict[Pair, tuple[float, float]]  # gap, and CPU milliseconds for each play


def cells(rows: Iterable[Mapping[str, Any]]) -> dict[Key, dict[str, Cell]]:
    """By corruption, plays and checkpoint, the gap and the time of each optimiser in each problem and seed.

    Honest runs are read at all checkpoints, attacked ones at the end.
    """
    found: dict[Key, dict[str, Cell]] = defaultdict(lambda: defaultdict(dict))
    for row in rows:
        for at, gap, seconds in zip(row["checkpoints"], row["gaps"], row["seconds"], strict=True):
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
    """The mean of paired differences of gaps, and a 95% interval; None without pairs in at least two problems.

    Student's interval over problems, each with all its seeds: seeds of one problem are not independent evidence.
    """
    by_problem: dict[str, list[float]] = defaultdict(list)
    for problem, seed in sorted(set(one) & set(other)):
        by_problem[problem].append(one[problem, seed][0] - other[problem, seed][0])
    P = len(by_problem)
    if P < 2:
        return None
    sums, counts = np.array([[sum(group), len(group)] for group in by_problem.values()]).T
    mean = float(sums.sum() / counts.sum())
    error = np.sqrt(P / (P - 1) * np.square(sums - mean * counts).sum()) / counts.sum()
    half = float(student.ppf(0.975, P - 1) * error)
    return mean, mean - half, mean + half


def markdown(rows: Iterable[Mapping[str, Any]], *, times: bool = True) -> str:
    """The shares of lost runs, then a table for each corruption, number of plays and checkpoint, best rank first.

    Args:
        rows: Of matches.
        times: Whether CPU times are shown: without them, the same runs make the same text.
    """
    found = cells(rows)
    order = sorted(found, key=lambda key: (key[0] != "none", key[1], key[0], key[2]))
    if not found:
        return "No finished runs."
    rivals = [rival for rival in RIVALS if any(rival in methods for methods in found.values())]
    return "\n\n".join([_lost(found, order), *(_section(key, found[key], rivals, times) for key in order)])


def _lost(found: Mapping[Key, Mapping[str, Cell]], order: list[Key]) -> str:
    """The share of lost runs by each optimiser, and how many runs these are; the smallest of a row is bold."""
    names = sorted({name for methods in found.values() for name in methods})
    lines = [
        "### Lost runs (of so many, each optimiser's own)",
        "",
        f"| | {' | '.join(names)} |",
        "|---" + "|---:" * len(names) + "|",
    ]
    for corruption, plays, at in order:
        cell = {name: [gap > LOST for gap, _ in one.values()] for name, one in found[corruption, plays, at].items()}
        share = {name: float(np.mean(lost)) for name, lost in cell.items()}
        least = min(share.values())
        shown = {name: f"{one:.0%} ({len(cell[name])})" for name, one in share.items()}
        bold = {name: f"**{text}**" if share[name] == least else text for name, text in shown.items()}
        read = f"{plays} plays" if at == plays else f"{at} of {plays}"
        lines.append(f"| {corruption}, {read} | {' | '.join(bold.get(name, '') for name in names)} |")
    return "\n".join(lines)


def _section(key: Key, methods: Mapping[str, Cell], rivals: Sequence[str], times: bool) -> str:
    corruption, plays, at = key
    place, shared = ranks(methods)
    heads = ["optimizer", "runs", "lost", "median gap (quartiles)", "rank"]
    heads += [f"gap less {rival}'s (95%)" for rival in rivals]
    heads += ["ms/play", *(f"x {rival}" for rival in rivals)] if times else []
    read = f"{plays} plays" if at == plays else f"{at} of {plays} plays"
    lines = [f"### {corruption}, {read}; ranks over {counted(shared, 'game')} that all have", ""]
    lines += [f"| {' | '.join(heads)} |", "|---" + "|---:" * (len(heads) - 1) + "|"]
    for name in sorted(methods, key=lambda name: (place[name], name)):
        compared = _differences(name, methods, rivals) + (_costs(name, methods, rivals) if times else [])
        lines.append(f"| {' | '.join([name, *_gaps(methods[name]), f'{place[name]:.2f}', *compared])} |")
    return "\n".join(lines)


def _gaps(cell: Cell) -> list[str]:
    """The number of runs, the share of lost ones, and the median gap with its quartiles."""
    gaps = 100 * np.array([gap for gap, _ in cell.values()])
    low, middle, high = np.quantile(gaps, [0.25, 0.5, 0.75])
    return [str(gaps.size), f"{np.mean(gaps > 100 * LOST):.0%}", f"{middle:.2f}% ({low:.2f}..{high:.2f})"]


def _differences(name: str, methods: Mapping[str, Cell], rivals: Sequence[str]) -> list[str]:
    """Mean paired differences of gaps to the rivals, with their intervals."""
    found = [None if rival == name else difference(methods[name], methods.get(rival, {})) for rival in rivals]
    return ["{:+.2f}% ({:+.2f}..{:+.2f})".format(*(100 * x for x in one)) if one else "" for one in found]


def _costs(name: str, methods: Mapping[str, Cell], rivals: Sequence[str]) -> list[str]:
    """Mean CPU milliseconds for each play, and the ratios to the rivals in the same problems and seeds."""
    own = methods[name]
    shown = [f"{np.mean([time for _, time in own.values()]):.1f}"]
    for rival in rivals:
        other = methods.get(rival, {})
        shared = own.keys() & other.keys() if rival != name else ()
        shown.append(f"{sum(own[p][1] for p in shared) / sum(other[p][1] for p in shared):.2f}" if shared else "")
    return shown
