"""Which arm to recommend: the one that is best against the threat, not the one of largest estimate.

    mu(x)      estimate of arm x: linear in the values       z_j(x)   effect of measurement j on it
    reach(x)   the most that the threat can have added to it: its support function at z(x)
    v(x)       mu(x) - reach(x): the least estimate that honest values would have given, and that is attained

An arm that rests on one measurement has z_j near 1 for it, so one lie can have made all of its estimate. With n
measurements around it, one lie moves it by about 1/n of the range. So the largest v is the choice that a liar can spoil
least; of arms that are nearly as good in that respect, the one of better estimate is taken. Whoever does not name a
threat gets an answer that survives any one false measurement. If nothing is false, v is the estimate.

The model was fitted to the lies too. So it is fitted again without the few measurements that carry the choice, then
without those that carry the next choice, and an arm is worth the mean of what these models say. (The least of them
would not do: a model that explains nothing makes all arms equal.)

The challenger is what would be recommended if every measurement were true. To repeat the measurement that carries it
decides between the two: it halves what one lie can have added.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from unswayed.core.gp.posterior import JointPosterior
from unswayed.core.tampering.threat import Records, Threat
from unswayed.judgement.prior import Prior
from unswayed.judgement.span import Span
from unswayed.types import FloatArray, IntArray

CAUTION = 1.0  # standard deviations: the less an arm was measured, the larger its mean must be
SLACK = 0.1  # of the range: arms whose v is this near the largest are equally safe
REFITS = 3  # times, at most, that the model is fitted without what carries the choice


Refit = Callable[[IntArray], "Worth | None"]


def cautious(mean: FloatArray, deviation: FloatArray, without: Sequence[int] = ()) -> FloatArray:
    """mu - CAUTION sd of each arm; minus infinity for arms to leave out, unless these are all arms.

    Args:
        mean: Of each arm.
        deviation: Of each arm.
        without: Arms to leave out.
    """
    lower: FloatArray = mean - CAUTION * deviation
    lower[list(without) if len(without) < len(lower) else []] = -float("inf")
    return lower


@dataclass(frozen=True, eq=False)
class Worth:
    """What each arm is worth by one model, in the units of the values.

    Attributes:
        mean: The estimate.
        deviation: Of the estimate.
        guaranteed: v, within the range of honest values.
        gains: h_j(x): how much of the estimate the measurement j may have added if it is false; a row for each arm.
    """

    mean: FloatArray
    deviation: FloatArray
    guaranteed: FloatArray
    gains: FloatArray

    @classmethod
    def of(cls, prior: Prior, posterior: JointPosterior, records: Records, threat: Threat, span: Span) -> Self:
        """By a model.

        Args:
            prior: The model.
            posterior: Of the measurements.
            records: The measurements, in units of the prior.
            threat: What may be false, in the units of the values.
            span: The range of honest values.
        """
        z, unit = records.effects(*posterior.effect()), prior.output_scale
        low, high = prior.standardized(span.low), prior.standardized(span.high)
        gains = np.abs(z) if threat.none or threat.total else records.gains(-z, low, high)
        mean = span.clipped(prior.unstandardized(posterior.mean))
        least = mean - unit * threat.mapped(1 / unit, prior.standardized).reach(-z, records)
        return cls(mean, unit * posterior.deviation, np.clip(least, span.low, span.high), gains)


def supposed(threat: Threat | None, span: Span, *, sources: int) -> Threat:
    """What a recommendation is to be safe against: what was stated, else one lie, or one lying source.

    Args:
        threat: What was stated; None if nothing was.
        span: The range of honest values.
        sources: How many sources are named.
    """
    if span.width <= 0:
        return Threat()
    if threat is None:
        threat = Threat(liars=1) if sources > 2 else Threat(lies=1)  # of two, nobody could tell which one lies
    return replace(threat, low=span.low, high=span.high)


@dataclass(frozen=True)
class Choice:
    """What to recommend, and what else it might be.

    Attributes:
        arm: The arm to recommend.
        challenger: The arm that would be recommended if every measurement were true; None if it is the same, or no
            better than a tie.
        carrying: The measurement that carries the challenger: to repeat it decides between the two.
    """

    arm: int
    challenger: int | None = None
    carrying: int | None = None


def choose(
    worth: Worth,
    records: Records,
    threat: Threat,
    *,
    tie: float = 0.0,
    without: Sequence[int] = (),
    refit: Refit | None = None,
) -> Choice:
    """What to recommend.

    Args:
        worth: By the model of all measurements.
        records: The measurements.
        threat: What may be false, with the range of honest values.
        tie: A challenger is estimated to be better by more than this.
        without: Arms that are not to be recommended.
        refit: By a model that is fitted without these measurements; it returns None if there is none.
    """
    arm = _safest(worth, records, threat, without, refit)
    rival = int(np.argmax(cautious(worth.mean, worth.deviation, without)))
    if rival == arm or worth.mean[rival] - worth.mean[arm] <= tie:
        return Choice(arm)
    return Choice(arm, rival, int(np.argmax(worth.gains[rival])))


def _safest(worth: Worth, records: Records, threat: Threat, without: Sequence[int], refit: Refit | None) -> int:
    """The arm to recommend; the model is fitted again until it no longer depends on what carries the choice."""
    models, chosen, gone = [worth], set[int](), set[int]()
    while True:
        arm = _best(models, threat, without)
        if threat.none or refit is None or arm in chosen or len(chosen) == REFITS:
            return arm
        chosen.add(arm)
        gone.update(carrying(worth, arm, records, threat).tolist())
        if (again := refit(np.array(sorted(gone)))) is not None:
            models.append(again)


def _best(models: Sequence[Worth], threat: Threat, without: Sequence[int]) -> int:
    """The best estimate among the arms that are safest, by the mean of the models."""
    estimate = np.mean([cautious(model.mean, model.deviation, without) for model in models], axis=0)
    if threat.none:
        return int(np.argmax(estimate))
    least = np.mean([cautious(model.guaranteed, model.deviation, without) for model in models], axis=0)
    safe = least >= least.max() - SLACK * threat.width
    return int(np.argmax(np.where(safe, estimate, -np.inf)))


def carrying(worth: Worth, arm: int, records: Records, threat: Threat) -> IntArray:
    """The measurements that carry an arm: as many as may be false, or all of one source.

    Args:
        worth: What the arms are worth.
        arm: The arm.
        records: The measurements.
        threat: What may be false.
    """
    gains = worth.gains[arm]
    if threat.liars and records.sources is not None:
        heaviest = int(np.argmax(records.by_source(gains[None])[0]))
        return np.flatnonzero(records.sources == heaviest)
    return np.argsort(-gains, kind="stable")[: max(threat.lies, 1)]
