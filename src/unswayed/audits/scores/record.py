"""An audit of scores as plain values, for scripts."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from unswayed.core.scores import Difference, Fewest

if TYPE_CHECKING:
    from unswayed.audits.scores.audit import ScoreAudit
    from unswayed.audits.scores.rivals import Rival

MOST_LISTED = 1_000  # items of one plan; how many there are is said in any case


def record(audit: ScoreAudit) -> dict[str, Any]:
    """Everything that scripts need; means and leads have the sign of the file.

    Args:
        audit: The audit.
    """
    data, labels = audit.data, audit.labels
    without = audit.winner_without_suspects
    return {
        "verdict": audit.verdict.value,
        "luck": audit.luck.to_dict(),
        "evidence": audit.evidence.to_dict(),
        "robustness": audit.robustness.to_dict(),
        "next": audit.next_step,
        "winner": audit.winner,
        "winner_label": labels[audit.winner],
        "labels": list(labels),
        "means": (audit.means * data.sign).tolist(),
        "ranks": [list(pair) for pair in audit.ranks],
        "regraded_items": audit.regraded_items,
        "removed_items": audit.removed_items,
        "rivals": [_rival(audit, one) for one in audit.rivals],
        "tiers": {
            "items": audit.withstands,
            "regraded": [[labels[i] for i in tier] for tier in audit.tiers],
            "removed": [[labels[i] for i in tier] for tier in audit.tiers_removed],
        },
        "without_source": _without(audit, data.sources, audit.leaders_without_source),
        "without_group": _without(audit, data.groups, audit.leaders_without_group),
        "suspects": [
            {**asdict(one), "source": (data.sources or ())[one.source], "option_label": labels[one.option]}
            for one in audit.suspects
        ],
        "copies": [{"item": data.items[one.item], "of": data.items[one.first]} for one in audit.copies],
        "winner_without_suspects": None if without is None else labels[without],
        "items": len(data.items),
        "notes": list(data.notes),
        "assumptions": {"low": min(data.low * data.sign, data.high * data.sign),
                        "high": max(data.low * data.sign, data.high * data.sign), "delta": audit.delta},
        "threat": asdict(audit.threat),
    }  # fmt: skip


def _rival(audit: ScoreAudit, one: Rival) -> dict[str, Any]:
    data = audit.data
    return {
        "option": one.option,
        "option_label": audit.labels[one.option],
        "lead": lead_record(one.lead),
        "false_scores": _fewest(one.scores, None),
        "regraded_items": _fewest(one.regraded, data.items),
        "removed_items": _fewest(one.removed, data.items),
        "lying_sources": _fewest(one.lying, data.sources),
        "sources_left_out": _fewest(one.unheard, data.sources),
        "regraded_groups": _fewest(one.groups_regraded, data.groups),
        "removed_groups": _fewest(one.groups_removed, data.groups),
    }


def lead_record(lead: Difference) -> dict[str, Any]:
    """A lead as plain values."""
    return asdict(lead)


def _fewest(found: Fewest | None, names: tuple[str, ...] | None) -> dict[str, Any] | None:
    if found is None:
        return None
    which = [] if names is None else [names[i] for i in found.which[:MOST_LISTED]]
    return {"least": found.least, "most": found.most, "which": which}


def _without(
    audit: ScoreAudit, names: tuple[str, ...] | None, leaders: list[tuple[int, int | None]]
) -> dict[str, str | None] | None:
    if names is None:
        return None
    return {names[part]: None if leader is None else audit.labels[leader] for part, leader in leaders}
