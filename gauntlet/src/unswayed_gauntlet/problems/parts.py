"""What a problem is made of: a space, the truth on it, values that occur, and its noise if that is its own."""

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
        known: Values that are known to occur: all of a table, the best one of a function.
        honest: An honest report of an encoded row, if the problem has a noise of its own.
    """

    space: Space
    truth: Truth
    known: FloatArray
    honest: Honest | None = None


def numbers_of(space: Options) -> Callable[[FloatArray], IntArray]:
    """The function that finds the number of the option of each encoded row."""
    tree = cKDTree(space.arms(1, 0))
    return lambda X: np.asarray(tree.query(np.atleast_2d(X))[1])


def listed(space: Options, values: FloatArray) -> Made:
    """The problem of a list of options with these values."""
    number = numbers_of(space)
    return Made(space, lambda X: values[number(X)], values)
