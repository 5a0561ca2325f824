"""What the certified policies are told: the budget, the assumptions that the guarantee rests on, and lam."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from unswayed.core.kernels import Kernel
from unswayed.policies.protocol import check_guarantee
from unswayed.types import FloatArray, floats, positive


@dataclass(frozen=True, eq=False)
class Certified:
    """Settings of influence-UCB and influence-PE. `lam` defaults to the noise variance, the natural choice here."""

    domain: FloatArray
    kernel: Kernel
    _: KW_ONLY
    corruption_budget: float
    norm_bound: float
    noise_std: float
    delta: float = 0.05
    lam: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "domain", floats(self.domain, "the domain", ndim=2))
        positive(self.corruption_budget, "the corruption budget", zero=True)
        check_guarantee(self.norm_bound, self.noise_std, self.delta)
        object.__setattr__(self, "lam", positive(self.noise_std**2 if self.lam is None else self.lam, "lam"))

    @property
    def regularisation(self) -> float:
        """lam, once it is decided."""
        assert self.lam is not None
        return self.lam
