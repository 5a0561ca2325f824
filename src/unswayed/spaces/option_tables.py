"""Lists of options as tables: check them, and encode them column by column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unswayed.errors import InvalidInput, UnswayedError
from unswayed.spaces.box import Box
from unswayed.spaces.intervals import Real
from unswayed.spaces.parameters import Categorical, Parameter
from unswayed.spaces.values import Value, checked_value, shown
from unswayed.types import FloatArray, floats

Given = Sequence[Any] | NDArray[Any]
LARGEST_TABLE = 10**8
# Positions are multiples of STEP, so that the squared distance of two different options is never rounded to 0.
STEP = 2.0**-52


def is_table(options: Given) -> bool:
    """Whether the options are rows of numbers, not mappings or labels."""
    if isinstance(options, np.ndarray):
        return options.ndim > 1
    return isinstance(options[0], Sequence | np.ndarray) and not isinstance(options[0], str)


def number_table(options: Given) -> FloatArray:
    """Rows of finite numbers, as a read-only copy."""
    try:
        kind = np.asarray(options).dtype.kind
    except ValueError:
        raise InvalidInput("the rows of options must all have the same length") from None
    if kind not in "iuf":
        raise InvalidInput("rows of options must be numbers only; for anything else use mappings of names to values")
    table = floats(options, "options", ndim=2)
    if not 0 < table.size <= LARGEST_TABLE:
        raise InvalidInput(f"a table of options has from 1 to {LARGEST_TABLE} numbers, not {table.size}")
    return table


def encode_numbers(table: FloatArray, names: Sequence[str] | None) -> tuple[Box, FloatArray]:
    """The smallest box around the rows, and the rows encoded in it."""
    names = [f"x{number}" for number in range(1, table.shape[1] + 1)] if names is None else list(names)
    if len(names) != table.shape[1] or any(names.count(name) > 1 for name in names):
        raise InvalidInput(f"names must be {table.shape[1]} different texts, one for each column of the options")
    encoded, parameters = np.empty(table.shape), {}
    for index, (name, column) in enumerate(zip(names, table.T, strict=True)):
        parameters[name] = _real(name, column)
        encoded[:, index] = rounded(parameters[name].encode(column)[:, 0])
    return Box(parameters), encoded


def plain_dicts(options: Given) -> list[dict[str, Value]]:
    """Mappings with plain values; an error unless all have the names of the first."""
    names, rows = list(options[0]), []
    if not names:
        raise InvalidInput("option 1 must have at least one name and value")
    for number, option in enumerate(options, 1):
        if not isinstance(option, Mapping) or option.keys() != options[0].keys():
            raise InvalidInput(f"option {number} must have the names of the first one, {shown(names)}")
        rows.append({name: checked_value(option[name], f"option {number}, {shown(name)},") for name in names})
    return rows


def encode_dicts(rows: list[dict[str, Value]]) -> tuple[Box, FloatArray]:
    """The smallest box around the rows, and the rows encoded in it."""
    box = Box({name: _parameter(name, [row[name] for row in rows]) for name in rows[0]})
    if len(rows) * box.columns > LARGEST_TABLE:
        raise InvalidInput(f"{len(rows)} options in {box.columns} encoded columns exceed {LARGEST_TABLE} cells")
    return box, rounded(box.encode(rows))


def rounded(X: FloatArray) -> FloatArray:
    """X, rounded in place to multiples of STEP."""
    X *= 1.0 / STEP
    np.rint(X, out=X)
    X *= STEP
    return X


def _parameter(name: str, values: list[Value]) -> Parameter:
    kinds = {bool if isinstance(value, bool) else str if isinstance(value, str) else float for value in values}
    if len(kinds) > 1:
        raise InvalidInput(f"the column {shown(name)} of the options mixes numbers, texts or booleans")
    if kinds == {float}:
        return _real(name, np.array(values, dtype=np.float64))
    try:
        return Categorical(list(dict.fromkeys(values)))
    except UnswayedError as error:
        raise InvalidInput(f"the column {shown(name)} of the options: {error}") from None


def _real(name: str, column: FloatArray) -> Real:
    try:
        return Real(column.min(), column.max())
    except UnswayedError as error:
        raise InvalidInput(f"the column {shown(name)} of the options: {error}") from None
