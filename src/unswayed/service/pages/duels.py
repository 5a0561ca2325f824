"""What the pages of a study of duels show: who leads, and whether that is settled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from unswayed.audits.votes.report import details
from unswayed.search.answer import Answer
from unswayed.service.pages.chart import Chart
from unswayed.service.pages.view import StudyView
from unswayed.spaces import Duels
from unswayed.study.duel_answer import DuelAnswer
from unswayed.study.study import Study


@dataclass(frozen=True, eq=False)
class DuelView(StudyView):
    """A study of duels as its pages show it. There are no values to draw.

    Attributes:
        duels: The answer, if one has been computed.
    """

    duels: DuelAnswer | None = None

    @property
    def found(self) -> DuelAnswer | None:
        """The answer."""
        return self.duels

    @property
    def leader(self) -> str | None:
        """The option that leads."""
        return None if self.duels is None else self.duels.leader

    @cached_property
    def lines(self) -> list[str]:
        """The verdict, the three answers, and what to do."""
        return [] if self.duels is None else self.duels.paragraphs

    @cached_property
    def details(self) -> list[str]:
        """The ranking, tiers, rivals and voters."""
        return [] if self.duels is None else details(self.duels.audit)

    @property
    def chart(self) -> Chart | None:
        """Nothing: votes are no values."""
        return None

    @property
    def parameters(self) -> Sequence[Chart]:
        """Nothing: options are no numbers."""
        return []


def view_of(name: str, study: Study, answer: Answer | DuelAnswer | None, *, sequence: int | None = None) -> StudyView:
    """The view of a study as it is now.

    Args:
        name: Its name.
        study: The study.
        answer: Its answer; None if there is none, or none yet.
        sequence: The number of its last record, if known.
    """
    if not isinstance(study.space, Duels):
        assert not isinstance(answer, DuelAnswer)
        return StudyView.of(name, study, answer, sequence=sequence)
    assert not isinstance(answer, Answer)
    return DuelView(name, study.space, study.settings, study.log, None, sequence, answer)
