"""Which column of a file is what, for `unswayed audit`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from unswayed.errors import InvalidInput
from unswayed.storage.runs import Runs, listed, read_runs
from unswayed.storage.tables import Table
from unswayed.types import FloatArray

Name = str | None
DATE = re.compile(r"(\d{4}-\d{1,2}-\d{1,2}|\d{4}/\d{1,2}/\d{1,2}|\d{1,2}[./-]\d{1,2}[./-](\d{4}|\d{2}))([T ]\d.*)?")


@dataclass(frozen=True, eq=False)
class Columns:
    """What the columns of a file hold.

    Attributes:
        file: The file.
        options: The label of each row's option; None if options are rows of parameters.
        names: The names of the parameters.
        x: The parameters; no columns if options have labels.
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
    y: FloatArray
    trials: FloatArray | None
    noise: FloatArray | None
    sources: Sequence[str] | None
    lines: list[int] | None
    notes: list[str]

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Name the file in errors about its lines."""
        try:
            yield
        except InvalidInput as error:
            begin = ", " if str(error).startswith(("line ", "row ")) else ": "
            raise InvalidInput(f"{self.file}{begin}{error}") from None


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
) -> Columns:
    """Read what an audit needs; columns that are not named are ignored once options or parameters are named."""
    runs = read_runs(file)
    table = runs.table
    columns = table.names or [f"x{i + 1}" for i in range(len(table.columns) - 1)] + ["value"]
    if len(columns) < 2:
        hint = " (cells are separated by commas)" if {";", "\t"} & set(columns[0]) else ""
        raise InvalidInput(f"{file} needs at least two columns: parameters and an objective{hint}")
    asked = (objective, option, source, noise, successes, trials)
    objective, option, source, noise, successes, trials = (name and runs.name(name) for name in asked)
    target = _target(runs, columns, objective, successes, trials)
    known = [name for name in (target, trials, source, noise) if name is not None]
    chosen = _chosen(runs, columns, known, parameters, option)
    for name in (*known, *chosen):
        if name not in columns:
            raise InvalidInput(f"{file} has no column {name!r}: it has {listed(columns)}")
    if len({*known, *chosen}) < len(known) + len(chosen):
        raise InvalidInput("a column can be a parameter once, or the objective, or the source, not both")
    index = {name: columns.index(name) for name in (*known, *chosen)}
    every = option is None and parameters is None
    dates = [name for name in chosen if every and _is_date(table, index[name])]
    chosen = [name for name in chosen if name not in dates]
    if not chosen:
        raise InvalidInput(f"{file} needs a column of options or parameters: name it with --option")
    by_label = option is not None or trials is not None or all(table.is_text(index[name]) for name in chosen)
    names, x = ([], np.empty((0, 0))) if by_label else _encoded(table, chosen, index)
    return Columns(
        file,
        _labels(table, [index[name] for name in chosen]) if by_label else None,
        names,
        x,
        table.numbers(index[target]),
        None if trials is None else table.numbers(index[trials]),
        None if noise is None else table.numbers(index[noise]),
        None if source is None else _labels(table, [index[source]]),
        None if table.lines is None else table.lines.tolist(),
        _notes(runs, dates, [name for name in runs.about if every and name not in known]),
    )


def _notes(runs: Runs, dates: list[str], about: list[str]) -> list[str]:
    notes = [] if runs.sentence is None else [runs.sentence]
    notes += [f"ignored, because every cell is a date: {listed(dates)}"] if dates else []
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


def _labels(table: Table, columns: list[int]) -> Sequence[str]:
    """The label of each row; of several columns together, their cells with commas."""
    parts = []
    for column in columns:
        codes, labels = table.labels(column)
        parts.append(np.array(labels, dtype=object)[codes].tolist())
    return parts[0] if len(parts) == 1 else [", ".join(cells) for cells in zip(*parts, strict=True)]


def _encoded(table: Table, chosen: list[str], index: dict[str, int]) -> tuple[list[str], FloatArray]:
    """The parameters as numbers; a category has a column of its own that is 0 or r.

    r is the largest range of a number divided by sqrt(2), so two categories are as far apart as two numbers can be.
    """
    text = [name for name in chosen if table.is_text(index[name])]
    numbers = {name: table.numbers(index[name]) for name in chosen if name not in text}
    r = max(float(np.ptp(column)) for column in numbers.values()) / np.sqrt(2) or 1.0
    names: list[str] = []
    columns: list[FloatArray] = []
    for name in chosen:
        if name not in text:
            names.append(name)
            columns.append(numbers[name])
            continue
        codes, labels = table.labels(index[name])
        names += [f"{name}={label}" for label in labels]
        columns += [np.where(codes == number, r, 0.0) for number in range(len(labels))]
    return names, np.column_stack(columns)


def _is_date(table: Table, column: int) -> bool:
    """Whether every cell of a column is a date."""
    if not table.is_text(column):
        return False
    _, labels = table.labels(column)
    return all(DATE.fullmatch(label.strip()) for label in labels)
