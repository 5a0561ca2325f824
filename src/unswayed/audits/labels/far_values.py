"""Values that are too far from the others of their option.

A value is compared with the mean of the others, in units of the noise that medians show: that of all options, or that
of its own option if this is louder. How far is too far depends on how heavy the tails are. Where values are positive
and skewed, such as revenue, a value must also be too far on the scale of logarithms.

The few values of an option do not tell its noise: they must be too far by that of the loudest option, and by the others
of their own. Values in two peaks are not suspected.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import ndtri, stdtrit

from unswayed.audits.fit import MEDIANS
from unswayed.audits.labels.data import LabelData, others
from unswayed.audits.labels.suspects import LEAST_TO_COMPARE, QUARTILE, Found
from unswayed.audits.weak_points import Suspect
from unswayed.judgement.noise import Repeats
from unswayed.types import BoolArray, FloatArray

SUSPECTED = 0.01  # share of honest audits in which some value is suspected
OCTILES = (0.125, 0.5, 0.875)
SKEWED = 0.15  # of a measure from -1 to 1 by octiles: values with more are compared as logarithms too
LOUDER = 2.5  # standard errors of a median: an option that is louder by more has a noise of its own
LEAST_FOR_SHAPE = 8  # values of an option that tell its own noise
TAIL = 0.9  # quantile of distances that tells how heavy the tails are, by its ratio to the median
HEAVY = 1.0  # standard error of this ratio for one value, relative: tails that are heavier by more are Student's t's
ZEROS = 0.3  # share of the values: with more, most visits bring nothing, and what they bring is judged by itself
GAP, FEWEST = 2.5, 3  # times the next distance: few values that are farther stand alone, whatever the tails
ALIKE = 3.0  # times the share of far values in the other options: below it, far values are how all options are
SECOND_KIND = 0.25  # share of the values: so many that are far are of another kind
APART = 4.0  # times the median distance: the quartile of the farthest is at 1.7 for normal values, 2.4 for Cauchy's
FREEDOMS = np.array([3.0, 3.5, 4.0, 5.0, 6.0, 8.0, 12.0, 20.0])  # of this t
TINY = 1e-300


@dataclass(frozen=True, eq=False)
class Scale:
    """Values on a scale, NaN where they are not on it; the noise of each; and how many of it are too far."""

    values: FloatArray
    noise: FloatArray
    allowed: FloatArray

    @classmethod
    def of(cls, data: LabelData, values: FloatArray) -> Self | None:
        """The scale of values, whose noise is stated or seen; None if it is not known."""
        some, tail = np.isfinite(values), SUSPECTED / (2 * len(values))
        if data.noise_std is not None:
            return cls._stated(data, values, tail)
        repeats = Repeats.of(data.option[some])
        pooled = repeats.noise(values[some], repeats.pooled)
        if pooled is None:
            return None
        noise, freedom = np.full(len(values), pooled), np.full(len(values), max(MEDIANS * repeats.number, 1.0))
        rows, distances = np.flatnonzero(some), list[FloatArray]()
        for group in repeats.options:
            mine, number = rows[group], len(group)
            off = np.abs(values[mine] - np.median(values[mine])) * np.sqrt(number / (number - 1))
            own = float(np.median(off)) / QUARTILE
            if number >= LEAST_FOR_SHAPE and own > pooled * (1 + LOUDER * np.sqrt(1 / (2 * MEDIANS * number))):
                noise[mine], freedom[mine] = own, MEDIANS * number
            distances.append(off / noise[mine])
        normal, all_ = -stdtrit(freedom, tail), np.concatenate(distances)
        if _of_two_kinds(all_) or _few_numbers(all_):
            return cls(values, noise, np.full(len(values), np.inf))
        few = np.bincount(data.option[some], minlength=len(data.labels))[data.option] < LEAST_FOR_SHAPE
        allowed = np.minimum(normal * _heavier(all_, tail), np.maximum(normal, _gap(all_)))
        return cls(values, np.where(few, noise.max(), noise), allowed)

    @classmethod
    def _stated(cls, data: LabelData, values: FloatArray, tail: float) -> Self:
        """The scale of values whose noise is stated; repeats may show that they vary more than that."""
        noise = data.noise_std.min() if data.noise_std is not None else 0.0
        repeats = Repeats.of(data.option)
        seen = repeats.noise((values - data.estimate[data.option]) * np.sqrt(data.weights)) or 0.0
        freedom = MEDIANS * repeats.number
        if seen > noise * (1 + LOUDER * np.sqrt(1 / max(2 * freedom, 1.0))):
            return cls(values, np.full(len(values), seen), np.full(len(values), -stdtrit(freedom, tail)))
        return cls(values, np.full(len(values), noise), np.full(len(values), -ndtri(tail)))

    def distance(self, data: LabelData, kept: BoolArray) -> tuple[FloatArray, FloatArray]:
        """How far each value is from the mean of the others, in units of the noise, and this mean; 0 if it is out."""
        some = kept & np.isfinite(self.values)
        rest, mean = others(data.option, data.weights * some, np.nan_to_num(self.values), len(data.labels))
        enough = np.bincount(data.option, kept, len(data.labels)) >= np.maximum(LEAST_TO_COMPARE, data.measured / 2)
        with np.errstate(divide="ignore", invalid="ignore"):
            far = np.abs(self.values - mean) / (self.noise * np.sqrt(1 / data.weights + 1 / rest))
        return np.nan_to_num(np.where(some & enough[data.option], far, 0.0)), mean

    def beyond(self, data: LabelData, kept: BoolArray) -> FloatArray:
        """How far each value is, beside how far it may be; values are too far from 1 on.

        The few values of an option need not have the noise of the others: they are also compared among themselves.
        """
        far = self.distance(data, kept)[0] / self.allowed
        if data.noise_std is not None:
            return far
        some = np.isfinite(self.values)
        few = np.bincount(data.option[some], minlength=len(data.labels))[data.option] < LEAST_FOR_SHAPE
        for row in np.flatnonzero(few & (far > 1)):
            beside = some & kept & (data.option == data.option[row])
            beside[row] = False
            far[row] = min(far[row], _among_few(self.values[row], self.values[beside], len(self.values)))
        return far


def _among_few(value: float, rest: FloatArray, values: int) -> float:
    """The same by Student's t of a value and the others of its option, whose spread is all that is known."""
    if len(rest) < 2:
        return 0.0
    t = abs(value - rest.mean()) / max(float(rest.std(ddof=1)) * np.sqrt(1 + 1 / len(rest)), TINY)
    return float(t / -stdtrit(len(rest) - 1, SUSPECTED / (2 * values)))


def _of_two_kinds(distances: FloatArray) -> bool:
    """Whether so many values are far from the others that they are of another kind: peaks, not lies."""
    return bool(np.quantile(distances, 1 - SECOND_KIND) > APART * np.median(distances))


def _few_numbers(distances: FloatArray) -> bool:
    """Whether most values are the same number, and several are not: ratings, of which the rare ones are no lies."""
    return bool(np.median(distances) == 0) and int((distances > 0).sum()) > FEWEST


def _heavier(distances: FloatArray, tail: float) -> float:
    """How much farther a value may be than a normal one, by the tails that the distances show."""
    ratio = float(np.quantile(distances, TAIL)) / max(float(np.median(distances)), TINY)
    normal = float(ndtri((1 + TAIL) / 2)) / QUARTILE
    if not ratio > (1 + HEAVY / np.sqrt(len(distances))) * normal:
        return 1.0
    ratio *= 1 + HEAVY / np.sqrt(len(distances))  # rather too heavy than not heavy enough
    ratios = stdtrit(FREEDOMS, (1 + TAIL) / 2) / stdtrit(FREEDOMS, 0.75)
    free = float(np.interp(-ratio, -ratios, FREEDOMS))
    return float(stdtrit(free, tail) / stdtrit(free, 0.75) / (ndtri(tail) / QUARTILE))


def _gap(distances: FloatArray) -> float:
    """The distance from which on values stand alone: few of them, and the next one is far less far. Else infinite."""
    most = max(FEWEST, round((1 - TAIL) * len(distances)))
    largest = np.sort(distances)[::-1][: most + 1]
    alone = np.flatnonzero(largest[:-1] >= GAP * largest[1:])
    return float(GAP * largest[alone[-1] + 1]) if len(alone) else float("inf")


def _skewed(data: LabelData) -> bool:
    """Whether values that are not negative are mostly 0, or have a long tail to the right in most options."""
    y = -data.values if data.minimize else data.values
    if y.min() < 0:
        return False
    if np.mean(y == 0) > ZEROS:
        return True
    skews = []
    for group in Repeats.of(data.option).options:
        values = y[group][y[group] > 0]
        if len(values) < LEAST_FOR_SHAPE:
            continue
        low, middle, high = np.quantile(values, OCTILES)
        skews.append((high + low - 2 * middle) / max(high - low, TINY))
    return bool(skews) and float(np.median(skews)) > SKEWED


def suspected_values(data: LabelData) -> Found:
    """Values that are too far from the others of their option; none if all options have such values."""
    found = _far(data)
    options = np.array([s.option for s in found.suspects], dtype=np.int64)
    share = np.bincount(options, minlength=len(data.labels)) / data.measured
    worst = int(share.argmax())
    outside = options[options != worst]
    elsewhere = len(outside) / (len(data.option) - data.measured[worst])
    if len(outside) >= FEWEST and ALIKE * elsewhere >= share[worst]:
        return Found((), np.ones(len(data.option), dtype=np.bool_), None)
    return found


def _far(data: LabelData) -> Found:
    """Values that are too far from the others of their option."""
    kept = np.ones(len(data.option), dtype=np.bool_)
    plain = Scale.of(data, data.values)
    if plain is None or len(np.unique(data.values)) == 2:
        return Found((), kept, None)
    logs = None
    if data.noise_std is None and _skewed(data):
        y = -data.values if data.minimize else data.values
        logs = Scale.of(data, np.log(np.where(y > 0, y, np.nan)))
        if logs is None:
            return Found((), kept, None)
    suspects: list[Suspect] = []
    while True:
        score, mean = plain.distance(data, kept)
        far = plain.beyond(data, kept)
        if logs is not None:
            far = np.minimum(far, logs.beyond(data, kept))
        worst = np.lexsort((-far, data.option))[np.cumsum(data.measured) - data.measured]
        worst = worst[far[worst] > 1]
        if not len(worst):
            return Found(tuple(suspects), kept, None)
        kept[worst] = False
        suspects += [
            Suspect(
                row=row,
                option=int(data.option[row]),
                source=None if data.sources is None else data.sources[data.source[row]],
                value=data.shown(data.values[row]),
                expected=data.shown(mean[row]),
                score=float(score[row]),
                rows=(row,),
            )
            for row in worst.tolist()
        ]
