"""Attempts: searches of their own, made once the leader is known well.

A model that knows the leader's hill may be wrong about the others: it has seen little of them, and some of that may be
lies. So every second play then belongs to an attempt. An attempt begins around a random point, knows only its own plays
(and the kernel, which is fitted to all), goes where these promise most, and never far from the best of them: it climbs
what it comes upon. It ends after a fixed number of plays, which no liar can shorten, and the next one begins. What an
attempt finds counts for the leader as any other play does.
"""

from __future__ import annotations

import numpy as np

from unswayed.search.candidates import parameters, starts
from unswayed.search.climb import Improvement, top
from unswayed.search.modes import Guided
from unswayed.search.play import Why
from unswayed.search.surrogate import Surrogate
from unswayed.types import FloatArray

LENGTH = 7  # plays of an attempt, for each parameter and one more
NEAR = 0.3  # of a side of the cube: no number of a play is farther from that of the best play of the attempt


def anew(mode: Guided, number: int, shut: set[bytes]) -> FloatArray | None:
    """The next row of the attempt; None if there is none.

    Args:
        mode: The search so far.
        number: How many plays were asked for before this one.
        shut: Rows not to play.
    """
    task, space, rng = mode.task, mode.task.space, np.random.default_rng([mode.task.seed, number])
    made = np.flatnonzero([told.why is Why.ANEW for told in mode.data.told])
    own = mode.data.only(made[len(made) - len(made) % (LENGTH * (parameters(space) + 1)) :])
    if own.plays < task.enough:
        centre = own.rows[:1] if own.plays else space.spread(1, rng)
        rows = np.vstack([centre, space.around(centre, NEAR, 2 * task.enough, rng)])
    else:
        field = Surrogate.fit(task, mode.beliefs, own).measured
        best = int(np.argmax(field.means))
        begin = _near(starts(space, field.X[[best]], rng), field.X[best])
        rows = _near(top(space, Improvement(field.lead(best)), begin), field.X[best])
    played = {row.tobytes() for row in own.rows}
    return next((row for row in rows if row.tobytes() not in shut | played), None)


def _near(rows: FloatArray, centre: FloatArray) -> FloatArray:
    """Those of the rows that an attempt may play."""
    near: FloatArray = rows[np.abs(rows - centre).max(axis=1) <= NEAR]
    return near
