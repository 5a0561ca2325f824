"""Any finite table of points and values, in memory or in a CSV file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from unswayed.core.fitting import fit_lengthscale
from unswayed.core.kernels import Kernel, SquaredExponential
from unswayed.errors import InvalidInput
from unswayed.problems.problem import Problem
from unswayed.types import FloatArray, floats


def table(
    points: ArrayLike,
    values: ArrayLike,
    *,
    kernel: Kernel | None = None,
    noise_std: float = 0.02,
    name: str = "table",
) -> Problem:
    """A problem from points and their true values.

    Without a `kernel`, the squared exponential with the most likely length-scale, as the paper does for
    Robot3D. The target region of the attacks is the half of the points on the other side of the median
    of the first coordinate from the best one; margin and h_max follow the spread of the values.
    """
    domain, f = floats(points, "the points", ndim=2), floats(values, "the values", ndim=1)
    if len(domain) != len(f) or len(f) < 2:
        raise InvalidInput("a table needs at least two points, and one value for each")
    first = domain[:, 0]
    low_half = first <= np.median(first)
    target = ~low_half if low_half[np.argmax(f)] else low_half
    if not target.any():  # most points share the first coordinate: lead to the worst one instead
        target = np.arange(len(f)) == np.argmin(f)
    return Problem(
        name=name,
        domain=domain,
        f=f,
        noise_std=noise_std,
        kernel=kernel or fit_lengthscale(SquaredExponential(), domain, f),
        target=target,
        margin=0.5 * float(f.std()),
        h_max=max(2 * float(f.max() - f[target].max()), float(f.std()), 1e-300),
    )


def read_table(path: Path) -> tuple[FloatArray, FloatArray]:
    """Points and values of a CSV file: coordinates, then the value, one row a point; a header is optional."""
    from unswayed.storage.tables import read_numbers  # pyarrow is slow to import

    _, numbers = read_numbers(path)
    if numbers.shape[1] < 2:
        raise InvalidInput(f"{path} needs at least two columns: coordinates, then the value")
    return numbers[:, :-1], numbers[:, -1]
