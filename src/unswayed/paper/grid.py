"""The experiments of Section 4 and Appendix F as cells, and their results by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import pyarrow as pa

from unswayed.experiments.experiment import Cell, instance
from unswayed.experiments.registry import PAPER_ATTACKS, Settings
from unswayed.problems import Problem
from unswayed.types import FloatArray

BUDGETS = (50.0, 100.0)
ATTACKED = tuple(name for name in PAPER_ATTACKS if name != "none")
# One panel for each algorithm and start of the attack, in the paper's order.
PANELS = (
    ("gp-ucb", "immediate"),
    ("rgp-ucb", "immediate"),
    ("rgp-pe", "immediate"),
    ("rgp-ucb", "later"),
    ("rgp-pe", "later"),
)
FIGURES = {3: ("f1", 50.0), 4: ("robot3d", 100.0), 5: ("f1", 100.0), 6: ("robot3d", 50.0)}
OTHER_DRAWS, OTHER_TRIALS = 20, 3


@dataclass(frozen=True)
class Scale:
    """How large the experiments are: the paper's own size by default."""

    trials: int = 10
    horizon: int = 50_000
    beyond: bool = False


@dataclass(frozen=True)
class Setting:
    """One line of a figure: a policy against an attack. Its trials are cells that differ by the seed."""

    problem: str
    policy: str
    attack: str
    budget: float
    start: str = "immediate"
    draw: int | None = None
    horizon: int | None = None  # None: that of the scale
    settings: Settings = field(default_factory=Settings)
    attack_budget: float | None = None  # None: what the policy believes

    def cells(self, scale: Scale, trials: int | None = None) -> list[Cell]:
        """Trial k has seed k. Where there is no attack, it has no start."""
        return [
            Cell(
                problem=self.problem,
                policy=self.policy,
                attack=self.attack,
                budget=self.budget,
                seed=seed,
                attack_start="immediate" if self.attack == "none" else self.start,
                draw=self.draw,
                horizon=self.horizon or scale.horizon,
                attack_budget=self.attack_budget,
                settings=self.settings,
            )
            for seed in range(trials or scale.trials)
        ]


def figure_settings(figure: int, draw: int | None = None) -> Iterator[Setting]:
    """All lines of Figure 3, 4, 5 or 6."""
    problem, budget = FIGURES[figure]
    for policy, start in PANELS:
        for attack in PAPER_ATTACKS:
            yield Setting(problem, policy, attack, budget, start, draw)


def paper_cells(scale: Scale) -> list[Cell]:
    """Every run of Figures 1 and 3 to 6."""
    return [cell for n in FIGURES for line in figure_settings(n) for cell in line.cells(scale)]


def other_draws(problem: str) -> list[int]:
    """The next draws on which the attacks are what the paper says: the best arm outside the target region,
    and less than h_max above the best inside it.
    """
    found: list[int] = []
    draw = instance(problem, None).draw or 0
    while len(found) < OTHER_DRAWS:
        draw += 1
        if well_posed(instance(problem, draw)):
            found.append(draw)
    return found


def well_posed(problem: Problem) -> bool:
    """Whether Clipping and Aggressive Subtraction are defined on this problem as in the paper."""
    outside = not problem.target[problem.best_arm]
    return bool(outside and problem.f.max() - problem.f[problem.target].max() < problem.h_max)


def other_draw_cells(scale: Scale) -> list[Cell]:
    """The same figures on other draws of f1 and of the robot's points, with fewer trials."""
    return [
        cell
        for n, (problem, _) in FIGURES.items()
        for draw in other_draws(problem)
        for line in figure_settings(n, draw)
        for cell in line.cells(scale, OTHER_TRIALS)
    ]


class Results:
    """Finished runs, found by what they are."""

    def __init__(self, table: pa.Table, scale: Scale) -> None:
        self.scale = scale
        self._rows: dict[tuple[Any, ...], dict[str, Any]] = {_key(row): row for row in table.to_pylist()}
        self._found: dict[tuple[Setting, int | None], list[dict[str, Any]]] = {}

    def trials(self, setting: Setting, trials: int | None = None) -> list[dict[str, Any]]:
        """The finished trials of a setting."""
        if (setting, trials) not in self._found:
            keys = (_key(cell.identity()) for cell in setting.cells(self.scale, trials))
            self._found[setting, trials] = [self._rows[key] for key in keys if key in self._rows]
        return self._found[setting, trials]

    def column(self, setting: Setting, name: str, trials: int | None = None) -> FloatArray:
        """One number of each finished trial."""
        return np.array([row[name] for row in self.trials(setting, trials)], dtype=np.float64)

    def has(self, setting: Setting, trials: int | None = None) -> bool:
        """Whether all its trials are finished."""
        return len(self.trials(setting, trials)) == (trials or self.scale.trials)


def _key(row: dict[str, Any]) -> tuple[Any, ...]:
    """What a run is, not which code made it: finished runs can be drawn again after an update."""
    return tuple(row[field.name] for field in fields(Cell))
