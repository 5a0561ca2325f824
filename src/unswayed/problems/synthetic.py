"""f1: a draw from a Gaussian process on a 10 x 10 grid (Section 4.2.1 of the paper)."""

from __future__ import annotations

import numpy as np

from unswayed.core.kernels import SquaredExponential
from unswayed.errors import InvalidInput
from unswayed.problems.problem import Problem

DEFAULT_DRAW = 10


def f1(draw: int = DEFAULT_DRAW) -> Problem:
    """The synthetic function. The paper's own draw is not published.

    Draw 10 is the first whose best arm lies outside the target region x_1 <= x_2 and less than h_max
    above the best inside it, and on which GP-UCB settles when it is not attacked, as the paper reports
    for its function. Nothing about attacks enters this choice.
    """
    if draw < 0:
        raise InvalidInput(f"a draw is a whole number of at least 0, not {draw}")
    side = np.linspace(-5, 5, 10)
    domain = np.array([(x, y) for x in side for y in side])
    kernel = SquaredExponential(lengthscale=0.5)
    L = np.linalg.cholesky(kernel(domain, domain) + 1e-10 * np.eye(len(domain)))
    f = L @ np.random.default_rng(draw).standard_normal(len(domain))
    return Problem(
        name="f1",
        domain=domain,
        f=f,
        noise_std=0.02,
        kernel=kernel,
        target=domain[:, 0] <= domain[:, 1],
        margin=0.5,
        h_max=1.0,
        beta_phased=4.0,
        beta_scale=0.5,
        draw=draw,
    )
