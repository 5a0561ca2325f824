"""The table of `boxes.py`: gaps of the recommended points, and how often the gap of Unswayed is the smallest."""

from __future__ import annotations

from collections import defaultdict
from statistics import median
from typing import Any

IDENTITY = ("function", "attack", "share", "method", "seed")
Row = dict[str, Any]
Gaps = dict[tuple[str, str, float, str], list[float]]
NEAR = 0.01  # of the range: as good as the best


def markdown(rows: list[Row], functions: list[str], attacks: list[str], methods: list[str]) -> str:
    """One line for each function, attack and share: median gap (smallest..largest); the best median is bold."""
    gaps: Gaps = defaultdict(list)
    for row in {tuple(row[name] for name in IDENTITY): row for row in rows}.values():  # two files may have the same run
        gaps[row["function"], row["attack"], row["share"], row["method"]].append(row["gap"])
    shares = sorted({row["share"] for row in rows})
    methods = [m for m in methods if any(key[3] == m for key in gaps)]
    most = max((len(cell) for cell in gaps.values()), default=0)
    filled = {key[:3] for key in gaps if key[3] in methods}
    places = [(f, a, s) for s in shares for f in functions for a in attacks if (f, a, s) in filled]
    lines = [f"| function | attack | C | {' | '.join(methods)} |", "|---|---|---:|" + "---:|" * len(methods)]
    for place in places:
        cells = {m: gaps[*place, m] for m in methods if (*place, m) in gaps}
        best = min(median(cell) for cell in cells.values())
        shown = " | ".join(_cell(cells.get(m), best, most) for m in methods)
        lines.append(f"| {place[0]} | {place[1]} | {place[2]:.0%} | {shown} |")
    counts = [_count(gaps, [p for p in places if p[2] == share], methods, share) for share in shares]
    return "\n".join([*lines, "", *filter(None, counts)])


def _cell(cell: list[float] | None, best: float, most: int) -> str:
    """Median, smallest and largest gap in %, and the number of seeds if some are missing."""
    if not cell:
        return ""
    middle = f"**{median(cell):.1%}**" if median(cell) == best else f"{median(cell):.1%}"
    seeds = "" if len(cell) == most else f", {len(cell)} seeds"
    return f"{middle} ({100 * min(cell):.1f}..{100 * max(cell):.1f}{seeds})"


def _count(gaps: Gaps, places: list[tuple[str, str, float]], methods: list[str], share: float) -> str:
    """In how many attacked lines of this share Unswayed is the best, or within 1% of the range of the best."""
    attacked = [p for p in places if p[1] != "none" and (*p, "unswayed") in gaps]
    if not attacked:
        return ""
    medians = [{m: median(gaps[*p, m]) for m in methods if (*p, m) in gaps} for p in attacked]
    first = sum(line["unswayed"] == min(line.values()) for line in medians)
    near = sum(line["unswayed"] <= min(line.values()) + NEAR for line in medians)
    return f"C = {share:.0%}: Unswayed is best in {first} of {len(attacked)} attacked lines, within 1% in {near}."
