"""Can I trust this winner? How much tampering with existing measurements would have overturned the result.

    x, y   measurements: one row of parameters and one value each; repeats are allowed
    C*     breakdown budget: the least total change of recorded values that could have made another option win
    pivot  the option where changing values is cheapest

With kernel and noise given, the model is exactly GP(0, k) with lam = noise^2. Otherwise the values are centred and
scaled robustly, what is not given is estimated, and the audit says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from unswayed.audits.measurements import Measurements, Rival, Suspect, collect, find_hinges, find_rivals, find_suspects
from unswayed.audits.report import details, record, summary
from unswayed.core.assumptions import Assumptions, Given, ModelArgs
from unswayed.core.certificate import Breakdown, Certificate, certificate
from unswayed.core.fitting import NOISES, fit_counts, noise_from_repeats
from unswayed.core.kernels import Kernel, Matern, gram
from unswayed.core.posterior import JointPosterior
from unswayed.core.threads import one_thread
from unswayed.errors import InvalidInput
from unswayed.forwarding import forwards
from unswayed.text import printable
from unswayed.types import EPS, FloatArray, IntArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FITTING_POINTS, FEWEST_POINTS = 1000, 20


@dataclass(frozen=True, eq=False, repr=False)
class Audit:
    """What existing measurements say, and how much tampering would have overturned it. Values are in their units.

    Attributes:
        winner: The option with the best estimate. Options are the distinct rows of x in order of first appearance.
        breakdown: The least tampering that makes another option win, with that rival and the pivot.
        certificate: What holds with confidence 1 - delta; None if nothing in the data tells noise from signal.
        assumptions: The model, and which parts of it were estimated.
        points: The parameters of each option.
        names: The names of the parameters.
        counts: How often each option was measured.
        means: The mean measurement of each option.
        estimate: The posterior mean of each option.
        deviation: The posterior standard deviation of each option.
        rivals: The options that the least tampering would make win, cheapest first.
        hinges: The most sensitive options, each with the tampering needed if only this option is changed.
        suspects: Measurements that the others do not explain.
        fitted_on: Options that the kernel was estimated from; 0 if it was given.
        precision: Largest relative rounding error of the breakdown budget.
        jitter: What was added to the kernel's diagonal to keep the arithmetic stable.
        minimize: Whether smaller values are better.

    Example:
        >>> import unswayed
        >>> unswayed.audit([[0.0], [1.0], [1.0]], [0.0, 1.0, 1.2], noise_std=0.1)
        Audit(winner=1, breakdown_budget=1.116)
    """

    winner: int
    breakdown: Breakdown
    certificate: Certificate | None
    assumptions: Assumptions
    points: FloatArray
    names: tuple[str, ...]
    counts: IntArray
    means: FloatArray
    estimate: FloatArray
    deviation: FloatArray
    rivals: tuple[Rival, ...]
    hinges: tuple[tuple[int, float], ...]
    suspects: tuple[Suspect, ...]
    fitted_on: int
    precision: float
    jitter: float
    minimize: bool

    @property
    def rival(self) -> int:
        """The option that the least tampering would make win."""
        return int(self.breakdown.rival)

    @property
    def pivot(self) -> int:
        """The option whose measurements have to change for that."""
        return int(self.breakdown.pivot)

    @property
    def breakdown_budget(self) -> float:
        """The least total change of recorded values that makes another option win, with the model held fixed."""
        return self.breakdown.budget

    @property
    def lead(self) -> float:
        """How far the winner is ahead of the rival, by the estimate."""
        return self.rivals[0].lead

    @property
    def shifted_measurements(self) -> int:
        """The breakdown budget as a number of measurements shifted by one noise standard deviation."""
        return ceil(self.breakdown_budget / self.assumptions.noise_std)

    def describe(self, option: int) -> str:
        """An option in words, safe to print.

        Args:
            option: Its number.
        """
        pairs = zip(self.names, self.points[option], strict=True)
        return f"option {option} ({', '.join(f'{printable(name, limit=200)} = {value:.6g}' for name, value in pairs)})"

    def __repr__(self) -> str:
        return f"Audit(winner={self.winner}, breakdown_budget={self.breakdown_budget:.4g})"

    def __str__(self) -> str:
        return "\n".join([*summary(self), *details(self)])

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for scripts."""
        return record(self)

    def plot(self) -> Figure:
        """The leading options with their estimates, and what would make each rival win, as a figure."""
        from unswayed.plots.audit import plot_audit

        return plot_audit(self)


@forwards(Given, without=("threat",))
def audit(
    x: ArrayLike,
    y: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    minimize: bool = False,
    threat: float = 0.0,
    **given: Unpack[ModelArgs],
) -> Audit:
    """Who wins, and how much tampering would it take to overturn that?

    Args:
        x: A row of parameters for each measurement.
        y: The measured values.
        {settings}
        names: The names of the parameters; by default x1, x2, ...
        minimize: Whether smaller values are better.
        threat: Total tampering to certify against, in units of the values.

    Returns:
        The audit. Print it, plot it, or take its parts.

    Raises:
        InvalidInput: The measurements are not finite, do not fit each other, or leave nothing to compare.

    Example:
        >>> import unswayed
        >>> found = unswayed.audit([[0.0], [0.0], [1.0], [1.0]], [0.1, 0.2, 1.0, 1.1], noise_std=0.1)
        >>> found.winner, found.rival
        (1, 0)
    """
    stated = Given(threat=threat, **given)
    data = collect(x, y, stated, minimize=minimize)
    columns = data.points.shape[1]
    titles = tuple(f"x{i + 1}" for i in range(columns)) if names is None else tuple(str(name) for name in names)
    if len(titles) != columns:
        raise InvalidInput(f"{len(titles)} names for {columns} parameters")
    with one_thread():
        return _audit(data, stated, titles, minimize)


def _audit(data: Measurements, given: Given, names: tuple[str, ...], minimize: bool) -> Audit:
    kernel, lam, resolved = _model(data, given)
    posterior = JointPosterior.fit(gram(kernel, data.points), data.means, data.counts, lam)
    norm = given.norm(posterior, data.means, data.scale)
    winner, scale = int(np.argmax(posterior.mean)), data.scale
    certified = certificate(
        posterior, budget=given.threat / scale, norm_bound=norm, noise_std=lam**0.5, delta=given.delta, winner=winner
    )
    rivals = find_rivals(posterior, winner, scale)
    return Audit(
        winner=winner,
        breakdown=Breakdown(rivals[0].budget, rivals[0].option, rivals[0].pivot),
        certificate=certified.scaled(scale) if resolved else None,
        assumptions=Assumptions(
            kernel=kernel,
            noise_std=scale * lam**0.5,
            output_scale=scale,
            level=data.sign * data.level,
            norm_bound=scale * norm,
            estimated=data.estimated,
        ),
        points=data.points,
        names=names,
        counts=data.counts.astype(np.int64),
        means=data.in_units(data.means),
        estimate=data.in_units(posterior.mean),
        deviation=scale * posterior.deviation,
        rivals=rivals,
        hinges=find_hinges(posterior, winner, rivals[0]),
        suspects=find_suspects(posterior, data, given.delta),
        fitted_on=len(_fitting_points(data)) if given.kernel is None else 0,
        precision=EPS * len(data.points) * posterior.condition,
        jitter=posterior.jitter,
        minimize=minimize,
    )


def _model(data: Measurements, given: Given) -> tuple[Kernel, float, bool]:
    """Kernel and noise variance in units of the scale, and whether noise can be told from signal."""
    noise = given.noise_std
    if noise is None:
        noise = noise_from_repeats(data.option, data.scale * data.values)
    lam = None if noise is None else _variance(noise / data.scale)
    if given.kernel is not None and lam is not None:
        return given.kernel, lam, True
    some, spread = _fitting_points(data), np.ptp(data.points, axis=0)
    family = Matern(2.5, tuple(np.where(spread > 0, spread, 1.0))) if given.kernel is None else given.kernel
    kernel, fitted = fit_counts(
        family, data.points[some], data.means[some], data.counts[some], lam, scale_lengths=given.kernel is None
    )
    # A noise that is fitted to a handful of values, or lies at the end of its range, is a guess.
    resolved = lam is not None or (NOISES[0] * 1.5 < fitted < NOISES[1] / 1.5 and len(some) >= FEWEST_POINTS)
    return kernel, fitted, resolved


def _fitting_points(data: Measurements) -> IntArray:
    return np.unique(np.linspace(0, len(data.points) - 1, FITTING_POINTS).astype(np.int64))


def _variance(noise: float) -> float:
    if not 1e-60 < noise < 1e60:
        raise InvalidInput(f"a noise of {noise:.3g} times the spread of the values cannot be computed with")
    return noise**2
