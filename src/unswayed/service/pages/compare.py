"""Two studies side by side: the same axes, and what differs in how they were set up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from unswayed.service.pages.chart import Chart, limits, over_time
from unswayed.service.pages.view import StudyView
from unswayed.text import counted, listed


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two studies.

    Attributes:
        views: The studies.
        charts: The values of each over time, with the same axes; None where there are none.
        facts: What is known of each: a label, and a text for each study.
        warning: Why their values may mean different things; empty if nothing says so.
    """

    views: Sequence[StudyView]
    charts: Sequence[Chart | None]
    facts: Sequence[tuple[str, Sequence[str]]]
    warning: str

    @classmethod
    def of(cls, views: Sequence[StudyView]) -> Self:
        """Compare some studies.

        Args:
            views: The studies.
        """
        ends = [one for view in views if (one := limits(view.columns, view.answer)) is not None]
        both = (min(low for low, _ in ends), max(high for _, high in ends)) if ends else None
        room = max(len(view.log) for view in views)
        charts = [over_time(view.columns, view.answer, both, room) for view in views]
        rows = [_facts(view) for view in views]
        facts = [(label, [row[label] for row in rows]) for label in rows[0]]
        return cls(views, charts, facts, _warning(views))


def _facts(view: StudyView) -> dict[str, str]:
    answer = view.answer
    guaranteed = "" if answer is None else f"{answer.guaranteed:.4g}"
    return {
        "recommended": view.leader or "nothing so far",
        "estimate": "" if answer is None else answer.shown_estimate,
        "still, if the threat holds": guaranteed,
        "verdict": "; ".join(f"{one.verdict}: {one.words}" for one in view.gauges),
        "measurements": ", ".join(f"{n:,} {label}" for n, label in view.counts),
        "sources": counted(len(view.columns.sources), "source"),
        "threat": "not named" if view.threat is None else str(view.threat),
        "better values are": "smaller" if view.settings.minimize else "larger",
        "varied": listed(view.space.names),
        "what is measured": view.settings.note or "",
    }


def _warning(views: Sequence[StudyView]) -> str:
    """What makes a comparison of values misleading."""
    one, other = views
    pairs = {
        "which values are better": (one.settings.minimize, other.settings.minimize),
        "what is measured, by their notes": (one.settings.note, other.settings.note),
        "what is varied": (one.space.fingerprint, other.space.fingerprint),
    }
    differ = [words for words, (first, second) in pairs.items() if first != second]
    return f"These studies differ in {listed(differ)}: compare their values with care." if differ else ""
