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

from unswayed.core.rows import first_rows
from unswayed.errors import InvalidInput
from unswayed.spaces.box import Box, encoded_rows
from unswayed.spaces.option_tables import (
    Given,
    encode_dicts,
    encode_numbers,
    is_table,
    number_table,
    plain_dicts,
    rounded,
)
from unswayed.spaces.parameters import Categorical
from unswayed.spaces.values import Value, shown
from unswayed.types import FloatArray, IntArray, read_only


class Options:
    """A finite list of options: labels, dicts or rows of numbers. The methods are those of `Space`.

    Args:
        options: The options; they must differ. Rows of numbers are returned as tuples, the others as they were given.
        names: Names of the columns, for rows of numbers.

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
        if names is not None and not is_table(options):
            raise InvalidInput("names are for the columns of a table of numbers; leave them out here")
        self._given: Sequence[Value] | list[dict[str, Value]] | FloatArray
        if is_table(options):
            self._given = number_table(options)
            self._box, encoded = encode_numbers(self._given, names)
        elif isinstance(options[0], Mapping):
            self._given = plain_dicts(options)
            self._box, encoded = encode_dicts(self._given)
        else:
            labels = Categorical(list(options))
            self._given = labels.choices
            self._box, encoded = Box({"option": labels}), labels.encode(labels.choices)
        self._kind = "table" if is_table(options) else "dicts" if isinstance(options[0], Mapping) else "labels"
        self._encoded = read_only(encoded)
        self._refuse_duplicates()

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the table; for labels, "option"."""
        return self._box.names

    @property
    def columns(self) -> int:
        """The number of encoded columns."""
        return self._box.columns

    @property
    def groups(self) -> IntArray:
        """For each encoded column, the number of the column of the table it belongs to."""
        return self._box.groups

    @property
    def size(self) -> int:
        """The number of options."""
        return len(self._encoded)

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

    def around(self, centres: ArrayLike, radius: float, n: int, rng: np.random.Generator) -> FloatArray:
        """No rows: there are no points between the options."""
        return np.empty((0, self.columns))

    def record(self) -> dict[str, Any]:
        """The space as plain values for JSON; `space_from_record` reads them."""
        rows: list[Any] = self._given.tolist() if isinstance(self._given, np.ndarray) else list(self._given)
        if self._kind == "dicts":
            rows = [list(row.values()) for row in rows]
        names = {} if self._kind == "labels" else {"names": list(self.names)}
        return {"space": "options", **names, self._kind: rows}

    def describe(self, point: object) -> str:
        """The option in one line of text: its label, or "T = 80, acid = HCl"."""
        option = self.check(point)
        texts = [self._box.parameters[name].describe(value) for name, value in self._named(option).items()]
        if self._kind == "labels":
            return texts[0]
        return ", ".join(f"{name} = {text}" for name, text in zip(self.names, texts, strict=True))

    def _option(self, index: int) -> Any:
        option = self._given[index]
        return tuple(option.tolist()) if isinstance(option, np.ndarray) else _copy(option)

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
        found = self._nearest(rounded(self._box.encode(checked)))
        for point, given, index in zip(points, checked, found, strict=True):
            if given != self._named(self._option(index)):
                nearest = shown(self._option(index))
                raise InvalidInput(f"{shown(point)} is not one of the options; the nearest is {nearest}")
        return found

    @cached_property
    def _tree(self) -> cKDTree:
        return cKDTree(self._encoded, compact_nodes=False, balanced_tree=False)

    def _nearest(self, X: NDArray[np.float64]) -> list[int]:
        rows = X.argmax(axis=1) if self._kind == "labels" else self._tree.query(np.clip(X, 0.0, 1.0))[1]
        numbers: list[int] = rows.tolist()
        return numbers

    def _refuse_duplicates(self) -> None:
        first = first_rows(self._encoded)
        repeated = np.flatnonzero(first != np.arange(len(first)))
        if repeated.size:
            one, two = int(first[repeated[0]]), int(repeated[0])
            same = f"options {one + 1} and {two + 1} are equal up to rounding"
            raise InvalidInput(f"{same}: {shown(self._option(one))} and {shown(self._option(two))}")


def _copy(option: Any) -> Any:
    return dict(option) if isinstance(option, dict) else option
