"""SMAC3 with its facade for hyper-parameters, asked and told. It recommends its incumbent.

The objective is declared to be noisy, so its intensifier measures a promising point up to three times. It cannot be
given a list: it gets the smallest box around it, and the nearest row is measured.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ConfigSpace import CategoricalHyperparameter, ConfigurationSpace, Float
from ConfigSpace import Integer as WholeNumber
from smac import HyperparameterOptimizationFacade as Facade
from smac import Scenario
from smac.runhistory import TrialValue

from unswayed.core.threat import Threat
from unswayed.gauntlet.optimizers.boxed import boxed, snapped
from unswayed.spaces import Categorical, Integer, Point, Space
from unswayed.spaces.parameters import Parameter


def _hyperparameter(name: str, one: Parameter) -> Any:
    if isinstance(one, Categorical):
        return CategoricalHyperparameter(name, list(one.choices))
    kind = WholeNumber if isinstance(one, Integer) else Float
    return kind(name, (one.low, one.high), log=one.log)


class SMAC:
    """The facade. What it wants to write goes to a folder that is removed at the end."""

    def __init__(self, space: Space, plays: int, threat: Threat, seed: int) -> None:
        self._space, self._box, self._folder = space, boxed(space), TemporaryDirectory()
        configurations = ConfigurationSpace(seed=seed)
        configurations.add([_hyperparameter(name, one) for name, one in self._box.parameters.items()])
        how = {"deterministic": False, "n_trials": plays, "seed": seed, "output_directory": Path(self._folder.name)}
        self._facade = Facade(
            Scenario(configurations, **how), lambda config, seed: 0.0, logging_level=False, overwrite=True
        )

    def ask(self, source: str | None) -> Point:
        """The next trial."""
        self._trial = self._facade.ask()
        return self._point(self._trial.config)

    def tell(self, point: Point, value: float, source: str | None) -> None:
        """Its cost."""
        self._facade.tell(self._trial, TrialValue(cost=-value), save=False)

    def recommend(self) -> Point:
        """The incumbent."""
        return self._point(self._facade.intensifier.get_incumbent())

    def _point(self, config: Any) -> Point:
        plain = {name: getattr(config[name], "item", lambda name=name: config[name])() for name in self._box.names}
        return snapped(self._space, self._box, plain)
