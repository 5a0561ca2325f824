"""Where one more play promises the largest improvement over the leader: the acquisition function, and its maximum.

Where plays failed, what a place is worth is multiplied by a power of the probability that it gives a value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import minimize
from scipy.spatial.distance import cdist

from unswayed.core.gp.improvement import log_improvement
from unswayed.core.gp.point_posterior import LeadOver, PointPosterior
from unswayed.search.candidates import leading, starts, success_probability
from unswayed.search.modes import Guided
from unswayed.search.play import Proposal, Why
from unswayed.search.task import Task
from unswayed.spaces import Space
from unswayed.types import FloatArray

CLIMBS = 4  # climb from this many rows, and from the best of each family
CLIMB_STEPS = 12  # of L-BFGS, at most
HORIZON = 10  # doubt counts in full from this many plays times (parameters + 1)
LEADERS = 3  # climbs start near this many rows with the largest means
WALK = 8  # moves to neighbours at most, where parameters are whole numbers, steps or categories
SUCCESS_POWER = 8  # a failed play teaches little: with 1 a third more plays fail, and as many runs are lost


@dataclass(frozen=True, eq=False)
class Improvement:
    """The logarithm of the expected improvement over the leader."""

    lead: LeadOver

    def at(self, rows: FloatArray) -> FloatArray:
        """At each row."""
        return log_improvement(*self.lead.at(rows))[0]

    def sloped(self, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        """At each row, with its slope."""
        g = self.lead.slopes(rows)
        value, slope = log_improvement(g.mean, g.deviation)
        by_mean, by_deviation = slope / g.deviation, (1 - slope * g.mean / g.deviation) / g.deviation
        return value, by_mean[:, None] * g.mean_slope + by_deviation[:, None] * g.deviation_slope


def maximize_acquisition(space: Space, goal: Improvement, starts: FloatArray) -> FloatArray:
    """Rows of the space, the best first: the starts, and what is reached by climbing from the best of them."""
    scores = goal.at(starts)
    rows = climbed(space, goal, starts[leading(space, starts, scores, CLIMBS)])
    rows = rows[np.argsort(-goal.at(rows), kind="stable")]
    rows = np.vstack([_walked(space, goal, rows[0]), rows])
    starts, scores = np.vstack([rows, starts]), np.append(goal.at(rows), scores)
    ordered: FloatArray = starts[np.argsort(-scores, kind="stable")]
    return ordered


def climbed(space: Space, goal: Improvement, starts: FloatArray) -> FloatArray:
    """The rows that L-BFGS reaches from all starts together, moved to the nearest points of the space."""
    free = space.numbers
    if not free.any():
        return starts
    rows = starts.copy()
    arcs = space.conditions

    def loss(x: FloatArray) -> tuple[float, FloatArray]:
        rows[:, free] = x.reshape(len(rows), -1)
        if arcs is None:
            value, slope = goal.sloped(rows)
        else:
            value, slope = goal.sloped(on := arcs.on_arcs(rows))
            slope = arcs.along(on, slope)
        return -float(value.sum()), -slope[:, free].ravel()

    inside = [(0.0, 1.0)] * (len(rows) * int(free.sum()))
    limit = {"maxiter": CLIMB_STEPS}
    found = minimize(loss, starts[:, free].ravel(), jac=True, bounds=inside, method="L-BFGS-B", options=limit)
    rows[:, free] = np.clip(found.x, 0.0, 1.0).reshape(len(rows), -1)
    return space.legal(rows)


def _walked(space: Space, goal: Improvement, row: FloatArray) -> FloatArray:
    """The row after moves to better neighbours."""
    for _ in range(WALK):
        near = space.neighbours(row)
        if not len(near):
            break
        scores = goal.at(np.vstack([row, near]))
        if not scores[1:].max() > scores[0]:
            break
        row = near[int(np.argmax(scores[1:]))]
    return row


@dataclass(frozen=True, eq=False)
class Places:
    """Rows that are open to a play, the chance that each gives a value, and what each is worth, in output scales."""

    lead: LeadOver
    rows: FloatArray
    chance: FloatArray
    worth: FloatArray

    def best(self) -> list[Proposal]:
        """The row of largest worth; if all values are equal, the one in the largest hole."""
        if not len(self.rows):
            return []
        i = int(np.argmax(self.worth))
        hole = [] if np.ptp(self.lead.posterior.y) else self.hole()
        return hole or [Proposal(self.rows[i], reason(self.lead, self.rows[i]), float(self.worth[i]))]

    def hole(self) -> list[Proposal]:
        """The row that is farthest from all that were played, and not near failures."""
        if not len(self.rows):
            return []
        far = cdist(self.rows, self.lead.posterior.X).min(axis=1)
        far[self.chance < self.chance.max() / 2] = 0.0
        return [Proposal(self.rows[int(np.argmax(far))], Why.EXPLORE)] if far.max() > 0 else []


@dataclass(frozen=True, eq=False)
class Turn:
    """One play that a guided search is asked for: what every rule may look at.

    Attributes:
        search: The search so far.
        number: How many plays were asked for before this one.
        pending: Rows of plays that are open or have not entered the search yet.
        source: Who will measure it, if that is known.
    """

    search: Guided
    number: int
    pending: FloatArray
    source: str | None = None

    @property
    def task(self) -> Task:
        """What the search is for."""
        return self.search.task

    @property
    def plays(self) -> int:
        """How many plays there will be. If that is not known, those so far, and at least HORIZON (d + 1)."""
        return self.task.plays or max(self.number, HORIZON * (len(self.task.space.names) + 1))

    @property
    def rng(self) -> np.random.Generator:
        """The random numbers of this play, from their beginning."""
        return np.random.default_rng([self.task.seed, self.number])

    @cached_property
    def field(self) -> PointPosterior:
        """The posterior, if every pending play gave its prediction."""
        return self.search.surrogate.field(self.pending)

    @property
    def range(self) -> float:
        """The range of the values, in output scales."""
        return float(np.ptp(self.field.y))

    @cached_property
    def closed(self) -> set[bytes]:
        """Rows not to play: pending or failed.

        In a small space: failed twice, and no value; or pending, so that plays that are asked together differ, unless
        half of the points are.
        """
        failed, pending = self.search.data.failed, {row.tobytes() for row in self.pending}
        if self.task.all_rows is None:
            return {row.tobytes() for row in failed} | pending
        told = {row.tobytes() for row in self.search.data.rows}
        times = Counter(row.tobytes() for row in failed if row.tobytes() not in told)
        crowded = 2 * len(pending) >= len(self.task.all_rows)
        return {row for row, n in times.items() if n >= 2} | (set() if crowded else pending)

    @cached_property
    def places(self) -> Places:
        """Everywhere, compared with the leader."""
        field = self.field
        near = leading(self.task.space, field.X, field.means, LEADERS)
        return self.around(int(np.argmax(field.means)), field.X[near])

    def around(self, leader: int, leaders: FloatArray, family: int | None = None) -> Places:
        """Places compared with a row of the field, from starts around some leaders; in one family only, if given."""
        space, rows = self.task.space, self.task.all_rows
        goal = Improvement(self.field.lead(leader))
        if rows is None:
            begin = starts(space, leaders, self.rng)
            begin = begin if family is None else begin[space.family_of(begin) == family]
            rows = maximize_acquisition(space, goal, begin) if len(begin) else begin
        allowed = np.array([row.tobytes() not in self.closed for row in rows], dtype=np.bool_)
        if family is not None:
            allowed &= space.family_of(rows) == family
        rows = rows[allowed]
        data = self.search.data
        chance = success_probability(rows, data.rows, data.failed)
        return Places(goal.lead, rows, chance, chance**SUCCESS_POWER * np.exp(goal.at(rows)))


def improve(turn: Turn) -> Sequence[Proposal]:
    """The place that promises the largest improvement over the leader."""
    return turn.places.best()


def repeat_leader(turn: Turn) -> Sequence[Proposal]:
    """In a small space: the leader again, where the noise hides which of two is better."""
    if turn.task.all_rows is None or not turn.range:
        return []
    lead = turn.places.lead
    if turn.field.X[lead.row].tobytes() in turn.closed:
        return []
    return [Proposal(turn.field.X[lead.row], Why.EXPLOIT, lead.again())]


def reason(lead: LeadOver, row: FloatArray) -> Why:
    """Whether a row is expected to be as good as the leader, up to the noise."""
    return Why.EXPLOIT if lead.at(row[None])[0][0] > -np.sqrt(lead.posterior.lam) else Why.EXPLORE
