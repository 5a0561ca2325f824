"""f1: a draw from a Gaussian process on a 10 x 10 grid (Section 4.2.1 of the paper)."""

from __future__ import annotations

import numpy as np

from unswayed.core.gp.kernels import SquaredExponential
from unswayed.problems.problem import Problem
from unswayed.types import whole

DEFAULT_DRAW = 10  # the first draw that is as the paper describes its own


def f1(draw: int = DEFAULT_DRAW) -> Problem:
    """The synthetic function. The paper's own draw is not published.

    Draw 10 is the first one with two properties that the paper reports for its function. The best arm lies outside
    the target region x_1 <= x_2, less than h_max above the best arm inside it. And GP-UCB settles without an attack.
    The choice does not depend on how any policy does under attack.

    Args:
        draw: Seed of the function.
    """
    draw = whole(draw, "the draw", least=0)
    side = np.linspace(-5, 5, 10)
    domain = np.array([(x, y) for x in side for y in side])
    kernel = SquaredExponential(lengthscale=0.5)
    L = np.linalg.cholesky(kernel(domain, domain) + 1e-10 * np.eye(len(domain)))
    f = L @ np.random.default_rng(draw).standard_normal(len(domain))
    target = domain[:, 0] <= domain[:, 1]
    return Problem("f1", domain, f, noise_std=0.02, kernel=kernel, target=target, draw=draw)
