"""What somebody typed into a form, and what is wrong with it, field by field."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import isfinite

from unswayed.errors import InvalidInput
from unswayed.service.interface.schema import Schema, checked
from unswayed.storage.tables.numbers import GRAMMAR
from unswayed.study.tables.cells import number_of


class Fields:
    """The fields of one form: shown again as they were typed, with what is wrong beside each.

    Args:
        typed: The text of each field.
        form: Which form of its page it is.

    Attributes:
        errors: What is wrong, by the name of the field.

    Example:
        >>> fields = Fields({"plays": "many"})
        >>> fields.whole("plays", {"type": "integer"})
        >>> fields.errors["plays"]
        "'many' is not a number"
    """

    def __init__(self, typed: Mapping[str, str], form: str = "") -> None:
        self.typed, self.form = dict(typed), form
        self.errors: dict[str, str] = {}

    @property
    def wrong(self) -> bool:
        """Whether anything is."""
        return bool(self.errors)

    def text(self, name: str) -> str:
        """The text of a field, without spaces around it; empty if there is none."""
        return self.typed.get(name, "").strip()

    def number(self, name: str, schema: Schema | None = None) -> float | None:
        """The number in a field; None if the field is empty, or wrong, which is then said beside it."""
        found: float | None = None
        if self.text(name):
            with self.beside(name):
                number = number_of(with_point(self.text(name)))
                if not (isfinite(number) and self.text(name).isascii()):
                    raise InvalidInput(f"{self.text(name)!r} is not a finite number")
                found = checked(number, schema or {"type": "number"}, "this")
        return found

    def whole(self, name: str, schema: Schema) -> int | None:
        """The whole number in a field; as `number`."""
        found = self.number(name, schema)
        return None if found is None else int(found)

    def needed(self, name: str, schema: Schema | None = None) -> float:
        """A number that must be there; 0 if it is not, which is then said beside the field."""
        if not self.text(name):
            self.errors[name] = "a number is missing"
        return self.number(name, schema) or 0.0

    @contextmanager
    def beside(self, name: str) -> Iterator[None]:
        """Whatever is refused inside the block is said beside a field; the first thing that is wrong with it."""
        try:
            yield
        except InvalidInput as error:
            self.errors.setdefault(name, str(error))


def with_point(text: str) -> str:
    """A number with a decimal point, where its comma cannot stand between thousands; other text as it is.

    Args:
        text: As it was typed, perhaps with a unit.

    Example:
        >>> with_point("0,5"), with_point("70,5 °C"), with_point("1,234")
        ('0.5', '70.5 °C', '1,234')
    """
    number, space, unit = text.partition(" ")
    comma = re.fullmatch("[+-]?[0-9]*,[0-9]+", number) and not re.match(GRAMMAR["point"], number)
    return f"{number.replace(',', '.')}{space}{unit}" if comma else text
