"""The result of an audit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any

from unswayed.audits.report import details, record, summary
from unswayed.audits.weak_points import Plan, Rival, Suspect
from unswayed.core.tampering.certificate import Certificate
from unswayed.judgement.assumptions import Assumptions
from unswayed.judgement.findings import Findings
from unswayed.judgement.verdict import Evidence, Luck, Robustness, Verdict, short, verdict_of
from unswayed.text import digits, printable
from unswayed.types import FloatArray, IntArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class AuditFindings(Findings, ABC):
    """What both kinds of audits add to the findings: those of parameters, and those of options by label.

    Attributes:
        winner: The option with the best estimate. Options are numbered in order of first appearance.
        estimate: The estimated value of each option.
        rivals: The options that the least tampering would make win, cheapest first.
        plan: The cheapest ways to overturn the winner.
        suspects: Measurements that the others do not explain.
        winner_without_suspects: The option that wins without them; None if less than two options are left.
        lines: The line of the file that each measurement comes from, if it comes from a file with lines.
        luck: Whether the winner is better than chance explains, if every measurement is honest.
        evidence: Whether the data look tampered with, where it matters.
        robustness: How much tampering would change the winner.
        headline: The winner and what it is worth, in a sentence.
        next_step: What to do now, in a sentence.
        tie: Options whose values differ by no more than this count as the same winner.
        notes: What was left out, a sentence for each.
    """

    winner: int
    estimate: FloatArray
    rivals: tuple[Rival, ...]
    plan: Plan
    suspects: tuple[Suspect, ...]
    winner_without_suspects: int | None
    lines: Sequence[int] | None
    luck: Luck = Luck(better=False, any_time=None, probability=None, sentence="")
    evidence: Evidence = Evidence(tampered=False, suspects=0, sentence="")
    robustness: Robustness = Robustness(enough=False, sentence="")
    headline: str = ""
    next_step: str = ""
    tie: float = 0.0
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """Can this winner be trusted? The worst of the three answers."""
        return verdict_of(self.luck, self.evidence, self.robustness)

    @property
    def paragraphs(self) -> list[str]:
        """The decision: the verdict, its reasons, what was left out, and what to do."""
        luck = () if self.verdict is Verdict.TAMPERED else (self.luck,)  # of false values chance is no question
        answers = (*luck, self.evidence, self.robustness)
        first = f"Verdict: {self.verdict}. {self.headline}"
        parts = [first, *(answer.sentence for answer in answers), *self.notes, self.next_step]
        return [part for part in parts if part]

    def __str__(self) -> str:
        return "\n".join(short([part for part in self.paragraphs if part != self.next_step], last=self.next_step))

    @abstractmethod
    def explain(self) -> str:
        """Everything that is known, line by line: what the decision rests on."""

    @property
    def rival(self) -> int:
        """The option that the least tampering would make win."""
        return int(self.breakdown.rival)

    @property
    def pivot(self) -> int:
        """The option whose measurements have to change for that."""
        return int(self.breakdown.pivot)

    def line(self, row: int | None) -> int | None:
        """The line of the file that a measurement comes from, if it comes from a file with lines.

        Args:
            row: Its row of the data, from 0.
        """
        return None if self.lines is None or row is None else int(self.lines[row])


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Audit(AuditFindings):
    """What existing measurements say, and how much tampering would have overturned it. Values are in their units.

    Options are the distinct rows of x.

    Attributes:
        breakdown_budget_refit: The least change of one measurement that makes another option win if everything that is
            estimated is estimated again. It is found by search, hence an upper bound; the search's limit if no change
            was found.
        single_change_found: Whether any such change was found.
        lowest_lead: The lowest possible lead of the winner over its best rival under `threat`; None without one.
        decisive_sources: Suspicious sources without which another option wins.
        winner_without_decisive: The option that wins without them; None if too little is left.
        assumptions: The model, and which parts of it were estimated.
        points: The parameters of each option.
        labels: Each option in words, such as "lr = 0.001, kind = svm".
        names: The names of the parameters.
        counts: How often each option was measured.
        means: The mean measurement of each option.
        deviation: The standard deviation of each estimate. Where no repeats tell the noise, what the others do not
            predict of a measurement may be noise.
        sensitive_options: The most sensitive options, each with the tampering needed if only this option is changed.
        lumped: Whether values are yes and no, or heap up at one end; then no single one is suspected.
        noise_stated: Whether measurements have standard errors of their own.
        unequal_noise: Whether the repeats contradict that all options have the same noise.
        fitted_on: Options that the kernel was estimated from; 0 if it was given.
        precision: Largest relative rounding error of the breakdown budget.
        jitter: What was added to the kernel's diagonal to keep the arithmetic stable.
        source_shift: If one source alone could have changed the winner: the one that needs least for that, and by how
            much each of its values would have to be wrong. None if no source could, or if it would take more than the
            range of the values.
        called: What a measurement with a number of its own is called: the line of a file, or a trial.

    Example:
        >>> import unswayed
        >>> unswayed.audit([[0.0], [1.0], [1.0]], [0.0, 1.0, 1.2], noise_std=0.1)
        Audit(winner=1, breakdown_budget=1.101)
    """

    certificate: Certificate | None
    breakdown_budget_refit: float
    single_change_found: bool
    lowest_lead: float | None
    decisive_sources: tuple[str, ...]
    winner_without_decisive: int | None
    assumptions: Assumptions
    points: FloatArray
    labels: tuple[str, ...]
    names: tuple[str, ...]
    counts: IntArray
    means: FloatArray
    deviation: FloatArray
    sensitive_options: tuple[tuple[int, float], ...]
    lumped: bool
    noise_stated: bool
    unequal_noise: bool
    fitted_on: int
    precision: float
    jitter: float
    source_shift: tuple[str, float] | None = None
    called: str = "line"

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
        return f"option {option} ({self.labels[option]})"

    def short_label(self, option: int, limit: int) -> str:
        """An option in few words, safe to print.

        Args:
            option: Its number.
            limit: The largest number of characters.
        """
        return printable(self.labels[option], limit=limit)

    def place(self, row: int | None) -> str:
        """Where a measurement stands: the line of the file, the number of the trial, or the row of the data, from 1.

        Args:
            row: Its row of the data, from 0.
        """
        if (line := self.line(row)) is not None:
            return f"{self.called} {line:,}"
        return f"data row {(row or 0) + 1:,}"

    def __repr__(self) -> str:
        return f"Audit(winner={self.winner}, breakdown_budget={self.breakdown_budget:.4g})"

    def explain(self) -> str:
        """Everything that is known, line by line: what the decision rests on."""
        first = str(self)
        left = [note for note in self.notes if note not in first]  # there was no room for it
        return "\n".join([first, *left, *summary(self), *details(self)])

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for scripts."""
        return record(self)

    def plot(self) -> Figure:
        """The leading options with their estimates, and what is left of the lead after each lie, as a figure."""
        from unswayed.plots.audit import plot_audit

        return plot_audit(self)


def coordinates(points: FloatArray) -> list[list[str]]:
    """The parameters of options, with as many digits as tell them apart.

    Args:
        points: A row for each option.
    """
    enough = [digits(column) for column in points.T]
    return [[f"{value:.{n}g}" for value, n in zip(row, enough, strict=True)] for row in points]
