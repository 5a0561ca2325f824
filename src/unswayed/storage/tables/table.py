"""A table as a file holds it. A column is read as numbers or as text when it is asked for; errors name the place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn, Self

import numpy as np

from unswayed.errors import InvalidInput
from unswayed.storage.tables.numbers import (
    GRAMMAR,
    SPACES,
    UNIT,
    Decimal,
    Written,
    is_number,
    plain_numbers,
    trimmed,
    without_currency,
)
from unswayed.text import counted, printable
from unswayed.types import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    import pyarrow as pa

SUMS = ("total", "totals", "sum", "overall", "all", "mean", "average", "gesamt", "summe", "insgesamt", "mittelwert")
"""What people call a row that adds up the others, or is their mean."""


UNDERSTOOD = (
    *("sheet", "merged", "delimiter", "encoding", "decimal", "currency", "percent", "thousands", "words"),
    *("moved", "header", "zeros", "empty"),
)
"""What there is to understand, in the order in which it is said."""


class Numbers(NamedTuple):
    """A column as numbers: NaN where a cell is none; which cells are empty; how it is written, if that is not plain."""

    values: FloatArray
    empty: BoolArray
    written: Written | None = None
    decimal: Decimal = "point"
    hint: str = ""

    @property
    def bad(self) -> BoolArray:
        """Which cells hold something that is no finite number."""
        bad: BoolArray = ~np.isfinite(self.values) & ~self.empty
        return bad

    def rows(self, kept: IntArray) -> Numbers:
        """Some of the rows."""
        written = None if self.written is None else self.written.rows(kept)
        return self._replace(values=self.values[kept], empty=self.empty[kept], written=written)


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """The columns of a file.

    Attributes:
        path: The file.
        names: The names of the columns; None if the file has no header.
        columns: The cells.
        lines: The line of each row, or its row in a spreadsheet; None if the file has no lines.
        delimiter: What separates cells; None if nothing does.
        decimal: The decimal mark of cells that could have either, if it is known.
        understood: What was understood, in words, by kind: see `UNDERSTOOD`.
    """

    path: Path
    names: list[str] | None
    columns: list[pa.ChunkedArray]
    lines: IntArray | None
    delimiter: str | None = None
    decimal: Decimal | None = None
    understood: dict[str, str] = field(default_factory=dict)
    numeric: dict[int, Numbers] = field(default_factory=dict)

    @property
    def sentence(self) -> str | None:
        """What was understood so far, in one line; None if there was nothing to understand."""
        said = [self.understood[kind] for kind in UNDERSTOOD if kind in self.understood]
        return f"read as: {', '.join(said)}" if said else None

    def numbers(self, column: int) -> FloatArray:
        """A column of finite numbers; refused if a cell is not a finite number."""
        if (row := self.first_wrong(column)) is not None:
            self._refuse(column, row)
        self._understand(column)
        return self._numbers(column).values

    def first_wrong(self, column: int) -> int | None:
        """The first row where a column has no finite number; None if there is none."""
        found = self._numbers(column)
        wrong = found.bad | found.empty
        return int(np.argmax(wrong)) if wrong.any() else None

    def values(self, column: int) -> list[float | None]:
        """A column of finite numbers, with None where a cell is empty; refused if a cell is anything else."""
        found = self._numbers(column)
        if self.has_bad(column):
            self._refuse(column, int(np.argmax(found.bad)))
        self._understand(column)
        return [None if empty else value for value, empty in zip(found.values.tolist(), found.empty, strict=True)]

    def has_bad(self, column: int) -> bool:
        """Whether a cell of a column holds something that is no finite number."""
        return bool(self._numbers(column).bad.any())

    def labels(self, column: int) -> tuple[IntArray, list[str]]:
        """A column of text, unchanged: the number of each row's label, and the labels in order of first appearance."""
        import pyarrow.compute as pc

        cells = self._text(column)
        if cells.null_count:
            self._miss(column, int(np.flatnonzero(cells.is_null().to_numpy())[0]))
        found = pc.dictionary_encode(cells.combine_chunks())
        labels, codes = found.dictionary.to_pylist(), found.indices.to_numpy().astype(np.int64)
        for number, label in enumerate(labels):
            if not label.strip():
                self._miss(column, int(np.argmax(codes == number)))
        return codes, labels

    def is_text(self, column: int) -> bool:
        """Whether no cell of a column is a number; yes and no are text until numbers are asked for."""
        found = self._numbers(column)
        words = found.written is not None and found.written.words
        return words or bool(np.isnan(found.values).all())

    def empty(self, column: int, *, numbers: bool) -> BoolArray:
        """Which cells of a column are empty; where numbers are wanted, `NA` and the like are empty too."""
        if numbers:
            return self._numbers(column).empty
        empty: BoolArray = trimmed(self._text(column)).is_null().to_numpy().astype(np.bool_)
        return empty

    def rows(self, kept: IntArray) -> Self:
        """Some of the rows."""
        columns = [column.take(kept) for column in self.columns]
        lines = None if self.lines is None else self.lines[kept]
        numeric = {column: found.rows(kept) for column, found in self.numeric.items()}
        return replace(self, columns=columns, lines=lines, numeric=numeric)

    def without(self, empty: BoolArray) -> Self:
        """Only the rows that have no empty cell; how many were left out is understood."""
        if not empty.any():
            return self
        self.understood["empty"] = f"{counted(int(empty.sum()), 'row')} left out (empty cells)"
        return self.rows(np.flatnonzero(~empty))

    def place(self, row: int) -> str:
        """Where a row stands, to begin an error with."""
        return f"{self.path}, {self.where(row)}"

    def where(self, row: int) -> str:
        """Where a row stands in the file."""
        return f"row {row + 1}" if self.lines is None else f"line {self.lines[row]}"

    def named(self, column: int) -> str:
        """What a column is called in an error."""
        return repr(self.names[column]) if self.names and self.names[column] else str(column + 1)

    def _numbers(self, column: int) -> Numbers:
        if column not in self.numeric:
            self.numeric[column] = self._read(column)
        return self.numeric[column]

    def _read(self, column: int) -> Numbers:
        """A column as numbers."""
        import pyarrow as pa

        cells = self.columns[column]
        if not is_string(cells.type):
            empty = cells.is_null().to_numpy().astype(np.bool_)
            if not is_numeric(cells.type):
                return Numbers(np.full(len(cells), np.nan), empty)
            return Numbers(np.array(cells.cast(pa.float64(), safe=False).to_numpy(), dtype=np.float64), empty)
        if (values := plain_numbers(cells)) is not None:
            return Numbers(values, np.zeros(len(cells), dtype=np.bool_))
        cells, sign = without_currency(cells)
        written = replace(Written.of(cells), sign=sign)
        decimal = self._decimal(column, written)
        values = written.values(decimal)
        mixed = written.percent.any() & ~written.percent & np.isfinite(values) & (values != 0)
        hint = f"other cells have a decimal {decimal}" if len(written.seen) > 1 else ""
        hint = "other cells have a percent sign" if mixed.any() else hint
        return Numbers(np.where(mixed, np.nan, values), ~written.filled, written, decimal, hint)

    def _decimal(self, column: int, written: Written) -> Decimal:
        """The decimal mark of a column."""
        if written.seen or not written.unsure.any():
            return written.seen[0] if written.seen else "point"
        known = self._seen if self.decimal is None else {self.decimal}
        if len(known) == 1:
            return next(iter(known))
        commas = written.unsure & written.has(",")
        if not known and (self.delimiter == "," or (self.delimiter is None and not commas.any())):
            return "point"
        if not known and written.ungrouped and commas.any() == commas[written.unsure].all():
            return "comma" if commas.any() else "point"
        row = int(np.argmax(written.unsure))
        cell = printable(written.cells[row].as_py(), limit=40)
        either = " or ".join(f"{written.values(mark)[row]:.15g}" for mark in GRAMMAR)
        raise InvalidInput(
            f"{self.place(row)}: {cell!r} in the column {self.named(column)} may be {either}: "
            "say --decimal comma or --decimal point"
        )

    @cached_property
    def _seen(self) -> set[Decimal]:
        """The decimal marks that columns of numbers surely have."""
        texts = (Written.of(cells) for cells in self.columns if is_string(cells.type))
        return {mark for one in texts if not (one.filled & ~one.comma & ~one.point).any() for mark in one.seen[:1]}

    def _understand(self, column: int) -> None:
        """Keep in mind how a column of numbers was read."""
        values, _, written, decimal, _ = self._numbers(column)
        if written is None:
            return

        def example(kind: str, which: BoolArray) -> None:
            if which.any():
                row = int(np.argmax(which))
                cell = SPACES.sub(" ", written.cells[row].as_py())
                said = f"{printable(cell, limit=20)} as {values[row]:.15g}"
                self.understood.setdefault(kind, said)

        if written.words:
            example("words", written.filled)
            return
        if decimal == "comma" and written.has(",").any():
            self.understood.setdefault("decimal", "decimal comma")
        if written.sign:
            self.understood.setdefault("currency", f"values in {written.sign}")
        example("percent", written.percent)
        example("thousands", written.grouped(decimal))

    def _text(self, column: int) -> pa.ChunkedArray:
        """The cells as text; a time of day is left out if it is midnight everywhere."""
        import pyarrow as pa
        import pyarrow.compute as pc

        cells = self.columns[column]
        try:
            if pa.types.is_floating(cells.type):
                cells = pc.if_else(pc.is_nan(cells), None, cells)
            if pa.types.is_timestamp(cells.type):
                days = pc.floor_temporal(cells, unit="day")
                cells = cells.cast(pa.date32()) if pc.all(pc.equal(days, cells)).as_py() else cells
            return cells.cast(pa.large_string())
        except pa.ArrowException:
            kinds = f"holds {cells.type}, neither numbers nor text"
            raise InvalidInput(f"{self.path}: the column {self.named(column)} {kinds}") from None

    def _miss(self, column: int, row: int) -> NoReturn:
        raise InvalidInput(f"{self.place(row)}: the column {self.named(column)} is empty here")

    def _refuse(self, column: int, row: int) -> NoReturn:
        """Say why a cell is not a finite number."""
        kind, named, found = self.columns[column].type, self.named(column), self._numbers(column)
        if self.lines is None and not is_numeric(kind) and self.is_text(column):
            raise InvalidInput(f"{self.path}: the column {named} holds {kind}, not numbers")
        if self.lines is None:
            raise InvalidInput(f"{self.path}: the column {named} has no finite number in row {row + 1}")
        if found.empty[row]:
            self._miss(column, row)
        cell = str(self.columns[column][row].as_py())
        first = "a header must not hold numbers" if self.lines[row] == 1 else ""
        hint = _hint(cell) or first
        if found.hint and is_number(cell):
            raise InvalidInput(f"{self.place(row)}: {cell[:40]!r} in the column {named} does not fit: {found.hint}")
        said = f"{cell[:40]!r} is not a finite number in the column {named}"
        raise InvalidInput(f"{self.place(row)}: {said}" + (f" ({hint})" if hint else ""))


def _hint(cell: str) -> str:
    """What to do about a cell that is no number."""
    text = cell.strip().lower()
    if text in ("yes", "no", "true", "false"):
        return "other cells are not yes or no: write 1 for yes and 0 for no"
    if cell.strip().startswith("#"):
        return "an error of a spreadsheet: mend it there, or leave the cell empty"
    if UNIT.fullmatch(text):
        return "remove the unit, and write all values in the same one"
    if text.rstrip(":") in SUMS:
        return "is this row a sum of the others? Remove it"
    if text.lstrip("+-") in ("nan", "inf", "infinity"):
        return "leave the cell empty if there is no value"
    return ""


def is_string(kind: pa.DataType) -> bool:
    """Whether cells are text."""
    import pyarrow as pa

    return bool(pa.types.is_large_string(kind) or pa.types.is_string(kind))


def is_numeric(kind: pa.DataType) -> bool:
    """Whether cells are numbers, or true and false."""
    import pyarrow as pa

    tests = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_decimal)
    return any(test(kind) for test in tests)


def distinct(names: list[str], path: Path) -> list[str]:
    """The names of columns, which must differ."""
    for name in names:
        if names.count(name) > 1:
            raise InvalidInput(f"{path} has more than one column named {name!r}: rename one of them")
    return names


def listed(names: Iterable[str]) -> str:
    """Names of columns, for an error."""
    return ", ".join(printable(name, limit=200) for name in names)
