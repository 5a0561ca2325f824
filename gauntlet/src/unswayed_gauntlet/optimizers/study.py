"""Unswayed as its users call it, and what it recommends from the measurements of other optimisers."""

from __future__ import annotations

from collections.abc import Iterable

from unswayed.core.data.measurement import Measurement
from unswayed.core.tampering.threat import Threat
from unswayed.search.answer import Answer
from unswayed.spaces import Point, Space
from unswayed.study.optimizer import Optimizer


class Unswayed:
    """`unswayed.Optimizer`. It is told the threat and the sources."""

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

    def claim(self) -> tuple[float, float] | None:
        """The estimate of the answer, less and plus 1.96 standard deviations, if the deviation is known."""
        answer = self._study.answer()
        assert isinstance(answer, Answer)  # these are no duels
        half = None if answer.deviation is None else 1.96 * answer.deviation
        return None if half is None else (answer.estimate - half, answer.estimate + half)

    def add(self, told: Iterable[tuple[Point, float, str | None]]) -> None:
        """Add measurements that this study did not ask for."""
        self._study.add((point, Measurement(value, source)) for point, value, source in told)
