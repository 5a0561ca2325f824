"""Single values of parameters: converted to plain Python, checked, and shown in errors."""

from __future__ import annotations

from math import inf, isfinite

import numpy as np

from unswayed.errors import InvalidInput

Value = str | int | float | bool
PLAIN = frozenset((float, int, str, bool))
LARGEST_INTEGER = 2**53
LONGEST_NAME, LONGEST_SHOWN = 200, 60


def plain(value: object) -> object:
    """A NumPy scalar as a plain Python value; anything else unchanged."""
    if type(value) in PLAIN:  # the common case; the loop below is slow
        return value
    for numpy_kind, kind in ((np.bool_, bool), (np.integer, int), (np.floating, float), (np.str_, str)):
        if isinstance(value, numpy_kind):
            return kind(value)
    return value


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
