"""Read tables of numbers from CSV or Parquet files; every cell is checked, and errors name the place."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np

from unswayed.errors import InvalidInput
from unswayed.storage.files import explaining
from unswayed.text import printable
from unswayed.types import FloatArray

if TYPE_CHECKING:
    import pyarrow as pa

LONGEST_LINE = 1 << 20


def read_numbers(path: Path) -> tuple[list[str] | None, FloatArray, list[int] | None]:
    """Read a table of finite numbers.

    Args:
        path: A Parquet file if the name ends in `.parquet`; anything else is read as CSV.

    Returns:
        The names of the columns (None if the file has no header); the numbers, one row for each line; and the number
        of that line (None if the file has no lines).

    Raises:
        InvalidInput: The path is wrong, or the file is not such a table; the message names the line.
        SystemFault: The system refuses to read the file.
    """
    if path.suffix.lower() == ".parquet":
        return *_read_parquet(path), None
    try:
        with explaining(f"cannot read {path}"), path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(_lines(file, path))
            rows = [(reader.line_num, row) for row in reader if "".join(row).strip()]
    except csv.Error as error:
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
                header = " (a header must not hold numbers)" if line == 1 else ""
                hint = " (cells are separated by commas)" if ";" in cell else header
                raise InvalidInput(f"{path}, line {line}: {cell[:40]!r} is not a finite number{hint}")
    return names, np.array([[float(cell) for cell in row] for _, row in rows]), [line for line, _ in rows]


def _lines(file: IO[str], path: Path) -> Iterator[str]:
    """Yield the lines; refuse a line that is too long before it fills the memory."""
    for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE), ""), 1):
        if len(line) == LONGEST_LINE:
            raise InvalidInput(f"{path}, line {number} is longer than a million characters: not a table of numbers")
        yield line


def read_parquet(content: bytes) -> pa.Table:
    """Return the table of a Parquet file in memory.

    It is read on the calling thread, because the threads of Arrow may outlive the end of the interpreter and crash.
    """
    import pyarrow.parquet as pq

    return pq.ParquetFile(BytesIO(content), pre_buffer=False).read(use_threads=False)


def _read_parquet(path: Path) -> tuple[list[str], FloatArray]:
    import pyarrow as pa

    with explaining(f"cannot read {path}"):
        content = path.read_bytes()
    try:
        table = read_parquet(content)
    except (OSError, pa.ArrowException) as error:  # Arrow reports some kinds of damage as OSError
        raise InvalidInput(f"cannot read {path}: {printable(' '.join(str(error).split()), limit=120)}") from None
    names, columns = _distinct(table.column_names, path), []
    for name, kind in zip(names, table.schema.types, strict=True):
        if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
            raise InvalidInput(f"{path}: the column {name!r} holds {kind}, not numbers")
        column = table[name].cast(pa.float64()).to_numpy()
        if not np.isfinite(column).all():
            where = int(np.flatnonzero(~np.isfinite(column))[0]) + 1
            raise InvalidInput(f"{path}: the column {name!r} has no finite number in row {where}")
        columns.append(column)
    if not columns or len(columns[0]) == 0:
        raise InvalidInput(f"{path} holds no rows")
    return names, np.column_stack(columns)


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
