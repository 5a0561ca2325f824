"""What it is worth to measure something again, because its value may be a lie.

    m, v    what the other plays say of f at a played point: mean and variance
    p       the probability that its value is a lie: by Bayes' rule, against a lie that may be anything in the range
    b       the mean of the leader

    the leader          p E max(b' - f, 0)       what is lost if it is false; b' is the best of the others without it
    any other point     p E max(f - b, 0)        what is gained if a low value is false
    a value set aside   (1 - p) max(y - b, 0)    what is gained if a high value is true after all

Each is the expected gain by knowing better, as the expected improvement of a new place is; so they can be compared.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from unswayed.core.field import Field, log_improvement
from unswayed.core.threat import Threat
from unswayed.search.play import Why
from unswayed.search.surrogate import Surrogate
from unswayed.types import FloatArray

UNKNOWN = 0.02  # share of lies, if nobody knows the threat
MOST = 0.25  # largest share of lies that is computed with
PEAK = 0.05  # least probability that a high value in the range is a narrow peak


class Doubt(NamedTuple):
    """What to measure again, why, and what that is worth in units of the output scale."""

    row: FloatArray
    why: Why
    worth: float


def share_of_lies(threat: Threat | None, plays: int, sources: int, span: float) -> float:
    """The share of plays that may be lies.

    Args:
        threat: What tampering to be safe against, in the units of `span`.
        plays: How many plays there will be.
        sources: How many sources are named.
        span: The range of the values.
    """
    if threat is None:
        return UNKNOWN
    lies = threat.lies + (threat.total / span if span > 0 else 0.0)
    return min(lies / plays + threat.liars / max(sources, threat.liars + 1), MOST)


def doubts(surrogate: Surrogate, field: Field, plays: int, source: str | None = None) -> list[Doubt]:
    """What may be worth measuring again, the best first.

    Args:
        surrogate: The model.
        field: Its posterior, with open plays imagined.
        plays: How many plays there will be.
        source: Who will measure, if that is known: the same source again tells nothing.
    """
    watch, threat = surrogate.watch, surrogate.threat
    span = float(np.ptp(field.y))
    share = share_of_lies(threat, plays, len(surrogate.names), span)
    if share <= 0 or span <= 0:
        return []
    told = surrogate.told_by(field.X, source)
    means = field.means
    leader = int(np.argmax(means))
    alone = field.alone()
    lie = share ** np.maximum(field.n, 1.0)
    p = _false(field.y - alone.mean, alone.variance + field.lam / field.n, lie, span)
    gain = p * _improvement(alone.mean - means[leader], alone.variance)
    without = field.means_without(leader)
    without[leader] = -np.inf
    gain[leader] = p[leader] * _improvement(without.max() - alone.mean[leader], alone.variance[leader])
    gain[told] = 0.0
    found = [Doubt(field.X[i], Why.VERIFY if i == leader else Why.RECHECK, float(gain[i])) for i in np.argsort(-gain)[:2]]
    return sorted(found + _aside(surrogate, field, means[leader], share, span, source), key=lambda one: -one.worth)
