"""Which parameters a point of a box has: `when={"kind": "svm"}` gives a parameter only to points whose kind is svm.

gate      a parameter that conditions name; a Categorical or an Integer
family    the points with the same values of all gates
arc       the encoding of a number that not every point has: points without it are equally far from all its values

On its arc, z in [0, 1] becomes the place (z, h) on a quarter of a circle with centre (1/2, 0) and radius sqrt(1/2).
The centre stands for "no value". Its distance to each value is sqrt(1/2), and the ends of the scale are at distance 1.
A category that not every point has needs nothing new: its columns are all 0 then, at distance sqrt(1/2) from every
choice. So for any stationary kernel, points of two families are correlated by what they have in common, and not by a
value that only one of them has.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, ClassVar, Self

import numpy as np

from unswayed.core.data.rows import numbered_rows
from unswayed.errors import InvalidInput
from unswayed.spaces.encoding import Encoding, Value, shown
from unswayed.spaces.intervals import Integer
from unswayed.spaces.parameters import Categorical, Parameter
from unswayed.spaces.reals import Real
from unswayed.types import BoolArray, FloatArray, IntArray

MOST_VALUES = 2000  # of a gate
MOST_FAMILIES = 64  # with more, families are covered as far as the values of each gate are
NO_VALUE = (0.5, 0.0)  # where a number that a point lacks is encoded


@dataclass(frozen=True)
class Arc:
    """The encoding of a number that has a condition. The methods are those of `Encoding`."""

    number: Real | Integer
    columns: ClassVar[int] = 2

    @property
    def size(self) -> int | None:
        """The number of values; None if there are infinitely many."""
        return self.number.size

    def check(self, value: object, name: str) -> Value:
        """The value as plain Python."""
        return self.number.check(value, name)

    def encode(self, values: Any) -> FloatArray:
        """Values that were checked, as places on the arc."""
        return _on_arc(self.number.encode(values))

    def decode(self, Z: FloatArray) -> list[Any]:
        """The nearest value to each row."""
        return self.number.decode(Z[:, :1])

    def legal(self, Z: FloatArray) -> FloatArray:
        """Each row moved to the place of its value."""
        return _on_arc(self.number.legal(Z[:, :1]))

    def spread(self, u: FloatArray) -> FloatArray:
        """Encoded values that are as uniform as u."""
        return _on_arc(self.number.spread(u))

    def grid(self, levels: int) -> FloatArray:
        """Encoded values that cover the parameter, the ends included."""
        return _on_arc(self.number.grid(levels))

    def move(self, Z: FloatArray, radius: float, rng: np.random.Generator, *, surely: bool) -> FloatArray:
        """A random step from each row."""
        return _on_arc(self.number.move(Z[:, :1], radius, rng, surely=surely))

    def near(self, value: Any) -> list[Any]:
        """The values next to one."""
        return list(self.number.near(value))

    def describe(self, value: Any) -> str:
        """The value as text."""
        return self.number.describe(value)

    def record(self) -> dict[str, Any]:
        """The parameter as plain values for JSON."""
        return self.number.record()


@dataclass(frozen=True, eq=False)
class Conditions:
    """The conditions of a box.

    Attributes:
        parameters: All parameters.
        order: Their names, every gate before what depends on it.
        when: For each name with a condition, the gate and its values.
        encodings: The encoding of each name, in the order of the columns.
        slices: Its columns.
    """

    parameters: Mapping[str, Parameter]
    order: tuple[str, ...]
    when: Mapping[str, tuple[str, frozenset[Value]]]
    encodings: Mapping[str, Encoding]
    slices: Mapping[str, slice]

    @classmethod
    def of(cls, parameters: Mapping[str, Parameter], slices: list[slice]) -> Self:
        """Check the conditions of some parameters."""
        when = {name: _condition(name, parameters) for name, one in parameters.items() if one.when is not None}
        order: dict[str, None] = {}
        for name in parameters:
            chain = [name]
            while (link := chain[-1]) in when and link not in order:
                if when[link][0] in chain:
                    raise InvalidInput(f"the conditions of {', '.join(chain)} go round in a circle")
                chain.append(when[link][0])
            order |= dict.fromkeys(reversed(chain))
        return cls(parameters, tuple(order), when, encodings(parameters), dict(zip(parameters, slices, strict=True)))

    @cached_property
    def gates(self) -> tuple[str, ...]:
        """The gates, every one before those that depend on it."""
        named = {gate for gate, _ in self.when.values()}
        return tuple(name for name in self.order if name in named)

    @cached_property
    def families(self) -> tuple[dict[str, Value], ...]:
        """The values of the gates in each family; none if there are more than MOST_FAMILIES."""
        found: list[dict[str, Value]] = [{}]
        for gate in self.gates:
            found = self._extended(found, gate)
            if len(found) > MOST_FAMILIES:
                return ()
        return tuple(found)

    @cached_property
    def family_sizes(self) -> IntArray:
        """How many parameters, not counting the gates, the points of each family have."""
        names = [name for name in self.parameters if name not in self.gates]
        return np.array([sum(self.has(name, one) for name in names) for one in self.families], dtype=np.int64)

    @cached_property
    def size(self) -> int | None:
        """The number of points; None if there are infinitely many."""
        sizes: dict[str, int | None] = {}
        for name in reversed(self.order):
            below = [child for child, (gate, _) in self.when.items() if gate == name]
            if not below:
                sizes[name] = self.parameters[name].size
            elif any(sizes[child] is None for child in below):
                sizes[name] = None
            else:
                values = _values(self.parameters[name])
                sizes[name] = sum(prod(sizes[c] or 0 for c in below if v in self.when[c][1]) for v in values)
        roots = [sizes[name] for name in self.order if name not in self.when]
        return None if None in roots else prod(size for size in roots if size is not None)

    def has(self, name: str, point: Mapping[str, Value]) -> bool:
        """Whether a point has this parameter, by the gates that it has."""
        if name not in self.when:
            return True
        gate, values = self.when[name]
        return gate in point and point[gate] in values

    def check(self, point: Mapping[str, Any]) -> dict[str, Value]:
        """The point with plain values; an error if a parameter is missing, or has a value where it has none."""
        found: dict[str, Value] = {}
        for name in self.order:
            if self.has(name, found):
                if name not in point:
                    gate = self.when[name][0] if name in self.when else None
                    why = "" if gate is None else f", which points with {gate} = {shown(found[gate])} have"
                    raise InvalidInput(f"the point has no value for {name}{why}")
                found[name] = self.parameters[name].check(point[name], name)
            elif name in point:
                gate = self.when[name][0]
                where = f"with {gate} = {shown(found[gate])}" if gate in found else f"without {gate}"
                raise InvalidInput(f"points {where} have no {name}: remove {name} = {shown(point[name])}")
        return {name: found[name] for name in self.parameters if name in found}

    def pruned(self, point: Mapping[str, Value]) -> dict[str, Value] | None:
        """The point without what its gates do not allow; None if a value is missing."""
        found: dict[str, Value] = {}
        for name in self.order:
            if self.has(name, found):
                if name not in point:
                    return None
                found[name] = point[name]
        return found

    def points(self) -> list[dict[str, Value]]:
        """Every point of a finite box."""
        found: list[dict[str, Value]] = [{}]
        for name in self.order:
            found = self._extended(found, name)
        return found

    def _extended(self, points: list[dict[str, Value]], name: str) -> list[dict[str, Value]]:
        values, longer = _values(self.parameters[name]), list[dict[str, Value]]()
        for point in points:
            longer += [{**point, name: value} for value in values] if self.has(name, point) else [point]
        return longer

    def encode(self, points: list[dict[str, Value]]) -> FloatArray:
        """A row for each point that was checked."""
        X = np.empty((len(points), max(at.stop for at in self.slices.values())))
        for name, at in self.slices.items():
            here = np.array([name in point for point in points], dtype=np.bool_)
            X[:, at] = self._blank(name)
            if here.any():
                X[here, at] = self.encodings[name].encode([point[name] for point in points if name in point])
        return X

    def having(self, X: FloatArray) -> BoolArray:
        """Which parameters each row has, a column for each parameter."""
        found: dict[str, BoolArray] = {}
        for name in self.order:
            found[name] = self._having(name, X, found)
        return np.column_stack([found[name] for name in self.parameters])

    def _having(self, name: str, X: FloatArray, found: Mapping[str, BoolArray]) -> BoolArray:
        """Which rows have this parameter, given which have its gate."""
        if name not in self.when:
            return np.ones(len(X), dtype=np.bool_)
        gate, values = self.when[name]
        chosen = self.encodings[gate].decode(X[:, self.slices[gate]])
        return found[gate] & np.array([value in values for value in chosen], dtype=np.bool_)

    def switched(self, X: FloatArray) -> FloatArray:
        """Rows with a value for every parameter, without what their gates do not allow."""
        for (name, at), here in zip(self.slices.items(), self.having(X).T, strict=True):
            X[~here, at] = self._blank(name)
        return X

    def covered(self, X: FloatArray, U: FloatArray) -> FloatArray:
        """Rows with a value for every parameter, spread evenly over the families by a number u in [0, 1] of each."""
        if self.families:
            place = list(self.parameters).index(self.gates[0])
            number = np.minimum((U[:, place] * len(self.families)).astype(np.int64), len(self.families) - 1)
            for gate in self.gates:
                X[:, self.slices[gate]] = self._gate_block(gate)[number]
        return self.switched(X)

    def completed(self, X: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Rows after a change of gates: what they have no more is removed, what they now have gets a random value."""
        X = X.copy()
        found: dict[str, BoolArray] = {}
        for name in self.order:
            here = found[name] = self._having(name, X, found)
            if name in self.when:
                at = self.slices[name]
                new = here & (X[:, at] == self._blank(name)).all(axis=1)
                X[new, at] = self.encodings[name].spread(rng.random(int(new.sum())))
                X[~here, at] = self._blank(name)
        return X

    def family(self, X: FloatArray) -> IntArray:
        """The number in `families` of the family of each row; if there are too many, in order of first appearance."""
        blocks = np.hstack([X[:, self.slices[gate]] for gate in self.gates])
        if not self.families:
            return numbered_rows(blocks)[1]
        known, columns = len(self.families), np.hstack([self._gate_block(gate) for gate in self.gates])
        first = numbered_rows(np.vstack([columns, blocks]))[1]
        return first[known:]

    def on_arcs(self, X: FloatArray) -> FloatArray:
        """Rows whose numbers were moved, put back on their arcs."""
        X = X.copy()
        for at in self._arcs:
            here = X[:, at.stop - 1] > 0
            X[here, at] = _on_arc(X[here, at.start : at.start + 1])
        return X

    def along(self, X: FloatArray, slopes: FloatArray) -> FloatArray:
        """Slopes by the positions of numbers, from those by all columns."""
        slopes = slopes.copy()
        for at in self._arcs:
            slopes[:, at.start] = _along(X[:, at], slopes[:, at])
        return slopes

    def _gate_block(self, gate: str) -> FloatArray:
        """The columns of a gate in each family."""
        points = [{gate: family[gate]} if gate in family else {} for family in self.families]
        return self.encode(points)[:, self.slices[gate]]

    @cached_property
    def _arcs(self) -> list[slice]:
        return [self.slices[name] for name, one in self.encodings.items() if isinstance(one, Arc)]

    def _blank(self, name: str) -> FloatArray:
        return np.array(NO_VALUE) if isinstance(self.encodings[name], Arc) else np.zeros(self.encodings[name].columns)


def encodings(parameters: Mapping[str, Parameter]) -> dict[str, Encoding]:
    """How each parameter is encoded: as itself, but a number with a condition on an arc."""
    return {
        name: one if one.when is None or isinstance(one, Categorical) else Arc(one) for name, one in parameters.items()
    }


def _condition(name: str, parameters: Mapping[str, Parameter]) -> tuple[str, frozenset[Value]]:
    """The gate of a parameter and its values."""
    when = parameters[name].when
    assert when is not None
    [(gate, values)] = when.items()
    one = parameters.get(gate)
    if one is None:
        raise InvalidInput(f"{name} depends on {shown(gate)}, which is not a parameter of the box")
    if not isinstance(one, Categorical | Integer) or one.size > MOST_VALUES:
        kinds = f"a Categorical, or an Integer of at most {MOST_VALUES} values"
        raise InvalidInput(f"{name} can depend only on {kinds}, not on {gate}")
    assert isinstance(values, tuple)
    return gate, frozenset(one.check(value, f"in the condition of {name}, {gate}") for value in values)


def _values(one: Parameter) -> list[Any]:
    """All values of a parameter that has finitely many."""
    return one.decode(one.grid(one.size or 1))


def _on_arc(z: FloatArray) -> FloatArray:
    """A column of positions as places on the arc."""
    return np.hstack([z, np.sqrt(0.5 - np.square(np.clip(z, 0.0, 1.0) - 0.5))])


def _along(Z: FloatArray, slopes: FloatArray) -> FloatArray:
    """The slope by the position of each place on the arc, from the slopes by its two columns; 0 without a value."""
    h = np.where(Z[:, 1] > 0, Z[:, 1], 1.0)
    slope: FloatArray = np.where(Z[:, 1] > 0, slopes[:, 0] - slopes[:, 1] * (Z[:, 0] - 0.5) / h, 0.0)
    return slope
