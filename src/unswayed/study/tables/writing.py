"""Tables as files that people open: CSV with decimal points or commas, and spreadsheets.

In CSV, a text that a spreadsheet program would take for a formula, such as =cmd, gets an apostrophe.
"""

from __future__ import annotations

import csv
from codecs import BOM_UTF8
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO, StringIO
from typing import Any

from unswayed.errors import InvalidInput
from unswayed.storage.tables.numbers import Decimal

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet program computes a text that begins so
MOST_ROWS = 1_048_575  # below the header: no spreadsheet holds more
LONGEST_LIST = 255  # characters of the choices that a cell offers
EXACT = 2**53  # a spreadsheet keeps larger whole numbers as text only
TINT = "#FFF7D6"  # cells to fill in
NARROW, WIDE = 8, 40  # letters


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        title: Its name.
        cells: Plain values; None where there is none.
        form: How a spreadsheet shows its numbers.
        choices: What a spreadsheet offers for its cells.
        blank: Whether it is to be filled in.
    """

    title: str
    cells: Sequence[Any]
    form: str = "General"
    choices: Sequence[Any] = ()
    blank: bool = False


def as_csv(columns: Sequence[Column], decimal: Decimal = "point") -> str:
    """A table as CSV: every digit of a number, nothing for None.

    Args:
        columns: Its columns, of equal length.
        decimal: The decimal mark; with a comma, semicolons stand between the cells.

    Example:
        >>> table = [Column("x", [0.1, True]), Column("value", ["a, b", "=cmd"])]
        >>> as_csv(table)
        'x,value\\n0.1,"a, b"\\ntrue,\\'=cmd\\n'
        >>> as_csv(table, "comma")
        'x;value\\n0,1;a, b\\ntrue;\\'=cmd\\n'
    """
    text = StringIO()
    writer = csv.writer(text, delimiter=";" if decimal == "comma" else ",", lineterminator="\n")
    rows = ([one.title for one in columns], *zip(*(one.cells for one in columns), strict=True))
    writer.writerows([_text(cell, decimal) for cell in row] for row in rows)
    return text.getvalue()


def csv_file(columns: Sequence[Column], decimal: Decimal = "point", *, mark: bool) -> bytes:
    """The same as a file.

    Args:
        columns: Its columns, of equal length.
        decimal: The decimal mark.
        mark: Whether letters beyond ASCII put the mark of UTF-8 first: without it Excel takes them for others.
    """
    text = as_csv(columns, decimal)
    return (BOM_UTF8 if mark and not text.isascii() else b"") + text.encode()


def xlsx_file(columns: Sequence[Column]) -> bytes:
    """A table as a spreadsheet.

    Args:
        columns: Its columns, of equal length.
    """
    import xlsxwriter

    rows = len(columns[0].cells)
    if rows > MOST_ROWS:
        raise InvalidInput(f"a spreadsheet holds at most {MOST_ROWS:,} rows below its header: write csv or parquet")
    out = BytesIO()
    with xlsxwriter.Workbook(out, {"in_memory": True}) as book:
        sheet = book.add_worksheet("plays")
        sheet.freeze_panes(1, 0)
        head = book.add_format({"bold": True, "num_format": "@", "quote_prefix": True})
        for j, column in enumerate(columns):
            tint = {"bg_color": TINT, "border": 1, "border_color": "#D9D9D9"} if column.blank else {}
            numbers = book.add_format({"num_format": column.form, **tint})
            words = book.add_format({"num_format": "@", "quote_prefix": True, **tint})
            sheet.write_string(0, j, column.title, head)
            for i, cell in enumerate(column.cells, start=1):
                _write(sheet, i, j, cell, numbers, words)
            shown = max(len(column.title), *(len(str(cell)) for cell in column.cells if cell is not None), NARROW)
            sheet.set_column(j, j, min(shown + 2, WIDE))
            if rows and _offered(column.choices):
                offer = {"validate": "list", "source": list(column.choices), "error_type": "warning"}
                sheet.data_validation(1, j, rows, j, offer)
    return out.getvalue()


def unguarded(text: str) -> str:
    """A text without the apostrophe that keeps spreadsheet programs from computing it.

    Args:
        text: The text of a cell.
    """
    return text[1:] if text.startswith("'") and text[1:].startswith(FORMULA) else text


def _text(cell: Any, decimal: Decimal) -> Any:
    """A cell of CSV."""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float):
        return repr(cell).replace(".", ",") if decimal == "comma" else repr(cell)
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell


def _write(sheet: Any, row: int, column: int, cell: Any, numbers: Any, words: Any) -> None:
    """One cell of a spreadsheet. A text is never taken for anything else."""
    if cell is None:
        sheet.write_blank(row, column, None, numbers)
    elif isinstance(cell, bool):
        sheet.write_boolean(row, column, cell, numbers)
    elif isinstance(cell, float) or (isinstance(cell, int) and abs(cell) < EXACT):
        sheet.write_number(row, column, cell, numbers)
    else:
        sheet.write_string(row, column, str(cell), words)


def _offered(choices: Sequence[Any]) -> bool:
    """Whether a cell can offer these choices."""
    plain = all(isinstance(one, str) and "," not in one and not one.startswith(FORMULA) for one in choices)
    return bool(choices) and plain and len(",".join(choices)) <= LONGEST_LIST
