"""Functions for studies that are told nothing but the threat: those a rule may be developed on.

The noise is 0 to 20% of the range of the function, and there are 3 to 300 plays, both drawn anew for every run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from coverage_cases import LIES, Case, Family, Truth, landscape

from unswayed import Box, Matern, Options, Real, SquaredExponential
from unswayed.core.gp.kernels import Kernel
from unswayed.spaces import Space
from unswayed.types import FloatArray

NOISES = (0.0, 0.01, 0.05, 0.1, 0.2)  # shares of the range of f
FEW, SOME, MANY = (3, 5, 8, 12, 20, 30), (5, 12, 20, 30, 50, 100), (12, 30, 50, 100, 200, 300)
FEATURES = 1000  # cosines of a random function


def box(dimension: int) -> Box:
    return Box({f"x{i}": Real(0.0, 10.0) for i in range(dimension)})


def table(rng: np.random.Generator, rows: int, columns: int) -> Options:
    return Options(rng.uniform(size=(rows, columns)))


def case(
    rng: np.random.Generator,
    space: Space,
    truth: Truth,
    plays: Sequence[int],
    *,
    noises: Sequence[float] = NOISES,
    lies: float = 0.0,
    tell_noise: bool = False,
    kernel: Kernel | None = None,
    peaks: FloatArray | None = None,
) -> Case:
    """A case whose values have random units; `lies` are in units of the range of the function."""
    scale, shift = float(10 ** rng.uniform(-2, 3)), float(rng.normal(0, 3))

    def scaled(rows: FloatArray) -> FloatArray:
        return scale * (truth(rows) + shift)

    spread = float(np.ptp(landscape(space, scaled, peaks)))
    noise = float(rng.choice(noises)) * spread
    told: dict[str, Any] = {"threat": lies * spread}
    told |= {"noise_std": noise} if tell_noise and noise else {}
    told |= {} if kernel is None else {"kernel": kernel}
    liar = str(rng.choice(LIES)) if lies else None
    seed = int(rng.integers(2**31))
    return Case(space, scaled, noise, int(rng.choice(plays)), seed, told, lies=liar, peaks=peaks)


def gp_sample(rng: np.random.Generator, columns: int, lengthscale: float, nu: float | None = None) -> Truth:
    """A sample of a Gaussian process with a Matern kernel, or squared exponential if nu is None: random cosines."""
    w = rng.standard_normal((FEATURES, columns)) / lengthscale
    if nu is not None:  # the spectral density of a Matern kernel is a Student t
        w /= np.sqrt(rng.chisquare(2 * nu, (FEATURES, 1)) / (2 * nu))
    phase, weights = rng.uniform(0, 2 * np.pi, FEATURES), rng.standard_normal(FEATURES) * np.sqrt(2 / FEATURES)
    return lambda rows: np.asarray(np.cos(rows @ w.T + phase) @ weights)


def bump(rows: FloatArray, centre: FloatArray, width: float) -> FloatArray:
    return np.asarray(np.exp(-0.5 * np.square(rows - centre).sum(axis=1) / width**2))


def plateau(rng: np.random.Generator) -> Case:
    edge, width = rng.uniform(0.2, 0.8), rng.uniform(0.02, 0.1)
    return case(rng, box(1), lambda X: 1 / (1 + np.exp(-(X[:, 0] - edge) / width)), SOME)


def plateau_noise_given(rng: np.random.Generator) -> Case:
    centre, radius = rng.uniform(0.3, 0.7, 2), rng.uniform(0.2, 0.4)

    def truth(X: FloatArray) -> FloatArray:
        return np.asarray(1 / (1 + np.exp((np.linalg.norm(X - centre, axis=1) - radius) / 0.03)))

    return case(rng, box(2), truth, SOME, noises=NOISES[1:], tell_noise=True)


def needle(columns: int, plays: Sequence[int], rng: np.random.Generator) -> Case:
    """Flat, with a gentle hill and a narrow needle that is higher."""
    low, high = rng.uniform(size=(2, columns))
    width = rng.uniform(0.03, 0.06) * columns

    def truth(X: FloatArray) -> FloatArray:
        return 0.4 * bump(X, low, 0.2) + bump(X, high, width)

    return case(rng, box(columns), truth, plays, peaks=high[None])


def step(rng: np.random.Generator) -> Case:
    """Two levels, and a slight slope on each."""
    edge, slope, up = rng.uniform(0.1, 0.9), rng.uniform(-0.3, 0.3), rng.choice([-1.0, 1.0])
    return case(rng, box(1), lambda X: up * (X[:, 0] > edge) + slope * X[:, 0], SOME)


def step_table(rng: np.random.Generator) -> Case:
    direction, edge = rng.standard_normal(2), rng.uniform(-0.3, 0.3)

    def truth(X: FloatArray) -> FloatArray:
        return ((X - 0.5) @ direction > edge) + 0.2 * X[:, 0]

    return case(rng, table(rng, int(rng.integers(20, 80)), 2), truth, MANY)


def ridge(columns: int, plays: Sequence[int], lies: float, rng: np.random.Generator) -> Case:
    """A narrow ridge that is not parallel to the axes and rises slowly along its length."""
    across, along = np.linalg.qr(rng.standard_normal((columns, 2)))[0].T
    width = rng.uniform(0.05, 0.15)

    def truth(X: FloatArray) -> FloatArray:
        return np.asarray(np.exp(-np.abs((X - 0.5) @ across) / width) + 0.3 * (X - 0.5) @ along)

    return case(rng, box(columns), truth, plays, lies=lies)


def matern_box(rng: np.random.Generator) -> Case:
    return case(rng, box(2), gp_sample(rng, 2, rng.uniform(0.1, 0.5), nu=1.5), SOME)


def matern_table(lies: float, rng: np.random.Generator) -> Case:
    space = table(rng, int(rng.integers(10, 100)), 3)
    return case(rng, space, gp_sample(rng, 3, rng.uniform(0.2, 0.8), nu=2.5), MANY, lies=lies)


def se_line(rng: np.random.Generator) -> Case:
    return case(rng, box(1), gp_sample(rng, 1, rng.uniform(0.05, 0.5)), FEW)


def se_cube(rng: np.random.Generator) -> Case:
    return case(rng, box(3), gp_sample(rng, 3, rng.uniform(0.2, 1.0)), (8, 20, 50, 100))


def kernel_given(rng: np.random.Generator) -> Case:
    scale = rng.uniform(0.1, 0.4)
    kernel, nu = ((SquaredExponential(scale), None), (Matern(2.5, scale), 2.5))[rng.integers(2)]
    return case(rng, box(2), gp_sample(rng, 2, scale, nu), SOME, kernel=kernel)


FAMILIES = [
    Family("plateau", "1-D box, 5-100 plays", plateau),
    Family("plateau, noise given", "2-D box, 5-100 plays", plateau_noise_given),
    Family("needle, line", "1-D box, 3-30 plays", lambda rng: needle(1, FEW, rng)),
    Family("needle, square", "2-D box, 5-100 plays", lambda rng: needle(2, SOME, rng)),
    Family("step", "1-D box, 5-100 plays", step),
    Family("step, table", "20-80 options, 12-300 plays", step_table),
    Family("ridge", "2-D box, 5-100 plays", lambda rng: ridge(2, SOME, 0.0, rng)),
    Family("ridge, cube", "3-D box, 3-30 plays", lambda rng: ridge(3, FEW, 0.0, rng)),
    Family("ridge, lies", "2-D box, 20-100 plays, lies of 2 ranges", lambda rng: ridge(2, (20, 50, 100), 2.0, rng)),
    Family("Matern 3/2", "2-D box, 5-100 plays", matern_box),
    Family("Matern 5/2, table", "10-100 options, 12-300 plays", lambda rng: matern_table(0.0, rng)),
    Family("Matern 5/2, lies", "10-100 options, 12-300 plays, lies of 1 range", lambda rng: matern_table(1.0, rng)),
    Family("SE, line", "1-D box, 3-30 plays", se_line),
    Family("SE, cube", "3-D box, 8-100 plays", se_cube),
    Family("kernel given", "2-D box, 5-100 plays", kernel_given),
]
