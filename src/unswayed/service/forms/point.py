"""A point as fields, one for each parameter: where something was measured, or what was really set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from unswayed.service.forms.fields import Fields, with_point
from unswayed.spaces import Box, Categorical, Point, Space
from unswayed.spaces.space import named_values
from unswayed.study.tables.cells import parameters_of, point_of, values_of

LISTED = 200  # choices of a list on a page; more are typed


class Entry(NamedTuple):
    """One field of a point.

    Attributes:
        name: The name of the field.
        label: What it is called: the parameter.
        unit: Of its numbers.
        choices: What may be chosen, as text; empty if it is typed.
        number: Whether it is a number.
    """

    name: str
    label: str
    unit: str
    choices: tuple[str, ...]
    number: bool


def entries(space: Space) -> list[Entry]:
    """The fields of a point of a space. Their names are numbers: those of parameters may be any text.

    Args:
        space: What may be varied.
    """
    found = []
    for number, (label, one) in enumerate(parameters_of(space).items()):
        few = isinstance(one, Categorical) and one.size <= LISTED
        choices = tuple(map(str, one.choices)) if isinstance(one, Categorical) and few else ()
        found.append(Entry(f"set-{number}", label, getattr(one, "unit", ""), choices, not isinstance(one, Categorical)))
    return found


def shown_point(space: Space, point: Point) -> dict[str, str]:
    """The fields of a point.

    Args:
        space: What may be varied.
        point: The point.
    """
    known: Mapping[str, Any] = named_values(space.names, point)
    return {one.name: str(known[one.label]) for one in entries(space) if one.label in known}


def read_point(space: Space, fields: Fields) -> Point:
    """The point that was typed; what is wrong is said beside the fields.

    Args:
        space: What may be varied.
        fields: The form.
    """
    cells = {one.label: _cell(one, fields) for one in entries(space)}
    with fields.beside("point"):
        return point_of(space, cells)


def read_move(space: Space, point: Point, fields: Fields) -> Any:
    """What was set otherwise, as `Optimizer.move` takes it; None if it is the same, or wrong.

    Args:
        space: What may be varied.
        point: Where it was to be measured.
        fields: The form, which began with that point.
    """
    before = shown_point(space, point)
    typed = {one.label: _cell(one, fields) for one in entries(space)}
    changed = {one.label for one in entries(space) if fields.text(one.name) not in ("", before.get(one.name, ""))}
    if not changed:
        fields.errors["point"] = "nothing differs from what was asked for: change what was really set"
        return None
    with fields.beside("point"):
        return values_of(space, {name: cell for name, cell in typed.items() if name in changed or _needed(space)})


def _cell(one: Entry, fields: Fields) -> str:
    """What was typed for a parameter."""
    text = fields.text(one.name)
    return with_point(text) if one.number else text


def _needed(space: Space) -> bool:
    """Whether a point needs all of its fields: an option is found by all of them."""
    return not isinstance(space, Box)
