"""The compiled part of `lazy_variance`: forward substitution on tiles that fit into the processor's cache.

L   Cholesky factor      H   rows of the factor, one column for each point
"""

from __future__ import annotations

import numba

from unswayed.types import FloatArray

TILE = 256  # points: some hundred rows of this many points fit into the cache


@numba.njit(cache=True, fastmath={"contract"})
def solve_rows(L: FloatArray, H: FloatArray, first: int, last: int, variance: FloatArray) -> None:
    """Rows first to last of H hold k(x_i, .). Turn them into h_i and subtract their squares from the variance.

    This does not call BLAS: on pieces this small its threads gain little, and on a busy machine they lose a hundred
    times as much by waiting for each other.
    """
    for begin in range(0, H.shape[1], TILE):
        tile, left = H[:, begin : begin + TILE], variance[begin : begin + TILE]
        width = left.size
        for i in range(first, last):
            h, l = tile[i], L[i]  # noqa: E741
            j = 0
            while j + 8 <= i:
                a, b, c, d, e, f, g, k = l[j], l[j + 1], l[j + 2], l[j + 3], l[j + 4], l[j + 5], l[j + 6], l[j + 7]
                p, q, r, s = tile[j], tile[j + 1], tile[j + 2], tile[j + 3]
                t, u, v, w = tile[j + 4], tile[j + 5], tile[j + 6], tile[j + 7]
                for x in range(width):
                    half = (a * p[x] + b * q[x]) + (c * r[x] + d * s[x])
                    h[x] -= half + (e * t[x] + f * u[x]) + (g * v[x] + k * w[x])
                j += 8
            while j < i:
                a, p = l[j], tile[j]
                for x in range(width):
                    h[x] -= a * p[x]
                j += 1
            scale = 1 / l[i]
            for x in range(width):
                h[x] *= scale
                left[x] = max(left[x] - h[x] * h[x], 0.0)  # negative values are rounding errors
