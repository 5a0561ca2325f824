"""Kernels (Appendix A of the paper), called as k(X, Z) on rows of points.

    l    length-scale, one number or one for each coordinate (ARD)
    r    distance after division by the length-scales
    nu   smoothness of the Matern kernel

All are normalised to k(x, x) <= 1, as Section 2 of the paper requires.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import gammaln, kve

from unswayed.core.data.memory import require_memory
from unswayed.errors import InvalidInput
from unswayed.types import FloatArray, positive

Lengthscale = float | Sequence[float]
LARGEST_NU = 10_000  # beyond it, SquaredExponential is the same up to 1e-4, and faster


@runtime_checkable
class Kernel(Protocol):
    """What every kernel can do. Your own class can follow this protocol: it needs no base class.

    k must be symmetric and positive semi-definite, with k(x, x) <= 1. A frozen dataclass is a good choice: its repr
    names the kernel in results, and it can be sent to other processes.

    Example:
        >>> @dataclass(frozen=True)
        ... class Periodic:
        ...     period: float = 1.0
        ...
        ...     def __call__(self, X, Z):
        ...         return np.exp(-2 * np.square(np.sin(np.pi * cdist(X, Z) / self.period)))
        ...
        ...     def diagonal(self, X):
        ...         return np.ones(len(X))
        >>> isinstance(Periodic(), Kernel)
        True
        >>> from unswayed import GPUCB
        >>> GPUCB([[0.0], [0.25]], Periodic(), lam=0.1)
        GPUCB(domain=[[0.0], [0.25]], kernel=Periodic(period=1.0), beta=SqrtLogBeta(scale=0.5), lam=0.1)
    """

    def __call__(self, X: FloatArray, Z: FloatArray) -> FloatArray:
        """The matrix of k(x, z).

        Args:
            X: Points, one in each row: the rows of the result.
            Z: Points, one in each row: the columns of the result.
        """
        ...

    def diagonal(self, X: FloatArray) -> FloatArray:
        """The vector of k(x, x), the diagonal of k(X, X).

        Args:
            X: Points, one in each row.
        """
        ...


@dataclass(frozen=True)
class Linear:
    """k(x, z) = <x, z> / radius^2, for points of norm at most `radius`. The methods are those of `Kernel`.

    Attributes:
        radius: Largest norm of a point.

    Raises:
        InvalidInput: The radius is not positive; when it is called: a point lies outside the radius.

    Example:
        >>> X = np.array([[3.0, 4.0], [0.0, 5.0]])
        >>> Linear(radius=5.0)(X, X).tolist()
        [[1.0, 0.8], [0.8, 1.0]]
    """

    radius: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", positive(self.radius, "radius"))

    @classmethod
    def enclosing(cls, X: FloatArray) -> Self:
        """The linear kernel whose radius is the largest norm in X.

        Args:
            X: Points, one in each row.
        """
        return cls(radius=float(np.linalg.norm(X, axis=1).max()))

    def __call__(self, X: FloatArray, Z: FloatArray) -> FloatArray:
        """The matrix of <x, z> / radius^2; an error for points outside the radius, where k would exceed 1."""
        self.diagonal(X)
        self.diagonal(Z)
        return (X / self.radius) @ (Z / self.radius).T

    def diagonal(self, X: FloatArray) -> FloatArray:
        """`|x|^2 / radius^2`."""
        squares: FloatArray = np.sum(np.square(X / self.radius), axis=1)
        if squares.size and squares.max() > 1 + 1e-9:
            raise InvalidInput(
                f"a point of norm {np.sqrt(squares.max()) * self.radius:g} lies outside the radius "
                f"{self.radius:g} of the linear kernel; use Linear.enclosing(points)"
            )
        return squares


class _Stationary:
    """What kernels with a length-scale share: k(x, x) = 1."""

    lengthscale: Lengthscale

    def __post_init__(self) -> None:
        scale: Any = self.lengthscale
        several = np.ndim(scale) > 0
        checked = tuple(positive(s, "every lengthscale") for s in scale) if several else positive(scale, "lengthscale")
        object.__setattr__(self, "lengthscale", checked)

    def diagonal(self, X: FloatArray) -> FloatArray:
        """One for every point."""
        return np.ones(len(X))

    def distances(self, X: FloatArray, Z: FloatArray) -> FloatArray:
        """Euclidean distances of the scaled points, computed from differences: accurate for nearly equal points.

        Args:
            X: Points, one in each row: the rows of the result.
            Z: Points, one in each row: the columns of the result.
        """
        scales = np.asarray(self.lengthscale, dtype=np.float64)
        if scales.ndim == 1 and scales.size != X.shape[1]:
            raise InvalidInput(f"{scales.size} length-scales for points with {X.shape[1]} coordinates")
        return np.asarray(cdist(X / scales, Z / scales))


@dataclass(frozen=True)
class SquaredExponential(_Stationary):
    """k(x, z) = exp(-r^2 / 2). The methods are those of `Kernel`.

    Attributes:
        lengthscale: Distance over which values vary: one number, or one for each coordinate.

    Raises:
        InvalidInput: A length-scale is not positive.

    Example:
        >>> k = SquaredExponential(lengthscale=0.5)
        >>> k(np.array([[0.0]]), np.array([[0.0], [0.5]])).round(3).tolist()
        [[1.0, 0.607]]
    """

    lengthscale: Lengthscale = 1.0

    def __call__(self, X: FloatArray, Z: FloatArray) -> FloatArray:
        """The matrix of exp(-r^2 / 2)."""
        return np.exp(-0.5 * np.square(self.distances(X, Z)))


@dataclass(frozen=True)
class Matern(_Stationary):
    """k(x, z) = 2^(1-nu)/Gamma(nu) s^nu K_nu(s), s = sqrt(2 nu) r, K_nu the modified Bessel function.

    The power nu of s is missing in the paper's formula. The methods are those of `Kernel`.

    Attributes:
        nu: Smoothness. There are closed forms for 0.5, 1.5 and 2.5; other values are slower.
        lengthscale: Distance over which values vary: one number, or one for each coordinate.

    Raises:
        InvalidInput: A number is not positive, or nu is too large.

    Example:
        >>> k = Matern(nu=2.5, lengthscale=0.5)
        >>> k(np.array([[0.0]]), np.array([[0.0], [0.5]])).round(3).tolist()
        [[1.0, 0.524]]
    """

    nu: float = 2.5
    lengthscale: Lengthscale = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "nu", positive(self.nu, "nu"))
        if self.nu > LARGEST_NU:
            raise InvalidInput(f"a Matern kernel with nu above {LARGEST_NU:,} is SquaredExponential; use that")
        super().__post_init__()

    def __call__(self, X: FloatArray, Z: FloatArray) -> FloatArray:
        """The matrix of k(x, z)."""
        s: FloatArray = np.sqrt(2 * self.nu) * self.distances(X, Z)
        if self.nu == 0.5:
            return np.exp(-s)
        if self.nu == 1.5:
            return (1 + s) * np.exp(-s)
        if self.nu == 2.5:
            return matern_5_2(s, np.exp(-s))
        return _matern(self.nu, s)


@dataclass(frozen=True)
class TwoScale(_Stationary):
    """k = (1 - share) m(r) + share m(r / ratio), with m the Matern-5/2 kernel: a trend and a finer detail.

    A function with ripples on a slope has no single length-scale. With a long one the ripples look like noise, with
    a short one the slope is not visible from one ripple to the next.

    Attributes:
        lengthscale: Length-scale of the trend: one number, or one for each coordinate.
        share: Share of the variance that is detail.
        ratio: Length-scale of the detail in units of that of the trend.

    Example:
        >>> k = TwoScale(lengthscale=0.5, share=0.2)
        >>> k(np.array([[0.0]]), np.array([[0.0], [0.5]])).round(3).tolist()
        [[1.0, 0.419]]
    """

    lengthscale: Lengthscale = 1.0
    share: float = 0.1
    ratio: float = 0.15

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("share", "ratio"):
            if not 0 < getattr(self, name) < 1:
                raise InvalidInput(f"{name} must lie between 0 and 1, not {getattr(self, name):g}")

    def __call__(self, X: FloatArray, Z: FloatArray) -> FloatArray:
        """The matrix of k(x, z)."""
        r = np.sqrt(5.0) * self.distances(X, Z)
        fine = r / self.ratio
        return matern_5_2(r, np.exp(-r), 1 - self.share) + matern_5_2(fine, np.exp(-fine), self.share)


@dataclass(frozen=True)
class WithLevel:
    """k + c^2: a kernel whose functions may have any level.

    Attributes:
        kernel: The kernel k of values around the level.
        spread: c, the standard deviation of the level.
    """

    kernel: Kernel
    spread: float

    def __call__(self, X: FloatArray, Z: FloatArray) -> FloatArray:
        """The matrix of k(x, z) + c^2."""
        return self.kernel(X, Z) + self.spread**2

    def diagonal(self, X: FloatArray) -> FloatArray:
        """The vector of k(x, x) + c^2."""
        return self.kernel.diagonal(X) + self.spread**2


def matern_5_2(s: FloatArray, decay: FloatArray, share: float = 1.0) -> FloatArray:
    """`share` times the Matern-5/2 kernel, for s = sqrt(5) r and decay = e^-s."""
    return share * (1 + s + np.square(s) / 3) * decay


def _matern(nu: float, s: FloatArray) -> FloatArray:
    """g_nu(s) = 2^(1-nu)/Gamma(nu) s^nu K_nu(s), without overflow for any nu.

    K_nu itself overflows for large nu and small s, so start from the order a in (0, 1] with nu - a
    whole, and climb: the ratios rho_a = g_{a+1}/g_a obey rho_a = 1 + s^2 / (4 a (a-1) rho_{a-1}).
    """
    steps = int(np.ceil(nu)) - 1
    a = nu - steps
    coincide = s == 0
    s = np.where(coincide, 1.0, s)
    bessel = kve(a, s)  # e^s K_a(s)
    log_g = (1 - a) * np.log(2) - gammaln(a) + a * np.log(s) + np.log(bessel) - s
    if steps:
        with np.errstate(over="ignore", invalid="ignore"):
            rho = s * kve(a + 1, s) / (2 * a * bessel)
        rho = np.where(np.isfinite(rho), rho, 1.0)  # the limit for s -> 0
        log_g = log_g + np.log(rho)
        for order in a + np.arange(1, steps):
            rho = 1 + np.square(s) / (4 * order * (order - 1) * rho)
            log_g = log_g + np.log(rho)
    return np.where(coincide, 1.0, np.exp(np.minimum(log_g, 0.0)))


def named_kernel(name: str, lengthscale: Lengthscale | None, X: FloatArray) -> Linear | SquaredExponential | Matern:
    """The kernel called linear (with a radius that encloses X), se or matern-NU; the length-scale is 1 by default."""
    if name == "linear":
        if lengthscale is not None:
            raise InvalidInput("the linear kernel has no length-scale")
        return Linear.enclosing(X)
    scale = 1.0 if lengthscale is None else lengthscale
    if name == "se":
        return SquaredExponential(scale)
    if not name.startswith("matern-"):
        raise InvalidInput(f"unknown kernel {name!r}: choose one of se, linear, matern-NU")
    try:
        nu = float(name.removeprefix("matern-"))
    except ValueError:
        raise InvalidInput(f"a Matern kernel is named by its nu, as in matern-2.5, not {name!r}") from None
    return Matern(nu, scale)


def gram(kernel: Kernel, X: FloatArray) -> FloatArray:
    """The kernel matrix of all rows of X; an error that names its size if it does not fit into memory."""
    needed = 5 * 8 * len(X) ** 2  # the matrix, a posterior of all arms, and intermediate results
    require_memory(needed, len(X), "their kernel matrix and the posterior", "use fewer points")
    return kernel(X, X)
