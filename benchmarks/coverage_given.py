"""Functions of known norm, for studies that are told everything: their certificates must hold.

f = level + sum_i a_i k(., x_i), with a scaled so that the RKHS norm of f - level is exactly B. All amounts are in
units of B, and B itself is drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from coverage_cases import LIES, Case, Family

from unswayed import Box, Linear, Matern, Options, Real, SquaredExponential
from unswayed.core.kernels import Kernel
from unswayed.spaces import Space
from unswayed.types import FloatArray

NORMS = (0.5, 2.0, 30.0)
Bumps = tuple[FloatArray, FloatArray]  # centres and their weights


def box(dimension: int) -> Callable[[np.random.Generator], Space]:
    """The unit cube, in units that are not those of the cube."""
    return lambda rng: Box({f"x{i}": Real(-3.0, 5.0) for i in range(dimension)})


def table(rows: int, columns: int) -> Callable[[np.random.Generator], Space]:
    """Random rows of numbers; each column has units of its own."""
    return lambda rng: Options(rng.uniform(size=(rows, columns)) * 10.0 ** np.arange(columns) + 20)


def crowd(rows: int, far: int) -> Callable[[np.random.Generator], Space]:
    """Most options lie within a fifth of the line, a few at its other end."""

    def draw(rng: np.random.Generator) -> Space:
        near = np.append(0.0, rng.uniform(0, 0.2, rows - far - 1))
        return Options(np.append(near, np.append(1.0, rng.uniform(0.75, 1.0, far - 1)))[:, None])

    return draw


def random_bumps(space: Space, rng: np.random.Generator) -> Bumps:
    return rng.uniform(size=(12, space.columns)), rng.standard_normal(12)


def needle(space: Space, rng: np.random.Generator) -> Bumps:
    """One bump, at one of the points: all else is at the level."""
    rows = space.arms(300, 0)
    return rows[[rng.integers(len(rows))]], np.ones(1)


def pit(space: Space, rng: np.random.Generator) -> Bumps:
    """One dent, so that the best values are those of the level."""
    return rng.uniform(size=(1, space.columns)), -np.ones(1)


def border(space: Space, rng: np.random.Generator) -> Bumps:
    """Bumps on faces of the cube; the best is in a corner."""
    centres = rng.uniform(size=(6, space.columns))
    sides = rng.integers(space.columns, size=6)
    centres[np.arange(6), sides] = rng.integers(2, size=6)
    centres[0] = rng.integers(2, size=space.columns)
    return centres, np.append(1.5, rng.uniform(-1, 1, 5))


def low_crowd(space: Space, rng: np.random.Generator) -> Bumps:
    """Low where the crowd is, high at the far end."""
    return np.array([[0.1], [rng.uniform(0.8, 1.0)]]), np.array([-1.0, rng.uniform(0.5, 1.0)])


@dataclass(frozen=True)
class Known:
    """A family of functions of norm B. `level`, `pair`, `noise`, `threat` and `scale` are in units of B.

    Attributes:
        space: Draws the space.
        bumps: Draws centres and weights.
        kernel: The true kernel.
        plays: The numbers of plays to choose from.
        level: The level of the functions.
        pair: What the study is told of the level; None tells the number.
        noise: Standard deviation of one measurement.
        threat: Total of the lies; with 0 nobody lies.
        scale: The output scale.
        method: Of the study.
    """

    space: Callable[[np.random.Generator], Space]
    bumps: Callable[[Space, np.random.Generator], Bumps]
    kernel: Kernel
    plays: tuple[int, ...]
    level: float = 0.0
    pair: tuple[float, float] | None = None
    noise: float = 0.05
    threat: float = 0.0
    scale: float = 0.3
    method: str = "vigilant-ucb"

    def __call__(self, rng: np.random.Generator) -> Case:
        """A new function."""
        B, space = float(rng.choice(NORMS)), self.space(rng)
        centres, weights = self.bumps(space, rng)
        weights = weights * B / np.sqrt(weights @ self.kernel(centres, centres) @ weights)
        level = self.level * B

        def truth(rows: FloatArray) -> FloatArray:
            return level + self.kernel(rows, centres) @ weights

        told = {
            "threat": self.threat * B,
            "kernel": self.kernel,
            "noise_std": self.noise * B,
            "output_scale": self.scale * B,
            "norm_bound": B,
            "level": level if self.pair is None else (self.pair[0] * B, self.pair[1] * B),
            "method": self.method,
        }
        lies = str(rng.choice(LIES)) if self.threat else None
        plays = int(rng.choice(self.plays))
        return Case(space, truth, self.noise * B, plays, told, level=level, lies=lies, peaks=centres)

    @property
    def note(self) -> str:
        """The settings in a few words."""
        level = f"level {self.level:g}B" + ("" if self.pair is None else f" in [{self.pair[0]:g}B, {self.pair[1]:g}B]")
        lies = f", lies {self.threat:g}B" if self.threat else ""
        return f"{self.kernel!r}, {level}, {min(self.plays)}-{max(self.plays)} plays, {self.method}{lies}"


PE = "influence-pe"
KNOWN = {
    "line, smooth": Known(box(1), random_bumps, SquaredExponential(0.2), (5, 12, 30)),
    "line, rough, high level": Known(box(1), random_bumps, Matern(1.5, 0.1), (8, 20, 50), level=10),
    "line, needle, few plays": Known(box(1), needle, Matern(1.5, 0.05), (5, 8, 20), pair=(-1, 1), scale=1.0),
    "square, border": Known(box(2), border, Matern(2.5, 0.3), (20, 30, 50), level=10, pair=(9, 12)),
    "square, pit, noisy": Known(box(2), pit, SquaredExponential(0.5), (12, 30, 100), level=-100, noise=0.3),
    "square, eliminated": Known(box(2), random_bumps, Matern(2.5, 0.5), (50, 100), level=10, method=PE),
    "square, lies": Known(box(2), border, SquaredExponential(0.2), (20, 50), -100, (-102, -97), threat=0.5),
    "cube, linear, lies": Known(box(3), random_bumps, Linear(3**0.5), (12, 50), threat=1.0, scale=1.0),
    "crowd": Known(crowd(60, 3), low_crowd, SquaredExponential(0.1), (12, 30, 100), -100, (-104, -99)),
    "crowd, eliminated": Known(crowd(60, 3), low_crowd, Matern(2.5, 0.3), (50, 100, 300), 10, (0, 15), method=PE),
    "crowd, eliminated, lies": Known(
        crowd(40, 2), low_crowd, SquaredExponential(0.2), (100, 300), -100, threat=1.0, method=PE
    ),
    "table, rough, many plays": Known(table(30, 2), random_bumps, Matern(1.5, 0.3), (100, 200, 300), -100, noise=0.2),
    "table, needle, wide pair": Known(table(50, 2), needle, Matern(2.5, 0.2), (12, 30, 100), 10, (0, 200), scale=1.0),
    "table, linear, eliminated": Known(
        table(40, 3), random_bumps, Linear(3**0.5), (30, 100, 300), -100, scale=1.0, method=PE
    ),
    "table, linear, pair": Known(table(40, 3), random_bumps, Linear(3**0.5), (30, 100), 0, (-0.5, 1.5), scale=1.0),
    "table, eliminated, lies": Known(
        table(40, 2), random_bumps, Matern(1.5, 0.3), (50, 100, 300), 10, (9, 12), 0.1, 2.0, method=PE
    ),
}
FAMILIES = [Family(name, known.note, known) for name, known in KNOWN.items()]
