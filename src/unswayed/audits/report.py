"""An audit in words, for people, and in plain values, for scripts: one place for each column."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from unswayed.core.sentence import gap_sentence
from unswayed.text import at_least, at_most, counted, number

if TYPE_CHECKING:
    from unswayed.audits.audit import Audit
    from unswayed.audits.measurements import Suspect

SUSPECTS = 10  # shown
DOUBTFUL = 0.25  # of the measurements of an option: if so many are suspects, nobody knows what it is worth


def verdict(audit: Audit) -> str:
    """Can this winner be trusted? Yes, not against this threat, or no; and why."""
    if audit.winner_without_suspects != audit.winner:
        wins = "too little is left to compare"
        if audit.winner_without_suspects is not None:
            wins = f"{audit.describe(audit.winner_without_suspects)} wins"
        return f"No: without the {counted(len(audit.suspects), 'measurement')} that the others do not explain, {wins}."
    if (doubt := _doubtful(audit)) is not None:
        return doubt
    return _proved(audit) if audit.certificate is not None else _fitted(audit)


def _doubtful(audit: Audit) -> str | None:
    """The option a large part of whose measurements is not explained, if there is one."""
    unexplained = Counter(suspect.option for suspect in audit.suspects)
    for option, count in unexplained.most_common():
        if count >= DOUBTFUL * audit.counts[option]:
            measured = f"{count:,} of the {counted(int(audit.counts[option]), 'measurement')}"
            return f"No: {measured} of {audit.describe(option)} cannot be explained by the others."
    return None


def _proved(audit: Audit) -> str:
    c = audit.certificate
    assert c is not None
    sure = f"with {100 * (1 - c.delta):.4g}% confidence"
    if len(c.candidates) == 1 and c.budget > 0:
        return f"Yes: it is certified, {sure}, to be the best even if tampering of up to {c.budget:.4g} took place."
    if len(c.candidates) == 1:
        return f"Yes, unless the data were tampered with: it is certified, {sure}, to be the best."
    if c.certified_budget > 0:
        return (
            f"Not against tampering of {c.budget:.4g}: it is certified, {sure}, to be the best only if tampering did "
            f"not exceed {at_least(c.certified_budget)}."
        )
    return f"No: {len(c.candidates)} of {len(audit.points):,} options may be the best; {sure} no more is certified."


def _fitted(audit: Audit) -> str:
    fitted = audit.credible
    if fitted is None:
        return "No: the measurements are too few, or too noisy, to tell the options apart."
    model = "the fitted model" if audit.assumptions.estimated else "the given model"
    if fitted.best_untampered < fitted.probability:
        close = min(audit.rivals, key=lambda rival: rival.lead / max(rival.deviation, 1e-300))
        return (
            f"No: by {model}, another option is better with a probability of {1 - fitted.best_untampered:.2g}. Its "
            f"lead over {audit.describe(close.option)} is {close.lead:.4g} ± {close.deviation:.2g}."
        )
    if audit.unequal_noise:
        return "No: the repeats of some options differ much more than those of others; the model takes all for equal."
    least = min(audit.breakdown_budget, audit.breakdown_budget_refit)
    if least <= fitted.budget:
        enough = f"{at_most(least)} would have been enough to change the winner"
        return f"Not against tampering of {fitted.budget:.4g}: {enough}."
    if fitted.best < fitted.probability:
        together = "with it and the noise together, another option may be better"
        return f"Not against tampering of {fitted.budget:.4g}: {together}."
    best = f"with {100 * fitted.probability:.4g}% probability, by {model}, it is the best"
    if fitted.budget > 0:
        return f"Yes: {best}, even if tampering of up to {fitted.budget:.4g} took place."
    return f"Yes, unless the data were tampered with: {best}."


def summary(audit: Audit) -> list[str]:
    """The verdict, the result, how much tampering overturns it, and what it rests on: a line for each."""
    winner, rival = audit.describe(audit.winner), audit.describe(audit.rival)
    estimated = audit.assumptions.estimated
    lines = [
        f"Can this winner be trusted? {verdict(audit)}",
        f"{counted(int(audit.counts.sum()), 'measurement')} of {len(audit.points):,} options.",
        f"Winner: {winner}, estimated at {number(audit.estimate[audit.winner], audit.deviation[audit.winner])}.",
        f"It is {audit.lead:.4g} better than {rival}, the option that the least tampering would make win."
        if audit.lead > 0
        else f"It ties with {rival}; the first of them is called the winner.",
        *_budgets(audit),
        sentence(audit),
    ]
    if estimated:
        fitted = f" (kernel from {audit.fitted_on:,} options)" if audit.fitted_on else ""
        guess = " Without repeats the noise is a guess." if "noise" in estimated and audit.counts.max() == 1 else ""
        equal = " All measurements are taken to have the same noise."
        lines.append(f"Estimated from these same data: {', '.join(estimated)}{fitted}.{equal}{guess}")
    if audit.precision > 1e-6:
        lines.append(
            f"The noise is so small, or the options so alike, that the breakdown budget is rounded by up to "
            f"{min(audit.precision, 1.0):.0%}."
        )
    if audit.jitter > 0:
        lines.append(f"The options are so alike that {audit.jitter:.2g} was added to the kernel's diagonal.")
    return lines


def _budgets(audit: Audit) -> list[str]:
    pivot, noise = audit.describe(audit.pivot), audit.assumptions.noise_std
    deviations = f"{audit.breakdown_budget / noise:.2g} noise standard deviations ({noise:.4g})"
    lines = [
        f"Breakdown budget, with the model held fixed: {at_least(audit.breakdown_budget)}. Less tampering than that, "
        f"however it was spread, cannot have changed the winner of this model. More tampering, with measurements of "
        f"{pivot}, can. This is {deviations}; the option has {counted(int(audit.counts[audit.pivot]), 'measurement')}."
    ]
    if not audit.assumptions.estimated:
        return lines
    again, refit = "With the model estimated again after the change", at_most(audit.breakdown_budget_refit)
    if audit.overturned_by_one:
        least = "This is the least change of one measurement that was found to change the winner, so an upper bound of"
        return [*lines, f"{again}: {refit}. {least} what is needed."]
    return [*lines, f"{again}, no change of a single measurement was found to change the winner, up to {refit}."]


def sentence(audit: Audit) -> str:
    """How far the winner is from the best: proved, fitted, or that it cannot be said."""
    where, options, claim = "above" if audit.minimize else "below", f"{len(audit.points):,} options", ""
    if audit.certificate is not None and len(audit.certificate.candidates) == 1:
        claim = f"option {audit.winner} is the best of the {options}"
    else:
        claim = f"option {audit.winner} is at most {{}} {where} the best of the {options}"
        if audit.certificate is not None:
            claim += f", of which {len(audit.certificate.candidates):,} may be the best"
        elif audit.suspects:
            claim += " (by the measurements that the others explain)"
    measured = int(audit.counts.sum())
    return gap_sentence(audit.certificate, audit.credible, audit.assumptions, claim=claim, measured=measured)


def details(audit: Audit) -> list[str]:
    """Rivals, hinges and suspects, a line for each."""
    lines = ["Closest rivals (lead, deviation of the lead, tampering that overturns it):"]
    lines += [
        f"  {audit.describe(r.option)}: {r.lead:.4g} ± {r.deviation:.4g}, {r.budget:.4g} at option {r.pivot}"
        for r in audit.rivals
    ]
    lines.append("Most sensitive options (tampering needed if only this option is changed):")
    lines += [
        f"  {audit.describe(i)}, {counted(int(audit.counts[i]), 'measurement')}: {needed:.4g}"
        for i, needed in audit.hinges
    ]
    if not audit.suspects:
        two = "Every value is one of two, so no single measurement is looked at as an outlier."
        return [*lines, two if audit.binary else "No measurement is an outlier."]
    lines.append("Measurements that the others do not explain:")
    lines += [
        f"  {place(audit, s)}, {audit.describe(s.option)}: {_shown(audit, s.value)} where "
        f"{_shown(audit, s.expected)} is expected, {s.score:.1f} standard deviations"
        for s in audit.suspects[:SUSPECTS]
    ]
    if len(audit.suspects) > SUSPECTS:
        lines.append(f"  and {len(audit.suspects) - SUSPECTS:,} more")
    if audit.winner_without_suspects is not None:
        left = "it" if len(audit.suspects) == 1 else "them"
        lines.append(f"Without {left} {audit.describe(audit.winner_without_suspects)} wins.")
    return lines


def place(audit: Audit, suspect: Suspect) -> str:
    """Where a measurement stands: the row of the data, from 1, and the line of the file, which has a header."""
    row = f"data row {suspect.row + 1:,}"
    return row if audit.lines is None else f"{row} (line {audit.lines[suspect.row]:,} of the file)"


def _shown(audit: Audit, value: float) -> str:
    return number(value, audit.assumptions.noise_std)


def record(audit: Audit) -> dict[str, Any]:
    """The audit as plain values; options are numbered in order of first appearance."""
    without = audit.winner_without_suspects
    return {
        "verdict": verdict(audit),
        "winner": audit.winner,
        "winner_label": audit.describe(audit.winner),
        "winner_point": audit.points[audit.winner].tolist(),
        "estimate": float(audit.estimate[audit.winner]),
        "rival": audit.rival,
        "lead": audit.lead,
        "breakdown_budget": audit.breakdown_budget,
        "breakdown_budget_refit": audit.breakdown_budget_refit,
        "overturned_by_one": audit.overturned_by_one,
        "pivot": audit.pivot,
        "pivot_repeats": int(audit.counts[audit.pivot]),
        "shifted_measurements": audit.shifted_measurements,
        "winner_without_suspects": None if without is None else audit.describe(without),
        "certified": audit.certificate is not None,
        "sentence": sentence(audit),
        "certificate": None if audit.certificate is None else audit.certificate.to_dict(),
        "credible": None if audit.credible is None else audit.credible.to_dict(),
        "assumptions": audit.assumptions.to_dict(),
        "parameters": list(audit.names),
        "options": len(audit.points),
        "measurements": int(audit.counts.sum()),
        "unequal_noise": audit.unequal_noise,
        "minimize": audit.minimize,
        "fitted_on": audit.fitted_on,
        "precision": audit.precision,
        "jitter": audit.jitter,
        "rivals": [asdict(rival) for rival in audit.rivals],
        "hinges": [{"option": option, "budget": needed} for option, needed in audit.hinges],
        "suspects": [
            {**asdict(s), "line": None if audit.lines is None else audit.lines[s.row]} for s in audit.suspects
        ],
    }
