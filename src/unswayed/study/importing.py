"""Old measurements from a table, to be added to a study."""

from __future__ import annotations

import os
from pathlib import Path

from unswayed.core.measurement import Measurement
from unswayed.errors import InvalidInput
from unswayed.spaces import Point, Space
from unswayed.storage.tables import read_table
from unswayed.study.cells import measurement_of, point_of
from unswayed.study.history import title
from unswayed.text import listed, printable


def read_measurements(
    path: str | os.PathLike[str],
    space: Space,
    *,
    value: str = "value",
    source: str | None = None,
    noise_std: str | None = None,
    trials: str | None = None,
) -> list[tuple[Point, Measurement]]:
    """Points with their measurements, from a CSV or Parquet file with a column for each parameter.

    Args:
        path: The file.
        space: What may be varied.
        value: The column of the values.
        source: The column with who measured them.
        noise_std: The column with the standard error of each.
        trials: The column with the trials of each rate.

    Returns:
        As `Optimizer.add` takes them. Other columns are ignored.

    Raises:
        InvalidInput: A column is missing, or a cell makes no sense; the message names line and column.
    """
    table = read_table(Path(path))
    names = table.names or []
    titles = {name: name if name in names and name != value else title(name) for name in space.names}
    given = {"value": value, "source": source, "noise_std": noise_std, "trials": trials}
    about = {name: column for name, column in given.items() if column is not None}
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
                raise InvalidInput(f"column {value!r} is empty")
            found.append((point, told))
        except InvalidInput as error:
            raise InvalidInput(f"{table.place(row)}: {error}; nothing was added") from None
    return found
