"""The plays of a study: what was asked, and what came of it. A study's state is the fold of its records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from numbers import Complex, Real
from typing import Any

import pyarrow as pa

from unswayed.errors import InvalidInput, UnswayedError
from unswayed.spaces import Point, Space
from unswayed.storage import Record
from unswayed.types import positive, whole

LARGEST_VALUE = 1e100


@dataclass(frozen=True)
class Ticket:
    """One play that was asked for."""

    number: int
    point: Point


@dataclass(frozen=True)
class Play:
    """What is known of a ticket: open, answered with `value`, failed or retracted for a `reason`."""

    ticket: int
    point: Point
    status: str = "open"
    value: float | None = None
    reason: str | None = None


def finite(value: object) -> float:
    """A measurement as a float; NaN, infinities and what is no number are refused."""
    try:
        if isinstance(value, Complex) and not isinstance(value, Real):
            raise TypeError
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(f"a measurement must be a number, not {value!r}") from None
    if not isfinite(number):
        raise InvalidInput(f"a measurement must be finite, not {number}; report it with fail() instead")
    if abs(number) > LARGEST_VALUE:
        raise InvalidInput(f"a measurement of {number:g} is beyond what can be computed: give it in larger units")
    return number


def amount(value: float, name: str, *, zero: bool = False) -> float:
    """A positive quantity (or zero, where that is allowed) in units of the measurements."""
    number = positive(value, name, zero=zero)
    if number > LARGEST_VALUE:
        raise InvalidInput(f"{name} of {number:g} is beyond what can be computed: give it in larger units")
    return number


def by_name(space: Space, point: Point) -> dict[str, Any]:
    """The values of a point under the names of the space: columns of a history, placeholders of a command."""
    if isinstance(point, Mapping):
        return dict(point)
    values = point if isinstance(point, tuple) and len(space.names) == len(point) else (point,)
    return dict(zip(space.names, values, strict=True))


def plain(point: Point) -> Any:
    """The point as JSON keeps it."""
    return list(point) if isinstance(point, tuple) else point


def history_of(log: Sequence[Play], space: Space) -> pa.Table:
    """Every play as a row: number, parameters (`name (parameter)` if the table has such a column), value, and so on."""
    points = [by_name(space, play.point) for play in log]
    about = {name: [getattr(play, name) for play in log] for name in ("ticket", "value", "status", "reason")}
    columns = {"ticket": about.pop("ticket")}
    for name in space.names:
        title = f"{name} (parameter)" if name in ("ticket", *about) else name
        columns[title] = _column([point[name] for point in points])
    return pa.table(columns | about)


def _column(values: list[Any]) -> list[Any]:
    """Values of one type, as a table needs them: choices such as "a", 3 and true become texts."""
    types = {type(value) for value in values}
    return values if len(types) == 1 or types <= {int, float} else [str(value) for value in values]


def take(log: list[Play], record: Record, space: Space) -> None:
    """The log after one more record; an error for a record that cannot follow."""
    kind = record["kind"]
    if kind == "extend":  # says how many plays there will be, nothing of any of them
        return
    number = whole(record["ticket"], "a ticket's number", least=0)
    if kind == "ask":
        if number != len(log):
            raise InvalidInput(f"ticket {number} follows ticket {len(log) - 1}")
        log.append(Play(number, space.check(record["point"])))
        return
    play = log[number]
    if kind == "tell" and play.status == "open":
        log[number] = replace(play, status="told", value=finite(record["value"]))
    elif kind == "fail" and play.status == "open":
        log[number] = replace(play, status="failed", reason=record["reason"])
    elif kind == "retract" and play.status == "told":
        log[number] = replace(play, status="retracted", reason=record["reason"])
    else:
        raise InvalidInput(f"{kind!r} of a ticket that is {play.status}")


def replay(records: list[Record], space: Space) -> list[Play]:
    """The log that all records of a journal, the first of which is the study's header, add up to."""
    log: list[Play] = []
    for number, record in enumerate(records[1:], start=2):
        try:
            take(log, record, space)
        except (KeyError, TypeError, IndexError, AttributeError, UnswayedError) as error:
            raise InvalidInput(f"record {number} of the journal makes no sense: {error}") from None
    return log
