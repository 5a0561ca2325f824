"""A linear bandit: 200 unit vectors in five dimensions, and a unit parameter."""

from __future__ import annotations

from math import sqrt

import numpy as np

from unswayed.core.kernels import Linear
from unswayed.errors import InvalidInput
from unswayed.problems.problem import Problem


def linear(draw: int = 0, n_arms: int = 200, dimension: int = 5) -> Problem:
    """f(x) = <theta, x>, |x| = |theta| = 1, so its norm is 1. The other settings are those of f1."""
    if draw < 0 or n_arms < 1 or dimension < 1:
        raise InvalidInput("a linear problem needs a draw of at least 0, an arm and a dimension")
    rng = np.random.default_rng(draw)
    X = rng.standard_normal((n_arms, dimension))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    theta = rng.standard_normal(dimension)
    theta /= np.linalg.norm(theta)
    return Problem(
        name="linear",
        domain=X,
        f=X @ theta,
        noise_std=0.02,
        kernel=Linear(),
        target=X[:, 0] <= 0,
        draw=draw,
    )


def three_arms(budget: float, horizon: int) -> Problem:
    """An arm that hides: e2 is the best, e1 is soon dropped, and (a, 1 - a/2) with a = sqrt(C/3T) inherits
    what was left uncertain about e1. An index without confidence weights pays about 0.04 sqrt(C T) on it. The
    noise is small, so that what it costs to tell gaps of 0.75 a apart does not hide this.
    """
    a = sqrt(budget / (3 * horizon))
    X = np.array([[0.0, 1.0], [1.0, 0.0], [a, 1 - a / 2]])
    return Problem(
        name="three arms", domain=X, f=X @ np.array([-0.5, 0.5]), noise_std=0.002, kernel=Linear(), target=X[:, 0] > 0
    )
