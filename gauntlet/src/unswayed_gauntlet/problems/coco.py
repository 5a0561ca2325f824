"""Functions of COCO, computed by the installed package coco-experiment (BSD-3-Clause), instance 1, in 2, 5 and 10
dimensions on the box [-5, 5]^d.

    bbob-f15-5     one of the 24 functions without noise, as -log(1 + f - f_best): they span up to eight orders of
                   magnitude. The package knows where its functions are best, so the best value is exact; the worst one
                   is climbed to.
    cauchy-f109-5  one of the functions of bbob-noisy with Cauchy noise, in the units of f, with that noise:

                   f + 1000 alpha + 1.01e-8 + alpha max(c, -1000) in a share p of the plays, else without the last term
                   c is a standard Cauchy number; alpha = 0.01 and p = 0.05 (moderate), or 1 and 0.2 (severe)

The truth of cauchy-... is that value without the last term, which is what most plays report. The package draws from a
generator of its own that cannot be set, so the noise is drawn here, from the formula. (The shares that the package
draws are 0.079 and 0.225.) f118 and f127 are left out: the package cannot compute them without noise.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from unswayed.spaces import Box, Real
from unswayed.types import FloatArray
from unswayed_gauntlet.problems.parts import Made, Truth
from unswayed_gauntlet.problems.recorded_runs import installed

DIMENSIONS = (2, 5, 10)
FUNCTIONS = (
    "sphere", "separable ellipsoid", "separable Rastrigin", "Bueche-Rastrigin", "linear slope", "attractive sector",
    "step ellipsoid", "Rosenbrock", "rotated Rosenbrock", "ellipsoid", "discus", "bent cigar", "sharp ridge",
    "different powers", "Rastrigin", "Weierstrass", "Schaffer F7", "ill-conditioned Schaffer F7",
    "Griewank-Rosenbrock", "Schwefel", "Gallagher with 101 peaks", "Gallagher with 21 peaks", "Katsuura",
    "Lunacek bi-Rastrigin",
)  # fmt: skip
MODERATE = (0.01, 0.05)  # alpha and p
SEVERE = (1.0, 0.2)
CAUCHY = {  # number in bbob-noisy: that of the same function in bbob, and the noise
    103: (1, MODERATE), 106: (8, MODERATE), 109: (1, SEVERE), 112: (8, SEVERE),
    115: (7, SEVERE), 121: (14, SEVERE), 124: (17, SEVERE), 130: (21, SEVERE),
}  # fmt: skip
LOW = -5.0  # the box of all functions
HIGH = 5.0
SHIFT = 1000.0  # of the formula above: the lower end of c, and the offset over alpha
TINY = 1.01e-8  # of the formula above


def _function(number: int, d: int) -> tuple[Box, Truth, Any]:
    """The box, the function of encoded rows, and the object of the package."""
    installed("cocoex", "coco-experiment")
    bare = import_module("cocoex").BareProblem("bbob", number, d, 1)
    box = Box({f"x{i + 1}": Real(LOW, HIGH) for i in range(d)})
    return box, lambda X: np.asarray(bare(LOW + (HIGH - LOW) * X)), bare


def bbob(number: int, d: int) -> Made:
    """A function without noise: -log(1 + height above the best)."""
    box, function, bare = _function(number, d)
    best = bare.best_value()

    def truth(X: FloatArray) -> FloatArray:
        return np.asarray(-np.log1p(np.maximum(function(X) - best, 0.0)))

    return Made(box, truth, np.zeros(1))


def cauchy(number: int, d: int) -> Made:
    """A function with the Cauchy noise of bbob-noisy, in the units of the function."""
    twin, (alpha, p) = CAUCHY[number]
    box, function, bare = _function(twin, d)
    offset = SHIFT * alpha + TINY

    def honest(row: FloatArray, truth: float, rng: np.random.Generator) -> float:
        share, (a, b) = rng.random(), rng.standard_normal(2)
        return truth - alpha * max(float(a / abs(b)), -SHIFT) if share < p else truth

    return Made(box, lambda X: -(function(X) + offset), np.array([-(bare.best_value() + offset)]), honest)
