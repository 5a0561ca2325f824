"""Old measurements from a file, to be added to a study: `Optimizer.add(read_measurements(...))`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING
from warnings import warn

from unswayed.core.data.measurement import Measurement
from unswayed.errors import InvalidInput
from unswayed.search.play import title
from unswayed.spaces import Box, Options, Point, Space
from unswayed.study.tables.cells import measurement_of, point_of
from unswayed.text import listed, printable

if TYPE_CHECKING:
    from unswayed.storage.runs import Runs


def read_measurements(
    path: str | os.PathLike[str],
    space: Space,
    *,
    value: str = "value",
    source: str | None = None,
    noise_std: str | None = None,
    trials: str | None = None,
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
        As `Optimizer.add` takes them.

    Raises:
        InvalidInput: A column is missing, or a cell makes no sense; the message names line and column.
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
    runs = read_runs(Path(path))
    given = {"value": value, "source": source, "noise_std": noise_std, "trials": trials}
    found = _rows(runs, space, {name: runs.name(column) for name, column in given.items() if column is not None})
    if runs.sentence is not None:
        warn(f"{path}: {runs.sentence}", stacklevel=2)
    return found


def _rows(runs: Runs, space: Space, about: dict[str, str]) -> list[tuple[Point, Measurement]]:
    """The point and the measurement of each row; `about` says which column holds what."""
    table, names = runs.table, runs.table.names or []
    known = {name: runs.name(name) for name in space.names}
    titles = {name: one if one in names and one != about["value"] else title(name) for name, one in known.items()}
    wanted = [*titles.values(), *about.values()]
    if missing := [name for name in wanted if name not in names]:
        has = listed([printable(name, limit=60) for name in names]) if names else "no header"
        raise InvalidInput(f"{table.path} has no column {missing[0]!r}: it has {has}")
    cells = {name: table.columns[names.index(name)].to_pylist() for name in wanted}
    found = []
    for row in range(len(table.columns[0])):
        try:
            point = point_of(space, {name: cells[column][row] for name, column in titles.items()})
            told = measurement_of({name: cells[column][row] for name, column in about.items()}, about)
            if told is None:
                raise InvalidInput(f"column {about['value']!r} is empty")
            found.append((point, told))
        except InvalidInput as error:
            raise InvalidInput(f"{table.place(row)}: {error}; nothing was added") from None
    return found
