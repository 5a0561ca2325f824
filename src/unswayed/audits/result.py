"""The result of an audit."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import TYPE_CHECKING, Any

from unswayed.audits.counting import Limit, Plan
from unswayed.audits.measurements import Rival, Suspect
from unswayed.audits.report import details, record, summary
from unswayed.core.tampering.certificate import Breakdown, Certificate
from unswayed.core.tampering.threat import Threat
from unswayed.judgement.assumptions import Assumptions
from unswayed.judgement.credible import Credible
from unswayed.judgement.source import Source
from unswayed.judgement.span import Span
from unswayed.text import digits, printable
from unswayed.types import FloatArray, IntArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, repr=False)
class Audit:
    """What existing measurements say, and how much tampering would have overturned it. Values are in their units.

    Attributes:
        winner: The option with the best estimate. Options are the distinct rows of x in order of first appearance.
        breakdown: The least tampering that makes another option win, with that rival and the pivot; and the fewest
            false measurements, and lying sources, that take away the sole win.
        breakdown_budget_refit: The least change of one measurement that makes another option win if everything that is
            estimated is estimated again. It is found by search, hence an upper bound; the search's limit if no change
            was found.
        overturned_by_one: Whether any such change was found.
        threat: What tampering to be safe against; None if nobody knows.
        span: Between which numbers the values lie: given, or as they were measured.
        limits: How much of each kind of tampering the winner withstands.
        lowest_leads: The lowest possible lead of the winner over its best rival, with 0, 1, 2, ... false measurements.
        lowest_leads_sources: The same for lying sources; empty if sources are not known.
        lowest_lead: The same under `threat`; None if nobody knows it.
        plan: The cheapest ways to overturn the winner.
        sources: What each source could have done, and whether the others explain it.
        decisive_sources: Suspicious sources without which another option wins.
        winner_without_decisive: The option that wins without them; None if too little is left.
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
        noise_stated: Whether measurements have standard errors of their own.
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
    threat: Threat | None
    span: Span
    limits: tuple[Limit, ...]
    lowest_leads: FloatArray
    lowest_leads_sources: FloatArray
    lowest_lead: float | None
    plan: Plan
    sources: tuple[Source, ...]
    decisive_sources: tuple[str, ...]
    winner_without_decisive: int | None
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
    noise_stated: bool
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
    def breakdown_lies(self) -> int | None:
        """The fewest false measurements within the range that take away the sole win; None if no number is enough."""
        return self.breakdown.lies

    @property
    def breakdown_sources(self) -> int | None:
        """The fewest lying sources that take away the sole win; None if no number is enough, or none is known."""
        return self.breakdown.liars

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
        """The leading options with their estimates, and what is left of the lead after each lie, as a figure."""
        from unswayed.plots.audit import plot_audit

        return plot_audit(self)
