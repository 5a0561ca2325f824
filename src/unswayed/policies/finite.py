"""What the policies of this package share: a finite domain, the epochs of phased policies, and guarantees."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np

from unswayed.core.design.rare_switching import first_argmax
from unswayed.core.gp.kernels import Kernel
from unswayed.errors import InvalidInput
from unswayed.policies.protocol import Epoch
from unswayed.types import FloatArray, Query, View, floats, positive, probability, short_repr

SMALLEST_LAM = 1e-10  # of index policies: with less, rank-one steps lose all digits
LARGEST_ASSUMPTION = 1e100  # of norm bound and noise: their squares must stay finite


@dataclass(frozen=True, eq=False, repr=False)
class OnFiniteDomain:
    """The first two arguments of every policy; the others are given by keyword.

    Attributes:
        domain: The arms, one row of coordinates each.
        kernel: How values at two points vary together.
    """

    domain: FloatArray
    kernel: Kernel
    _: KW_ONLY
    phased: ClassVar[bool] = False
    __repr__ = short_repr

    def __post_init__(self) -> None:
        object.__setattr__(self, "domain", floats(self.domain, "the domain", ndim=2))


@dataclass(frozen=True, eq=False, repr=False)
class PhasedOnFiniteDomain(OnFiniteDomain):
    """A policy that plays whole epochs and eliminates arms after each."""

    phased: ClassVar[bool] = True

    def init(self) -> Epoch:
        """All arms are active."""
        return Epoch.first(len(self.domain))

    def recommend(self, epoch: Epoch) -> int:
        """The active arm with the largest mean in the last completed epoch."""
        return epoch.leader

    def view(self, epoch: Epoch) -> View:
        """The active arms with the bounds of the last completed epoch."""
        return epoch.view


@dataclass(frozen=True)
class Guarantee:
    """What a confidence band with a guarantee needs to know.

    Attributes:
        norm_bound: Bound B on the RKHS norm of f.
        noise_std: Sub-Gaussian scale sigma of the noise of one play.
        delta: Probability that the band fails.
    """

    norm_bound: float
    noise_std: float
    delta: float = 0.05

    def __post_init__(self) -> None:
        check_guarantee(self.norm_bound, self.noise_std, self.delta)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Certified(OnFiniteDomain):
    """Settings of all certified policies.

    Attributes:
        norm_bound: Bound B on the RKHS norm of f.
        noise_std: Sub-Gaussian scale sigma of the noise of one play.
        delta: Probability of failure.
        lam: Regularisation; by default the noise variance.
    """

    norm_bound: float
    noise_std: float
    delta: float = 0.05
    lam: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_guarantee(self.norm_bound, self.noise_std, self.delta)
        object.__setattr__(self, "lam", positive(self.noise_std**2 if self.lam is None else self.lam, "lam"))

    @property
    def regularisation(self) -> float:
        """lam as a number: never None."""
        assert self.lam is not None
        return self.lam


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CertifiedForBudget(Certified):
    """Settings of influence-UCB and influence-PE: those above, and one more.

    Attributes:
        corruption_budget: Largest total corruption C.
    """

    corruption_budget: float

    def __post_init__(self) -> None:
        super().__post_init__()
        positive(self.corruption_budget, "the corruption budget", zero=True)


def check_guarantee(norm_bound: float, noise_std: float, delta: float) -> None:
    """Refuse numbers for which no guarantee can be computed."""
    positive(norm_bound, "the norm bound", zero=True)
    positive(noise_std, "the noise", zero=True)
    probability(delta, "delta")
    if norm_bound > LARGEST_ASSUMPTION or noise_std > LARGEST_ASSUMPTION:
        raise InvalidInput(f"the norm bound and the noise must be at most {LARGEST_ASSUMPTION:g}")


def play_largest(view: View) -> Query:
    """One play of the arm with the largest upper bound, ties to the lowest arm."""
    arm = first_argmax(view.upper, scale=float(np.max(view.upper - view.mean)))
    return Query(np.array([arm]), np.array([1]))


def check_index_lam(lam: float) -> None:
    """Refuse a lam for which the rank-one steps of an index policy lose the variances to rounding."""
    if positive(lam, "lam") < SMALLEST_LAM:
        raise InvalidInput(f"an index policy needs lam of at least {SMALLEST_LAM:g}: smaller variances are rounded off")
