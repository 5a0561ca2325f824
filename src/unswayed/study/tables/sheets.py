"""A sheet of open plays as CSV: people fill in the values and give it back."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from math import isclose
from pathlib import Path
from typing import Any

from unswayed.core.data.measurement import Measurement
from unswayed.errors import InvalidInput
from unswayed.search.play import ABOUT, Play, Status, title
from unswayed.spaces import Space
from unswayed.spaces.space import named_values
from unswayed.storage.tables import Table, read_table
from unswayed.study.tables.cells import as_csv, is_empty, measurement_of, nothing_done, number_of

SHEET_ROUNDING = 1e-3  # a number that a spreadsheet has rounded is still the same


def sheet(plays: Sequence[Play], names: Sequence[str]) -> str:
    """A row for each play: number, parameters, an empty value, and who is to measure it.

    Args:
        plays: The plays.
        names: The names of the parameters.

    Returns:
        The sheet as CSV.
    """
    points = [named_values(names, play.point) for play in plays]
    rows = [[play.number, *map(point.get, names), None, play.source] for play, point in zip(plays, points, strict=True)]
    return as_csv([["number", *map(title, names), "value", "source"], *rows])


@dataclass(frozen=True)
class Filled:
    """What a sheet says.

    Attributes:
        told: The new measurements, by the number of the play.
        known: How many rows say what was told before.
        blank: How many rows have no value.
        ignored: Columns that mean nothing here.
        sentence: How the file was read, in one line; None if there is nothing to say.
    """

    told: dict[int, Measurement]
    known: int
    blank: int
    ignored: tuple[str, ...]
    sentence: str | None


def read_sheet(
    path: str | os.PathLike[str], log: Sequence[Play], space: Space, *, decimal: str | None = None
) -> Filled:
    """Read a sheet that was filled in. It is complete and correct, or it is refused.

    Args:
        path: The file, with the columns `number` and `value`, and if wanted `source`, `noise_std` and `trials`.
            Columns of parameters are compared with what was asked.
        log: The plays of the study.
        space: What may be varied.
        decimal: The decimal mark, `comma` or `point`, for cells such as 1,234 where the file does not tell.

    Returns:
        What can be told.

    Raises:
        InvalidInput: A row makes no sense; the message names line and column.
    """
    table = read_table(Path(path), decimal)
    with nothing_done("nothing of this file was told: correct the line, or leave its value blank"):
        return _read_sheet(table, log, space)


def _read_sheet(table: Table, log: Sequence[Play], space: Space) -> Filled:
    names = table.names or []
    for name in ("number", "value"):
        if name not in names:
            raise InvalidInput(f"{table.path} has no column {name!r}: fill in the sheet that `ask --out FILE` writes")
    about = {name: name for name in ("value", *ABOUT) if name in names}
    titles = {name: title(name) for name in space.names if title(name) in names}
    cells = _cells(table, titles.values())
    told: dict[int, Measurement] = {}
    known = blank = 0
    for row in range(len(table.columns[0])):
        try:
            found = measurement_of({name: cells[name][row] for name in about}, about)
            if found is None:
                blank += 1
                continue
            play = _play(cells["number"][row], log)
            _compare(play, space, {name: cells[column][row] for name, column in titles.items()})
            found = found if found.source is not None else replace(found, source=play.source)
            if _is_known(play, told.get(play.number), found):
                known += 1
            else:
                told[play.number] = found
        except InvalidInput as error:
            raise InvalidInput(f"{table.place(row)}: {error}") from None
    ignored = tuple(name for name in names if name not in ("number", *about, *titles.values()))
    return Filled(told, known, blank, ignored, table.sentence)


def _cells(table: Table, parameters: Collection[str]) -> dict[str, list[Any]]:
    """The cells of each column: numbers where they are about a value, and where every cell of a parameter is one."""
    cells: dict[str, list[Any]] = {}
    for column, name in enumerate(table.names or []):
        numbers = name in ("number", "value", "noise_std", "trials")
        if numbers or (name in parameters and not table.is_text(column) and not table.has_bad(column)):
            cells[name] = table.values(column)
        else:
            cells[name] = table.columns[column].to_pylist()
    return cells


def _play(cell: Any, log: Sequence[Play]) -> Play:
    """The play of a row."""
    if cell is None:
        raise InvalidInput("the column 'number' is empty here")
    number = float(cell)
    if not number.is_integer() or not 0 <= number < len(log):
        raise InvalidInput(f"column 'number': there is no play {cell} in this study")
    return log[int(number)]


def _is_known(play: Play, before: Measurement | None, found: Measurement) -> bool:
    """Whether a measurement was told before, in this sheet or in the study; refuse another one of the same play."""
    if before is not None and before != found:
        raise InvalidInput(f"play {play.number} has two different values in this file")
    if play.status is Status.OPEN:
        return before is not None
    if found.value in play.before or replace(play, **vars(found)) == play:  # a corrected value stays corrected
        return True
    if play.value is None:
        raise InvalidInput(f"play {play.number} has failed: `unswayed study correct` gives it a value")
    raise InvalidInput(f"play {play.number} was told {play.value!r} before: `unswayed study correct` changes it")


def _compare(play: Play, space: Space, cells: dict[str, Any]) -> None:
    """Refuse a row whose parameters are not those of its play: it belongs to another study, or a row has moved."""
    asked = named_values(space.names, play.point)
    for name, cell in cells.items():
        if not (is_empty(cell) if name not in asked else _same(cell, asked[name])):
            hint = "is this the sheet of another study? Leave out the column if a spreadsheet has changed it"
            raise InvalidInput(
                f"{name} is {cell}, but play {play.number} was asked at {asked.get(name, 'a point without it')}: {hint}"
            )


def _same(cell: Any, asked: Any) -> bool:
    """Whether a cell holds this value, up to how a spreadsheet shows it."""
    if str(cell).strip().lower() == str(asked).lower():
        return True
    try:
        return not isinstance(asked, bool | str) and isclose(
            number_of(cell), asked, rel_tol=SHEET_ROUNDING, abs_tol=1e-9
        )
    except InvalidInput:
        return False
