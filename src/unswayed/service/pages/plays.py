"""The log of a study, a page at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unswayed.core.tampering.trust import TrustLevel
from unswayed.search.play import Play, Status
from unswayed.service.pages.columns import SURPRISING, Columns
from unswayed.spaces import Space

ROWS = 100  # plays on a page


@dataclass(frozen=True)
class LogEntry:
    """One play.

    Attributes:
        play: The play.
        point: Its point in words.
        aside: Whether the answer sets it aside.
        far: Its distance from the others at its point in standard deviations, if that is surprising.
        trust: Its trust level, if its value counts.
    """

    play: Play
    point: str
    aside: bool
    far: float | None
    trust: TrustLevel | None = None

    @property
    def proved(self) -> bool:
        """Whether more is known than what its source says."""
        return self.trust not in (None, TrustLevel.SELF_REPORTED)

    @property
    def crossed(self) -> bool:
        """Whether it has a value that the answer does not use."""
        return self.aside or self.play.status in (Status.RETRACTED, Status.QUARANTINED)

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
    space: Space,
    log: Sequence[Play],
    columns: Columns,
    page: int,
    source: str | None = None,
    surprising: bool = False,
    number: int | None = None,
    rows: int = ROWS,
) -> LogPage:
    """Some plays, the newest first. If there is no such page, the nearest one.

    Args:
        space: Describes the points.
        log: Every play, in order.
        columns: The same plays by column.
        page: Which page, from 1.
        source: Only those of this source.
        surprising: Only those that are set aside, or far from the others at their point.
        number: Only this play.
        rows: How many plays a page has.
    """
    shown = np.ones(len(log), dtype=np.bool_)
    if source:
        shown &= columns.source == (columns.sources.index(source) if source in columns.sources else len(log))
    if surprising:
        shown &= columns.surprising
    if number is not None:
        shown &= np.arange(len(log)) == number
    chosen = np.flatnonzero(shown)[::-1]
    pages = max(-(-len(chosen) // rows), 1)
    page = min(max(page, 1), pages)
    words: dict[int, str] = {}
    entries = []
    for one in chosen[(page - 1) * rows : page * rows].tolist():
        place = int(columns.place[one])
        if place not in words:
            words[place] = space.describe(log[one].point)
        far = float(columns.deviations[one])
        surprise = far if far > SURPRISING else None
        entries.append(LogEntry(log[one], words[place], bool(columns.aside[one]), surprise, columns.trust[one]))
    return LogPage(entries, page, pages, len(chosen))
