"""The plays of a study as a table that people read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from unswayed.search.play import ABOUT, Play
from unswayed.spaces.space import named_values

if TYPE_CHECKING:
    import pyarrow as pa

ABOUT_PLAYS = ("number", "value", "status", "reason", "why", *ABOUT, "before", "asked", "seconds")


def title(name: str) -> str:
    """How tables of plays call a parameter: by its name, unless that is one of their own columns.

    Args:
        name: The name of the parameter.
    """
    return f"{name} (parameter)" if name in ABOUT_PLAYS else name


def history(plays: Sequence[Play], names: Sequence[str]) -> pa.Table:
    """Every play as a row: number, parameters, value, status, reason, why; source, noise_std, trials, the values before
    corrections, the time of asking and the seconds to the answer where they are known.

    A parameter that a point does not have is empty. A parameter whose name is one of these columns gets the title
    `name (parameter)`.
    """
    import pyarrow as pa

    points = [named_values(names, play.point) for play in plays]
    about: dict[str, list[Any]] = {
        "value": [play.value for play in plays],
        "status": [str(play.status) for play in plays],
        "reason": [play.reason for play in plays],
        "why": [play.why and str(play.why) for play in plays],
    }
    for name in (*ABOUT, "before", "asked", "seconds"):
        told = [_cell(getattr(play, name)) for play in plays]
        about |= {name: told} if any(one is not None for one in told) else {}
    columns: dict[str, list[Any]] = {"number": [play.number for play in plays]}
    for name in names:
        columns[title(name)] = _column([point.get(name) for point in points])
    return pa.table(columns | about)


def _cell(value: Any) -> Any:
    """None for nothing; several values as text."""
    return " ".join(map(repr, value)) or None if isinstance(value, tuple) else value


def _column(values: list[Any]) -> list[Any]:
    """Values of one type, as a table needs them: mixed choices such as "a", 3 and true become text."""
    types = {type(value) for value in values if value is not None}
    mixed = len(types) > 1 and not types <= {int, float}
    return [str(value) if mixed and value is not None else value for value in values]
