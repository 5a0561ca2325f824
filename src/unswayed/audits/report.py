"""An audit in words, for people, and in plain values, for scripts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from unswayed.audits.audit import Audit


def describe(audit: Audit, names: Sequence[str], *, minimized: bool = False) -> str:
    """The verdict as a few sentences. `minimized` says that the values were negated at the border."""
    sign = -1.0 if minimized else 1.0

    def point(option: int) -> str:
        values = ", ".join(f"{n} = {v:.6g}" for n, v in zip(names, audit.points[option], strict=True))
        return f"option {option} ({values})"

    measured = int(audit.counts.sum())
    closest = audit.rivals[0]
    k, repeats = audit.shifted_measurements, int(audit.counts[audit.pivot])
    lines = [
        f"{measured:,} measurements of {len(audit.points):,} options.",
        f"Winner: {point(audit.winner)}, estimated at {sign * audit.estimate[audit.winner]:.6g}.",
        f"It is {closest.lead:.4g} better than {point(audit.rival)}, the rival that tampering would help most cheaply.",
        f"Breakdown budget: {audit.breakdown_budget:.4g}. Less tampering than that, however it was spread, "
        f"cannot have changed the winner; more, on measurements of {point(audit.pivot)}, can. That is {k:,} "
        f"measurement(s) shifted by one noise standard deviation ({audit.noise_std:.4g}), where this option was "
        f"measured {repeats:,} time(s).",
        f"Certified: {audit.certificate}"
        if audit.noise_resolved
        else "Not certified: without repeats, nothing in these data tells noise from signal. Repeat some measurements, "
        "or give the noise.",
    ]
    if audit.estimated:
        lines.append(
            f"Estimated from these same data: {', '.join(audit.estimated)}"
            + (f" (kernel from {audit.fitted_on:,} options)" if audit.fitted_on else "")
            + ". The breakdown budget is exact for this model; the certified sentence is as good as these estimates."
        )
    if audit.precision > 1e-6:
        lines.append(
            f"The noise is so small, or the options so alike, that the breakdown budget is rounded by up to "
            f"{min(audit.precision, 1.0):.0%}."
        )
    if audit.jitter > 0:
        lines.append(f"The options are so alike that {audit.jitter:.2g} was added to the kernel's diagonal.")
    lines.append("Closest rivals (lead, deviation of the lead, tampering that overturns it):")
    lines += [
        f"  {point(r.option)}: {r.lead:.4g} ± {r.deviation:.4g}, {r.budget:.4g} at option {r.pivot}"
        for r in audit.rivals
    ]
    lines.append("The verdict hangs on (tampering needed, if all of it went there):")
    lines += [f"  {point(i)}, measured {audit.counts[i]:,} time(s): {needed:.4g}" for i, needed in audit.hinges]
    if audit.suspects:
        lines.append("Measurements that the others do not explain:")
        lines += [
            f"  row {s.row + 1}, {point(s.option)}: {sign * s.value:.6g} where {sign * s.expected:.6g} is expected, "
            f"{s.score:.1f} standard deviations"
            for s in audit.suspects[:10]
        ]
        if len(audit.suspects) > 10:
            lines.append(f"  and {len(audit.suspects) - 10:,} more")
    else:
        lines.append("No measurement stands out from what the others say.")
    return "\n".join(lines)


def as_record(audit: Audit, names: Sequence[str], *, minimized: bool = False) -> dict[str, Any]:
    """The verdict as plain values; options are numbered in order of first appearance."""
    sign = -1.0 if minimized else 1.0
    certificate = asdict(audit.certificate)
    certificate["candidates"] = audit.certificate.candidates.tolist()
    return {
        "winner": audit.winner,
        "rival": audit.rival,
        "breakdown_budget": audit.breakdown_budget,
        "pivot": audit.pivot,
        "lead": audit.lead,
        "shifted_measurements": audit.shifted_measurements,
        "pivot_repeats": int(audit.counts[audit.pivot]),
        "parameters": list(names),
        "winner_point": audit.points[audit.winner].tolist(),
        "options": len(audit.points),
        "measurements": int(audit.counts.sum()),
        "minimized": minimized,
        "estimate": float(sign * audit.estimate[audit.winner]),
        "noise_std": audit.noise_std,
        "kernel": repr(audit.kernel),
        "norm_bound": audit.norm_bound,
        "estimated": list(audit.estimated),
        "fitted_on": audit.fitted_on,
        "jitter": audit.jitter,
        "rivals": [asdict(rival) for rival in audit.rivals],
        "hinges": [{"option": option, "budget": needed} for option, needed in audit.hinges],
        "suspects": [{**asdict(s), "value": sign * s.value, "expected": sign * s.expected} for s in audit.suspects],
        "certificate": certificate,
        "noise_resolved": audit.noise_resolved,
        "precision": audit.precision,
        "sentence": str(audit.certificate) if audit.noise_resolved else None,
    }
