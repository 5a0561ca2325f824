"""Old measurements from a file, to be added to a study: `Optimizer.add(read_measurements(...))`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import warn

from unswayed.core.measurement import Measurement
from unswayed.errors import InvalidInput
from unswayed.spaces import Box, Categorical, Integer, Options, Point, Space
from unswayed.spaces.parameters import Parameter

if TYPE_CHECKING:
    from unswayed.storage.runs import Runs

Name = str | None


def read_measurements(
    path: str | PathLike[str],
    space: Space,
    *,
    value: str,
    source: Name = None,
    noise_std: Name = None,
    trials: Name = None,
) -> list[tuple[Point, Measurement]]:
    """Read the points of a space and what was measured there: a column for each parameter, a row for each measurement.

    Exports of runs by MLflow and Weights & Biases can be read as they are: a column `params.lr` may be called `lr`.
    Runs that are not finished are left out, with a warning that says how many. Other columns are ignored. It is all
    rows or none.

    Args:
        path: CSV, Parquet or JSON lines, as for `unswayed audit`.
        space: What may be varied. Options that are labels need a column `option`.
        value: The column of the values; with `trials`, of the rates.
        source: The column with who measured them.
        noise_std: The column with their standard errors.
        trials: The column with how many outcomes each value is the mean of.

    Returns:
        A point and its measurement for each row.

    Raises:
        InvalidInput: The file is no such table, or a cell makes no sense; the message names the row and the column.
        SystemFault: The system refuses to read the file.

    Example:
        >>> import tempfile, pathlib
        >>> import unswayed as uw
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "old.csv"
        >>> _ = file.write_text("x,yield,lab\\n0.5,7.1,north\\n0.75,7.4,south\\n")
        >>> read_measurements(file, uw.Box({"x": uw.Real(0, 1)}), value="yield", source="lab")[0]
        ({'x': 0.5}, Measurement(value=7.1, source='north', noise_std=None, trials=None))
    """
    from unswayed.storage.runs import read_runs  # pyarrow is slow to import

    if not isinstance(space, Box | Options):
        raise InvalidInput(f"the space must be a Box or Options, not {type(space).__name__}")
    runs = read_runs(Path(fspath(path)))
    about = {"value": value, "source": source, "noise_std": noise_std, "trials": trials}
    found = _rows(runs, space, {what: name for what, name in about.items() if name is not None})
    if runs.sentence is not None:
        warn(f"{path}: {runs.sentence}", stacklevel=2)
    return found


def _rows(runs: Runs, space: Box | Options, about: Mapping[str, str]) -> list[tuple[Point, Measurement]]:
    """The point and the measurement of each row."""
    labelled = isinstance(space, Options) and "labels" in space.record()
    cells = {name: _labels(runs, name) for name in space.parameters}
    found = []
    for row, told in enumerate(_about(runs, about)):
        columns = ""
        try:
            values = {name: _value(one, cells[name][row], name) for name, one in space.parameters.items()}
            point = space.check(values["option"] if labelled else values)
            columns = f", in the columns {', '.join(map(repr, about.values()))}"
            found.append((point, Measurement(**told)))
        except InvalidInput as error:
            raise InvalidInput(f"{runs.table.place(row)}{columns}: {error}") from None
    return found


def _about(runs: Runs, names: Mapping[str, str]) -> list[dict[str, Any]]:
    """What is told of each row, by the argument of a `Measurement`."""
    read: dict[str, list[Any]] = {}
    for what, name in names.items():
        read[what] = _labels(runs, name) if what == "source" else runs.table.numbers(_column(runs, name)).tolist()
    read |= {"trials": [int(n) if n.is_integer() else n for n in read["trials"]]} if "trials" in read else {}
    return [dict(zip(read, row, strict=True)) for row in zip(*read.values(), strict=True)]


def _column(runs: Runs, name: str) -> int:
    """The number of a column."""
    from unswayed.storage.runs import listed

    path, columns = runs.table.path, runs.table.names
    if columns is None:
        raise InvalidInput(f"{path} needs a header: the names of its columns")
    if runs.name(name) not in columns:
        raise InvalidInput(f"{path} has no column {name!r}: it has {listed(columns)}")
    return columns.index(runs.name(name))


def _labels(runs: Runs, name: str) -> list[str]:
    codes, labels = runs.table.labels(_column(runs, name))
    return [labels[code] for code in codes.tolist()]


def _value(parameter: Parameter, cell: str, name: str) -> Any:
    """The value that a cell means for a parameter; what it cannot mean is left to the check of the space."""
    if isinstance(parameter, Categorical):
        kinds: tuple[Callable[[str], Any], ...] = (str, _number, _truth)
        meant = [choice for kind in kinds for choice in parameter.choices if _same(choice, kind(cell.strip()))]
        return meant[0] if meant else cell
    number = _number(cell)
    if number is None:
        raise InvalidInput(f"{name} = {cell[:40]!r} is not a number")
    return int(number) if isinstance(parameter, Integer) and number.is_integer() else number


def _same(choice: object, meant: object) -> bool:
    """Whether they are equal and of one kind: true is not 1."""
    return choice == meant and isinstance(choice, bool) == isinstance(meant, bool)


def _number(cell: str) -> float | None:
    try:
        return None if "_" in cell else float(cell)
    except ValueError:
        return None


def _truth(cell: str) -> bool | None:
    return {"true": True, "false": False}.get(cell.lower())
