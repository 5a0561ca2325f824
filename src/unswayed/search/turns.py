"""A fair chance for every family of a space with conditions.

A family that begins badly would hardly be played again: its few values say that its own parameters do not matter. So
each second play goes to the family that is farthest behind its share, to improve on the best of that family, until
every family has had its share.

    the share of a family   EACH (d + 1) plays, where d is the number of its parameters; less if these are more than
                            MOST of all plays
"""

from __future__ import annotations

import numpy as np

from unswayed.search.candidates import families, family_of
from unswayed.search.task import Data, Task
from unswayed.spaces import Box
from unswayed.types import FloatArray

EACH = 3
MOST = 0.5


def behind(task: Task, data: Data, pending: FloatArray, number: int, plays: int) -> int | None:
    """The family whose turn it is; None if all have had their share, or if it is nobody's turn."""
    if number % 2 or not families(task.space) or not isinstance(task.space, Box) or task.space.conditions is None:
        return None
    conditions = task.space.conditions
    played = family_of(task.space, np.vstack([data.rows, data.failed, pending]))
    counts = np.bincount(played, minlength=families(task.space))
    own = [sum(conditions.has(name, one) for name in conditions.parameters) for one in conditions.families]
    shares = EACH * (np.array(own) - len(conditions.gates) + 1.0)
    shares *= min(1.0, MOST * plays / shares.sum())
    lacking = counts / shares
    return int(np.argmin(lacking)) if lacking.min() < 1 else None
