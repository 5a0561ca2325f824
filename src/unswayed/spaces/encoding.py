"""Single values of parameters, converted, checked and shown in errors; and what every parameter can do with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import inf, isfinite
from typing import Any, Protocol

import numpy as np

from unswayed.errors import InvalidInput, UnswayedError
from unswayed.types import FloatArray

Value = str | int | float | bool
When = Mapping[str, Value | Sequence[Value]]  # the parameter that decides, and its value or values
LARGEST_INTEGER = 2**53
LONGEST_NAME, LONGEST_SHOWN = 200, 60


class Encoding(Protocol):
    """The methods of `Real`, `Integer` and `Categorical`."""

    @property
    def columns(self) -> int:
        """The number of encoded columns."""

    @property
    def size(self) -> int | None:
        """The number of values; None if there are infinitely many."""

    def check(self, value: object, name: str) -> Value:
        """The value as plain Python.

        Args:
            value: A value as people give it.
            name: Name of the parameter, for the error.

        Raises:
            InvalidInput: It is not a value of this parameter.
        """

    def encode(self, values: Any) -> FloatArray:
        """A row of columns for each value.

        Args:
            values: Values that were checked.
        """

    def decode(self, Z: FloatArray) -> list[Any]:
        """The nearest value to each row.

        Args:
            Z: Encoded rows.
        """

    def legal(self, Z: FloatArray) -> FloatArray:
        """Each row moved to its nearest value: exactly encode(decode(Z)), but faster.

        Args:
            Z: Encoded rows.
        """

    def spread(self, u: FloatArray) -> FloatArray:
        """Encoded values that are as uniform as u.

        Args:
            u: Numbers in [0, 1].
        """

    def grid(self, levels: int) -> FloatArray:
        """Encoded values that cover the parameter, the ends included.

        Args:
            levels: Largest number of values; categories always have all.
        """

    def move(self, Z: FloatArray, radius: float, rng: np.random.Generator, *, surely: bool) -> FloatArray:
        """A random step from each row.

        Args:
            Z: Encoded rows.
            radius: Largest step of a number, probability of a change for categories.
            rng: Random numbers.
            surely: Whether every discrete value has to change.
        """

    def near(self, value: Any) -> list[Any]:
        """The values next to one: a step less and more, or the other choices; none in a continuum.

        Args:
            value: A value that was checked.
        """

    def describe(self, value: Any) -> str:
        """The value as text.

        Args:
            value: A value that was checked.
        """

    def record(self) -> dict[str, Any]:
        """The parameter as plain values for JSON."""


def plain(value: object) -> object:
    """A NumPy scalar as a plain Python value; anything else unchanged."""
    if isinstance(value, np.floating):  # also a long double, which `item` would leave as it is
        return float(value)
    return value.item() if isinstance(value, np.generic) else value


def to_float(value: object) -> float | None:
    """A number as a float (infinite if it is too large); None for booleans and anything else."""
    if type(value) is float:
        return value + 0.0  # no negative zero
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        return float(value) + 0.0
    except OverflowError:
        return inf if value > 0 else -inf


def to_int(value: object) -> int | None:
    """A whole number as an int (3.0 becomes 3); None for anything else."""
    value = plain(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def checked_value(value: object, what: str) -> Value:
    """A text, whole number, finite number or boolean that every journal can store; else an error about `what`."""
    value = plain(value)
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise InvalidInput(f"{what} contains a character that is not valid Unicode: {shown(value)}") from None
        return value
    if not isinstance(value, bool | int | float):
        raise InvalidInput(f"{what} must be a text, a number or a boolean, not {shown(value)}")
    if isinstance(value, int) and abs(value) > LARGEST_INTEGER:
        raise InvalidInput(f"{what} must lie within +-2^53, not {shown(value)}")
    if isinstance(value, float) and not isfinite(value):
        raise InvalidInput(f"{what} must be finite, not {shown(value)}")
    return value


def checked_when(when: object) -> dict[str, tuple[Value, ...]]:
    """A condition as the name of one parameter with a tuple of its values."""
    if not isinstance(when, Mapping) or len(when) != 1:
        raise InvalidInput(f"when must be one name with its value or values, as {{'kind': 'svm'}}, not {shown(when)}")
    [(name, given)] = when.items()
    values = given if isinstance(given, Sequence) and not isinstance(given, str | bytes) else [given]
    if not values:
        raise InvalidInput(f"when needs at least one value of {shown(name)}")
    return {name_text(name, "the name in when"): tuple(checked_value(value, "a value in when") for value in values)}


def when_record(when: When | None) -> dict[str, Any]:
    """A checked condition as plain values for JSON, under its key; nothing if there is none."""
    return {} if when is None else {"when": {name: list(given) for name, given in checked_when(when).items()}}


def name_text(value: object, what: str) -> str:
    """A short printable text without braces; braces mark names in the templates of commands."""
    value = plain(value)
    if not isinstance(value, str):
        raise InvalidInput(f"{what} must be a text, not {shown(value)}")
    if not value.strip() or len(value) > LONGEST_NAME or not value.isprintable() or "{" in value or "}" in value:
        rule = f"must be a printable text without braces, at most {LONGEST_NAME} characters long"
        raise InvalidInput(f"{what} {rule}, not {shown(value)}")
    return value


def shown(value: object) -> str:
    """A value as text for an error: one line of limited length; 11.0 is shown as 11."""
    value = plain(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, int) and abs(value) > 10**LONGEST_SHOWN:
        return "a number of more than 60 digits"  # str() of thousands of digits is an error
    text = " ".join(repr(value).split())
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}..."


@contextmanager
def errors_in(place: str) -> Iterator[None]:
    """Begin the line of an error inside the block with its place."""
    try:
        yield
    except UnswayedError as error:
        raise InvalidInput(f"{place}: {error}") from None
