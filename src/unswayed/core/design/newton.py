"""Newton basis: Algorithm 2 of the paper. It turns a kernel problem into a linear one (Appendix E).

N_i   the i-th basis function on all arms       P2    squared error left: k(x,x) - sum_i N_i(x)^2
s_i   the arm it was built on                   e     admissible error of a function of norm 1
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from unswayed.core.design.rare_switching import first_argmax
from unswayed.errors import InvalidInput
from unswayed.types import EPS, FloatArray, IntArray, floats, positive


def newton_basis(K: ArrayLike, error: float) -> tuple[IntArray, FloatArray]:
    """The arms s_1..s_D and the matrix of N_i(x), one row for each arm x.

    For every f with |f|_k <= B there is a theta with |theta| <= B and |f(x) - <theta, N(x)>| <= B * error at all arms.
    """
    K = floats(K, "the kernel matrix", ndim=2)
    e = positive(error, "the admissible error")
    P2 = K.diagonal().copy()
    if not P2.max() > 0:
        raise InvalidInput("the Newton basis needs an arm with k(x, x) > 0")
    rounding = len(K) * EPS * P2.max()
    chosen: list[int] = []
    basis = np.zeros((len(K), 0))
    while not chosen or (np.sqrt(P2.max()) >= e and P2.max() > rounding):  # line 5; below rounding the span is complete
        s = first_argmax(P2)  # lines 1 and 7
        u = K[:, s] - basis @ basis[s]  # line 8
        N = u / np.sqrt(P2[s])  # line 9
        P2 = np.maximum(P2 - N**2, 0.0)  # line 4
        P2[s] = 0.0
        chosen.append(s)
        basis = np.column_stack([basis, N])
    return np.array(chosen, dtype=np.int64), basis
