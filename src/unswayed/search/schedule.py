"""Which row to play next: the one place that decides what each play is for.

A new place is worth the improvement over the leader that one more play promises there (core/gp/improvement.py). What
was played is worth measuring again if its value may be a lie that matters (doubt.py): nothing if there is no threat,
and little early on, because leaders change. The largest worth wins.

    start       cover the space, before there is a model
    explore     a place that may be better than the leader, although less is expected there
    exploit     a place that is expected to be as good as the leader; or the leader itself, where the noise hides which
                of two is better
    verify      the leader again, because its value may be a lie; in a long search until late plays confirm it
                (verified.py)
    recheck     another value again, because it may be a lie; or one that was set aside, because it may be true
    anew        an attempt: once the leader is known well, a search of its own begins elsewhere (anew.py)
    eliminate   an epoch of influence-PE asks for it

When many plays of a small space are pending, the last one is repeated: with P pending, each choice holds for P/100
plays, so a large batch needs few choices.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
from scipy.spatial.distance import cdist

from unswayed.core.gp.point_posterior import LeadOver, PointPosterior
from unswayed.search.anew import anew
from unswayed.search.candidates import chances, family_of, leading, starts, unguided
from unswayed.search.climb import Improvement, top
from unswayed.search.doubt import doubts, settled
from unswayed.search.modes import Eliminating, Guided, Mode, Starting
from unswayed.search.play import Choice, Why
from unswayed.search.turns import behind, doubted
from unswayed.search.verified import unverified
from unswayed.types import FloatArray

CROWD = 100  # from this number of pending plays on, choices are repeated
LITTLE = 3e-5  # of the range of the values: if no row promises more, each second play looks for what the model missed
WARY = 8  # the worth of a place falls with this power of its chance to give a value: a failure teaches little
LEADERS = 3  # rows to climb from lie around this many of the best
SOME = 1e-3  # of that range: if no row promises more, each second play belongs to an attempt (anew.py)


def propose(mode: Mode, number: int, pending: FloatArray, source: str | None = None) -> Choice:
    """The row of play `number`.

    Args:
        mode: The search so far.
        number: How many plays were asked for before this one.
        pending: Rows of plays that are open or have not entered the mode yet.
        source: Who will measure it, if that is known.

    Returns:
        A row of the unit cube, and why it was chosen.
    """
    task = mode.task
    if isinstance(mode, Starting) or (task.method == "influence-pe" and number < len(task.start)):
        return Choice(unguided(task.space, task.start, mode.data.failed, number, task.seed), Why.START)
    again = len(pending) // CROWD if task.all_rows is not None else 0
    if again > 1 and not (pending[-again:] == pending[-1]).all():
        return Choice(pending[-1], _word(mode, pending[-1]))
    if isinstance(mode, Eliminating):
        return Choice(mode.phase.propose(pending), Why.ELIMINATE)
    return _worth_most(mode, number, pending, source)


def _worth_most(mode: Guided, number: int, pending: FloatArray, source: str | None) -> Choice:
    task, surrogate = mode.task, mode.surrogate
    field = surrogate.field(pending)
    plays = task.plays or 2 * max(number, 1)  # if nobody knows, half of them are made
    if (family := behind(task, mode.data, pending, number, plays)) is not None:
        choice = _of_family(mode, field, family, number, pending)
        if choice is not None:
            return choice
    shut = _shut(mode, pending) | settled(surrogate, plays)
    if (leader := unverified(mode, number, shut, source)) is not None:
        return Choice(leader, Why.VERIFY)
    goal = Improvement(field.lead(int(np.argmax(field.means))))
    rows = task.all_rows
    if rows is None:
        leaders = field.X[leading(task.space, field.X, field.means, LEADERS)]
        rows = top(task.space, goal, starts(task.space, leaders, np.random.default_rng([task.seed, number])))
    rows = rows[[row.tobytes() not in shut for row in rows]] if shut else rows
    choice, worth = Choice(field.X[goal.lead.row], Why.EXPLOIT), 0.0
    span, look = float(np.ptp(field.y)), number % 2 == 0
    if len(rows):
        choice, worth = _promising(goal, rows, chances(rows, mode.data.rows, mode.data.failed), look=look)
    if look and span and worth <= SOME * span and mode.long:
        row = anew(mode, number, shut)
        choice = choice if row is None else Choice(row, Why.ANEW)
    if task.all_rows is not None and span:
        if (again := goal.lead.again()) > worth:
            choice, worth = Choice(field.X[goal.lead.row], Why.EXPLOIT), again
        if worth <= LITTLE * span and surrogate.counts(choice.row[None])[0]:
            choice = _closest(goal.lead, shut)
    worth = max(worth, LITTLE * span)
    repeats = sum(row.tobytes() in surrogate.arm_of for row in pending) if task.all_rows is None else 0
    for doubt in doubts(surrogate, plays, pending, source) if 2 * repeats <= len(pending) else ():
        if doubt.worth * min(number / plays, 1.0) > worth and doubt.row.tobytes() not in shut:
            return Choice(doubt.row, doubt.why)
    return choice


def _of_family(mode: Guided, field: PointPosterior, family: int, number: int, pending: FloatArray) -> Choice | None:
    """The row of a family that promises most over the best row of that family; None if none is left."""
    task, surrogate = mode.task, mode.surrogate
    own = np.flatnonzero(family_of(task.space, field.X) == family)
    leader = own[int(np.argmax(field.means[own]))] if own.size else int(np.argmax(field.means))
    shut = _shut(mode, pending) | {row.tobytes() for row in pending}
    arms = family_of(task.space, surrogate.rows) == family
    again = doubted(surrogate, arms, float(field.means[leader]) if own.size else -np.inf)
    if again is not None and again.tobytes() not in shut:
        return Choice(again, Why.RECHECK)
    goal, rows = Improvement(field.lead(int(leader))), task.all_rows
    if rows is None:
        begin = starts(task.space, field.X[[leader]], np.random.default_rng([task.seed, number]))
        begin = begin[family_of(task.space, begin) == family]
        rows = top(task.space, goal, begin) if len(begin) else begin
    rows = rows[[row.tobytes() not in shut for row in rows] & (family_of(task.space, rows) == family)]
    if not len(rows):
        return None
    return _promising(goal, rows, chances(rows, mode.data.rows, mode.data.failed), look=False)[0]


def _promising(goal: Improvement, rows: FloatArray, chance: FloatArray, *, look: bool) -> tuple[Choice, float]:
    """The row that promises the largest improvement, and how much; each gives a value with some chance only.

    If none promises anything and it is time to `look`, or all values are equal, that is the row farthest from all that
    were played.
    """
    worth, lead = chance**WARY * np.exp(goal.at(rows)), goal.lead
    best = int(np.argmax(worth))
    span = float(np.ptp(lead.posterior.y))
    if not span or (look and worth[best] <= LITTLE * span):
        far = np.where(chance < chance.max() / 2, 0.0, cdist(rows, lead.posterior.X).min(axis=1))
        if far.max() > 0:
            return Choice(rows[int(np.argmax(far))], Why.EXPLORE), float(worth[best])
    return Choice(rows[best], _expected(lead, rows[best])), float(worth[best])


def _closest(lead: LeadOver, shut: set[bytes]) -> Choice:
    """If one more play changes nothing: the leader or its closest rival, whichever is known less."""
    field, leader = lead.posterior, lead.row
    mean, deviation = field.at(field.X)
    apart = (mean[leader] - mean) / np.hypot(deviation, deviation[leader])
    apart[[leader, *(i for i, row in enumerate(field.X) if row.tobytes() in shut)]] = np.inf
    rival = int(np.argmin(apart))
    row = field.X[leader if deviation[leader] >= deviation[rival] else rival]
    return Choice(row, _expected(lead, row))


def _word(mode: Guided | Eliminating, row: FloatArray) -> Why:
    """What a row is played for that is played again because the last play was of it."""
    if isinstance(mode, Eliminating):
        return Why.ELIMINATE
    lead = mode.surrogate.measured.lead(int(np.argmax(mode.surrogate.measured.means)))
    return _expected(lead, row)


def _expected(lead: LeadOver, row: FloatArray) -> Why:
    """Whether a row is expected to be as good as the leader, up to the noise."""
    return Why.EXPLOIT if lead.at(row[None])[0][0] > -np.sqrt(lead.posterior.lam) else Why.EXPLORE


def _shut(mode: Guided, pending: FloatArray) -> set[bytes]:
    """Rows not to play. Small space: they failed at least twice and never gave a value. Else: failed or open ones."""
    failed = mode.data.failed
    if mode.task.all_rows is None:
        return {row.tobytes() for row in np.vstack([failed, pending])}
    if not len(failed):
        return set()
    told = {row.tobytes() for row in mode.data.rows}
    times = Counter(row.tobytes() for row in failed if row.tobytes() not in told)
    return {row for row, n in times.items() if n >= 2}
