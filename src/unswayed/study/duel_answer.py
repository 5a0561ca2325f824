"""What a study of duels answers: who leads, whether that is settled, and whom to compare next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from unswayed.audits.votes.answers import SMALLEST
from unswayed.audits.votes.audit import VoteAudit
from unswayed.audits.votes.report import details, headline
from unswayed.core.tampering.threat import Threat
from unswayed.judgement.verdict import Luck, Robustness, Verdict, short, verdict_of
from unswayed.search.play import Play, history
from unswayed.spaces.duels import Duels
from unswayed.text import SHORT, at_most, counted, notebook_html, printable
from unswayed.types import FloatArray

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.figure import Figure

NEARLY = 20_000  # votes: the first two are nearly equal


class Next(NamedTuple):
    """What to ask next.

    Attributes:
        left: An option.
        right: The one to compare it with.
        judge: Whom to ask; None if nobody is known.
        votes: About how many votes settle it, if the options are as far apart as they seem.
        plays: How many may still be asked for; None for any number.
        judges: About how many judges have to vote, if those who did are too few; else None.
    """

    left: str
    right: str
    judge: str | None
    votes: float
    plays: int | None
    judges: int | None


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DuelAnswer:
    """Who leads by the votes of a study, and whether that is settled.

    Attributes:
        space: The duels.
        plays: Every play, in order.
        audit: The audit of the votes that count.
        luck: Whether the lead is more than chance for somebody who looks after every vote, as a study does.
        robustness: Whether it is so still, less what false votes may have added.
        threat: Which votes may be false; None if that is not known.
        next: What to ask next.
    """

    space: Duels
    plays: tuple[Play, ...]
    audit: VoteAudit
    luck: Luck
    robustness: Robustness
    threat: Threat | None
    next: Next

    @property
    def verdict(self) -> Verdict:
        """Can this leader be trusted? As the audit says, but a lead must hold for many looks."""
        return verdict_of(self.luck, self.audit.evidence, self.robustness)

    @property
    def settled(self) -> bool:
        """Whether nothing more needs to be asked."""
        return self.verdict is Verdict.YES

    @property
    def leader(self) -> str:
        """The option that leads."""
        return self.audit.labels[self.audit.winner]

    @property
    def point(self) -> str:
        """The same, as other answers call what they recommend."""
        return self.leader

    @property
    def measured(self) -> int:
        """How many votes count."""
        return self.audit.data.total

    @property
    def tiers(self) -> list[list[str]]:
        """The options in tiers that the forged votes of the threat cannot change, the best first."""
        return [[self.audit.labels[option] for option in tier] for tier in self.audit.tiers]

    @property
    def next_step(self) -> str:
        """What to do now, in a sentence."""
        if self.settled:
            return f"Settled: rank {printable(self.leader, limit=SHORT)} first; no more votes are needed."
        if self.verdict is Verdict.TAMPERED:
            return "Next: look at these voters; quarantine those who are false, or retract their votes."
        if self.next.plays == 0:
            return "Next: no play is left to ask for; allow more plays, or leave it undecided."
        left, right = (printable(one, limit=SHORT) for one in self.next[:2])
        who = "compare" if self.next.judge is None else f"let {printable(self.next.judge, limit=SHORT)} compare"
        return f"Next: {who} {left} and {right}; {self._more}."

    @property
    def _more(self) -> str:
        if self.next.judges is not None and not self.luck.better:
            return "it is too early to say how many votes settle it"
        if self.next.judges is not None:
            have = len(self.audit.data.voters or ())
            may = f"where {self.audit.threat.liars:,} may lie, not {have:,}"
            return f"about {counted(self.next.judges, 'judge')} have to vote {may}"
        if self.next.votes > NEARLY:
            return "the first ones are too close to say how many votes settle it"
        return f"about {counted(int(self.next.votes) or 1, 'vote')} settle it, if all is as it seems"

    def __repr__(self) -> str:
        return f"DuelAnswer(leader={printable(self.leader, limit=60)!r}, settled={self.settled})"

    @property
    def paragraphs(self) -> list[str]:
        """The decision: the verdict, its three answers, and what to do."""
        first = f"Verdict: {self.verdict}. {headline(self.audit)}"
        said = (self.luck.sentence, self.audit.evidence.sentence, self.robustness.sentence)
        return [first, *said, self.next_step]

    def __str__(self) -> str:
        return "\n".join(short(self.paragraphs[:-1], self.next_step))

    def _repr_html_(self) -> str:
        return notebook_html(str(self).splitlines())

    def explain(self) -> str:
        """Everything that is known, the decision first."""
        return "\n".join([str(self), "", *details(self.audit)])

    def history(self) -> pa.Table:
        """Every play as a row of a table."""
        return history(self.plays, self.space.names)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for scripts: those of the audit, and what is settled and asked next."""
        return {
            **self.audit.to_dict(),
            "verdict": self.verdict.value,
            "luck": self.luck.to_dict(),
            "robustness": self.robustness.to_dict(),
            "next": self.next_step,
            "leader": self.leader,
            "settled": self.settled,
            "duel": {**self.next._asdict(), "votes": min(self.next.votes, float(NEARLY))},
            "plays": len(self.plays),
        }

    def plot(self) -> Figure:
        """The scores in tiers, and who could lead after how many forged votes, as a figure."""
        return self.audit.plot()


def luck_of(audit: VoteAudit, by_chance: FloatArray, panel: int) -> Luck:
    """Whether the lead is more than chance, if every vote is honest.

    Args:
        audit: The audit.
        by_chance: The probability of the lead over each option by chance, at most, whenever somebody looks.
        panel: How many judges there are, if they are too few to stand for others; else 0.
    """
    worst = int(np.argmax(by_chance))
    p = float(by_chance[worst])
    who = "" if len(by_chance) == 2 else f"the first of {len(by_chance):,} "
    shown = "below 0.0001" if p < SMALLEST else f"at most {at_most(p, 2)}"
    if p > audit.delta:
        rival = audit.data.names[worst]
        said = f"The lead over {rival} may be chance: a study looks after every vote, which needs a clearer lead."
        return Luck(False, False, p, said)
    said = f"Chance gives {who}such a lead with probability {shown}, even if you looked after every vote."
    these = "this one" if panel == 1 else f"these {panel:,}"
    others = f" Other judges than {these} may prefer another option." if panel else ""
    return Luck(True, True, p, said + others)


def robustness_of(audit: VoteAudit, clear: bool) -> Robustness:
    """What the audit says of the threat; and that it is enough if it may have made a lead by chance clear.

    Args:
        audit: The audit.
        clear: Whether the lead is more than chance, less what false votes may have added.
    """
    found = audit.robustness
    if clear or found.enough or audit.threat.none:
        return found
    return Robustness(True, f"{found.sentence[:-1]}, but less its false votes, the lead may be chance.")
