"""Tables of numbers from files: CSV or Parquet, checked cell by cell, with errors that name the place."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import IO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from unswayed.errors import InvalidInput
from unswayed.types import FloatArray

LONGEST_LINE = 1 << 20


def read_numbers(path: Path) -> tuple[list[str] | None, FloatArray]:
    """Column names, if the file has any, and the numbers, one row for each line."""
    if path.suffix.lower() == ".parquet":
        return _read_parquet(path)
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(_lines(file, path))
            rows = [(reader.line_num, row) for row in reader if "".join(row).strip()]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InvalidInput(f"cannot read {path}: {error}") from None
    names = None
    if rows and not any(_is_number(cell) for cell in rows[0][1]):
        names, rows = _distinct([cell.strip() for cell in rows[0][1]], path), rows[1:]
    if not rows:
        raise InvalidInput(f"{path} holds no rows")
    width = len(names) if names else len(rows[0][1])
    for line, row in rows:
        if len(row) != width:
            raise InvalidInput(f"{path}, line {line}: {len(row)} cells where the first row has {width}")
        for cell in row:
            if not _is_number(cell) or not math.isfinite(float(cell)):
                hint = " (a header must not hold numbers)" if line == 1 else ""
                hint = " (cells are separated by commas)" if ";" in cell else hint
                raise InvalidInput(f"{path}, line {line}: {cell[:40]!r} is not a finite number{hint}")
    return names, np.array([[float(cell) for cell in row] for _, row in rows])


def _lines(file: IO[str], path: Path) -> Iterator[str]:
    """Line by line, without ever holding one of monstrous length."""
    number = 0
    while line := file.readline(LONGEST_LINE):
        number += 1
        if len(line) == LONGEST_LINE:
            raise InvalidInput(f"{path}, line {number} is longer than a million characters: not a table of numbers")
        yield line


def read_parquet(content: bytes) -> pa.Table:
    """A Parquet file in memory as a table, on the calling thread: a pool of Arrow's may not survive our exit."""
    return pq.ParquetFile(BytesIO(content), pre_buffer=False).read(use_threads=False)


def _read_parquet(path: Path) -> tuple[list[str], FloatArray]:
    try:
        table = read_parquet(path.read_bytes())
    except (OSError, pa.ArrowException) as error:
        raise InvalidInput(f"cannot read {path}: {' '.join(str(error).split())[:120]}") from None
    columns = []
    for name in table.column_names:
        kind = table.schema.field(name).type
        if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
            raise InvalidInput(f"{path}: the column {name!r} holds {kind}, not numbers")
        column = table[name].cast(pa.float64()).to_numpy()
        if not np.isfinite(column).all():
            where = int(np.flatnonzero(~np.isfinite(column))[0]) + 1
            raise InvalidInput(f"{path}: the column {name!r} has no finite number in row {where}")
        columns.append(column)
    if not columns or len(columns[0]) == 0:
        raise InvalidInput(f"{path} holds no rows")
    return _distinct(table.column_names, path), np.column_stack(columns)


def _distinct(names: list[str], path: Path) -> list[str]:
    for name in names:
        if names.count(name) > 1:
            raise InvalidInput(f"{path} has more than one column named {name!r}")
    return names


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell
