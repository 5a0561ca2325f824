"""Write the numbers of the evidence pages, of docs/paper.md and of the README from stored results.

    python scripts/write_evidence.py                       # fill the blocks of all pages
    python scripts/write_evidence.py --paper reproduction  # first store a finished `unswayed reproduce --beyond`

Results are in benchmarks/results/: runs (.parquet), or tables as a benchmark printed them (.json, with its command).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import evidence_games
import evidence_paper
import evidence_tables
from evidence import BLOCK, ROOT, filled

BLOCKS = {**evidence_games.BLOCKS, **evidence_tables.BLOCKS, **evidence_paper.BLOCKS}


def pages() -> Iterator[Path]:
    """Every page that has blocks."""
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        if BLOCK.search(path.read_text(encoding="utf-8")):
            yield path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--paper", type=Path, metavar="FOLDER", help="store the claims of a finished reproduction")
    if folder := parser.parse_args().paper:
        evidence_paper.store(folder)
    for path in pages():
        path.write_text(filled(path.read_text(encoding="utf-8"), BLOCKS), encoding="utf-8")


if __name__ == "__main__":
    main()
