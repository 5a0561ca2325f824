"""Points and measurements as people write them: text in the cells of a table, or on a command line."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import StringIO
from itertools import islice, product
from typing import Any

from unswayed.core.data.measurement import Measurement
from unswayed.errors import InvalidInput
from unswayed.spaces import Box, Categorical, Integer, Point, Real, Space
from unswayed.spaces.encoding import shown
from unswayed.spaces.parameters import Parameter
from unswayed.storage.tables.numbers import NO, YES

TRIES = 64  # ways to read the cells of one option


def point_of(space: Space, cells: Mapping[str, Any]) -> Point:
    """The point that cells describe, by the names of the space.

    Args:
        space: What may be varied.
        cells: A value for each name: text, or a number as a Parquet file holds it.

    Returns:
        The point.

    Raises:
        InvalidInput: A cell is empty, or the point is not in the space; the message names the parameter.
    """
    empty = [name for name in space.names if is_empty(cells.get(name))]
    if isinstance(space, Box) and space.conditions is not None:
        full = {name: one for name, one in space.parameters.items() if name not in empty}
        return space.check({name: _first(one.check, _readings(cells[name]), name) for name, one in full.items()})
    if empty:
        raise InvalidInput(f"{empty[0]} is empty")
    if isinstance(space, Box):
        return {name: _first(one.check, _readings(cells[name]), name) for name, one in space.parameters.items()}
    sample = space.decode(space.arms(1, 0)[:1])[0]
    rows = islice(product(*(_readings(cells[name]) for name in space.names)), TRIES)
    return _first(space.check, [_shaped(sample, space.names, row) for row in rows])


def measurement_of(cells: Mapping[str, Any], columns: Mapping[str, str]) -> Measurement | None:
    """The measurement of a row.

    Args:
        cells: `value`, and if they are known `source`, `noise_std` and `trials`; an empty cell says nothing.
        columns: How the file calls these, for errors.

    Returns:
        The measurement; None if there is no value.

    Raises:
        InvalidInput: A cell makes no sense; the message names the column.
    """
    given: dict[str, Any] = {}
    for name, cell in cells.items():
        if is_empty(cell):
            continue
        try:
            number = None if name == "source" else number_of(cell)
        except InvalidInput as error:
            raise InvalidInput(f"column {columns[name]!r}: {error}") from None
        whole = number is not None and name == "trials" and number.is_integer()
        given[name] = str(cell).strip() if number is None else int(number) if whole else number
    return Measurement(**given) if "value" in given else None


def nearest_step(space: Space, cells: Mapping[str, Any]) -> dict[str, Any]:
    """Cells whose numbers are moved to the nearest value of their parameter, if that one has steps or is whole.

    Args:
        space: What may be varied.
        cells: A value for each name.
    """
    moved = dict(cells)
    for name, one in space.parameters.items() if isinstance(space, Box) else ():
        value = cells.get(name)
        if isinstance(one, Real | Integer) and isinstance(value, float) and one.low <= value <= one.high:
            try:
                one.check(value, name)
            except InvalidInput:
                [moved[name]] = one.decode(one.encode([value]))
    return moved


def takes_numbers(parameter: Parameter) -> bool:
    """Whether every value of a parameter is a number."""
    return not isinstance(parameter, Categorical) or all(type(one) in (int, float) for one in parameter.choices)


@contextmanager
def nothing_done(words: str) -> Iterator[None]:
    """End the line of an error inside the block: a file is taken whole or not at all."""
    try:
        yield
    except InvalidInput as error:
        raise InvalidInput(f"{error}; {words}") from None


def is_empty(cell: Any) -> bool:
    """Whether a cell holds nothing, or spaces."""
    return cell is None or str(cell).strip() == ""


def as_csv(rows: Iterable[Sequence[Any]]) -> str:
    """Rows of plain values as CSV: every digit of a number, nothing for None.

    Args:
        rows: The rows, the header first.

    Example:
        >>> as_csv([["x", "value"], [0.1, None], [True, "a, b"]])
        'x,value\\n0.1,\\ntrue,"a, b"\\n'
    """
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([str(cell).lower() if isinstance(cell, bool) else cell for cell in row] for row in rows)
    return text.getvalue()


def number_of(cell: Any) -> float:
    """The number in a cell.

    Args:
        cell: Text, or a number.

    Raises:
        InvalidInput: It is not a number.
    """
    try:
        if isinstance(cell, bool) or "_" in str(cell):
            raise ValueError
        return float(cell)
    except (TypeError, ValueError):
        hint = " (write a point, not a comma)" if "," in str(cell) else ""
        raise InvalidInput(f"{shown(cell)} is not a number{hint}") from None


def _readings(cell: Any) -> list[Any]:
    """What a cell may mean, the likeliest first: a whole number, a number, true or false, or text."""
    if not isinstance(cell, str):
        return [cell]
    text = cell.strip()
    kinds: list[Any] = []
    try:
        number = number_of(text)
        kinds = [int(number) if number.is_integer() and "." not in text else number]
    except InvalidInput:
        kinds = [text.lower() in YES] if text.lower() in (*YES, *NO) else []
    return list(dict.fromkeys([*kinds, text, cell]))


def _first(check: Any, readings: Sequence[Any], *name: str) -> Any:
    """The first reading that is accepted; if none is, say why the likeliest is not."""
    for reading in readings:
        try:
            return check(reading, *name)
        except InvalidInput:
            continue
    return check(readings[0], *name)


def _shaped(sample: Point, names: Sequence[str], row: tuple[Any, ...]) -> Point:
    """The cells of one row as a point like the sample: a dict, a tuple of numbers or a label."""
    if isinstance(sample, dict):
        return dict(zip(names, row, strict=True))
    return row if isinstance(sample, tuple) else row[0]
