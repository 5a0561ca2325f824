"""The measurements of an audit by option, and what stands out in them: rivals, sensitive options, suspects."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from unswayed.core.assumptions import LARGEST_VALUE, Given
from unswayed.core.certificate import breakdown_budgets
from unswayed.core.influence import pairwise_deviation
from unswayed.core.posterior import JointPosterior
from unswayed.core.rows import numbered_rows
from unswayed.errors import InvalidInput
from unswayed.types import FloatArray, IntArray, floats

SHOWN = 5  # rivals and sensitive options


@dataclass(frozen=True, eq=False)
class Measurements:
    """Larger is better; `values` and `means` are in units of `scale`, from `level`.

    Attributes:
        points: The distinct rows of parameters, in order of first appearance: the options.
        option: The number of the option of each measurement.
        values: The value of each measurement.
        counts: How often each option was measured.
        means: The mean value of each option.
        level: What was subtracted from the values.
        scale: What they were divided by.
        sign: -1 if the values were negated because smaller ones are better.
        estimated: What of the model is estimated, in words.
    """

    points: FloatArray
    option: IntArray
    values: FloatArray
    counts: FloatArray
    means: FloatArray
    level: float
    scale: float
    sign: float
    estimated: tuple[str, ...]

    def in_units(self, z: FloatArray) -> FloatArray:
        """Standardised values as the user gave them."""
        return self.sign * (self.level + self.scale * z)


def collect(x: ArrayLike, y: ArrayLike, given: Given, *, minimize: bool) -> Measurements:
    """Check the measurements, number the options, and standardise the values.

    With kernel and noise given nothing is subtracted, and the scale is the output scale if that is given, else 1.
    Otherwise level and scale are robust: one lie does not set them.
    """
    sign = -1.0 if minimize else 1.0
    rows, values = floats(x, "the parameters", ndim=2), sign * floats(y, "the values", ndim=1)
    if len(rows) != len(values):
        raise InvalidInput(f"{len(rows)} rows of parameters for {len(values)} values")
    if len(rows) == 0 or np.ptp(rows, axis=0).max(initial=0.0) == 0:
        raise InvalidInput("an audit needs measurements of at least two different options")
    if np.ptp(values) == 0:
        raise InvalidInput("all values are equal: there is no winner to audit")
    for name, numbers in (("parameters", rows), ("values", values)):
        if np.abs(numbers).max() > LARGEST_VALUE:
            raise InvalidInput(f"the {name} exceed {LARGEST_VALUE:g}: use larger units")
    points, option = numbered_rows(rows)
    counts = np.bincount(option).astype(np.float64)
    means = np.bincount(option, weights=values) / counts
    complete = given.kernel is not None and given.noise_std is not None
    # With kernel and noise given, an output scale that is not given is 1: the kernel is taken as it is.
    names = [name for name in given.estimated if not (complete and name == "output scale")]
    estimated = tuple(names) if complete else (*names, "level")
    level, scale = (0.0, 1.0) if complete else level_and_scale(means)
    scale = scale if given.output_scale is None else given.output_scale
    largest = float(np.abs(values - level).max() / scale)
    if largest > LARGEST_VALUE:
        raise InvalidInput(f"a value is {largest:.3g} times the output scale: leave it out, or give a larger scale")
    z, means = (values - level) / scale, (means - level) / scale
    return Measurements(points, option, z, counts, means, level, scale, sign, estimated)


def level_and_scale(means: FloatArray) -> tuple[float, float]:
    """Median and spread: the interquartile range as of a normal, else the standard deviation, else the range."""
    low, centre, high = np.quantile(means, (0.25, 0.5, 0.75))
    unit = float(np.ptp(means)) or 1.0
    spread = float(high - low) / (2 * float(ndtri(0.75))) or unit * float(np.std(means / unit)) or unit
    return float(centre), spread


@dataclass(frozen=True)
class Rival:
    """An option that could have won: how far behind it is, and what tampering would have made it win."""

    option: int
    lead: float
    deviation: float
    budget: float
    pivot: int


@dataclass(frozen=True)
class Suspect:
    """A measurement that its neighbours and repeats do not explain."""

    row: int  # from 0
    option: int
    value: float
    expected: float
    score: float  # leave-one-out residual in standard deviations


def find_rivals(posterior: JointPosterior, winner: int, scale: float) -> tuple[Rival, ...]:
    """The options that tampering would make win most cheaply."""
    mu = posterior.mean
    budgets, where = breakdown_budgets(posterior, winner)
    # Every option was measured, so a rival that no tampering moves relative to the winner has the same estimate. A
    # lead over it is a rounding error.
    budgets[np.isinf(budgets)] = 0.0
    budgets[winner] = np.inf
    spread = pairwise_deviation(posterior.covariance, winner)
    lead, spread, needed = scale * (mu[winner] - mu), scale * spread, scale * budgets
    cheapest = np.argsort(budgets, kind="stable")[: min(SHOWN, len(mu) - 1)]
    return tuple(Rival(int(b), float(lead[b]), float(spread[b]), float(needed[b]), int(where[b])) for b in cheapest)


def find_hinges(posterior: JointPosterior, winner: int, rival: Rival) -> tuple[tuple[int, float], ...]:
    """Where tampering would be cheapest, if all of it went to measurements of one option."""
    effect, _ = posterior.effect()  # every option was measured
    power = np.abs(effect[winner] - effect[rival.option])
    strongest = [int(i) for i in np.argsort(-power, kind="stable")[:SHOWN] if power[i] > 0]
    return tuple((i, rival.lead / float(power[i])) for i in strongest)


def find_suspects(posterior: JointPosterior, data: Measurements, delta: float) -> tuple[Suspect, ...]:
    """Leave-one-out residuals beyond what the model allows, by chance in at most delta of all audits.

    In the model of all rows, [A^-1 y]_j = (y_j - mu(x_j))/lam and [A^-1]_jj = (1 - k_t(x_j,x_j)/lam)/lam, so
    the residual in standard deviations is |y_j - mu(x_j)| / sqrt(lam - k_t(x_j,x_j)).
    """
    expected, variance = posterior.mean[data.option], posterior.deviation[data.option] ** 2
    spare = np.maximum(posterior.lam - variance, 1e-12 * posterior.lam)
    scores = np.abs(data.values - expected) / np.sqrt(spare)
    allowed = -float(ndtri(delta / (2 * len(scores))))
    worst = [int(j) for j in np.argsort(-scores, kind="stable") if scores[j] > allowed]
    values, predicted = data.in_units(data.values), data.in_units(expected)
    return tuple(
        Suspect(j, int(data.option[j]), float(values[j]), float(predicted[j]), float(scores[j])) for j in worst
    )
