"""Read a table from a spreadsheet: the first sheet of an .xlsx, .xls or .ods file that holds a table."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, time
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile, ZipFile, is_zipfile

import numpy as np

from unswayed.errors import InvalidInput
from unswayed.storage.files import explaining
from unswayed.storage.tables.numbers import Decimal, is_number
from unswayed.storage.tables.table import Table
from unswayed.storage.tables.text import titled
from unswayed.storage.tables.workbook_cells import column_number, put_errors
from unswayed.text import counted, printable

if TYPE_CHECKING:
    import pyarrow as pa

BEGIN = 2048  # bytes of a sheet in which its size stands
SIZE = re.compile(rb'<dimension ref="[A-Z0-9]+:([A-Z]+)([0-9]+)"')
LARGEST_PART = 1 << 30  # bytes
MOST_CELLS = 50_000_000
PANIC = "PanicException"  # of calamine, about some damaged files; it is no Exception, and it cannot be imported
EXACT = 2**53  # whole numbers up to here are floats without rounding


def read_workbook(path: Path, decimal: Decimal | None) -> Table:
    """Read the first sheet that holds something.

    Args:
        path: The file.
        decimal: The decimal mark of numbers that are text, if it is known.

    Returns:
        The table; a line is a row of the sheet.

    Raises:
        InvalidInput: The file is no spreadsheet, or there are no rows; the message names the line.
        SystemFault: The system refuses to read the file.
    """
    from python_calamine import CalamineError, CalamineWorkbook, ZipError

    with explaining(f"cannot read {path}"):
        content = path.read_bytes()
    _refuse_huge(content, path)
    try:
        book = CalamineWorkbook.from_filelike(BytesIO(content))
        sheets = {name: book.get_sheet_by_name(name).to_python(skip_empty_area=False) for name in book.sheet_names}
    except BaseException as error:
        if not isinstance(error, CalamineError | ZipError) and type(error).__name__ != PANIC:
            raise
        said = printable(" ".join(str(error).split()), limit=120)
        raise InvalidInput(f"cannot read {path}: no spreadsheet, or a damaged one ({said})") from None
    filled = {name: rows for name, rows in sheets.items() if any(cell != "" for row in rows for cell in row)}
    if not filled:
        raise InvalidInput(f"{path} holds no rows")
    name = next((name for name, rows in filled.items() if _is_table(rows)), next(iter(filled)))
    sheet = f"sheet {printable(name, limit=40)!r}"
    place = path if len(sheets) == 1 else Path(f"{path}, {sheet}")
    if is_zipfile(BytesIO(content)):
        put_errors(filled[name], content, list(sheets).index(name), place)
    merged = _fill_merged(filled[name], book.get_sheet_by_name(name).merged_cell_ranges or ())
    table = _table(place, filled[name])
    if len(filled) > 1:
        which = "the first of" if name == next(iter(filled)) else "the first with a table, of"
        table.understood["sheet"] = f"the {sheet}, {which} {len(filled)}"
    if merged:
        table.understood["merged"] = f"{counted(merged, 'merged cell')} filled"
    return replace(table, decimal=decimal)


def _is_table(rows: Sequence[Sequence[Any]]) -> bool:
    """Whether at least two rows have at least two cells each."""
    return [sum(cell != "" for cell in row) > 1 for row in rows].count(True) > 1


def _fill_merged(rows: list[list[Any]], ranges: Iterable[tuple[tuple[int, int], tuple[int, int]]]) -> int:
    """Write the value of merged cells into each of them, below the first row that holds something; how many."""
    first = next(i for i, row in enumerate(rows) if any(cell != "" for cell in row))
    count = 0
    for (top, left), (bottom, right) in ranges:
        if top <= first or top >= len(rows) or rows[top][left] == "":
            continue
        for row in rows[top : bottom + 1]:
            count += len(row[left : right + 1])
            row[left : right + 1] = [rows[top][left]] * len(row[left : right + 1])
        count -= 1
    return count


def _refuse_huge(content: bytes, path: Path) -> None:
    """Refuse a workbook that would fill the memory: calamine makes room for every cell up to the last one."""
    if not is_zipfile(BytesIO(content)):
        return
    try:
        with ZipFile(BytesIO(content)) as parts:
            for part in parts.infolist():
                if part.file_size > LARGEST_PART:
                    raise InvalidInput(f"{path} is too large for a spreadsheet: save it as CSV")
                found = SIZE.search(parts.open(part).read(BEGIN)) if part.filename.endswith(".xml") else None
                if found and column_number(found[1]) * int(found[2]) > MOST_CELLS:
                    cell = (found[1] + found[2]).decode()
                    raise InvalidInput(f"{path}: a sheet has a cell in {cell}, far from the others: remove it")
    except (BadZipFile, NotImplementedError, RuntimeError, ValueError, zlib.error, EOFError) as error:
        raise InvalidInput(f"cannot read {path}: no spreadsheet, or a damaged one ({error})") from None


def _table(path: Path, rows: Sequence[Sequence[Any]]) -> Table:
    """The table of the rows of a sheet, as calamine reads them: an empty cell is an empty text."""
    filled = [i for i, row in enumerate(rows) if any(str(cell).strip() for cell in row)]
    top, first = filled[0] + 1, rows[filled[0]]
    names = None
    if not any(is_number(_text(cell) or "") for cell in first):
        names, filled = [(_text(cell) or "").strip() for cell in first], filled[1:]
    if not filled:
        raise InvalidInput(f"{path} holds no rows")
    if names and sum(map(bool, names)) == 1 < max(sum(cell != "" for cell in rows[i]) for i in filled):
        title = printable(next(filter(None, names)), limit=40)
        raise InvalidInput(
            f"{path}, line {top}: only {title!r} stands here, but the first row must hold the names of the columns"
        )
    columns = [_column([rows[i][j] for i in filled]) for j in range(len(first))]
    return titled(path, names, columns, np.array(filled, dtype=np.int64) + 1)


def _column(cells: list[Any]) -> pa.ChunkedArray:
    """A column of numbers if it has nothing else, or else of text."""
    import pyarrow as pa

    given = [cell for cell in cells if cell != ""]
    if given and all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in given):
        whole = all(abs(cell) < EXACT and cell == int(cell) for cell in given)
        numbers = [None if cell == "" else int(cell) if whole else float(cell) for cell in cells]
        return pa.chunked_array([pa.array(numbers, pa.int64() if whole else pa.float64())])
    return pa.chunked_array([pa.array(map(_text, cells), pa.large_string())])


def _text(cell: Any) -> str | None:
    """A cell as text: 7 for 7.0, and a date without its time if that is midnight."""
    if cell == "":
        return None
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < EXACT:
        return str(int(cell))
    if isinstance(cell, datetime):
        return str(cell.date() if cell.time() == time() else cell)
    return str(cell)
