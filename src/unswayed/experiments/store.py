"""A folder of finished runs: one small Parquet file for each cell, named by its fingerprint.

sweep.json       what the folder is about: the cells of the last sweep, in order
cells/*.parquet  finished cells; those of other settings or other code are left alone and never read
runs.parquet     the cells of a completed sweep as one table
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from unswayed.errors import InvalidInput
from unswayed.storage import lock, write_atomically
from unswayed.storage.tables import read_parquet

FORMAT = "unswayed runs 1"
NUMBERS = pa.list_(pa.float64())
COUNTS = pa.list_(pa.int64())
SCHEMA = pa.schema(
    [
        ("problem", pa.string()),
        ("draw", pa.int64()),
        ("policy", pa.string()),
        ("attack", pa.string()),
        ("attack_start", pa.string()),
        ("budget", pa.float64()),
        ("attack_budget", pa.float64()),
        ("horizon", pa.int64()),
        ("settings", pa.string()),
        ("seed", pa.int64()),
        ("regret", pa.float64()),
        ("final_regret_rate", pa.float64()),
        ("corruption_spent", pa.float64()),
        ("active_arms", pa.int64()),
        ("best_arm_kept", pa.bool_()),
        ("epochs", pa.int64()),
        ("switches", pa.int64()),
        ("recommended_arm", pa.int64()),
        ("recommended_gap", pa.float64()),
        ("outcome", pa.string()),
        ("curve", NUMBERS),
        ("epoch_active", COUNTS),
        ("epoch_plays", COUNTS),
        ("fingerprint", pa.string()),
    ]
)


class RunFolder:
    """The finished runs of one or more sweeps."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.cells = path / "cells"

    @contextmanager
    def opened(self) -> Iterator[RunFolder]:
        """Create the folder if need be, refuse a foreign one, and keep other processes out."""
        if self.path.exists() and not self._is_ours():
            raise InvalidInput(f"{self.path} exists and is not a folder of runs; choose another --out")
        try:
            self.cells.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InvalidInput(f"cannot create {self.path}: {error.strerror}") from None
        with lock(self.path / ".lock"):
            if not (self.path / "sweep.json").exists():
                self.describe([], {})
            yield self

    def _is_ours(self) -> bool:
        if not self.path.is_dir():
            return False
        present = {entry.name for entry in self.path.iterdir()}
        return "sweep.json" in present or present <= {"cells", ".lock"}

    def describe(self, fingerprints: Sequence[str], about: Mapping[str, Any]) -> None:
        """Say which cells the folder is about now; `about` is kept with them."""
        text = json.dumps({"format": FORMAT, "about": about, "cells": list(fingerprints)}, indent=1)
        write_atomically(self.path / "sweep.json", text.encode())

    def about(self) -> tuple[list[str], dict[str, Any]]:
        """The fingerprints of the last sweep, in order, and what was said about it."""
        try:
            described = json.loads((self.path / "sweep.json").read_text(encoding="utf-8"))
            if described["format"] != FORMAT:
                raise InvalidInput(f"{self.path} was written by another version of unswayed")
            return list(described["cells"]), dict(described["about"])
        except (OSError, KeyError, TypeError, json.JSONDecodeError):
            raise InvalidInput(f"{self.path} is not a folder of runs") from None

    def has(self, fingerprint: str) -> bool:
        """Whether this cell is finished, and its file whole."""
        return bool(self.read([fingerprint]).num_rows == 1)

    def write(self, fingerprint: str, row: Mapping[str, Any]) -> None:
        """Keep a finished cell."""
        table = pa.Table.from_pylist([{**row, "fingerprint": fingerprint}], schema=SCHEMA)
        write_atomically(self.cells / f"{fingerprint}.parquet", _parquet(table))

    def read(self, fingerprints: Iterable[str]) -> pa.Table:
        """Those of these cells that are finished, in this order. A damaged file counts as not finished."""
        tables = []
        for fingerprint in fingerprints:
            path = self.cells / f"{fingerprint}.parquet"
            with suppress(OSError, ValueError, pa.ArrowException):
                tables.append(read_parquet(path.read_bytes()).cast(SCHEMA))
        return pa.concat_tables(tables) if tables else SCHEMA.empty_table()

    def finish(self, table: pa.Table) -> None:
        """Write the table of a completed sweep."""
        write_atomically(self.path / "runs.parquet", _parquet(table))


def load_runs(folder: str | Path) -> pa.Table:
    """The runs of the last sweep in `folder`, one row each; `.to_pandas()` if you like.

    Of a sweep that was interrupted, the runs that are finished.
    """
    store = RunFolder(Path(folder))
    return store.read(store.about()[0])


def _parquet(table: pa.Table) -> bytes:
    """Small: without statistics and dictionaries, which outweigh the data of a single row."""
    buffer = BytesIO()
    pq.write_table(table, buffer, compression="zstd", use_dictionary=False, write_statistics=False, store_schema=False)
    return buffer.getvalue()
