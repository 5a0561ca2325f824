"""Findings in words: what the answer of a study and every audit say alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

import numpy as np

from unswayed.core.tampering.certificate import Certificate
from unswayed.core.tampering.threat import Threat
from unswayed.judgement.assumptions import Assumptions
from unswayed.judgement.credible import Credible
from unswayed.judgement.findings import Source
from unswayed.text import at_most, counted, listed, some_of

NOTHING_ELSE = "nothing else was tampered with"
MOST_NAMED = 10  # suspects, sources or plays that are named
DOUBTFUL = 0.25  # share of an option's measurements: with so many suspects its value is not known
LIE = "false measurement"


def sure(delta: float) -> str:
    """With which confidence something is proved."""
    return f"with {100 * (1 - delta):.4g}% confidence"


def threat_words(threat: Threat, lie: str) -> str:
    """A threat, where a lie may have a name of its own."""
    return str(threat).replace(LIE, lie)


def more(number: int, shown: int) -> list[str]:
    """The line that follows a list that is cut."""
    return [f"  and {number - shown:,} more"] if number > shown else []


def who_wins(winner: int | None, describe: Callable[[int], str]) -> str:
    """Who wins with a part of the measurements."""
    return "too little is left to compare" if winner is None else f"{describe(winner)} wins"


def suspects(number: int, noun: str) -> str:
    """The measurements that are left out in such a verdict."""
    return f"the {counted(number, noun)} that the others do not explain"


def still_wins(suspects: int, winner: int | None, describe: Callable[[int], str]) -> list[str]:
    """The line that follows the suspects: who wins without them."""
    if winner is None:
        return []
    return [f"Without {'it' if suspects == 1 else 'them'} {describe(winner)} wins."]


def doubtful(
    options: Iterable[int], total: Callable[[int], int], describe: Callable[[int], str], noun: str
) -> str | None:
    """The verdict if a large part of the measurements of an option is not explained; `options` are of the suspects."""
    for option, count in Counter(options).most_common():
        if count >= DOUBTFUL * total(option):
            part = some_of(count, total(option), noun)
            return f"No: {part} of {describe(option)} cannot be explained by the others."
    return None


def noisier(factor: float) -> str:
    """How much noisier a source is than the others."""
    return f"about {_times(factor)} times noisier than the others"


def count_less(measurements: int, factor: float) -> str:
    """What that means for its measurements."""
    counts = "measurement counts" if measurements == 1 else f"{measurements:,} measurements count"
    return f"its {counts} {_times(factor**2)} times less"


def _times(number: float) -> str:
    """A multiple with two digits."""
    return f"{float(f'{number:.2g}'):,.6g}"


def could_alone(source: Source) -> str:
    """Whether a source alone could have changed the winner."""
    return "could have overturned it alone" if source.alone else "could not have overturned it alone"


def range_supposed(bound: Certificate | Credible | None, span: str) -> str:
    """What a bound supposes if lies are counted: that the range of honest values holds."""
    if bound is None or not bound.threat.false_values or not np.isfinite(bound.largest_gap):
        return ""
    return f" This supposes that every honest value lies {span}."


def gap_sentence(
    proved: Certificate | None,
    fitted: Credible | None,
    model: Assumptions,
    *,
    claim: str,
    measured: int,
    span: str,
    hint: str = "",
    kept: bool = False,
    flat: bool = False,
) -> str:
    """How far a recommendation is from the best, in words: proved, fitted, or that it cannot be said.

    Args:
        proved: The certificate, if everything was given.
        fitted: The credible bound, else, if there is one.
        model: What either rests on.
        claim: What is said of the recommendation, with a place for the distance.
        measured: How many measurements there are.
        span: The range of honest values, in words.
        hint: What to add if there are too few.
        kept: Whether it rests on a part of the measurements, because others were set aside.
        flat: Whether most points that were measured have the same value.
    """
    if proved is not None:
        begin, percent = "Certified: with", f"{100 * (1 - proved.delta):.4g}% confidence"
        gap, threat = proved.largest_gap, proved.threat
    elif fitted is not None:
        what = f"fitted model (estimated: {listed(model.estimated)})" if model.estimated else "given model"
        begin, percent = f"Under the {what}, with", f"{100 * fitted.probability:.4g}% probability"
        gap, threat = fitted.largest_gap, fitted.threat
    elif flat:
        return f"Most points that were measured have the same value: nothing can be said of how far the best is.{hint}"
    else:
        return f"{too_few(measured)}{hint}"
    if not np.isfinite(gap):
        return f"Nothing can be said of how far this is from the best, if there may be {threat} without a known range."
    condition = condition_of(threat, proved=proved is not None, kept=kept)
    rounded = "" if proved is None or proved.resolved else f" {proved.rounding_note}"
    words = f"{begin} {percent} {claim.format(at_most(gap))}, if {condition}.{rounded}"
    return words + range_supposed(proved or fitted, span)


def condition_of(threat: Threat, *, proved: bool, kept: bool) -> str:
    """Under which condition a bound holds. What was set aside counts as tampering, except for a proof.

    Args:
        threat: What the bound allows for.
        proved: Whether it is proved, from all measurements.
        kept: Whether it rests on a part of the measurements.
    """
    return threat.condition if proved or not (kept and threat.none) else NOTHING_ELSE


def too_few(measured: int) -> str:
    """What to say of the distance from the best without a bound."""
    return f"Too few measurements, or too noisy ones, to say how far this is from the best: {measured:,} so far."
