"""What the evidence scripts share: stored results, Markdown tables, and the blocks of a page.

A block stands between `<!-- table: NAME -->`, or `<!-- text: NAME -->`, and `<!-- end -->`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results"
BLOCK = re.compile(r"(<!-- (?:table|text): ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
Lines = Iterable[str]
Blocks = Mapping[str, Callable[[], Lines]]


def stored(name: str, table: str) -> tuple[list[str], list[list[str]]]:
    """The columns and the rows of a stored table."""
    found = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))["tables"][table]
    return found["columns"], found["rows"]


def store(name: str, command: str, tables: Mapping[str, tuple[list[str], list[list[str]]]], about: str = "") -> None:
    """Keep tables, with the command that made them; a line for each row."""
    parts = []
    for key, (columns, rows) in tables.items():
        lines = ",\n".join(f"    {json.dumps(row, ensure_ascii=False)}" for row in rows)
        head = f'{json.dumps(key)}: {{"columns": {json.dumps(columns, ensure_ascii=False)}, "rows": ['
        parts.append(f"  {head}\n{lines}\n  ]}}")
    first = "".join(
        f"  {json.dumps(key)}: {json.dumps(text, ensure_ascii=False)},\n"
        for key, text in (("command", command), ("about", about))
    )
    text = "{\n" + first + '  "tables": {\n' + ",\n".join(parts) + "\n  }\n}\n"
    (RESULTS / f"{name}.json").write_text(text, encoding="utf-8")


def runs(name: str) -> list[dict[str, Any]]:
    """Stored runs."""
    rows: list[dict[str, Any]] = pq.read_table(RESULTS / f"{name}.parquet").to_pylist()
    return rows


def table(titles: Sequence[str], rows: Iterable[Iterable[object]], *, left: int = 1) -> Iterator[str]:
    """A Markdown table; columns after the first ones are aligned to the right."""
    yield "| " + " | ".join(titles) + " |"
    yield "|" + "|".join("---" if place < left else "---:" for place in range(len(titles))) + "|"
    for row in rows:
        yield "| " + " | ".join(str(cell) for cell in row) + " |"


def whole(name: str, part: str, *, left: int = 1, drop: Sequence[str] = (), only: str = "") -> Iterator[str]:
    """A stored table as it is, without some columns, or only the rows that begin with a word."""
    columns, rows = stored(name, part)
    kept = [place for place, column in enumerate(columns) if column not in drop]
    return table(
        [columns[place] for place in kept],
        ([row[place] for place in kept] for row in rows if only in ("", row[0])),
        left=left,
    )


def numbers(text: str) -> list[float]:
    """All numbers of a text, without the commas of thousands."""
    return [float(found.replace(",", "")) for found in re.findall(r"-?\d[\d,]*(?:\.\d+)?", text)]


def filled(page: str, blocks: Blocks) -> str:
    """The page with its blocks as they should be."""

    def block(match: re.Match[str]) -> str:
        return f"{match[1]}\n" + "\n".join(blocks[match[2]]()) + f"\n\n{match[3]}"

    return BLOCK.sub(block, page)
