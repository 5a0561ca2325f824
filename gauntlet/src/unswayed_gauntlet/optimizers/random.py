"""Random search."""

from __future__ import annotations

import numpy as np

from unswayed.core.tampering.threat import Threat
from unswayed.spaces import Options, Point, Space


class Random:
    """Uniform points; it recommends the one with the largest observed value."""

    def __init__(self, space: Space, plays: int, threat: Threat, seed: int) -> None:
        rng = np.random.default_rng([seed, 1])
        listed = isinstance(space, Options)
        rows = (
            space.arms(1, 0)[rng.integers(space.size or 1, size=plays)]
            if listed
            else rng.random((plays, space.columns))
        )
        self._points = iter(space.decode(rows))
        self._told: list[tuple[float, Point]] = []

    def ask(self, source: str | None) -> Point:
        """The next random point."""
        return next(self._points)

    def tell(self, point: Point, value: float, source: str | None) -> None:
        """Remember the value."""
        self._told.append((value, point))

    def recommend(self) -> Point:
        """The point of the largest observed value."""
        return max(self._told, key=lambda told: told[0])[1]
