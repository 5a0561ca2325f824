"""A problem: a finite domain, the true values on it, the noise, and the kernel that a policy may assume."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import eigh

from unswayed.core.gp.kernels import Kernel, gram
from unswayed.errors import InvalidInput
from unswayed.types import BoolArray, FloatArray, fix, floats, positive, read_only, short_repr


@dataclass(frozen=True, eq=False)
class Problem:
    """The truth on a finite domain, with the settings that Section 4 of the paper uses for it.

    Attributes:
        name: Name of the problem.
        domain: The arms, one row of coordinates each; they must differ.
        f: True value of each arm.
        noise_std: Standard deviation of one play.
        kernel: The kernel that a policy may assume.
        target: Which arms are in the region that Clipping and Aggressive Subtraction lead to.
        margin: Strength of Clipping (the paper's Delta).
        h_max: Strength of Aggressive Subtraction.
        beta_phased: beta_h of RGP-PE.
        beta_scale: Index policies use beta_t = beta_scale sqrt(ln t).
        draw: Seed that the problem was drawn with; None if it was not drawn.
        low: Known lower bound of f; None: what the norm bound implies.
        high: Known upper bound of f; None: what the norm bound implies.

    Raises:
        InvalidInput: Lengths differ, a number is not finite, or two arms are equal.

    Example:
        >>> from unswayed import Problem, SquaredExponential
        >>> arms = [[0.0], [0.5], [1.0]]
        >>> target = [True, False, False]
        >>> problem = Problem("mine", arms, [0.1, 0.7, 0.4], 0.02, SquaredExponential(0.5), target)
        >>> problem.best_arm, problem.gaps.round(1).tolist()
        (1, [0.6, 0.0, 0.3])
    """

    name: str
    domain: FloatArray
    f: FloatArray
    noise_std: float
    kernel: Kernel
    target: BoolArray
    margin: float = 0.5
    h_max: float = 1.0
    beta_phased: float = 4.0
    beta_scale: float = 0.5
    draw: int | None = None
    low: float | None = None
    high: float | None = None
    __repr__ = short_repr

    def __post_init__(self) -> None:
        domain = floats(self.domain, "the points", ndim=2)
        f = floats(self.f, "the values", ndim=1)
        if len(domain) != len(f) or len(f) == 0 or domain.shape[1] == 0:
            raise InvalidInput("a problem needs at least one point, and one value for each point")
        distinct, counts = np.unique(domain, axis=0, return_counts=True)
        if len(distinct) < len(domain):
            twice = ", ".join(f"{c:g}" for c in distinct[counts > 1][0])
            raise InvalidInput(f"the points must be distinct, but ({twice}) occurs more than once")
        positive(self.noise_std, "the noise", zero=True)
        target = np.array(self.target, dtype=np.bool_)
        if target.shape != f.shape:
            raise InvalidInput("the target region needs one entry for each point")
        fix(self, domain=domain, f=f, target=read_only(target))

    def bounds(self, norm: float | None = None) -> tuple[float, float]:
        """Bounds of f that a policy may know: low and high, or what `|f(x)| <= norm sqrt(k(x, x))` implies.

        Args:
            norm: Bound on the RKHS norm of f; None: the norm itself.
        """
        if self.low is not None and self.high is not None:
            return self.low, self.high
        norm = self.norm if norm is None else norm
        largest = norm * self.deviation
        return -largest if self.low is None else self.low, largest if self.high is None else self.high

    @property
    def deviation(self) -> float:
        """The largest standard deviation of the prior: max sqrt(k(x, x))."""
        return float(np.sqrt(np.max(self.kernel.diagonal(self.domain))))

    @property
    def n_arms(self) -> int:
        """The number of points."""
        return len(self.f)

    @property
    def best_arm(self) -> int:
        """The arm of largest value."""
        return int(np.argmax(self.f))

    @cached_property
    def gaps(self) -> FloatArray:
        """Regret of one play of each arm: max f - f."""
        return read_only(self.f.max() - self.f)

    @cached_property
    def norm(self) -> float:
        """The smallest RKHS norm of a function with these values: sqrt(f^T K^-1 f), by pseudo-inverse."""
        values, vectors = eigh(gram(self.kernel, self.domain))
        coefficients = vectors.T @ self.f
        seen = values > 1e-12 * values[-1]
        if np.sum(coefficients[~seen] ** 2) > 1e-9 * np.sum(coefficients**2):
            raise InvalidInput("no function of this kernel has these values to working precision; give the norm")
        return float(np.sqrt(np.sum(coefficients[seen] ** 2 / values[seen])))
