"""The three questions about the winner among named options: luck, evidence, robustness."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from unswayed.audits.labels.data import LabelData, short_label
from unswayed.audits.labels.lies import false_rows
from unswayed.audits.labels.luck import Chance
from unswayed.audits.labels.proof import Proof, taken
from unswayed.audits.labels.suspects import Found
from unswayed.core.tampering.threat import Threat
from unswayed.judgement.verdict import LIKELY, Evidence, Luck, Robustness
from unswayed.judgement.words import threat_words
from unswayed.text import counted

UNEVEN = 1e-3  # probability from which an even split seems to have gone wrong
SHORT_THREAT = 40  # characters of a threat that are printed
SMALLEST = 1e-4  # probability that is printed


@dataclass(frozen=True, eq=False)
class Case:
    """What the answers rest on.

    Attributes:
        data: The measurements.
        winner: The option that leads.
        tied: Others with the same estimate.
        found: The suspects.
        without: Who leads without them; None if too little is left.
        chance: The winner against the others, by all measurements; None if the noise is not known.
        kept: The same without the suspects.
        proof: What is proved.
        threat: What may be false.
        delta: The largest probability of a lead by chance.
        shares: The probability of the shares of the trials, if equal ones were planned.
    """

    data: LabelData
    winner: int
    tied: tuple[int, ...]
    found: Found
    without: int | None
    chance: Chance | None
    kept: Chance | None
    proof: Proof | None
    threat: Threat
    delta: float
    shares: float | None

    def describe(self, option: int) -> str:
        """A label that leaves room for others in a line."""
        return short_label(self.data.labels[option])

    def better(self, chance: Chance | None) -> bool:
        """Whether a lead is more than chance explains."""
        return chance is not None and not self.tied and chance.probability <= self.delta

    @property
    def probability(self) -> float | None:
        """Of such a lead by chance; if it is more than chance explains, with and without the suspects."""
        if self.chance is None:
            return None
        kept = self.kept.probability if self.kept is not None and self.better(self.chance) else 0.0
        return max(self.chance.probability, 0.0 if self.tampered else kept)

    @property
    def tampered(self) -> bool:
        """Whether the suspects decide: without them another option leads, or the lead may be chance."""
        another = self.without != self.winner
        return bool(self.found.suspects) and (another or (self.better(self.chance) and not self.better(self.kept)))


def luck_of(case: Case) -> Luck:
    """If every measurement is honest, is the winner better than chance explains?"""
    chance, better = case.chance, case.better(case.chance)
    # Counts have intervals that are valid at any time as long as rates stay as they are.
    known = case.data.counts and chance is not None and not chance.varies and case.proof is not None
    any_time = (better and bool(case.proof and case.proof.best_untampered)) if known else None
    return Luck(better, any_time, case.probability, _luck(case, better, any_time))


def _luck(case: Case, better: bool, any_time: bool | None) -> str:
    """The answer in words; if suspects decide, that the answer is about what is recorded."""
    said = _lead_and_chance(case, better, any_time)
    return f"With the suspects, {said[0].lower()}{said[1:]}" if case.tampered else said


def _lead_and_chance(case: Case, better: bool, any_time: bool | None) -> str:
    chance = case.chance
    if case.tied:
        return "Two options are level." if len(case.tied) == 1 else "Several options are level."
    if chance is None:
        return "Whether chance explains the lead is not known: no option was measured twice with different values."
    rival, unsure = case.describe(chance.closest), chance.lead[chance.closest]
    if np.isnan(unsure):
        return f"No source measured both it and {rival}: their difference may be one between sources."
    if unsure <= 0:
        stands = "better" if unsure < 0 else "level"
        return f"Within the sources {rival} is {stands}: the lead is a difference between sources."
    who = "" if len(chance.lead) == 2 else f"the best of {len(chance.lead):,} "
    p = "below 0.0001" if (case.probability or 0.0) < SMALLEST else f"{case.probability:.2g}"
    if not better:
        lead = "recorded lead" if case.found.suspects else "lead"
        if (case.probability or 0.0) > LIKELY:
            return f"The {lead} may be chance: chance alone easily gives {who}such a lead."
        return f"The {lead} may be chance: chance alone gives {who}such a lead with probability {p}."
    looked = "even if you looked daily" if any_time else "if you looked only once"
    return f"Chance gives {who}such a lead with probability {p}, {looked}."


def _of(case: Case, options: list[int]) -> str:
    """Whose suspects these are."""
    first = case.describe(options[0])
    return f" of {first}" if len(options) == 1 else f", of {first} and {counted(len(options) - 1, 'other option')},"


def evidence_of(case: Case) -> Evidence:
    """Do the data look tampered with, where it matters: is the verdict another one without the suspects?"""
    suspects, data = case.found.suspects, case.data
    split = ""
    if case.shares is not None and case.shares < UNEVEN and (n := data.split) is not None:
        split = f" An even split went wrong, if it was planned: {n.min():,} to {n.max():,} trials."
    if not suspects:
        alone = data.single and data.sources is None
        said = "Single outcomes are never suspected." if alone else f"No {noun(data)} looks wrong."
        return Evidence(False, 0, said + split)
    options = list(dict.fromkeys(s.option for s in suspects))
    looks, them = ("looks", "it") if len(suspects) == 1 else ("look", "them")
    if case.without is None:
        then = f"without {them} too little is left"
    elif case.without != case.winner:
        then = f"without {them} {case.describe(case.without)} leads"
    elif case.tampered:
        then = f"without {them} the lead may be chance"
    else:
        sure = case.better(case.kept) and not case.better(case.chance)
        then = f"without {them} the winner is the same" + (", and its lead more than chance" if sure else "")
    return Evidence(
        case.tampered,
        len(suspects),
        f"{counted(len(suspects), noun(data))}{_of(case, options)} {looks} wrong; {then}.{split}",
    )


def noun(data: LabelData) -> str:
    """What one suspect is called."""
    return "count" if data.counts else "measurement"


def false_outcomes_suspected(case: Case) -> int:
    """How many outcomes of the suspected counts the others do not explain."""
    return round(sum(abs(s.value - s.expected) * (s.trials or 0) for s in case.found.suspects))


def robustness_of(case: Case, lies: int, rival: int) -> Robustness:
    """How many lies change the winner, beside the threat, and beside what was found."""
    if case.tied:
        return Robustness(False, f"1 {case.data.lie} decides a tie.")
    if case.chance is not None and case.chance.overtaken_by is not None:
        what = f"{case.data.lie.capitalize()}s"
        return Robustness(False, f"{what} are not counted: the totals mix the sources differently.")
    said = f"{counted(lies, case.data.lie)} would let {case.describe(rival)} catch up"
    enough = not case.threat.none and _enough(case)
    if (case.threat.lies or case.threat.liars) and not case.data.span.given:
        said += " within the measured range; a lie beyond it may do more: give low and high"
    elif not case.threat.none and case.better(case.chance):
        stated = threat_words(case.threat, case.data.lie)
        stated = stated if len(stated) <= SHORT_THREAT else "the threat"
        if enough and case.threat.lies >= lies:
            said += ", and the threat allows for them"
        else:
            said += f"; with {stated} the lead {'may be chance' if enough else 'is still more than chance'}"
    elif case.data.counts and case.found.suspects:
        said += f"; about {false_outcomes_suspected(case):,} are suspected"
    elif case.found.suspects:
        said += f"; {len(case.found.suspects):,} {'is' if len(case.found.suspects) == 1 else 'are'} suspected"
    return Robustness(enough, said + ".")


def _enough(case: Case) -> bool:
    """Whether the threat leaves so little of a lead that it may be chance."""
    chance, threat, data = case.chance, case.threat, case.data
    if chance is None or (not data.span.given and threat.lies + threat.liars > 0):
        return True
    rivals = np.arange(len(chance.lead)) != case.winner
    needed = np.array([chance.critical(i, case.delta) for i in range(len(rivals))]) * chance.deviation
    left = chance.lead - needed - taken(data, case.winner, replace(threat, lies=0))
    if data.counts:
        left -= threat.lies * chance.step
    elif threat.lies:
        left = np.where(false_rows(data, case.winner, np.where(rivals, left, 0.0)) <= threat.lies, 0.0, left)
    return bool((~(left[rivals] > 0)).any())
