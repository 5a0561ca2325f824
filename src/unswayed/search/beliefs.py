"""What a search takes for true: stated by the user, or estimated from the measurements.

level    the value far from all plays        tau     roughness: the noise, and what the smooth part leaves over
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from unswayed.core.ard import Model, fit_model, fit_scale, spread
from unswayed.core.fitting import noise_from_repeats
from unswayed.core.kernels import Kernel
from unswayed.core.rows import numbered_rows
from unswayed.search.candidates import REPEATS
from unswayed.search.task import Data, Task
from unswayed.types import FloatArray, IntArray

FITTED = 250  # at most this many points are used to fit length-scales
THRESHOLD = 4.0  # a play is set aside if its leave-one-out residual exceeds this many standard deviations

Values = TypeVar("Values", float, FloatArray)


@dataclass(frozen=True, eq=False)
class Beliefs:
    """The model of the values, in their units; `model` is None if the kernel was given."""

    level: float
    output_scale: float
    tau: float
    noise_std: float
    kernel: Kernel
    model: Model | None

    @property
    def lam(self) -> float:
        """Regularisation, in units of the output scale."""
        return max((self.tau / self.output_scale) ** 2, 1e-8)

    def standard(self, values: Values) -> Values:
        """Values in units of the output scale, from the level."""
        return (values - self.level) / self.output_scale


def estimate(task: Task, data: Data, before: Beliefs | None = None) -> Beliefs:
    """Noise from repeats, kernel and scales by maximum posterior. What was given is taken as it is.

    `before` are earlier beliefs, to start from.
    """
    given, values = task.given, data.values
    noise = given.noise_std
    if noise is None:
        noise = noise_from_repeats(numbered_rows(data.rows)[1], values, least=REPEATS)
    some = _fitted_plays(data, task.seed)
    X, y = data.rows[some], values[some]
    if given.kernel is not None:
        level = float(np.median(values))
        tau = noise if noise is not None else 0.1 * float(np.std(y))
        scale = given.output_scale or fit_scale(given.kernel(X, X), y - level, tau)
        return Beliefs(level, scale, max(tau, 1e-4 * scale), tau, given.kernel, None)
    groups = task.space.groups
    model = fit_model(
        X,
        y,
        groups,
        threshold=THRESHOLD,
        budget=given.threat,
        unit=spread(values[: len(task.start)]),  # the first plays cover the space
        least_tau=noise or 0.0,
        start=None if before is None else before.model,
    )
    scale = given.output_scale or model.scale
    return Beliefs(model.centre, scale, model.tau, noise or model.tau, model.kernel(groups), model)


def _fitted_plays(data: Data, seed: int) -> IntArray:
    """The plays at no more than FITTED points: a quarter of them the best ones, the others random."""
    points, arms = numbered_rows(data.rows)
    if len(points) <= FITTED:
        return np.arange(len(arms))
    means = np.bincount(arms, weights=data.values) / np.bincount(arms)
    order = np.argsort(-means, kind="stable")
    others = np.random.default_rng([seed, len(arms)]).permutation(order[FITTED // 4 :])
    chosen = np.concatenate([order[: FITTED // 4], others[: FITTED - FITTED // 4]])
    return np.flatnonzero(np.isin(arms, chosen))
