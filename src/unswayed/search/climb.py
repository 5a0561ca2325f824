"""Climbing to the top of the expected improvement, from the best of many starts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from unswayed.core.gp.improvement import log_improvement
from unswayed.core.gp.point_posterior import LeadOver
from unswayed.search.candidates import leading
from unswayed.spaces import Box, Categorical, Options, Space
from unswayed.types import BoolArray, FloatArray

STARTS, STEPS = 4, 12  # climb from this many rows, for at most so many steps
APART = 0.1  # of a length of the cube: starts are at least this far from each other
ROUNDS = 8  # of moves to neighbours, where parameters are whole numbers, steps or categories
NEAREST = 30  # options of a table are neighbours


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


def top(space: Space, goal: Improvement, starts: FloatArray) -> FloatArray:
    """Rows of the space, the best first: the starts, and what is reached by climbing from the best of them."""
    scores = goal.at(starts)
    some = starts[_apart(space, starts, scores)]
    rows = climbed(space, goal, some) if isinstance(space, Box) else some
    rows = rows[np.argsort(-goal.at(rows), kind="stable")]
    rows = np.vstack([_walked(space, goal, rows[0]), rows])
    starts, scores = np.vstack([rows, starts]), np.append(goal.at(rows), scores)
    ordered: FloatArray = starts[np.argsort(-scores, kind="stable")]
    return ordered


def climbed(space: Box, goal: Improvement, starts: FloatArray) -> FloatArray:
    """The rows that L-BFGS reaches from all starts together, moved to the nearest points of the space."""
    free = _free(space)
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
    begin, limit = starts[:, free].ravel(), {"maxiter": STEPS}
    found = minimize(loss, begin, jac=True, bounds=inside, method="L-BFGS-B", options=limit)
    rows[:, free] = np.clip(found.x, 0.0, 1.0).reshape(len(rows), -1)
    return space.legal(rows)


def _free(space: Box) -> BoolArray:
    """Which columns are numbers; on an arc, the first of two."""
    numbers = np.array([not isinstance(one, Categorical) for one in space.parameters.values()], dtype=np.bool_)
    free: BoolArray = numbers[space.groups] & np.append(True, np.diff(space.groups) > 0)
    return free


def _apart(space: Space, rows: FloatArray, scores: FloatArray) -> list[int]:
    """The best rows that are not close to each other, and the best row of each family."""
    chosen: list[int] = []
    for place in np.argsort(-scores, kind="stable"):
        if all(np.abs(rows[place] - rows[other]).max() > APART for other in chosen):
            chosen.append(int(place))
        if len(chosen) == STARTS:
            break
    return list(dict.fromkeys([*chosen, *leading(space, rows, scores, 0).tolist()]))


def _walked(space: Space, goal: Improvement, row: FloatArray) -> FloatArray:
    """The row after moves to better neighbours."""
    for _ in range(ROUNDS):
        near = neighbours(space, row)
        if not len(near):
            break
        scores = goal.at(np.vstack([row, near]))
        if not scores[1:].max() > scores[0]:
            break
        row = near[int(np.argmax(scores[1:]))]
    return row


def neighbours(space: Space, row: FloatArray) -> FloatArray:
    """In a box, the points that differ in one number, by one step, or in one category; in a table, the nearest.

    A category that needs other parameters is no neighbour: there is no value for them.
    """
    if isinstance(space, Options):
        return space.nearest(row[None], NEAREST)
    if not isinstance(space, Box):
        return row[None][:0]
    [point] = space.decode(row[None])
    near = [{**point, name: other} for name, value in point.items() for other in space.parameters[name].near(value)]
    if space.conditions is not None:
        near = [whole for one in near if (whole := space.conditions.pruned(one)) is not None]
    return space.encode(near) if near else row[None][:0]
