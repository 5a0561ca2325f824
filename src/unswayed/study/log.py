"""The log of a study: the fold of its records, and the table that people read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unswayed.core.measurement import Measurement
from unswayed.errors import InvalidInput, JournalError, UnswayedError
from unswayed.search.play import Play, Status, Why
from unswayed.spaces import Point, Space
from unswayed.spaces.space import named_values
from unswayed.storage import Record
from unswayed.types import whole

if TYPE_CHECKING:
    import pyarrow as pa


ABOUT = ("source", "noise_std", "trials")


def plain(point: Point) -> Any:
    """The point as JSON keeps it."""
    return list(point) if isinstance(point, tuple) else point


def find(log: Sequence[Play], play: Play | int) -> Play:
    """What is known of a play, given as a Play or as a number; refuse a play of another study."""
    number = whole(play.number if isinstance(play, Play) else play, "the number of a play", least=0)
    if number >= len(log):
        raise InvalidInput(f"play {number} was never asked for; the last one is {len(log) - 1}")
    if isinstance(play, Play) and play.point != log[number].point:
        raise InvalidInput(f"play {number} of this study has another point; it belongs to another study")
    return log[number]


def take(log: list[Play], record: Record, space: Space) -> None:
    """Add one more record to the log; refuse a record that cannot follow."""
    kind = record["kind"]
    if kind == "extend":  # changes the number of plays; `plays_planned` reads it
        return
    number = whole(record["play"], "the number of a play", least=0)
    if kind == "ask":
        if number != len(log):
            raise InvalidInput(f"play {number} follows play {len(log) - 1}")
        point, why = space.check(record["point"]), Why.read(record.get("why"))
        log.append(Play(number, point, source=record.get("source"), why=why))
        return
    play = log[number]
    if kind == "tell" and play.status is Status.OPEN:
        told = Measurement(**{name: record[name] for name in ("value", *ABOUT) if name in record})
        log[number] = replace(play, status=Status.TOLD, **vars(told))
    elif kind == "fail" and play.status is Status.OPEN:
        log[number] = replace(play, status=Status.FAILED, reason=record["reason"])
    elif kind == "retract" and play.status is Status.TOLD:
        log[number] = replace(play, status=Status.RETRACTED, reason=record["reason"])
    else:
        raise InvalidInput(f"{kind!r} of a play that is {play.status}")


def replay(records: Sequence[Record], space: Space) -> list[Play]:
    """The log that all records of a journal add up to; the first one is the header."""
    log: list[Play] = []
    for number, record in enumerate(records[1:], start=2):
        try:
            take(log, record, space)
        except (KeyError, TypeError, IndexError, AttributeError, OverflowError, UnswayedError) as error:
            raise _senseless(number, error) from None
    return log


def plays_planned(records: Sequence[Record], first: int | None) -> int | None:
    """How many plays the study has in all: as it was begun (`first`), or as it was last extended."""
    plays = first
    for number, record in enumerate(records[1:], start=2):
        if record.get("kind") == "extend":
            try:
                more = record["plays"]
                plays = None if more is None else whole(more, "plays", least=(plays or 0) + 1)
            except (KeyError, UnswayedError) as error:
                raise _senseless(number, error) from None
    return plays


def _senseless(number: int, error: Exception) -> JournalError:
    return JournalError(f"record {number} of the journal is invalid: {error}")


def history(plays: Sequence[Play], names: Sequence[str]) -> pa.Table:
    """Every play as a row: number, parameters, value, status, reason, why; source, noise_std and trials where told.

    A parameter whose name is one of these columns gets the title `name (parameter)`.
    """
    import pyarrow as pa

    points = [named_values(names, play.point) for play in plays]
    about: dict[str, list[Any]] = {
        "value": [play.value for play in plays],
        "status": [str(play.status) for play in plays],
        "reason": [play.reason for play in plays],
        "why": [play.why and str(play.why) for play in plays],
    }
    for name in ABOUT:
        told = [getattr(play, name) for play in plays]
        about |= {name: told} if any(one is not None for one in told) else {}
    columns: dict[str, list[Any]] = {"number": [play.number for play in plays]}
    for name in names:
        title = f"{name} (parameter)" if name in ("number", *about) else name
        columns[title] = _column([point[name] for point in points])
    return pa.table(columns | about)


def _column(values: list[Any]) -> list[Any]:
    """Values of one type, as a table needs them: mixed choices such as "a", 3 and true become text."""
    types = {type(value) for value in values}
    return values if len(types) == 1 or types <= {int, float} else [str(value) for value in values]
