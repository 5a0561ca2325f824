"""The plays of a study: what was asked, and what came of it. A study's state is the fold of its records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

from holdfast.spaces import Point, Space
from holdfast.storage import Record
from holdfast.types import HoldfastError, whole

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
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise HoldfastError(f"a measurement must be a number, not {value!r}") from None
    if not isfinite(number):
        raise HoldfastError(f"a measurement must be finite, not {number}; report it with fail() instead")
    if abs(number) > LARGEST_VALUE:
        raise HoldfastError(f"a measurement of {number:g} is beyond what can be computed: give it in larger units")
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


def take(log: list[Play], record: Record, space: Space) -> None:
    """The log after one more record; an error for a record that cannot follow."""
    kind = record["kind"]
    if kind == "extend":  # says how many plays there will be, nothing of any of them
        return
    number = whole(record["ticket"], "a ticket's number", least=0)
    if kind == "ask":
        if number != len(log):
            raise HoldfastError(f"ticket {number} follows ticket {len(log) - 1}")
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
        raise HoldfastError(f"{kind!r} of a ticket that is {play.status}")


def replay(records: list[Record], space: Space) -> list[Play]:
    """The log that all records of a journal, the first of which is the study's header, add up to."""
    log: list[Play] = []
    for number, record in enumerate(records[1:], start=2):
        try:
            take(log, record, space)
        except (KeyError, TypeError, IndexError, AttributeError, HoldfastError) as error:
            raise HoldfastError(f"record {number} of the journal makes no sense: {error}") from None
    return log
