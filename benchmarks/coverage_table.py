"""The Markdown table of `coverage_runs.py`, a row for each family."""

from __future__ import annotations

from typing import Any

import numpy as np
from coverage_cases import Family, is_false

COLUMNS = {
    "given": [
        "family",
        "settings",
        "false / printed / runs",
        "best dropped",
        "median bound / B",
        "median true gap / B",
        "bound / core's",
        "CPU s",
    ],
    "estimated": [
        "family",
        "settings",
        "false / printed / runs",
        "printed",
        "median bound / range",
        "median true gap / range",
        "false for the whole space",
        "below the noise",
        "CPU s",
    ],
}
Record = dict[str, Any]


def header(kind: str) -> list[str]:
    """The first two lines."""
    names = COLUMNS["given" if kind == "given" else "estimated"]
    return [f"| {' | '.join(names)} |", "|---" * len(names) + "|"]


def counts(records: list[Record]) -> dict[str, int]:
    """How many sentences were printed, false, false for the whole space, and smaller than the noise allows."""
    printed = [record for record in records if record["bound"] is not None]
    return {
        "runs": len(records),
        "printed": len(printed),
        "false": sum(map(is_false, printed)),
        "false_space": sum(is_false(record, "gap_space") for record in printed),
        "below_noise": sum(record["bound"] < record["comparison_noise"] for record in printed),
        "eliminated": sum(record.get("dropped") is not None for record in records),
        "dropped": sum(record.get("dropped") is True for record in records),
    }


def row(kind: str, family: Family, records: list[Record]) -> str:
    """The line of one family."""
    n, printed = counts(records), [record for record in records if record["bound"] is not None]
    cells = [family.name, family.note, f"{n['false']} / {n['printed']} / {n['runs']}"]
    medians = [_shown(_median(printed, "bound")), _shown(_median(printed, "gap"))]
    if kind == "given":
        reference = _median(printed, "reference")
        tightness = _shown(_median(printed, "bound") / reference if reference else np.nan)
        cells += [f"{n['dropped']} / {n['eliminated']}" if n["eliminated"] else "", *medians, tightness]
    else:
        share = f"{n['printed'] / max(n['runs'], 1):.0%}"
        cells += [share, *medians, str(n["false_space"]), str(n["below_noise"])]
    seconds = np.mean([record["seconds"] for record in records]) if records else np.nan
    return f"| {' | '.join(cells)} | {_shown(float(seconds))} |"


def _median(records: list[Record], name: str) -> float:
    return float(np.median([record[name] / record["unit"] for record in records])) if records else np.nan


def _shown(number: float) -> str:
    return "" if np.isnan(number) else f"{number:.3g}"
