"""What the pages of a study show. Each part is computed once, when it is needed; a view never changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from unswayed.core.tampering.threat import Threat
from unswayed.core.tampering.trust import TrustLevel
from unswayed.search.answer import Answer
from unswayed.search.play import Play, Status
from unswayed.search.report import decision, explanation
from unswayed.service.forms.threat import shown_threat
from unswayed.service.pages.chart import Chart, over_time, parameters
from unswayed.service.pages.columns import Columns
from unswayed.service.pages.options import OptionRow, option_rows
from unswayed.service.pages.plays import ROWS, Filter, LogPage, log_page
from unswayed.service.pages.sources import SourceRow, source_rows
from unswayed.service.pages.trust import Gauge, WhatIf, gauges, what_ifs
from unswayed.spaces import Categorical, Duels, Integer, Options, Real, Space
from unswayed.spaces.parameters import Parameter
from unswayed.study.duel_answer import DuelAnswer
from unswayed.study.settings import Settings
from unswayed.study.study import Study, why_no_answer
from unswayed.study.tables.cells import parameters_of
from unswayed.text import counted, listed

LATEST = 100  # plays that are searched for the last activity
CHOICES = 20  # that are named
ALL = Filter()


@dataclass(frozen=True, eq=False)
class StudyView:
    """A study as its pages show it.

    Attributes:
        name: Its name.
        space: What may be varied.
        settings: As they are now.
        log: Every play, in order.
        answer: The answer, if one has been computed.
        sequence: The number of the last record; a page asks for events after it. None for all events.

    Example:
        >>> import unswayed
        >>> study = unswayed.Optimizer(unswayed.Options(["a", "b"]), seed=0)
        >>> StudyView.of("moulds", study, None).state
        'Nothing has been measured so far.'
    """

    name: str
    space: Space
    settings: Settings
    log: tuple[Play, ...]
    answer: Answer | None
    sequence: int | None = None

    @classmethod
    def of(cls, name: str, study: Study, answer: Answer | None, *, sequence: int | None = None) -> Self:
        """The view of a study as it is now.

        Args:
            name: Its name.
            study: The study.
            answer: Its answer; None if there is none, or none yet.
            sequence: The number of its last record, if known.
        """
        return cls(name, study.space, study.settings, study.log, answer, sequence)

    @property
    def found(self) -> Answer | DuelAnswer | None:
        """The answer, of whatever kind the study has."""
        return self.answer

    @cached_property
    def columns(self) -> Columns:
        """The log as arrays."""
        return Columns.of(self.log, self.answer, self.threat)

    @property
    def measured(self) -> int:
        """How many values have been reported and not taken back."""
        return int(self.columns.told.sum())

    @cached_property
    def counts(self) -> Sequence[tuple[int, str]]:
        """How many measurements count, and how many do not, for each reason."""
        columns = self.columns
        found = [(int(columns.kept.sum()), "counts" if columns.kept.sum() == 1 else "count")]
        others = {"set aside": columns.aside} | {
            str(status): columns.at(status) for status in Status if status is not Status.TOLD
        }
        return [*found, *((int(which.sum()), label) for label, which in others.items() if which.any())]

    @cached_property
    def words(self) -> Sequence[str]:
        """Each distinct point in words."""
        return [self.space.describe(point) for point in self.columns.points]

    @cached_property
    def trust(self) -> str:
        """How many measurements have each trust level; empty if none is witnessed."""
        levels = Counter(level for level in self.columns.trust if level is not None)
        if levels.keys() <= {TrustLevel.SELF_REPORTED}:
            return ""
        return ", ".join(f"{levels[level]:,} {level}" for level in TrustLevel if levels[level])

    @property
    def planned(self) -> str:
        """How many measurements there are, open ones included, and how many are planned."""
        plays = self.settings.plays
        return f"{len(self.log):,}" if plays is None else f"{len(self.log):,} of {plays:,}"

    @cached_property
    def news(self) -> tuple[int, bool]:
        """How many measurements have arrived since the answer, and whether something else that it rests on changed."""
        if self.found is None:
            return 0, False
        before = self.found.plays
        new = [one for one in self.log[len(before) :] if one.measured]
        old = list(zip(before, self.log, strict=False))
        new += [now for then, now in old if now is not then and then.status is Status.OPEN and now.measured]
        edited = any(_changed(then, now) for then, now in old if now is not then)
        return len(new), edited or self.found.threat != self.threat

    @property
    def pending(self) -> bool:
        """Whether a newer answer is on its way."""
        return any(self.news) or (self.found is None and self.measured > 0)

    @property
    def state(self) -> str:
        """A note to read before the answer; empty if the answer is up to date."""
        if self.found is None:
            return "The answer is being computed." if self.measured else why_no_answer(self.log)
        new, edited = self.news
        parts = [f"{counted(new, 'measurement')} {'has' if new == 1 else 'have'} arrived"] if new else []
        parts += ["the study was changed"] if edited else []
        if not parts:
            return ""
        what = " and ".join(parts)
        return f"{what[0].upper()}{what[1:]} since this answer was computed; a newer one is being computed."

    @cached_property
    def varied(self) -> list[tuple[str, str]]:
        """What may be varied: each parameter, and its values in words."""
        if isinstance(self.space, Duels):
            return [("options", _listed(self.space.labels))]
        return [(name, _in_words(one)) for name, one in parameters_of(self.space).items()]

    @property
    def leader(self) -> str | None:
        """The recommended point in words."""
        return None if self.answer is None else self.space.describe(self.answer.point)

    @cached_property
    def lines(self) -> list[str]:
        """The decision in the words of the product: what to use, what it is worth at least, and what to do."""
        return [] if self.answer is None else decision(self.answer)

    @cached_property
    def details(self) -> list[str]:
        """Everything that is known: what the recommendation rests on, and who could have changed it."""
        return [] if self.answer is None else explanation(self.answer)

    @property
    def threat(self) -> Threat | None:
        """The tampering to be safe against."""
        return Threat.of(self.settings.threat)

    @property
    def settings_shown(self) -> dict[str, str]:
        """The settings that can change, as the fields of their form."""
        plain = {name: getattr(self.settings, name) for name in ("plays", "parallel", "note")}
        return shown_threat(self.threat) | {name: "" if one is None else str(one) for name, one in plain.items()}

    @cached_property
    def gauges(self) -> Sequence[Gauge]:
        """How much tampering the recommendation withstands."""
        return [] if self.answer is None else gauges(self.answer)

    def what_ifs(self, kind: str | None, amount: str | None) -> Sequence[WhatIf]:
        """The effect of other threats: of the amount of one kind, as text, and of the usual amounts of the others."""
        return [] if self.answer is None else what_ifs(self.answer, kind, amount)

    @property
    def last(self) -> float | None:
        """When something was last asked, told or failed; None if unknown."""
        latest = self.log[-LATEST:]
        return max((when for play in latest for when in (play.asked, play.answered) if when is not None), default=None)

    @cached_property
    def chart(self) -> Chart | None:
        """Values over time."""
        return over_time(self.columns, self.answer)

    @cached_property
    def parameters(self) -> Sequence[Chart]:
        """Values against the parameters of a box."""
        return parameters(self.space, self.columns, self.answer)

    @cached_property
    def options(self) -> Sequence[OptionRow]:
        """The best options of a list, by the mean of their kept measurements."""
        if not isinstance(self.space, Options):
            return []
        return option_rows(self.space, self.columns, self.answer, self.settings.minimize)

    @cached_property
    def sources(self) -> Sequence[SourceRow]:
        """Every source, the doubtful ones first."""
        return source_rows(self.columns, self.answer, self.settings.quarantined)

    def log_page(self, page: int = 1, only: Filter = ALL, rows: int = ROWS) -> LogPage:
        """Some measurements, the newest first; the arguments are those of the function `log_page`."""
        return log_page(self.log, self.columns, self.words, page, only, rows)


def _changed(then: Play, now: Play) -> bool:
    """Whether what a play says to an answer is another thing now, other than that it was answered."""
    if then.status is Status.OPEN:
        return now.status is Status.FAILED
    parts = ("value", "status", "point", "source", "noise_std", "trials")
    return any(getattr(now, part) != getattr(then, part) for part in parts)


def _in_words(one: Parameter) -> str:
    """The values of a parameter: "60 to 120 °C in steps of 0.5"."""
    if isinstance(one, Real | Integer):
        text = f"{one.low:.6g} to {one.high:.6g} {one.unit}".rstrip()
        text += f" in steps of {one.spacing:.6g}" if one.spacing else ""
        return f"{text}, by factors" if one.log else text
    assert isinstance(one, Categorical)
    return _listed([one.describe(choice) for choice in one.choices[:CHOICES]], one.size)


def _listed(names: Sequence[str], size: int | None = None) -> str:
    """Some names, and how many more there are."""
    more = (size or len(names)) - CHOICES
    return listed([*names[:CHOICES], f"{more:,} more"] if more > 0 else list(names))
