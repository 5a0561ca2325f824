"""Can this winner be trusted? The answer in one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unswayed.core.tampering.threat import Threat
from unswayed.judgement.words import doubtful, loses, sure, suspects
from unswayed.text import at_least, at_most, listed, printable

if TYPE_CHECKING:
    from unswayed.audits.result import Audit


def verdict(audit: Audit) -> str:
    """Can this winner be trusted? Yes, not against this threat, or no; and why."""
    if audit.winner_without_suspects != audit.winner:
        unexplained = suspects(len(audit.suspects), "measurement")
        return loses(unexplained, audit.winner_without_suspects, audit.describe)
    if audit.decisive_sources:
        names = listed([printable(name, limit=200) for name in audit.decisive_sources])
        sources = f"the measurements of source{'s' if len(audit.decisive_sources) > 1 else ''} {names}"
        return loses(f"{sources}, which the others do not explain", audit.winner_without_decisive, audit.describe)
    options = [suspect.option for suspect in audit.suspects]
    if (doubt := doubtful(options, audit.counts.__getitem__, audit.describe, "measurement")) is not None:
        return doubt
    return _proved(audit) if audit.certificate is not None else _fitted(audit)


def _proved(audit: Audit) -> str:
    c = audit.certificate
    assert c is not None
    confidence = sure(c.delta)
    if len(c.candidates) == 1 and c.threat.none:
        return f"Yes, unless the data were tampered with: it is certified, {confidence}, to be the best."
    if len(c.candidates) == 1:
        return f"Yes: it is certified, {confidence}, to be the best if {c.threat.condition}."
    if not c.threat.bounded:
        return f"Not against {c.threat}: nothing is certified unless low and high are given for honest values."
    # A limit of 0 is worth saying for counts only: without any lie the winner is the best.
    limits = [one for one in audit.limits if one.certified is not None and getattr(c.threat, one.kind) > 0]
    conditions = [_withstands(one.kind, one.certified or 0.0) for one in limits if one.certified or one.kind != "total"]
    if conditions:
        only = f"only if {' or '.join(conditions)}"
        return f"Not against {c.threat}: it is certified, {confidence}, to be the best {only}."
    return (
        f"No: {len(c.candidates)} of {len(audit.points):,} options may be the best; {confidence} no more is certified."
    )


def _withstands(kind: str, limit: float) -> str:
    if limit == 0:
        return "no measurement is false" if kind == "lies" else "no source lies"
    if kind == "total":
        return Threat(total=float(at_least(limit))).condition
    return Threat(**{kind: int(limit)}).condition


def _fitted(audit: Audit) -> str:
    fitted = audit.credible
    if fitted is None:
        return "No: the measurements are too few, or too noisy, to tell the options apart."
    model = "the fitted model" if audit.assumptions.estimated else "the given model"
    if fitted.best_untampered < fitted.probability:
        close = min(audit.rivals, key=lambda rival: rival.lead / max(rival.deviation or 0.0, 1e-300))
        return (
            f"No: by {model}, another option is better with a probability of {1 - fitted.best_untampered:.2g}. Its "
            f"lead over {audit.describe(close.option)} is {close.lead:.4g} ± {close.deviation:.2g}."
        )
    if audit.unequal_noise:
        return "No: the repeats of some options differ much more than those of others; the model takes all for equal."
    best = f"with {100 * fitted.probability:.4g}% probability, by {model}, it is the best"
    if fitted.threat.none:
        return f"Yes, unless the data were tampered with: {best}."
    if (reason := _overturned(audit, fitted.threat)) is not None:
        return f"Not against {fitted.threat}: {reason}."
    if fitted.best < fitted.probability:
        return f"Not against {fitted.threat}: allowing for noise as well, another option may be better."
    return f"Yes: {best}, even with {fitted.threat}."


def _overturned(audit: Audit, threat: Threat) -> str | None:
    """What of a threat is enough to change the winner, if it is."""
    if audit.breakdown_budget == 0:
        return f"it ties with {audit.describe(audit.rival)}"
    least = min(audit.breakdown_budget, audit.breakdown_budget_refit)
    enough = [str(Threat(total=float(at_most(least))))] if 0 < least <= threat.total else []
    for kind, number in (("lies", audit.breakdown_lies), ("liars", audit.breakdown_sources)):
        if number is not None and number <= getattr(threat, kind):
            enough.append(str(Threat(**{kind: number})))
    if enough:
        return f"{' or '.join(enough)} would have been enough to change the winner"
    if audit.lowest_lead is not None and audit.lowest_lead <= 0:
        return "together they are enough to change the winner"
    return None
