"""Points and measurements as people write them: text in the cells of a table, or on a command line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice, product
from typing import Any

from unswayed.core.data.measurement import Measurement
from unswayed.errors import InvalidInput
from unswayed.spaces import Box, Categorical, Duels, Integer, Options, Point, Real, Space
from unswayed.spaces.encoding import shown
from unswayed.spaces.parameters import Parameter
from unswayed.storage.tables.numbers import NO, YES
from unswayed.storage.tables.table import Table, is_string
from unswayed.study.tables.writing import unguarded

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


def values_of(space: Space, cells: Mapping[str, Any]) -> Any:
    """What was set otherwise, as `Optimizer.move` takes it.

    Args:
        space: What may be varied.
        cells: The cells of the parameters that differ; of a list of options, of all.

    Raises:
        InvalidInput: A cell is not a value of its parameter; the message names it.
    """
    if not isinstance(space, Box):
        return point_of(space, cells)
    values: dict[str, Any] = {}
    for name, cell in cells.items():
        one = space.parameters[name]
        if isinstance(one, Categorical):
            values[name] = _first(one.check, _readings(cell), name)
            continue
        try:
            values[name] = number_of(cell.strip().removesuffix(one.unit) if isinstance(cell, str) else cell)
        except InvalidInput as error:
            raise InvalidInput(f"{name}: {error}") from None
    return values


def without_units(table: Table, space: Space, titles: Mapping[str, str]) -> Table:
    """A table whose cells may have the units of their parameters, such as 70,5 °C, without these.

    Args:
        table: The table.
        space: What may be varied.
        titles: The column of each parameter.
    """
    import pyarrow.compute as pc

    columns, names = list(table.columns), table.names or []
    for name, column in titles.items():
        unit, number = getattr(parameters_of(space)[name], "unit", ""), names.index(column)
        if unit and is_string(columns[number].type):
            ends = rf"[\s\x{{a0}}\x{{202f}}]*{re.escape(unit)}\s*$"
            columns[number] = pc.replace_substring_regex(columns[number], ends, "")
    return replace(table, columns=columns)


def parameters_of(space: Space) -> Mapping[str, Parameter]:
    """What tells the points of the space of a study apart, by name."""
    assert isinstance(space, Box | Options)  # no study is over anything else
    return space.parameters


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


def told_of(space: Space, cell: str) -> float | str:
    """What was told, as it stands on a command line: a number; of a duel, who is better.

    Args:
        space: What may be varied.
        cell: The text.
    """
    return cell if isinstance(space, Duels) else number_of(cell)


def _readings(cell: Any) -> list[Any]:
    """What a cell may mean, the likeliest first: a whole number, a number, true or false, or text."""
    if not isinstance(cell, str):
        return [cell, bool(cell)] if cell in (0, 1) else [cell]
    text = cell.strip()
    kinds: list[Any] = []
    try:
        number = number_of(text)
        kinds = [int(number) if number.is_integer() and "." not in text else number]
    except InvalidInput:
        kinds = [text.lower() in YES] if text.lower() in (*YES, *NO) else []
    return list(dict.fromkeys([*kinds, text, cell, unguarded(text)]))


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
