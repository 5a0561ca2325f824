"""Slopes of kernels of distances: dk(x, z)/dx_i = -h(x, z) (x_i - z_i)/l_i^2.

l           the length-scales
se          h = k
matern-nu   h = nu/(nu - 1) g(s), where g is the Matern kernel of order nu - 1 and s = sqrt(2 nu) r, for nu > 1
two scales  the sum for both parts, each with nu = 5/2; that of the detail is divided by ratio^2
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from unswayed.core.gp.kernels import Kernel, Matern, SquaredExponential, TwoScale, WithLevel, matern_5_2
from unswayed.types import FloatArray


class Sloped(NamedTuple):
    """The matrices of k and h, and the length-scales l."""

    k: FloatArray
    h: FloatArray
    lengths: FloatArray


def sloped(kernel: Kernel, X: FloatArray, Z: FloatArray) -> Sloped | None:
    """k and h at the rows of X; None for a kernel without a formula here, or with a cusp (Matern with nu <= 1)."""
    if isinstance(kernel, WithLevel):
        found = sloped(kernel.kernel, X, Z)
        return None if found is None else found._replace(k=found.k + kernel.spread**2)
    if not isinstance(kernel, SquaredExponential | Matern | TwoScale):
        return None
    lengths = np.asarray(kernel.lengthscale, dtype=np.float64)
    if isinstance(kernel, SquaredExponential):
        k = kernel(X, Z)
        return Sloped(k, k, lengths)
    if isinstance(kernel, Matern):
        if kernel.nu <= 1:
            return None
        nu = kernel.nu
        smaller = replace(kernel, nu=nu - 1)
        stretch = np.sqrt((nu - 1) / nu)  # the kernel of order nu - 1 multiplies its distances by sqrt(2 (nu - 1))
        return Sloped(kernel(X, Z), nu / (nu - 1) * smaller(X / stretch, Z / stretch), lengths)
    r = np.sqrt(5.0) * kernel.distances(X, Z)
    fine = r / kernel.ratio
    coarse, detail = (1 - kernel.share) * np.exp(-r), kernel.share * np.exp(-fine)
    k = matern_5_2(r, coarse) + matern_5_2(fine, detail)
    return Sloped(k, (5 / 3) * (coarse * (1 + r) + detail * (1 + fine) / kernel.ratio**2), lengths)
