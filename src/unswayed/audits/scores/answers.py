"""The three questions about who leads on a list of items: luck, evidence, robustness; and what to do next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from unswayed.audits.scores.data import ScoreData
from unswayed.audits.scores.rivals import Rival, score_gains
from unswayed.audits.scores.suspects import FEWEST_SOURCES, Copy, Suspect, comparable_sources
from unswayed.core.scores import Difference, Fewest
from unswayed.core.tampering.threat import Threat
from unswayed.judgement.verdict import Evidence, Luck, Robustness, Verdict
from unswayed.text import SHORT, counted, listed, printable, resolved

SMALLEST = 1e-4  # probability that is printed
UNKNOWN = "nobody can tell"  # of a source; never left out to save lines
NAMED = 3  # sources or items that are named in a sentence
WIDE = 0.02  # of an interval of shares: its ends are printed with one decimal place, narrower ones with two
MANY = 200  # items: with more, the mean of skewed differences is nearly normal
MOST_NEEDED = 1_000_000  # items: more are never collected


@dataclass(frozen=True, eq=False)
class Case:
    """What the answers rest on.

    Attributes:
        data: The scores.
        winner: Who leads.
        rivals: What would bring each rival level, the easiest first.
        suspects: Sources that favour or harm one option.
        copies: Items that are copies of others.
        without: Who leads without these; None if nothing is left to compare.
        cleared: The probability of that lead by chance.
        threat: What may be false.
        delta: The largest probability of a lead by chance.
    """

    data: ScoreData
    winner: int
    rivals: tuple[Rival, ...]
    suspects: tuple[Suspect, ...]
    copies: tuple[Copy, ...]
    without: int | None
    cleared: float
    threat: Threat
    delta: float

    def name(self, option: int) -> str:
        """A label that leaves room for others in a line."""
        return self.data.names[option]

    @property
    def closest(self) -> Rival:
        """The rival over which the lead is most likely to be chance."""
        return max(self.rivals, key=lambda one: one.lead.probability)

    @property
    def better(self) -> bool:
        """Whether the lead is more than chance."""
        return self.closest.lead.probability <= self.delta

    @property
    def tampered(self) -> bool:
        """Whether the suspects decide: without them another option leads, or the lead may be chance."""
        changed = self.without != self.winner or (self.better and self.cleared > self.delta)
        return bool(self.suspects or self.copies) and changed


def in_units(data: ScoreData, value: float, *, sign: bool = False) -> str:
    """A score or a difference: in percent if all scores are 0 or 1, else in the units of the scores."""
    if shares(data):
        return f"{value:+.1%}" if sign else f"{value:.1%}"
    shown = resolved(value, data.width)
    return f"+{shown}" if sign and value >= 0 else shown


def shares(data: ScoreData) -> bool:
    """Whether every score is 0 or 1, so that a mean is a share of the items."""
    return bool(np.isin(data.value * data.sign, (0.0, 1.0)).all())


def lead_words(data: ScoreData, lead: Difference) -> str:
    """A lead and its interval, in the units of the scores; those of shares are points."""
    ends = (lead.mean, lead.low, lead.high)
    if shares(data):
        places = 1 if lead.high - lead.low >= WIDE else 2
        mean, low, high = (f"{100 * end:.{places}f}" for end in ends)
        return f"{mean} points ({low} to {high})"
    mean, low, high = (resolved(end, lead.high - lead.low) for end in ends)
    return f"{mean} ({low} to {high})"


def luck_of(case: Case) -> Luck:
    """If every score is honest, is the leader better than chance explains?"""
    closest = case.closest
    p = closest.lead.probability
    among = len(case.data.labels)
    most = "" if among == 2 else "at most "
    shown = "below 0.0001" if p < SMALLEST else f"{most}{p:.2g}"
    who = "such a lead" if among == 2 else f"the first of {among:,} such a lead"
    groups = sampled(case.data)
    if closest.lead.mean == 0:
        return Luck(False, None, p, "")  # the headline says that they are level
    if case.better:
        conditions = listed(["you looked only once", *groups, *supposed(case.data)])
        said = f"Chance gives {who} with probability {shown}, if {conditions}."
    else:
        rival = case.name(closest.option)
        said = f"The lead over {rival} may be chance: chance alone gives {who} with probability {shown}"
        said += f", if {groups[0]}." if groups else "."
    if case.tampered:
        said = f"With the suspects, {said[0].lower()}{said[1:]}"
    return Luck(case.better, None, p, said)


def sampled(data: ScoreData) -> list[str]:
    """What the probability of a lead by chance supposes of groups, as a clause, if there are some."""
    groups = 0 if data.groups is None else len(np.unique(data.group))
    return [f"the {groups:,} groups are a sample of groups"] if groups > 1 else []


def supposed(data: ScoreData) -> list[str]:
    """What it supposes of differences, as a clause, if that may matter: few skewed ones hide the rare large ones."""
    plain = shares(data) or len(data.items) >= MANY
    return [] if plain else ["large differences are as common up as down"]


def evidence_of(case: Case) -> Evidence:
    """Do the scores look tampered with, where it matters?"""
    found = len(case.suspects) + len(case.copies)
    if not found:
        return Evidence(False, 0, _nobody(case.data))
    parts = []
    if case.suspects:
        sources = [printable((case.data.sources or ())[one.source], limit=SHORT) for one in case.suspects]
        kind = "Source" if len(sources) == 1 else "Sources"
        own = "judges in its own way" if len(sources) == 1 else "judge in their own way"
        parts.append(f"{kind} {_some(sources)} {'looks' if len(sources) == 1 else 'look'} wrong, or {own}")
    if case.copies:
        items = [printable(case.data.items[one.item], limit=SHORT) for one in case.copies]
        one = "item" if len(items) == 1 else "items"
        parts.append(f"{one} {_some(items)} {'has' if len(items) == 1 else 'have'} the scores of others, as copies do")
    said = listed(parts)
    them = "it" if found == 1 else "them"
    if case.without is None:
        then = f"without {them} too little is left to compare"
    elif case.without != case.winner:
        then = f"without {them} {case.name(case.without)} leads"
    elif case.tampered:
        then = f"without {them} the lead may be chance"
    else:
        then = f"without {them} the leader is the same"
    return Evidence(case.tampered, found, f"{said[0].upper()}{said[1:]}; {then}.")


def _nobody(data: ScoreData) -> str:
    """Why nobody is suspected."""
    if data.sources is None:
        return "Who scored is not known, so nobody is suspected."
    if len(np.unique(data.unit_source)) == 1:
        return f"One source gave all scores that count: whether it favours an option, {UNKNOWN}."
    if comparable_sources(data) < FEWEST_SOURCES:
        return f"Whether a source favours an option, {UNKNOWN}: that takes {FEWEST_SOURCES} with enough items."
    return "No source looks wrong."


def _some(names: list[str]) -> str:
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {counted(more, 'other')}" if more > 0 else "")


def robustness_of(case: Case) -> Robustness:
    """How many false scores would change who leads, beside the threat."""
    first = case.rivals[0]
    if first.regraded.most == 0:
        return Robustness(not case.threat.none, f"{case.name(first.option)} is level already.")
    name = case.name(first.option)
    said = f"{counted(first.regraded.most or 0, 're-graded item')}"
    out = _easiest(case, lambda one: one.removed)
    if out is first:
        said += f", or {out.removed.most:,} removed,"
    said += f" would let {name} catch up{_fewest_liars(case)}"
    if out is not None and out is not first:
        said += f"; {counted(out.removed.most or 0, 'removed item')} would let {case.name(out.option)}"
    enough = not case.threat.none and _within(case)
    if not case.threat.none:
        if case.threat.lies and (easy := _easiest(case, lambda one: one.scores)) is not None:
            whom = "" if easy is first else f" for {case.name(easy.option)}"
            said += f"; it takes {counted(easy.scores.most or 0, 'false score')}{whom}"
        said += f"; {'that is within' if enough else 'that is more than'} the threat"
    return Robustness(enough, said + ".")


def _easiest(case: Case, kind: Callable[[Rival], Fewest | None]) -> Rival | None:
    """The rival for which the fewest changes of a kind are enough; the first one, if others need as many."""
    known = [(found.most, place) for place, one in enumerate(case.rivals) if (found := kind(one)) and found.most]
    return case.rivals[min(known)[1]] if known else None


def _fewest_liars(case: Case) -> str:
    """Whose scores would be enough, and for whom, if it is known; a clause."""
    rival = _easiest(case, lambda one: one.lying)
    if rival is None or rival.lying is None:
        return ""
    found, sources = rival.lying, case.data.sources or ()
    if found.most != 1:
        who = f"{found.most:,} lying sources"
    elif found.alone > 1:
        who = f"any one of {found.alone:,} sources"
    else:
        who = f"source {printable(sources[found.which[0]], limit=SHORT)} alone"
    if rival is case.rivals[0]:
        return f"; so would {who}"
    return f"; {who} would let {case.name(rival.option)}"


def _within(case: Case) -> bool:
    """Whether the threat may be enough for some rival. Kinds add up, which is safe."""
    return any(_reach(case, one) >= one.lead.mean * len(case.data.items) * (1 - 1e-12) for one in case.rivals)


def _reach(case: Case, rival: Rival) -> float:
    """By how much the threat can lower the sum of the lead, at most."""
    rows, gains = score_gains(case.data, case.winner, rival.option)
    reach = float(np.sort(gains)[::-1][: case.threat.lies].sum())
    if case.threat.liars:
        by = np.bincount(case.data.unit_source[case.data.unit[rows]], weights=gains)
        reach += float(np.sort(by)[::-1][: case.threat.liars].sum())
    return reach


def number_words(found: Fewest | None) -> str:
    """A number, between which numbers it is, or that none is enough."""
    if found is None:
        return ""
    if found.least is None:
        return "no number"
    if found.exact:
        return f"{found.least:,}"
    return f"at least {found.least:,}" if found.most is None else f"{found.least:,} to {found.most:,}"


def missing(data: ScoreData, lead: float) -> str:
    """That items are missing, if they could change who leads."""
    out = data.listed - len(data.items)
    if lead * len(data.items) > out * data.width or not out:
        return ""
    said = f"Only {len(data.items):,} of {data.listed:,} items count: "
    option, lacks = _lacking(data)
    if lacks:
        return f"{said}{data.names[option]} has no score on {lacks:,}, which may be the hard ones."
    return f"{said}those that the same sources scored for every option."


def _lacking(data: ScoreData) -> tuple[int, int]:
    """The option that lacks the most items, and how many."""
    option = int(np.argmin(data.scored))
    return option, data.listed - data.scored[option]


def more_scores(case: Case, both: str) -> str:
    """What would tell the lead from chance, in words."""
    lead = case.closest.lead
    if lead.test == "sources":
        return f"let more sources score {both}, each on many items: these are too few or differ too much"
    if lead.test == "groups":
        return f"score {both} on more groups of items, or leave the groups out if these are all that count"
    if sampled(case.data):
        return f"score {both} on more items, of more groups"
    return more_items(case.data, lead, both)


def more_items(data: ScoreData, lead: Difference, both: str) -> str:
    """Which items, or how many, would tell a lead from chance, in words."""
    items = len(data.items)
    if items < data.listed:
        option, lacks = _lacking(data)
        if lacks:
            return f"score {data.names[option]} on the {counted(lacks, 'item')} that it lacks"
        return f"let the same sources score {both} on all items"
    if lead.needed is None or not items < lead.needed <= MOST_NEEDED:
        return f"score {both} on more items"
    number = f"{float(f'{lead.needed:.2g}'):,.0f}"
    return f"score {both} on more items: about {number} in all would usually tell such a difference from chance"


def next_step(case: Case, verdict: Verdict) -> str:
    """What to do now."""
    winner, rival = case.name(case.winner), case.name(case.rivals[0].option)
    match verdict:
        case Verdict.TAMPERED:
            what = listed([*(["these sources"] if case.suspects else []), *(["these items"] if case.copies else [])])
            return f"Next: look at {what}; leave out what is false, and audit again."
        case Verdict.EARLY:
            return f"Next: {more_scores(case, f'{winner} and {case.name(case.closest.option)}')}."
        case Verdict.WITHIN:
            return f"Next: check the scores of {winner} and {rival} yourself, first on the items in the details."
        case _:
            return f"Next: rank {winner} first."
