"""The problems of the gauntlet: 14 truths on boxes and tables, in two halves with a similar mix.

DEVELOPMENT may be looked at while an optimiser is improved. HELD_OUT is for one final run: nobody looks at its results
before, so that they say what an optimiser does on problems that it was not fitted to.

Every problem is maximised. A truth takes encoded rows of its space, has no noise, and knows its best and worst value:
exactly for tables, climbed from many points for functions. Gaps are in units of the range, best - worst.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from unswayed.errors import InvalidInput
from unswayed.gauntlet import functions, tables
from unswayed.spaces import Options, Point, Space
from unswayed.types import FloatArray, short_repr

Truth = Callable[[FloatArray], FloatArray]
DEVELOPMENT = ("branin-2", "hartmann-6", "levy-10", "mixed-5", "mlp-phoneme", "hplc", "svm-digits")
HELD_OUT = ("camel-2", "rosenbrock-4", "styblinski-10", "mixed-7", "net-naval", "photo-wf3", "boost-diabetes")
SAMPLE = 4096  # rows that a climb starts from
RADII = 0.5 ** np.arange(2, 22)  # steps of a climb


@dataclass(frozen=True, eq=False)
class Problem:
    """A truth on a space, to be maximised.

    Attributes:
        name: Name of the problem.
        space: What may be varied.
        truth: The values at encoded rows of the space.
        best: Largest value.
        worst: Smallest value.
        honest: An honest report of an encoded row, if its noise is not NOISE x range: row, truth, random numbers of
            this play -> value.
    """

    name: str
    space: Space
    truth: Truth
    best: float
    worst: float
    honest: Callable[[FloatArray, float, np.random.Generator], float] | None = None
    __repr__ = short_repr

    @property
    def range(self) -> float:
        """The best value less the worst."""
        return self.best - self.worst

    def value(self, point: Point) -> float:
        """The true value of a point."""
        return float(self.truth(self.space.encode([point]))[0])

    def gap(self, point: Point) -> float:
        """The distance of the value of a point to the best one, as a share of the range."""
        return (self.best - self.value(point)) / self.range

    def rows(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Encoded rows that stand for the space: all rows of a list, n random points of a box."""
        return sampled(self.space, n, rng)


def sampled(space: Space, n: int, rng: np.random.Generator) -> FloatArray:
    """All encoded rows of a list of options, or n random points of a box."""
    return space.arms(n, 0) if isinstance(space, Options) else space.legal(rng.random((n, space.columns)))


@cache
def problem(name: str) -> Problem:
    """The problem of this name, made once in each process.

    Args:
        name: One of `DEVELOPMENT` or `HELD_OUT`.

    Returns:
        The problem.

    Raises:
        InvalidInput: There is no such problem, or its data are not installed.

    Example:
        >>> problem("branin-2").space.columns
        2
    """
    if name not in MAKERS:
        raise InvalidInput(f"unknown problem {name!r}: choose one of {', '.join(MAKERS)}")
    space, truth, known = MAKERS[name]()
    best = max(float(known.max()), climbed(space, truth))
    worst = min(float(known.min()), -climbed(space, lambda X: -truth(X)))
    return Problem(name, space, truth, best, worst)


def climbed(space: Space, truth: Truth) -> float:
    """The largest value that climbs from many points reach: ever smaller steps around the 16 best rows."""
    rng = np.random.default_rng(0)
    top = sampled(space, SAMPLE, rng)
    for radius in RADII:
        top = top[np.argsort(-truth(top))[:16]]
        top = np.vstack([top, space.around(top, radius, 512, rng)])
    return float(truth(top).max())


Made = tuple[Space, Truth, FloatArray]  # the last: values that are known to occur
MAKERS: Mapping[str, Callable[[], Made]] = {
    "branin-2": lambda: functions.real(functions.branin, 2, seed=1),
    "hartmann-6": lambda: functions.real(functions.hartmann, 6, seed=2),
    "levy-10": lambda: functions.real(functions.levy, 10, seed=3),
    "mixed-5": lambda: functions.mixed(functions.ackley, reals=2, integers=(12, 8), choices=(4,), seed=4),
    "mlp-phoneme": lambda: tables.hpo_bench("HPOBench", "phoneme", "val_acc"),
    "hplc": lambda: tables.olympus("hplc", sign=1),
    "svm-digits": lambda: tables.cross_validated("svm-digits"),
    "camel-2": lambda: functions.real(functions.camel, 2, seed=5),
    "rosenbrock-4": lambda: functions.real(functions.rosenbrock, 4, seed=6),
    "styblinski-10": lambda: functions.real(functions.styblinski, 10, seed=7),
    "mixed-7": lambda: functions.mixed(functions.griewank, reals=3, integers=(20, 6), choices=(3, 5), seed=8),
    "net-naval": lambda: tables.hpo_bench("HPOLib", "naval_propulsion", "val_loss"),
    "photo-wf3": lambda: tables.olympus("photo_wf3", sign=-1),
    "boost-diabetes": lambda: tables.cross_validated("boost-diabetes"),
}
