"""An audit in words, for people, and in plain values, for scripts: one place for each column."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from unswayed.core.assumptions import certified

if TYPE_CHECKING:
    from unswayed.audits.audit import Audit

SUSPECTS = 10  # shown


def summary(audit: Audit) -> list[str]:
    """The result, how much tampering overturns it, and what it rests on: a line for each."""
    winner, rival, pivot = (audit.describe(option) for option in (audit.winner, audit.rival, audit.pivot))
    estimated, noise = audit.assumptions.estimated, audit.assumptions.noise_std
    lines = [
        f"{int(audit.counts.sum()):,} measurements of {len(audit.points):,} options.",
        f"Winner: {winner}, estimated at {audit.estimate[audit.winner]:.6g}.",
        f"It is {audit.lead:.4g} better than {rival}, the option that the least tampering would make win.",
        f"Breakdown budget, with the model held fixed: {audit.breakdown_budget:.4g}. Less tampering than that, however "
        f"it was spread, cannot have changed the winner. More tampering, with measurements of {pivot}, can. This "
        f"equals {audit.shifted_measurements:,} measurement(s) shifted by one noise standard deviation "
        f"({noise:.4g}); this option has {int(audit.counts[audit.pivot]):,}.",
        sentence(audit),
    ]
    if estimated:
        fitted = f" (kernel from {audit.fitted_on:,} options)" if audit.fitted_on else ""
        lines.append(
            f"Estimated from these same data: {', '.join(estimated)}{fitted}. The breakdown budget is exact for this "
            "model. Estimated again after some tampering, the model may change, and less tampering may be enough."
        )
    if audit.precision > 1e-6:
        lines.append(
            f"The noise is so small, or the options so alike, that the breakdown budget is rounded by up to "
            f"{min(audit.precision, 1.0):.0%}."
        )
    if audit.jitter > 0:
        lines.append(f"The options are so alike that {audit.jitter:.2g} was added to the kernel's diagonal.")
    return lines


def sentence(audit: Audit) -> str:
    """What is certified, or why nothing is."""
    c = audit.certificate
    if c is None:
        return (
            "Not certified: without repeats that differ, nothing in these data tells noise from signal. Repeat some "
            "measurements, or give the noise."
        )
    begin, where = certified(audit.assumptions.estimated), "above" if audit.minimize else "below"
    percent = f"{100 * (1 - c.delta):.4g}%"
    if len(c.candidates) == 1:
        return (
            f"{begin}: option {c.winner} is the best, with {percent} confidence, even if tampering of up to "
            f"{c.budget:.4g} in total took place."
        )
    return (
        f"{begin}: option {c.winner} leads; with {percent} confidence it is at most {c.largest_gap:.4g} {where} the "
        f"best, if tampering did not exceed {c.budget:.4g} in total, and {len(c.candidates)} options may still be the "
        "best."
    )


def details(audit: Audit) -> list[str]:
    """Rivals, hinges and suspects, a line for each."""
    lines = ["Closest rivals (lead, deviation of the lead, tampering that overturns it):"]
    lines += [
        f"  {audit.describe(r.option)}: {r.lead:.4g} ± {r.deviation:.4g}, {r.budget:.4g} at option {r.pivot}"
        for r in audit.rivals
    ]
    lines.append("Most sensitive options (tampering needed if only this option is changed):")
    lines += [
        f"  {audit.describe(i)}, measured {audit.counts[i]:,} time(s): {needed:.4g}" for i, needed in audit.hinges
    ]
    if not audit.suspects:
        return [*lines, "No measurement is an outlier."]
    lines.append("Measurements that the others do not explain:")
    lines += [
        f"  row {s.row + 1}, {audit.describe(s.option)}: {s.value:.6g} where {s.expected:.6g} is expected, "
        f"{s.score:.1f} standard deviations"
        for s in audit.suspects[:SUSPECTS]
    ]
    if len(audit.suspects) > SUSPECTS:
        lines.append(f"  and {len(audit.suspects) - SUSPECTS:,} more")
    return lines


def record(audit: Audit) -> dict[str, Any]:
    """The audit as plain values; options are numbered in order of first appearance."""
    return {
        "winner": audit.winner,
        "winner_label": audit.describe(audit.winner),
        "winner_point": audit.points[audit.winner].tolist(),
        "estimate": float(audit.estimate[audit.winner]),
        "rival": audit.rival,
        "lead": audit.lead,
        "breakdown_budget": audit.breakdown_budget,
        "pivot": audit.pivot,
        "pivot_repeats": int(audit.counts[audit.pivot]),
        "shifted_measurements": audit.shifted_measurements,
        "certified": audit.certificate is not None and not audit.assumptions.estimated,
        "sentence": None if audit.certificate is None else sentence(audit),
        "certificate": None if audit.certificate is None else audit.certificate.to_dict(),
        "assumptions": audit.assumptions.to_dict(),
        "parameters": list(audit.names),
        "options": len(audit.points),
        "measurements": int(audit.counts.sum()),
        "minimize": audit.minimize,
        "fitted_on": audit.fitted_on,
        "precision": audit.precision,
        "jitter": audit.jitter,
        "rivals": [asdict(rival) for rival in audit.rivals],
        "hinges": [{"option": option, "budget": needed} for option, needed in audit.hinges],
        "suspects": [asdict(suspect) for suspect in audit.suspects],
    }
