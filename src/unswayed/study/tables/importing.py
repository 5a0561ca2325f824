"""Old measurements from a file, to be added to a study: `Optimizer.add(read_measurements(...))`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import warn

from unswayed.core.data.measurement import Measurement
from unswayed.errors import InvalidInput
from unswayed.search.play import Play, Status, title
from unswayed.spaces import Box, Options, Point, Space
from unswayed.storage.tables.mistakes import refuse_twice
from unswayed.study.tables.cells import (
    is_empty,
    measurement_of,
    nearest_step,
    nothing_done,
    point_of,
    takes_numbers,
    without_units,
)
from unswayed.text import counted, listed, printable

if TYPE_CHECKING:
    from unswayed.storage.tables import Table
    from unswayed.storage.tables.runs import Runs

Rows = list[tuple[Point, Measurement]]


def read_measurements(
    path: str | os.PathLike[str],
    space: Space,
    *,
    value: str = "value",
    source: str | None = None,
    noise_std: str | None = None,
    trials: str | None = None,
    decimal: str | None = None,
    nearest: bool = False,
) -> Rows:
    """Read the points of a space and what was measured there: a column for each parameter, a row for each measurement.

    Exports of runs by MLflow and Weights & Biases can be read as they are: a column `params.lr` may be called `lr`.
    Runs that are not finished and rows with an empty cell are left out, with a warning that says how many and how the
    file was read. Other columns are ignored. If a cell is wrong, nothing is read.

    Args:
        path: A table in any format that `unswayed audit` reads.
        space: What may be varied. Options that are labels need a column `option`.
        value: The column of the values; with `trials`, of the rates.
        source: The column with who measured them.
        noise_std: The column with their standard errors.
        trials: The column with how many outcomes each value is the mean of.
        decimal: The decimal mark, `comma` or `point`, for cells such as 1,234 where the file does not tell.
        nearest: Whether a number between two steps of its parameter counts at the nearest one; else it is refused.

    Returns:
        As `Optimizer.add` takes them.

    Raises:
        InvalidInput: A column is missing, or a cell makes no sense; the message names line and column.

    Example:
        >>> import tempfile, pathlib, unswayed as uw
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "old.csv"
        >>> _ = file.write_text("x,yield,lab\\n0.5,7.1,north\\n0.75,7.4,south\\n")
        >>> read_measurements(file, uw.Box({"x": uw.Real(0, 1)}), value="yield", source="lab")[0]
        ({'x': 0.5}, Measurement(value=7.1, source='north', noise_std=None, trials=None))
    """
    from unswayed.storage.tables.runs import read_runs  # pyarrow is slow to import

    runs = read_runs(Path(path), decimal)
    about = {"value": value, "source": source, "noise_std": noise_std, "trials": trials}
    with nothing_done("nothing was added"):
        found = _rows(runs, space, {name: runs.name(one) for name, one in about.items() if one is not None}, nearest)
    for sentence in filter(None, (runs.table.sentence, runs.sentence)):
        warn(f"{path}: {sentence}", stacklevel=2)
    return found


def _cells(table: Table, space: Box | Options, titles: dict[str, str], about: dict[str, str]) -> dict[str, list[Any]]:
    """The cells of each column: numbers where the space, or what they say of a value, wants numbers."""
    names = table.names or []
    wanted = {name for name, one in space.parameters.items() if takes_numbers(one)}
    numbers = {column for name, column in titles.items() if name in wanted}
    numbers |= {column for name, column in about.items() if name != "source"}
    each = {column: names.index(column) for column in (*titles.values(), *about.values())}
    return {
        column: table.values(number) if column in numbers else table.columns[number].to_pylist()
        for column, number in each.items()
    }


def _rows(runs: Runs, space: Space, about: dict[str, str], nearest: bool) -> Rows:
    """The point and the measurement of each row; `about` says which column holds what."""
    if not isinstance(space, Box | Options):
        raise InvalidInput(f"the space must be a Box or Options, not {type(space).__name__}")
    table, names = runs.table, runs.table.names or []
    known = {name: runs.name(name) for name in space.names}
    titles = {name: one if one in names and one != about["value"] else title(name) for name, one in known.items()}
    if missing := [name for name in (*titles.values(), *about.values()) if name not in names]:
        has = listed([printable(name, limit=60) for name in names]) if names else "no header"
        raise InvalidInput(f"{table.path} has no column {missing[0]!r}: it has {has}")
    refuse_twice(table)
    table = without_units(table, space, titles)
    cells = _cells(table, space, titles, about)
    some = space.conditions is not None  # some points lack a parameter
    found, empty, moved = [], 0, 0
    farthest: dict[str, float] = {}
    for row in range(len(table.columns[0])):
        given = {name: cells[column][row] for name, column in titles.items()}
        told = {name: cells[column][row] for name, column in about.items()}
        if is_empty(told["value"]) or (not some and any(map(is_empty, given.values()))):
            empty += 1
            continue
        near = nearest_step(space, given)
        try:
            point = point_of(space, near if nearest else given)
            measured = measurement_of(told, about)
        except InvalidInput as error:
            hint = "; --nearest adds it at the nearest step" if near != given and not nearest else ""
            raise InvalidInput(f"{table.place(row)}: {error}{hint}") from None
        moved += near != given
        far = {name: abs(near[name] - one) for name, one in given.items() if near[name] != one}
        farthest |= {name: max(one, farthest.get(name, 0.0)) for name, one in far.items()}
        assert measured is not None  # the value is not empty
        found.append((point, measured))
    if empty:
        table.understood["empty"] = f"{counted(empty, 'row')} left out (empty cells)"
    if not found:
        first = next(column for column in (*titles.values(), *about.values()) if is_empty(cells[column][0]))
        raise InvalidInput(f"{table.place(0)}: the column {first!r} is empty here, and no other row is complete")
    if moved:
        most = listed([f"{printable(name, limit=60)} by up to {one:.4g}" for name, one in farthest.items()])
        table.understood["moved"] = f"{counted(moved, 'row')} moved to the nearest step ({most})"
    return found


def refuse_again(path: Path, rows: Rows, log: Sequence[Play]) -> None:
    """Refuse measurements of which most are in a study already: the file was probably added before.

    Args:
        path: The file.
        rows: Its measurements.
        log: The plays of the study.
    """
    there: dict[str, list[int]] = {}
    for play in log:
        if play.status in (Status.TOLD, Status.QUARANTINED):
            there.setdefault(repr((play.point, play.value)), []).append(play.number)
    same = [there[key].pop(0) for point, told in rows if there.get(key := repr((point, told.value)))]
    if same and (len(same) == len(rows) or 2 <= len(same) >= len(rows) / 2):
        which = f"{len(same):,} of {len(rows):,}" if len(same) < len(rows) else "all"
        what = f"{which} measurements of {path} are in the study already, the first one as play {min(same)}"
        raise InvalidInput(f"{what}; nothing was added: --again adds them although they are")
