"""A finite cover of a box, so that a policy for finite domains runs on a continuous one (Section 3.2 of the paper).

d_k(x, z)   the distance of the kernel, sqrt(k(x,x) + k(z,z) - 2 k(x,z))
B           bound on the RKHS norm of f

|f(x) - f(z)| = |<f, k(x,.) - k(z,.)>| <= B d_k(x, z), by Cauchy-Schwarz. No smaller bound holds for all f of norm B.
The paper assumes Lipschitz functions. This needs no constant, and holds for rough kernels too (Matern with nu = 1/2).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import ArrayLike

from unswayed.core.data.memory import require_memory
from unswayed.core.gp.kernels import Kernel, Linear, Matern, SquaredExponential, TwoScale
from unswayed.errors import InvalidInput
from unswayed.types import FloatArray, floats, positive, read_only, short_repr

DISTANCE_ROUNDING = 1e-12  # added to d_k^2, so that the distance is rounded up, never down


@dataclass(frozen=True, eq=False)
class Cover:
    """A grid of cells that fill a box, and the centre of each. Make it with `box_cover`.

    Attributes:
        points: The centres, one in each row, the first coordinate slowest.
        half: Half the side of a cell along each coordinate.
        error: What f(x) differs from f at the centre of its cell, at most: B d_k(centre, corner).
    """

    points: FloatArray
    half: FloatArray
    error: float
    __repr__ = short_repr


def kernel_distance(kernel: Kernel, x: FloatArray, z: FloatArray) -> float:
    """d_k(x, z), rounded up."""
    square = kernel.diagonal(x[None])[0] + kernel.diagonal(z[None])[0] - 2 * kernel(x[None], z[None])[0, 0]
    return float(np.sqrt(max(square, 0.0) + DISTANCE_ROUNDING))


def box_cover(low: ArrayLike, high: ArrayLike, kernel: Kernel, *, norm_bound: float, error: float) -> Cover:
    """The coarsest grid on a box in which f differs from its value at the centre of a cell by at most `error`.

    For these kernels d_k(centre, x) grows with every |x_i - centre_i| and does not depend on the centre, so the corner
    of one cell is the worst case of all. A cell has about the same side along every coordinate, in length-scales.

    Args:
        low: Smallest value of each coordinate.
        high: Largest value of each coordinate.
        kernel: `SquaredExponential`, `Matern` or `Linear`.
        norm_bound: Bound B on the RKHS norm of f.
        error: Largest difference to allow, in the units of f. With 1/sqrt(T) it costs no more regret than the noise.

    Returns:
        The cover. Its own error is at most the one that was allowed.

    Raises:
        InvalidInput: The box is empty, the kernel is another one, or the cover does not fit into memory.

    Example:
        >>> from unswayed import SquaredExponential
        >>> cover = box_cover([0.0], [1.0], SquaredExponential(0.5), norm_bound=2.0, error=0.5)
        >>> cover.points.ravel().tolist(), round(cover.error, 3)
        ([0.125, 0.375, 0.625, 0.875], 0.496)
    """
    a, b = floats(low, "the lower corner", ndim=1), floats(high, "the upper corner", ndim=1)
    if a.shape != b.shape or a.size == 0 or not (a < b).all():
        raise InvalidInput("a box needs a lower and an upper corner, with low < high in every coordinate")
    if not isinstance(kernel, SquaredExponential | Matern | TwoScale | Linear):
        raise InvalidInput("a cover is for SquaredExponential, Matern and Linear: of another kernel, cells are unknown")
    corner = np.maximum(np.abs(a), np.abs(b))[None]
    kernel(corner, corner)  # refuses a wrong number of length-scales, and a box outside the radius of a linear kernel
    B = positive(norm_bound, "the norm bound", zero=True)
    allowed = positive(error, "the error")
    if allowed < 2 * B * np.sqrt(DISTANCE_ROUNDING):
        raise InvalidInput(f"an error of {allowed:g} is below the rounding error of the kernel; allow a larger one")
    cells = _coarsest(b - a, kernel, allowed / B if B > 0 else np.inf)
    require_memory(8 * prod(cells) * 2 * len(a), prod(cells), "a cover of the box", "allow a larger error")
    half = (b - a) / (2 * np.array(cells))
    axes = [start + h * (2 * np.arange(n) + 1) for start, h, n in zip(a, half, cells, strict=True)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(cells))
    return Cover(read_only(points), read_only(half), B * _to_corner(kernel, half))


def _to_corner(kernel: Kernel, half: FloatArray) -> float:
    """d_k from the centre of a cell to its corner."""
    return kernel_distance(kernel, np.zeros(len(half)), half)


def _coarsest(sides: FloatArray, kernel: SquaredExponential | Matern | TwoScale | Linear, allowed: float) -> list[int]:
    """The smallest numbers of cells along each coordinate with d_k(centre, corner) <= allowed."""
    scaled = sides if isinstance(kernel, Linear) else sides / np.asarray(kernel.lengthscale)

    def cells(m: int) -> list[int]:  # m along the longest side
        return [int(np.ceil(m * side * (1 - 1e-12))) for side in scaled / scaled.max()]

    def enough(m: int) -> bool:
        return _to_corner(kernel, sides / (2 * np.array(cells(m)))) <= allowed

    few, m = 0, 1
    while not enough(m):
        few, m = m, 2 * m
    while m - few > 1:  # m is enough, few is not
        middle = (few + m) // 2
        few, m = (few, middle) if enough(middle) else (middle, m)
    return cells(m)
