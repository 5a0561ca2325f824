"""Can this winner of an audit of points be trusted? Three answers, and what to do next.

An option counts as the winner too if it is not better by more than a tie. So the three questions are: is the winner
within a tie of the best option that was measured, if all is honest; does an option that is better by more win without
the measurements that the others do not explain; and how little tampering lets an option draw level that is worse by
more. Where no threat is stated, a winner that was measured once, and that the others do not confirm, is too early.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from unswayed.audits.sources import winner_without
from unswayed.core.tampering.influence import pairwise_deviation
from unswayed.core.tampering.threat import Threat
from unswayed.judgement.verdict import Evidence, Luck, Robustness, Verdict
from unswayed.judgement.words import count_less, noisier
from unswayed.text import at_least, at_most, counted, listed, number, plus_minus, printable, resolved

if TYPE_CHECKING:
    from unswayed.audits.case import AuditCase
    from unswayed.audits.result import Audit
    from unswayed.core.tampering.certificate import Certificate

LONGEST = 120  # characters of the winner in the first lines
SHORTER = 60  # of another option there
NAMED = 30  # of a source
MOST_PLACES = 3  # suspects that are named


def answered(audit: Audit, case: AuditCase, honest: Certificate | None) -> Audit:
    """The audit with its three answers.

    Args:
        audit: What was found.
        case: The measurements.
        honest: The certificate if nothing was tampered with, where there is one.
    """
    luck = _luck(audit, case, honest)
    headline = f"{audit.short_label(audit.winner, LONGEST)}, {_worth(audit)}."
    evidence, robustness = _evidence(audit), _robustness(audit, case, luck)
    found = replace(audit, luck=luck, evidence=evidence, robustness=robustness, headline=headline)
    return replace(found, next_step=_next(found, case))


def _next(audit: Audit, case: AuditCase) -> str:
    """What to do now, in a sentence."""
    verdict = audit.verdict
    if verdict is Verdict.EARLY and case.equal:
        if audit.counts.max() == 1:
            return "Next: measure every option at least twice; then the noise is known."
        return "Next: if smaller differences matter to you, give a smaller tie."
    if verdict is Verdict.TAMPERED:
        if audit.decisive_sources and not audit.suspects:
            return "Next: look at where that source's values come from, then measure there again."
        there = _called(audit, audit.suspects[0].option) if len(audit.suspects) == 1 else "there"
        return f"Next: look at where {_places(audit)} came from, then measure {there} again."
    if audit.robustness.single:
        return "Next: measure the winner once more; so far it rests on one measurement."
    if verdict is Verdict.EARLY:
        return f"Next: measure {_called(audit, _undecided(audit, case))} again."
    if verdict is Verdict.WITHIN:
        first = audit.plan.changes[0].option if audit.plan.changes else audit.winner
        return f"Next: measure {_called(audit, first)} again, by somebody else."
    return "Next: use it."


def _called(audit: Audit, option: int) -> str:
    """An option in a sentence; the winner has been named before."""
    return "the winner" if option == audit.winner else audit.short_label(option, SHORTER)


def _undecided(audit: Audit, case: AuditCase) -> int:
    """The option whose measurement decides most: of the winner and the likeliest rival, the one that is less known."""
    unit, posterior, tie = case.model.output_scale, case.posterior, audit.tie
    lead = unit * (posterior.mean[case.winner] - posterior.mean) + tie
    deviation = unit * pairwise_deviation(posterior.covariance, case.winner)
    chance = np.full(len(lead), np.inf)
    np.divide(lead, deviation, out=chance, where=deviation > 0)
    chance[case.winner] = np.inf
    rival = int(np.argmin(chance))
    return rival if audit.deviation[rival] > audit.deviation[case.winner] else case.winner


def _worth(audit: Audit) -> str:
    """The estimate of the winner; its interval where it reaches the end of a stated range."""
    estimate, deviation, span = audit.estimate[audit.winner], audit.deviation[audit.winner], audit.span
    low, high = estimate - deviation, estimate + deviation
    if (span.low_given and low < span.low) or (span.high_given and high > span.high):
        ends = max(low, span.low) if span.low_given else low, min(high, span.high) if span.high_given else high
        return f"estimated between {resolved(ends[0], deviation)} and {resolved(ends[1], deviation)}"
    return f"estimated at {plus_minus(estimate, deviation)}"


def _luck(audit: Audit, case: AuditCase, honest: Certificate | None) -> Luck:
    """Whether the winner is within a tie of the best of those measured, if every measurement is honest."""
    tie, options = at_most(audit.tie, 2), f"the best of the {len(audit.points):,} measured"
    near = f"If all is honest, it is {f'within {tie} of ' if audit.tie > 0 else ''}{options}"
    if case.equal:
        return Luck(False, None, None, f"All options count as equal: the estimates differ by {tie} or less.")
    if honest is not None:
        better, sure = honest.largest_gap <= audit.tie, f"{100 * (1 - honest.delta):.4g}%"
        if better:
            return Luck(True, True, honest.delta, f"{near} ({sure} sure, proved, at any time).")
        close = counted(len(honest.candidates), "option")
        return Luck(
            False, False, None, f"{close} of {len(audit.points):,} may be the best; no more is proved ({sure})."
        )
    fitted = audit.credible
    if fitted is None:
        return Luck(False, None, None, "The measurements are too few, or too noisy, to tell the options apart.")
    chance = 1 - fitted.best_untampered
    if chance > 1 - fitted.probability:
        than = f"by more than a tie ({tie})" if audit.tie > 0 else "at all"
        kept = "By the others, the chance" if audit.suspects else "Chance"
        colon = " is" if audit.suspects else ":"
        return Luck(False, None, chance, f"{kept} that another option is better {than}{colon} {_percent(chance)}.")
    if audit.unequal_noise and not _ahead(case, audit.tie, 1 - fitted.probability):
        return Luck(False, None, None, "Some options are much noisier than others; allowing for that it may be chance.")
    return Luck(True, None, chance, f"{near} ({100 * fitted.probability:.4g}% sure, judged once).")


def _percent(chance: float) -> str:
    """A probability that was found by drawing: never 0 or 100%."""
    return "over 99%" if chance > 0.99 else f"{max(100 * chance, 0.1):.2g}%"


def _ahead(case: AuditCase, tie: float, delta: float) -> bool:
    """Whether the means say the same, if every option has a noise of its own (Welch's test, for all rivals)."""
    return case.fit.ahead(case.data, case.winner, tie, delta)


def _evidence(audit: Audit) -> Evidence:
    """Whether another option wins without what the others do not explain."""
    suspects, wins = len(audit.suspects), audit.winner_without_suspects
    which, without = _suspects(audit) if suspects else "", "without it" if suspects == 1 else "without them"
    if suspects and wins != audit.winner:
        then = "too little is left to compare" if wins is None else f"{_called(audit, wins)} wins"
        return Evidence(True, suspects, f"The other measurements do not explain {which}; {without}, {then}.")
    if audit.decisive_sources:
        names = listed([printable(name, limit=NAMED) for name in audit.decisive_sources[:3]])
        wins = audit.winner_without_decisive
        then = "too little is left" if wins is None else f"{_called(audit, wins)} wins"
        return Evidence(True, suspects, f"The other sources do not explain source {names}; without it, {then}.")
    if (option := _doubtful(audit)) is not None:
        return Evidence(
            True,
            suspects,
            f"The other measurements do not explain {which}, and {_called(audit, option)} rests on this.",
        )
    if suspects:
        return Evidence(
            False, suspects, f"The other measurements do not explain {which}; {without}, the winner is the same."
        )
    odd = [printable(one.name, limit=NAMED) for one in audit.sources if one.suspicious]
    if odd:
        return Evidence(
            False, 0, f"The other sources do not explain source {listed(odd[:3])}; without it, the winner is the same."
        )
    if audit.lumped:
        return Evidence(False, 0, "Of values that are yes and no, or heap up at one end, none can be seen to be false.")
    return Evidence(False, 0, f"No measurement looks false beside the others.{_noisiest(audit)}")


def _noisiest(audit: Audit) -> str:
    """The source that is noisier than the others by most, if one is, and what that means."""
    one = max(audit.sources, key=lambda source: source.noise_factor, default=None)
    if one is None or not one.noisier:
        return ""
    less = f": {count_less(one.measurements, one.noise_factor)}" if "noise" in audit.assumptions.estimated else ""
    return f" Source {printable(one.name, limit=NAMED)} is {noisier(one.noise_factor)}{less}."


def _suspects(audit: Audit) -> str:
    """The suspects in a few words."""
    if len(audit.suspects) != 1:
        return _places(audit)
    one, noise = audit.suspects[0], audit.assumptions.noise_std
    return f"{audit.place(one.row)} ({number(one.value, noise)} where {resolved(one.expected, 10 * noise)} is expected)"


def _places(audit: Audit) -> str:
    """Where the suspects stand."""
    noun, *_ = audit.place(0).rsplit(" ", 1)
    places = [audit.place(one.row).removeprefix(f"{noun} ") for one in audit.suspects[:MOST_PLACES]]
    places += [f"{more:,} more"] if (more := len(audit.suspects) - len(places)) else []
    return f"{noun}{'' if len(places) == 1 else 's'} {listed(places)}"


def _doubtful(audit: Audit) -> int | None:
    """An option whose value matters and is not known, because half of what was measured of it is not explained.

    It matters if it is the winner, or if what is not explained is better than the winner by more than a tie.
    """
    sign = -1.0 if audit.minimize else 1.0
    best = sign * audit.estimate[audit.winner] + audit.tie
    matter = [one.option for one in audit.suspects if one.option == audit.winner or sign * one.value > best]
    return next((i for i, count in Counter(matter).most_common() if 2 * count >= audit.counts[i]), None)


def _robustness(audit: Audit, case: AuditCase, luck: Luck) -> Robustness:
    """What would have been enough to let another option draw level; and whether the threat is."""
    threat, beside = audit.threat, _beside(audit)
    if threat is None and _single(audit, case):
        return Robustness(
            False, "The winner was measured once; without this measurement another option wins.", single=True
        )
    least = [f"{counted(audit.breakdown_lies, 'false measurement')}"] if audit.breakdown_lies else []
    least += [_shifted(audit)] if audit.source_shift is not None else []
    if audit.breakdown_lies == 0:
        return Robustness(False, "No false measurement is needed to change the winner: another option is as good.")
    if threat is None or threat.none:
        if not least:
            return Robustness(False, "No number of false measurements within the range changes the winner.")
        return Robustness(False, f"{_sentence(' or '.join(least))} could have changed the winner{beside}.")
    if (enough := _enough(audit, threat)) is not None:
        stated = "the threat" if enough == str(threat) else f"the threat ({threat})"
        return Robustness(True, f"{_sentence(enough)} could have changed the winner: that is within {stated}.")
    if audit.certificate is not None and not audit.certificate.threat.bounded:
        return Robustness(
            True, f"Against {threat} nothing is proved: a false value may be of any size: give low and high."
        )
    if luck.better and not _withstands(audit):
        return Robustness(True, f"With {threat} and the noise, another option may be better.")
    more = f"; {least[0]} would be enough" if least else ""
    return Robustness(False, f"The winner withstands {threat}{more}{beside}.")


def _sentence(text: str) -> str:
    """A text as the beginning of a sentence."""
    return text[:1].upper() + text[1:]


def _single(audit: Audit, case: AuditCase) -> bool:
    """Whether the winner was measured once, and another option wins without this."""
    kept = case.data.arms != case.winner
    return audit.counts[audit.winner] == 1 and case.winner != winner_without(
        case.given, case.data, case.winner, kept, case.tie
    )


def _beside(audit: Audit) -> str:
    """The evidence that was found, beside what is needed."""
    suspects = len(audit.suspects)
    return f"; {counted(suspects, 'measurement')} {'is' if suspects == 1 else 'are'} in doubt" if suspects else ""


def _withstands(audit: Audit) -> bool:
    """Whether the winner is within a tie of the best whatever the threat did."""
    if audit.certificate is not None:
        return audit.certificate.largest_gap <= audit.tie
    return audit.credible is not None and audit.credible.best >= audit.credible.probability


def _enough(audit: Audit, threat: Threat) -> str | None:
    """What of a threat is enough to change the winner, if it is."""
    least = min(audit.breakdown_budget, audit.breakdown_budget_refit)
    enough = [str(Threat(total=float(at_most(least))))] if 0 < least <= threat.total else []
    for kind, few in (("lies", audit.breakdown_lies), ("liars", audit.breakdown_sources)):
        if few is not None and 0 < few <= getattr(threat, kind):
            one = kind == "liars" and few == 1 and audit.source_shift is not None
            alone = Threat(lies=few) if kind == "lies" else Threat(liars=few)
            enough.append(_shifted(audit) if one else str(alone))
    if not enough and audit.lowest_lead is not None and audit.lowest_lead <= 0:
        return "Together they"
    return " or ".join(enough) or None


def _shifted(audit: Audit) -> str:
    """The source that needs least to change the winner alone, in its own units."""
    assert audit.source_shift is not None
    name, size = audit.source_shift
    return f"source {printable(name, limit=NAMED)} with each value {at_least(size, 2)} off"
