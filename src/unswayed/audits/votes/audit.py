"""Can I trust this ranking? The audit of votes between two options: leaderboards, judges, tastings.

Scores are those of Bradley and Terry. How many votes would have to be false is arithmetic on that fit.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from unswayed.audits.votes.answers import Case, evidence_of, luck_of, next_step, robustness_of
from unswayed.audits.votes.data import VoteData, collect, from_table
from unswayed.audits.votes.luck import Scores, always_by_chance, holm
from unswayed.audits.votes.report import details, headline
from unswayed.audits.votes.rivals import Rival, rivals_of, tiers
from unswayed.audits.votes.voters import Suspect, left_wins, often, suspected
from unswayed.core.tampering.threat import NO_WITNESS, Threat
from unswayed.core.votes import leads
from unswayed.core.votes.bradley_terry import RIDGE
from unswayed.errors import InvalidInput
from unswayed.judgement.verdict import Evidence, Luck, Robustness, Verdict, short, verdict_of
from unswayed.text import notebook_html, printable
from unswayed.types import FloatArray, positive, probability

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORGED = 0.001  # of the votes: tiers withstand that many forged ones, if no number of lies was stated


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class VoteAudit:
    """What votes say of a ranking, and how few false ones would have changed who leads.

    Attributes:
        labels: The options, in order of first appearance.
        data: The votes.
        winner: The option of the largest score.
        scores: Of all options, with their precision.
        ranks: The ranks that each option may have, if all is honest.
        rivals: What would bring each rival level, the easiest first.
        suspects: Voters whose votes the others do not explain.
        often: Voters with far more votes than nearly all others.
        winner_without_suspects: Who leads without them.
        left: How often the left option is preferred, how often it would be expected, and how many standard deviations
            that is; None if sides are not known.
        threat: What may be false.
        delta: The largest probability of a lead by chance.
        ridge: Of the scores.
        luck: Whether the lead is more than chance, if every vote is honest.
        evidence: Whether the votes look tampered with, where it matters.
        robustness: How many false votes would change who leads.
        next_step: What to do now, in a sentence.

    Example:
        >>> from unswayed import audit_votes
        >>> audit_votes(["tea"] * 30, ["coffee"] * 30, ["tea"] * 20 + ["coffee"] * 10)
        VoteAudit(winner='tea', forged_votes=5)
    """

    labels: tuple[str, ...]
    data: VoteData
    winner: int
    scores: Scores
    ranks: tuple[tuple[int, int], ...]
    rivals: tuple[Rival, ...]
    suspects: tuple[Suspect, ...]
    often: tuple[int, ...]
    winner_without_suspects: int
    left: tuple[float, float, float] | None
    threat: Threat
    delta: float
    ridge: float
    luck: Luck
    evidence: Evidence
    robustness: Robustness
    next_step: str

    @property
    def verdict(self) -> Verdict:
        """Can this winner be trusted? The worst of the three answers."""
        return verdict_of(self.luck, self.evidence, self.robustness)

    @property
    def forged_votes(self) -> int | None:
        """The fewest votes that have to say the opposite so that the winner is not alone in front; at most.

        None if no number of them is enough.
        """
        return self.rivals[0].flipped.most

    @property
    def withstands(self) -> int:
        """How many forged votes the ranking of the tiers withstands: the lies of the threat, or 0.1% of all votes."""
        return int(self.threat.lies) or max(1, round(FORGED * self.data.total))

    @cached_property
    def tiers(self) -> list[list[int]]:
        """Options in tiers, the best first: no such number of forged votes puts one above one of a better tier."""
        return tiers(self.data.votes.wins, self.scores.theta, self.withstands, self.ridge)

    def describe(self, option: int) -> str:
        """The label of an option, safe to print.

        Args:
            option: Its number.
        """
        return printable(self.labels[option], limit=60)

    def voter_name(self, voter: int) -> str:
        """The name of a voter, safe to print.

        Args:
            voter: Its number.
        """
        return printable((self.data.voters or ())[voter], limit=40)

    def __repr__(self) -> str:
        return f"VoteAudit(winner={self.describe(self.winner)!r}, forged_votes={self.forged_votes})"

    @property
    def paragraphs(self) -> list[str]:
        """The decision: the verdict, its reasons, and what to do."""
        answers = (self.luck, self.evidence, self.robustness)
        first = f"Verdict: {self.verdict}. {headline(self)}"
        return [part for part in [first, *(answer.sentence for answer in answers), self.next_step] if part]

    def __str__(self) -> str:
        return "\n".join(short(self.paragraphs[:-1], self.paragraphs[-1], self.evidence.idle))

    def _repr_html_(self) -> str:
        return notebook_html(str(self).splitlines())

    def explain(self) -> str:
        """Everything that is known, the decision first."""
        return "\n".join([str(self), "", *details(self)])

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for scripts."""
        centred = self.scores.theta - self.scores.theta.mean()
        ends = [self.scores.interval(a, self.delta) for a in range(len(self.labels))]
        return {
            "verdict": self.verdict.value,
            "luck": self.luck.to_dict(),
            "evidence": self.evidence.to_dict(),
            "robustness": self.robustness.to_dict(),
            "next": self.next_step,
            "winner": self.winner,
            "winner_label": self.labels[self.winner],
            "labels": list(self.labels),
            "scores": centred.tolist(),
            "intervals": [list(pair) for pair in ends],
            "ranks": [list(pair) for pair in self.ranks],
            "forged_votes": asdict(self.rivals[0].flipped),
            "rivals": [rival.to_dict(self.labels, self.data.voters) for rival in self.rivals],
            "tiers": {"forged_votes": self.withstands, "labels": [[self.labels[i] for i in t] for t in self.tiers]},
            "suspects": [
                {
                    **asdict(one),
                    "voter": (self.data.voters or ())[one.voter],
                    "option_label": None if one.option is None else self.labels[one.option],
                }
                for one in self.suspects
            ],
            "often": [(self.data.voters or ())[voter] for voter in self.often],
            "winner_without_suspects": self.labels[self.winner_without_suspects],
            "left_wins": None if self.left is None else dict(zip(("share", "expected", "z"), self.left, strict=True)),
            "votes": self.data.total,
            "voters": None if self.data.voters is None else len(self.data.voters),
            "assumptions": {"model": "Bradley-Terry", "ridge": self.ridge, "delta": self.delta},
            "threat": asdict(self.threat),
        }

    def plot(self) -> Figure:
        """The scores in tiers, and who could lead after how many forged votes, as a figure."""
        from unswayed.plots.votes import plot_votes

        return plot_votes(self)


def audit_votes(
    left: Iterable[Hashable],
    right: Iterable[Hashable],
    winner: Iterable[Hashable],
    *,
    voters: Iterable[Hashable] | None = None,
    number: ArrayLike | None = None,
    threat: Threat | int | None = None,
    delta: float = 0.05,
    ridge: float = RIDGE,
    lines: Sequence[int] | None = None,
    sides: tuple[str, str] = ("left", "right"),
) -> VoteAudit:
    """Who leads by votes between two options, and how few false votes would change that?

    Args:
        left: The option that was shown first, of each vote.
        right: The other one.
        winner: Which was preferred: its name, "left" or "right", 1 or 0, or "tie".
        voters: Who voted.
        number: How many votes each row stands for.
        threat: Tampering to be safe against: a number of forged votes, or `Threat(lies=...)`, `Threat(liars=...)` for
            lying voters.
        delta: The largest probability of a lead by chance.
        ridge: It keeps scores finite: the weight of a prior that all options are equal.
        lines: The line of a file that each vote comes from, to name it in errors.
        sides: What the sides are called; these words are winners too.

    Returns:
        The audit. Print it, plot it, or take its parts.

    Raises:
        InvalidInput: The votes do not fit each other, or leave nothing to compare; the message names the row.

    Example:
        >>> found = audit_votes(["a", "b", "a"], ["b", "c", "c"], ["left", "tie", "a"])
        >>> found.labels[found.winner]
        'a'
    """
    data = collect(left, right, winner, voters=voters, number=number, lines=lines, sides=sides)
    return audited(data, threat, delta, ridge)


def audit_wins(
    labels: Sequence[Hashable],
    wins: ArrayLike,
    *,
    threat: Threat | int | None = None,
    delta: float = 0.05,
    ridge: float = RIDGE,
) -> VoteAudit:
    """The same from a table of wins.

    Args:
        labels: The options.
        wins: How often the option of the row won against that of the column; a tie is half a win for each.
        threat: Tampering to be safe against.
        delta: The largest probability of a lead by chance.
        ridge: It keeps scores finite.

    Example:
        >>> from unswayed import audit_wins
        >>> audit_wins(["tea", "coffee"], [[0, 20], [10, 0]])
        VoteAudit(winner='tea', forged_votes=5)
    """
    return audited(from_table(labels, wins), threat, delta, ridge)


def audited(data: VoteData, threat: Threat | int | None, delta: float, ridge: float) -> VoteAudit:
    """The audit of votes that were checked.

    Args:
        data: The votes.
        threat: Tampering to be safe against.
        delta: The largest probability of a lead by chance.
        ridge: Of the scores.
    """
    against = _threat(threat, data)
    delta, ridge = probability(delta, "delta"), positive(ridge, "ridge")
    scores = Scores.of(data, ridge)
    winner = int(np.argmax(scores.theta))
    others = np.flatnonzero(np.arange(len(data.labels)) != winner)
    found = leads(data.votes.wins, winner, others, ridge=ridge)
    rivals = rivals_of(data, found, ridge)
    suspects = suspected(data, ridge)
    kept = ~np.isin(data.voter, [one.voter for one in suspects]) if suspects else np.ones(len(data.voter), dtype=bool)
    without = Scores.of(data.only(kept), ridge) if suspects and kept.any() else scores
    chance, again = _chance(scores, winner, found), winner
    cleared = chance
    if without is not scores:
        again = int(np.argmax(without.theta))
        cleared = _chance(without, again)
    always = always_by_chance(data, scores, found, ridge)
    case = Case(data, winner, rivals, suspects, again, chance, always, cleared, against, delta)
    luck, evidence, robustness = luck_of(case), evidence_of(case), robustness_of(case)
    return VoteAudit(
        labels=data.labels,
        data=data,
        winner=winner,
        scores=scores,
        ranks=tuple(scores.ranks(delta)),
        rivals=rivals,
        suspects=suspects,
        often=tuple(often(data)),
        winner_without_suspects=again,
        left=left_wins(data, scores.theta),
        threat=against,
        delta=delta,
        ridge=ridge,
        luck=luck,
        evidence=evidence,
        robustness=robustness,
        next_step=next_step(case, verdict_of(luck, evidence, robustness)),
    )


def _chance(scores: Scores, winner: int, found: list[Any] | None = None) -> FloatArray:
    """The probability of the lead over each option by chance, corrected for their number; 0 for the winner."""
    others = np.flatnonzero(np.arange(len(scores.theta)) != winner)
    corrected = np.zeros(len(scores.theta))
    corrected[others] = holm(scores.by_chance(winner, found)[others])
    return corrected


def _threat(threat: Threat | int | None, data: VoteData) -> Threat:
    against = Threat(lies=threat) if isinstance(threat, int) else Threat.of(threat) or Threat()
    if against.total:
        raise InvalidInput("votes have no total of changes: state a number of forged votes, or of lying voters")
    if against.liars and data.voters is None:
        raise InvalidInput("lying voters need voters: name who voted")
    if against.doubt:
        raise InvalidInput(NO_WITNESS)
    return against
