"""Cells of an .xlsx sheet that its reader gives as empty ones: errors such as #DIV/0!, and formulas without a value."""

from __future__ import annotations

import re
import zlib
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from zipfile import BadZipFile, ZipFile

from unswayed.errors import InvalidInput

CELL = re.compile(rb"<c\b([^>]*[^>/])>(.*?)</c>", re.DOTALL)
PLACE = re.compile(rb'\br="([A-Z]+)([0-9]+)"')
ERROR = re.compile(rb"<v>(#[^<]{1,20})</v>")
VALUE = re.compile(rb"<v>[^<]|<is>")
KIND = re.compile(rb'\bt="(\w+)"')


def put_errors(rows: list[list[Any]], content: bytes, sheet: int, place: Path) -> None:
    """Write errors into the cells that have them.

    Args:
        rows: The cells of the sheet.
        content: The file, which is a zip.
        sheet: The number of the sheet, from 0.
        place: The file and the sheet, for errors.

    Raises:
        InvalidInput: A formula has no value, because no spreadsheet program has ever computed it.
    """
    xml = _sheet(content, sheet)
    for cell in CELL.finditer(xml) if b't="e"' in xml or b"<f" in xml else ():
        attributes, inside = cell.groups()
        where, kind = PLACE.search(attributes), KIND.search(attributes)
        wrong = kind is not None and kind[1] == b"e"
        if where is None or not (wrong or b"<f" in inside):
            continue
        row, column = int(where[2]) - 1, column_number(where[1]) - 1
        if wrong:
            found = ERROR.search(inside)
            if found and row < len(rows) and column < len(rows[row]):
                rows[row][column] = found[1].decode(errors="replace")
        elif (kind is None or kind[1] != b"str") and not VALUE.search(inside):
            what = f"the formula in {(where[1] + where[2]).decode()} has no value"
            raise InvalidInput(f"{place}, line {row + 1}: {what}: open the file in Excel or LibreOffice and save it")


def _sheet(content: bytes, sheet: int) -> bytes:
    """The XML of a sheet; nothing if the file is no .xlsx file."""
    try:
        with ZipFile(BytesIO(content)) as parts:
            book = ElementTree.fromstring(parts.read("xl/workbook.xml"))
            links = ElementTree.fromstring(parts.read("xl/_rels/workbook.xml.rels"))
            ids = [
                value for one in book.iter() if one.tag.endswith("}sheet") for key, value in one.items() if "}id" in key
            ]
            target = next(one.get("Target", "") for one in links if one.get("Id") == ids[sheet])
            return parts.read(target.lstrip("/") if target.startswith("/") else f"xl/{target}")
    except (KeyError, IndexError, StopIteration, ElementTree.ParseError, BadZipFile, zlib.error, EOFError):
        return b""


def column_number(letters: bytes) -> int:
    """The number of a column that is called A, B, ... AA.

    Args:
        letters: What it is called.
    """
    number = 0
    for letter in letters:
        number = 26 * number + letter - ord("A") + 1
    return number
