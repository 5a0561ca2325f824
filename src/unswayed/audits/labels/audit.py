"""Can I trust this winner? The audit of options that have names: A/B tests, counts of conversions, ratings by variant.

Options are taken as independent: no kernel and no fit. The estimate of an option is its rate, or the weighted mean of
its values.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc

from unswayed.audits.labels.answers import Case, evidence_of, luck_of, robustness_of
from unswayed.audits.labels.data import LabelData, collect, named
from unswayed.audits.labels.far_values import suspected_values
from unswayed.audits.labels.lies import (
    false_outcomes,
    false_rows,
    false_sources,
    find_sources,
    find_winner,
    leads_in_units,
    plan,
    powers,
)
from unswayed.audits.labels.luck import Chance, by_chance
from unswayed.audits.labels.proof import Proof, prove_counts, prove_values
from unswayed.audits.labels.record import record
from unswayed.audits.labels.report import details, first_lines, headline, next_step
from unswayed.audits.labels.suspects import Found, suspected_counts
from unswayed.audits.labels.within import Within, compare_within
from unswayed.audits.result import AuditFindings
from unswayed.audits.weak_points import Plan, Rival
from unswayed.core.tampering.certificate import Breakdown
from unswayed.core.tampering.threat import NO_WITNESS, Threat
from unswayed.errors import InvalidInput
from unswayed.judgement.findings import Limit
from unswayed.judgement.verdict import short
from unswayed.types import IntArray, probability

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RIVALS = 10  # that are named
LARGEST_RATIO = 1.5  # of the trials of two options: with more, equal shares were not planned


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LabelAudit(AuditFindings):
    """What measurements of named options say, and how few lies would have overturned it.

    Lies are forged outcomes, or false measurements within the range. For counts a change of values is one of the rates
    of rows. The breakdown budget is the lead divided by the largest weight of a row in the mean of its option.

    Attributes:
        tied: Other options with the same estimate as the winner.
        labels: The options.
        data: The measurements.
        certificate: What is proved about the winner; None if the noise is not known.
        within: An option that may be better if options are compared within the sources; None if there is none.
        chance: The winner against each other option, if all is honest; None if the noise is not known.
        shares: The probability of the options' shares of the trials by chance, if equal ones were planned; None unless
            trials are counted, or if the shares are far from equal.
        delta: The largest probability of a lead by chance; and that the sentence about the distance from the best
            fails.

    Example:
        >>> from unswayed.audits.labels.audit import audit_labels
        >>> audit_labels(["red", "blue"], [12, 30], trials=[400, 410])
        LabelAudit(winner='blue', breakdown_lies=18)
    """

    threat: Threat
    certificate: Proof | None
    tied: tuple[int, ...]
    labels: tuple[str, ...]
    data: LabelData
    within: Within | None
    chance: Chance | None
    shares: float | None
    delta: float

    @property
    def lie(self) -> str:
        """What one lie is called."""
        return self.data.lie

    @property
    def overtaken_by(self) -> int | None:
        """The option that is better than the winner within the sources, though not in total; None if there is none."""
        return None if self.chance is None else self.chance.overtaken_by

    @property
    def breakdown_lies(self) -> int:
        """The fewest lies that bring another option level: all values of both options together always can."""
        return self.breakdown.lies or 0

    @property
    def breakdown_budget_refit(self) -> float:
        """The same as the breakdown budget: nothing is fitted."""
        return self.breakdown_budget

    def describe(self, option: int) -> str:
        """The label of an option, safe to print.

        Args:
            option: Its number.
        """
        return named(self.labels[option])

    def __repr__(self) -> str:
        return f"LabelAudit(winner={self.describe(self.winner)!r}, breakdown_lies={self.breakdown_lies})"

    @property
    def paragraphs(self) -> list[str]:
        """The decision: the verdict, its reasons, and what to do."""
        return [part for part in first_lines(self) if part]

    def __str__(self) -> str:
        return "\n".join(short(self.paragraphs))

    def explain(self) -> str:
        """Everything that is known, the decision first."""
        return "\n".join([str(self), "", *details(self)])

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for scripts."""
        return record(self)

    def plot(self) -> Figure:
        """How the result changes with the number of lies, as a figure."""
        from unswayed.plots.labels import plot_labels

        return plot_labels(self)


def audit_labels(
    options: Iterable[Hashable],
    values: ArrayLike,
    *,
    trials: ArrayLike | None = None,
    noise_std: ArrayLike | None = None,
    sources: Iterable[Hashable] | None = None,
    low: float | None = None,
    high: float | None = None,
    minimize: bool = False,
    threat: Threat | float | None = None,
    delta: float = 0.05,
    lines: Sequence[int] | None = None,
) -> LabelAudit:
    """Who wins among named options, and how few lies would it take to overturn that?

    Args:
        options: The label of each measurement's option.
        values: The measured values. With `trials`: the number of successes of each row. If every value is 0 or 1, each
            row is one trial.
        trials: The number of trials of each row. (In `unswayed.audit`, values beside trials are rates.)
        noise_std: Standard error of the values: one number, or one for each row; by default from repeats.
        sources: The name of who made each measurement.
        low: No honest value is smaller; by default the smallest one that was measured.
        high: No honest value is larger; by default the largest one that was measured.
        minimize: Whether smaller values, or smaller rates, are better.
        threat: Tampering to be safe against: a total of changes of row values, or a `Threat`.
        delta: The largest probability of a lead by chance; and that the sentence about the distance from the best
            fails.
        lines: The line of a file that each measurement comes from, to name it in words.

    Returns:
        The audit. Print it, plot it, or take its parts.

    Raises:
        InvalidInput: The measurements do not fit each other, or leave nothing to compare; the message names the row.

    Example:
        >>> found = audit_labels("aabb", [4.0, 5.0, 1.0, 2.0], low=1, high=5)
        >>> found.labels[found.winner], found.breakdown_lies
        ('a', 2)
    """
    against = Threat.of(threat) or Threat()
    delta = probability(delta, "delta")
    data = collect(options, values, trials, noise_std, sources, against, low, high, minimize=minimize, lines=lines)
    if lines is not None and len(lines) != len(data.values):
        raise InvalidInput(f"{len(lines)} lines for {len(data.values)} measurements")
    _check(against, data)
    return _audited(data, against, delta, lines)


def _check(threat: Threat, data: LabelData) -> None:
    """Refuse a threat that this table says nothing of."""
    if threat.liars and data.sources is None:
        raise InvalidInput("lying sources need sources: name who made each measurement")
    if threat.doubt:
        raise InvalidInput(NO_WITNESS)


def _audited(data: LabelData, threat: Threat, delta: float, lines: Sequence[int] | None) -> LabelAudit:
    winner, *tied = find_winner(data)
    found = suspected_counts(data) if data.counts else suspected_values(data)
    if data.counts:
        proof: Proof | None = prove_counts(data, winner, threat, delta)
    else:
        proof = prove_values(data, winner, found.kept, threat, delta)
    everything = np.ones(len(data.option), dtype=np.bool_)
    chance = by_chance(data, winner, everything, found.kept)
    kept = by_chance(data, winner, found.kept) if found.suspects else chance
    proof, within = compare_within(data, winner, found.kept, proof, kept)
    few, liars = (None, ()) if data.sources is None else false_sources(data, winner)
    rivals, broken = _rivals(data, winner)
    lies, sources = rivals[0].lies or 0, find_sources(data, winner, {suspect.source for suspect in found.suspects})
    certified = None if proof is None or proof.lies < 0 else proof.lies
    limits = [Limit("lies", lies, rivals[0].option, certified), Limit("total", broken.budget, broken.rival)]
    if data.sources is not None:
        limits.insert(1, Limit("liars", few, None))
    without = _winner_without(data, found, winner)
    shares = equal_shares(data)
    case = Case(data, winner, tuple(tied), found, without, chance, kept, proof, threat, delta, shares)
    changes = plan(data, winner, rivals[0].option, lies) if lies else ()
    audit = LabelAudit(
        threat=threat,
        span=data.span.flipped() if data.minimize and not data.counts else data.span,
        breakdown=replace(broken, lies=lies, liars=few),
        limits=tuple(limits),
        sources=sources,
        certificate=proof,
        credible=None,
        minimize=data.minimize,
        winner=winner,
        tied=case.tied,
        labels=data.labels,
        estimate=np.array([data.shown(value) for value in data.estimate]),
        data=data,
        rivals=rivals,
        plan=Plan(changes, rivals[0].option if changes else None, tuple((data.sources or ())[s] for s in liars), None),
        suspects=found.suspects,
        winner_without_suspects=without,
        luck=luck_of(case),
        evidence=evidence_of(case),
        robustness=robustness_of(case, lies, rivals[0].option),
        within=within,
        chance=chance,
        shares=shares,
        delta=delta,
        lines=lines,
    )
    return replace(audit, headline=headline(audit), next_step=next_step(audit))


def _rivals(data: LabelData, winner: int) -> tuple[tuple[Rival, ...], Breakdown]:
    """The options that win with the fewest lies; and the least tampering that changes the winner."""
    lead = leads_in_units(data, winner)
    power, where = powers(data, winner)
    budget = np.maximum(lead, 0.0) / power
    if data.counts:
        taken, given = false_outcomes(data, winner)
        lies: IntArray = taken + given
        where = np.where(taken > 0, winner, np.arange(len(lead)))
    else:
        lies = false_rows(data, winner, np.where(np.arange(len(lead)) == winner, 0.0, lead))
    rivals = np.flatnonzero(np.arange(len(lead)) != winner)
    order = rivals[np.lexsort((lead[rivals], lies[rivals]))]
    listed = tuple(
        Rival(option=int(b), lead=float(lead[b]), lies=int(lies[b]), budget=float(budget[b]), pivot=int(where[b]))
        for b in order[:RIVALS]
    )
    least = int(rivals[np.argmin(budget[rivals])])
    rival = listed[0].option if data.counts else least
    return listed, Breakdown(float(budget[least]), rival, int(where[rival]))


def _winner_without(data: LabelData, found: Found, winner: int) -> int | None:
    """Who wins without the suspects; where sources were seen to differ, by rates without their effects."""
    if not found.suspects:
        return winner
    if len(np.unique(data.option[found.kept])) < 2:
        return None
    if found.adjusted is not None:
        return int(np.argmax(found.adjusted))
    return find_winner(data, found.kept)[0]


def equal_shares(data: LabelData) -> float | None:
    """The probability of such shares of the trials by chance, if equal shares were planned; None if hardly so."""
    trials = data.split
    if trials is None or trials.max() > LARGEST_RATIO * trials.min():
        return None
    mean = trials.mean()
    return float(chdtrc(len(trials) - 1, float(np.square(trials - mean).sum() / mean)))
