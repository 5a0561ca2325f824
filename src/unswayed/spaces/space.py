"""What can be optimised over: a `Box` of parameters or a list of `Options`, and how to read them from files.

People see points: a dict, a label or a tuple of numbers. Models see encoded rows: points of the unit cube.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from unswayed.errors import InvalidInput
from unswayed.spaces.box import Box
from unswayed.spaces.conditions import Conditions
from unswayed.spaces.duels import Duels
from unswayed.spaces.encoding import errors_in, shown
from unswayed.spaces.options import Options
from unswayed.spaces.parameters import Parameter, parameter_from_record
from unswayed.types import BoolArray, FloatArray, IntArray

Point = Any  # dict[str, Value] in a box; a label, a dict or a tuple of floats in options
LARGEST_FILE = 10_000_000


class Space(Protocol):
    """What a box and a list of options have in common."""

    @property
    def names(self) -> tuple[str, ...]:
        """Titles of the columns of a history."""

    @property
    def columns(self) -> int:
        """The number of encoded columns."""

    @property
    def groups(self) -> IntArray:
        """For each encoded column, the number of the parameter it belongs to."""

    @property
    def size(self) -> int | None:
        """The number of points; None if there are infinitely many."""

    @property
    def fingerprint(self) -> str:
        """A hash of the complete definition of the space."""

    def check(self, point: object) -> Point:
        """The point with plain Python values. A value out of range is an error; it is never clipped.

        Args:
            point: A point as people give it.
        """

    def encode(self, points: Iterable[object]) -> FloatArray:
        """A row of the unit cube for each point. It depends on that point only.

        Args:
            points: The points.
        """

    def decode(self, X: ArrayLike) -> list[Point]:
        """The nearest point to each row.

        Args:
            X: Rows of the unit cube.
        """

    def legal(self, X: ArrayLike) -> FloatArray:
        """Each row moved to its nearest point: exactly encode(decode(X)), but faster.

        Args:
            X: Rows of the unit cube.
        """

    def arms(self, n: int, seed: int) -> FloatArray:
        """Distinct rows that cover the space: at most n for a box, all of them for options.

        Args:
            n: Largest number of rows.
            seed: Seed of random rows.
        """

    def spread(self, n: int, rng: np.random.Generator) -> FloatArray:
        """At least n rows all over the space, in random order; all of them, if there are fewer.

        Args:
            n: The number of rows.
            rng: Random numbers.
        """

    def around(self, centres: ArrayLike, radius: float, n: int, rng: np.random.Generator) -> FloatArray:
        """Distinct rows near the centres, without the centres; no rows for options.

        Args:
            centres: Rows of the unit cube.
            radius: Largest step in each coordinate.
            n: Largest number of rows.
            rng: Random numbers.
        """

    def nearest(self, X: ArrayLike, n: int) -> FloatArray:
        """The n options that are nearest to each row, without repeats; no rows for a box.

        Args:
            X: Rows of the unit cube.
            n: How many.
        """

    def neighbours(self, row: FloatArray) -> FloatArray:
        """In a box, the points that differ in one number by one step, or in one category; of options, the nearest.

        Args:
            row: A legal row.
        """

    def exchanged(self, X: FloatArray, donors: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Each row with one random parameter taken from its donor; no rows for options.

        Args:
            X: Legal rows.
            donors: As many legal rows.
            rng: Random numbers.
        """

    @property
    def numbers(self) -> BoolArray:
        """Which columns can be moved by themselves: those of numbers (on an arc, the first of two). None of options."""

    @property
    def conditions(self) -> Conditions | None:
        """Which points have which parameters; None if all have all."""

    @property
    def families(self) -> IntArray:
        """How many parameters other than gates the points of each family have; empty without conditions, or if there
        are many families."""

    def family_of(self, X: FloatArray) -> IntArray:
        """The number of the family of each row; 0 without conditions.

        Args:
            X: Legal rows.
        """

    def record(self) -> dict[str, Any]:
        """The space as plain values for JSON; `space_from_record` reads them."""

    def describe(self, point: object) -> str:
        """The point in one line of text.

        Args:
            point: A point as people give it.
        """


def space_from_record(record: object) -> Space:
    """The space of a record that `record()` made, also after it was written and read as JSON.

    Args:
        record: The record.

    Raises:
        InvalidInput: It is not the record of a space.
    """
    if not isinstance(record, Mapping) or record.get("space") not in ("box", "options", "duels"):
        raise InvalidInput(f"not the record of a space: {shown(record)}")
    if record["space"] == "box":
        return _box_from_record(record.get("parameters"))
    if record["space"] == "duels":
        return Duels(_labels(record.get("options")))
    return _options_from_record(record)


def _labels(options: object) -> list[Any]:
    if not isinstance(options, list):
        raise InvalidInput("the record of duels needs a list of options")
    return options


def _options_from_record(record: Mapping[str, Any]) -> Options:
    kinds = [kind for kind in ("labels", "dicts", "table") if isinstance(record.get(kind), list)]
    names = record.get("names", [])
    if len(kinds) != 1 or not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InvalidInput(f"not the record of a list of options: {shown(record)}")
    rows = record[kinds[0]]
    if kinds == ["labels"]:
        return Options(rows)
    if not all(isinstance(row, list) and len(row) == len(names) for row in rows):
        raise InvalidInput(f"the record of the options must have rows of length {len(names)}, as its names")
    if kinds == ["table"]:
        return Options(rows, names=names)
    return Options([dict(zip(names, row, strict=True)) for row in rows])


def _box_from_record(entries: object) -> Box:
    if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
        raise InvalidInput("the record of a box needs a list of parameters")
    parameters: dict[str, Parameter] = {}
    for entry in entries:
        name = entry.get("name")
        if not isinstance(name, str) or name in parameters:
            raise InvalidInput(f"the record of a box needs a different name for each parameter, not {shown(name)}")
        with errors_in(name):
            parameters[name] = parameter_from_record({key: entry[key] for key in entry if key != "name"})
    return Box(parameters)


def read_space(path: Path) -> Space:
    """The space that a TOML file describes.

    The file has a table for each parameter, or the single key `options`: a list, or the name of a file beside it.

    [rate]                       [layers]                      [kind]
    low = 1e-5                   type = "integer"              choices = ["rbf", "poly"]
    high = 1e-1                  low = 1
    log = true                   high = 8
    unit = "1/s"

    A parameter with low and high is real unless it has `type = "integer"`, even if its bounds are whole numbers. A real
    one may have `step = 0.5` or `digits = 3`. Any may have `when = {kind = "svm"}`: only such points have it.

    Args:
        path: The file.

    Raises:
        InvalidInput: The file cannot be read or does not describe a space.
    """
    content = _read_toml(path)
    options = content.get("options")
    if options is not None and not isinstance(options, dict):
        if len(content) > 1:
            other = next(key for key in content if key != "options")
            raise InvalidInput(f"{path}: `options` must be the only key; remove {shown(other)}")
        return _read_options(path, options)
    return _box_from_tables(content, str(path))


def space_from_tables(content: Mapping[str, Any]) -> Space:
    """The space that the content of a TOML file describes; options are a list, not the name of a file.

    Args:
        content: A table for each parameter, or the single key `options`.

    Raises:
        InvalidInput: It does not describe a space.
    """
    if list(content) == ["options"] and isinstance(content["options"], list):
        return Options(content["options"])
    return _box_from_tables(content, "space")


def _box_from_tables(content: Mapping[str, Any], place: str) -> Box:
    parameters: dict[str, Parameter] = {}
    for name, table in content.items():
        with errors_in(f"{place}, {shown(name)}"):
            parameters[name] = parameter_from_record(table)
    with errors_in(place):
        return Box(parameters)


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:
        raise InvalidInput(f"cannot read {path}: {error}") from None
    if len(content) > LARGEST_FILE:
        raise InvalidInput(f"{path} is larger than {LARGEST_FILE} bytes; put a long table of options into a CSV file")
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not UTF-8 text: byte {error.start} cannot be read") from None
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{path} is not valid TOML: {' '.join(str(error).split())[:200]}") from None


def _read_options(path: Path, options: object) -> Options:
    from unswayed.storage.tables import read_numbers  # pyarrow is slow to import

    with errors_in(f"{path}, options"):
        if isinstance(options, list):
            return Options(options)
        if not isinstance(options, str) or not options.isprintable():
            raise InvalidInput(f"must be a list or the name of a file, not {shown(options)}")
        names, table, _ = read_numbers(path.parent / options)
        return Options(table, names=names)


def named_values(names: Sequence[str], point: Point) -> dict[str, Any]:
    """The values of a point under the names of its space: columns of a history, placeholders of a command."""
    if isinstance(point, Mapping):
        return dict(point)
    values = point if isinstance(point, tuple) and len(names) == len(point) else (point,)
    return dict(zip(names, values, strict=True))


def conditions_of(space: Space) -> dict[str, Any]:
    """The condition of each parameter that only some points of a space have."""
    parameters = {} if space.conditions is None else space.conditions.parameters
    return {name: one.when for name, one in parameters.items() if one.when is not None}
