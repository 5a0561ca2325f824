"""What a study of duels answers: who leads, whether that is settled, and whom to compare next."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from unswayed.audits.votes.audit import VoteAudit
from unswayed.audits.votes.report import details, headline
from unswayed.core.tampering.threat import Threat
from unswayed.judgement.verdict import Luck, Verdict, short, verdict_of
from unswayed.search.play import Play, history
from unswayed.spaces.duels import Duels
from unswayed.text import SHORT, counted, notebook_html, printable

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
        threat: Which votes may be false; None if that is not known.
        next: What to ask next.
    """

    space: Duels
    plays: tuple[Play, ...]
    audit: VoteAudit
    luck: Luck
    threat: Threat | None
    next: Next

    @classmethod
    def of(cls, space: Duels, plays: tuple[Play, ...], audit: VoteAudit, threat: Threat | None, next: Next) -> Self:
        """From the audit of the votes.

        Args:
            space: The duels.
            plays: Every play, in order.
            audit: The audit.
            threat: Which votes may be false; None if that is not known.
            next: What to ask next.
        """
        luck = audit.luck
        if luck.better and not luck.any_time:
            said = f"{luck.sentence} A study looks after every vote: that needs a clearer lead."
            luck = replace(luck, better=False, sentence=said)
        return cls(space=space, plays=plays, audit=audit, luck=luck, threat=threat, next=next)

    @property
    def verdict(self) -> Verdict:
        """Can this leader be trusted? As the audit says, but a lead must hold for many looks."""
        return verdict_of(self.luck, self.audit.evidence, self.audit.robustness)

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
        if self.next.judges is not None and not self.audit.luck.better:
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
        said = (self.luck.sentence, self.audit.evidence.sentence, self.audit.robustness.sentence)
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
            "next": self.next_step,
            "leader": self.leader,
            "settled": self.settled,
            "duel": {**self.next._asdict(), "votes": min(self.next.votes, float(NEARLY))},
            "plays": len(self.plays),
        }

    def plot(self) -> Figure:
        """The scores in tiers, and who could lead after how many forged votes, as a figure."""
        return self.audit.plot()
