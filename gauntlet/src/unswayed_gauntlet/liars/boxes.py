"""The attacks of the paper on a box, and one that promotes bad points. Use them with `Corrupted`.

    f     the truth, on rows of points                 f~   what the attack shows instead

An attack wants c(x) = f~(x) - f(x). It depends on the truth and never on the noisy measurement. Make an attack from
its numbers, or with `over`, which derives them from f in a standard way (quantiles are over Sobol points of the box).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize

from unswayed.core.design.rare_switching import first_argmax
from unswayed.errors import InvalidInput
from unswayed.types import FloatArray, floats

Truth = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, eq=False)
class BoxAttack:
    """An attack on single evaluations of f. This base class changes nothing: f~ = f."""

    f: Truth

    def forged(self, X: FloatArray, f: FloatArray) -> FloatArray:
        """f~ at the rows of X, where the truth is f."""
        return f

    def __call__(self, x: ArrayLike, value: float) -> float:
        """c(x) = f~(x) - f(x); it does not depend on the measured `value`."""
        truth = self.f(row := floats(x, "a point", ndim=1)[None])
        return float((self.forged(row, truth) - truth)[0])


@dataclass(frozen=True, eq=False)
class LevelSet(BoxAttack):
    """Top-K on a box: f~(x) = min(f(x), `low`) where f(x) >= `threshold`."""

    threshold: float
    low: float

    @classmethod
    def over(cls, f: Truth, bounds: FloatArray, *, share: float = 0.01) -> Self:
        """The best `share` of the box looks like the 16% quantile of f, which is -1 for a standard normal."""
        return cls(f, threshold=_quantile(f, bounds, 1 - share), low=_quantile(f, bounds, 0.16))

    def forged(self, X: FloatArray, f: FloatArray) -> FloatArray:
        """Good points look bad."""
        return np.where(f >= self.threshold, np.minimum(f, self.low), f)


@dataclass(frozen=True, eq=False)
class Flip(BoxAttack):
    """f~(x) = 2 `middle` - f(x): the paper's -f(x) for functions that are not centred on 0."""

    middle: float

    @classmethod
    def over(cls, f: Truth, best: float, worst: float) -> Self:
        """Reflect f about the middle of its range: the worst point looks like the best, and the best like the worst."""
        return cls(f, (best + worst) / 2)

    def forged(self, X: FloatArray, f: FloatArray) -> FloatArray:
        """f reflected about `middle`."""
        return 2 * self.middle - f


@dataclass(frozen=True, eq=False)
class Clipping(BoxAttack):
    """f~(x) = min(f(x), `cap`) outside the box `target`, which contains no optimum: f~ is largest inside it."""

    target: FloatArray  # (d, 2)
    cap: float

    @classmethod
    def over(
        cls, f: Truth, bounds: FloatArray, best: float, worst: float, *, side: float = 0.4, gap: float = 0.1
    ) -> Self:
        """Lead to a corner: the target there has `side` times each side of `bounds`.

        The target is the corner with the largest best value among those that stay `gap` of the range below `best`; the
        first one in a tie. cap is that value minus half the standard deviation of f, like the paper's margin of 0.5.
        """
        lower, upper = np.asarray(bounds, dtype=np.float64).T
        if len(lower) > 10:
            raise InvalidInput("clipping tries all corners of a box: it can have at most 10 coordinates")
        length = side * (upper - lower)
        starts = [np.where(high, upper - length, lower) for high in product((False, True), repeat=len(lower))]
        boxes = [np.column_stack([start, start + length]) for start in starts]
        values = np.array([_best_inside(f, box) for box in boxes])
        values[values > best - gap * (best - worst)] = -np.inf
        chosen = first_argmax(values, scale=best - worst)
        if values[chosen] == -np.inf:
            raise InvalidInput("every corner of the box contains good points; use a smaller side or gap")
        return cls(f, boxes[chosen], float(values[chosen] - f(_sobol(bounds)).std() / 2))

    def forged(self, X: FloatArray, f: FloatArray) -> FloatArray:
        """Nothing outside the target looks better than the cap."""
        lower, upper = self.target.T
        inside = ((lower <= X) & (upper >= X)).all(axis=1)
        return np.where(inside, f, np.minimum(f, self.cap))


@dataclass(frozen=True, eq=False)
class Promote(BoxAttack):
    """f~(x) = `high` where f(x) <= `threshold`: every bad point looks like a winner."""

    threshold: float
    high: float

    @classmethod
    def over(cls, f: Truth, bounds: FloatArray, best: float, worst: float, *, share: float = 0.2) -> Self:
        """The worst `share` of the box shows the best value plus 10% of the range.

        This is a level set and not a ball: in six dimensions random plays would never hit a ball.
        """
        return cls(f, threshold=_quantile(f, bounds, share), high=best + 0.1 * (best - worst))

    def forged(self, X: FloatArray, f: FloatArray) -> FloatArray:
        """Bad points look better than the best."""
        return np.where(f <= self.threshold, self.high, f)


def _sobol(bounds: ArrayLike, log2: int = 15) -> FloatArray:
    from scipy.stats import qmc  # slow to import

    lower, upper = np.asarray(bounds, dtype=np.float64).T
    return np.asarray(lower + qmc.Sobol(len(lower), seed=0).random_base2(log2) * (upper - lower))


def _quantile(f: Truth, bounds: FloatArray, share: float) -> float:
    if not 0 < share < 1:
        raise InvalidInput(f"the share of the box under attack must lie between 0 and 1, not {share:g}")
    return float(np.quantile(f(_sobol(bounds)), share))


def _best_inside(f: Truth, box: FloatArray) -> float:
    """The largest value of f in a box: local searches from the best of many points and the corners."""
    points = np.vstack([_sobol(box, 10), list(product(*box))])
    starts = points[np.argsort(-f(points), kind="stable")[:4]]
    found = [minimize(lambda x: -f(x[None])[0], start, bounds=box, method="L-BFGS-B") for start in starts]
    return float(max(-result.fun for result in found))
