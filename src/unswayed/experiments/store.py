"""A folder of finished runs: one small Parquet file for each run, named by its fingerprint.

sweep.json       what the folder is about: the runs of the last sweep, in order
cells/*.parquet  finished runs; those of other settings or other code are left alone and never read
runs.parquet     the runs of a completed sweep as one table

A cell has a column more than a run: a checksum of all others. A file that is damaged, or that has the name of another
run, counts as not finished.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unswayed.errors import InvalidInput, SystemFault
from unswayed.storage.files import lock, remove_temporaries, write_atomically

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT = "unswayed runs 3"
CHECKSUM = "checksum"
COLUMNS = {
    "problem": "text", "draw": "count", "policy": "text", "attack": "text", "attack_start": "text",
    "budget": "number", "attack_budget": "number", "lies": "count", "sources": "count", "liars": "count",
    "low": "number", "high": "number", "clip": "flag", "horizon": "count", "kernel": "text", "lengthscale": "number",
    "noise_std": "number", "settings": "text", "seed": "count", "regret": "number", "final_regret_rate": "number",
    "corruption_spent": "number", "lies_spent": "count", "active_arms": "count", "best_arm_kept": "flag",
    "epochs": "count", "switches": "count", "recommended_arm": "count", "recommended_gap": "number", "outcome": "text",
    "curve": "numbers", "epoch_active": "counts", "epoch_plays": "counts", "fingerprint": "text",
}  # fmt: skip


def schema(columns: Mapping[str, str] = COLUMNS) -> pa.Schema:
    """The columns of a table of runs, from their names and kinds."""
    import pyarrow as pa

    kinds = {"text": pa.string(), "count": pa.int64(), "number": pa.float64(), "flag": pa.bool_()}
    kinds |= {"counts": pa.list_(pa.int64()), "numbers": pa.list_(pa.float64())}
    return pa.schema([(name, kinds[kind]) for name, kind in columns.items()])


class RunFolder:
    """The finished runs of one or more sweeps.

    Args:
        path: The folder; it is created when it is opened.
        columns: The names and kinds of the columns of a run; one of them is `fingerprint`.
        format: What `sweep.json` calls a folder of such runs.
    """

    def __init__(self, path: Path, columns: Mapping[str, str] = COLUMNS, format: str = FORMAT) -> None:
        self.path = path
        self.cells = path / "cells"
        self.columns, self.format = columns, format

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns of the table of its runs."""
        return schema(self.columns)

    @contextmanager
    def opened(self) -> Iterator[RunFolder]:
        """Create the folder if necessary, refuse a foreign one, and keep other processes out.

        Raises:
            InvalidInput: The folder holds something else, or another process uses it.
            SystemFault: It cannot be created or read.
        """
        try:
            foreign = self.path.exists() and not self._is_ours()
        except OSError as error:
            raise SystemFault(f"cannot read {self.path}: {error.strerror}") from None
        if foreign:
            raise InvalidInput(f"{self.path} exists and is not a folder of runs; choose another --out")
        try:
            self.cells.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InvalidInput(f"cannot create {self.cells}: {error.strerror}") from None
        with lock(self.path / ".lock"):
            for folder in (self.path, self.cells):
                remove_temporaries(folder)
            if not (self.path / "sweep.json").exists():
                self.describe([], {})
            yield self

    def _is_ours(self) -> bool:
        if not self.path.is_dir():
            return False
        present = {entry.name for entry in self.path.iterdir()}
        return "sweep.json" in present or present <= {"cells", ".lock"}

    def describe(self, fingerprints: Sequence[str], about: Mapping[str, Any]) -> None:
        """Record which runs the folder is about now, with their description `about`."""
        text = json.dumps({"format": self.format, "about": about, "cells": list(fingerprints)}, indent=1)
        write_atomically(self.path / "sweep.json", text.encode())

    def about(self) -> tuple[list[str], dict[str, Any]]:
        """The fingerprints of the last sweep, in order, and its description.

        Raises:
            InvalidInput: This is not a folder of runs, or one of another version.
            SystemFault: It cannot be read.
        """
        foreign = InvalidInput(f"{self.path} is not a folder of runs")
        content = _content(self.path / "sweep.json")
        try:
            described = json.loads(content or b"")
        except (ValueError, RecursionError):
            raise foreign from None
        if not isinstance(described, dict):
            raise foreign
        if described.get("format") != self.format:
            raise InvalidInput(f"{self.path} was written by another version of unswayed")
        keys = described.get("cells")
        about = described.get("about")
        if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys) or not isinstance(about, dict):
            raise foreign
        return keys, about

    def has(self, fingerprint: str) -> bool:
        """Whether this run is finished, and its file whole."""
        return self._read(fingerprint) is not None

    def write(self, row: Mapping[str, Any]) -> None:
        """Keep a finished run."""
        import pyarrow as pa

        table = pa.Table.from_pylist([row], schema=self.schema)
        sealed = table.append_column(CHECKSUM, pa.array([_checksum(table)]))
        write_atomically(self.cells / f"{row['fingerprint']}.parquet", _parquet(sealed))

    def read(self, fingerprints: Iterable[str]) -> pa.Table:
        """Those of these runs that are finished, in this order.

        Raises:
            SystemFault: The files cannot be read.
        """
        import pyarrow as pa

        found = [table for table in map(self._read, fingerprints) if table is not None]
        return pa.concat_tables(found) if found else self.schema.empty_table()

    def _read(self, fingerprint: str) -> pa.Table | None:
        """The table of one finished run; None where there is no file, or one that cannot be trusted."""
        from unswayed.storage.tables import read_parquet

        content = _content(self.cells / f"{fingerprint}.parquet")
        try:
            stored = read_parquet(content or b"")
            table = stored.select(list(self.columns)).cast(self.schema)
            names, checksums = table["fingerprint"].to_pylist(), stored[CHECKSUM].to_pylist()
            whole = names == [fingerprint] and checksums == [_checksum(table)]
        except Exception:  # no bytes, or damaged ones, which can make the decoder fail in any way
            return None
        return table if whole else None

    def finish(self, table: pa.Table) -> None:
        """Write the table of a completed sweep."""
        write_atomically(self.path / "runs.parquet", _parquet(table))


def _content(path: Path) -> bytes | None:
    """The bytes of a file; None where there is none."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise SystemFault(f"cannot read {path}: {error.strerror}") from None


def load_runs(folder: str | Path) -> pa.Table:
    """The runs of the last sweep in a folder, as a pyarrow table.

    Args:
        folder: What `unswayed reproduce` or a sweep has written.

    Returns:
        One row for each finished run; `.to_pandas()` if you like.

    Raises:
        InvalidInput: This is not a folder of runs.
        SystemFault: It cannot be read.

    Example:
        >>> import unswayed
        >>> runs = unswayed.load_runs("reproduction")  # doctest: +SKIP
    """
    store = RunFolder(Path(folder))
    return store.read(store.about()[0])


def _checksum(table: pa.Table) -> str:
    """SHA-256 of the content, whatever way it is encoded; JSON writes numbers to the last bit."""
    return hashlib.sha256(json.dumps(table.to_pylist(), sort_keys=True).encode()).hexdigest()


def _parquet(table: pa.Table) -> bytes:
    """Small: without statistics and dictionaries, which outweigh the data of a single row."""
    import pyarrow.parquet as pq

    buffer = BytesIO()
    pq.write_table(table, buffer, compression="zstd", use_dictionary=False, write_statistics=False, store_schema=False)
    return buffer.getvalue()
