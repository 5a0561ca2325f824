"""The settings of the certified policies: the budget, the assumptions of the guarantee, and lam."""

from __future__ import annotations

from dataclasses import dataclass

from unswayed.policies.finite import OnFiniteDomain, check_guarantee
from unswayed.types import positive


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Certified(OnFiniteDomain):
    """Settings of influence-UCB and influence-PE.

    Attributes:
        corruption_budget: Largest total corruption C.
        norm_bound: Bound B on the RKHS norm of f.
        noise_std: Sub-Gaussian scale sigma of the noise of one play.
        delta: Probability of failure.
        lam: Regularisation; by default the noise variance.
    """

    corruption_budget: float
    norm_bound: float
    noise_std: float
    delta: float = 0.05
    lam: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        positive(self.corruption_budget, "the corruption budget", zero=True)
        check_guarantee(self.norm_bound, self.noise_std, self.delta)
        object.__setattr__(self, "lam", positive(self.noise_std**2 if self.lam is None else self.lam, "lam"))

    @property
    def regularisation(self) -> float:
        """lam as a number: never None."""
        assert self.lam is not None
        return self.lam
