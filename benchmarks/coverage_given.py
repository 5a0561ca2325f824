"""Functions of known norm, for studies that are told everything: their certificates must hold.

f = level + sum_i a_i k(., x_i), with a scaled so that the RKHS norm of f - level is exactly B. All amounts are in
units of B, and B itself is drawn. Random functions are far from the worst, so some families hide a part of
their norm where the study does not look: there a certificate that is too small is false.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from coverage_cases import LIES, Case, Family, Truth, honest_objective, studied

from unswayed import Box, Linear, Matern, Options, Real, SquaredExponential
from unswayed.core.gp.kernels import Kernel
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


def isolated(space: Space, rng: np.random.Generator) -> Bumps:
    """Low where the crowd of `scattered` is."""
    return space.arms(1, 0)[[0]], -np.ones(1)


def scattered(rows: int, far: int) -> Callable[[np.random.Generator], Space]:
    """A crowd in a corner of the cube, and options far from it and from each other."""

    def draw(rng: np.random.Generator) -> Space:
        near, others = rng.uniform(0, 0.1, (rows - far, 3)), rng.uniform(0.2, 1, (far, 3))
        return Options(np.vstack([near, others]))

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


def scaled(kernel: Kernel, bumps: Bumps, norm: float) -> Bumps:
    """The same function, with this norm."""
    centres, weights = bumps
    return centres, weights * norm / np.sqrt(weights @ kernel(centres, centres) @ weights)


def with_blind_spot(kernel: Kernel, bumps: Bumps, norm: float, space: Space, played: FloatArray) -> Bumps:
    """The function plus t u, of this norm, where u is 0 at the played rows X and largest at a point b far from them.

    u = k(., b) - k(., X) K^-1 k(X, b), so |u|^2 = u(b), and <f, u> = f(b) - k(b, X) K^-1 f(X).
    """
    (centres, weights), X = bumps, np.unique(played, axis=0)
    K, others = kernel(X, X) + 1e-12 * np.eye(len(X)), space.arms(300, 0)
    far = 1 - np.sum(kernel(X, others) * np.linalg.solve(K, kernel(X, others)), axis=0)
    b = others[[int(np.argmax(far))]]
    alpha, square = np.linalg.solve(K, kernel(X, b))[:, 0], float(far.max())
    left = norm**2 - weights @ kernel(centres, centres) @ weights
    product = float((kernel(b, centres)[0] - alpha @ kernel(X, centres)) @ weights)
    t = (-product + np.sqrt(product**2 + square * left)) / square
    return scaled(kernel, (np.vstack([centres, b, X]), np.concatenate([weights, [t], -t * alpha])), norm)


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
        blind: The share of B^2 that is a bump where a study of the function without it has not looked.
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
    method: str = "guided"
    blind: float = 0.0

    def __call__(self, rng: np.random.Generator) -> Case:
        """A new function, of norm B."""
        B, space = float(rng.choice(NORMS)), self.space(rng)
        bumps = scaled(self.kernel, self.bumps(space, rng), B * np.sqrt(1 - self.blind))
        told = {
            "threat": self.threat * B,
            "kernel": self.kernel,
            "noise_std": self.noise * B,
            "output_scale": self.scale * B,
            "norm_bound": B,
            "level": self.level * B if self.pair is None else (self.pair[0] * B, self.pair[1] * B),
            "method": self.method,
        }
        lies, plays = str(rng.choice(LIES)) if self.threat else None, int(rng.choice(self.plays))
        seed, level = int(rng.integers(2**31)), self.level * B
        case = Case(space, self._truth(bumps, level), self.noise * B, plays, seed, told, level, lies, bumps[0])
        if not self.blind:
            return case
        answer, _ = studied(case, honest_objective(case, rng))  # its noise is not that of the run
        played = space.encode([play.point for play in answer.plays])
        bumps = with_blind_spot(self.kernel, bumps, B, space, played)
        return replace(case, truth=self._truth(bumps, level), peaks=bumps[0])

    def _truth(self, bumps: Bumps, level: float) -> Truth:
        centres, weights = bumps
        return lambda rows: level + self.kernel(rows, centres) @ weights

    @property
    def note(self) -> str:
        """The settings in a few words."""
        level = f"level {self.level:g}B" + ("" if self.pair is None else f" in [{self.pair[0]:g}B, {self.pair[1]:g}B]")
        lies = f", lies {self.threat:g}B" if self.threat else ""
        return f"{_name(self.kernel)}, {level}, {min(self.plays)}-{max(self.plays)} plays, {self.method}{lies}"


def _name(kernel: Kernel) -> str:
    if isinstance(kernel, Matern):
        return f"Matern {kernel.nu:g}, l = {kernel.lengthscale:g}"
    return f"SE, l = {kernel.lengthscale:g}" if isinstance(kernel, SquaredExponential) else "linear"


PE = "influence-pe"
KNOWN = {
    "line, blind spot": Known(
        box(1), random_bumps, Matern(1.5, 0.1), (5, 8, 12), 10, (9, 12), 0.002, scale=0.02, blind=0.98
    ),
    "crowd, blind spot": Known(
        scattered(60, 1), isolated, SquaredExponential(0.2), (8, 12, 20), -100, None, 0.005, scale=0.05, blind=0.5
    ),
    "crowd, blind spot, pair": Known(
        scattered(60, 1), isolated, Matern(2.5, 0.3), (8, 12, 20), 0, (-1, 1), 0.005, scale=0.05, blind=0.5
    ),
    "table, blind spot, eliminated": Known(
        scattered(60, 30), isolated, Matern(1.5, 0.2), (50, 100), 0, None, 0.005, 0, 0.05, PE, blind=0.9
    ),
    "duel, lies": Known(table(4, 1), random_bumps, Matern(1.5, 0.5), (20, 30), 10, (9, 11), 0.003, 2.0, 1.0, PE),
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
