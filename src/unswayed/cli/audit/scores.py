"""Scores on items in a file, for `unswayed audit` and `unswayed compare`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unswayed.errors import InvalidInput
from unswayed.storage.tables import Table, read_table
from unswayed.storage.tables.mistakes import refuse_lookalikes, refuse_twice
from unswayed.storage.tables.table import listed
from unswayed.text import counted
from unswayed.types import FloatArray

if TYPE_CHECKING:
    from unswayed.audits.scores.audit import ScoreAudit

Name = str | None
RIGHT = ("correct", "right", "pass", "passed", "success", "solved", "resolved", "c")
WRONG = ("incorrect", "wrong", "fail", "failed", "failure", "unsolved", "unresolved", "i")
ITEMS = (
    *("item", "item_id", "question_id", "task_id", "instance_id", "sample_id", "example_id", "problem_id", "doc_id"),
    *("question", "task", "instance", "sample", "example", "problem", "patient", "case", "uid", "id", "name", "key"),
)
"""What a column of items is often called, the most certain first."""
SCORES = (
    *("score", "correct", "is_correct", "accuracy", "acc", "exact_match", "pass", "passed", "success", "resolved"),
    *("solved", "reward", "grade", "rating", "f1", "value", "result", "metric"),
)
"""What a column of scores is often called, the most certain first."""


def audit_file(
    file: Path, names: dict[str, Name], *, decimal: str | None, settings: dict[str, Any]
) -> tuple[ScoreAudit, list[str]]:
    """The audit of a file of scores, and how it was read."""
    from unswayed.audits.scores.audit import audit_scores

    if missing := [f"--{name}" for name in ("item", "option", "score") if names[name] is None]:
        raise InvalidInput(f"scores on items need --item, --option and --score: add {listed(missing)}")
    table = read_table(file, decimal)
    place = {name: _column(table, column) for name, column in names.items() if column is not None}
    if len(set(place.values())) < len(place):
        raise InvalidInput("a column of scores can be one thing only: item, option, score, source or group")
    refuse_twice(table)
    table, notes = _filled(table, place)
    for name in ("option", "source", "group"):
        if name in place:
            refuse_lookalikes(table, place[name])
    cells = {name: _labels(table, place[name]) for name in place if name != "score"}
    scores = _scores(table, place["score"])
    notes += [table.sentence] if table.sentence is not None else []
    beside: dict[str, Any] = {"sources": cells.get("source"), "groups": cells.get("group")}
    try:
        found = audit_scores(cells["item"], cells["option"], scores, **beside, **settings, lines=_lines(table))
    except InvalidInput as error:
        raise InvalidInput(f"{file}, {error}") from None
    return found, [*notes, *found.data.notes]


@dataclass(frozen=True, eq=False)
class Log:
    """A log of one option.

    Attributes:
        items: What was scored on.
        scores: The score of each.
        lines: The line of each in the file; None if it has no lines.
        notes: How it was read.
    """

    items: list[str]
    scores: FloatArray
    lines: list[int] | None
    notes: list[str]


def read_log(file: Path, item: Name, score: Name, decimal: str | None) -> Log:
    """The items and the scores of a log of one option, and how it was read."""
    table = read_table(file, decimal)
    if table.names is None:
        raise InvalidInput(f"{file} has no line with the names of its columns: add one")
    by_item = _column(table, item) if item is not None else _guessed(table, ITEMS, "item")
    by_score = _column(table, score) if score is not None else _guessed(table, SCORES, "score")
    if by_item == by_score:
        raise InvalidInput(f"{file}: the column {table.named(by_item)} cannot be both the item and the score")
    table, notes = _filled(table, {"item": by_item, "score": by_score})
    names, scores = _labels(table, by_item), _scores(table, by_score)
    read = f"{table.named(by_item)} is the item, {table.named(by_score)} the score"
    return Log(names, scores, _lines(table), [read, *notes, *([table.sentence] if table.sentence is not None else [])])


def _guessed(table: Table, known: tuple[str, ...], what: str) -> int:
    """The column whose name says that it holds the items, or the scores."""
    names = [name.strip().lower().replace(" ", "_") for name in table.names or []]
    for word in known:
        if word in names:
            return names.index(word)
    raise InvalidInput(f"{table.path}: which column is the {what}? Name it with --{what}: {listed(table.names or [])}")


def _column(table: Table, name: str) -> int:
    names = table.names or []
    if name not in names:
        raise InvalidInput(f"{table.path} has no column {name!r}: it has {listed(names)}")
    return names.index(name)


def _filled(table: Table, place: dict[str, int]) -> tuple[Table, list[str]]:
    """The rows without an empty cell, and how many were left out."""
    empty = np.logical_or.reduce([table.empty(column, numbers=name == "score") for name, column in place.items()])
    if empty.all():
        raise InvalidInput(f"{table.path}: every row has an empty cell in one of these columns")
    if not empty.any():
        return table, []
    kept = table.rows(np.flatnonzero(~empty))
    rows = counted(int(empty.sum()), "row")
    return kept, [f"left out: {rows} with an empty cell (write 0 where an empty score is a failure)"]


def _labels(table: Table, column: int) -> list[str]:
    codes, labels = table.labels(column)
    return [labels[code] for code in codes.tolist()]


def _scores(table: Table, column: int) -> FloatArray:
    """A column of scores: numbers, yes and no, or words for right and wrong."""
    if table.is_text(column):
        codes, labels = table.labels(column)
        words = [label.strip().lower() for label in labels]
        if set(words) <= {*RIGHT, *WRONG}:
            table.understood.setdefault(
                "words", f"{listed(labels[:2])} as {listed(str(int(w in RIGHT)) for w in words[:2])}"
            )
            return np.array([float(word in RIGHT) for word in words])[codes]
    return table.numbers(column)


def _lines(table: Table) -> list[int] | None:
    return None if table.lines is None else table.lines.tolist()
