"""The measurements of an audit by option, and what stands out in them: rivals, sensitive options, suspects."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from unswayed.core.certificate import breakdown_budgets
from unswayed.core.influence import pairwise_deviation
from unswayed.core.kernels import gram
from unswayed.core.posterior import JointPosterior
from unswayed.core.prior import Prior
from unswayed.core.rows import numbered_rows
from unswayed.core.threat import LARGEST_VALUE
from unswayed.core.trimming import residuals, without
from unswayed.errors import InvalidInput
from unswayed.types import BoolArray, FloatArray, IntArray, floats

SHOWN = 5  # rivals and sensitive options


@dataclass(frozen=True, eq=False)
class Measurements:
    """Values of which larger ones are better, by option.

    Attributes:
        points: The distinct rows of parameters, in order of first appearance: the options.
        option: The number of the option of each measurement.
        values: The value of each measurement.
    """

    points: FloatArray
    option: IntArray
    values: FloatArray

    @property
    def counts(self) -> FloatArray:
        """How often each option was measured."""
        return np.bincount(self.option, minlength=len(self.points)).astype(np.float64)

    @property
    def means(self) -> FloatArray:
        """The mean value of each option."""
        return np.bincount(self.option, weights=self.values, minlength=len(self.points)) / self.counts

    def with_values(self, values: FloatArray) -> Self:
        """Other values of the same options."""
        return replace(self, values=values)

    def only(self, kept: BoolArray) -> Self:
        """Some of the measurements; their options are numbered anew."""
        points, option = numbered_rows(self.points[self.option[kept]])
        return replace(self, points=points, option=option, values=self.values[kept])


def collect(x: ArrayLike, y: ArrayLike, *, minimize: bool) -> Measurements:
    """Check the measurements and number the options."""
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
    return Measurements(points, option, values)


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

    row: int  # of the data, from 0
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


def find_suspects(
    posterior: JointPosterior, data: Measurements, model: Prior, allowed: float, sign: float
) -> tuple[Suspect, ...]:
    """Measurements whose leave-one-out residual exceeds `allowed` standard deviations.

    The worst one is taken out before the next is looked for: beside a lie its honest repeats would look suspicious.
    What is expected is what the measurements that are left predict.
    """
    z, ones, share = model.standard(data.values), np.ones(len(data.values)), 1.0
    kept, K = ones > 0, gram(model.kernel, data.points)
    found: list[Suspect] = []
    while len(found) < len(z) // 2:
        left = np.flatnonzero(kept)
        scores, _ = residuals(posterior, data.option[left], z[left], ones[left])
        if not scores.max() > allowed:
            break
        row, score = int(left[int(np.argmax(scores))]), float(scores.max())
        option = int(data.option[row])
        kept[row] = False
        posterior, share = without(posterior, share, data.option, z, ones, kept, np.arange(len(z)) == row, K)
        expected = sign * model.in_units(float(posterior.mean[option]))
        found.append(Suspect(row, option, float(sign * data.values[row]), expected, score))
    return tuple(found)
