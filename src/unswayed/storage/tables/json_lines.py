"""Read a table from JSON lines: one object a line, a row; nested objects become columns such as `config.lr`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from unswayed.errors import InvalidInput
from unswayed.storage.tables.table import Table
from unswayed.text import printable

MOST_COLUMNS = 10_000  # keys that differ from line to line would fill the memory with empty cells


def read_json_lines(lines: Iterable[str], path: Path) -> Table:
    """The table of these lines; cells are the file's text, and null or a missing key is an empty cell.

    Args:
        lines: The lines of the file.
        path: The file, for errors.

    Raises:
        InvalidInput: A line is not one JSON object, has a key twice, or there are no rows.
    """
    columns: dict[str, None] = {}
    rows: list[dict[str, str | None]] = []
    numbers: list[int] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        row = _row(line, f"{path}, line {number}")
        columns.update(dict.fromkeys(row))
        if len(columns) > MOST_COLUMNS:
            raise InvalidInput(f"{path}, line {number}: more than {MOST_COLUMNS:,} different keys: not a table")
        rows.append(row)
        numbers.append(number)
    return _table(path, columns, rows, numbers)


def read_json_list(text: str, path: Path) -> Table:
    """The table of a file that is one list of objects; or of lines, if it is not.

    Args:
        text: The file.
        path: The file, for errors.

    Raises:
        InvalidInput: The file is neither.
    """
    if not text.lstrip("\ufeff \t\r\n").startswith("["):
        if _is_one_object(text):
            raise InvalidInput(f"{path} holds columns, not rows: write one object on each line, or a list of objects")
        try:
            return read_json_lines(text.splitlines(), path)
        except InvalidInput as error:
            raise InvalidInput(f"{error}: write one object on each line, or a list of objects") from None
    try:
        found = json.loads(text, object_pairs_hook=_once, parse_int=str, parse_float=str, parse_constant=str)
    except json.JSONDecodeError as error:
        raise InvalidInput(f"{path}, line {error.lineno}: not JSON: {error.msg}") from None
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from None
    except RecursionError:
        raise InvalidInput(f"{path}: objects are nested too deeply") from None
    if not all(
        isinstance(one, dict) and not any(isinstance(cell, dict | list) for cell in one.values()) for one in found
    ):
        raise InvalidInput(f"{path} is no list of plain objects: write one object on each line (.jsonl)")
    columns = dict.fromkeys(name for one in found for name in one)
    if len(columns) > MOST_COLUMNS:
        raise InvalidInput(f"{path}: more than {MOST_COLUMNS:,} different keys: not a table")
    try:
        "".join(columns).encode()
        return _table(path, columns, [dict(_flat(one, "")) for one in found], None)
    except UnicodeEncodeError:
        raise InvalidInput(f"{path}: there is text that is not Unicode") from None


def _is_one_object(text: str) -> bool:
    """Whether a file is one object of lists or objects, as programs write tables by columns."""
    try:
        found = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        return False
    return isinstance(found, dict) and bool(found) and all(isinstance(one, list | dict) for one in found.values())


def _table(
    path: Path, columns: Iterable[str], rows: Sequence[Mapping[str, str | None]], lines: list[int] | None
) -> Table:
    import pyarrow as pa

    columns = list(columns)
    if not columns:
        raise InvalidInput(f"{path} holds no rows")
    cells = [pa.chunked_array([pa.array([row.get(name) for row in rows], pa.large_string())]) for name in columns]
    return Table(path, columns, cells, None if lines is None else np.array(lines, dtype=np.int64), decimal="point")


def _row(line: str, place: str) -> dict[str, str | None]:
    """The cells of one line by column."""
    try:
        found = json.loads(line, object_pairs_hook=_once, parse_int=str, parse_float=str, parse_constant=str)
        if not isinstance(found, dict):
            raise InvalidInput('each line must be a JSON object, such as {"lr": 0.1, "acc": 0.93}')
        row = _once(list(_flat(found, "")))
        "".join(f"{name}{cell}" for name, cell in row.items()).encode()
        return row
    except InvalidInput as error:
        raise InvalidInput(f"{place}: {error}") from None
    except json.JSONDecodeError as error:
        raise InvalidInput(f"{place}: not JSON: {error.msg} at character {error.pos + 1}") from None
    except UnicodeEncodeError:
        raise InvalidInput(f"{place}: there is text that is not Unicode") from None
    except RecursionError:
        raise InvalidInput(f"{place}: objects are nested too deeply") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidInput(f"the key {printable(repr(twice), limit=80)} is there more than once")
    return found


def _flat(value: Any, name: str) -> Iterator[tuple[str, str | None]]:
    """The cells of a value: an object has many, anything else one."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _flat(one, f"{name}.{key}" if name else key)
    else:
        yield name, None if value is None else _text(value)


def _text(value: Any) -> str:
    """A cell as text: numbers as they are in the file, a list such as [64, 32]."""
    if isinstance(value, list):
        return f"[{', '.join(map(_text, value))}]"
    if isinstance(value, dict):  # in a list
        return f"{{{', '.join(f'{key}: {_text(one)}' for key, one in value.items())}}}"
    return value if isinstance(value, str) else json.dumps(value)
