"""The page of the standard gauntlet on the site, from the stored runs.

    python scripts/make_gauntlet_page.py                        # docs/_static/standard-gauntlet.html
    python scripts/make_gauntlet_page.py --store FOLDER ...     # first put the runs of finished gauntlets into the file

The runs are in benchmarks/results/gauntlet.parquet; one that is stored again replaces the older one.
"""

from __future__ import annotations

import argparse
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from unswayed import __version__
from unswayed.experiments.store import schema
from unswayed.storage import write_atomically
from unswayed.storage.tables import read_parquet
from unswayed_gauntlet.match import COLUMNS
from unswayed_gauntlet.report.page import page

ROOT = Path(__file__).parent.parent
STORED, PAGE = (
    ROOT / "benchmarks" / "results" / "gauntlet.parquet",
    ROOT / "docs" / "_static" / "standard-gauntlet.html",
)
COMMAND = (
    "unswayed gauntlet --optimizers unswayed,unswayed-wary,random,tpe --seeds 2 --peers .venv-peers; "
    "unswayed gauntlet --optimizers unswayed,unswayed-wary,random,tpe,gp,smac,botorch --seeds 1 --peers .venv-peers"
)
IDENTITY = ("optimizer", "problem", "corruption", "plays", "seed")


def rows(*files: Path) -> list[dict[str, Any]]:
    """The runs of some files, each once: that of the last file."""
    found = [row for file in files if file.exists() for row in read_parquet(file.read_bytes()).to_pylist()]
    latest = {tuple(row[name] for name in IDENTITY): row for row in found}
    return [latest[key] for key in sorted(latest)]


def store(folders: list[Path]) -> None:
    """Put the runs of finished gauntlets into the file."""
    buffer = BytesIO()
    table = pa.Table.from_pylist(rows(STORED, *(folder / "runs.parquet" for folder in folders)), schema(COLUMNS))
    pq.write_table(table, buffer, compression="zstd")
    write_atomically(STORED, buffer.getvalue())


def text() -> str:
    """The page."""
    return page(rows(STORED), settings={"command": COMMAND, "version": __version__})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", nargs="+", type=Path, default=[], metavar="FOLDER")
    if folders := parser.parse_args().store:
        store(folders)
    write_atomically(PAGE, text().encode())
