"""Test functions with shifted optima: no optimum is in the centre or in a corner by construction.

    u     a point of the unit cube: the numbers of the space, encoded
    c     where the optimum is moved to: 0.12 to 0.35 from the centre in every coordinate
    R     a random rotation, for functions that would otherwise be sums over coordinates
    z     z* + width R (u - c), where the classical function has its minimum at z*

The classical forms are minimised; here they are negated. Branin, the camel and Rosenbrock become log(1 + height),
because their walls are much higher than their valleys. Written from their formulas (Surjanovic and Bingham, Virtual
Library of Simulation Experiments); there is no data, and no licence to respect.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from unswayed.spaces import Box, Categorical, Integer, Real
from unswayed.spaces.parameters import Parameter
from unswayed.types import FloatArray
from unswayed_gauntlet.problems.parts import Made, Truth

NEAREST = 0.12  # side of the cube = 1: least distance of the moved optimum from the centre, in each coordinate
FARTHEST = 0.35  # side of the cube = 1: largest distance; the optimum stays 0.15 from the border
PENALTY = 0.25  # share of the sampled range: largest loss by a wrong choice
OFFSET = 0.2  # side of the cube = 1: how far a wrong choice moves the optimum at most, in each coordinate


@dataclass(frozen=True)
class Classic:
    """A classical test function, to be minimised: its values at rows z, a minimum, and the width of its domain."""

    values: Callable[[FloatArray], FloatArray]
    minimum: Sequence[float]
    width: Sequence[float]
    rotated: bool = True


def _branin(Z: FloatArray) -> FloatArray:
    x, y = Z.T
    b, c, t = 5.1 / (4 * np.pi**2), 5 / np.pi, 1 / (8 * np.pi)
    height = (y - b * x**2 + c * x - 6) ** 2 + 10 * (1 - t) * np.cos(x) + 10 - 0.397887
    return np.asarray(np.log1p(np.maximum(height, 0.0)))


def _camel(Z: FloatArray) -> FloatArray:
    x, y = Z.T
    height = (4 - 2.1 * x**2 + x**4 / 3) * x**2 + x * y + (4 * y**2 - 4) * y**2 + 1.0316285
    return np.asarray(np.log1p(np.maximum(height, 0.0)))


def _hartmann(Z: FloatArray) -> FloatArray:
    alpha = np.array([1.0, 1.2, 3.0, 3.2])
    A = np.array(
        [[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14], [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]]
    )
    P = 1e-4 * np.array(
        [
            [1312, 1696, 5569, 124, 8283, 5886],
            [2329, 4135, 8307, 3736, 1004, 9991],
            [2348, 1451, 3522, 2883, 3047, 6650],
            [4047, 8828, 8732, 5743, 1091, 381],
        ]
    )
    return np.asarray(-np.exp(-(A * (Z[:, None, :] - P) ** 2).sum(axis=2)) @ alpha)


def _levy(Z: FloatArray) -> FloatArray:
    w = 1 + (Z - 1) / 4
    inner = ((w[:, :-1] - 1) ** 2 * (1 + 10 * np.sin(np.pi * w[:, :-1] + 1) ** 2)).sum(axis=1)
    last = (w[:, -1] - 1) ** 2 * (1 + np.sin(2 * np.pi * w[:, -1]) ** 2)
    return np.asarray(np.sin(np.pi * w[:, 0]) ** 2 + inner + last)


def _rosenbrock(Z: FloatArray) -> FloatArray:
    return np.asarray(np.log1p((100 * (Z[:, 1:] - Z[:, :-1] ** 2) ** 2 + (1 - Z[:, :-1]) ** 2).sum(axis=1)))


def _styblinski(Z: FloatArray) -> FloatArray:
    return np.asarray((Z**4 - 16 * Z**2 + 5 * Z).sum(axis=1) / 2)


def _ackley(Z: FloatArray) -> FloatArray:
    far = -20 * np.exp(-0.2 * np.sqrt((Z**2).mean(axis=1)))
    return np.asarray(far - np.exp(np.cos(2 * np.pi * Z).mean(axis=1)) + 20 + np.e)


def _griewank(Z: FloatArray) -> FloatArray:
    waves = np.cos(Z / np.sqrt(np.arange(1, Z.shape[1] + 1))).prod(axis=1)
    return np.asarray((Z**2).sum(axis=1) / 40 - waves + 1)  # over 40, not 4,000: bowl and waves are of one size


HARTMANN = (0.20169, 0.150011, 0.476874, 0.275332, 0.311652, 0.6573)
branin = Classic(_branin, (np.pi, 2.275), (15.0, 15.0), rotated=False)
camel = Classic(_camel, (0.0898, -0.7126), (4.0, 2.0))
hartmann = Classic(_hartmann, HARTMANN, (1.0,) * 6, rotated=False)
levy = Classic(_levy, (1.0,) * 10, (12.0,) * 10)
rosenbrock = Classic(_rosenbrock, (1.0,) * 4, (4.0,) * 4, rotated=False)
styblinski = Classic(_styblinski, (-2.903534,) * 10, (8.0,) * 10, rotated=False)
ackley = Classic(_ackley, (0.0,) * 4, (8.0,) * 4)
griewank = Classic(_griewank, (0.0,) * 5, (16.0,) * 5)


def _placed(classic: Classic, d: int, rng: np.random.Generator) -> tuple[FloatArray, Truth]:
    """Where the optimum is moved to, and the function of points less that place."""
    c = 0.5 + rng.choice([-1.0, 1.0], d) * rng.uniform(NEAREST, FARTHEST, d)
    R = np.linalg.qr(rng.standard_normal((d, d)))[0] if classic.rotated else np.eye(d)
    minimum = np.array(classic.minimum[:d])
    width = np.array(classic.width[:d])
    return c, lambda V: -classic.values(minimum + V @ R.T * width)


def real(classic: Classic, d: int, *, seed: int) -> Made:
    """A function of d real numbers between 0 and 1."""
    c, function = _placed(classic, d, np.random.default_rng(seed))
    box = Box({f"x{i + 1}": Real(0, 1) for i in range(d)})
    return Made(box, lambda X: function(X - c), function(np.zeros((1, d))))


def mixed(classic: Classic, *, reals: int, integers: Sequence[int], choices: Sequence[int], seed: int) -> Made:
    """A function of real numbers, whole numbers from 0 and choices.

    A choice moves the optimum of the numbers and costs something; one choice of each parameter, drawn at random, does
    neither.
    """
    rng = np.random.default_rng(seed)
    d = reals + len(integers)
    c, function = _placed(classic, d, rng)
    scale = float(np.ptp(function(rng.random((1024, d)) - c)))
    offsets = []
    costs = []
    planned = c[None]
    for k in choices:
        right = rng.integers(k)
        planned = np.hstack([planned, np.eye(k)[[right]]])
        offsets.append(rng.uniform(-OFFSET, OFFSET, (k, d)))
        costs.append(rng.uniform(PENALTY / 5, PENALTY, k) * scale)
        offsets[-1][right] = 0.0
        costs[-1][right] = 0.0
    numbers: list[Parameter] = [*[Real(0, 1)] * reals, *(Integer(0, top) for top in integers)]
    parameters = {f"x{i + 1}": one for i, one in enumerate(numbers)}
    parameters |= {f"k{i + 1}": Categorical([chr(97 + j) for j in range(k)]) for i, k in enumerate(choices)}
    ends = d + np.cumsum(choices)

    def truth(X: FloatArray) -> FloatArray:
        V = X[:, :d] - c
        cost = np.zeros(len(X))
        for end, k, offset, loss in zip(ends, choices, offsets, costs, strict=True):
            chosen = X[:, end - k : end].argmax(axis=1)
            V = V + offset[chosen]
            cost = cost + loss[chosen]
        return np.asarray(function(V) - cost)

    box = Box(parameters)
    return Made(box, truth, truth(box.legal(planned)))
