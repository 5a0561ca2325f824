"""The measurements of a study, a page at a time, as far as a filter lets them through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unswayed.core.tampering.trust import TrustLevel
from unswayed.search.play import Play, Status, Why
from unswayed.service.pages.columns import SURPRISING, Columns
from unswayed.types import BoolArray

ROWS = 100  # measurements on a page
STATES = ("counts", "set aside", *(status.value for status in Status if status is not Status.TOLD))


@dataclass(frozen=True)
class Filter:
    """Which measurements to show.

    Attributes:
        source: Only those of this source; all if empty.
        state: Only those in this state, one of STATES; all if it is another text.
        text: Only those whose point, source or reason has this text, in upper or lower case.
        surprising: Only those that are set aside, outside the honest range, or far from the others at their point.
        number: Only this one.
    """

    source: str = ""
    state: str = ""
    text: str = ""
    surprising: bool = False
    number: int | None = None

    @property
    def some(self) -> bool:
        """Whether it leaves something out."""
        return self != Filter()

    @property
    def parts(self) -> dict[str, str]:
        """As the query of an address."""
        return {"source": self.source, "state": self.state, "text": self.text, "surprising": "1" * self.surprising}

    def shown(self, log: Sequence[Play], columns: Columns, words: Sequence[str]) -> BoolArray:
        """Which plays pass.

        Args:
            log: Every play, in order.
            columns: The same plays by column.
            words: Each distinct point in words.
        """
        shown = np.ones(len(log), dtype=np.bool_)
        if self.source:
            known = columns.sources.index(self.source) if self.source in columns.sources else len(log)
            shown &= columns.source == known
        if self.state in STATES[:2]:
            shown &= columns.kept if self.state == STATES[0] else columns.aside
        elif self.state in STATES:
            shown &= columns.at(Status(self.state))
        if self.surprising:
            shown &= columns.surprising
        if self.number is not None:
            shown &= np.arange(len(log)) == self.number
        if self.text:
            shown &= self._found(log, columns, words)
        return shown

    def _found(self, log: Sequence[Play], columns: Columns, words: Sequence[str]) -> BoolArray:
        """Which plays have the text."""
        text = self.text.casefold()
        points = np.array([text in one.casefold() for one in words], dtype=np.bool_)[columns.place]
        sources = np.array([*(text in str(one).casefold() for one in columns.sources), False], dtype=np.bool_)
        reasons = np.array([play.reason is not None and text in play.reason.casefold() for play in log], dtype=np.bool_)
        return np.asarray(points | sources[columns.source] | reasons)


@dataclass(frozen=True)
class LogEntry:
    """One play.

    Attributes:
        play: The play.
        point: Its point in words.
        aside: Whether the answer sets it aside.
        far: Its distance from the others at its point in standard deviations, if that is surprising.
        trust: Its trust level, if its value counts.
        outside: Whether its value counts although it lies outside the honest range.
    """

    play: Play
    point: str
    aside: bool
    far: float | None
    trust: TrustLevel | None = None
    outside: bool = False

    @property
    def proved(self) -> bool:
        """Whether more is known than what its source says."""
        return self.trust not in (None, TrustLevel.SELF_REPORTED)

    @property
    def crossed(self) -> bool:
        """Whether it has a value that the answer does not use."""
        return self.aside or self.play.status in (Status.RETRACTED, Status.QUARANTINED)

    @property
    def state(self) -> str:
        """What became of it, one of STATES."""
        if self.play.status is Status.TOLD:
            return STATES[self.aside]
        return str(self.play.status)

    @property
    def can_tell(self) -> bool:
        """Whether it waits for a value."""
        return self.play.status is Status.OPEN

    @property
    def can_move(self) -> bool:
        """Whether it can be said that it was measured elsewhere: somebody asked for it."""
        return self.play.why is not Why.ADDED and self.play.status is not Status.FAILED

    @property
    def can_retract(self) -> bool:
        """Whether its value counts, so that it can be taken back."""
        return self.play.status in (Status.TOLD, Status.QUARANTINED)

    @property
    def can_correct(self) -> bool:
        """Whether it can be given another value."""
        return self.play.status in (Status.TOLD, Status.QUARANTINED, Status.FAILED)

    @property
    def can_restore(self) -> bool:
        """Whether there is something to undo."""
        return self.play.status in (Status.RETRACTED, Status.FAILED)


@dataclass(frozen=True)
class LogPage:
    """Some plays, the newest first.

    Attributes:
        entries: The plays.
        page: Which page this is, from 1.
        pages: How many pages there are.
        total: How many plays there are on all pages.
    """

    entries: Sequence[LogEntry]
    page: int
    pages: int
    total: int


def log_page(
    log: Sequence[Play], columns: Columns, words: Sequence[str], page: int, only: Filter, rows: int = ROWS
) -> LogPage:
    """Some plays, the newest first. If there is no such page, the nearest one.

    Args:
        log: Every play, in order.
        columns: The same plays by column.
        words: Each distinct point in words.
        page: Which page, from 1.
        only: Which plays to show.
        rows: How many plays a page has.
    """
    chosen = np.flatnonzero(only.shown(log, columns, words))[::-1]
    pages = max(-(-len(chosen) // rows), 1)
    page = min(max(page, 1), pages)
    entries = []
    for one in chosen[(page - 1) * rows : page * rows].tolist():
        far = float(columns.deviations[one])
        about = (
            bool(columns.aside[one]),
            far if far > SURPRISING else None,
            columns.trust[one],
            bool(columns.outside[one]),
        )
        entries.append(LogEntry(log[one], words[columns.place[one]], *about))
    return LogPage(entries, page, pages, len(chosen))
