"""The G-optimal design of linear bandits: line 2 of Algorithm 3."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import qr, solve_triangular

from unswayed.core.design.rare_switching import TIE
from unswayed.errors import InvalidInput
from unswayed.types import FloatArray, IntArray, floats


def g_optimal_design(X: ArrayLike, *, slack: float = 2.0) -> tuple[IntArray, FloatArray]:
    """A design zeta with max_x |x|^2_{Gamma(zeta)^-1} <= slack * D, by Frank-Wolfe (line 2 of Algorithm 3).

    Rows of X are the arms; D is the dimension of their span. Starts from D arms that span it (by a pivoted QR) and
    adds at most one arm in each step. Returns the arms with positive weight, and their weights.
    """
    X = floats(X, "the arms", ndim=2)
    _, R, pivots = qr(X.T, mode="economic", pivoting=True)
    sizes = np.abs(R.diagonal())
    D = int(np.sum(sizes > 1e-12 * sizes[0]))
    if D == 0:
        raise InvalidInput("a design needs at least one arm that is not the origin")
    Z = np.empty((len(X), D))  # the arms in coordinates of the D spanning ones: designs are affine invariant
    Z[pivots] = solve_triangular(R[:D, :D], R[:D]).T
    weights = np.zeros(len(X))
    weights[pivots[:D]] = 1 / D
    inverse = D * np.eye(D)
    for _ in range(support_bound(D) - D):
        norms = np.einsum("ij,ij->i", Z @ inverse, Z)
        arm = int(np.argmax(norms))
        g = norms[arm]
        if g <= slack * D * (1 - TIE):
            support = np.flatnonzero(weights)
            return support, weights[support]
        step = (g / D - 1) / (g - 1)  # exact line search for log det
        weights *= 1 - step
        weights[arm] += step
        direction = inverse @ Z[arm]
        inverse = (inverse - np.outer(direction, direction) * (step / (1 - step + step * g))) / (1 - step)
    raise InvalidInput(f"the G-optimal design did not converge on {len(X)} arms in {D} dimensions")


def support_bound(D: int) -> int:
    """m_0 = 4 D (log log D + 18) of Algorithm 3, rounded up; log log D counts as 0 for D <= e."""
    return int(np.ceil(4 * D * (np.log(max(np.log(D), 1.0)) + 18)))
