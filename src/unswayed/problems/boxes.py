"""Test functions on boxes: Branin, Hartmann 6 and Ackley 5, with known extremes, all to be maximised.

The classical forms are minimised; here they are negated. Gaps to the best value are in units of the range,
max - min over the box, so that functions can be compared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from unswayed.errors import InvalidInput
from unswayed.types import FloatArray, floats, positive, short_repr

NOISE_SHARE = 0.01  # of the range: the standard deviation of one measurement


@dataclass(frozen=True, eq=False)
class BoxProblem:
    """The truth on a box.

    Attributes:
        name: Name of the problem.
        bounds: Lower and upper end of each coordinate, one row each.
        function: The values at rows of points.
        best: Largest value.
        worst: Smallest value.
    """

    name: str
    bounds: FloatArray
    function: Callable[[FloatArray], FloatArray]
    best: float
    worst: float
    __repr__ = short_repr

    def __post_init__(self) -> None:
        bounds = floats(self.bounds, "the bounds", ndim=2)
        if bounds.shape[1:] != (2,) or len(bounds) == 0 or not (bounds[:, 0] < bounds[:, 1]).all():
            raise InvalidInput("the bounds need a row for each coordinate: its lower end, then a larger upper end")
        positive(self.best - self.worst, "the range of a problem")
        object.__setattr__(self, "bounds", bounds)

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return len(self.bounds)

    @property
    def range(self) -> float:
        """max f - min f over the box."""
        return self.best - self.worst

    @property
    def noise_std(self) -> float:
        """The standard deviation of one measurement: 1% of the range."""
        return NOISE_SHARE * self.range

    def scaled(self, unit: ArrayLike) -> FloatArray:
        """Points of the box for rows of coordinates in the unit cube."""
        lower, upper = self.bounds.T
        return np.asarray(lower + np.asarray(unit, dtype=np.float64) * (upper - lower))

    def gap(self, x: ArrayLike) -> float:
        """The gap of the point x to the best value as a share of the range: (best - f(x)) / range."""
        point = floats(x, "a point", ndim=1)
        if len(point) != self.dimension:
            raise InvalidInput(f"a point of {self.name} has {self.dimension} coordinates, not {len(point)}")
        lower, upper = self.bounds.T
        slack = 1e-9 * (upper - lower)  # for points that were scaled from the unit cube
        if not ((point >= lower - slack) & (point <= upper + slack)).all():
            raise InvalidInput(f"{point.tolist()} is not in the box of {self.name}")
        return float((self.best - self.function(point[None])[0]) / self.range)


def _branin(X: FloatArray) -> FloatArray:
    x, y = X.T
    parabola = y - 5.1 / (4 * np.pi**2) * x**2 + 5 / np.pi * x - 6
    return np.asarray(-(parabola**2 + 10 * (1 - 1 / (8 * np.pi)) * np.cos(x) + 10))


_HEIGHTS = np.array([1.0, 1.2, 3.0, 3.2])
_RATES = np.array(
    [[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14], [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]]
)
_CENTRES = np.array(
    [
        [0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886],
        [0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991],
        [0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650],
        [0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381],
    ]
)


def _hartmann6(X: FloatArray) -> FloatArray:
    return np.asarray(np.exp(-np.sum(_RATES * np.square(X[:, None, :] - _CENTRES), axis=2)) @ _HEIGHTS)


def _ackley(X: FloatArray) -> FloatArray:
    bowl = 20 * np.expm1(-0.2 * np.sqrt(np.mean(X**2, axis=1)))  # expm1: exactly 0 at the origin
    return np.asarray(bowl + np.exp(np.mean(np.cos(2 * np.pi * X), axis=1)) - np.exp(1.0))


# Three optima: (-pi, 12.275), (pi, 2.275), (3 pi, 2.475), all of value -10 / (8 pi); the worst is the corner (-5, 0).
branin = BoxProblem(
    "branin", np.array([[-5.0, 10.0], [0.0, 15.0]]), _branin, best=-10 / (8 * np.pi), worst=-308.12909601160663
)
# The worst is the corner (1, 1, 0, 1, 1, 1).
hartmann6 = BoxProblem(
    "hartmann6", np.tile([0.0, 1.0], (6, 1)), _hartmann6, best=3.3223680114155147, worst=2.812450543968651e-08
)
# The best is the origin; the worst are the points with all coordinates +-4.597535.
ackley5 = BoxProblem("ackley5", np.tile([-5.0, 5.0], (5, 1)), _ackley, best=0.0, worst=-14.302667500265278)
