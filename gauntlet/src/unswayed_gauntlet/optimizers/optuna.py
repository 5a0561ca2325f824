"""Optuna's samplers with their default settings. They recommend the best trial, as `study.best_params` does.

A sampler cannot be given a list: it gets the smallest box around it, and the nearest row is measured.
"""

from __future__ import annotations

import warnings
from typing import Any

import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution

from unswayed.core.tampering.threat import Threat
from unswayed.spaces import Categorical, Integer, Point, Space
from unswayed.spaces.parameters import Parameter
from unswayed_gauntlet.optimizers.boxed import boxed, snapped

optuna.logging.set_verbosity(optuna.logging.WARNING)


def _distribution(one: Parameter) -> BaseDistribution:
    if isinstance(one, Categorical):
        return CategoricalDistribution(one.choices)
    if isinstance(one, Integer):
        return IntDistribution(one.low, one.high, log=one.log)
    return FloatDistribution(one.low, one.high, log=one.log)


class Optuna:
    """A study that is asked and told; `GPSampler` models noise by default, which suits these games."""

    def __init__(self, space: Space, plays: int, threat: Threat, seed: int, *, sampler: str) -> None:
        self._space, self._box = space, boxed(space)
        self._distributions = {name: _distribution(one) for name, one in self._box.parameters.items()}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that a sampler is experimental
            made: Any = getattr(optuna.samplers, sampler)(seed=seed)
        self._study = optuna.create_study(direction="maximize", sampler=made)

    def ask(self, source: str | None) -> Point:
        """The next trial."""
        self._trial = self._study.ask(self._distributions)
        return snapped(self._space, self._box, self._trial.params)

    def tell(self, point: Point, value: float, source: str | None) -> None:
        """Its value."""
        self._study.tell(self._trial, value)

    def recommend(self) -> Point:
        """The best trial."""
        return snapped(self._space, self._box, self._study.best_params)
