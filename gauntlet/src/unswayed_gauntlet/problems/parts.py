"""The parts of a problem: a space, the truth on it, known values, and its own noise if it has one."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from unswayed.spaces import Options, Space
from unswayed.types import FloatArray, IntArray

Truth = Callable[[FloatArray], FloatArray]
Honest = Callable[[FloatArray, float, np.random.Generator], float]


class Made(NamedTuple):
    """The parts of a problem.

    Attributes:
        space: What may be varied.
        truth: The values at encoded rows of the space; larger is better.
        known: Known values: all of a table, the best one of a function.
        honest: The honest report of an encoded row, if the problem has its own noise.
    """

    space: Space
    truth: Truth
    known: FloatArray
    honest: Honest | None = None


def numbers_of(space: Options) -> Callable[[FloatArray], IntArray]:
    """A function that gives the number of the option of each encoded row."""
    tree = cKDTree(space.arms(1, 0))
    return lambda X: np.asarray(tree.query(np.atleast_2d(X))[1])


def listed(space: Options, values: FloatArray) -> Made:
    """The problem of a list of options with these values."""
    number = numbers_of(space)
    return Made(space, lambda X: values[number(X)], values)
