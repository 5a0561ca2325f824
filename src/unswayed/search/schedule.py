"""Which row to play next, and why: the method "guided" of a study.

The model is a Gaussian process of the plays that are kept. Every reason to play is a rule: a pure function of the turn
(the search, the number of the play, the pending rows, the source) that proposes rows. The proposal of largest worth is
played. Worth is by how much one play is expected to improve the value of the leader, in output scales:

    improve             a place that may be better than the leader: expected improvement     (EXPLORE, EXPLOIT)
    repeat_leader       in a small space: the leader, where noise hides which is better      (EXPLOIT)
    measure_again       a value that may be a lie that matters (doubt.py)                    (VERIFY, RECHECK)

Some rules cannot say what they are worth (most of them in quotas.py). Each play draws a ticket, a number from 0 to 1. A
rule that owns the ticket is worth what QUOTAS states:

    repeat_challenger   last plays: a best estimate that the answer would not believe (doubt.py)  (VERIFY)
    family_turn         with conditions: a family that is behind its share of plays          (EXPLORE, RECHECK)
    propose_restart     long search of a box: a local search of its own somewhere else       (RESTART)
    fill_hole           the place farthest from all plays: the model may miss something      (EXPLORE)
    closest_rival       in a small space: the leader or its closest rival                    (EXPLOIT, EXPLORE)

Before there is a model, the initial rows cover the space (START). Influence-PE asks for the rows of its epochs
(ELIMINATE). When P plays of a small space are pending, each choice holds for P/100 plays: a large batch needs few.

`benchmarks/ablation.py` plays the same games without each rule; `benchmarks/results/ablation.json` has what it printed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import NamedTuple

import numpy as np

from unswayed.search.candidates import initial_row
from unswayed.search.doubt import measure_again, repeat_challenger
from unswayed.search.improvement import Turn, improve, reason, repeat_leader
from unswayed.search.modes import Eliminating, Guided, Mode, Starting
from unswayed.search.play import Proposal, Why
from unswayed.search.quotas import closest_rival, family_turn, fill_hole, propose_restart
from unswayed.types import FloatArray

Rule = Callable[[Turn], Sequence[Proposal]]
CROWD = 100  # from this number of pending plays on, choices are repeated


class Quota(NamedTuple):
    """The tickets on which a rule has its turn, and what its proposals are worth then, in ranges of the values."""

    first: float
    last: float
    worth: float = inf


QUOTAS: Mapping[Rule, Quota] = {
    repeat_challenger: Quota(0, 1),
    family_turn: Quota(0, 1 / 2),
    propose_restart: Quota(0, 1 / 2, 1e-3),
    fill_hole: Quota(0, 1 / 2, 3e-5),
    closest_rival: Quota(0, 1, 3e-5),
}


@dataclass(frozen=True)
class Schedule:
    """The rules that have a worth, and the quotas of the others, the largest worth first."""

    rules: tuple[Rule, ...] = (improve, repeat_leader, measure_again)
    quotas: Mapping[Rule, Quota] = field(default_factory=lambda: QUOTAS)


SCHEDULE = Schedule()


def propose(
    mode: Mode, number: int, pending: FloatArray, source: str | None = None, schedule: Schedule = SCHEDULE
) -> Proposal:
    """The row of play `number`.

    Args:
        mode: The search so far.
        number: How many plays were asked for before this one.
        pending: Rows of plays that are open or have not entered the mode yet.
        source: Who will measure it, if that is known.
        schedule: The rules and their quotas.

    Returns:
        A row of the unit cube, and why it was chosen.
    """
    task = mode.task
    if isinstance(mode, Starting) or (task.method == "influence-pe" and number < len(task.initial_rows)):
        return Proposal(initial_row(task.space, task.initial_rows, mode.data.failed, number, task.seed), Why.START)
    again = len(pending) // CROWD if task.all_rows is not None else 0
    if again > 1 and not (pending[-again:] == pending[-1]).all():
        return Proposal(pending[-1], _reason_again(mode, pending[-1]))
    if isinstance(mode, Eliminating):
        return Proposal(mode.phase.propose(pending), Why.ELIMINATE)
    return _largest(Turn(mode, number, pending, source), schedule)


def _largest(turn: Turn, schedule: Schedule) -> Proposal:
    """The proposal of largest worth; the leader if there is none."""
    best: Proposal | None = None
    for rule, worth in due(turn, schedule.quotas):
        if worth < inf:
            best = best or _by_worth(turn, schedule.rules)
            if best.worth > worth * turn.range:
                return best
        if found := rule(turn):
            return found[0]
    return best or _by_worth(turn, schedule.rules)


def due(turn: Turn, quotas: Mapping[Rule, Quota]) -> Iterator[tuple[Rule, float]]:
    """The rules that have their turn, and what they are worth."""
    drawn = ticket(turn.task.seed, turn.number, turn.source)
    return ((rule, quota.worth) for rule, quota in quotas.items() if quota.first <= drawn < quota.last)


def ticket(seed: int, number: int, source: str | None) -> float:
    """In turn 0, 1/2, 1/4, 3/4, 1/8, ...: so any quota has its share of every few plays.

    If sources are named it is random, because they may take turns themselves: none of them is to have all of a quota.
    """
    if source is not None:
        return float(np.random.default_rng([seed, number, 1]).random())
    return int(f"{number:b}"[::-1], 2) / 2.0 ** number.bit_length()


def _by_worth(turn: Turn, rules: Sequence[Rule]) -> Proposal:
    proposals = [one for rule in rules for one in rule(turn)]
    leader = turn.field.X[int(np.argmax(turn.field.means))]
    return max(proposals, key=lambda one: one.worth, default=Proposal(leader, Why.EXPLOIT))


def _reason_again(mode: Guided | Eliminating, row: FloatArray) -> Why:
    """Why a row is played that only repeats the last choice."""
    if isinstance(mode, Eliminating):
        return Why.ELIMINATE
    lead = mode.surrogate.measured.lead(int(np.argmax(mode.surrogate.measured.means)))
    return reason(lead, row)
