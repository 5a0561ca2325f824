"""Optuna's search spaces as boxes, value by value.

FloatDistribution                 Real, linear or logarithmic
FloatDistribution with a step     Integer: the number of steps from `low`
IntDistribution                   Integer: the number of steps from `low`; the value itself if logarithmic
CategoricalDistribution           Categorical: the number of the choice, so choices may be anything, None included
a single value                    no parameter; it is put back into every answer
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution

from unswayed.errors import InvalidInput, UnswayedError
from unswayed.spaces import Box, Categorical, Integer, Real
from unswayed.spaces.parameters import Parameter
from unswayed.text import printable
from unswayed.types import FloatArray

Numbers = tuple[int | float, ...]  # of a point: one for each parameter of the box
NEAR = 1e-8  # steps by which a value may miss its step, as in Optuna


class OptunaSpace:
    """A search space as a box. Names are sorted, so that their order does not matter."""

    def __init__(self, distributions: Mapping[str, BaseDistribution]) -> None:
        self.distributions = dict(sorted(distributions.items()))
        self.fixed = {name: _single(one) for name, one in self.distributions.items() if one.single()}
        self.free = {name: one for name, one in self.distributions.items() if name not in self.fixed}
        parameters = {name: as_parameter(name, one) for name, one in self.free.items()}
        # Numbered, because Optuna's names may be any text.
        self.box = Box({f"p{i}": one for i, one in enumerate(parameters.values())}) if parameters else None

    def numbers(self, params: Mapping[str, Any]) -> Numbers | None:
        """The point that these parameters are; None if one is missing or lies outside."""
        numbers = [_to_number(one, params[name]) if name in params else None for name, one in self.free.items()]
        known = tuple(number for number in numbers if number is not None)
        return known if len(known) == len(numbers) else None

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
        return self.searched.encode([dict(zip(names, point, strict=True)) for point in points])

    def params(self, point: Mapping[str, Any]) -> dict[str, Any]:
        """A point of the box as Optuna's parameters."""
        found = {n: _from_number(one, x) for (n, one), x in zip(self.free.items(), point.values(), strict=True)}
        return {name: self.fixed[name] if name in self.fixed else found[name] for name in self.distributions}

    def params_of_row(self, row: FloatArray) -> dict[str, Any]:
        """The point nearest to a row, as Optuna's parameters."""
        return self.params(self.searched.decode(row[None])[0])

    def numbers_of_row(self, row: FloatArray) -> Numbers:
        """The point nearest to a row."""
        return tuple(self.searched.decode(row[None])[0].values())  # type: ignore[arg-type]


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


def _to_number(distribution: BaseDistribution, value: Any) -> int | float | None:
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
    if abs(steps - round(steps)) >= NEAR:
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
    return min(distribution.low + number * distribution.step, distribution.high)
