"""Read tables of numbers and text from CSV, Parquet or JSON lines; every cell is checked, and errors name the place."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, NoReturn

import numpy as np

from unswayed.errors import InvalidInput
from unswayed.storage.files import explaining
from unswayed.text import printable
from unswayed.types import FloatArray, IntArray

if TYPE_CHECKING:
    import pyarrow as pa

LONGEST_LINE = 1 << 20  # characters: no cell of a real table is longer
CONVERTED_ROWS = 1 << 16  # rows of a CSV file that are converted at a time
BREAK = re.compile(r"\r\n|\r|\n")
THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?")


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """The columns of a file, as it holds them: a column is read as numbers or as text when it is asked for.

    Attributes:
        path: The file.
        names: The names of the columns; None if the file has no header.
        columns: The cells.
        lines: The line of each row; None if the file has no lines.
    """

    path: Path
    names: list[str] | None
    columns: list[pa.ChunkedArray]
    lines: IntArray | None
    numeric: dict[int, tuple[FloatArray, int | None]] = field(default_factory=dict)

    def numbers(self, column: int) -> FloatArray:
        """A column of finite numbers; refused if a cell is not a finite number."""
        values, bad = self._numbers(column)
        if bad is not None:
            self._refuse(column, bad)
        return values

    def labels(self, column: int) -> tuple[IntArray, list[str]]:
        """A column of text, unchanged: the number of each row's label, and the labels in order of first appearance."""
        import pyarrow as pa
        import pyarrow.compute as pc

        cells = self.columns[column]
        if pa.types.is_floating(cells.type):
            cells = pc.if_else(pc.is_nan(cells), None, cells)
        cells = _as_text(cells, self.path, self._named(column))
        if cells.null_count:
            self._miss(column, int(np.flatnonzero(cells.is_null().to_numpy())[0]))
        found = pc.dictionary_encode(cells.combine_chunks())
        labels, codes = found.dictionary.to_pylist(), found.indices.to_numpy().astype(np.int64)
        for number, label in enumerate(labels):
            if not label.strip():
                self._miss(column, int(np.argmax(codes == number)))
        return codes, labels

    def is_text(self, column: int) -> bool:
        """Whether no cell of a column is a number."""
        values, bad = self._numbers(column)
        return bad is not None and bool(np.isnan(values).all())

    def place(self, row: int) -> str:
        """Where a row stands, to begin an error with."""
        return f"{self.path}, row {row + 1}" if self.lines is None else f"{self.path}, line {self.lines[row]}"

    def _numbers(self, column: int) -> tuple[FloatArray, int | None]:
        """The numbers of a column, NaN where a cell is no number; and the first row without a finite number."""
        if column not in self.numeric:
            values = _as_numbers(self.columns[column])
            bad = np.flatnonzero(~np.isfinite(values))
            self.numeric[column] = values, int(bad[0]) if len(bad) else None
        return self.numeric[column]

    def _named(self, column: int) -> str:
        return repr(self.names[column]) if self.names else str(column + 1)

    def _miss(self, column: int, row: int) -> NoReturn:
        raise InvalidInput(f"{self.place(row)}: the column {self._named(column)} is empty here")

    def _refuse(self, column: int, row: int) -> NoReturn:
        """Say why a cell is not a finite number."""
        kind = self.columns[column].type
        named = self._named(column)
        if self.lines is None:
            if not _is_numeric(kind) and self.is_text(column):
                raise InvalidInput(f"{self.path}: the column {named} holds {kind}, not numbers")
            raise InvalidInput(f"{self.path}: the column {named} has no finite number in row {row + 1}")
        cell = self.columns[column][row].as_py()
        if cell is None or not cell.strip():
            self._miss(column, row)
        hint = _hint(cell) or ("a header must not hold numbers" if self.lines[row] == 1 else "")
        said = f"{cell[:40]!r} is not a finite number in the column {named}"
        raise InvalidInput(f"{self.place(row)}: {said}" + (f" ({hint})" if hint else ""))


def _hint(cell: str) -> str:
    """How to write what is probably meant by a cell that is no number."""
    text = cell.strip()
    if ";" in text:
        return "cells are separated by commas"
    if text.lower() in ("yes", "no", "true", "false"):
        return "write 1 for yes and 0 for no"
    if text.endswith("%") and _is_number(text[:-1]):
        return f"write {float(text[:-1]) / 100:.6g}, without the percent sign"
    if THOUSANDS.fullmatch(text):
        return f"write {text.replace(',', '')}, without commas"
    return "write a point for the decimals" if "," in text and _is_number(text.replace(",", ".")) else ""


def read_table(path: Path) -> Table:
    """Read a table whose columns may hold numbers or text.

    Args:
        path: A Parquet file if the name ends in `.parquet`, JSON lines if it ends in `.jsonl` or `.ndjson`; anything
            else is read as CSV.

    Returns:
        The table.

    Raises:
        InvalidInput: The path is wrong, or the file is not such a table; the message names the line.
        SystemFault: The system refuses to read the file.
    """
    if path.suffix.lower() == ".parquet":
        return _read_parquet(path)
    try:
        with explaining(f"cannot read {path}"), path.open(newline="", encoding="utf-8-sig") as file:
            if path.suffix.lower() in (".jsonl", ".ndjson"):
                from unswayed.storage.json_lines import read_json_lines

                return read_json_lines(_lines(file, path), path)
            return _read_csv(csv.reader(_lines(file, path)), path)
    except csv.Error as error:
        raise InvalidInput(f"cannot read {path}: {error}") from None


def read_numbers(path: Path) -> tuple[list[str] | None, FloatArray, list[int] | None]:
    """Read a table of finite numbers.

    Args:
        path: A Parquet file if the name ends in `.parquet`, JSON lines if it ends in `.jsonl` or `.ndjson`; anything
            else is read as CSV.

    Returns:
        The names of the columns (None if the file has no header); the numbers, one row for each line; and the number
        of that line (None if the file has no lines).

    Raises:
        InvalidInput: The path is wrong, or the file is not such a table; the message names the line.
        SystemFault: The system refuses to read the file.
    """
    table = read_table(path)
    found = [table._numbers(column) for column in range(len(table.columns))]
    bad = [(row, column) for column, (_, row) in enumerate(found) if row is not None]
    if bad:
        table.numbers(min(bad)[1])
    numbers = np.column_stack([values for values, _ in found])
    return table.names, numbers, None if table.lines is None else table.lines.tolist()


def _read_csv(reader: Iterable[list[str]], path: Path) -> Table:
    import pyarrow as pa

    names: list[str] | None = None
    width = 0
    parts: list[list[pa.Array]] = []
    lines: list[IntArray] = []
    for numbers, rows in _batches(reader):
        if not all(row and row[0] for row in rows):  # a row may be blank
            filled = [i for i, row in enumerate(rows) if "".join(row).strip()]
            numbers, rows = numbers[filled], [rows[i] for i in filled]
        if rows and not width:
            width = len(rows[0])
            if not any(_is_number(cell) for cell in rows[0]):
                names, numbers, rows = _distinct([cell.strip() for cell in rows[0]], path), numbers[1:], rows[1:]
        if set(map(len, rows)) - {width}:
            line, cells = next((line, len(row)) for line, row in zip(numbers, rows, strict=True) if len(row) != width)
            hint = " (cells are separated by commas)" if names and {";", "\t"} & set("".join(names)) else ""
            raise InvalidInput(f"{path}, line {line}: {cells} cells where the first row has {width}{hint}")
        if rows:
            parts.append([pa.array(cells, pa.large_string()) for cells in zip(*rows, strict=True)])
            lines.append(numbers)
    if not parts:
        raise InvalidInput(f"{path} holds no rows")
    return Table(path, names, [pa.chunked_array(pieces) for pieces in zip(*parts, strict=True)], np.concatenate(lines))


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


def _lines(file: IO[str], path: Path) -> Iterator[str]:
    """Yield the lines; refuse a line that is too long before it fills the memory."""
    for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE), ""), 1):
        if len(line) == LONGEST_LINE:
            raise InvalidInput(f"{path}, line {number} is longer than a million characters: not a table")
        yield line


def read_parquet(content: bytes) -> pa.Table:
    """Return the table of a Parquet file in memory.

    It is read on the calling thread, because the threads of Arrow may outlive the end of the interpreter and crash.
    """
    import pyarrow.parquet as pq

    return pq.ParquetFile(BytesIO(content), pre_buffer=False).read(use_threads=False)


def _read_parquet(path: Path) -> Table:
    import pyarrow as pa

    with explaining(f"cannot read {path}"):
        content = path.read_bytes()
    try:
        table = read_parquet(content)
    except (OSError, pa.ArrowException) as error:  # Arrow reports some kinds of damage as OSError
        raise InvalidInput(f"cannot read {path}: {printable(' '.join(str(error).split()), limit=120)}") from None
    names = _distinct(table.column_names, path)
    if not names or table.num_rows == 0:
        raise InvalidInput(f"{path} holds no rows")
    columns = [c.cast(c.type.value_type) if pa.types.is_dictionary(c.type) else c for c in table.columns]
    return Table(path, names, columns, None)


def _is_numeric(kind: pa.DataType) -> bool:
    import pyarrow as pa

    tests = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_decimal)
    return any(test(kind) for test in tests)


def _as_numbers(cells: pa.ChunkedArray) -> FloatArray:
    """The cells as numbers, NaN where a cell is no number."""
    import pyarrow as pa

    text = pa.types.is_large_string(cells.type) or pa.types.is_string(cells.type)
    if not (text or _is_numeric(cells.type)):
        return np.full(len(cells), np.nan)
    try:
        return np.array(cells.cast(pa.float64(), safe=False).to_numpy(), dtype=np.float64)
    except pa.ArrowException:  # Arrow reads plain numbers only; Python also reads " 1" and "+1"
        return np.array([float(c) if c is not None and _is_number(c) else np.nan for c in cells.to_pylist()])


def _as_text(cells: pa.ChunkedArray, path: Path, named: str) -> pa.ChunkedArray:
    """The cells as text; a time of day is left out if it is midnight everywhere."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        if pa.types.is_timestamp(cells.type) and pc.all(pc.equal(pc.floor_temporal(cells, unit="day"), cells)).as_py():
            cells = cells.cast(pa.date32())
        return cells.cast(pa.large_string())
    except pa.ArrowException:
        raise InvalidInput(f"{path}: the column {named} holds {cells.type}, neither numbers nor text") from None


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
