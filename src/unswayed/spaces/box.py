"""A space of named parameters: every combination of their values is a point."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import sha256
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from unswayed.core.data.rows import distinct_rows
from unswayed.errors import InvalidInput
from unswayed.spaces.conditions import Conditions, encodings
from unswayed.spaces.encoding import Encoding, Value, name_text, shown
from unswayed.spaces.intervals import Integer
from unswayed.spaces.parameters import Categorical, Parameter
from unswayed.spaces.reals import Real
from unswayed.types import BoolArray, FloatArray, IntArray, floats, positive, read_only, whole

MOST_COLUMNS, MOST_ROWS = 10_000, 10_000_000
FEWEST_LEVELS = 3  # a grid with fewer levels misses the middle
SOBOL_BITS = 30
CHANGED = 20  # about the largest number of parameters that change in one step, as in TuRBO (Eriksson et al., 2019)


@dataclass(frozen=True, eq=False)
class Box:
    """A space of named parameters. A point is a dict with a value for each name. The methods are those of `Space`.

    A parameter with a condition, such as `when={"kind": "svm"}`, belongs only to points with that value of `kind`, and
    other points do not have it. `kind` is a Categorical or an Integer of the same box; it may have a condition itself.

    Attributes:
        parameters: A `Real`, `Integer` or `Categorical` for each name.

    Raises:
        InvalidInput: There is no parameter, one of them is not of these kinds, or a condition makes no sense.

    Example:
        >>> from unswayed import Box, Categorical, Integer, Real
        >>> box = Box({"rate": Real(1e-5, 1e-1, log=True), "layers": Integer(1, 8), "kind": Categorical(["a", "b"])})
        >>> box.describe({"rate": 0.001, "layers": 3, "kind": "b"})
        'rate = 0.001, layers = 3, kind = b'
        >>> box.columns
        4
        >>> two = Box({"kind": Categorical(["svm", "knn"]), "C": Real(1e-3, 1e3, log=True, when={"kind": "svm"})})
        >>> two.check({"kind": "knn"})
        {'kind': 'knn'}
    """

    parameters: Mapping[str, Parameter]

    def __post_init__(self) -> None:
        if not isinstance(self.parameters, Mapping) or not self.parameters:
            raise InvalidInput("a box needs a mapping of at least one name to a parameter, such as {'x': Real(0, 1)}")
        for name, parameter in self.parameters.items():
            name_text(name, "the name of a parameter")
            if not isinstance(parameter, Real | Integer | Categorical):
                raise InvalidInput(f"{name} must be a Real, an Integer or a Categorical, not {shown(parameter)}")
        object.__setattr__(self, "parameters", {str(name): one for name, one in self.parameters.items()})
        if self.columns > MOST_COLUMNS:
            raise InvalidInput(f"a box has at most {MOST_COLUMNS} columns (one for each choice), not {self.columns}")
        assert self.conditions is None or self.conditions.order  # raises InvalidInput if a condition makes no sense

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters, in order."""
        return tuple(self.parameters)

    @cached_property
    def conditions(self) -> Conditions | None:
        """Which points have which parameters; None if all have all."""
        if all(one.when is None for one in self.parameters.values()):
            return None
        return Conditions.of(self.parameters, self._slices)

    @cached_property
    def columns(self) -> int:
        """The number of encoded columns."""
        return sum(one.columns for one in self._encodings)

    @cached_property
    def groups(self) -> IntArray:
        """For each column, the number of the parameter it belongs to."""
        widths = [one.columns for one in self._encodings]
        return read_only(np.repeat(np.arange(len(widths), dtype=np.int64), widths))

    @cached_property
    def size(self) -> int | None:
        """The number of points; None if a parameter is continuous."""
        if self.conditions is not None:
            return self.conditions.size
        sizes = [parameter.size for parameter in self.parameters.values()]
        return None if None in sizes else prod(size for size in sizes if size is not None)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the complete definition of the space."""
        return sha256(json.dumps(self.record()).encode()).hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Box) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def check(self, point: object) -> dict[str, Value]:
        """The point with plain Python values, in the order of the parameters; an error if it is not in the box."""
        if not isinstance(point, Mapping):
            raise InvalidInput(f"a point is a mapping of names to values, not {shown(point)}")
        if self.conditions is not None or point.keys() != self.parameters.keys():
            if unknown := [name for name in point if name not in self.parameters]:
                raise InvalidInput(f"unknown parameter {shown(unknown[0])}: there are {_listed(self.names)}")
            if self.conditions is not None:
                return self.conditions.check(point)
            missing = _listed(tuple(name for name in self.names if name not in point))
            raise InvalidInput(f"the point has no value for {missing}")
        return {name: parameter.check(point[name], name) for name, parameter in self.parameters.items()}

    def encode(self, points: Iterable[object]) -> FloatArray:
        """A row of the unit cube for each point; every point is checked."""
        checked = [self.check(point) for point in points]
        if self.conditions is not None:
            return self.conditions.encode(checked)
        return np.hstack([one.encode([point[name] for point in checked]) for name, one in self.parameters.items()])

    def decode(self, X: ArrayLike) -> list[dict[str, Value]]:
        """The nearest point to each row."""
        rows = encoded_rows(X, self.columns)
        values = [one.decode(rows[:, at]) for one, at in zip(self._encodings, self._slices, strict=True)]
        points = [dict(zip(self.names, point, strict=True)) for point in zip(*values, strict=True)]
        if self.conditions is None:
            return points
        having = self.conditions.having(rows).tolist()
        return [
            {name: value for (name, value), has in zip(point.items(), here, strict=True) if has}
            for point, here in zip(points, having, strict=True)
        ]

    def legal(self, X: ArrayLike) -> FloatArray:
        """Each row moved to its nearest point: exactly encode(decode(X)), but faster."""
        rows = encoded_rows(X, self.columns)
        X = np.hstack([one.legal(rows[:, at]) for one, at in zip(self._encodings, self._slices, strict=True)])
        return X if self.conditions is None else self.conditions.switched(X)

    def arms(self, n: int, seed: int) -> FloatArray:
        """At most n distinct rows that cover the box: all points, a grid that includes both ends, or Sobol points.

        A grid has every category, all values of small integers, and as many levels as fit for at most two parameters.
        There is none if parameters have conditions.
        """
        n = whole(n, "the number of arms", least=1, most=MOST_ROWS)
        rng = np.random.default_rng(whole(seed, "seed", least=0))
        if self.conditions is not None:
            every = self.size is not None and self.size <= n
            X = self.conditions.encode(self.conditions.points()) if every else self.spread(4 * n, rng)
            return X[distinct_rows(X)[:n]]
        levels = bisect_right(range(1, n + 1), n, key=lambda levels: prod(self._counts(levels)))  # the most that fit
        thinned = sum(more > few for more, few in zip(self._counts(levels + 1), self._counts(levels), strict=True))
        if levels and (not thinned or (thinned <= 2 and levels >= FEWEST_LEVELS)):
            grids = [one.grid(levels) for one in self.parameters.values()]
            places = np.indices([len(grid) for grid in grids]).reshape(len(grids), -1)
            X = np.hstack([grid[place] for grid, place in zip(grids, places, strict=True)])
        else:
            X = self.spread(n if self.size is None else 4 * n, rng)
        return X[distinct_rows(X)[:n]]

    def spread(self, n: int, rng: np.random.Generator) -> FloatArray:
        """At least n rows of Sobol points, all over the box; some may be equal if there are few points."""
        U = _sobol(n, len(self.parameters), rng)
        X = np.hstack([one.spread(u) for one, u in zip(self._encodings, U.T, strict=True)])
        return X if self.conditions is None else self.conditions.covered(X, U)

    def around(self, centres: ArrayLike, radius: float, n: int, rng: np.random.Generator) -> FloatArray:
        """At most n distinct rows near the centres, without the centres; each number moves by at most `radius`.

        Half of the rows change every parameter (about 20 if there are many), the others a few. No row leaves the box.
        """
        n = whole(n, "the number of rows", least=1, most=MOST_ROWS)
        if positive(radius, "radius") > 1:
            raise InvalidInput(f"radius must be at most 1, the side of the unit cube, not {radius:g}")
        centres = self.legal(centres)
        movable = np.array([one.size != 1 for one in self.parameters.values()])
        if not len(centres) or not movable.any():
            return np.empty((0, self.columns))
        start = centres[rng.integers(len(centres), size=2 * n)]  # twice as many, because some will be equal
        free = movable if self.conditions is None else self.conditions.having(start) & movable
        X = self._moved(start, _masks(len(start), len(movable), free, rng), radius, rng, surely=False)
        still = np.flatnonzero((start == X).all(axis=1))
        one_each = _one_each(free, still, rng)
        X[still] = self._moved(start[still], one_each, radius, rng, surely=True)
        fresh = distinct_rows(np.vstack([centres, X])) - len(centres)
        return X[fresh[fresh >= 0][:n]]

    def nearest(self, X: ArrayLike, n: int) -> FloatArray:
        """No rows: a box has no list of points."""
        return np.empty((0, self.columns))

    def neighbours(self, row: FloatArray) -> FloatArray:
        """The points that differ in one number by one step, or in one category.

        A category that needs other parameters is no neighbour: there is no value for them.
        """
        [point] = self.decode(row[None])
        near = [{**point, name: other} for name, value in point.items() for other in self.parameters[name].near(value)]
        if self.conditions is not None:
            near = [whole for one in near if (whole := self.conditions.pruned(one)) is not None]
        return self.encode(near) if near else row[None][:0]

    def exchanged(self, X: FloatArray, donors: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Each row with one random parameter taken from its donor."""
        taken = self.groups == rng.integers(len(self.parameters), size=len(X))[:, None]
        rows = np.where(taken, donors, X)
        return rows if self.conditions is None else self.conditions.completed(rows, rng)

    @cached_property
    def numbers(self) -> BoolArray:
        """Which columns are numbers; on an arc, the first of two."""
        numbers = np.array([not isinstance(one, Categorical) for one in self.parameters.values()], dtype=np.bool_)
        return read_only(numbers[self.groups] & np.append(True, np.diff(self.groups) > 0))

    @property
    def families(self) -> IntArray:
        """How many parameters other than gates the points of each family have; empty if there are many families."""
        return np.empty(0, dtype=np.int64) if self.conditions is None else self.conditions.family_sizes

    def family_of(self, X: FloatArray) -> IntArray:
        """The number of the family of each row; 0 without conditions."""
        return np.zeros(len(X), dtype=np.int64) if self.conditions is None else self.conditions.family(X)

    def matter_most(self, lengthscale: ArrayLike, most: int) -> list[str]:
        """The names of some parameters, in order: those of the shortest length-scales.

        Args:
            lengthscale: One for all columns, or one for each.
            most: How many names.
        """
        lengths = np.broadcast_to(np.asarray(lengthscale), self.columns)
        shortest = [float(lengths[self.groups == number].min()) for number in range(len(self.names))]
        return [self.names[number] for number in sorted(np.argsort(shortest, kind="stable")[:most].tolist())]

    def record(self) -> dict[str, Any]:
        """The space as plain values for JSON; `space_from_record` reads them."""
        return {"space": "box", "parameters": [{"name": n, **one.record()} for n, one in self.parameters.items()]}

    def describe(self, point: object) -> str:
        """The point in one line of text: "lr = 0.00123, layers = 3, kind = rbf"."""
        checked = self.check(point)
        return ", ".join(f"{name} = {self.parameters[name].describe(value)}" for name, value in checked.items())

    @cached_property
    def _encodings(self) -> list[Encoding]:
        return list(encodings(self.parameters).values())

    @cached_property
    def _slices(self) -> list[slice]:
        ends = np.cumsum([one.columns for one in self._encodings]).tolist()
        return [slice(start, end) for start, end in zip([0, *ends[:-1]], ends, strict=True)]

    def _counts(self, levels: int) -> list[int]:
        """The number of values of each parameter in a grid of this many levels; categories have all of theirs."""
        sizes = ((one, one.size or levels) for one in self.parameters.values())
        return [size if isinstance(one, Categorical) else min(size, levels) for one, size in sizes]

    def _moved(
        self, X: FloatArray, masks: BoolArray, radius: float, rng: np.random.Generator, surely: bool
    ) -> FloatArray:
        moved = X.copy()
        for one, at, here in zip(self._encodings, self._slices, masks.T, strict=True):
            moved[here, at] = one.legal(one.move(X[here, at], radius, rng, surely=surely))
        return moved if self.conditions is None else self.conditions.completed(moved, rng)


def encoded_rows(X: ArrayLike, columns: int) -> FloatArray:
    """Rows of the unit cube; an error if they are not finite or have the wrong number of columns."""
    rows = floats(X, "encoded rows", ndim=2)
    if rows.shape[1] != columns:
        raise InvalidInput(f"encoded rows of this space have {columns} column(s), not {rows.shape[1]}")
    return rows


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")


def _sobol(n: int, d: int, rng: np.random.Generator) -> FloatArray:
    """At least n Sobol points with a random digital shift of our own, so that all versions of SciPy give the same."""
    digits = _sobol_digits((n - 1).bit_length(), d) ^ rng.integers(2**SOBOL_BITS, size=d)
    return np.asarray((digits + 0.5) / 2.0**SOBOL_BITS, dtype=np.float64)


@lru_cache(maxsize=8)
def _sobol_digits(power: int, d: int) -> IntArray:
    from scipy.stats import qmc  # slow to import, and only needed here

    points: FloatArray = qmc.Sobol(d, scramble=False, bits=SOBOL_BITS).random_base2(power)
    return read_only(np.rint(points * 2.0**SOBOL_BITS).astype(np.int64))


def _masks(n: int, d: int, free: BoolArray, rng: np.random.Generator) -> BoolArray:
    """Which parameters change in which row: in odd rows each with one probability, in even rows 1 to 20 of them.

    `free` says which can change: for all rows, or for each row.
    """
    most = min(d, CHANGED)
    keys = rng.random((n, d))
    if free.ndim == 2:
        keys[~free] = 2.0
    masks = keys < most / d
    few = np.sort(keys[::2], axis=1)[np.arange(len(masks[::2])), rng.integers(most, size=len(masks[::2]))]
    masks[::2] = keys[::2] <= few[:, None]
    return masks if free.ndim == 1 else masks & free


def _one_each(free: BoolArray, rows: IntArray, rng: np.random.Generator) -> BoolArray:
    """One parameter that can change for each of these rows."""
    if free.ndim == 1:
        chosen = rng.choice(np.flatnonzero(free), rows.size)
    else:
        chosen = np.where(free[rows], rng.random((rows.size, free.shape[1])), -1.0).argmax(axis=1)
    mask: BoolArray = chosen[:, None] == np.arange(free.shape[-1])
    return mask
