"""Can I trust this ranking? The audit of scores on items: benchmarks, exams, trials with the same patients.

An option is ranked by its mean score over items. How many items would have to be other ones is arithmetic.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from unswayed.audits.scores.answers import UNKNOWN, Case, evidence_of, luck_of, missing, next_step, robustness_of
from unswayed.audits.scores.data import Lines, ScoreData, collect
from unswayed.audits.scores.luck import lead_over, ranks
from unswayed.audits.scores.record import record
from unswayed.audits.scores.report import details, headline
from unswayed.audits.scores.rivals import Rival, leaders_without_group, leaders_without_source, rivals_of, tiers
from unswayed.audits.scores.suspects import Copy, Suspect, copies, suspected
from unswayed.core.tampering.threat import NO_WITNESS, Threat
from unswayed.errors import InvalidInput
from unswayed.judgement.verdict import Evidence, Luck, Robustness, Verdict, short, verdict_of
from unswayed.text import notebook_html, printable
from unswayed.types import FloatArray, probability

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CHANGED = 0.01  # of the items: tiers withstand that many changed ones, if no number of lies was stated


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ScoreAudit:
    """What scores on items say of a ranking, and how few other items would have changed who leads.

    Attributes:
        labels: The options, in order of first appearance.
        data: The scores that were compared; larger is better.
        winner: The option with the best mean.
        rivals: What would bring each rival level, the easiest first.
        suspects: Sources that favour or harm one option as no other does.
        copies: Items that are copies of others.
        winner_without_suspects: Who leads without these; None if nothing is left to compare.
        threat: What may be false.
        delta: The largest probability of a lead by chance.
        luck: Whether the lead is more than chance, if every score is honest.
        evidence: Whether the scores look tampered with, where it matters.
        robustness: How many false scores would change who leads.
        next_step: What to do now, in a sentence.

    Example:
        >>> from unswayed import audit_scores
        >>> audit_scores([*range(40)] * 2, ["a"] * 40 + ["b"] * 40, [1] * 30 + [0] * 10 + [1] * 18 + [0] * 22)
        ScoreAudit(winner='a', regraded_items=6, removed_items=12)
    """

    labels: tuple[str, ...]
    data: ScoreData
    winner: int
    rivals: tuple[Rival, ...]
    suspects: tuple[Suspect, ...]
    copies: tuple[Copy, ...]
    winner_without_suspects: int | None
    threat: Threat
    delta: float
    luck: Luck
    evidence: Evidence
    robustness: Robustness
    next_step: str

    @property
    def verdict(self) -> Verdict:
        """Can this winner be trusted? The worst of the three answers."""
        return verdict_of(self.luck, self.evidence, self.robustness)

    @property
    def means(self) -> FloatArray:
        """The mean of each option over the items; turned if smaller scores are better."""
        return np.asarray(self.data.cells.mean(axis=1))

    @property
    def regraded_items(self) -> int:
        """The fewest items that have to be scored otherwise so that the winner is not alone in front."""
        return self.rivals[0].regraded.most or 0

    @property
    def removed_items(self) -> int | None:
        """The fewest items without which the winner is not alone in front; None if it is ahead on every item."""
        known = [one.removed.most for one in self.rivals if one.removed.most is not None]
        return min(known, default=None)

    @property
    def withstands(self) -> int:
        """How many changed items the ranking of the tiers withstands: the lies of the threat, or 1% of all items."""
        return int(self.threat.lies) or max(1, round(CHANGED * len(self.data.items)))

    @cached_property
    def tiers(self) -> list[list[int]]:
        """Options in tiers, the best first: no so many re-graded items put one level with one of a better tier."""
        return tiers(self.data.cells, self.withstands, self.data.width)

    @cached_property
    def tiers_removed(self) -> list[list[int]]:
        """The same for removed items."""
        return tiers(self.data.cells, self.withstands, None)

    @cached_property
    def ranks(self) -> list[tuple[int, int]]:
        """The ranks that each option may have, if all is honest."""
        return ranks(self.data, self.delta)

    @cached_property
    def leaders_without_source(self) -> list[tuple[int, int | None]]:
        """Each source, and who leads without it; None if too little is left."""
        return [] if self.data.sources is None else leaders_without_source(self.data)

    @cached_property
    def leaders_without_group(self) -> list[tuple[int, int | None]]:
        """Each group of items, and who leads without it; None if too little is left."""
        return [] if self.data.groups is None else leaders_without_group(self.data)

    def describe(self, option: int) -> str:
        """The label of an option, safe to print.

        Args:
            option: Its number.
        """
        return printable(self.labels[option], limit=60)

    def __repr__(self) -> str:
        numbers = f"regraded_items={self.regraded_items}, removed_items={self.removed_items}"
        return f"ScoreAudit(winner={self.describe(self.winner)!r}, {numbers})"

    @property
    def _missing(self) -> str:
        """That items are missing; also one of the notes."""
        return missing(self.data, min(one.lead.mean for one in self.rivals))

    @property
    def paragraphs(self) -> list[str]:
        """The decision: the verdict, its reasons, and what to do."""
        answers = (self.luck, self.evidence, self.robustness)
        first = f"Verdict: {self.verdict}. {headline(self)}"
        return [
            part for part in [first, self._missing, *(answer.sentence for answer in answers), self.next_step] if part
        ]

    def __str__(self) -> str:
        spare = self._missing if UNKNOWN in self.evidence.idle else self.evidence.idle
        return "\n".join(short(self.paragraphs[:-1], self.paragraphs[-1], spare))

    def _repr_html_(self) -> str:
        return notebook_html(str(self).splitlines())

    def explain(self) -> str:
        """Everything that is known, the decision first."""
        return "\n".join([str(self), "", *details(self)])

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for scripts."""
        return record(self)

    def plot(self) -> Figure:
        """The means in tiers, and who could lead after how many re-graded items, as a figure."""
        from unswayed.plots.scores import plot_scores

        return plot_scores(self)


def audit_scores(
    items: Iterable[Hashable],
    options: Iterable[Hashable],
    scores: ArrayLike,
    *,
    sources: Iterable[Hashable] | None = None,
    groups: Iterable[Hashable] | None = None,
    threat: Threat | int | None = None,
    low: float | None = None,
    high: float | None = None,
    minimize: bool = False,
    delta: float = 0.05,
    lines: Lines | None = None,
) -> ScoreAudit:
    """Who leads by the mean score on a list of items, and how few other items would change that?

    Args:
        items: What was scored on, such as the question, the task or the patient, of each score.
        options: What was scored, such as the model or the drug.
        scores: The score.
        sources: Who scored, such as the judge.
        groups: The group of the item, such as the subject of the question.
        threat: Tampering to be safe against: a number of false scores, or `Threat(lies=...)`, `Threat(liars=...)` for
            lying sources.
        low: The smallest score that is possible; 0 or the smallest one, if it is not given.
        high: The largest score that is possible; 1 or the largest one, if it is not given.
        minimize: Whether smaller scores are better.
        delta: The largest probability of a lead by chance.
        lines: The line of a file that each score comes from, or words for where a row stands, to name it in errors.

    Returns:
        The audit. Print it, plot it, or take its parts.

    Raises:
        InvalidInput: The scores do not fit each other, or leave nothing to compare; the message names the row.

    Example:
        >>> found = audit_scores(["q1", "q1", "q2", "q2", "q3", "q3"], ["a", "b"] * 3, [1, 0, 1, 1, 1, 0])
        >>> found.labels[found.winner], found.regraded_items
        ('a', 1)
    """
    against = Threat(lies=threat) if isinstance(threat, int) else Threat.of(threat) or Threat()
    low, high = (against.low if low is None else low), (against.high if high is None else high)
    about: dict[str, Any] = {"low": low, "high": high, "minimize": minimize, "lines": lines}
    data = collect(items, options, scores, sources=sources, groups=groups, **about)
    return audited(data, _checked(against, data), probability(delta, "delta"))


def audited(data: ScoreData, threat: Threat, delta: float) -> ScoreAudit:
    """The audit of scores that were checked.

    Args:
        data: The scores.
        threat: Tampering to be safe against.
        delta: The largest probability of a lead by chance.
    """
    winner = int(np.argmax(data.cells.mean(axis=1)))
    rivals = rivals_of(data, winner, delta)
    suspects, twice = suspected(data), copies(data)
    without, cleared = _without(data, suspects, twice, winner, delta)
    case = Case(data, winner, rivals, suspects, twice, without, cleared, threat, delta)
    luck, evidence, robustness = luck_of(case), evidence_of(case), robustness_of(case)
    return ScoreAudit(
        labels=data.labels,
        data=data,
        winner=winner,
        rivals=rivals,
        suspects=suspects,
        copies=twice,
        winner_without_suspects=without,
        threat=threat,
        delta=delta,
        luck=luck,
        evidence=evidence,
        robustness=robustness,
        next_step=next_step(case, verdict_of(luck, evidence, robustness)),
    )


def _without(
    data: ScoreData, suspects: tuple[Suspect, ...], twice: tuple[Copy, ...], winner: int, delta: float
) -> tuple[int | None, float]:
    """Who leads without the suspects and the copies, and the probability of that lead by chance."""
    if not suspects and not twice:
        return winner, 0.0
    out = np.isin(data.unit_source, [one.source for one in suspects])
    out |= np.isin(data.unit_item, [one.item for one in twice])
    rest = data.only(~out)
    if rest is None:
        return None, 1.0
    means = rest.cells.mean(axis=1)
    leader = int(np.argmax(means))
    leads = [lead_over(rest, leader, b, delta) for b in range(len(means)) if b != leader]
    return leader, max(one.probability for one in leads)


def _checked(threat: Threat, data: ScoreData) -> Threat:
    if threat.total:
        raise InvalidInput("scores have no total of changes: state a number of false scores, or of lying sources")
    if threat.liars and data.sources is None:
        raise InvalidInput("lying sources need sources: name who scored")
    if threat.doubt:
        raise InvalidInput(NO_WITNESS)
    return threat
