"""Tuning a classifier when some of the reported scores are forged.

    python examples/forged_scores.py           # a few minutes; --quick for a short run

A support vector machine reads digits. Clients measure settings (C and gamma, both on a log scale). Each client trains
on 200 digits of its own and reports the accuracy on 100 others. Some clients forge their reports:

    praised   settings with an accuracy below 50% are reported as perfect
    blamed    settings with an accuracy above 90% are reported at 10%, the accuracy of guessing

The forgeries stop when they add up to 5% of the plays x 1 (the range of an accuracy): about 12 reports of 200. The
score of a recommendation is its true accuracy, a mean over 100 splits that no method has seen. It is compared with the
best of a grid search and of all recommendations.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import optuna
from comparison import DOCS, Cells, Game, Objective, honest, play, report, start
from sklearn.datasets import load_digits
from sklearn.svm import SVC

import unswayed as uw

IMAGES, DIGITS = load_digits(return_X_y=True)
IMAGES = IMAGES / 16
C_RANGE, GAMMA_RANGE = (1e-2, 1e3), (1e-4, 1e1)
SPACE = uw.Box({"C": uw.Real(*C_RANGE, log=True), "gamma": uw.Real(*GAMMA_RANGE, log=True)})


def accuracy(point: dict[str, float], rng: np.random.Generator) -> float:
    """One measurement: trained on 200 random digits, tested on 100 others."""
    chosen = rng.permutation(len(DIGITS))[:300]
    train, test = chosen[:200], chosen[200:]
    model = SVC(C=point["C"], gamma=point["gamma"]).fit(IMAGES[train], DIGITS[train])
    return float(model.score(IMAGES[test], DIGITS[test]))


def clients(seed: int) -> Callable[[dict[str, float]], float]:
    """Honest clients, each with its own split. Every method gets the same clients."""
    rng = np.random.default_rng(seed)
    return lambda point: accuracy(point, rng)


def praised(point: dict[str, float], score: float) -> float:
    """What is added to a measured score: bad settings look perfect."""
    return 1.0 - score if score < 0.5 else 0.0


def blamed(point: dict[str, float], score: float) -> float:
    """What is added to a measured score: good settings look like guessing."""
    return 0.1 - score if score > 0.9 else 0.0


@cache
def true_score(C: float, gamma: float, splits: int) -> float:
    """The mean accuracy over splits that are the same for every setting."""
    rng = np.random.default_rng(2022)
    return float(np.mean([accuracy({"C": C, "gamma": gamma}, rng) for _ in range(splits)]))


def best_score(levels: int, splits: int) -> float:
    """The best true score on a grid: a tenth of the splits for every setting, then all splits for the top 5."""
    grid = [(C, gamma) for C in np.geomspace(*C_RANGE, levels) for gamma in np.geomspace(*GAMMA_RANGE, levels)]
    top = sorted(grid, key=lambda setting: -true_score(*setting, max(splits // 10, 2)))[:5]
    return max(true_score(*setting, splits) for setting in top)


def tpe(objective: Objective, plays: int, budget: float, seed: int) -> dict[str, float]:
    """Optuna's TPE sampler with its defaults. It does not use the budget."""

    def on_trial(trial: optuna.Trial) -> float:
        C = trial.suggest_float("C", *C_RANGE, log=True)
        return objective({"C": C, "gamma": trial.suggest_float("gamma", *GAMMA_RANGE, log=True)})

    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
    study.optimize(on_trial, n_trials=plays)
    return study.best_params


def unswayed(objective: Objective, plays: int, budget: float, seed: int) -> dict[str, float]:
    """Unswayed. It is told C, also if nothing is forged."""
    return uw.maximize(objective, SPACE, plays=plays, threat=budget, seed=seed, progress=False).point


def main(quick: bool = False, out: Path = DOCS) -> Cells:
    """Compare both methods on honest and on forged scores."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    plays, splits, levels = (30, 10, 4) if quick else (200, 100, 14)
    game = Game(
        title=f"Tuning an SVM: {plays} scores (noise about 0.02), forgeries of C = {0.05 * plays:g} in all",
        unit="accuracy lost, in percentage points",
        plays=plays,
        budget=0.05 * plays,
        objective=clients,
        attacks={"honest": honest, "bad settings praised": praised, "good settings blamed": blamed},
        score=lambda point: 100 * true_score(point["C"], point["gamma"], splits),
        best=100 * best_score(levels, splits),
    )
    cells = play(game, {"Optuna TPE": tpe, "Unswayed": unswayed}, seeds=range(1 if quick else 5))
    return report("forged-scores", game, cells, out, quick=quick)


if __name__ == "__main__":
    start(main, __doc__)
