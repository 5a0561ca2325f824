"""Optuna's search spaces as boxes, value by value.

FloatDistribution                 Real, linear or logarithmic
FloatDistribution with a step     Integer: the number of steps from `low`
IntDistribution                   Integer: the number of steps from `low`; the value itself if logarithmic
CategoricalDistribution           Categorical: the number of the choice, so choices may be anything, None included
a single value                    no parameter; it is put back into every answer

A parameter that only some trials have keeps its condition: the gate that it depends on, and the numbers of its values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Self

from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution

from unswayed.errors import InvalidInput, UnswayedError
from unswayed.spaces import Box, Categorical, Integer, Real
from unswayed.spaces.encoding import When, checked_when
from unswayed.spaces.parameters import Parameter
from unswayed.text import printable
from unswayed.types import FloatArray

Numbers = tuple[int | float | None, ...]  # of a point: one for each parameter of the box; None if it does not have it
STEP_TOLERANCE = 1e-8  # a value may be off its step by this share of one, as in Optuna


class Conditions(dict[str, tuple[str, frozenset[int]]]):
    """For each parameter that only some points have, its gate and the numbers of the gate's values."""

    @classmethod
    def of(cls, when: Mapping[str, When] | None, distributions: Mapping[str, BaseDistribution]) -> Self:
        """From Optuna's values: {"C": {"kind": "svm"}}, or a list of values."""
        found = cls()
        for name, given in (when or {}).items():
            [(gate, values)] = checked_when(given).items()
            if name not in distributions or gate not in distributions:
                raise InvalidInput(f"when needs {name!r} and {gate!r} in the search space")
            numbers = [to_number(distributions[gate], value) for value in values]
            if None in numbers:
                raise InvalidInput(f"in the condition of {name!r}, {gate!r} does not have one of the values {values}")
            found[name] = gate, frozenset(int(number) for number in numbers if number is not None)
        return found


class OptunaSpace:
    """A search space as a box. Names are sorted, so that their order does not matter.

    Args:
        distributions: The parameters.
        when: Those that only some points have.
        only: For some gates, the numbers of the values that are considered; by default all.

    Attributes:
        called: What a play of this space is called in words.
    """

    called = "trial"

    def __init__(
        self,
        distributions: Mapping[str, BaseDistribution],
        when: Conditions | None = None,
        only: Mapping[str, set[int]] | None = None,
    ) -> None:
        self.distributions = dict(sorted(distributions.items()))
        self.when, only = when or Conditions(), only or {}
        tied = {*self.when, *(gate for gate, _ in self.when.values())}
        self.fixed = {n: _single(one) for n, one in self.distributions.items() if one.single() and n not in tied}
        self.free = {name: one for name, one in self.distributions.items() if name not in self.fixed}
        self._keys = {name: f"p{i}" for i, name in enumerate(self.free)}  # because Optuna's names may be any text
        parameters: dict[str, Parameter] = {}
        for name, key in self._keys.items():
            one = Categorical(sorted(only[name])) if name in only else as_parameter(name, self.free[name])
            if name in self.when:
                gate, numbers = self.when[name]
                some = sorted(numbers & only.get(gate, numbers))
                one = replace(one, when={self._keys[gate]: some})
            parameters[key] = one
        self.box = Box(parameters) if parameters else None

    def numbers(self, params: Mapping[str, Any]) -> Numbers | None:
        """The point that these parameters are; None if one is missing or lies outside."""
        if self.box is None:
            return ()
        point: dict[str, Any] = {}
        for (key, one), (name, distribution) in zip(self.box.parameters.items(), self.free.items(), strict=True):
            number = to_number(distribution, params[name]) if name in params else None
            if number is not None and not (isinstance(one, Categorical) and number not in one.choices):
                point[key] = number
        whole: Mapping[str, Any] | None = point if self.box.conditions is None else self.box.conditions.pruned(point)
        if whole is None or (self.box.conditions is None and len(whole) < len(self.free)):
            return None
        return tuple(whole.get(key) for key in self.box.names)

    def parts(self, point: Numbers) -> list[str]:
        """The names of the parameters that a point has."""
        having = {name for name, number in zip(self.free, point, strict=True) if number is not None}
        return [name for name in self.names if name in self.fixed or name in having]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters."""
        return tuple(self.distributions)

    @property
    def searched(self) -> Box:
        """The box, where there is one: some parameter has more than one value."""
        if self.box is None:
            raise InvalidInput("the complete trials have no parameter in common that has more than one value")
        return self.box

    def describe(self, params: Mapping[str, Any]) -> str:
        """Optuna's parameters in one line. Names and choices may be any text, so both are made printable."""
        shown = ((name, f"{x:.6g}" if isinstance(x, float) else str(x)) for name, x in params.items())
        return ", ".join(f"{printable(name)} = {printable(text)}" for name, text in shown)

    def rows(self, points: Sequence[Numbers]) -> FloatArray:
        """A row of the unit cube for each point."""
        names = self.searched.names
        pairs = [zip(names, point, strict=True) for point in points]
        return self.searched.encode([{key: x for key, x in pair if x is not None} for pair in pairs])

    def params(self, point: Mapping[str, Any]) -> dict[str, Any]:
        """A point of the box as Optuna's parameters."""
        free = zip(self.free.items(), self._keys.values(), strict=True)
        found = {n: _from_number(one, point[key]) for (n, one), key in free if key in point}
        return {n: self.fixed[n] if n in self.fixed else found[n] for n in self.names if n in found or n in self.fixed}

    def params_of_row(self, row: FloatArray) -> dict[str, Any]:
        """The point nearest to a row, as Optuna's parameters."""
        return self.params(self.searched.decode(row[None])[0])

    def numbers_of_row(self, row: FloatArray) -> Numbers:
        """The point nearest to a row."""
        [point] = self.searched.decode(row[None])
        return tuple(point.get(key) for key in self.searched.names)  # type: ignore[misc]


def as_parameter(name: str, distribution: BaseDistribution) -> Parameter:
    """The parameter of a box that stands for a distribution; raises InvalidInput if there is none."""
    try:
        if isinstance(distribution, CategoricalDistribution):
            return Categorical(range(len(distribution.choices)))
        if isinstance(distribution, FloatDistribution | IntDistribution):
            if distribution.log and isinstance(distribution, IntDistribution):
                return Integer(distribution.low, distribution.high, log=True)
            if distribution.step is None:
                return Real(distribution.low, distribution.high, log=distribution.log)
            return Integer(0, _steps(distribution))
    except (UnswayedError, OverflowError) as error:
        raise InvalidInput(f"the parameter {name!r} cannot be searched: {error}") from None
    raise InvalidInput(f"the parameter {name!r} has an unknown kind of distribution: {distribution!r}")


def searchable(distributions: Mapping[str, BaseDistribution]) -> dict[str, BaseDistribution]:
    """Those that a box can hold: not whole numbers over more than 2^40 steps, nor thousands of choices."""
    kept = {}
    for name, distribution in distributions.items():
        try:
            as_parameter(name, distribution)
        except UnswayedError:
            if not distribution.single():
                continue
        kept[name] = distribution
    return kept


def _steps(distribution: FloatDistribution | IntDistribution) -> int:
    assert distribution.step is not None
    if isinstance(distribution, IntDistribution):
        return (distribution.high - distribution.low) // distribution.step
    return round((distribution.high - distribution.low) / distribution.step)


def _single(distribution: BaseDistribution) -> Any:
    return distribution.choices[0] if isinstance(distribution, CategoricalDistribution) else distribution.low  # type: ignore[attr-defined]


def to_number(distribution: BaseDistribution, value: Any) -> int | float | None:
    """The number that stands for a value in a box; None if the distribution does not contain it."""
    try:
        number = distribution.to_internal_repr(value)
    except (ValueError, TypeError, OverflowError):
        return None
    if isinstance(distribution, CategoricalDistribution):
        return int(number)
    assert isinstance(distribution, FloatDistribution | IntDistribution)
    if not distribution.low <= number <= distribution.high:
        return None
    if distribution.step is None:
        return float(number)
    steps = (number - distribution.low) / distribution.step
    if abs(steps - round(steps)) >= STEP_TOLERANCE:
        return None
    return int(number) if distribution.log else round(steps)


def _from_number(distribution: BaseDistribution, number: Any) -> Any:
    if isinstance(distribution, CategoricalDistribution):
        return distribution.choices[number]
    if isinstance(distribution, IntDistribution):
        return number if distribution.log else distribution.low + number * distribution.step
    assert isinstance(distribution, FloatDistribution)
    if distribution.step is None:
        return number
    low, step = Decimal(repr(distribution.low)), Decimal(repr(distribution.step))  # 0.3, not 0.30000000000000004
    return min(float(low + number * step), distribution.high)
