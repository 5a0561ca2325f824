"""Whether two versions of the code give the same runs: `python benchmarks/same_runs.py OLD NEW`.

OLD and NEW are folders of runs or runs.parquet files. Runs are matched by what they are (problem, policy, attack,
settings, seed), then compared to the last bit, column by column, except for fingerprints. The Parquet files are read
directly, because a version may refuse the folders of another one. Exit code 1 if anything differs.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import pyarrow.parquet as pq

IDENTITY = (
    "problem", "draw", "policy", "attack", "attack_start", "budget", "attack_budget", "horizon", "settings", "seed",
)  # fmt: skip


def runs(path: Path) -> dict[str, dict[str, object]]:
    """The rows of a file or a folder, by what they are."""
    if path.is_file():
        files = [path]
    else:
        files = [path / "runs.parquet"] if (path / "runs.parquet").exists() else sorted(path.glob("cells/*.parquet"))
    rows = [row for file in files for row in pq.read_table(file).to_pylist()]
    return {exact([row[name] for name in IDENTITY]): row for row in rows}


def exact(value: object) -> str:
    """Equal for equal bits only: JSON writes numbers so that they can be read back exactly, and -0 as -0."""
    return json.dumps(value)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    options = parser.parse_args()
    old, new = runs(options.old), runs(options.new)
    columns = [name for name in next(iter(old.values()), {}) if name not in ("fingerprint", "checksum")]
    shared = [key for key in old if key in new]
    differing = {
        name: count
        for name in columns
        if (count := sum(name not in new[key] or exact(old[key][name]) != exact(new[key][name]) for key in shared))
    }
    equal = sum(all(n in new[k] and exact(old[k][n]) == exact(new[k][n]) for n in columns) for k in shared)
    print(f"{equal} of {len(old)} runs are equal to the last bit in {len(columns)} columns: {', '.join(columns)}")
    print(f"only in {options.old}: {len(old) - len(shared)}; only in {options.new}: {len(new) - len(shared)}")
    for name, count in differing.items():
        print(f"different in the column {name}: {count}")
    sys.exit(equal != len(old))


if __name__ == "__main__":
    main()
