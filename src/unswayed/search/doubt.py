"""What it is worth to measure something again, because its value may be a lie.

    m, v    prediction of f at a played point from the other plays: mean and variance
    p       the probability that its value is a lie: by Bayes' rule, against a lie that may be anything in the range
    b       the mean of the leader

    the leader          p E max(b' - f, 0)       what is lost if it is false; b' is the best of the others without it
    any other point     p E max(f - b, 0)        what is gained if a low value is false
    a value set aside   (1 - p) max(y - b, 0)    what is gained if a high value is true after all

For a value that was set aside, 1 - p is at least PEAK, and y - b at most the range of the other values.

Each is the expected gain by knowing better, as the expected improvement of a new place is; so they can be compared.

The last plays prepare the answer. It believes no point that one lie can have made (judgement/recommend.py). If such a
point has the best estimate, the measurement that carries it is repeated, until the answer believes it or the estimate
falls.
"""

from __future__ import annotations

from math import inf

import numpy as np
from scipy.special import expit

from unswayed.core.gp.improvement import log_improvement
from unswayed.core.tampering.threat import Threat
from unswayed.judgement.span import Span
from unswayed.search.improvement import Turn
from unswayed.search.play import Proposal, Why
from unswayed.search.surrogate import Surrogate
from unswayed.types import BoolArray, FloatArray, IntArray

LAST = 4  # plays that prepare the answer
UNKNOWN = 0.02  # assumed share of lies, if the threat is not known
MOST_LIES = 0.25  # cap on the assumed share of lies
PEAK = 0.05  # least probability that a high value in the range is a narrow peak


def measure_again(turn: Turn) -> list[Proposal]:
    """What may be a lie that matters, or is set aside and may be true; less of it early on, because leaders change."""
    made = min(turn.number / turn.plays, 1.0)
    return [one._replace(worth=made * one.worth) for one in doubt_from_the_start(turn)]


def doubt_from_the_start(turn: Turn) -> list[Proposal]:
    """The same, however early. Nothing while most pending plays of a large space are repeats: they will tell."""
    surrogate = turn.search.surrogate
    repeats = sum(row.tobytes() in surrogate.arm_of for row in turn.pending) if turn.task.all_rows is None else 0
    if 2 * repeats > len(turn.pending):
        return []
    found = doubts(surrogate, turn.plays, turn.pending, turn.source)
    return [one for one in found if one.row.tobytes() not in turn.closed]


def repeat_challenger(turn: Turn) -> list[Proposal]:
    """In the last plays: the point that the best estimate rests on, if the answer would not believe it."""
    search, threat, left = turn.search, Threat.of(turn.task.given.threat), (turn.task.plays or inf) - turn.number
    surrogate, data = search.surrogate, search.data.only(search.modelled)
    kept = surrogate.plays_kept(data)
    if not 0 < left <= LAST or surrogate.binary or not kept.any() or (threat is not None and threat.none):
        return []
    span = Span.of(data.values[kept], threat or Threat())
    _, choice = surrogate.chosen(data, surrogate.against(span), span)
    if choice.carrying is None:
        return []
    row = data.rows[kept][choice.carrying]
    return [] if row.tobytes() in turn.closed else [Proposal(row, Why.VERIFY)]


def share_of_lies(threat: Threat | None, plays: int, sources: int, span: float, doubted: float = 0.0) -> float:
    """The share of plays that may be lies.

    Args:
        threat: What tampering to be safe against, in the units of `span`.
        plays: How many plays there will be.
        sources: How many sources are named.
        span: The range of the values.
        doubted: The share of the plays whose trust level is doubted.
    """
    if threat is None:
        return UNKNOWN
    lies = threat.lies + (threat.total / span if span > 0 else 0.0)
    return min(lies / plays + threat.liars / max(sources, threat.liars + 1) + doubted, MOST_LIES)


def doubts(surrogate: Surrogate, plays: int, pending: FloatArray, source: str | None = None) -> list[Proposal]:
    """What may be worth measuring again, the best first.

    Only measurements count: the imagined values of open plays would confirm a lie beside them, and those of failed
    plays would contradict an honest value.

    Args:
        surrogate: The model.
        plays: How many plays there will be.
        pending: The rows of open plays: they will tell.
        source: Who will measure, if that is known: the same source again tells nothing.
    """
    field = surrogate.measured
    span, means = float(np.ptp(field.y)), field.means
    told, left = surrogate.kept.records, surrogate.threat_left
    doubted = float(np.mean(told.up_to(left.doubt))) if left is not None and len(told.values) else 0.0
    share = share_of_lies(left, plays, len(surrogate.names), span, doubted)
    if share <= 0 or span <= 1e-9 * float(np.abs(field.y).max()):
        return []
    leader, (alone, variance) = int(np.argmax(means)), field.alone()
    counts = np.maximum(surrogate.counts(field.X), 1.0)
    p = _false(field.y - alone, variance + field.lam / field.n, share, counts, span)
    gain = p * _gain(alone - means[leader], variance)
    others = field.means_without(leader)
    others[leader] = -np.inf
    gain[leader] = p[leader] * _gain(others.max() - alone[leader], variance[leader])
    gain[_closed(surrogate, field.X, pending, source) | surrogate.sure(field.X)] = 0.0
    places = np.argsort(-gain, kind="stable")[:2]
    found = [Proposal(field.X[i], Why.VERIFY if i == leader else Why.RECHECK, float(gain[i])) for i in places]
    arms = surrogate.kept.records.arms
    aside = np.flatnonzero(~surrogate.kept.mask & (np.bincount(arms)[arms] == 1))
    aside = aside[~_closed(surrogate, surrogate.rows[arms[aside]], pending, source)]
    found += _highest(surrogate, aside, float(means[leader]), share, span)
    return sorted((one for one in found if one.worth > 0), key=lambda one: -one.worth)


def _highest(surrogate: Surrogate, aside: IntArray, best: float, share: float, span: float) -> list[Proposal]:
    """The most promising of some values that were set aside; none if all are below the leader or far off."""
    told, field = surrogate.kept.records, surrogate.measured
    aside = aside[(told.values[aside] > best) & (told.values[aside] < best + 2 * span)]
    if not len(aside):
        return []
    rows = surrogate.rows[told.arms[aside]]
    mean, deviation = field.at(rows)
    off = told.values[aside] - mean
    p = _false(off, np.square(deviation) + field.lam / told.weights[aside], share, np.ones(len(off)), span)
    gain = np.maximum(1 - p, PEAK) * np.minimum(told.values[aside] - best, span)
    i = int(np.argmax(gain))
    return [Proposal(rows[i], Why.RECHECK, float(gain[i]))]


def _false(off: FloatArray, variance: FloatArray, share: float, counts: FloatArray, span: float) -> FloatArray:
    """The probability that all `counts` plays of a value are lies, if it differs by `off` from what the others say.

    In logarithms, because both explanations can have a density that rounds to 0: many lies, or a huge error.
    """
    lie = counts * np.log(share)
    honest = np.log1p(-np.exp(lie)) - 0.5 * np.square(off) / variance - 0.5 * np.log(2 * np.pi * variance)
    found: FloatArray = expit(lie - np.log(span) - honest)
    return found


def _gain(mean: FloatArray, variance: FloatArray) -> FloatArray:
    """E max(g, 0) of a normal g."""
    return np.exp(log_improvement(mean, np.sqrt(variance))[0])


def _closed(surrogate: Surrogate, rows: FloatArray, pending: FloatArray, source: str | None) -> BoolArray:
    """Which rows not to ask for: open plays will tell, and the same source again tells nothing."""
    return _among(rows, pending) | surrogate.only_by(rows, source)


def _among(rows: FloatArray, others: FloatArray) -> BoolArray:
    """Which rows are among the others."""
    known = {row.tobytes() for row in others}
    return np.array([row.tobytes() in known for row in rows], dtype=np.bool_)
