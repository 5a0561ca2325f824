"""A new study as fields: its name, what may be varied, what is measured, and what may be false."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from unswayed.errors import InvalidInput
from unswayed.service.forms.fields import Fields
from unswayed.service.forms.threat import read_threat
from unswayed.service.interface.bodies import NAME, SETTINGS, Body
from unswayed.service.interface.schema import checked
from unswayed.spaces import space_from_tables
from unswayed.spaces.parameters import parameter_from_record
from unswayed.storage.tables.text import SAMPLE, read_csv
from unswayed.study.tables.cells import number_of

ROWS = 3  # parameters that an empty form has room for
MOST_ROWS = 30  # parameters that a form has room for; a file space.toml may have more
CELLS = ("name", "type", "low", "high", "step", "unit", "log", "choices")  # of a parameter


def rows(fields: Fields) -> int:
    """How many parameters the form has room for: one more after each press of its button.

    Args:
        fields: The form.
    """
    given = fields.text("rows")
    known = min(int(given), MOST_ROWS) if given.isascii() and given.isdigit() and len(given) < 10 else ROWS
    return min(max(known, 1) + bool(fields.text("more")), MOST_ROWS)


def read_study(fields: Fields) -> Body:
    """What the form says, as the interface takes it. What is wrong is said beside the fields.

    Args:
        fields: The form.
    """
    with fields.beside("name"):
        checked(fields.text("name"), NAME, "this")
    body: Body = {"name": fields.text("name"), "space": _space(fields), "minimize": fields.text("goal") == "smaller"}
    body["plays"] = fields.whole("plays", SETTINGS["plays"])
    body["seed"] = fields.whole("seed", SETTINGS["seed"])
    body["note"] = fields.text("note") or None
    body["threat"] = read_threat(fields)
    return {name: one for name, one in body.items() if one is not None}


def _space(fields: Fields) -> Body:
    """What may be varied, by the kind that was chosen; what is wrong with all of it is said beside one field."""
    known, kind = len(fields.errors), fields.text("kind")
    space: Body = {}
    if kind == "options":
        where, nothing = "options", "give the options, one on each line"
        space = {"options": [line.strip() for line in fields.text("options").splitlines() if line.strip()]}
    elif kind == "table":
        where, nothing = "table", "paste a table with a row for each option"
        if fields.text("table"):
            with fields.beside("table"):
                space = {"options": options_of(fields.typed["table"])}
    elif kind == "parameters":
        where, nothing = "space", "name at least one parameter"
        space = _parameters(fields)
    else:
        where, nothing = "kind", "choose what is varied"
    if len(fields.errors) == known:
        with fields.beside(where):
            if not any(space.values()):
                raise InvalidInput(nothing)
            space_from_tables(space)
    return space


def _parameters(fields: Fields) -> Body:
    """The table of each parameter that was filled in, as in space.toml."""
    space: Body = {}
    for row in range(rows(fields)):
        cells = {cell: fields.text(f"{cell}-{row}") for cell in CELLS}
        if not any(one for cell, one in cells.items() if cell != "type"):
            continue
        name = cells["name"]
        if not name or name in space or name == "options":
            why = "there is another one of this name" if name in space else "this name means something else"
            fields.errors[f"name-{row}"] = why if name else "give it a name"
            continue
        with fields.beside(f"name-{row}"):
            space[name] = _parameter(fields, row, cells)
            if not any(f"{cell}-{row}" in fields.errors for cell in CELLS):
                parameter_from_record(space[name])
    return space


def _parameter(fields: Fields, row: int, cells: dict[str, str]) -> Body:
    """One parameter, as a table of space.toml."""
    if cells["type"] == "choices":
        choices = [one.strip() for line in cells["choices"].splitlines() for one in line.split(",")]
        return {"choices": [number_or_text(one) for one in choices if one]}
    record: Body = {"type": "integer"} if cells["type"] == "whole" else {}
    record |= {end: fields.needed(f"{end}-{row}") for end in ("low", "high")}
    if cells["type"] == "whole":
        record |= {end: int(record[end]) if record[end].is_integer() else record[end] for end in ("low", "high")}
    elif cells["step"]:
        record["step"] = fields.needed(f"step-{row}")
    record |= {"unit": cells["unit"]} if cells["unit"] else {}
    return record | ({"log": True} if cells["log"] else {})


def number_or_text(text: str) -> Any:
    """A choice: a number if it is written as one is printed, else text.

    Args:
        text: As it was typed.

    Example:
        >>> number_or_text("16"), number_or_text("0.5"), number_or_text("007")
        (16, 0.5, '007')
    """
    try:
        number = number_of(text)
    except InvalidInput:
        return text
    plain = int(number) if number.is_integer() else number
    return next((one for one in (plain, number) if str(one) == text), text)


def options_of(text: str) -> list[dict[str, Any]]:
    """The options of a table that was pasted, or read from a file: a row for each.

    Args:
        text: The table, with commas, semicolons or tabs between its cells, as spreadsheets copy it.

    Returns:
        An object of parameters for each row.

    Raises:
        InvalidInput: It is no such table; the message names the line.

    Example:
        >>> options_of("dose\\tsalt\\n1,5\\tNaCl\\n2,5\\tKCl\\n")
        [{'dose': 1.5, 'salt': 'NaCl'}, {'dose': 2.5, 'salt': 'KCl'}]
    """
    text = text.strip("\r\n") + "\n"
    table = read_csv(iter(text.splitlines(keepends=True)), text[:SAMPLE], Path("the table"), None)
    columns: list[list[Any]] = []
    for number in range(len(table.columns)):
        if table.is_text(number):
            codes, labels = table.labels(number)
            columns.append([labels[code].strip() for code in codes])
        else:
            columns.append(table.numbers(number).tolist())
    if len(columns) == 1 and isinstance(columns[0][0], str):
        raise InvalidInput("one column of text is a list of options: choose that above")
    names = table.names or [f"x{number}" for number in range(1, len(columns) + 1)]
    return [dict(zip(names, cells, strict=True)) for cells in zip(*columns, strict=True)]
