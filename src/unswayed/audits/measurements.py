"""The measurements of an audit by option, and what stands out in them: rivals, sensitive options, suspects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import ArrayLike

from unswayed.core.data.measurement import relative_weights
from unswayed.core.gp.kernels import gram
from unswayed.core.gp.posterior import JointPosterior
from unswayed.core.tampering.certificate import breakdown_budgets
from unswayed.core.tampering.influence import pairwise_deviation
from unswayed.core.tampering.threat import LARGEST_VALUE, Records
from unswayed.errors import InvalidInput
from unswayed.judgement.prior import Prior
from unswayed.judgement.table import Table
from unswayed.judgement.trimming import suspects
from unswayed.text import counted
from unswayed.types import FloatArray, IntArray, floats

SHOWN = 5  # rivals and sensitive options


def collect(
    x: ArrayLike,
    y: ArrayLike,
    *,
    minimize: bool,
    weights: FloatArray | None = None,
    sources: Sequence[object] | None = None,
) -> Table:
    """Check the measurements and number the options and the sources."""
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
    w = np.ones(len(values)) if weights is None else weights
    if len(w) != len(values):
        raise InvalidInput(f"{len(w)} standard errors for {len(values)} values")
    names, source = ((), None) if sources is None else _numbered_sources(sources, len(values))
    return Table.of(rows, values, w, sources=source, names=names)


def _numbered_sources(sources: Sequence[object], measurements: int) -> tuple[tuple[str, ...], IntArray]:
    """The names of the sources in order of first appearance, and the number of the source of each measurement."""
    if len(sources) != measurements:
        raise InvalidInput(f"{len(sources)} sources for {measurements} values")
    numbers: dict[str, int] = {}
    for row, source in enumerate(sources):
        if source is None or source != source or not str(source).strip():
            raise InvalidInput(f"measurement {row + 1:,} has no source: name one for each, or give none at all")
        numbers.setdefault(str(source), len(numbers))
    return tuple(numbers), np.array([numbers[str(source)] for source in sources], dtype=np.int64)


def stated_noise(noise_stds: ArrayLike | None, noise: float | None) -> tuple[FloatArray | None, float | None]:
    """The weight of each measurement, and the noise of weight 1.

    Args:
        noise_stds: The standard error of each measurement; None or NaN for one that does not state it.
        noise: The noise of the measurements that do not state it, if it is given.
    """
    if noise_stds is None:
        return None, noise
    try:
        own = np.array(noise_stds, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInput(f"the standard errors must be numbers: {error}") from None
    known = ~np.isnan(own)
    if own.ndim != 1 or not ((own[known] > 1 / LARGEST_VALUE) & (own[known] < LARGEST_VALUE)).all():
        raise InvalidInput("the standard errors must be positive numbers that can be computed with, one a measurement")
    if not known.all() and noise is None:
        missing = counted(int((~known).sum()), "measurement")
        raise InvalidInput(f"{missing} without a standard error: give noise_std, the noise of these")
    return relative_weights(own, noise)


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
    source: str | None
    value: float
    expected: float
    score: float  # leave-one-out residual in standard deviations


def find_rivals(posterior: JointPosterior, winner: int, records: Records, scale: float) -> tuple[Rival, ...]:
    """The options that tampering would make win most cheaply."""
    mu = posterior.mean
    budgets, where = breakdown_budgets(posterior, winner, records=records)
    # Every option was measured, so a rival that no tampering moves relative to the winner has the same estimate. A
    # lead over it is a rounding error.
    budgets[np.isinf(budgets)] = 0.0
    budgets[winner] = np.inf
    spread = pairwise_deviation(posterior.covariance, winner)
    lead, spread, needed = scale * (mu[winner] - mu), scale * spread, scale * budgets
    cheapest = np.argsort(budgets, kind="stable")[: min(SHOWN, len(mu) - 1)]
    return tuple(Rival(int(b), float(lead[b]), float(spread[b]), float(needed[b]), int(where[b])) for b in cheapest)


def find_hinges(
    posterior: JointPosterior, winner: int, rival: Rival, records: Records
) -> tuple[tuple[int, float], ...]:
    """Where tampering would be cheapest, if all of it went to measurements of one option."""
    effect, S = posterior.effect()  # every option was measured
    power = np.zeros(len(effect))
    np.maximum.at(power, records.arms, np.abs(records.effects(effect[winner] - effect[rival.option], S)))
    strongest = [int(i) for i in np.argsort(-power, kind="stable")[:SHOWN] if power[i] > 1e-9 * power.max()]
    return tuple((i, rival.lead / float(power[i])) for i in strongest)


def find_suspects(
    posterior: JointPosterior, data: Table, model: Prior, allowed: float, sign: float
) -> tuple[Suspect, ...]:
    """Measurements whose leave-one-out residual exceeds `allowed` standard deviations.

    The worst one is taken out before the next is looked for: beside a lie its honest repeats would look suspicious.
    What is expected is what the measurements that are left predict.
    """
    records, found = data.with_values(model.standard(data.values)), list[Suspect]()
    K, most = gram(model.kernel, data.points), len(data.values) // 2
    one_by_one = suspects(posterior, records, K=K, threshold=allowed, whole_arms=False)
    for dropped, score, rest in islice(one_by_one, most):
        row = int(np.argmax(dropped))
        option = int(data.arms[row])
        expected = sign * model.in_units(float(rest.mean[option]))
        found.append(Suspect(row, option, data.source(row), float(sign * data.values[row]), expected, score))
    return tuple(found)
