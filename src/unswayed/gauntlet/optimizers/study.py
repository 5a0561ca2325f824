"""Unswayed as its users call it."""

from __future__ import annotations

from unswayed.core.threat import Threat
from unswayed.spaces import Point, Space
from unswayed.study.optimizer import Optimizer


class Unswayed:
    """`unswayed.Optimizer`, told the threat and who measures."""

    def __init__(self, space: Space, plays: int, threat: Threat, seed: int) -> None:
        self._study = Optimizer(space, plays=plays, threat=threat, seed=seed)

    def ask(self, source: str | None) -> Point:
        """The next play of the study."""
        (self._open,) = self._study.ask(source=source)
        return self._open.point

    def tell(self, point: Point, value: float, source: str | None) -> None:
        """Record the measurement."""
        self._study.tell(self._open, value, source=source)

    def recommend(self) -> Point:
        """The point of the answer; it depends on the log alone."""
        return self._study.answer().point
