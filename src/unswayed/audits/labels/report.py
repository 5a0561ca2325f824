"""An audit of named options in words; the answer comes first."""

from __future__ import annotations

from math import ceil, isinf, log10
from typing import TYPE_CHECKING

import numpy as np

from unswayed.audits.labels.answers import UNEVEN, noun
from unswayed.audits.labels.data import named, place, short_label
from unswayed.audits.labels.notes import notes
from unswayed.judgement.verdict import Verdict
from unswayed.judgement.words import MOST_NAMED, more, still_wins, sure, too_few, who_wins
from unswayed.text import at_least, at_most, counted, number, resolved

if TYPE_CHECKING:
    from unswayed.audits.labels.audit import LabelAudit
    from unswayed.audits.labels.data import LabelData
    from unswayed.audits.labels.within import Within
    from unswayed.audits.weak_points import Suspect

LISTED = 14  # names in one sentence
POWER = 0.84  # deviations: a lead that is larger by them than what decides does so in four tests of five
LEAST_TIMES = 1.5  # times the data: with less, a new look is hardly worth it
LEAST_LIFT = 5e-4  # a smaller lead of values is easier to read in their own units
ANOTHER_LEAD = 0.1  # of the lead in total
MANY_TIMES, MOST_TIMES = 10, 100  # times the data: hardly worth it; so many that a number says nothing


def listed(names: list[str]) -> str:
    """Names with commas; long lists are cut."""
    rest = f" and {len(names) - LISTED:,} more" if len(names) > LISTED else ""
    return ", ".join(named(name) for name in names[:LISTED]) + rest


def runner_up(audit: LabelAudit) -> int:
    """The option with the second best estimate."""
    estimate = audit.estimate if audit.minimize else -audit.estimate
    return next(int(i) for i in np.argsort(estimate, kind="stable") if i != audit.winner)


def first_lines(audit: LabelAudit) -> list[str]:
    """The verdict, its reasons and what to do. What looks tampered with needs no line about chance."""
    luck = [] if audit.verdict is Verdict.TAMPERED else [audit.luck.sentence]
    reasons = [*luck, audit.evidence.sentence, audit.robustness.sentence]
    return [f"Verdict: {audit.verdict}. {audit.headline}", *reasons, audit.next_step, *notes(audit.data)]


def headline(audit: LabelAudit) -> str:
    """The winner, what it is worth, and its lead over the second best option."""
    data, winner, second = audit.data, audit.winner, runner_up(audit)
    label, other = short_label(audit.labels[winner]), short_label(audit.labels[second])
    if data.counts:
        s, n = int(data.option_successes[winner]), int(data.option_trials[winner])
        said = f"{label}, {percent(audit.estimate[winner])} ({n - s if data.minimize else s:,} of {n:,})"
    else:
        mean = resolved(audit.estimate[winner], 10 * float(abs(audit.estimate[winner] - audit.estimate[second])))
        said = f"{label}, mean {mean} ({counted(int(data.measured[winner]), 'measurement')})"
    if audit.tied:
        return f"{said}, ties with {listed([short_label(audit.labels[i]) for i in audit.tied[:2]])}."
    where = "below" if audit.minimize else "above"
    if audit.verdict is Verdict.TAMPERED or (audit.suspects and audit.overtaken_by is None):
        return f"{said}, is {_recorded(audit, second)} {where} {other} as recorded."
    if audit.overtaken_by is not None:
        better = short_label(audit.labels[audit.overtaken_by])
        return f"{said}, leads in total, but {better} leads within the sources: their mix differs."
    second = compared(audit)
    found, other = lift(audit, second), short_label(audit.labels[second]) + _within(audit, second)
    if found is None or (abs(found[0]) < LEAST_LIFT and not data.counts):
        lead, interval = _difference(audit, second)
        return f"{said}, is {lead} {where} {other}{interval}."
    ratio, low, high = (100 * (-x if audit.minimize else x) for x in found)
    low, high = sorted((low, high))
    return f"{said}, is {ratio:.3g}% {where} {other}{_interval(audit, f'{low:.3g}%', f'{high:.3g}%')}."


def _within(audit: LabelAudit, option: int) -> str:
    """Whether a lead is the one within the sources, if that is another one than the lead in total."""
    chance = audit.chance
    if chance is None or not chance.inside[option]:
        return ""
    total = float(abs(audit.estimate[audit.winner] - audit.estimate[option]))
    return " within the sources" if abs(chance.lead[option] - total) > ANOTHER_LEAD * total else ""


def compared(audit: LabelAudit) -> int:
    """The option that the winner is compared with: the second best one, or the one that leaves the verdict open."""
    second, chance = runner_up(audit), audit.chance
    if chance is None or audit.tied or not chance.adjusted[second] <= audit.delta < chance.probability:
        return second
    return chance.closest


def _difference(audit: LabelAudit, option: int) -> tuple[str, str]:
    """The lead over an option, and its interval if that is known: it ends where the given range does."""
    chance, data, winner = audit.chance, audit.data, audit.winner
    recorded = float(abs(audit.estimate[winner] - audit.estimate[option]))
    if chance is None or not np.isfinite(chance.lead[option]):
        return _amount(audit, recorded), ""
    lead, wide = float(chance.lead[option]), chance.half_width(option, audit.delta)
    most = data.span.high - data.span.low if data.span.given else np.inf
    low, high = max(lead - wide, -most), min(lead + wide, most)
    unit = 100 if data.counts else 1
    return _amount(audit, lead), _interval(audit, f"{unit * low:.3g}", f"{unit * high:.3g}")


def _amount(audit: LabelAudit, difference: float) -> str:
    """A difference of values, or of rates."""
    return f"{100 * difference:.3g} percentage points" if audit.data.counts else f"{difference:.3g}"


def _recorded(audit: LabelAudit, option: int) -> str:
    """The lead over an option in the data as they are: nothing is left out, and nothing is estimated."""
    a, b = float(audit.estimate[audit.winner]), float(audit.estimate[option])
    return f"{100 * abs(a / b - 1):.3g}%" if b > 0 and _never_negative(audit) else _amount(audit, abs(a - b))


def _never_negative(audit: LabelAudit) -> bool:
    """Whether values are such as rates and revenue, so that one is a percentage of another."""
    values = audit.data.values
    return audit.data.counts or min(audit.data.shown(v) for v in (values.min(), values.max())) >= 0


def _interval(audit: LabelAudit, low: str, high: str) -> str:
    return f" ({100 * (1 - audit.delta):.4g}%: {low} to {high})"


def percent(rate: float) -> str:
    """A rate in per cent; only a rate of 1 is 100%."""
    text = f"{100 * rate:.3g}"
    if text == "100" and rate < 1:
        text = f"{100 * rate:.{ceil(-log10(100 * (1 - rate)))}f}".rstrip("0")
    return f"{text}%"


def lift(audit: LabelAudit, option: int) -> tuple[float, float, float] | None:
    """The winner's value relative to that of an option, minus 1, and its interval (Fieller, 1954): at least -1.

    None if the values may be negative, or if the option may be at 0.
    """
    chance = audit.chance
    if chance is None or not np.isfinite(chance.lead[option]):
        return None
    b = float(audit.estimate[option])
    a = b + float(chance.lead[option]) * (-1 if audit.minimize else 1)
    each = chance.half_width(option, audit.delta) ** 2 / 2
    below = b * b - each
    if not _never_negative(audit) or b <= 0 or below <= 0:
        return None
    root = max((a * b) ** 2 - below * (a * a - each), 0.0) ** 0.5
    low, high = (a * b - root) / below - 1, (a * b + root) / below - 1
    return a / b - 1, max(low, -1.0), high


def next_step(audit: LabelAudit) -> str:
    """What to do now."""
    chance, winner = audit.chance, short_label(audit.labels[audit.winner])
    if audit.verdict is Verdict.TAMPERED or (audit.verdict is Verdict.EARLY and audit.suspects):
        return f"Next: look at {_where(audit)}; {_mend(audit)}, and audit again."
    if audit.verdict is Verdict.WITHIN:
        return f"Next: check the data of {winner} by other means, or measure more."
    if audit.verdict is Verdict.YES:
        if audit.shares is not None and audit.shares < UNEVEN:
            return f"Next: use {winner} if the uneven split was planned; if it was not, find out the reason first."
        return f"Next: use {winner}" + (f", and look at {_where(audit)}." if audit.suspects else ".")
    if audit.tied:
        return "Next: measure more."
    if chance is None and audit.data.measured.max() > 1:
        return "Next: measure more often, or with more digits: repeats that are all equal tell no noise."
    if chance is None:
        return "Next: measure every option at least twice."
    closest = chance.closest
    if np.isnan(chance.lead[closest]):
        return "Next: let the same sources measure all options."
    if chance.lead[closest] <= 0:
        return "Next: compare within the sources, or give every option the same share of each source."
    needed = chance.half_width(closest, audit.delta) + POWER * chance.deviation[closest]
    times = max((needed / chance.lead[closest]) ** 2, LEAST_TIMES)
    if not times < MANY_TIMES:
        much = f": it takes about {ceil(times)} times the data" if times < MOST_TIMES else ""
        return f"Next: go on only if so small a difference matters{much}."
    return f"Next: go on; with about {ceil(10 * times) / 10:.3g} times the data, such a lead would mostly decide."


def _where(audit: LabelAudit) -> str:
    """Where the first suspects are."""
    suspects = sorted(audit.suspects, key=lambda s: s.rows)
    places = list(dict.fromkeys(s.source if s.source is not None else place(s.row or 0, audit.lines) for s in suspects))
    rest = f" and {len(places) - 2:,} more" if len(places) > 2 else ""
    return ", ".join(short_label(at) for at in places[:2]) + rest


def _mend(audit: LabelAudit) -> str:
    """What to do with what is false: without it, options must still be compared within the same sources."""
    sources = {s.source for s in audit.suspects if _empties(audit.data, s)}
    if not sources:
        return "correct or leave out what is false"
    them = "that source" if len(sources) == 1 else "those sources"
    return f"correct what is false, or leave {them} out for all options"


def _empties(data: LabelData, suspect: Suspect) -> bool:
    """Whether a source has nothing else of the suspect's option."""
    if suspect.source is None or data.sources is None:
        return False
    mine = (data.source == data.sources.index(suspect.source)) & (data.option == suspect.option)
    return int(mine.sum()) <= len(suspect.rows)


def sentence(audit: LabelAudit) -> str:
    """How far the winner is from the best, as far as that is proved."""
    proof, where = audit.certificate, audit.worse
    if proof is None:
        return too_few(len(audit.data.option))
    if isinf(proof.largest_gap) and audit.within is not None:
        return "How far this is from the best cannot be said: options and sources cannot be told apart."
    if isinf(proof.largest_gap):
        return "How far this is from the best cannot be said if a lie may be of any size: give low and high."
    begin = f"{sure(proof.delta)} {audit.describe(audit.winner)} is"
    best = f"the best of the {len(audit.labels):,} options"
    claim = best
    if not proof.best:
        gap, several = at_most(proof.largest_gap), f"{len(proof.candidates):,} of them may be that"
        claim = f"at most {gap} {where} {best}, and {several}"
    honest = audit.threat.condition.replace("measurement", "outcome" if audit.data.counts else "measurement")
    if audit.data.counts:
        varies = audit.chance is not None and audit.chance.varies
        holds = "as long as rates do not change" if not varies else "judged once, as far as rates vary like they did"
        at = "This holds at any time, however the trials were allocated, " if not varies else "This holds "
        return f"Certified: {begin} {claim}, if {honest}. {at}{holds}."
    noise = "the same normal noise in all options"
    if (stated := audit.data.noise_std) is not None:
        noise = "the stated noise" if proof.noise_std == stated.min() else "the noise of repeats, more than was stated"
    rest = " Measurements that the others do not explain are left out." if audit.suspects else ""
    design = "and numbers of measurements that do not depend on the values"
    return f"Given {noise}, {design}, {begin} {claim}, if {honest}.{rest}"


def results(audit: LabelAudit) -> list[str]:
    """The result, and what overturns it: a line for each."""
    data, winner, next_ = audit.data, audit.describe(audit.winner), audit.rivals[0]
    rows = counted(len(data.option), "row" if data.counts else "measurement")
    trials = f", {counted(int(data.option_trials.sum()), 'trial')}" if data.counts else ""
    lines = [f"{rows} of {len(audit.labels):,} options{trials}.", f"Winner: {winner}, {worth(audit, audit.winner)}."]
    if audit.tied:
        lines.append(f"It ties with {listed([audit.labels[i] for i in audit.tied])}; the first one is named.")
    else:
        lines.append(f"It is ahead of {audit.describe(next_.option)}, {worth(audit, next_.option)}.")
        lines += [] if audit.overtaken_by is not None else _overturned(audit)
    if audit.chance is not None and audit.chance.varies:
        lines.append("The options vary between rows, or sources, more than chance explains: this is allowed for.")
    if audit.within is not None:
        lines.append(_sources_differ(audit, audit.within))
    return [*lines, sentence(audit)]


def _sources_differ(audit: LabelAudit, within: Within) -> str:
    """Why the lead may be a difference between sources."""
    rival = audit.describe(within.rival)
    if within.lead is None or within.deviation is None:
        return f"No source measured both it and {rival}, so their difference may be one between sources."
    if within.lead <= 0:
        return f"The sources differ, and within the sources {rival} is better by {-within.lead:.2g}."
    lead = f"{within.lead:.2g} ± {within.deviation:.2g}"
    return f"The sources differ or vary, and within the sources its lead over {rival} is only {lead}."


def worth(audit: LabelAudit, option: int) -> str:
    """What an option is worth, in words."""
    data = audit.data
    if not data.counts:
        return f"with a mean of {number(audit.estimate[option])} ({counted(int(data.measured[option]), 'measurement')})"
    s, n = int(data.option_successes[option]), int(data.option_trials[option])
    return f"with a rate of {percent(audit.estimate[option])} ({n - s if data.minimize else s:,} of {n:,})"


def _overturned(audit: LabelAudit) -> list[str]:
    """The cheapest ways to overturn the result."""
    data, lies = audit.data, audit.breakdown_lies
    where = "" if data.counts else f" {audit.span}"
    given = "" if audit.span.given else " (give low and high if you know them)"
    lines = [
        f"{counted(lies, audit.lie)}{where} would have been enough to bring another option level; fewer would not"
        f"{given}. The cheapest plan, for {audit.describe(audit.rivals[0].option)}: {plan_words(audit)}."
    ]
    what = "rates of rows" if data.counts else "measurements"
    return [*lines, f"Changes of {what} by less than {at_least(audit.breakdown_budget)} in total cannot do it."]


def plan_words(audit: LabelAudit) -> str:
    """The cheapest changes, in words."""
    parts = []
    for change in audit.plan.changes[:MOST_NAMED]:
        option, to = audit.describe(change.option), change.instead
        if change.row is None:
            old, new = ("failure", "success") if to == 1 else ("success", "failure")
            ends = {"failure": "failures", "success": "successes"}
            if change.count == 1:
                parts.append(f"1 {old} of {option} becomes a {new}")
            else:
                parts.append(f"{change.count:,} {ends[old]} of {option} become {ends[new]}")
        else:
            value = number(change.value)
            parts.append(f"{place(change.row, audit.lines)} of {option} from {value} to {number(to)}")
    rest = f", and {len(audit.plan.changes) - MOST_NAMED:,} more" if len(audit.plan.changes) > MOST_NAMED else ""
    return ", ".join(parts) + rest


def could_win(audit: LabelAudit) -> list[tuple[int, int]]:
    """From how many lies on each rival could have won, in order."""
    return [(rival.lies or 0, rival.option) for rival in audit.rivals]


def threats(audit: LabelAudit) -> list[str]:
    """Who could have won, as a function of the number of lies."""
    steps = could_win(audit)[:5]
    lines = [f"Who could have won, by the number of {audit.lie}s:"]
    if steps[0][0] > 0:
        lines.append(f"  up to {steps[0][0] - 1:,}: {audit.describe(audit.winner)}")
    if audit.certificate is not None and audit.certificate.lies > 0:
        lines[-1] += f" (certified up to {audit.certificate.lies:,})"
    return [*lines, *(f"  from {lies:,}: also {audit.describe(option)}" for lies, option in steps)]


def source_lines(audit: LabelAudit) -> list[str]:
    """The sources without which another option wins."""
    if not audit.sources:
        return []
    changed = [s for s in audit.sources if s.without != audit.winner]
    number = counted(len(audit.sources), "source")
    if not changed:
        return [f"{number}. Without any one of them {audit.describe(audit.winner)} still wins."]
    lines = [f"{number}. Another option wins without:"]
    for source in changed[:MOST_NAMED]:
        rows, wins = counted(source.measurements, "row"), who_wins(source.without, audit.describe)
        lines.append(f"  {named(source.name)}, {rows}: without it {wins}")
    return lines + more(len(changed), MOST_NAMED)


def suspect_lines(audit: LabelAudit) -> list[str]:
    """What the others do not explain, option by option, and who wins without it."""
    if not audit.suspects:
        single = audit.data.single and audit.data.sources is None
        return ["Single outcomes are never suspected." if single else f"No {noun(audit.data)} is an outlier."]
    lines = []
    for option in dict.fromkeys(s.option for s in audit.suspects):
        mine = [s for s in audit.suspects if s.option == option]
        who = {s.source for s in mine}
        names = [name for name in audit.data.sources or () if name in who]
        of = f" from {counted(len(names), 'source')} ({listed(names)})" if names else ""
        what = counted(len(mine), noun(audit.data))
        lines.append(f"The others do not explain {what} of {audit.describe(option)}{of}:")
        lines += [f"  {suspect_words(audit, s)}" for s in mine[:MOST_NAMED]]
        lines += more(len(mine), MOST_NAMED)
    return lines + still_wins(len(audit.suspects), audit.winner_without_suspects, audit.describe)


def suspect_words(audit: LabelAudit, suspect: Suspect) -> str:
    """A suspect in words."""
    at = "" if suspect.row is None else place(suspect.row, audit.lines)
    where = ", ".join(filter(None, (named(suspect.source) if suspect.source is not None else "", at)))
    trials = "" if suspect.trials is None else f" in {counted(suspect.trials, 'trial')}"
    shown = percent if audit.data.counts else "{:.4g}".format
    value, expected = f"{shown(suspect.value)}{trials}", shown(suspect.expected)
    return f"{where}: {value} where {expected} is expected, {suspect.score:.1f} standard deviations"


def details(audit: LabelAudit) -> list[str]:
    """Everything else that was found."""
    could = [] if audit.overtaken_by is not None else threats(audit)
    return [*results(audit), *notes(audit.data), *source_lines(audit), *suspect_lines(audit), *could]
