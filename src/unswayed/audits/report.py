"""An audit in words, for people, and in plain values, for scripts: one place for each column."""

from __future__ import annotations

from math import floor, isfinite, log10
from typing import TYPE_CHECKING, Any

from unswayed.judgement.words import MOST_NAMED, could_alone, gap_sentence, more, noisier, still_wins, who_wins
from unswayed.text import at_least, at_most, counted, listed, number, printable

if TYPE_CHECKING:
    from unswayed.audits.result import Audit
    from unswayed.judgement.findings import Limit, Source

PLANNED = 5  # false measurements of the cheapest plan
KINDS = {"lies": "false measurement", "liars": "lying source", "total": "tampering"}


def summary(audit: Audit) -> list[str]:
    """The result, how much tampering overturns it, and what it rests on: a line for each."""
    winner, rival = audit.describe(audit.winner), audit.describe(audit.rival)
    estimated = audit.assumptions.estimated
    lines = [
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
        equal = " All measurements are taken to have the same noise." if not audit.noise_stated else ""
        lines.append(f"Estimated from these same data: {', '.join(estimated)}{fitted}.{equal}{guess}")
    if audit.tie > 0:
        lines.append(f"Options whose values differ by {number(audit.tie)} or less count as the same winner.")
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
    typical = "typical standard errors" if audit.noise_stated else "noise standard deviations"
    deviations = f"{audit.breakdown_budget / noise:.2g} {typical} ({noise:.4g})"
    lines = [
        f"Breakdown budget, with the model held fixed: {at_least(audit.breakdown_budget)}. Less tampering than that, "
        f"however it was spread, cannot have changed the winner of this model. More tampering, with measurements of "
        f"{pivot}, can. This is {deviations}; the option has {counted(int(audit.counts[audit.pivot]), 'measurement')}."
    ]
    if not audit.assumptions.estimated:
        return lines
    again, refit = "With the model estimated again after the change", at_most(audit.breakdown_budget_refit)
    if audit.single_change_found:
        least = "This is the least change of one measurement that was found to change the winner, so an upper bound of"
        return [*lines, f"{again}: {refit}. {least} what is needed."]
    return [*lines, f"{again}, no change of a single measurement was found to change the winner, up to {refit}."]


def sentence(audit: Audit) -> str:
    """How far the winner is from the best: proved, fitted, or that it cannot be said."""
    where, options = audit.worse, f"{len(audit.points):,} options"
    if audit.certificate is not None and len(audit.certificate.candidates) == 1:
        claim = f"option {audit.winner} is the best of the {options} measured"
    else:
        claim = f"option {audit.winner} is at most {{}} {where} the best of the {options} measured"
        if audit.certificate is not None:
            claim += f", and {len(audit.certificate.candidates):,} of them may be the best"
        elif audit.suspects:
            claim += " (by the measurements that the others explain)"
    measured = int(audit.counts.sum())
    bounds = audit.certificate, audit.credible
    if any(bound is not None and bound.largest_gap >= audit.span.width for bound in bounds):
        return "How far it is from the best cannot be said: no bound is smaller than the range of the values."
    return gap_sentence(*bounds, audit.assumptions, claim=claim, measured=measured, span=str(audit.span))


def details(audit: Audit) -> list[str]:
    """What the winner withstands, sources, rivals, sensitive options and suspects, a line for each."""
    lines = [*_limits(audit), *_plan(audit), *_sources(audit)]
    lines.append("Closest rivals (lead, deviation of the lead, tampering that overturns it):")
    lines += [
        f"  {audit.describe(r.option)}: {r.lead:.4g} ± {r.deviation:.4g}, {r.budget:.4g} at option {r.pivot}"
        for r in audit.rivals
    ]
    lines.append("Most sensitive options (tampering needed if only this option is changed):")
    lines += [
        f"  {audit.describe(i)}, {counted(int(audit.counts[i]), 'measurement')}: {needed:.4g}"
        for i, needed in audit.sensitive_options
    ]
    if not audit.suspects:
        two = "Values are yes and no, or heap up at one end: no single measurement is looked at as an outlier."
        return [*lines, two if audit.lumped else "No measurement is an outlier."]
    lines.append("Measurements that the others do not explain:")
    lines += [
        f"  {place(audit, s.row)}, {audit.describe(s.option)}: {_shown(audit, s.value)} where "
        f"{_shown(audit, s.expected)} is expected, {s.score:.1f} standard deviations"
        for s in audit.suspects[:MOST_NAMED]
    ]
    lines += more(len(audit.suspects), MOST_NAMED)
    return lines + still_wins(len(audit.suspects), audit.winner_without_suspects, audit.describe)


def _limits(audit: Audit) -> list[str]:
    hint = "" if audit.span.given else "; give low and high if you know them"
    title = f"How much it withstands, with the model held fixed and values {audit.span}{hint}:"
    return [title, *(f"  {limit_text(audit, limit)}" for limit in audit.limits)]


def limit_text(audit: Audit, limit: Limit) -> str:
    """How much of one kind of tampering the winner withstands."""
    noun, least = KINDS[limit.kind], limit.overturned
    certified = ""
    if limit.certified:
        up_to = at_least(limit.certified) if limit.kind == "total" else counted(int(limit.certified), noun)
        certified = f" It is certified to be the best up to {up_to}."
    if least is None or limit.rival is None:
        return f"{noun}s: no number of them within the range makes another option win.{certified}"
    level = f"option {limit.rival} could be level with it or ahead."
    if least == 0:
        return f"no {noun} is needed: it ties with option {limit.rival}."
    if limit.kind == "total":
        return (
            f"{noun} below {at_least(least)} in all: option {audit.winner} stays the winner; above, {level}{certified}"
        )
    if least == 1:
        return f"1 {noun} is enough: {level}"
    up_to = counted(int(least) - 1, noun)
    return f"up to {up_to}: option {audit.winner} stays the winner; from {int(least):,} on, {level}{certified}"


def _plan(audit: Audit) -> list[str]:
    """The cheapest ways to overturn the winner."""
    plan, lines = audit.plan, []
    if plan.changes and plan.rival is not None:
        few = "Fewest false measurements that could hide that"
        lines = [f"{few} {audit.describe(plan.rival)} is level with it or ahead:"]
        lines += [
            f"  {place(audit, c.row)}, option {c.option}{_made_by(c.source)}: {_shown(audit, c.value)} recorded, "
            f"{_shown(audit, c.instead)} in truth"
            for c in plan.changes[:PLANNED]
        ]
        lines += more(len(plan.changes), PLANNED)
    if plan.sources and plan.sources_rival is not None:
        names = [printable(name, limit=200) for name in plan.sources[:PLANNED]]
        rest = [f"{len(plan.sources) - PLANNED:,} more"] if len(plan.sources) > PLANNED else []
        level = f"option {plan.sources_rival} is level with it or ahead"
        lines.append(f"Fewest lying sources that could hide that {level}: {listed(names + rest)}.")
    return lines


def _made_by(source: str | None) -> str:
    return "" if source is None else f", source {printable(source, limit=200)}"


def _sources(audit: Audit) -> list[str]:
    if not audit.sources:
        return []
    lines = ["Sources (how far each reads above the others; what it could do):"]
    lines += [f"  {', '.join(source_row(one))}" for one in ranked(audit.sources)[:MOST_NAMED]]
    return lines + more(len(audit.sources), MOST_NAMED)


def ranked(sources: tuple[Source, ...]) -> list[Source]:
    """Sources as they are shown: suspicious ones first, noisier ones, then those that alone could overturn it."""
    return sorted(sources, key=lambda one: (not one.suspicious, not one.noisier, not one.alone, -one.measurements))


def source_row(one: Source) -> list[str]:
    """What is said of a source: name, measurements, offset, what it could do, who wins without it."""
    offset = "offset not known"
    if one.offset is not None and one.deviation is not None:
        offset = f"{round(one.offset, 1 - floor(log10(one.deviation))):+.6g} ± {one.deviation:.2g}"
    wins = who_wins(one.without, "option {}".format)
    name = printable(one.name, limit=200) + (" (SUSPICIOUS)" if one.suspicious else "")
    name += f" ({noisier(one.noise_factor)})" if one.noisier else ""
    return [name, counted(one.measurements, "measurement"), offset, could_alone(one), f"without it {wins}"]


def place(audit: Audit, row: int | None) -> str:
    """Where a measurement stands: the row of the data, from 1, and the line of the file, which has a header."""
    assert row is not None
    words = f"data row {row + 1:,}"
    return words if audit.lines is None else f"{words} ({audit.called} {audit.lines[row]:,})"


def _shown(audit: Audit, value: float) -> str:
    return number(value, audit.assumptions.noise_std)


def record(audit: Audit) -> dict[str, Any]:
    """The audit as plain values, for `--json`; options are numbered in order of first appearance."""
    return {
        **_answers(audit),
        "winner": audit.winner,
        "winner_label": audit.describe(audit.winner),
        "winner_point": audit.points[audit.winner].tolist(),
        "estimate": float(audit.estimate[audit.winner]),
        "rival": audit.rival,
        "lead": audit.lead,
        "breakdown_budget": audit.breakdown_budget,
        "breakdown_budget_refit": audit.breakdown_budget_refit,
        "overturned_by_one": audit.single_change_found,
        "breakdown_lies": audit.breakdown_lies,
        "breakdown_sources": audit.breakdown_sources,
        "low": audit.span.low,
        "high": audit.span.high,
        "range_given": audit.span.given,
        "threat": None if audit.threat is None else audit.threat.to_dict(),
        "lowest_lead": _finite(audit.lowest_lead),
        "threats": [limit.to_dict() for limit in audit.limits],
        "plan": {
            "changes": [{**vars(c), "line": audit.line(c.row)} for c in audit.plan.changes],
            "rival": _label(audit, audit.plan.rival),
            "sources": list(audit.plan.sources),
            "sources_rival": _label(audit, audit.plan.sources_rival),
        },
        "sources": [one.to_dict(audit.describe) for one in audit.sources],
        "pivot": audit.pivot,
        "pivot_repeats": int(audit.counts[audit.pivot]),
        "shifted_measurements": audit.shifted_measurements,
        "winner_without_suspects": _label(audit, audit.winner_without_suspects),
        "certified": audit.certificate is not None and bool(isfinite(audit.certificate.largest_gap)),
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
        "rivals": [{name: value for name, value in vars(rival).items() if name != "lies"} for rival in audit.rivals],
        "hinges": [{"option": option, "budget": needed} for option, needed in audit.sensitive_options],
        "suspects": [{**s.to_dict(), "line": audit.line(s.row)} for s in audit.suspects],
    }


def _answers(audit: Audit) -> dict[str, Any]:
    """The verdict and the three answers that it follows from."""
    answers = {name: getattr(audit, name).to_dict() for name in ("luck", "evidence", "robustness")}
    about = {"next": audit.next_step, "tie": audit.tie, "notes": list(audit.notes)}
    return {"verdict": str(audit.verdict), **answers, **about}


def _label(audit: Audit, option: int | None) -> str | None:
    return None if option is None else audit.describe(option)


def _finite(value: float | None) -> float | None:
    return value if value is not None and isfinite(value) else None
