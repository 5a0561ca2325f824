"""Any finite table of points and values, in memory or in a CSV file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from unswayed.core.gp.fitting import fit_lengthscale
from unswayed.core.gp.kernels import Kernel, SquaredExponential
from unswayed.errors import InvalidInput
from unswayed.problems.problem import Problem
from unswayed.types import FloatArray, floats


def table(
    points: ArrayLike, values: ArrayLike, *, kernel: Kernel | None = None, noise_std: float = 0.02, name: str = "table"
) -> Problem:
    """A problem from points and their true values.

    The median of the first coordinate halves the points. The target region of the attacks is the half without the best
    point. margin and h_max follow the spread of the values.

    Args:
        points: The arms, one row of coordinates each.
        values: True value of each arm.
        kernel: The kernel that policies may assume. By default the squared exponential with the most likely
            length-scale, as in the paper for Robot3D.
        noise_std: Standard deviation of one play.
        name: Name of the problem.
    """
    domain, f = floats(points, "the points", ndim=2), floats(values, "the values", ndim=1)
    if len(domain) != len(f) or len(f) < 2:
        raise InvalidInput("a table needs at least two points, and one value for each")
    low_half = domain[:, 0] <= np.median(domain[:, 0])
    target = ~low_half if low_half[np.argmax(f)] else low_half
    if not target.any():  # most points share the first coordinate: the target is the worst point instead
        target = np.arange(len(f)) == np.argmin(f)
    kernel = kernel or fit_lengthscale(SquaredExponential(), domain, f)
    h_max = max(2 * float(f.max() - f[target].max()), float(f.std()), 1e-300)
    return Problem(name, domain, f, noise_std, kernel, target, margin=0.5 * float(f.std()), h_max=h_max)


def read_table(path: Path) -> tuple[FloatArray, FloatArray]:
    """Points and values of a CSV file. Each row has the coordinates, then the value; a header is optional.

    Args:
        path: The file.
    """
    from unswayed.storage.tables import read_numbers  # pyarrow is slow to import

    _, numbers, _ = read_numbers(path)
    if numbers.shape[1] < 2:
        raise InvalidInput(f"{path} needs at least two columns: coordinates, then the value")
    return numbers[:, :-1], numbers[:, -1]
