"""An answer in words: the recommendation, how far to trust it, what was set aside, and who was not believed."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from unswayed.core.tampering.threat import DOUBTED, Threat
from unswayed.core.tampering.trust import TrustLevel
from unswayed.judgement.verdict import short
from unswayed.judgement.words import count_less, noisier
from unswayed.spaces import Options
from unswayed.text import at_least, counted, listed, printable, resolved

if TYPE_CHECKING:
    from unswayed.search.answer import Answer
    from unswayed.search.play import Play
    from unswayed.spaces import Point

LISTED = 10  # plays and sources that are named
NAMED = 180  # characters of a point in a sentence


def brief(answer: Answer) -> list[str]:
    """The decision in a few lines."""
    return short(decision(answer))


def decision(answer: Answer) -> list[str]:
    """What to use, what it is worth at least, what else it might be, and what to do: a paragraph for each."""
    measured = f"{counted(answer.measured, 'measurement')}{_of_options(answer)}"
    single = _single(answer)
    aside = f"; set aside {_which(answer, single)}: the others do not explain {_it(single)}" if single else ""
    parts = [
        f"{_title(answer)}: {named(answer, answer.point)}, estimated at {answer.shown_estimate}.",
        _unknown(answer),
        _challenger(answer),
        _guaranteed(answer),
        answer.bound,
        *_sources(answer)[:2],
        *_warnings(answer),
        f"{measured}{aside}.",
        _failed(answer),
    ]
    return [part for part in parts if part]


def named(answer: Answer, point: Point) -> str:
    """A point in the user's own names; of very many parameters the first ones."""
    words = answer.space.describe(point)
    if len(words) <= NAMED:
        return str(words)
    return f"{words[: words.rfind(', ', 0, NAMED) + 1 or NAMED]} ... (all: answer.point)"


def _title(answer: Answer) -> str:
    """What the point is called: of unknown precision it is no more than a guess."""
    return "Best so far" if _imprecise(answer) else "Recommended"


def _imprecise(answer: Answer) -> bool:
    """Whether the measurements do not say how precise the estimate is."""
    return answer.deviation is None and not answer.flat


def _unknown(answer: Answer) -> str:
    """What to do where the measurements do not say how precise the estimate is."""
    return "How far off that is cannot be told: measure more, and some points twice." if _imprecise(answer) else ""


def _guaranteed(answer: Answer) -> str:
    """What the point is worth at least."""
    threat, span = answer.threat, answer.span
    if (threat is not None and threat.none) or span.width <= 0:
        return ""
    if threat is None:
        against = "one source lies" if len(answer.sources) > 2 else "one measurement is false"
    else:
        against = threat.condition.replace("did not exceed", "is at most")
    left = span.high - answer.guaranteed if answer.minimize else answer.guaranteed - span.low
    if left <= 0.01 * span.width:
        again = {0: ": measure it before you use it", 1: ": measure it once more before you use it"}
        return f"Nothing is left of that if {against}{again.get(len(_measured_here(answer)), '')}."
    more = "less" if answer.minimize else "more"
    value = _value(answer, answer.guaranteed)
    return f"If {against}, the same model estimates it at {value} or {more} from the true values."


def _challenger(answer: Answer) -> str:
    """What would be best if every measurement were true, and how to find out."""
    if answer.challenger is None or answer.measure_again is None:
        return ""
    lead, rival = _value(answer, answer.challenger_lead), named(answer, answer.challenger)
    again = answer.space.describe(answer.measure_again)
    where = "it" if again == answer.space.describe(answer.challenger) else named(answer, answer.measure_again)
    return f"If every measurement is true, {rival} is estimated {lead} better. Next: measure {where} again."


def _of_options(answer: Answer) -> str:
    """Of how many options there are measurements, if not of all: nothing is known of the others."""
    if not isinstance(answer.space, Options):
        return ""
    known = len({answer.space.describe(play.point) for play in answer.plays if play.measured})
    return "" if known == answer.space.size else f" of {known:,} of the {counted(answer.space.size, 'option')}"


def _value(answer: Answer, value: float) -> str:
    """A value, or a distance, to about a thousandth of the range."""
    return resolved(value, answer.span.width)


def _failed(answer: Answer) -> str:
    if not answer.failures:
        return ""
    last, count = answer.failures[-1], len(answer.failures)
    if (noun := _noun(answer)) == "trial":  # their reasons are two: pruned, failed
        kinds = Counter(play.reason for play in answer.failures)
        return f"Without a value: {listed([counted(n, f'{reason} {noun}') for reason, n in kinds.items()])}."
    failed = "1 play failed" if count == 1 else f"{count:,} plays failed; the last"
    return f"{failed}, number {last.number}: {last.reason}"


def explanation(answer: Answer) -> list[str]:
    """Everything that is known, a line for each part."""
    lines = [f"Recommended: {answer.space.describe(answer.point)}, estimated at {answer.shown_estimate}."]
    lines += [_guaranteed(answer), _challenger(answer), answer.sentence, *_levels(answer), *_warnings(answer)]
    return [line for line in (*lines, _aside(answer), *_sources(answer), _failed(answer)) if line]


def _levels(answer: Answer) -> list[str]:
    """How much tampering the recommendation survives."""
    b, describe = answer.breakdown, answer.space.describe
    if not answer.weighed:
        alike = answer.continuum and not (answer.flat or b.possible)
        return [f"No other point that could be recommended is {_worse(answer)}."] if alike else []
    again = " With the model estimated again, less may be enough." if answer.assumptions.estimated else ""
    lines = [] if answer.threat is not None else ["You named no threat; this is what each kind would mean:"]
    less = "Estimates count less one standard deviation."
    less += " Points that rest on too little to be recommended are left out." if answer.challenger is not None else ""
    lines.append(
        f"Breakdown budget, with the model held fixed: {at_least(b.budget)}. Less tampering with the measurements "
        f"kept would not have put ahead {_other_point(answer)}; this much, on measurements at {describe(b.pivot)}, "
        f"could have put {describe(b.rival)} ahead. {less}{again}"
    )
    return [*lines, _counts(answer), doubted(answer)]


def doubted(answer: Answer) -> str:
    """Whether what is doubted, or else what nobody witnessed, could have changed the recommendation."""
    if answer.doubted_alone is None:
        return ""
    could = "could" if answer.doubted_alone else "could not"
    what = DOUBTED[(answer.threat or Threat()).doubt or TrustLevel.SELF_REPORTED]
    return f"Other values of all kept {what} {could} have put ahead {_other_point(answer)}."


def what_if(answer: Answer, kind: str, amount: float) -> str:
    """What tampering of one kind alone could have done to the recommendation, with the model held fixed.

    Args:
        answer: The answer; its values differ, and some tampering can change it.
        kind: total, lies or liars.
        amount: The sum of changes, or how many lies or liars.
    """
    b, change = answer.breakdown, f"put ahead {_other_point(answer)}"
    if b.budget == 0:
        return "No tampering is needed: another point is as good already."
    if kind == "total":
        up_to = f"Tampering of up to {amount:.4g} in all"
        if amount >= b.budget:
            return f"{up_to} could have {change}: {answer.space.describe(b.rival)}."
        lead = float(answer.lowest_leads[0]) * (1 - amount / b.budget)  # a minimum of lines is above its chord
        return f"{up_to} would not have {change}; the lead over every rival would still be at least {at_least(lead)}."
    few, noun = (b.lies, "false measurement") if kind == "lies" else (b.liars, "lying source")
    up_to = f"Up to {counted(int(amount), noun)}"
    return f"{up_to} {'would not' if few is None or amount < few else 'could'} have {change}."


def _other_point(answer: Answer) -> str:
    """Which other points count as a change: in a continuum not those that are as good up to the noise."""
    return f"a point that is {_worse(answer)}" if answer.continuum else "another point"


def _worse(answer: Answer) -> str:
    known = "estimated at " if "noise" in answer.assumptions.estimated else ""
    return f"worse by more than the noise ({known}{answer.assumptions.noise_std:.3g})"


def _counts(answer: Answer) -> str:
    """From which numbers on lies could have changed the recommendation."""
    b, span = answer.breakdown, answer.span
    unknown = [words for words, given in (("lowest", span.low_given), ("highest", span.high_given)) if not given]
    part, kept = "range" if len(unknown) == 2 else "".join(unknown), "of those kept" if answer.set_aside else "observed"
    seen = f" (the {part} {kept})" if unknown else ""
    fixed = "the model and what is set aside" if answer.set_aside else "the model"
    kinds = [_count(b.lies, "false measurement")]
    kinds += [_count(b.liars, "lying source")] if len(answer.sources) > 1 else []
    values = f"values between {answer.shown_range}{seen}"
    changed = f"put ahead {_other_point(answer)}"
    return f"With {fixed} held fixed and {values}, what could have {changed}: {'; '.join(kinds)}."


def _count(least: int | None, noun: str) -> str:
    if least is None:
        return f"no number of {noun}s"
    if least == 0:
        return f"no {noun} is needed, another point is as good already"
    return f"1 {noun}" if least == 1 else f"{counted(least, noun)}, but not {least - 1:,}"


def _warnings(answer: Answer) -> list[str]:
    """Where what was told contradicts the threat, and where the estimate rests on a correction alone."""
    threat, lines = answer.threat or Threat(), []
    if threat.liars and not answer.sources:
        lines.append(
            f"You allowed {counted(threat.liars, 'lying source')}, but no measurement names its source, so each may be "
            "false: tell who measured it."
        )
    off = {s.name for s in answer.sources if s.offset and not s.set_aside}
    if off and (here := {play.source for play in _measured_here(answer)}) and here <= off:
        lines.append(
            "This point was measured only by a source whose values were corrected, so its estimate is as uncertain as "
            "the correction: have another source measure it."
        )
    bounded = threat.low is not None or threat.high is not None
    told = [(play.number, play.value) for play in answer.plays if bounded and play.measured]
    if outside := tuple(number for number, value in told if value is not None and threat.clipped(value) != value):
        lines.append(
            f"Outside the range of honest values that you gave: {_which(answer, outside)}. Such a value is "
            "false, or the range is wrong; the nearer end is used instead."
        )
    return lines


def _measured_here(answer: Answer) -> list[Play]:
    """The measurements kept at the recommended point."""
    aside = set(answer.set_aside)
    return [p for p in answer.plays if p.point == answer.point and p.measured and p.number not in aside]


def _aside(answer: Answer) -> str:
    """Which plays were set aside, what they add up to, and how that compares with the threat."""
    measured, aside = counted(answer.measured, "measurement"), answer.set_aside
    if not aside:
        return f"{measured}, none of them set aside."
    off = f"{answer.set_aside_total:.3g} in all"
    text = f"{measured}; set aside {len(aside):,} of them ({_which(answer, aside)}), {off}, because the "
    threat, allowed = answer.threat, ""
    if threat is not None:
        allowed = f"; you allowed {threat}{', not counting ' + uncounted if (uncounted := _uncounted(answer)) else ''}"
    return f"{text}others do not explain {_it(aside)}{allowed}."


def _single(answer: Answer) -> tuple[int, ...]:
    """The plays that are set aside, but not with their source."""
    out = {source.name for source in answer.sources if source.set_aside}
    theirs = {play.number for play in answer.plays if play.source in out}
    return tuple(number for number in answer.set_aside if number not in theirs)


def _which(answer: Answer, aside: tuple[int, ...]) -> str:
    """Plays, by their numbers."""
    more = [f"{len(aside) - LISTED:,} more"] if len(aside) > LISTED else []
    return f"{_noun(answer)}{'' if len(aside) == 1 else 's'} {listed([*map(str, aside[:LISTED]), *more])}"


def _noun(answer: Answer) -> str:
    """What a play is called: a trial by Optuna."""
    return getattr(answer.space, "called", "play")


def _it(aside: tuple[int, ...]) -> str:
    return "it" if len(aside) == 1 else "them"


def _uncounted(answer: Answer) -> str:
    """What the threat does not count, if more was set aside than it allows."""
    threat, single = answer.threat or Threat(), len(_single(answer))
    if threat.doubt:
        return ""
    if threat.lies or threat.liars:
        return "gross faults" if single > threat.lies and not threat.total else ""
    more = answer.set_aside_total > threat.total
    return "noise (two standard deviations of each) and gross faults" if more else ""


def _sources(answer: Answer) -> list[str]:
    """The sources that are not believed, off, or noisier."""
    lines = []
    for s in sorted(answer.sources, key=lambda one: (not one.set_aside, not one.offset)):
        name = f"Source {printable(s.name, limit=60)}"
        if s.set_aside:
            its = counted(s.measurements, "measurement")
            lines.append(f"{name} is set aside: its {its} contradict{'s' if s.measurements == 1 else ''} the others.")
            continue
        less = count_less(s.measurements, s.noise_factor)
        if s.offset:
            off = f"{abs(s.offset):.3g} {'above' if s.offset > 0 else 'below'} the others"
            drifts = f" on average and drifts by {s.drift:.3g} over the study" if s.drift else ""
            noise = f" It is also {noisier(s.noise_factor)}: {less}." if s.noisier else ""
            lines.append(f"{name} reads {off}{drifts}; this was taken off.{noise}")
        elif s.noisier:
            lines.append(f"{name} is {noisier(s.noise_factor)}: {less}.")
    if any(s.suspicious for s in answer.sources) and len(answer.sources) == 2:
        lines.append("With two sources it cannot be told which one is off; the estimate may be off by as much.")
    more = len(lines) - LISTED
    return lines if more < 1 else [*lines[:LISTED], f"{counted(more, 'more source')} like these: see answer.sources."]
