"""Functions that are flat nearly everywhere, without noise: their best values lie where the model expects nothing.

For `ablation.py`. The largest value of each is 1, the smallest 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

import unswayed as uw
from unswayed.types import FloatArray

FIRST, SECOND = 0.3, 0.75  # each coordinate of the lower and of the higher peak


class Problem(NamedTuple):
    """A function on a cube."""

    space: uw.Box
    value: Callable[[Mapping[str, Any]], float]
    best: float = 1.0


def _problem(columns: int, value: Callable[[FloatArray], float]) -> Problem:
    names = [f"x{i}" for i in range(columns)]
    space = uw.Box({name: uw.Real(0, 1) for name in names})
    return Problem(space, lambda point: value(np.array([point[name] for name in names])))


def _cones(*peaks: tuple[float, float, float]) -> Callable[[FloatArray], float]:
    """The highest of some cones: the coordinate of the peak, its height and its radius; 0 elsewhere."""
    return lambda x: max(max(0.0, h * (1 - float(np.linalg.norm(x - at)) / r)) for at, h, r in peaks)


def _stairs(x: FloatArray) -> float:
    """A round hill in five steps."""
    return float(min(np.floor(6 * np.exp(-8 * np.square(x - SECOND).sum())), 5)) / 5


def problems() -> Mapping[str, Problem]:
    """All of them, by name."""
    made: Sequence[tuple[str, int, Callable[[FloatArray], float]]] = (
        ("peak-1", 1, _cones((SECOND, 1.0, 0.03))),
        ("peak-2", 2, _cones((SECOND, 1.0, 0.15))),
        ("peak-3", 3, _cones((SECOND, 1.0, 0.3))),
        ("peaks-1", 1, _cones((FIRST, 0.6, 0.2), (SECOND, 1.0, 0.03))),
        ("peaks-2", 2, _cones((FIRST, 0.6, 0.3), (SECOND, 1.0, 0.15))),
        ("stairs-2", 2, _stairs),
    )
    return {name: _problem(columns, value) for name, columns, value in made}
