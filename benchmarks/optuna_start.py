"""What the first trial of a new worker costs on a long Optuna study, beside an ordinary one: CPU time.

    python benchmarks/optuna_start.py [TRIALS ...]

One worker makes the whole study, of 4 parameters with noise, in memory; "ordinary" is the mean of its last 20 trials,
"first" the median of 5 new workers, each with a sampler of its own. All 5 must ask for the same point as the worker
that made the study. Exit code 1 if one asks for another point.
"""

from __future__ import annotations

import sys
from statistics import mean, median
from time import process_time

import numpy as np
import optuna
from optuna.distributions import BaseDistribution, FloatDistribution

from unswayed.integrations.optuna import UnswayedSampler

SPACE: dict[str, BaseDistribution] = {f"x{i}": FloatDistribution(0, 1) for i in range(4)}
LAST, WORKERS = 20, 5


def objective(trial: optuna.Trial) -> float:
    distance = sum((trial.suggest_float(name, 0, 1) - 0.3) ** 2 for name in SPACE)
    return float(np.random.default_rng(trial.number).normal(-distance, 0.02))


def seconds(study: optuna.Study) -> float:
    """CPU time of one more trial."""
    before = process_time()
    study.optimize(objective, n_trials=1)
    return process_time() - before


def first(study: optuna.Study, resident: UnswayedSampler) -> tuple[float, bool]:
    """CPU time of the first question of a new worker, and whether it asks what the old one asks."""
    trial = study.trials[-1]
    sampler, before = UnswayedSampler(SPACE, threat=1.0, seed=0), process_time()
    asked = sampler.sample_relative(study, trial, SPACE)
    return process_time() - before, asked == resident.sample_relative(study, trial, SPACE)


def main(sizes: list[int]) -> int:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    print(f"{'trials':>6} {'ordinary, ms':>13} {'first, ms':>10} {'ratio':>6}")
    agree = True
    for size in sizes:
        resident = UnswayedSampler(SPACE, threat=1.0, seed=0)
        study = optuna.create_study(direction="maximize", sampler=resident)
        study.optimize(objective, n_trials=size - LAST)
        ordinary = mean(seconds(study) for _ in range(LAST))
        study.ask()
        firsts, same = zip(*(first(study, resident) for _ in range(WORKERS)), strict=True)
        agree &= all(same)
        print(f"{size:6} {1000 * ordinary:13.1f} {1000 * median(firsts):10.1f} {median(firsts) / ordinary:6.1f}")
    return int(not agree)


if __name__ == "__main__":
    sys.exit(main([int(argument) for argument in sys.argv[1:]] or [50, 200]))
