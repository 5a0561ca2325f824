"""The breakdown budget with refit: the least change of one measurement that overturns the winner in the end.

A breakdown budget holds the model fixed. But who changes a value also changes what is estimated from the values:
noise, scale, kernel and level. So changes are tried, row by row, up and down, in steps and then by bisection, and
each time everything that is estimated is estimated again. The result is the least change that was found. It is an
upper bound of the least that there is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from unswayed.audits.fit import Fit
from unswayed.core.gp.posterior import JointPosterior
from unswayed.judgement.table import Table
from unswayed.types import BoolArray, IntArray

ALL_ROWS = 50  # measurements up to which all are searched
SOME_ROWS = 20  # of more measurements, how many of the most influential ones are searched
STEPS_OF_SEARCH = 12  # changes that are tried between 0 and the limit
HALVINGS = 6  # bisections between the last two of them
AROUND, FARTHEST = 1.5, 4.0  # where the search begins, in breakdown budgets; where it ends, in ranges of the values


def refit_budget(fit: Fit, data: Table, rivals: BoolArray, rows: IntArray, budget: float) -> tuple[float, bool]:
    """The least change of one measurement that makes another option win when the model is fitted again.

    Args:
        fit: How the model follows from the values.
        data: The measurements.
        rivals: The options that would be another winner.
        rows: The measurements to change.
        budget: The breakdown budget with the model held fixed.

    Returns:
        The least change found, and True; if none was found, the largest one tried, and False.
    """

    def overturns(row: int, sign: float, change: float) -> bool:
        values = data.values.copy()
        values[row] += sign * change
        found = fit.estimates(data.with_values(values))
        return found is not None and bool(rivals[np.argmax(found)])

    farthest = FARTHEST * max(float(np.ptp(data.values)), budget)

    def search(limit: float) -> float:
        for row in rows:
            for sign in (1.0, -1.0):
                limit = _least(partial(overturns, int(row), sign), limit)
        return limit

    for limit in (min(AROUND * budget, farthest), farthest):
        least = search(limit)
        if least < limit:
            return search(least), True  # again, now in finer steps
    return farthest, False


def _least(overturns: Callable[[float], bool], limit: float) -> float:
    """The least change below `limit` that overturns, found in steps and by bisection; else `limit`."""
    below = 0.0
    for change in limit * np.linspace(0, 1, STEPS_OF_SEARCH + 1)[1:]:
        if overturns(change):
            break
        below = change
    else:
        return limit
    for _ in range(HALVINGS):
        middle = (below + change) / 2
        below, change = (below, middle) if overturns(middle) else (middle, change)
    return float(change)


def influential_rows(posterior: JointPosterior, data: Table, winner: int, rival: int) -> IntArray:
    """The measurements to change: all of them, or those that move the lead most, one of each option first."""
    effect, _ = posterior.effect()  # every option was measured
    power = np.abs(effect[winner] - effect[rival])[data.arms] * data.weights
    order = np.argsort(-power, kind="stable")
    if len(order) <= ALL_ROWS:
        return order
    again = np.ones(len(order), dtype=np.bool_)
    again[np.unique(data.arms[order], return_index=True)[1]] = False
    return np.concatenate([order[~again], order[again]])[:SOME_ROWS]
