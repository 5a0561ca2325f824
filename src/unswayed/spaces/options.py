"""A space that is a list: labels without an order, or the rows of a table.

Options(["mould A", "mould B"])             labels: one column each, any two at distance 1
Options([{"T": 80, "acid": "HCl"}, ...])    a table: numbers are scaled to [0, 1], texts and booleans become labels
Options(array)                              a table of numbers; its columns are x1, x2, ... unless they have names
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import cKDTree

from unswayed.core.data.rows import first_rows
from unswayed.errors import InvalidInput
from unswayed.spaces.box import Box, encoded_rows
from unswayed.spaces.conditions import Conditions
from unswayed.spaces.encoding import Value, checked_value, errors_in, shown
from unswayed.spaces.parameters import Categorical, Parameter
from unswayed.spaces.reals import Real
from unswayed.types import BoolArray, FloatArray, IntArray, floats, read_only

Given = Sequence[Any] | NDArray[Any]
LARGEST_TABLE = 10**8
NEIGHBOURS = 30  # options of a table that a walk compares with the present one
# Positions are multiples of STEP, so that the squared distance of two different options is never rounded to 0.
STEP = 2.0**-52


class Options:
    """A finite list of options: labels, dicts or rows of numbers. The methods are those of `Space`.

    Args:
        options: The options; they must differ. Rows of numbers are returned as tuples, the others as they were given.
        names: Names of the columns, for rows of numbers.

    Attributes:
        names: The columns of the table; for labels, "option".
        columns: The number of encoded columns.
        groups: For each encoded column, the number of the column of the table it belongs to.
        size: The number of options.

    Raises:
        InvalidInput: The list is empty, two options are equal, or their kinds are mixed.

    Example:
        >>> from unswayed import Options
        >>> Options(["mould A", "mould B", "mould C"])
        Options(3, the first: 'mould A')
        >>> acids = Options([{"T": 80, "acid": "HCl"}, {"T": 60, "acid": "H2SO4"}])
        >>> acids.describe({"T": 60, "acid": "H2SO4"})
        'T = 60, acid = H2SO4'
    """

    def __init__(self, options: Given, *, names: Sequence[str] | None = None) -> None:
        if isinstance(options, str | bytes) or not isinstance(options, Sequence | np.ndarray) or len(options) == 0:
            raise InvalidInput("options must be a list or an array with at least one entry")
        if isinstance(options, np.ndarray) and options.ndim == 1 and options.dtype.kind in "iuf":
            raise InvalidInput("give numbers as a column, options[:, None], or labels without an order as a list")
        first = options[0]
        labels = isinstance(first, str) or not isinstance(first, Mapping | Sequence | np.ndarray)
        self._kind = "labels" if labels else "dicts" if isinstance(first, Mapping) else "table"
        if names is not None and self._kind != "table":
            raise InvalidInput("names are for the columns of a table of numbers; leave them out here")
        self._given: Sequence[Value] | list[dict[str, Value]] | FloatArray
        if self._kind == "table":
            self._given, self._box, encoded = _encode_numbers(options, names)
        elif self._kind == "dicts":
            self._given, self._box, encoded = _encode_dicts(options)
        else:
            choices = Categorical(list(options))
            self._given = choices.choices
            self._box, encoded = Box({"option": choices}), choices.encode(choices.choices)
        self._encoded = read_only(encoded)
        self._refuse_duplicates()
        self.names, self.columns, self.groups = self._box.names, self._box.columns, self._box.groups
        self.size = len(encoded)
        self.conditions: Conditions | None = None  # all options have all parameters

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """What tells options apart, by name: the columns of a table, or `option` for labels."""
        return self._box.parameters

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the complete definition of the space."""
        if not isinstance(self._given, np.ndarray):
            return sha256(json.dumps(self.record()).encode()).hexdigest()
        digest = sha256(json.dumps([self._kind, self.names, self._given.shape]).encode())
        digest.update(np.ascontiguousarray(self._given, dtype="<f8").data)
        return digest.hexdigest()

    def __repr__(self) -> str:
        return f"Options({self.size}, the first: {shown(self._option(0))})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Options) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def check(self, point: object) -> Any:
        """The option that equals `point`, as it was given; an error if there is none."""
        return self._option(self._find([point])[0])

    def encode(self, points: Iterable[object]) -> FloatArray:
        """The encoded row of each option."""
        return self._encoded[self._find(list(points))]

    def decode(self, X: ArrayLike) -> list[Any]:
        """The nearest option to each row."""
        return [self._option(index) for index in self._nearest(encoded_rows(X, self.columns))]

    def legal(self, X: ArrayLike) -> FloatArray:
        """Each row moved to its nearest option."""
        return self._encoded[self._nearest(encoded_rows(X, self.columns))]

    def arms(self, n: int, seed: int) -> FloatArray:
        """All options in their order, for every n and seed."""
        return self._encoded

    def spread(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Different options all over the table, in random order: at least n of them, or all."""
        if n >= self.size:
            return self._encoded[rng.permutation(self.size)]
        near = self._nearest(self._box.spread(n, rng)) if self._kind != "labels" else []
        order = dict.fromkeys([*near, *rng.permutation(self.size)[: 2 * n].tolist()])
        return self._encoded[list(order)]

    def nearest(self, X: ArrayLike, n: int) -> FloatArray:
        """The n options that are nearest to each row of a table, without repeats; all labels are equally near.

        Args:
            X: Rows of the unit cube.
            n: How many.
        """
        if self._kind == "labels":
            return self._encoded[:0]
        found = self._tree.query(encoded_rows(X, self.columns), k=min(n, self.size))[1]
        rows: FloatArray = self._encoded[np.unique(found)]
        return rows

    def around(self, centres: ArrayLike, radius: float, n: int, rng: np.random.Generator) -> FloatArray:
        """No rows: there are no points between the options."""
        return np.empty((0, self.columns))

    def neighbours(self, row: FloatArray) -> FloatArray:
        """The options of a table that are nearest to a row."""
        return self.nearest(row[None], NEIGHBOURS)

    def exchanged(self, X: FloatArray, donors: FloatArray, rng: np.random.Generator) -> FloatArray:
        """No rows: with the parameter of another, an option may be none."""
        return np.empty((0, self.columns))

    @property
    def numbers(self) -> BoolArray:
        """None of the columns: there is nothing between the options."""
        return np.zeros(self.columns, dtype=np.bool_)

    @property
    def families(self) -> IntArray:
        """None: all options have all parameters."""
        return np.empty(0, dtype=np.int64)

    def family_of(self, X: FloatArray) -> IntArray:
        """The same family for all."""
        return np.zeros(len(X), dtype=np.int64)

    def record(self) -> dict[str, Any]:
        """The space as plain values for JSON; `space_from_record` reads them."""
        rows: list[Any] = self._given.tolist() if isinstance(self._given, np.ndarray) else list(self._given)
        if self._kind == "dicts":
            rows = [list(row.values()) for row in rows]
        names = {} if self._kind == "labels" else {"names": list(self.names)}
        return {"space": "options", **names, self._kind: rows}

    def describe(self, point: object) -> str:
        """The option in one line of text: its label, or "T = 80, acid = HCl"."""
        values = self._named(self.check(point))
        texts = {name: self._box.parameters[name].describe(value) for name, value in values.items()}
        return texts["option"] if self._kind == "labels" else ", ".join(f"{name} = {texts[name]}" for name in texts)

    def _option(self, index: int) -> Any:
        option = self._given[index]
        if isinstance(option, np.ndarray):
            return tuple(option.tolist())
        return dict(option) if isinstance(option, dict) else option

    def _named(self, point: object) -> Mapping[str, Any]:
        """A point as a mapping. A row of numbers may be any sequence, or a mapping."""
        if self._kind == "labels":
            return {"option": point}
        if isinstance(point, Mapping):
            return point
        if self._kind == "dicts" or isinstance(point, str) or not isinstance(point, Sequence | np.ndarray):
            wanted = "mapping of names to values" if self._kind == "dicts" else "row of numbers"
            raise InvalidInput(f"an option of this space is a {wanted}, not {shown(point)}")
        if (isinstance(point, np.ndarray) and point.ndim != 1) or len(point) != len(self.names):
            raise InvalidInput(f"an option of this space has {len(self.names)} number(s), not {shown(point)}")
        return dict(zip(self.names, point, strict=True))

    def _find(self, points: Sequence[object]) -> list[int]:
        """The numbers of the options that equal the points."""
        checked = [self._box.check(self._named(point)) for point in points]
        found = self._nearest(_rounded(self._box.encode(checked)))
        for point, given, index in zip(points, checked, found, strict=True):
            if given != self._named(self._option(index)):
                nearest = shown(self._option(index))
                raise InvalidInput(f"{shown(point)} is not one of the options; the nearest is {nearest}")
        return found

    @cached_property
    def _tree(self) -> cKDTree:
        """Finds the options that are nearest to a row."""
        return cKDTree(self._encoded, compact_nodes=False, balanced_tree=False)

    def _nearest(self, X: NDArray[np.float64]) -> list[int]:
        rows = X.argmax(axis=1) if self._kind == "labels" else self._tree.query(np.clip(X, 0.0, 1.0))[1]
        return list(rows.tolist())

    def _refuse_duplicates(self) -> None:
        first = first_rows(self._encoded)
        repeated = np.flatnonzero(first != np.arange(len(first)))
        if repeated.size:
            one, two = int(first[repeated[0]]), int(repeated[0])
            same = f"options {one + 1} and {two + 1} are equal up to rounding"
            raise InvalidInput(f"{same}: {shown(self._option(one))} and {shown(self._option(two))}")


def _encode_numbers(options: Given, names: Sequence[str] | None) -> tuple[FloatArray, Box, FloatArray]:
    """Rows of finite numbers as a read-only copy, the smallest box around them, and the rows encoded in it."""
    try:
        kind = np.asarray(options).dtype.kind
    except ValueError:
        raise InvalidInput("the rows of options must all have the same length") from None
    if kind not in "iuf":
        raise InvalidInput("rows of options must be numbers only; for anything else use mappings of names to values")
    table = floats(options, "options", ndim=2)
    if not 0 < table.size <= LARGEST_TABLE:
        raise InvalidInput(f"a table of options has from 1 to {LARGEST_TABLE} numbers, not {table.size}")
    names = [f"x{number}" for number in range(1, table.shape[1] + 1)] if names is None else list(names)
    if len(names) != table.shape[1] or any(names.count(name) > 1 for name in names):
        raise InvalidInput(f"names must be {table.shape[1]} different texts, one for each column of the options")
    encoded = np.empty(table.shape)
    parameters: dict[str, Parameter] = {}
    for index, (name, column) in enumerate(zip(names, table.T, strict=True)):
        parameters[name] = _parameter(name, column)
        encoded[:, index] = _rounded(parameters[name].encode(column)[:, 0])
    return table, Box(parameters), encoded


def _encode_dicts(options: Given) -> tuple[list[dict[str, Value]], Box, FloatArray]:
    """Mappings with plain values and the names of the first, the smallest box around them, and the encoded rows."""
    names, rows = list(options[0]), []
    if not names:
        raise InvalidInput("option 1 must have at least one name and value")
    for number, option in enumerate(options, 1):
        if not isinstance(option, Mapping) or option.keys() != options[0].keys():
            raise InvalidInput(f"option {number} must have the names of the first one, {shown(names)}")
        rows.append({name: checked_value(option[name], f"option {number}, {shown(name)},") for name in names})
    box = Box({name: _parameter(name, [row[name] for row in rows]) for name in rows[0]})
    if len(rows) * box.columns > LARGEST_TABLE:
        raise InvalidInput(f"{len(rows)} options in {box.columns} encoded columns exceed {LARGEST_TABLE} cells")
    return rows, box, _rounded(box.encode(rows))


def _rounded(X: FloatArray) -> FloatArray:
    """X, rounded in place to multiples of STEP."""
    X *= 1.0 / STEP
    np.rint(X, out=X)
    X *= STEP
    return X


def _parameter(name: str, values: list[Value] | FloatArray) -> Parameter:
    """The smallest parameter that has these values."""
    with errors_in(f"the column {shown(name)} of the options"):
        if not isinstance(values, np.ndarray):
            kinds = {bool if isinstance(value, bool) else str if isinstance(value, str) else float for value in values}
            if len(kinds) > 1:
                raise InvalidInput("it mixes numbers, texts or booleans")
            if kinds != {float}:
                return Categorical(list(dict.fromkeys(values)))
            values = np.array(values, dtype=np.float64)
        return Real(values.min(), values.max())
