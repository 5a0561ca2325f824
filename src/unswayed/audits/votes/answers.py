"""The three questions about who leads by votes: luck, evidence, robustness; and what to do next."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unswayed.audits.votes.data import VoteData
from unswayed.audits.votes.luck import parts_of
from unswayed.audits.votes.rivals import Rival
from unswayed.audits.votes.voters import FEWEST_VOTERS, Suspect, voters_who_chose
from unswayed.core.tampering.threat import Threat
from unswayed.core.votes import Bracket
from unswayed.judgement.verdict import LIKELY, Evidence, Luck, Robustness, Verdict
from unswayed.text import SHORT, counted, printable
from unswayed.types import FloatArray

SMALLEST = 1e-4  # probability that is printed
NAMED = 2  # voters that are named in a sentence


@dataclass(frozen=True, eq=False)
class Case:
    """What the answers rest on.

    Attributes:
        data: The votes.
        winner: Who leads.
        rivals: What would bring each rival level, the easiest first.
        suspects: Voters whose votes the others do not explain.
        without: Who leads without them.
        chance: The probability of the lead over each option by chance.
        always: The probability of the whole lead by chance for somebody who looks after every vote.
        cleared: The probabilities without the suspects, of who leads then.
        threat: What may be false.
        delta: The largest probability of a lead by chance.
    """

    data: VoteData
    winner: int
    rivals: tuple[Rival, ...]
    suspects: tuple[Suspect, ...]
    without: int
    chance: FloatArray
    always: float
    cleared: FloatArray
    threat: Threat
    delta: float

    def name(self, option: int) -> str:
        """A label that leaves room for others in a line."""
        return self.data.names[option]

    @property
    def level(self) -> bool:
        """Whether a rival is level with who leads."""
        return self.rivals[0].flipped.least == 0

    @property
    def worst(self) -> int:
        """The option over which the lead is most likely chance; of several, the closest."""
        return max((rival.option for rival in self.rivals), key=lambda option: float(self.chance[option]))

    @property
    def better(self) -> bool:
        """Whether the lead is more than chance."""
        return bool(self.chance.max() <= self.delta)

    @property
    def any_time(self) -> bool:
        """Whether that also holds for somebody who looks after every vote."""
        return self.better and self.always <= self.delta

    @property
    def tampered(self) -> bool:
        """Whether the suspects decide: without them another option leads, or the lead may be chance."""
        changed = self.without != self.winner or (self.better and float(self.cleared.max()) > self.delta)
        return bool(self.suspects) and changed


def luck_of(case: Case) -> Luck:
    """If every vote is honest, is the leader better than chance explains?"""
    worst = case.worst
    p = float(case.chance[worst])
    told = max(p, case.always) if case.any_time else p
    shown = "below 0.0001" if told < SMALLEST else f"{told:.2g}"
    among = len(case.chance)
    who = "" if among == 2 else f"the first of {among:,} "
    bound = (among > 2 or case.any_time) and told >= SMALLEST  # corrected for all rivals, or for every look
    most = "at most " if bound else ""
    if parts_of(case.data.votes.wins)[worst] != parts_of(case.data.votes.wins)[case.winner]:
        said = f"It was never compared with {case.name(worst)}, not even through others."
    elif case.level:
        said = f"There is no lead over {case.name(case.rivals[0].option)}."
    elif case.better:
        looked = "even if you looked after every vote" if case.any_time else "if you looked only once"
        said = f"Chance gives {who}such a lead with probability {most}{shown}, {looked}."
    else:
        often = "easily gives" if p > LIKELY and among == 2 else "gives"
        rarely = "" if p > LIKELY and among == 2 else f" with probability {most}{shown}"
        said = f"The lead over {case.name(worst)} may be chance: chance alone {often} {who}such a lead{rarely}."
    if case.tampered:
        said = f"With the suspects, {said[0].lower()}{said[1:]}"
    if case.data.voters is not None and len(np.unique(case.data.voter)) == 1:
        said += " All votes are of one voter: others may prefer another option."
    return Luck(case.better, case.any_time, p, said)


def evidence_of(case: Case) -> Evidence:
    """Do the votes look tampered with, where it matters?"""
    if not case.suspects:
        if case.data.voters is None:
            return Evidence(False, 0, "Who voted is not known, so nobody is suspected.")
        if (number := voters_who_chose(case.data)) < FEWEST_VOTERS:
            few = "only ties were voted" if not number else f"only {counted(number, 'voter')} chose an option"
            return Evidence(False, 0, f"Nobody can be told to be false: {few}.")
        return Evidence(False, 0, "No voter looks wrong.")
    names = [printable((case.data.voters or ())[one.voter], limit=SHORT) for one in case.suspects[:NAMED]]
    more = len(case.suspects) - len(names)
    who = ", ".join(names) + (f" and {counted(more, 'other')}" if more else "")
    votes = sum(one.votes for one in case.suspects)
    looks, them = ("looks", "it") if len(case.suspects) == 1 else ("look", "them")
    if case.without != case.winner:
        then = f"without {them} {case.name(case.without)} leads"
    elif case.tampered:
        then = f"without {them} the lead may be chance"
    else:
        then = f"without {them} the leader is the same"
    kind = "Voter" if len(case.suspects) == 1 else "Voters"
    return Evidence(case.tampered, len(case.suspects), f"{kind} {who} ({votes:,} votes) {looks} wrong; {then}.")


def robustness_of(case: Case) -> Robustness:
    """How many false votes would change who leads, beside the threat."""
    first = case.rivals[0]
    enough = not case.threat.none and _within(case)
    if case.level:
        return Robustness(enough, f"{case.name(first.option)} is level already.")
    said = f"{forged_words(first.flipped)} would let {case.name(first.option)} catch up"
    if (voters := _fewest_voters(case)) is not None:
        said += f"; {voters}"
    if not case.threat.none:
        said += f"; {'that is within' if enough else 'that is more than'} the threat"
    return Robustness(enough, said + ".")


def _fewest_voters(case: Case) -> str | None:
    """Whose votes would be enough, if it is known; it names the rival, if that is not the closest one."""
    known = [(rival.voters, rival.option) for rival in case.rivals if rival.voters is not None]
    if not known:
        return None
    liars, rival = min(known, key=lambda one: (np.inf if one[0].most is None else one[0].most, one[0].least))
    closest = rival == case.rivals[0].option
    if liars.most is None:
        return f"no fewer than {counted(liars.least, 'voter')} could do so for any rival"
    if liars.most == 1:
        voter = liars.voters[0]
        votes = counted(int(case.data.number[case.data.voter == voter].sum()), "vote")
        whose = f"the {votes} of voter {printable((case.data.voters or ())[voter], limit=SHORT)} alone"
    else:
        number = f"{liars.least:,}" if liars.most == liars.least else f"{liars.least:,} to {liars.most:,}"
        whose = f"the votes of {number} voters"
    return f"so would {whose}" if closest else f"{whose} would let {case.name(rival)} catch up"


def _within(case: Case) -> bool:
    """Whether the threat may be enough, by the least number: no more than that is known to be needed."""
    lies, liars = case.threat.lies, case.threat.liars
    return any(
        (lies and rival.flipped.least <= lies) or (liars and rival.voters is not None and rival.voters.least <= liars)
        for rival in case.rivals
    )


def forged_words(found: Bracket) -> str:
    """How many forged votes, in words."""
    if found.exact or found.most is None:
        number = counted(found.least, "forged vote")
        return number if found.exact else f"At least {number}"
    return f"{found.least:,} to {counted(found.most, 'forged vote')}"


def next_step(case: Case, verdict: Verdict) -> str:
    """What to do now."""
    match verdict:
        case Verdict.TAMPERED:
            return "Next: look at these voters; leave out those who are false, and audit again."
        case Verdict.EARLY:
            who = {0: "", 1: "look at this voter, and "}.get(len(case.suspects), "look at these voters, and ")
            return f"Next: {who}collect more votes between {case.name(case.winner)} and {case.name(case.worst)}."
        case Verdict.WITHIN:
            rival = case.rivals[0].option
            return f"Next: collect votes between {case.name(case.winner)} and {case.name(rival)} that you can trust."
        case _:
            return f"Next: rank {case.name(case.winner)} first."
