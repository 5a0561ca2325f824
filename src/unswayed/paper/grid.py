"""The experiments of Section 4 and Appendix F as values, and their results by what they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from unswayed.errors import InvalidInput
from unswayed.experiments.experiment import Experiment, Trial
from unswayed.experiments.instances import instance
from unswayed.experiments.registry import PAPER_ATTACKS
from unswayed.experiments.settings import PolicySettings
from unswayed.experiments.store import RunFolder
from unswayed.problems import Problem
from unswayed.types import FloatArray, whole

if TYPE_CHECKING:
    import pyarrow as pa

ATTACKED = tuple(name for name in PAPER_ATTACKS if name != "none")
# One panel for each algorithm and start of the attack, in the paper's order.
ROBUST = ("rgp-ucb", "rgp-pe")
PANELS = (*((policy, "immediate") for policy in ("gp-ucb", *ROBUST)), *((policy, "later") for policy in ROBUST))
FIGURES = {3: ("f1", 50.0), 4: ("robot3d", 100.0), 5: ("f1", 100.0), 6: ("robot3d", 50.0)}
PROBLEMS = ("f1", "robot3d")
PSI = (0.0, 0.1, 0.25, 0.5, 1.0)
SIDES = ("psi", "width", "beta")  # what is varied in the runs beside the figures
OTHER_DRAWS = 20  # of a problem, beside the default one
OTHER_TRIALS = 3  # of each line on these draws


@dataclass(frozen=True)
class Scale:
    """How large the experiments are: the paper's own size by default."""

    trials: int = 10
    horizon: int = 50_000
    beyond: bool = False

    def __post_init__(self) -> None:
        whole(self.trials, "the number of trials", least=1)
        whole(self.horizon, "the horizon", least=1)


@dataclass(frozen=True)
class About:
    """How the runs of a reproduction were made: it is shown on the page and kept in sweep.json."""

    unswayed: str  # the version
    runs: int
    scale: Scale
    executor: str
    jobs: int
    seconds: float = 0.0
    failures: tuple[str, ...] = ()

    @classmethod
    def of(cls, folder: RunFolder) -> About:
        """What a folder says about its runs.

        Raises:
            InvalidInput: It was not made by `unswayed reproduce`.
        """
        _, about = folder.about()
        try:
            scale = Scale(**about["scale"])
            failures = tuple(map(str, about["failures"]))
            return cls(**{**about, "scale": scale, "failures": failures})
        except (KeyError, TypeError, InvalidInput):
            raise InvalidInput(f"{folder.path} holds no runs of `unswayed reproduce`: run it first") from None


def line(
    figure: int, policy: str, attack: str, start: str = "immediate", *, horizon: int, draw: int | None = None
) -> Experiment:
    """One line of Figure 3, 4, 5 or 6: a policy against an attack. Without an attack there is no start."""
    problem, budget = FIGURES[figure]
    start = "immediate" if attack == "none" else start
    return Experiment(problem, policy, attack, budget, attack_start=start, draw=draw, horizon=horizon)


def figure_lines(figure: int, horizon: int, draw: int | None = None) -> Iterator[Experiment]:
    """All lines of Figure 3, 4, 5 or 6."""
    for policy, start in PANELS:
        for attack in PAPER_ATTACKS:
            yield line(figure, policy, attack, start, horizon=horizon, draw=draw)


def side_lines(side: str, problem: str, horizon: int, draw: int | None = None) -> list[Experiment]:
    """The runs beside the figures, on one of the two functions.

    psi: RGP-PE with several values of psi, C = 0 and no corruption.
    width: the robust policies without attack, with the full C in their widths, and beta as in Section 4 (within 0.1).
    beta: all lines of the first three panels of Figure 4, Robot3D, with the smaller beta that Section 4 uses on f1.
    """
    if side == "psi":
        honest = Experiment(problem, "rgp-pe", "none", 0.0, draw=draw, horizon=horizon)
        return [replace(honest, settings=PolicySettings(psi=psi)) for psi in PSI]
    if side == "width":
        norm = instance(problem).beta_phased  # the beta of Corollary 1 is this norm and a little more
        widths = {"rgp-ucb": PolicySettings(b=1.0), "rgp-pe": PolicySettings(width="theory", norm=norm)}
        lines = [line(3 if problem == "f1" else 4, policy, "none", horizon=horizon, draw=draw) for policy in ROBUST]
        return [replace(one, settings=widths[one.policy]) for one in lines]
    f1 = instance("f1")
    figure = () if problem == "f1" else figure_lines(4, horizon, draw)
    betas = {policy: f1.beta_phased if policy == "rgp-pe" else f1.beta_scale for policy in ("gp-ucb", *ROBUST)}
    soon = [one for one in figure if one.attack_start == "immediate"]
    return [replace(one, settings=PolicySettings(beta=betas[one.policy])) for one in dict.fromkeys(soon)]


def all_lines(problem: str, horizon: int, draw: int | None = None) -> Iterator[Experiment]:
    """Everything that the claims need on one of the two functions."""
    for figure in (n for n, (name, _) in FIGURES.items() if name == problem):
        yield from figure_lines(figure, horizon, draw)
    for side in SIDES:
        yield from side_lines(side, problem, horizon, draw)


def other_draws(problem: str) -> list[int]:
    """The next draws on which the attacks work as in the paper.

    There the best arm lies outside the target region, less than h_max above the best arm inside it.
    """
    later = count(1 + (instance(problem).draw or 0))
    return list(islice((draw for draw in later if well_posed(instance(problem, draw))), OTHER_DRAWS))


def well_posed(problem: Problem) -> bool:
    """Whether Clipping and Aggressive Subtraction are defined on this problem as in the paper."""
    inside = problem.f[problem.target].max()
    return bool(not problem.target[problem.best_arm] and problem.f.max() - inside < problem.h_max)


def other_draw_trials(scale: Scale) -> list[Trial]:
    """The same runs on other draws of f1 and of the robot's points, with fewer trials."""
    drawn = [(problem, draw) for problem in PROBLEMS for draw in other_draws(problem)]
    lines = [e for problem, draw in drawn for e in all_lines(problem, scale.horizon, draw)]
    return [trial for experiment in lines for trial in experiment.trials(OTHER_TRIALS)]


class Results:
    """Finished runs, found by what they are, not by which code made them: they can be drawn after an update."""

    def __init__(self, table: pa.Table, scale: Scale) -> None:
        self.scale = scale
        self._rows: dict[tuple[Any, ...], dict[str, Any]] = {_key(row): row for row in table.to_pylist()}
        self._found: dict[tuple[Experiment, int | None], list[dict[str, Any]]] = {}

    def trials(self, experiment: Experiment, trials: int | None = None) -> list[dict[str, Any]]:
        """The finished trials of an experiment."""
        if (experiment, trials) not in self._found:
            keys = (_key(trial.identity()) for trial in experiment.trials(trials or self.scale.trials))
            self._found[experiment, trials] = [self._rows[key] for key in keys if key in self._rows]
        return self._found[experiment, trials]

    def column(self, experiment: Experiment, name: str, trials: int | None = None) -> FloatArray:
        """One number of each finished trial."""
        return np.array([row[name] for row in self.trials(experiment, trials)], dtype=np.float64)

    def curves(self, experiment: Experiment, trials: int | None = None) -> FloatArray:
        """The regret curves of the finished trials, one row each."""
        return np.array([row["curve"] for row in self.trials(experiment, trials)])

    def has(self, experiment: Experiment, trials: int | None = None) -> bool:
        """Whether all its trials are finished."""
        return len(self.trials(experiment, trials)) == (trials or self.scale.trials)


def _key(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in (*Experiment.__dataclass_fields__, "seed"))
