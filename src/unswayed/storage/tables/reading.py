"""One reader for every table that people have: text of any kind, spreadsheets, Parquet, JSON lines."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from unswayed.errors import InvalidInput
from unswayed.storage.files import explaining
from unswayed.storage.tables.numbers import GRAMMAR, Decimal
from unswayed.storage.tables.table import Table, distinct
from unswayed.storage.tables.text import read_csv, read_text
from unswayed.text import printable
from unswayed.types import FloatArray

if TYPE_CHECKING:
    import pyarrow as pa

WORKBOOKS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
PACKED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd")
BEGIN = 8  # bytes that tell kinds of files apart
ZIP, OLE, PARQUET = b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"PAR1"


def read_table(path: Path, decimal: str | None = None) -> Table:
    """Read a table whose columns may hold numbers or text.

    Args:
        path: A spreadsheet (.xlsx, .xls, .ods), Parquet, JSON lines (.jsonl, .ndjson), a list of JSON
            objects (.json), or text: anything else, with
            commas, semicolons, tabs or vertical bars between its cells.
        decimal: The decimal mark, `comma` or `point`, for cells such as 1,234 where the file does not tell.

    Returns:
        The table.

    Raises:
        InvalidInput: The path is wrong, or the file is not such a table; the message names the line.
        SystemFault: The system refuses to read the file.
    """
    mark = None if decimal is None else checked_mark(decimal)
    kind = path.suffix.lower()
    with explaining(f"cannot read {path}"), path.open("rb") as file:
        begin = file.read(BEGIN)
    if kind == ".parquet" or begin.startswith(PARQUET):
        return _read_parquet(path, mark)
    if begin.startswith(PACKED) or kind == ".zip":
        raise InvalidInput(f"cannot read {path}: it is packed: unpack it first")
    if begin.startswith((ZIP, OLE)) or (kind in WORKBOOKS and not _is_text(begin)):
        from unswayed.storage.tables.workbook import read_workbook

        return read_workbook(path, mark)
    if kind in (".jsonl", ".ndjson", ".json"):
        from unswayed.storage.tables.json_lines import read_json_lines, read_json_list

        if kind == ".json":
            return read_text(path, lambda lines, _: read_json_list("".join(lines), path))

        return read_text(path, lambda lines, _: read_json_lines(lines, path))
    return read_text(path, lambda lines, sample: read_csv(lines, sample, path, mark))


def _is_text(begin: bytes) -> bool:
    """Whether a file that is named like a spreadsheet is one of text: programs give a CSV the name of an Excel file."""
    return len(begin) > 0 and all(byte >= 32 or byte in b"\t\r\n" for byte in begin)


def checked_mark(decimal: str) -> Decimal:
    """A decimal mark that a user named; refused if it is none.

    Args:
        decimal: What was named.
    """
    for mark in GRAMMAR:
        if decimal == mark:
            return mark
    raise InvalidInput(f"--decimal must be comma or point, not {printable(decimal, limit=40)!r}")


def read_numbers(path: Path) -> tuple[list[str] | None, FloatArray, list[int] | None]:
    """Read a table of finite numbers.

    Args:
        path: A file that `read_table` can read.

    Returns:
        The names of the columns (None if the file has no header); the numbers, one row for each line; and the number
        of that line (None if the file has no lines).

    Raises:
        InvalidInput: The path is wrong, or the file is not such a table; the message names the line.
        SystemFault: The system refuses to read the file.
    """
    table = read_table(path)
    wrong = [(row, column) for column in range(len(table.columns)) if (row := table.first_wrong(column)) is not None]
    if wrong:
        table.numbers(min(wrong)[1])
    numbers = np.column_stack([table.numbers(column) for column in range(len(table.columns))])
    return table.names, numbers, None if table.lines is None else table.lines.tolist()


def read_parquet(content: bytes) -> pa.Table:
    """Return the table of a Parquet file in memory.

    It is read on the calling thread, because the threads of Arrow may outlive the end of the interpreter and crash.
    """
    import pyarrow.parquet as pq

    return pq.ParquetFile(BytesIO(content), pre_buffer=False).read(use_threads=False)


def _read_parquet(path: Path, decimal: Decimal | None) -> Table:
    import pyarrow as pa

    with explaining(f"cannot read {path}"):
        content = path.read_bytes()
    try:
        table = read_parquet(content)
    except (OSError, pa.ArrowException) as error:  # Arrow reports some kinds of damage as OSError
        raise InvalidInput(f"cannot read {path}: {printable(' '.join(str(error).split()), limit=120)}") from None
    names = distinct(table.column_names, path)
    if not names or table.num_rows == 0:
        raise InvalidInput(f"{path} holds no rows")
    columns = [c.cast(c.type.value_type) if pa.types.is_dictionary(c.type) else c for c in table.columns]
    return Table(path, names, columns, None, decimal=decimal)
