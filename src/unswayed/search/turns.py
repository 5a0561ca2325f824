"""A fair chance for every family of a space with conditions.

A family that begins badly would hardly be played again: its few values say that its own parameters do not matter. So
each second play goes to the family that is farthest behind its share, to improve on the best of that family, until
every family has had its share of plays without a new best value.

    the share of a family   EACH (d + 1) plays, where d is the number of its parameters, and at least LEAST; less if
                            these are more than MOST of all plays

Under a threat, a value that is the best of its family is measured again if it was set aside: most plays that contradict
it may be of other families.
"""

from __future__ import annotations

import numpy as np

from unswayed.search.candidates import families, family_of
from unswayed.search.surrogate import Surrogate
from unswayed.search.task import Data, Task
from unswayed.spaces import Box
from unswayed.types import BoolArray, FloatArray

EACH, LEAST = 3, 10
MOST = 0.5


def behind(task: Task, data: Data, pending: FloatArray, number: int, plays: int) -> int | None:
    """The family whose turn it is; None if all have had their share, or if it is nobody's turn."""
    if number % 2 or not families(task.space) or not isinstance(task.space, Box) or task.space.conditions is None:
        return None
    conditions = task.space.conditions
    names = [name for name in conditions.parameters if name not in conditions.gates]
    own = [sum(conditions.has(name, one) for name in names) for one in conditions.families]
    shares = np.maximum(EACH * (np.array(own) + 1.0), LEAST)
    shares *= min(1.0, MOST * plays / shares.sum())
    family, values = family_of(task.space, np.vstack([data.rows, data.failed, pending])), data.values
    counts = np.bincount(family, minlength=len(shares))
    for one in np.unique(family[: len(values)]):
        mine = values[family[: len(values)] == one]
        counts[one] -= int(np.argmax(mine))  # only those since its best value
    lacking = counts / shares
    return int(np.argmin(lacking)) if lacking.min() < 1 else None


def doubted(surrogate: Surrogate, rows: BoolArray, above: float) -> FloatArray | None:
    """The row of the largest value that was set aside and not measured again yet, of some arms and above a value."""
    told, threat = surrogate.kept.records, surrogate.threat
    once = np.bincount(told.arms)[told.arms] == 1
    aside = np.flatnonzero(~surrogate.kept.mask & once & rows[told.arms] & (told.values > above))
    if surrogate.binary or not aside.size or (threat is not None and threat.none):
        return None
    row: FloatArray = surrogate.rows[told.arms[aside[np.argmax(told.values[aside])]]]
    return row
