"""Teaching a robot to push when its camera lies.

    python examples/robot.py           # a few minutes; --quick for a short run (needs unswayed[robot])

A hand starts at (r_x, r_y) and moves towards a disc at the origin for some time. The disc should come to rest at the
goal (3, 2). This is the paper's robot, with all starts in [-5, 5]^2 and all durations in [1, 30] instead of 100 fixed
pushes. A camera reports 5 minus the distance to the goal, with noise of 0.02. Somebody tampers with it:

    praised   pushes that end more than 4 away from the goal are reported as perfect
    blamed    pushes that end less than 1 away are reported as if the disc had not moved

The tampering stops when the changes add up to 5% of the plays x 10, about the range of the values. The score of a
recommendation is the true distance between the disc and the goal.
"""

from __future__ import annotations

from collections.abc import Callable
from math import hypot
from pathlib import Path

import numpy as np
import optuna
from comparison import DOCS, Cells, Game, Objective, honest, play, report, start

import unswayed as uw
from unswayed.problems.robot_pushing import GOAL, reward

SIDES = {"r_x": (-5.0, 5.0), "r_y": (-5.0, 5.0), "duration": (1.0, 30.0)}
SPACE = uw.Box({name: uw.Real(low, high) for name, (low, high) in SIDES.items()})
NOISE, PERFECT, UNMOVED = 0.02, 5.0, 5.0 - hypot(*GOAL)


def camera(seed: int) -> Callable[[dict[str, float]], float]:
    """An honest camera. Play t has noise draw t, whichever point is played."""
    rng = np.random.default_rng(seed)
    return lambda point: reward(**point) + NOISE * rng.standard_normal()


def praised(point: dict[str, float], value: float) -> float:
    """What is added to a measured value: bad pushes look perfect."""
    return PERFECT - value if value < 1 else 0.0


def blamed(point: dict[str, float], value: float) -> float:
    """What is added to a measured value: good pushes look as if they had missed."""
    return UNMOVED - value if value > 4 else 0.0


def tpe(objective: Objective, plays: int, budget: float, seed: int) -> dict[str, float]:
    """Optuna's TPE sampler with its defaults. It does not use the budget."""

    def on_trial(trial: optuna.Trial) -> float:
        return objective({name: trial.suggest_float(name, low, high) for name, (low, high) in SIDES.items()})

    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
    study.optimize(on_trial, n_trials=plays)
    return study.best_params


def unswayed(objective: Objective, plays: int, budget: float, seed: int) -> dict[str, float]:
    """Unswayed. It is told C, also if nothing is forged."""
    return uw.maximize(objective, SPACE, plays=plays, threat=budget, seed=seed, progress=False).point


def main(quick: bool = False, out: Path = DOCS) -> Cells:
    """Compare both methods with an honest and with a lying camera."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    plays = 40 if quick else 300
    budget = 0.05 * plays * 10
    game = Game(
        title=f"Pushing a disc: {plays} pushes (noise {NOISE}), the camera's lies add up to C = {budget:g}",
        unit="distance from the goal",
        plays=plays,
        budget=budget,
        objective=camera,
        attacks={"honest": honest, "bad pushes praised": praised, "good pushes blamed": blamed},
        score=lambda point: reward(**point),
        best=PERFECT,
    )
    cells = play(game, {"Optuna TPE": tpe, "Unswayed": unswayed}, seeds=range(1 if quick else 5))
    return report("robot", game, cells, out, quick=quick)


if __name__ == "__main__":
    start(main, __doc__)
