"""RGP-UCB (Bogunovic et al. 2020): GP-UCB with bands enlarged by the corruption budget C.

    x_t = argmax mu_{t-1}(x) + (beta_t + b C / sqrt(lam)) sigma_{t-1}(x)

b = 1 is the theory's band; Section 4 of the paper uses b = 0.1.
"""

from __future__ import annotations

from dataclasses import dataclass

from unswayed.core.theory import bounds
from unswayed.policies.gp_ucb import GPUCB
from unswayed.types import positive


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RobustGPUCB(GPUCB):
    """RGP-UCB on a finite domain. The methods are those of `Policy`.

    Attributes:
        domain: The arms, one row of coordinates each.
        kernel: How values at two points vary together.
        corruption_budget: Largest total corruption C.
        b: Factor of the enlargement: 1 is the theory, 0.1 is Section 4.
        beta: Confidence parameter of each round, without corruption.
        lam: Regularisation, the model's noise variance.

    Raises:
        InvalidInput: The domain is not a table of finite numbers, a number is negative, or lam is too small.

    Example:
        >>> from unswayed import RobustGPUCB, SquaredExponential
        >>> RobustGPUCB([[0.0], [1.0]], SquaredExponential(0.5), corruption_budget=20).enlargement
        2.0
    """

    corruption_budget: float
    b: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        positive(self.corruption_budget, "the corruption budget", zero=True)
        positive(self.b, "b", zero=True)

    @property
    def enlargement(self) -> float:
        """b C / sqrt(lam)."""
        return bounds.robust_ucb_factor(0.0, self.corruption_budget, self.b, self.lam)
