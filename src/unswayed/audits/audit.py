"""Can I trust this winner? How much tampering with existing measurements would have overturned the result.

    x, y   measurements: one row of parameters and one value each; repeats are allowed
    C*     breakdown budget: the least total change of recorded values that could have made another option win
    pivot  the option where changing values is cheapest

What is given is used exactly: with kernel, noise, output scale and level given, the model is GP(level, scale^2 k) with
lam = noise^2. What is not given is estimated, and the audit says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from unswayed.audits.fit import Fit
from unswayed.audits.measurements import Measurements, Rival, Suspect, collect, find_hinges, find_rivals, find_suspects
from unswayed.audits.refit import influential_rows, refit_budget
from unswayed.audits.report import details, record, summary
from unswayed.core.assumptions import Assumptions, Given, GivenArgs
from unswayed.core.certificate import Breakdown, Certificate
from unswayed.core.credible import Credible, Mixture, credible
from unswayed.core.kernels import gram
from unswayed.core.posterior import JointPosterior
from unswayed.core.prior import Prior, assumptions, certified
from unswayed.core.threads import one_thread
from unswayed.core.threat import LARGEST_VALUE
from unswayed.errors import InvalidInput
from unswayed.forwarding import forwards
from unswayed.text import digits, printable
from unswayed.types import EPS, BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, repr=False)
class Audit:
    """What existing measurements say, and how much tampering would have overturned it. Values are in their units.

    Attributes:
        winner: The option with the best estimate. Options are the distinct rows of x in order of first appearance.
        breakdown: The least tampering that makes another option win, with that rival and the pivot.
        breakdown_budget_refit: The least change of one measurement that makes another option win if everything that is
            estimated is estimated again. It is found by search, hence an upper bound; the search's limit if no change
            was found.
        overturned_by_one: Whether any such change was found.
        certificate: What is proved, with confidence 1 - delta; None unless everything was given.
        credible: What the fitted models say, where nothing is proved; None where something is, or if there are too few
            measurements.
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
        winner_without_suspects: The option that wins without them; None if less than two options are left.
        binary: Whether every value is one of two; then no single one is suspected.
        unequal_noise: Whether the repeats contradict that all options have the same noise.
        lines: The line of the file that each measurement comes from, if it comes from a file with lines.
        fitted_on: Options that the kernel was estimated from; 0 if it was given.
        precision: Largest relative rounding error of the breakdown budget.
        jitter: What was added to the kernel's diagonal to keep the arithmetic stable.
        minimize: Whether smaller values are better.

    Example:
        >>> import unswayed
        >>> unswayed.audit([[0.0], [1.0], [1.0]], [0.0, 1.0, 1.2], noise_std=0.1)
        Audit(winner=1, breakdown_budget=1.101)
    """

    winner: int
    breakdown: Breakdown
    breakdown_budget_refit: float
    overturned_by_one: bool
    certificate: Certificate | None
    credible: Credible | None
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
    winner_without_suspects: int | None
    binary: bool
    unequal_noise: bool
    lines: tuple[int, ...] | None
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
        names = (printable(name, limit=200) for name in self.names)
        return f"option {option} ({', '.join(map(' = '.join, zip(names, self.coordinates(option), strict=True)))})"

    def coordinates(self, option: int) -> list[str]:
        """The parameters of an option, with as many digits as tell the options apart.

        Args:
            option: Its number.
        """
        return [f"{value:.{n}g}" for value, n in zip(self.points[option], self._digits, strict=True)]

    @cached_property
    def _digits(self) -> tuple[int, ...]:
        return tuple(digits(column) for column in self.points.T)

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


@forwards(Given)
def audit(
    x: ArrayLike,
    y: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    minimize: bool = False,
    lines: Sequence[int] | None = None,
    **given: Unpack[GivenArgs],
) -> Audit:
    """Who wins, and how much tampering would it take to overturn that?

    Args:
        x: A row of parameters for each measurement.
        y: The measured values.
        {settings}
        names: The names of the parameters; by default x1, x2, ...
        minimize: Whether smaller values are better.
        lines: The line of a file that each measurement comes from, to name it in words.

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
    stated = Given(**given)
    data = collect(x, y, minimize=minimize)
    columns = data.points.shape[1]
    titles = tuple(f"x{i + 1}" for i in range(columns)) if names is None else tuple(str(name) for name in names)
    if len(titles) != columns:
        raise InvalidInput(f"{len(titles)} names for {columns} parameters")
    if lines is not None and len(lines) != len(data.values):
        raise InvalidInput(f"{len(lines)} lines for {len(data.values)} measurements")
    with one_thread():
        found = _audit(data, stated.flipped() if minimize else stated, titles, minimize)
    return replace(found, lines=None if lines is None else tuple(int(line) for line in lines))


def _audit(data: Measurements, given: Given, names: tuple[str, ...], minimize: bool) -> Audit:
    fit, sign = Fit(given, data.points, data.option), -1.0 if minimize else 1.0
    model = fit.prior(data)
    largest = float(np.abs(model.standard(data.values)).max())
    if largest > LARGEST_VALUE:
        raise InvalidInput(f"a value is {largest:.3g} times the output scale: leave it out, or give a larger scale")
    scale, means = model.output_scale, model.standard(data.means)
    posterior = JointPosterior.fit(gram(model.kernel, data.points), means, data.counts, model.lam)
    winner = int(np.argmax(posterior.mean))
    rivals = find_rivals(posterior, winner, scale)
    suspects = () if fit.binary(data.values) else find_suspects(posterior, data, model, fit.allowed(), sign)
    kept = np.ones(len(data.values), dtype=np.bool_)
    kept[[suspect.row for suspect in suspects]] = False
    rows = influential_rows(posterior, data, winner, rivals[0].option)
    budget = rivals[0].budget
    refitted, by_one = refit_budget(fit, data, winner, rows, budget) if given.estimated else (budget, True)
    return Audit(
        winner=winner,
        breakdown=Breakdown(budget, rivals[0].option, rivals[0].pivot),
        breakdown_budget_refit=refitted,
        overturned_by_one=by_one,
        certificate=certified(given, model, posterior, winner) if given.complete else None,
        credible=None if given.complete else _credible(fit, data, kept, model, winner),
        assumptions=assumptions(given, model, model.level(posterior), minimize=minimize),
        points=data.points,
        names=names,
        counts=data.counts.astype(np.int64),
        means=sign * data.means,
        estimate=sign * model.in_units(posterior.mean),
        deviation=scale * posterior.deviation,
        rivals=rivals,
        hinges=find_hinges(posterior, winner, rivals[0]),
        suspects=suspects,
        winner_without_suspects=_winner_without(data, given, winner, kept),
        binary=fit.binary(data.values),
        unequal_noise=given.noise_std is None and not fit.binary(data.values) and fit.unequal_noise(data, kept),
        lines=None,
        fitted_on=len(fit.fitting_points) if given.kernel is None else 0,
        precision=EPS * len(data.points) * posterior.condition,
        jitter=posterior.jitter,
        minimize=minimize,
    )


def _credible(fit: Fit, data: Measurements, kept: BoolArray, model: Prior, winner: int) -> Credible | None:
    """From the measurements that are no suspects."""
    mixture = Mixture.of(fit.given, fit.shapes, data.points[data.option[kept]], data.values[kept])
    return credible(fit.given, mixture, data.points, winner, model.noise_std)


def _winner_without(data: Measurements, given: Given, winner: int, kept: BoolArray) -> int | None:
    """The option that wins without the suspects, as it is numbered with them."""
    if kept.all():
        return winner
    left = data.only(kept)
    if len(left.points) < 2 or np.ptp(left.values) == 0:
        return None
    found = Fit(given, left.points, left.option).winner(left)
    return None if found is None else int(data.option[kept][np.argmax(left.option == found)])
