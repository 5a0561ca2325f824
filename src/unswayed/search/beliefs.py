"""What a search takes for true: stated by the user, or estimated from the measurements."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from unswayed.core.data.rows import numbered_rows
from unswayed.core.tampering.threat import Threat
from unswayed.judgement.allowance import Allowance
from unswayed.judgement.fit import Model, fit_model, fit_scales, spread
from unswayed.judgement.prior import Prior, prior
from unswayed.judgement.table import Table
from unswayed.search.task import Data, Task
from unswayed.types import FloatArray, IntArray

FITTED = 250  # at most this many points are used to fit length-scales
FITTED_PLAYS = 1000  # the same for plays: repeats beyond these say little about length-scales
LEAST_TAU = 1e-4  # of the output scale: a smaller noise only costs digits
THRESHOLD = 4.0  # a play is set aside if its leave-one-out residual exceeds this many standard deviations
OUTCOMES = 6.0  # the same for a batch of single outcomes, whose distribution is skewed


@dataclass(frozen=True, eq=False)
class Beliefs:
    """The model of the values; `fitted` is what was estimated, None if the kernel was given."""

    prior: Prior
    fitted: Model | None


def estimate(task: Task, data: Data, before: Beliefs | None = None, *, rounds: int = 2) -> Beliefs:
    """Noise from repeats, kernel and scales by maximum posterior. What was given is taken as it is.

    `before` are earlier beliefs, to start from; with no `rounds` these are only improved by some steps.
    """
    given, plays = task.given, data.table(task.given.noise_std)
    some = plays.part(_few(fitted_plays(plays.rows, plays.values, task.seed), task.seed))
    if given.kernel is not None:
        scale, tau = fit_scales(some, given, given.kernel)
        known = prior(given, plays.values, kernel=given.kernel, output_scale=scale, noise_std=tau)
        return Beliefs(replace(known, tau=max(known.noise_std, LEAST_TAU * known.output_scale)), None)
    model = fit_model(
        some,
        task.space.groups,
        threshold=threshold_of(data),
        allowance=Allowance.of(Threat.of(given.threat), task.noise_allowance),
        unit=min(_unit(task, data.values), data.extent.most),
        start=None if before is None else before.fitted,
        rounds=rounds,
    )
    return _believed(task, plays, model)


def believed(task: Task, data: Data, model: Model | None) -> Beliefs:
    """What `estimate` returned for these data if `model` is what it fitted: the same, without fitting again."""
    if model is None:
        return estimate(task, data)
    return _believed(task, data.table(task.given.noise_std), model)


def _believed(task: Task, plays: Table, model: Model) -> Beliefs:
    known = prior(
        task.given,
        plays.values,
        kernel=model.kernel(task.space.groups),
        output_scale=model.scale,
        noise_std=plays.noise or model.tau,
        tau=model.tau,
        centre=model.centre,
    )
    return Beliefs(replace(known, tau=max(known.tau, LEAST_TAU * known.output_scale)), model)


def _few(plays: IntArray, seed: int) -> IntArray:
    """No more than FITTED_PLAYS of these plays, at random."""
    if len(plays) <= FITTED_PLAYS:
        return plays
    return np.sort(np.random.default_rng([seed, len(plays)]).choice(plays, FITTED_PLAYS, replace=False))


def _unit(task: Task, values: FloatArray) -> float:
    """The spread of the values over the space: the first plays cover it, later ones are more alike."""
    if task.method == "influence-pe":
        return spread(values[: len(task.initial_rows)])
    first = values[: max(2 * task.first_fit_at, 8)]
    return max(spread(first), spread(values)) if np.ptp(first) else spread(values)


def threshold_of(data: Data) -> float:
    """How many standard deviations a play, or a batch of outcomes, may be off."""
    return OUTCOMES if data.binary else THRESHOLD


def modelled(task: Task, table: Table) -> IntArray:
    """The plays that a search models: in a small space all of them, else those at no more than FITTED points.

    So a model costs no more however many plays there are.
    """
    if task.all_rows is not None:
        return np.arange(len(table.values))
    return fitted_plays(table.rows, table.values, task.seed)


def fitted_plays(rows: FloatArray, values: FloatArray, seed: int) -> IntArray:
    """The plays at no more than FITTED points: a quarter of them the best ones, the others random."""
    points, arms = numbered_rows(rows)
    if len(points) <= FITTED:
        return np.arange(len(arms))
    means = np.bincount(arms, weights=values) / np.bincount(arms)
    order = np.argsort(-means, kind="stable")
    others = np.random.default_rng([seed, len(arms)]).permutation(order[FITTED // 4 :])
    chosen = np.concatenate([order[: FITTED // 4], others[: FITTED - FITTED // 4]])
    return np.flatnonzero(np.isin(arms, chosen))
