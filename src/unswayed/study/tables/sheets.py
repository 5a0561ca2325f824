"""A sheet of open plays: people fill in the values, note what they set otherwise, and give it back."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isclose
from pathlib import Path
from typing import Any

from unswayed.core.data.measurement import Measurement
from unswayed.errors import InvalidInput
from unswayed.search.play import ABOUT, Play, Status, title
from unswayed.spaces import Box, Categorical, Integer, Point, Real, Space
from unswayed.spaces.space import named_values
from unswayed.storage.tables import Table, read_table
from unswayed.storage.tables.numbers import NO, YES, Decimal
from unswayed.study.moved import moved_point
from unswayed.study.tables.cells import (
    is_empty,
    measurement_of,
    nothing_done,
    number_of,
    parameters_of,
    values_of,
    without_units,
)
from unswayed.study.tables.writing import Column, as_csv, csv_file, unguarded, xlsx_file

SHEET_ROUNDING = 1e-3  # a number that a spreadsheet has rounded is still the same
DISPLAY = 1e-6  # and so is one that was written over, if it differs by less
MOVED = "moved"  # the column that says: another setting was really used, and it stands in this row
ANOTHER = "is this the sheet of another study? Leave out the column if a spreadsheet has changed it"


def sheet(plays: Sequence[Play], space: Space, decimal: Decimal = "point") -> str:
    """A row for each play as CSV: number, parameters, an empty value, who is to measure it, and whether it was moved.

    Args:
        plays: The plays.
        space: What may be varied.
        decimal: The decimal mark; with a comma, semicolons stand between the cells.
    """
    return as_csv(_columns(plays, space), decimal)


def sheet_file(plays: Sequence[Play], space: Space, form: str, decimal: Decimal = "point") -> bytes:
    """The same as a file.

    Args:
        plays: The plays.
        space: What may be varied.
        form: "xlsx", where numbers have their units and no locale matters; else CSV.
        decimal: The decimal mark of CSV.
    """
    columns = _columns(plays, space)
    return xlsx_file(columns) if form == "xlsx" else csv_file(columns, decimal, mark=True)


def _columns(plays: Sequence[Play], space: Space) -> list[Column]:
    points = [named_values(space.names, play.point) for play in plays]
    columns = [Column("number", [play.number for play in plays], "0")]
    for name in space.names:
        one = parameters_of(space)[name]
        choices = one.choices if isinstance(one, Categorical) else ()
        columns.append(Column(title(name), [point.get(name) for point in points], _form(one), choices))
    empty = [None] * len(plays)
    columns.append(Column("value", empty, blank=True))
    columns.append(Column("source", [play.source for play in plays], "@", blank=True))
    return [*columns, Column(MOVED, empty, choices=("yes",), blank=True)]


def _form(parameter: Any) -> str:
    """How a spreadsheet shows the numbers of a parameter: as many digits as a step has, and the unit."""
    if isinstance(parameter, Categorical):
        return "General"
    unit = "".join(f"\\{letter}" for letter in f" {parameter.unit}") if parameter.unit else ""
    return f"{'General' if parameter.places is None else f'{0:.{parameter.places}f}'}{unit}"


@dataclass(frozen=True)
class Filled:
    """What a sheet says.

    Attributes:
        told: The new measurements, by the number of the play.
        moved: What was set otherwise, by the number of the play, as `Optimizer.move` takes it.
        known: How many rows say what was told before.
        blank: How many rows have no value.
        elsewhere: Plays that were moved before, and stand in the sheet as they were proposed: they stay moved.
        ignored: Columns that mean nothing here.
        sentence: How the file was read, in one line; None if there is nothing to say.
    """

    told: dict[int, Measurement]
    moved: dict[int, Any]
    known: int
    blank: int
    elsewhere: tuple[int, ...]
    ignored: tuple[str, ...]
    sentence: str | None


def read_sheet(
    path: str | os.PathLike[str],
    plays: Iterable[Play],
    space: Space,
    *,
    decimal: str | None = None,
    nearest: bool = False,
) -> Filled:
    """Read a sheet that was filled in. It is complete and correct, or it is refused.

    Args:
        path: The file, with the columns `number` and `value`, and if wanted `source`, `noise_std`, `trials` and
            `moved`. Columns of parameters are compared with what was asked; where `moved` says yes, they are what
            was really set.
        plays: The plays of the study, or those that may be told.
        space: What may be varied.
        decimal: The decimal mark, `comma` or `point`, for cells such as 1,234 where the file does not tell.
        nearest: Whether a number that was really set between two steps counts at the nearest one; else it is refused.

    Returns:
        What can be told.

    Raises:
        InvalidInput: A row makes no sense; the message names line and column.
    """
    table = read_table(Path(path), decimal)
    with nothing_done("nothing of this file was told: correct the line, or leave its value blank"):
        return _read_sheet(table, {play.number: play for play in plays}, space, nearest)


def _read_sheet(table: Table, plays: Mapping[int, Play], space: Space, nearest: bool) -> Filled:
    names = [unguarded(name) for name in table.names or []]
    for name in ("number", "value"):
        if name not in names:
            raise InvalidInput(f"{table.path} has no column {name!r}: fill in the sheet that `ask --out FILE` writes")
    about = {name: name for name in ("value", *ABOUT) if name in names}
    titles = {name: title(name) for name in space.names if title(name) in names}
    table = without_units(replace(table, names=names), space, titles)
    cells = _cells(table, set(titles.values()))
    told, moved = dict[int, Measurement](), dict[int, Any]()
    known = blank = 0
    elsewhere: list[int] = []
    for row in range(len(table.columns[0])):
        try:
            found = measurement_of({name: cells[name][row] for name in about}, about)
            if found is None:
                blank += 1
                continue
            play = _play(cells["number"][row], plays)
            point = {name: cells[column][row] for name, column in titles.items()}
            if _says_moved(cells[MOVED][row] if MOVED in cells else None):
                given = _set_otherwise(play, space, point)
                if given is not None and moved_point(space, play.point, given, nearest=nearest)[0] != play.point:
                    moved[play.number] = given
            elif _as_proposed(play, space, point):
                elsewhere.append(play.number)
            found = found if found.source is not None else replace(found, source=play.source)
            if _is_known(play, told.get(play.number), found):
                known += 1
            else:
                told[play.number] = found
        except InvalidInput as error:
            raise InvalidInput(f"{table.place(row)}: {error}") from None
    ignored = tuple(name for name in names if name not in ("number", MOVED, *about, *titles.values()))
    return Filled(told, moved, known, blank, tuple(elsewhere), ignored, table.sentence)


def _cells(table: Table, parameters: set[str]) -> dict[str, list[Any]]:
    """The cells of each column: numbers where they are about a value, and where every cell of a parameter is one."""
    cells: dict[str, list[Any]] = {}
    for column, name in enumerate(table.names or []):
        numbers = name in ("number", "value", "noise_std", "trials")
        if numbers or (name in parameters and not table.is_text(column) and not table.has_bad(column)):
            cells[name] = table.values(column)
        else:
            cells[name] = table.columns[column].to_pylist()
    return cells


def _play(cell: Any, plays: Mapping[int, Play]) -> Play:
    """The play of a row."""
    if cell is None:
        raise InvalidInput("the column 'number' is empty here")
    number = float(cell)
    if number not in plays:
        raise InvalidInput(f"column 'number': there is no play {cell} to tell in this study")
    return plays[int(number)]


def _says_moved(cell: Any) -> bool:
    """Whether a row says that another setting was really used."""
    text = "" if is_empty(cell) else str(cell).strip().lower()
    if text in ("", "0", *NO):
        return False
    if text in ("1", "x", *YES):
        return True
    what = "write yes if another setting was really used, and write that setting over the proposed one"
    raise InvalidInput(f"column {MOVED!r}: {what}, not {cell}")


def _set_otherwise(play: Play, space: Space, cells: Mapping[str, Any]) -> Any:
    """What was set otherwise than proposed; None if the study knows it already."""
    now = named_values(space.names, play.point)
    given = {
        name: cell for name, cell in cells.items() if not is_empty(cell) and not _same(cell, now.get(name), DISPLAY)
    }
    if given:
        return values_of(space, given if isinstance(space, Box) else {**now, **given})
    if play.proposed is None:
        raise InvalidInput(f"{MOVED} says yes, but this row has what was proposed: write over it what was really set")
    return None


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


def _as_proposed(play: Play, space: Space, cells: Mapping[str, Any]) -> bool:
    """Whether a row has what was proposed, of a play that was moved since.

    A row whose parameters are not those of its play is refused: it belongs to another study, or a row has moved.
    """
    wrong = _different(play.point, space, cells)
    if wrong is None:
        return False
    if play.proposed is not None and _different(play.proposed, space, cells) is None:
        return True
    asked = named_values(space.names, play.point).get(wrong, "a point without it")
    hint = f"if it was really set, write yes in the column {MOVED!r}; else, {ANOTHER}"
    cell = f"{cells[wrong]:.15g}" if isinstance(cells[wrong], float) else cells[wrong]
    raise InvalidInput(f"{wrong} is {cell}, but play {play.number} was asked at {asked}: {hint}")


def _different(point: Point, space: Space, cells: Mapping[str, Any]) -> str | None:
    """The first parameter whose cell is not that of a point."""
    asked = named_values(space.names, point)
    for name, cell in cells.items():
        one = parameters_of(space)[name]
        step = one.spacing if isinstance(one, Real | Integer) else None
        known = _same(cell, asked[name], SHEET_ROUNDING, step) if name in asked else is_empty(cell)
        if not known:
            return name
    return None


def _same(cell: Any, asked: Any, rounding: float, step: float | None = None) -> bool:
    """Whether a cell holds this value, up to how a spreadsheet shows it; never that of another step."""
    text = unguarded(str(cell).strip())
    if text.lower() == str(asked).lower():
        return True
    if isinstance(asked, bool):
        return text.lower() in ((*YES, "1", "1.0") if asked else (*NO, "0", "0.0"))  # .ods keeps a number
    if isinstance(asked, str) or asked is None:
        return False
    try:
        near = isclose(number_of(cell), asked, rel_tol=rounding, abs_tol=1e-9)
        return near and (step is None or abs(number_of(cell) - asked) < step / 2)
    except InvalidInput:
        return False
