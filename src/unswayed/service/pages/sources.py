"""The sources of a study: what each reported, and how it agrees with the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unswayed.judgement.findings import Source
from unswayed.search.answer import Answer
from unswayed.search.play import Status
from unswayed.service.pages.chart import COLOURED
from unswayed.service.pages.columns import Columns
from unswayed.types import FloatArray, IntArray


@dataclass(frozen=True)
class SourceRow:
    """One source.

    Attributes:
        source: Its name; None for measurements without a source.
        look: The class of its colour.
        measurements: How many values it reported, whether they count or not.
        kept: How many values the answer uses.
        aside: How many are set aside.
        retracted: How many were retracted.
        failed: How many of its plays failed.
        share: Its share of all kept measurements.
        off: The median difference of its values from those of the others at the same points; None without such points.
        compared: How many of its values were compared.
        seen: The source in the answer.
        quarantined: Whether it is quarantined.
    """

    source: str | None
    look: str
    measurements: int
    kept: int
    aside: int
    retracted: int
    failed: int
    share: float
    off: float | None
    compared: int
    seen: Source | None
    quarantined: bool

    @property
    def named(self) -> bool:
        """Whether a form can name it: browsers change line breaks."""
        return self.source is not None and not set("\r\n") & set(self.source)

    @property
    def doubtful(self) -> bool:
        """Whether the answer does not trust it, or the owner has quarantined it."""
        return self.quarantined or bool(self.seen and self.seen.suspicious)


def source_rows(columns: Columns, answer: Answer | None, quarantined: Sequence[str]) -> list[SourceRow]:
    """Every source, the doubtful ones first, then those with most measurements."""
    names: list[str | None] = [*columns.sources]
    names += [name for name in quarantined if name not in columns.sources]
    known = len(columns.sources)
    which = np.where(columns.source < 0, len(names), columns.source)
    value = np.isfinite(columns.value)
    counts = [
        np.bincount(which[some], minlength=len(names) + 1)
        for some in (value, columns.kept, columns.aside, columns.at(Status.RETRACTED), columns.at(Status.FAILED))
    ]
    compared = (columns.told | columns.at(Status.QUARANTINED)) & np.isfinite(columns.off)
    off, times = _medians(which[compared], columns.off[compared], len(names) + 1)
    seen = {} if answer is None else {one.name: one for one in answer.sources}
    all_kept = max(int(counts[1].sum()), 1)
    rows = []
    for number, name in enumerate([*names, None]):
        measurements, kept, aside, retracted, failed = (int(count[number]) for count in counts)
        if name is None and not measurements:
            continue
        row = SourceRow(
            name,
            f"s{number}" if number < min(COLOURED, known) else "other",
            measurements,
            kept,
            aside,
            retracted,
            failed,
            share=kept / all_kept,
            off=float(off[number]) if times[number] else None,
            compared=int(times[number]),
            seen=None if name is None else seen.get(name),
            quarantined=name in quarantined,
        )
        rows.append(row)
    return sorted(rows, key=lambda row: (not row.doubtful, -row.measurements))


def _medians(which: IntArray, values: FloatArray, groups: int) -> tuple[FloatArray, IntArray]:
    """The median of the values of each group, and their number."""
    count = np.bincount(which, minlength=groups)
    parts = np.split(values[np.argsort(which, kind="stable")], np.cumsum(count)[:-1])
    return np.array([np.median(part) if len(part) else np.nan for part in parts]), count
