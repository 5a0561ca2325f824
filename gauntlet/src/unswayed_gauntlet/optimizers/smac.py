"""SMAC3 with its facade for hyper-parameters, asked and told. It recommends its incumbent.

The objective is declared to be noisy, so its intensifier measures a promising point up to three times. It cannot be
given a list: it gets the smallest box around it, and the nearest row is measured. It stops when it has tried every
point of a small space; then its incumbent is measured.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from smac import HyperparameterOptimizationFacade as Facade
from smac import Scenario
from smac.main.exceptions import ConfigurationSpaceExhaustedException
from smac.runhistory import TrialValue

from unswayed.core.tampering.threat import Threat
from unswayed.spaces import Point, Space
from unswayed_gauntlet.optimizers.boxed import boxed, snapped
from unswayed_gauntlet.optimizers.smac_space import configurations


class SMAC:
    """The facade. It writes to a folder that is removed at the end."""

    def __init__(self, space: Space, plays: int, threat: Threat, seed: int) -> None:
        self._space, self._box, self._folder = space, boxed(space), TemporaryDirectory()
        how = {"deterministic": False, "n_trials": plays, "seed": seed, "output_directory": Path(self._folder.name)}
        scenario = Scenario(configurations(self._box, seed), **how)
        self._facade = Facade(scenario, lambda config, seed: 0.0, logging_level=False, overwrite=True)

    def ask(self, source: str | None) -> Point:
        """The next trial."""
        try:
            self._trial = self._facade.ask()
        except (ConfigurationSpaceExhaustedException, StopIteration):
            self._trial = None
        return self._point(self._trial.config) if self._trial else self.recommend()

    def tell(self, point: Point, value: float, source: str | None) -> None:
        """Its cost."""
        if self._trial:
            self._facade.tell(self._trial, TrialValue(cost=-value), save=False)

    def recommend(self) -> Point:
        """The incumbent."""
        return self._point(self._facade.intensifier.get_incumbent())

    def _point(self, config: Any) -> Point:
        plain = {name: getattr(config[name], "item", lambda name=name: config[name])() for name in self._box.names}
        return snapped(self._space, self._box, plain)
