"""Rules whose worth is not known, so that schedule.py gives each of them a share of the plays.

Families. A family of a space with conditions that begins badly would hardly be played again: its few values say that
its own parameters do not matter. So its turns go to the family that is farthest behind its share, to improve on the
best of that family, until every family has had its share of plays without a new best value. The share of a family is
FAMILY_PLAYS (d + 1) plays, where d is the number of its parameters, and at least FAMILY_LEAST; less if these are more
than FAMILY_MOST of all plays. Under a threat, a value that is the best of its family is measured again if it was set
aside: most plays that contradict it may be of other families.

Restarts. A model that knows the leader's hill may be wrong about the others: it has seen little of them, and some of
that may be lies. A restart begins around a random point, knows only its own plays (and the kernel, which is fitted to
all), goes where these promise most, and never far from the best of them: it climbs the hill that it finds. It ends
after a fixed number of plays, which no liar can shorten, and the next one begins. What it finds counts for the leader
as any other play does.

Holes. If no place promises anything, the model may have missed something: the place farthest from all plays.

Rivals. If one more play of a small space changes nothing, many may: the leader or its closest rival, whichever is known
less.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unswayed.search.candidates import starts
from unswayed.search.improvement import Improvement, Turn, maximize_acquisition, reason
from unswayed.search.play import Proposal, Why
from unswayed.search.surrogate import Surrogate
from unswayed.search.task import Data, Task
from unswayed.types import BoolArray, FloatArray

FAMILY_PLAYS = 3  # for each parameter of a family, and one more
FAMILY_LEAST = 10  # plays
FAMILY_MOST = 0.5  # of all plays
RESTART_PLAYS = 7  # for each parameter, and one more
REACH = 0.3  # of a side of the cube: each coordinate stays this close to the best play of the restart


def family_turn(turn: Turn) -> Sequence[Proposal]:
    """In the family that is farthest behind its share: its best rejected value, else the largest improvement on it."""
    task, field, surrogate = turn.task, turn.field, turn.search.surrogate
    family = underplayed_family(task, turn.search.data, turn.pending, turn.plays)
    if family is None:
        return []
    own = np.flatnonzero(task.space.family_of(field.X) == family)
    leader = int(own[np.argmax(field.means[own])]) if own.size else int(np.argmax(field.means))
    above = float(field.means[leader]) if own.size else -np.inf
    rejected = best_rejected_row(surrogate, task.space.family_of(surrogate.rows) == family, above)
    closed = turn.closed | {row.tobytes() for row in turn.pending}
    if rejected is not None and rejected.tobytes() not in closed:
        return [Proposal(rejected, Why.RECHECK)]
    return turn.around(leader, field.X[[leader]], family).best()


def underplayed_family(task: Task, data: Data, pending: FloatArray, plays: int) -> int | None:
    """The family that is farthest behind its share; None if all have had theirs."""
    space = task.space
    if not len(space.families):
        return None
    shares = np.maximum(FAMILY_PLAYS * (space.families + 1.0), FAMILY_LEAST)
    shares *= min(1.0, FAMILY_MOST * plays / shares.sum())
    family, values = space.family_of(np.vstack([data.rows, data.failed, pending])), data.values
    counts = np.bincount(family, minlength=len(shares))
    told = family[: len(values)]
    for one in np.unique(told):
        counts[one] -= int(np.argmax(values[told == one]))  # only those since its best value
    had = counts / shares
    return int(np.argmin(had)) if had.min() < 1 else None


def best_rejected_row(surrogate: Surrogate, rows: BoolArray, above: float) -> FloatArray | None:
    """The row of the largest value that was set aside and not measured again yet, of some arms and above a value."""
    told, threat = surrogate.kept.records, surrogate.threat
    once = np.bincount(told.arms)[told.arms] == 1
    aside = np.flatnonzero(~surrogate.kept.mask & once & rows[told.arms] & (told.values > above))
    if surrogate.binary or not aside.size or (threat is not None and threat.none):
        return None
    row: FloatArray = surrogate.rows[told.arms[aside[np.argmax(told.values[aside])]]]
    return row


def propose_restart(turn: Turn) -> Sequence[Proposal]:
    """The next row of a restart, in a long search of a box."""
    search, task, space = turn.search, turn.task, turn.task.space
    if not search.is_long_box:
        return []
    made = np.flatnonzero([told.why is Why.RESTART for told in search.data.told])
    own = search.data.only(made[len(made) - len(made) % (RESTART_PLAYS * (len(space.names) + 1)) :])
    if own.plays < task.first_fit_at:
        rng = turn.rng
        centre = own.rows[:1] if own.plays else space.spread(1, rng)
        rows = np.vstack([centre, space.around(centre, REACH, 2 * task.first_fit_at, rng)])
    else:
        field = Surrogate.fit(task, search.beliefs, own).measured
        best = int(np.argmax(field.means))
        begin = _within_reach(starts(space, field.X[[best]], turn.rng), field.X[best])
        rows = _within_reach(maximize_acquisition(space, Improvement(field.lead(best)), begin), field.X[best])
    closed = turn.closed | {row.tobytes() for row in own.rows}
    return [Proposal(row, Why.RESTART) for row in rows if row.tobytes() not in closed][:1]


def _within_reach(rows: FloatArray, centre: FloatArray) -> FloatArray:
    """The rows that a restart may play."""
    near: FloatArray = rows[np.abs(rows - centre).max(axis=1) <= REACH]
    return near


def fill_hole(turn: Turn) -> Sequence[Proposal]:
    """The row that is farthest from all that were played."""
    return turn.places.hole()


def closest_rival(turn: Turn) -> Sequence[Proposal]:
    """In a small space: the leader or its closest rival, whichever is known less."""
    if turn.task.all_rows is None or not turn.range:
        return []
    field, leader = turn.field, turn.places.lead.row
    mean, deviation = field.at(field.X)
    apart = (mean[leader] - mean) / np.hypot(deviation, deviation[leader])
    apart[[leader, *(i for i, row in enumerate(field.X) if row.tobytes() in turn.closed)]] = np.inf
    rival = int(np.argmin(apart))
    row = field.X[leader if deviation[leader] >= deviation[rival] else rival]
    return [] if row.tobytes() in turn.closed else [Proposal(row, reason(turn.places.lead, row))]
