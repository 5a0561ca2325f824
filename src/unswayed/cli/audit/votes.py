"""Votes in a file, for `unswayed audit`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from unswayed.errors import InvalidInput
from unswayed.storage.tables import Table, read_table
from unswayed.storage.tables.mistakes import refuse_lookalikes, refuse_twice
from unswayed.storage.tables.table import listed

if TYPE_CHECKING:
    from unswayed.audits.votes.audit import VoteAudit
    from unswayed.core.tampering.threat import Threat

Name = str | None


def audit_file(
    file: Path, votes: dict[str, Name], *, decimal: str | None, threat: Threat | None, delta: float
) -> tuple[VoteAudit, list[str]]:
    """The audit of a file of votes, and how it was read."""
    from unswayed.audits.votes.audit import audit_votes

    left, right, voter, number = (votes[name] for name in ("left", "right", "voter", "number"))
    if missing := [f"--{name}" for name in ("left", "right", "winner") if votes[name] is None]:
        raise InvalidInput(f"votes need --left, --right and --winner: add {listed(missing)}")
    table = read_table(file, decimal)
    place = {name: _column(table, column) for name, column in votes.items() if column is not None}
    if len(set(place.values())) < len(place):
        raise InvalidInput("a column of votes can be one thing only: left, right, winner, voter or number")
    if number is None and voter is not None:
        refuse_twice(table)
    rows = len(table.columns[0])
    table = _filled(table, place)
    notes = [] if table.sentence is None else [table.sentence]
    if (kept := len(table.columns[0])) < rows:
        notes.append(f"left out: {rows - kept:,} rows with an empty cell")
    cells = {name: _labels(table, place[name]) for name in place if name != "number"}
    for name in ("left", "right", "voter"):
        if name in place:
            refuse_lookalikes(table, place[name])
    lines = None if table.lines is None else table.lines.tolist()
    try:
        found = audit_votes(
            cells["left"],
            cells["right"],
            cells["winner"],
            voters=cells.get("voter"),
            number=None if number is None else table.numbers(place["number"]),
            threat=threat,
            delta=delta,
            lines=lines,
            sides=(str(left), str(right)),
        )
    except InvalidInput as error:
        raise InvalidInput(f"{file}, {error}") from None
    return found, notes


def audit_wins_file(file: Path, *, decimal: str | None, threat: Threat | None, delta: float) -> VoteAudit:
    """The audit of a file with a table of wins: a column of options, then one column for each."""
    from unswayed.audits.votes.audit import audit_wins

    table = read_table(file, decimal)
    labels = _labels(table, 0)
    names = (table.names or [])[1:]
    if sorted(names) != sorted(labels):
        raise InvalidInput(f"{file}: a table of wins has a first column of options and a column for each of them")
    order = [names.index(label) for label in labels]
    wins = np.column_stack([np.nan_to_num(_wins(table, 1 + column)) for column in order])
    try:
        return audit_wins(labels, wins, threat=threat, delta=delta)
    except InvalidInput as error:
        raise InvalidInput(f"{file}: {error}") from None


def _wins(table: Table, column: int) -> np.ndarray:
    """A column of wins; an empty cell, as on the diagonal, is 0."""
    empty = table.empty(column, numbers=True)
    found = np.zeros(len(empty))
    if not empty.all():
        found[~empty] = table.without(empty).numbers(column)
    return found


def _column(table: Table, name: str) -> int:
    names = table.names or []
    if name not in names:
        raise InvalidInput(f"{table.path} has no column {name!r}: it has {listed(names)}")
    return names.index(name)


def _filled(table: Table, place: dict[str, int]) -> Table:
    """The rows without an empty cell."""
    empty = np.logical_or.reduce([table.empty(column, numbers=name == "number") for name, column in place.items()])
    if empty.all():
        raise InvalidInput(f"{table.path}: every row has an empty cell in one of these columns")
    return table.without(empty)


def _labels(table: Table, column: int) -> list[str]:
    codes, labels = table.labels(column)
    return [str(cell) for cell in np.array(labels, dtype=object)[codes]]
