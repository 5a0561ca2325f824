"""An audit of named options as plain values, for scripts."""

from __future__ import annotations

from dataclasses import asdict
from math import isinf
from typing import TYPE_CHECKING, Any

from unswayed.audits.labels.notes import notes
from unswayed.audits.labels.proof import intervals
from unswayed.audits.labels.report import compared, could_win, lift, sentence
from unswayed.judgement.verdict import Verdict

if TYPE_CHECKING:
    from unswayed.audits.labels.audit import LabelAudit


def record(audit: LabelAudit) -> dict[str, Any]:
    """The audit as plain values; options are numbered in order of first appearance, and labels are unchanged."""
    data, label, without = audit.data, audit.labels, audit.winner_without_suspects
    return {
        "verdict": audit.verdict.value,
        "luck": audit.luck.to_dict(),
        "evidence": audit.evidence.to_dict(),
        "robustness": audit.robustness.to_dict(),
        "next": audit.next_step,
        "notes": notes(data),
        "winner": audit.winner,
        "winner_label": label[audit.winner],
        "tied": list(audit.tied),
        "estimate": float(audit.estimate[audit.winner]),
        "rival": audit.rival,
        "rival_label": label[audit.rival],
        "lead": abs(float(audit.estimate[audit.winner] - audit.estimate[audit.rival])),
        "breakdown_budget": audit.breakdown_budget,
        "breakdown_budget_refit": audit.breakdown_budget_refit,
        "breakdown_lies": audit.breakdown_lies,
        "breakdown_sources": audit.breakdown_sources,
        "pivot": audit.pivot,
        **_findings(audit),
        "winner_without_suspects": None if without is None else label[without],
        "certified": audit.verdict is Verdict.YES,
        "sentence": sentence(audit),
        "assumptions": _assumptions(audit),
        **_proved(audit),
        "lift": _lift(audit),
        "equal_shares": audit.shares,
        "labels": list(label),
        "estimates": audit.estimate.tolist(),
        "options": len(label),
        "measurements": len(data.option),
        "trials": int(data.option_trials.sum()) if data.counts else None,
        "minimize": audit.minimize,
    }


def _lift(audit: LabelAudit) -> dict[str, Any] | None:
    """The winner's value relative to that of the option it is compared with, minus 1, with its interval.

    `with_suspects`: whether values that look wrong are in it; then it is only what is recorded, without an interval.
    """
    found, second = lift(audit, compared(audit)), compared(audit)
    if found is None:
        return None
    ratio, low, high = found
    over = {"over": second, "over_label": audit.labels[second], "with_suspects": bool(audit.suspects)}
    if audit.suspects:
        return {
            **over,
            "ratio": float(audit.estimate[audit.winner] / audit.estimate[second]) - 1,
            "low": None,
            "high": None,
        }
    return {**over, "ratio": ratio, "low": low, "high": high}


def _findings(audit: LabelAudit) -> dict[str, Any]:
    """The plan, the sources and the suspects."""
    label = audit.labels

    return {
        "plan": [{**vars(c), "to": c.instead, "line": audit.line(c.row)} for c in audit.plan.changes],
        "liars": list(audit.plan.sources),
        "sources": [source.to_dict(label.__getitem__) for source in audit.sources],
        "suspects": [
            {**s.to_dict(), "option_label": label[s.option], "line": audit.line(s.row)} for s in audit.suspects
        ],
        "could_win": [{"lies": lies, "option": option} for lies, option in could_win(audit)],
    }


def _assumptions(audit: LabelAudit) -> dict[str, Any]:
    data, proof = audit.data, audit.certificate
    span = audit.span
    return {
        "kind": "counts" if data.counts else "values",
        "independent": True,
        "noise_std": None if proof is None else proof.noise_std,
        "low": span.low,
        "high": span.high,
        "range_given": span.given,
        "delta": audit.delta,
        "threat": asdict(audit.threat),
        "estimated": [] if data.counts or data.noise_std is not None else ["noise"],
    }


def _proved(audit: LabelAudit) -> dict[str, Any]:
    """What is proved about the winner, and the interval of each option's rate."""
    proof, data = audit.certificate, audit.data
    ends = zip(*intervals(data, audit.delta), strict=True) if data.counts else ()
    return {
        "within": None if audit.within is None else asdict(audit.within),
        "certified_lies": None if proof is None else proof.lies,
        "largest_gap": None if proof is None or isinf(proof.largest_gap) else proof.largest_gap,
        "candidates": None if proof is None else list(proof.candidates),
        "intervals": [sorted((data.shown(a), data.shown(b))) for a, b in ends] if data.counts else None,
    }
