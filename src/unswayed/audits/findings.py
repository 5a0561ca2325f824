"""What stands out in the measurements of an audit: rivals, the most sensitive options, suspects."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from unswayed.audits.measurements import Measurements
from unswayed.core.certificate import breakdown_budgets
from unswayed.core.influence import pairwise_deviation
from unswayed.core.posterior import JointPosterior

SHOWN = 5


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
    return tuple(
        Rival(
            option=int(b),
            lead=scale * float(mu[winner] - mu[b]),
            deviation=scale * float(spread[b]),
            budget=scale * float(budgets[b]),
            pivot=int(where[b]),
        )
        for b in np.argsort(budgets, kind="stable")[: min(SHOWN, len(mu) - 1)]
    )


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
