"""An audit of named options in words; the answer comes first."""

from __future__ import annotations

from functools import partial
from math import isinf
from typing import TYPE_CHECKING

from unswayed.audits.labels.data import named, place
from unswayed.judgement.words import (
    SHOWN,
    could_alone,
    doubtful,
    loses,
    more,
    still_wins,
    sure,
    suspects,
    threat_words,
    too_few,
    who_wins,
)
from unswayed.text import at_least, at_most, counted, number

if TYPE_CHECKING:
    from unswayed.audits.labels.audit import LabelAudit
    from unswayed.audits.labels.within import Within
    from unswayed.audits.weak_points import Suspect

LISTED = 14  # names in one sentence


def measured(audit: LabelAudit) -> str:
    """What one suspect is called."""
    return "count" if audit.data.counts else "measurement"


def listed(names: list[str]) -> str:
    """Names with commas; long lists are cut."""
    rest = f" and {len(names) - LISTED:,} more" if len(names) > LISTED else ""
    return ", ".join(named(name) for name in names[:LISTED]) + rest


def verdict(audit: LabelAudit) -> str:
    """Can this winner be trusted? Yes, not against this threat, or no; and why."""
    if audit.winner_without_suspects != audit.winner:
        unexplained = suspects(len(audit.suspects), measured(audit))
        return loses(unexplained, audit.winner_without_suspects, audit.describe)
    if audit.tied:
        return f"No: it ties with {listed([audit.labels[i] for i in audit.tied])}."
    options, total = [suspect.option for suspect in audit.suspects], partial(_measured, audit)
    if (doubt := doubtful(options, total, audit.describe, measured(audit))) is not None:
        return doubt
    proof = audit.certificate
    if proof is None:
        return "No: the noise is not known, because no option was measured twice with different values."
    confidence, threat = sure(proof.delta), threat_words(audit.threat, audit.lie)
    if audit.within is not None:
        return _sources_differ(audit, audit.within)
    if not proof.best_untampered:
        close = counted(len(proof.candidates), "option")
        return f"No: {close} of {len(audit.labels):,} may be the best; {confidence} no more can be said."
    if not audit.data.counts and audit.data.noise_std is None:
        confidence += ", given the same normal noise in all options,"
    if proof.best and not audit.threat.none:
        return f"Yes: {confidence} it is the best, even with {threat}."
    if proof.best:
        are = "is" if proof.lies == 1 else "are"
        unless = f"more than {counted(proof.lies, audit.lie)} {are} among the data" if proof.lies > 0 else ""
        return f"Yes, unless {unless or 'the data were tampered with'}: {confidence} it is the best."
    return f"Not against {threat}: {_limit(audit)}."


def _sources_differ(audit: LabelAudit, within: Within) -> str:
    """Why the lead may be a difference between sources."""
    rival = audit.describe(within.rival)
    if within.lead is None or within.deviation is None:
        return f"No: no source measured both it and {rival}, so their difference may be one between sources."
    if within.lead <= 0:
        return f"No: the sources differ, and within the sources {rival} is better by {-within.lead:.2g}."
    lead = f"{within.lead:.2g} ± {within.deviation:.2g}"
    return f"No: the sources differ, and within the sources its lead over {rival} is only {lead}."


def _limit(audit: LabelAudit) -> str:
    """Why the winner is not safe against the threat."""
    proof, threat = audit.certificate, audit.threat
    if not audit.span.given and threat.lies + threat.liars:
        return "how far a lie can be from the truth is not known; give the range of honest values (low and high)"
    for few, enough, what in (
        (audit.breakdown_lies, threat.lies, audit.lie),
        (audit.breakdown_sources, threat.liars, "lying source"),
    ):
        if few is not None and 0 < few <= enough:
            return f"{counted(few, what)} would have been enough to change the winner"
    if proof is not None and threat.lies and not threat.liars and not threat.total and proof.lies >= 0:
        most = f"at most {counted(proof.lies, audit.lie)}" if proof.lies else "none"
        return f"{sure(proof.delta)} it is the best only if there were {most}"
    return "this threat plus chance could make another option better"


def _measured(audit: LabelAudit, option: int) -> int:
    """How many counts, or values, there are of an option."""
    return int((audit.data.cells.option == option).sum() if audit.data.counts else audit.data.measured[option])


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
        holds = "This holds at any time, however the trials were allocated, as long as rates do not change."
        return f"Certified: {begin} {claim}, if {honest}. {holds}"
    noise = "the stated noise" if audit.data.noise_std is not None else "the same normal noise in all options"
    rest = " Measurements that the others do not explain are left out." if audit.suspects else ""
    design = "and numbers of measurements that do not depend on the values"
    return f"Given {noise}, {design}, {begin} {claim}, if {honest}.{rest}"


def summary(audit: LabelAudit) -> list[str]:
    """The verdict, the result, and what overturns it: a line for each."""
    data, winner, next_ = audit.data, audit.describe(audit.winner), audit.rivals[0]
    rows = counted(len(data.option), "row" if data.counts else "measurement")
    trials = f", {counted(int(data.option_trials.sum()), 'trial')}" if data.counts else ""
    lines = [
        f"Can this winner be trusted? {verdict(audit)}",
        f"{rows} of {len(audit.labels):,} options{trials}.",
        f"Winner: {winner}, {worth(audit, audit.winner)}.",
    ]
    if audit.tied:
        lines.append(f"It ties with {listed([audit.labels[i] for i in audit.tied])}; the first one is named.")
    else:
        lines.append(
            f"It is {next_.lead:.4g} better than {audit.describe(next_.option)}, {worth(audit, next_.option)}."
        )
        lines += _overturned(audit)
    return [*lines, sentence(audit)]


def worth(audit: LabelAudit, option: int) -> str:
    """What an option is worth, in words."""
    data = audit.data
    if not data.counts:
        return f"with a mean of {number(audit.estimate[option])} ({counted(int(data.measured[option]), 'measurement')})"
    s, n = int(data.option_successes[option]), int(data.option_trials[option])
    return f"with a rate of {audit.estimate[option]:.4g} ({n - s if data.minimize else s:,} of {n:,})"


def _overturned(audit: LabelAudit) -> list[str]:
    """The cheapest ways to overturn the result."""
    data, lies = audit.data, audit.breakdown_lies
    where = "" if data.counts else f" {audit.span}"
    given = "" if audit.span.given else " (give low and high if you know them)"
    lines = [
        f"{counted(lies, audit.lie)}{where} would have been enough to bring another option level; fewer would not"
        f"{given}. The cheapest plan, for {audit.describe(audit.rivals[0].option)}: {plan_words(audit)}."
    ]
    if audit.breakdown_sources is not None:
        few, who = counted(audit.breakdown_sources, "lying source"), listed(list(audit.plan.sources))
        lines.append(f"{few} ({who}) would have been enough to overturn it; fewer would not.")
    what = "rates of rows" if data.counts else "measurements"
    return [*lines, f"Changes of {what} by less than {at_least(audit.breakdown_budget)} in total cannot do it."]


def plan_words(audit: LabelAudit) -> str:
    """The cheapest changes, in words."""
    parts = []
    for change in audit.plan.changes[:SHOWN]:
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
    rest = f", and {len(audit.plan.changes) - SHOWN:,} more" if len(audit.plan.changes) > SHOWN else ""
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
    """The sources that matter most, a line for each."""
    if not audit.sources:
        return []
    able = [s for s in audit.sources if s.alone]
    changed = [s for s in audit.sources if s.without != audit.winner]
    still = "" if changed else f" Without any one of them {audit.describe(audit.winner)} still wins."
    lines = [f"{counted(len(audit.sources), 'source')}; {len(able):,} could have overturned the result alone.{still}"]
    if len(able) < len(audit.sources):
        changed += [s for s in able if s not in changed]
    for source in changed[:SHOWN]:
        rows, wins = counted(source.measurements, "row"), who_wins(source.without, audit.describe)
        lines.append(f"  {named(source.name)}, {rows}: {could_alone(source)}; without it {wins}")
    return lines + more(len(changed), SHOWN)


def suspect_lines(audit: LabelAudit) -> list[str]:
    """What the others do not explain, option by option, and who wins without it."""
    if not audit.suspects:
        single = audit.data.single and audit.data.sources is None
        return ["Single outcomes are never suspected." if single else f"No {measured(audit)} is an outlier."]
    lines = []
    for option in dict.fromkeys(s.option for s in audit.suspects):
        mine = [s for s in audit.suspects if s.option == option]
        who = {s.source for s in mine}
        names = [name for name in audit.data.sources or () if name in who]
        of = f" from {counted(len(names), 'source')} ({listed(names)})" if names else ""
        what = counted(len(mine), measured(audit))
        lines.append(f"The others do not explain {what} of {audit.describe(option)}{of}:")
        lines += [f"  {suspect_words(audit, s)}" for s in mine[:SHOWN]]
        lines += more(len(mine), SHOWN)
    return lines + still_wins(len(audit.suspects), audit.winner_without_suspects, audit.describe)


def suspect_words(audit: LabelAudit, suspect: Suspect) -> str:
    """A suspect in words."""
    at = "" if suspect.row is None else place(suspect.row, audit.lines)
    where = ", ".join(filter(None, (named(suspect.source) if suspect.source is not None else "", at)))
    trials = "" if suspect.trials is None else f" in {counted(suspect.trials, 'trial')}"
    value, expected = f"{suspect.value:.4g}{trials}", f"{suspect.expected:.4g}"
    return f"{where}: {value} where {expected} is expected, {suspect.score:.1f} standard deviations"


def lines_of(audit: LabelAudit) -> list[str]:
    """The whole report: the answer first."""
    return [*summary(audit), *source_lines(audit), *suspect_lines(audit), *threats(audit)]
