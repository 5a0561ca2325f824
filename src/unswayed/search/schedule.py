"""Which row to play next: the one place that decides what each play is for.

With a model, three turns alternate by the number of the play:

    MOVE      a leader with one parameter moved: a way from one peak to the next
    EXPLORE   the largest upper confidence bound
    VERIFY    the played arm where tampering would most cheaply have changed the recommendation; where sources are
              named, first a doubtful value that would be the best, and rather what others have measured

When many plays of a finite space are pending, the last one is repeated: with P pending, each choice holds for P/100
plays, so a large batch needs few choices.
"""

from __future__ import annotations

from collections import Counter
from enum import Enum

import numpy as np

from unswayed.policies.watch import Watch
from unswayed.search.candidates import unguided
from unswayed.search.modes import Eliminating, Guided, Mode, Starting
from unswayed.search.play import Choice, Why
from unswayed.types import FloatArray

CHANCES = 10  # the best of this many moves is made
CROWD = 100  # from this number of pending plays on, choices are repeated


class Turn(Enum):
    """What a guided play is for, in this order."""

    MOVE = 0
    EXPLORE = 1
    VERIFY = 2


def turn(number: int) -> Turn:
    """The turn of play `number`. It depends on the number alone, so a retracted play shifts nothing."""
    return Turn(number % len(Turn))


def propose(mode: Mode, number: int, pending: FloatArray, source: str | None = None) -> Choice:
    """The row of play `number`, and what it is for.

    Args:
        mode: The search so far.
        number: How many plays were asked for before this one.
        pending: Rows of plays that are open or have not entered the mode yet.
        source: Who will measure it, if that is known.

    Returns:
        A row of the unit cube, and why it was chosen.
    """
    task = mode.task
    if isinstance(mode, Starting) or number < len(task.start):
        return Choice(unguided(task.space, task.start, mode.data.failed, number, task.seed), Why.START)
    again = len(pending) // CROWD if task.all_rows is not None else 0
    if again > 1 and not (pending[-again:] == pending[-1]).all():
        return Choice(pending[-1], Why.ELIMINATE if isinstance(mode, Eliminating) else Why.EXPLORE)
    if isinstance(mode, Eliminating):
        return Choice(mode.phase.propose(pending), Why.ELIMINATE)
    policy, failed = mode.surrogate.policy, mode.data.failed
    watch = mode.surrogate.imagine(failed, pending)
    arm, why = _arm(mode, watch, number, source)
    shut = _failing(mode) if task.all_rows is not None else mode.surrogate.arms_at(np.vstack([failed, pending]))
    if arm in shut and len(shut) < len(policy.domain):
        upper = policy.view(watch).upper.copy()
        upper[shut] = -np.inf
        arm, why = int(np.argmax(upper)), Why.EXPLORE
    return Choice(policy.domain[arm], why)


def _arm(mode: Guided, watch: Watch, number: int, source: str | None) -> tuple[int, Why]:
    policy, now, names = mode.surrogate.policy, turn(number), mode.surrogate.names
    if now is Turn.MOVE and len(mode.moves):
        return _best_move(mode, watch, number), Why.EXPLORE
    if now is Turn.VERIFY and watch.kept.any():
        asks = names.index(source) if source in names else None
        doubtful = _doubtful(watch, asks)
        return (policy.pivot(watch, asks), Why.VERIFY) if doubtful is None else (doubtful, Why.RECHECK)
    return policy.explore(watch, number), Why.EXPLORE


def _doubtful(watch: Watch, source: int | None) -> int | None:
    """The arm of a reward that was set aside, would be the best, and comes from one source only, not this one."""
    if watch.sources is None:
        return None
    doubted = ~watch.kept & (watch.sources != (-1 if source is None else source))
    aside = np.flatnonzero(doubted & (watch.rewards > watch.posterior.mean.max()))
    lone = [j for j in aside if len(np.unique(watch.sources[watch.arms == watch.arms[j]])) == 1]
    return int(watch.arms[max(lone, key=lambda j: watch.rewards[j])]) if lone else None


def _best_move(mode: Guided, watch: Watch, number: int) -> int:
    """The most promising of some random moves, among arms that are not well known yet."""
    some = np.random.default_rng([mode.task.seed, number]).permutation(mode.moves)[:CHANCES]
    arms = np.array([mode.surrogate.arm_of[row.tobytes()] for row in some])
    mu, sd = watch.posterior.mean[arms], watch.posterior.deviation[arms]
    known = sd < np.median(watch.posterior.deviation) / 2
    return int(arms[int(np.argmax(np.where(known, -np.inf, mu + sd)))])


def _failing(mode: Guided) -> list[int]:
    """Arms of a finite space that failed twice or more and never gave a value."""
    if not mode.data.failures:
        return []
    told = {row.tobytes() for row in mode.data.rows}
    times = Counter(row.tobytes() for row in mode.data.failed if row.tobytes() not in told)
    arm_of = mode.surrogate.arm_of
    return sorted(arm_of[row] for row, failed in times.items() if failed >= 2 and row in arm_of)
