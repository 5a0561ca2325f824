"""Optimisers of other people: what they must be able to do, and what a user's own factory makes.

A factory takes what it likes of `space`, `plays`, `threat` and `seed`.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from math import isnan
from typing import Any, Protocol

from unswayed.core.tampering.threat import Threat
from unswayed.errors import InvalidInput
from unswayed.experiments.own import load_own
from unswayed.spaces import Point, Space

Maker = Callable[..., Any]


class Player(Protocol):
    """An optimiser that is asked and told. It is made with the space, the number of plays, the threat and a seed.

    It may have one more method, `claim`: the ends of a 95% interval for the true value of what it recommends, or None.
    """

    def ask(self, source: str | None) -> Point:
        """The next point; `source` will measure it."""

    def tell(self, point: Point, value: float, source: str | None) -> None:
        """What was measured at the point that was asked for."""

    def recommend(self) -> Point:
        """The best point, as far as the optimiser knows. This must not change what it does next."""


def _taken(function: Maker, **given: Any) -> dict[str, Any]:
    """Those of the given arguments that a function has parameters for."""
    parameters = signature(function).parameters
    free = any(one.kind is one.VAR_KEYWORD for one in parameters.values())
    return {name: value for name, value in given.items() if free or name in parameters}


class OwnPlayer:
    """The optimiser of a user; its `ask` and `tell` are told the source if they have a parameter of this name."""

    def __init__(self, space: Space, plays: int, threat: Threat, seed: int, *, factory: str | Maker) -> None:
        make = load_own(factory).value if isinstance(factory, str) else factory
        arguments = _taken(make, space=space, plays=plays, threat=threat, seed=seed)
        try:
            signature(make).bind(**arguments)
        except TypeError as error:
            raise InvalidInput(f"{factory} may have the parameters space, plays, threat and seed: {error}") from None
        self._own = make(**arguments)
        if missing := [name for name in ("ask", "tell", "recommend") if not callable(getattr(self._own, name, None))]:
            raise InvalidInput(f"{factory} made a {type(self._own).__name__}, which has no method {missing[0]}")
        self._asked, self._told = (bool(_taken(verb, source="")) for verb in (self._own.ask, self._own.tell))

    def ask(self, source: str | None) -> Point:
        """The next point."""
        return self._own.ask(source=source) if self._asked else self._own.ask()

    def tell(self, point: Point, value: float, source: str | None) -> None:
        """What was measured there."""
        self._own.tell(point, value, **({"source": source} if self._told else {}))

    def recommend(self) -> Point:
        """The best point, by its own rule."""
        return self._own.recommend()

    def claim(self) -> tuple[float, float] | None:
        """The interval that it claims for the value there, if it has such a method."""
        return self._own.claim() if hasattr(self._own, "claim") else None


def claimed_interval(claimed: Any) -> tuple[float, float] | None:
    """The two ends of what `claim` returned; None if `claim` returned None or an end is NaN.

    Raises:
        InvalidInput: It is something else.
    """
    if claimed is None:
        return None
    try:
        low, high = map(float, claimed)
    except (TypeError, ValueError):
        raise InvalidInput(f"claim() must return two numbers or None, not {claimed!r}") from None
    if low > high:
        raise InvalidInput(f"claim() must return the lower end first, not {claimed!r}")
    return None if isnan(low) or isnan(high) else (low, high)
