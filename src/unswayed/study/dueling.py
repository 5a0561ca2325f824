"""The search of a study of duels: whom to compare next, and whom to ask."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import expit

from unswayed.audits.votes.audit import audited
from unswayed.audits.votes.data import LEFT, RIGHT, TIE, VoteData
from unswayed.audits.votes.luck import ENOUGH, Scores, inflation
from unswayed.core.tampering.threat import Threat
from unswayed.core.votes import leads
from unswayed.core.votes.bradley_terry import RIDGE
from unswayed.core.votes.duels import (
    AHEAD,
    has_to_be,
    information,
    judges_needed,
    log_evidence,
    votes_needed,
    wanted_evidence,
)
from unswayed.core.votes.voters import reach
from unswayed.search.fold import FitRecord
from unswayed.search.play import Play, Status, Why
from unswayed.spaces.duels import WORDS, Duels
from unswayed.study.duel_answer import DuelAnswer, Next, luck_of, robustness_of
from unswayed.study.searching import Searching
from unswayed.study.state import State
from unswayed.types import BoolArray, FloatArray, IntArray

NOBODY = ""  # the voter of votes without a source
SAID = {WORDS["left"]: LEFT, WORDS["right"]: RIGHT, WORDS["tie"]: TIE}
Pair = tuple[str, str]


@dataclass(frozen=True, eq=False)
class Standing:
    """How far the leader is from being certain. For itself, D is infinite.

    Judges who are too few to tell how much judges differ are a panel: the leader is theirs.

    Attributes:
        leader: The option of the largest score.
        D: By how many votes it leads each option.
        information: I of each lead.
        lies: How many votes may be false.
        reach: How many votes lying voters may have added to each D.
        wanted: What the logarithm of the evidence has to be.
        needed: About how many duels with it make it certain over each option.
        judges: About how many judges have to vote for that.
        panel: How many judges there are, if they are a panel; else 0.
    """

    leader: int
    D: FloatArray
    information: FloatArray
    lies: int
    reach: FloatArray
    wanted: float
    needed: FloatArray
    judges: int
    panel: int

    @classmethod
    def of(cls, data: VoteData, threat: Threat, delta: float) -> Self:
        """After some votes.

        Args:
            data: The votes.
            threat: Which of them may be false.
            delta: The largest probability of a lead by chance.
        """
        scores, wins = Scores.of(data, RIDGE), data.votes.wins
        leader = int(np.argmax(scores.theta))
        rivals = np.flatnonzero(np.arange(len(wins)) != leader)
        found = leads(wins, leader, rivals)
        wanted = wanted_evidence(len(rivals), delta)
        D, known, taken = np.full(len(wins), np.inf), np.ones(len(wins)), np.zeros(len(wins))
        D[rivals] = [one.votes for one in found]
        panel = len(np.unique(data.voter)) if data.voters is not None and scores.freedom.min() < ENOUGH else 0
        known[rivals] = information(wins, found) * (1.0 if panel else inflation(data, scores, found, RIDGE))
        if threat.liars:
            taken[rivals] = [reach(data.ballots, one)[: threat.liars].sum() for one in found]
        p = expit(scores.theta[leader] - scores.theta)
        liars = threat.liars / max(len(data.voters or ()), 1)
        lacking = np.maximum(taken + AHEAD, threat.lies) - D
        needed = votes_needed(p, lacking, wanted - log_evidence(D - threat.lies, known), liars)
        return cls(leader, D, known, threat.lies, taken, wanted, needed, judges_needed(p[rivals], threat.liars), panel)

    @property
    def by_chance(self) -> FloatArray:
        """The probability of each lead by chance, at most, if every vote is honest."""
        return np.asarray(np.minimum((len(self.D) - 1) * np.exp(-log_evidence(self.D, self.information)), 1.0))

    @property
    def clear(self) -> BoolArray:
        """Which leads are more than chance, also without what false votes may have added."""
        return np.asarray(log_evidence(self.D - self.lies, self.information) >= self.wanted)

    def beyond(self, more: IntArray | int = 0) -> FloatArray:
        """By how much the score of each option may still be better than that of the leader; below 0 if it is not.

        Args:
            more: So many duels of each with the leader are open; they are expected to be as those before.
        """
        information = self.information + more / 4
        as_before = self.D * information / self.information
        return (has_to_be(information, self.wanted, self.lies, self.reach) - as_before) / information


class Dueling:
    """Chooses duels and answers from the plays of a state; every duel from all votes so far.

    Attributes:
        new_fit: None: the fit of votes takes no time.
    """

    new_fit: FitRecord | None = None

    def __init__(self, state: State, space: Duels) -> None:
        self._state, self._space = state, space
        self._answered: tuple[tuple[Play, ...], DuelAnswer] | None = None

    @property
    def edition(self) -> int:
        """Of the state: an edit of the past makes another."""
        return self._state.edition

    def follow(self, state: State) -> None:
        """Go on with a state that has more records."""
        self._state = state

    @property
    def _threat(self) -> Threat:
        return Threat.of(self._state.settings.threat) or Threat()

    def choose(self, n: int, source: str | None = None) -> list[tuple[dict[str, str], Why]]:
        """The next `n` duels, and why. Those that are open count as if they were told.

        Args:
            n: How many.
            source: Who will vote; it does not matter.
        """
        space, plays = self._space, self._state.shown
        at = {label: number for number, label in enumerate(space.labels)}
        standing = self._standing()
        leader = space.labels[standing.leader]
        pairs = [_pair(play) for play in plays if play.status is not Status.FAILED]
        met = Counter(frozenset(pair) for pair in pairs)
        shown, left = Counter(pairs), Counter(first for first, _ in pairs)
        more = np.zeros(len(at), dtype=np.int64)
        for play in plays:
            if play.status is Status.OPEN and leader in (pair := _pair(play)):
                more[at[pair[0] if pair[1] == leader else pair[1]]] += 1
        chosen = []
        for _ in range(n):
            number = int(np.argmax(standing.beyond(more)))
            rival = space.labels[number]
            why = (
                Why.VERIFY if standing.clear[number] else Why.EXPLOIT if met[frozenset((leader, rival))] else Why.START
            )
            turns = (shown[rival, leader] - shown[leader, rival], left[rival] - left[leader])
            pair = (rival, leader) if turns < (0, 0) else (leader, rival)
            chosen.append(({"left": pair[0], "right": pair[1]}, why))
            more[number] += 1
            met[frozenset(pair)] += 1
            shown[pair] += 1
            left[pair[0]] += 1
        return chosen

    def whom(self, n: int, source: str | None) -> list[str | None]:
        """Who is to vote next: those who have voted least, if several are known.

        Args:
            n: How many votes are asked for.
            source: Who it is, if that is known.
        """
        aside = (None, *self._state.settings.quarantined)
        turns = Counter(play.source for play in self._state.log if play.source not in aside)
        if source is not None or len(turns) < 2:
            return [source] * n
        asked: list[str | None] = []
        for _ in range(n):
            asked.append(min(turns, key=lambda one: turns[one]))
            turns[asked[-1]] += 1
        return asked

    def answer(self) -> DuelAnswer:
        """The answer from all votes that count."""
        plays = self._state.shown
        if self._answered is None or self._answered[0] != plays:
            self._answered = plays, self._answer(plays)
        return self._answered[1]

    def _answer(self, plays: tuple[Play, ...]) -> DuelAnswer:
        settings, data = self._state.settings, self._data()
        audit = audited(data, self._threat, settings.delta, RIDGE)
        standing = self._standing()
        ((pair, _),), (judge,) = self.choose(1), self.whom(1, None)
        more = standing.judges if self._threat.liars and standing.judges > len(data.voters or ()) else None
        votes = float(np.ceil(standing.needed).sum())
        left = None if settings.plays is None else max(settings.plays - self._state.asked, 0)
        return DuelAnswer(
            space=self._space,
            plays=plays,
            audit=audit,
            luck=luck_of(audit, standing.by_chance, standing.panel),
            robustness=robustness_of(audit, bool(standing.clear.all())),
            threat=Threat.of(settings.threat),
            next=Next(pair["left"], pair["right"], judge, votes, left, more),
        )

    def _standing(self) -> Standing:
        return Standing.of(self._data(), self._threat, self._state.settings.delta)

    def _data(self) -> VoteData:
        """The votes that count. Who voted is known if anybody was named, or if voters may lie."""
        told = [play for play in self._state.shown if play.measured]
        return vote_data(self._space, told, bool(self._threat.liars))


def search_of(state: State) -> Searching | Dueling:
    """The search of a study.

    Args:
        state: Of the study.
    """
    return Dueling(state, state.space) if isinstance(state.space, Duels) else Searching(state)


def vote_data(space: Duels, told: Sequence[Play], named: bool) -> VoteData:
    """Votes as the audit has them; every option of the space is there.

    Args:
        space: The duels.
        told: The votes.
        named: Whether voters matter although none is named: then all votes are of one.
    """
    at = {label: number for number, label in enumerate(space.labels)}
    pairs = np.array([[at[label] for label in _pair(play)] for play in told], dtype=np.int64).reshape(-1, 2)
    said = np.array([SAID[play.value or 0.0] for play in told], dtype=np.int64)
    who = [NOBODY if play.source is None else play.source for play in told]
    names = tuple(dict.fromkeys(who))
    known = named or any(names)
    place = {name: number for number, name in enumerate(names)}
    voter = np.array([place[one] if known else 0 for one in who], dtype=np.int64)
    number, sides = np.ones(len(told), dtype=np.int64), {LEFT, RIGHT} <= set(said.tolist())
    return VoteData(space.labels, pairs[:, 0], pairs[:, 1], said, number, names if known else None, voter, sides)


def _pair(play: Play) -> Pair:
    return play.point["left"], play.point["right"]
