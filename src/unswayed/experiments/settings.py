"""What a policy may be told beyond its budget."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from unswayed.errors import InvalidInput

WIDTHS = ("experiments", "theory", "log-det", "gain")


@dataclass(frozen=True)
class PolicySettings:
    """Settings of the registered policies; None stands for the default of the problem and the paper.

    Args:
        beta: beta_h of RGP-PE; for GP-UCB and RGP-UCB the scale in scale * sqrt(ln t).
        b: Share of the corruption width that is used.
        lam: Regularisation; by default 1, or the noise variance where the registry says so.
        eta: Growth of the determinant after which a design switches arms.
        psi: Least share of an arm in RGP-PE's design: a number in [0, 1], or "theorem".
        delta: Probability of failure.
        norm: Bound on the RKHS norm; by default the true norm.
        width: "experiments" (Section 4 of the paper); guaranteed and wide: "theory" (Corollary 1), "log-det"
            (Corollary 2, exact), "gain" (Corollary 2 as printed, for RGP-PE with lam >= 1).
        error: Delta of linear-pe: "balanced" or "matern".
        alpha: Least share of an arm in linear-pe's design; by default 1/m_0.
        plateau: Distance up to which RCGP-UCB believes a reward in full; by default all that honest rewards need.

    Example:
        >>> PolicySettings(b=1.0).eta
        2.0
    """

    beta: float | None = None
    b: float = 0.1
    lam: float | None = None
    eta: float = 2.0
    psi: float | Literal["theorem"] = 0.5
    delta: float = 0.05
    norm: float | None = None
    width: str = "experiments"
    error: str = "balanced"
    alpha: float | None = None
    plateau: float | None = None

    def __post_init__(self) -> None:
        from unswayed.types import growth, positive, probability

        for name, known in {"width": WIDTHS, "error": ("balanced", "matern")}.items():
            if getattr(self, name) not in known:
                raise unknown(name, getattr(self, name), known)
        probability(self.delta, "delta")
        if self.alpha is not None:
            probability(self.alpha, "alpha")
        growth(self.eta)
        if self.psi != "theorem" and not 0 <= self.psi <= 1:
            raise InvalidInput(f"psi must lie in [0, 1] or be 'theorem', not {self.psi:g}")
        for name in ("b", "lam", "beta", "norm", "plateau"):
            if getattr(self, name) is not None:
                positive(getattr(self, name), name, zero=name in ("b", "beta"))

    def regularisation(self, default: float = 1.0) -> float:
        """lam, or `default` where none is given."""
        return default if self.lam is None else self.lam


def unknown(kind: str, name: str, known: Iterable[str]) -> InvalidInput:
    """The error for a name that is unknown."""
    return InvalidInput(f"unknown {kind} {name!r}: choose one of {', '.join(known)}")
