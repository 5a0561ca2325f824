"""A linear bandit: 200 unit vectors in five dimensions, and a unit parameter."""

from __future__ import annotations

from math import sqrt

import numpy as np

from unswayed.core.gp.kernels import Linear
from unswayed.problems.problem import Problem
from unswayed.types import whole


def linear(draw: int = 0, n_arms: int = 200, dimension: int = 5) -> Problem:
    """`f(x) = <theta, x>` with `|x| = |theta| = 1`, so its norm is 1. The other settings are those of f1.

    Args:
        draw: Seed of the random arms and of theta.
        n_arms: Number of arms.
        dimension: Dimension of the arms.
    """
    draw = whole(draw, "the draw", least=0)
    n_arms = whole(n_arms, "the number of arms", least=1)
    dimension = whole(dimension, "the dimension", least=1)
    rng = np.random.default_rng(draw)
    X = rng.standard_normal((n_arms, dimension))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    theta = rng.standard_normal(dimension)
    theta /= np.linalg.norm(theta)
    return Problem("linear", X, X @ theta, noise_std=0.02, kernel=Linear(), target=X[:, 0] <= 0, draw=draw)


def three_arms(budget: float, horizon: int) -> Problem:
    """Three arms on which an index policy without confidence weights pays about 0.04 sqrt(C T).

    e2 is the best, e1 is soon dropped, and (a, 1 - a/2) with a = sqrt(C/3T) keeps the uncertainty that was left about
    e1. The noise is small, so that the cost of telling gaps of 0.75 a apart does not hide this.

    Args:
        budget: Corruption budget C.
        horizon: Number of plays T.
    """
    a = sqrt(budget / (3 * horizon))
    X = np.array([[0.0, 1.0], [1.0, 0.0], [a, 1 - a / 2]])
    f = X @ np.array([-0.5, 0.5])
    return Problem("three arms", X, f, noise_std=0.002, kernel=Linear(), target=X[:, 0] > 0)
