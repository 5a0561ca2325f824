"""Which column of a file is what, for `unswayed audit`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from unswayed.cli.audit.counts import Named, without_trials
from unswayed.errors import InvalidInput
from unswayed.storage.tables import Table
from unswayed.storage.tables.mistakes import (
    id_column,
    refuse_lookalikes,
    refuse_running_totals,
    refuse_total_names,
    refuse_totals,
    refuse_twice,
)
from unswayed.storage.tables.runs import Runs, read_runs
from unswayed.storage.tables.table import listed
from unswayed.text import digits
from unswayed.types import FloatArray

Name = str | None
DATE = re.compile(r"(\d{4}-\d{1,2}-\d{1,2}|\d{4}/\d{1,2}/\d{1,2}|\d{1,2}[./-]\d{1,2}[./-](\d{4}|\d{2}))([T ]\d.*)?")


@dataclass(frozen=True, eq=False)
class Columns:
    """What the columns of a file hold.

    Attributes:
        file: The file.
        options: The label of each row's option; None if options are rows of parameters.
        names: The names of the columns of x.
        x: The parameters; no columns if options have labels. A category has a column for each of its words.
        own: The cells of the parameters as the file has them, if some are categories: numbers or words.
        y: The values; with trials, the successes.
        trials: Of each row.
        noise: The standard error of each value.
        sources: Who made each measurement.
        lines: The line of each row.
        notes: What was left out although nobody asked for that, each in one line.
    """

    file: Path
    options: Sequence[str] | None
    names: list[str]
    x: FloatArray
    own: dict[str, FloatArray | list[str]]
    y: FloatArray
    trials: FloatArray | None
    noise: FloatArray | None
    sources: Sequence[str] | None
    lines: list[int] | None
    notes: list[str]

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Name the file in errors about its lines, and say how it was read."""
        try:
            yield
        except InvalidInput as error:
            begin = ", " if str(error).startswith(("line ", "row ")) else ": "
            end = "".join(f" ({note})" for note in self.notes)
            raise InvalidInput(f"{self.file}{begin}{error}{end}") from None

    @property
    def describe(self) -> Callable[[int], str] | None:
        """The parameters of a row in the words of the file; None if they are the columns of x."""
        if not self.own:
            return None
        shown = {
            name: cells if isinstance(cells, list) else [f"{value:.{digits(cells)}g}" for value in cells.tolist()]
            for name, cells in self.own.items()
        }
        return lambda row: ", ".join(f"{name} = {cells[row]}" for name, cells in shown.items())

    def point(self, x: FloatArray) -> list[float | str]:
        """The cells of the file for a row of x, in the order of `own`."""
        row = int(np.flatnonzero((self.x == x).all(axis=1))[0])
        return [cells[row] if isinstance(cells, list) else float(cells[row]) for cells in self.own.values()]


def read_columns(
    file: Path,
    *,
    objective: Name,
    parameters: Name,
    option: Name,
    source: Name,
    noise: Name,
    successes: Name,
    trials: Name,
    decimal: str | None = None,
) -> Columns:
    """Read what an audit needs; columns that are not named are ignored once options or parameters are named."""
    runs = read_runs(file, decimal)
    table = runs.table
    columns = table.names or [f"x{i + 1}" for i in range(len(table.columns) - 1)] + ["value"]
    if len(columns) < 2:
        raise InvalidInput(f"{file} needs at least two columns: parameters and an objective")
    refuse_twice(table)
    asked = (objective, option, source, noise, successes, trials)
    objective, option, source, noise, successes, trials = (name and runs.name(name) for name in asked)
    roles = {"target": _target(runs, columns, objective, successes, trials)}
    counts = None
    if trials is None and noise is None and not runs.exported:
        counts = _counts(table, roles["target"], objective, (source, option), parameters)
        roles["target"], trials = counts or (roles["target"], None)
    roles |= {name: one for name, one in (("trials", trials), ("source", source), ("noise", noise)) if one is not None}
    known = list(roles.values())
    chosen = _chosen(runs, columns, known, parameters, option)
    for name in (*known, *chosen):
        if name not in columns:
            raise InvalidInput(f"{file} has no column {name!r}: it has {listed(columns)}")
    if len({*known, *chosen}) < len(known) + len(chosen):
        raise InvalidInput("a column can be a parameter once, or the objective, or the source, not both")
    index = {name: columns.index(name) for name in (*known, *chosen)}
    every = option is None and parameters is None
    ignored = _ignored(table, chosen, index) if every else {}
    chosen = [name for name in chosen if name not in ignored]
    if not chosen:
        raise InvalidInput(f"{file} needs a column of options or parameters: name it with --option")
    by_label = option is not None or trials is not None
    text = [index[name] for name in chosen if by_label or table.is_text(index[name])]
    place = {role: index[name] for role, name in roles.items()}
    table = _checked(table, place, {name: index[name] for name in chosen}, text, every=every)
    about = [name for name in runs.about if every and name not in known]
    notes = _notes(runs, ignored, about)
    if counts is not None:
        notes.append(f"read as counts: {counts[0]} of {counts[1]} (name other columns with --successes and --trials)")
    return _columns(table, place, {name: index[name] for name in chosen}, text, notes)


def _columns(table: Table, place: dict[str, int], chosen: dict[str, int], text: list[int], notes: list[str]) -> Columns:
    """The columns, read as numbers or labels; those in `text` are no numbers."""
    by_label = len(text) == len(chosen)
    own = {} if by_label else _cells(table, chosen, text)
    names, x = ([], np.empty((0, 0))) if by_label else _encoded(own)
    y, trials, noise = (table.numbers(place[role]) if role in place else None for role in ("target", "trials", "noise"))
    assert y is not None  # there always is a target
    return Columns(
        table.path,
        _labels(table, list(chosen.values())) if by_label else None,
        names,
        x,
        own if text else {},
        y,
        trials,
        noise,
        _labels(table, [place["source"]]) if "source" in place else None,
        None if table.lines is None else table.lines.tolist(),
        [*([] if table.sentence is None else [table.sentence]), *notes],
    )


def _checked(table: Table, place: dict[str, int], chosen: dict[str, int], text: list[int], *, every: bool) -> Table:
    """The rows without an empty cell; refused if the columns are probably not what was meant."""
    labels = [*text, *([place["source"]] if "source" in place else [])]
    numbers = [column for column in (*place.values(), *chosen.values()) if column not in labels]
    if "trials" in place:
        table = without_trials(table, place["target"], place["trials"])
    table = _filled(table, labels, numbers, every)
    for column in labels:
        refuse_lookalikes(table, column)
        refuse_totals(table, column, [place[role] for role in ("target", "trials") if role in place])
    refuse_total_names(table, text, alone=len(chosen) == 1)
    if every and "noise" not in place and ("trials" not in place or len(chosen) > 1):
        _refuse_ids(table, chosen)
    if "trials" in place and not (table.has_bad(place["target"]) or table.has_bad(place["trials"])):
        refuse_running_totals(table, text, place["target"], place["trials"])
    return table


def _filled(table: Table, text: list[int], numbers: list[int], every: bool) -> Table:
    """The rows without an empty cell in these columns; refused if the columns were not named and that is under half."""
    holes = {column: table.empty(column, numbers=column in numbers) for column in (*text, *numbers)}
    empty = np.logical_or.reduce(list(holes.values()))
    kept = int((~empty).sum())
    for column in text:
        if kept and not every and 2 * int(holes[column].sum()) > len(empty):
            what = f"{int(holes[column].sum()):,} of {len(empty):,} rows have no {table.named(column)}"
            raise InvalidInput(f"{table.path}: {what}: fill the merged cells, so that each row has its own")
    if kept and (2 * kept >= len(empty) or not every):
        return table.without(empty)
    column = max(holes, key=lambda column: int(holes[column].sum()))
    most = f"{int(holes[column].sum()):,} of them in the column {table.named(column)}"
    do = "fill them" if not every else "name the columns that count with --parameters or --option"
    raise InvalidInput(f"{table.path}: {int(empty.sum()):,} of {len(empty):,} rows have an empty cell, {most}: {do}")


def _refuse_ids(table: Table, chosen: dict[str, int]) -> None:
    """Refuse ids that nobody named as options or parameters."""
    column = id_column(table, list(chosen.values()))
    if column is None:
        return
    others = [name for name in chosen if chosen[name] != column]
    text = all(table.is_text(chosen[name]) for name in others)
    do = f"name the options with --option{f' {listed(others)}' if len(others) == 1 else ''}"
    if not others:
        do = "name the column of the options with --option, this one or another"
    elif not text:
        do = f"name the parameters with --parameters {','.join(others)}"
    raise InvalidInput(f"{table.path}: every cell of the column {table.named(column)} is different, as ids are: {do}")


def _notes(runs: Runs, ignored: dict[str, str], about: list[str]) -> list[str]:
    notes = [] if runs.sentence is None else [runs.sentence]
    for why in dict.fromkeys(ignored.values()):
        names = listed(name for name in ignored if ignored[name] == why)
        notes += [f"ignored, because every cell is {why}: {names}"]
    return notes + ([f"ignored, because they describe the runs: {len(about)} columns"] if about else [])


def _chosen(runs: Runs, columns: list[str], known: list[str], parameters: Name, option: Name) -> list[str]:
    """The columns that tell options apart."""
    if option is not None and parameters is not None:
        raise InvalidInput("give --option or --parameters, not both")
    if option is not None:
        return [option]
    if parameters is not None:
        return [runs.name(name.strip()) for name in parameters.split(",")]
    others = runs.parameters or [name for name in columns if name not in (*runs.about, *runs.metrics)]
    return [name for name in others if name not in known]


def _target(runs: Runs, columns: list[str], objective: Name, successes: Name, trials: Name) -> str:
    """The column of the values."""
    if (successes is None) != (trials is None):
        raise InvalidInput("--successes and --trials belong together: give both")
    if successes is not None and objective is not None:
        raise InvalidInput("give --objective, or --successes and --trials, not both")
    if (target := successes or objective) is not None:
        return target
    if runs.exported and len(runs.metrics) != 1:
        metrics = f"; it has {listed(runs.metrics)}" if runs.metrics else ""
        raise InvalidInput(f"{runs.table.path} is an export of runs: name the metric with --objective{metrics}")
    return runs.metrics[0] if runs.exported else columns[-1]


def _counts(
    table: Table, target: str, objective: Name, taken: tuple[Name, ...], parameters: Name
) -> tuple[str, str] | None:
    """The columns of successes and trials, if the names of the columns say so."""
    named = Named(table, table.names or [], [*filter(None, taken), *map(str.strip, (parameters or "").split(","))])
    if objective is None:
        return named.guessed(target)
    return named.named(target) if parameters is None else None


def _labels(table: Table, columns: list[int]) -> Sequence[str]:
    """The label of each row; of several columns together, their cells with commas."""
    parts = []
    for column in columns:
        codes, labels = table.labels(column)
        parts.append(np.array(labels, dtype=object)[codes].tolist())
    return parts[0] if len(parts) == 1 else [", ".join(cells) for cells in zip(*parts, strict=True)]


def _cells(table: Table, chosen: dict[str, int], text: list[int]) -> dict[str, FloatArray | list[str]]:
    """The cells of each parameter: words if it is a category, or else numbers."""
    return {
        name: list(_labels(table, [column])) if column in text else table.numbers(column)
        for name, column in chosen.items()
    }


def _encoded(own: dict[str, FloatArray | list[str]]) -> tuple[list[str], FloatArray]:
    """The parameters as numbers; a category has a column for each of its words, that is 0 or r.

    r is the largest range of a number divided by sqrt(2), so two categories are as far apart as two numbers can be.
    """
    ranges = [float(np.ptp(cells)) for cells in own.values() if not isinstance(cells, list)]
    r = max(ranges) / np.sqrt(2) or 1.0
    names: list[str] = []
    columns: list[FloatArray] = []
    for name, cells in own.items():
        if not isinstance(cells, list):
            names.append(name)
            columns.append(cells)
            continue
        words = np.array(cells, dtype=object)
        for word in dict.fromkeys(cells):
            names.append(f"{name}={word}")
            columns.append(np.where(words == word, r, 0.0))
    return names, np.column_stack(columns)


def _ignored(table: Table, chosen: list[str], index: dict[str, int]) -> dict[str, str]:
    """The columns that tell no options apart although nobody left them out, and why."""
    found = {}
    for name in chosen:
        if table.is_text(index[name]):
            filled = table.rows(np.flatnonzero(~table.empty(index[name], numbers=False)))
            labels = filled.labels(index[name])[1]
            if all(DATE.fullmatch(label.strip()) for label in labels):
                found[name] = "a date" if labels else "empty"
    return found
