"""Tables as text: which bytes are which letters, and what separates the cells."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from io import StringIO
from itertools import chain, islice
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np

from unswayed.errors import InvalidInput
from unswayed.storage.files import explaining
from unswayed.storage.tables.numbers import Decimal, is_number, trimmed
from unswayed.storage.tables.table import Table, distinct, is_string
from unswayed.text import counted, printable
from unswayed.types import IntArray

if TYPE_CHECKING:
    import pyarrow as pa

SAMPLE = 1 << 16  # bytes that show encoding and delimiter
SAMPLE_ROWS = 100
LONGEST_LINE = 1 << 20  # characters: no cell of a real table is longer
CONVERTED_ROWS = 1 << 16  # rows that are converted at a time
BREAK = re.compile(r"\r\n|\r|\n")
MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32"}
MARKS |= {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}  # after UTF-32, which begins like it
ENCODINGS = {"utf-16": "UTF-16", "utf-16-le": "UTF-16", "utf-16-be": "UTF-16", "utf-32": "UTF-32"}
ENCODINGS |= {"cp1252": "Latin-1", "latin-1": "Latin-1"}  # not those that need no word
DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
TITLE = re.compile(r"variants?|options?|groups?|arms?|treatments?|names?|labels?|days?|dates?|sources?", re.IGNORECASE)
MARKUP = ("<html", "<!doctype", "<table", "<?xml")  # programs give a web page the name of an Excel file
SEPARATOR = re.compile(r"sep=(.)\s*", re.IGNORECASE)  # a first line that Excel writes and reads


def read_text(path: Path, read: Callable[[Iterator[str], str], Table]) -> Table:
    """Read a table of text in any usual encoding.

    Args:
        path: The file.
        read: What makes a table of its lines; it is also given the beginning of the file.

    Returns:
        The table.

    Raises:
        InvalidInput: The path is wrong, or the file is not such a table; the message names the line.
        SystemFault: The system refuses to read the file.
    """
    with explaining(f"cannot read {path}"), path.open("rb") as file:
        sample = file.read(SAMPLE)
    for encoding in _encodings(sample):
        with explaining(f"cannot read {path}"), path.open(newline="", encoding=encoding) as file:
            try:
                begin = codecs.getincrementaldecoder(encoding)().decode(sample)
                if len(sample) == SAMPLE:  # its last line is not whole, unless it is the only one
                    begin = begin[: begin.rfind("\n") + 1] or begin
                table = read(_lines(file, path), begin)
            except UnicodeError:
                continue
        if encoding in ENCODINGS:
            table.understood["encoding"] = ENCODINGS[encoding]
        return table
    raise InvalidInput(f"cannot read {path}: it is neither text nor a spreadsheet")


def _encodings(sample: bytes) -> list[str]:
    """The encodings that a file may have, the likeliest first."""
    for mark, encoding in MARKS.items():
        if sample.startswith(mark):
            return [encoding]
    nothing = np.frombuffer(sample[: len(sample) // 2 * 2], dtype=np.uint8).reshape(-1, 2) == 0
    first, second = nothing.mean(axis=0) if len(nothing) else (0.0, 0.0)
    if max(first, second) > 0.5 > 0.1 > min(first, second):  # ASCII in two bytes each
        return ["utf-16-be" if first > second else "utf-16-le"]
    return ["utf-8"] if b"\0" in sample else ["utf-8", "cp1252", "latin-1"]


def _lines(file: IO[str], path: Path) -> Iterator[str]:
    """Yield the lines; refuse a line that is too long before it fills the memory."""
    for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE), ""), 1):
        if len(line) == LONGEST_LINE:
            raise InvalidInput(f"{path}, line {number} is longer than a million characters: not a table")
        yield line


def read_csv(lines: Iterator[str], sample: str, path: Path, decimal: Decimal | None) -> Table:
    """The table of lines whose cells are separated by commas, semicolons, tabs or vertical bars.

    Args:
        lines: The lines of the file.
        sample: The beginning of the file.
        path: The file, for errors.
        decimal: The decimal mark, if it is known.
    """
    if sample.lstrip()[:9].lower().startswith(MARKUP):
        raise InvalidInput(
            f"cannot read {path}: a web page, or XML: open it in a spreadsheet program and save it as .xlsx"
        )
    told = SEPARATOR.fullmatch(sample.partition("\n")[0])
    if told:
        lines = chain(["\n"], islice(lines, 1, None))
    delimiter = told[1] if told else _delimiter(sample)
    try:
        table = _read_rows(csv.reader(lines, delimiter=delimiter), path, delimiter)
    except csv.Error as error:
        if "field limit" in str(error):
            raise InvalidInput(
                f"{path}: a cell is longer than {csv.field_size_limit():,} characters: is a quote missing?"
            ) from None
        raise InvalidInput(f"cannot read {path}: {error}") from None
    if delimiter != ",":
        table.understood["delimiter"] = DELIMITERS.get(delimiter, repr(delimiter))
    return replace(table, decimal=decimal, delimiter=delimiter)


def _delimiter(sample: str) -> str:
    """What separates the cells: every row has as many, and more of them are numbers than with another delimiter."""
    scores = {}
    for delimiter in DELIMITERS:
        with suppress(csv.Error):
            rows = list(islice(filter(any, csv.reader(StringIO(sample, newline=""), delimiter=delimiter)), SAMPLE_ROWS))
            cells = [cell for row in rows for cell in row]
            even = len({len(row) for row in rows}) == 1 < len(rows[0])
            numbers = sum(map(is_number, cells)) / len(cells) if even else len(rows[0]) if rows else 0
            scores[delimiter] = (even, numbers)
    return max(scores, key=lambda delimiter: scores[delimiter], default=",")


def _read_rows(reader: Iterable[list[str]], path: Path, delimiter: str) -> Table:
    import pyarrow as pa

    names: list[str] | None = None
    width = again = 0
    parts: list[list[pa.Array]] = []
    lines: list[IntArray] = []
    for numbers, rows in _batches(reader):
        if not all(row and row[0] for row in rows):  # a row may be blank
            filled = [i for i, row in enumerate(rows) if "".join(row).strip()]
            numbers, rows = numbers[filled], [rows[i] for i in filled]
        if rows and not width:
            width = len(rows[0])
            if not any(map(is_number, rows[0])):
                names, numbers, rows = [cell.strip() for cell in rows[0]], numbers[1:], rows[1:]
        if names and any(_same(row, names) for row in rows):
            new = [i for i, row in enumerate(rows) if not _same(row, names)]
            again += len(rows) - len(new)
            numbers, rows = numbers[new], [rows[i] for i in new]
        if set(map(len, rows)) - {width}:
            line, cells = next((line, len(row)) for line, row in zip(numbers, rows, strict=True) if len(row) != width)
            said = f"{cells} cells where the first row has {width}{_ragged(cells, width, delimiter)}"
            raise InvalidInput(f"{path}, line {line}: {said}")
        if rows:
            parts.append([pa.array(cells, pa.large_string()) for cells in zip(*rows, strict=True)])
            lines.append(numbers)
    if not parts:
        raise InvalidInput(f"{path} holds no rows")
    columns = [pa.chunked_array(pieces) for pieces in zip(*parts, strict=True)]
    table = titled(path, names, columns, np.concatenate(lines))
    if again:
        table.understood["header"] = f"{counted(again, 'row')} left out (the header again)"
    return table


def _same(row: list[str], names: list[str]) -> bool:
    return row[0].strip() == names[0] and [cell.strip() for cell in row] == names


def _ragged(cells: int, width: int, delimiter: str) -> str:
    """Why a row may have too few or too many cells."""
    if width == 1:
        return " (the first row must hold the names of the columns)"
    hint = " (a comma within a cell needs quotes, or semicolons between the cells)"
    return hint if delimiter == "," and cells > width else ""


def titled(path: Path, names: list[str] | None, columns: list[pa.ChunkedArray], lines: IntArray) -> Table:
    """The table of these columns, without those that have neither a name nor a cell.

    Args:
        path: The file.
        names: The names of the columns; None if there is no header.
        columns: The cells.
        lines: The line of each row.
    """
    if names is None:
        return _headless(Table(path, None, columns, lines))
    used = [i for i, name in enumerate(names) if name or not _is_blank(columns[i])]
    names, columns = distinct([names[i] for i in used], path), [columns[i] for i in used]
    return Table(path, names, columns, lines)


def _headless(table: Table) -> Table:
    """A table whose first line holds a number, so it is data; refused if it may be a header, as `variant,2024` is."""
    first = [_first(cells) for cells in table.columns]
    words = [i for i, cell in enumerate(first) if cell and not is_number(cell)]
    for column in words:
        others = trimmed(table.columns[column].slice(1)).drop_null()
        known = others.unique().to_pylist()
        if TITLE.fullmatch(first[column]) or (first[column] not in known and len(known) < len(others)):
            number = next(cell for cell in first if cell and is_number(cell))
            what = f"{_cut(first[column])} comes only here in its column, so this may be the names of the columns, but "
            do = f"{_cut(number)} is a number: put a first line with names above the data, none of them a number"
            raise InvalidInput(f"{table.place(0)}: {what}{do}")
    if words:
        table.understood["header"] = "no names of columns (the first line is data)"
    return table


def _first(cells: pa.ChunkedArray) -> str:
    """The first cell as text."""
    cell = cells[0].as_py()
    return "" if cell is None else str(cell).strip()


def _cut(cell: str) -> str:
    return printable(repr(cell), limit=40)


def _is_blank(cells: pa.ChunkedArray) -> bool:
    return cells.null_count == len(cells) or (is_string(cells.type) and trimmed(cells).null_count == len(cells))


def _batches(reader: Iterable[list[str]]) -> Iterator[tuple[IntArray, list[list[str]]]]:
    """Many rows at a time, with the line where each ends."""
    rows = iter(reader)
    line = 0
    while batch := list(islice(rows, CONVERTED_ROWS)):
        taken = np.ones(len(batch), dtype=np.int64)
        if reader.line_num - line != len(batch):  # type: ignore[attr-defined]
            taken += [sum(len(BREAK.findall(cell)) for cell in row) for row in batch]
        yield line + np.cumsum(taken), batch
        line = reader.line_num  # type: ignore[attr-defined]
