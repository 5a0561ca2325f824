"""What long studies cost: a play, reopening a journal, and the first trial on a study of Optuna by another sampler.

    python benchmarks/long_studies.py

The objective is a sum of waves on [0, 1]^5 with noise of 0.05; under a threat 5% of the values are off by half of its
range, up or down. Every number is CPU time of one process with one BLAS thread. Ratios are stated, because seconds
depend on the machine: the cost of a play must be flat, and folding a log cheaper than asking for it.

    a play       mean over 50 plays that end at the larger number / over 50 that end at the smaller one
    reopening    Optimizer.open and one ask / all asks of the study
    retracting   the third play, and one ask / all asks of the study
    old data     the first ask after many added measurements of twenty sources, each a little off / after 100 of them
    Optuna       the first trial on many trials / on few; and the mean of thirty trials after that

Exit code 1 if a limit is exceeded. The whole run takes about four minutes of CPU time; `--short` does with fewer plays.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from rich.console import Console
from rich.table import Table

from unswayed import Box, Measurement, Optimizer, Options, Real

DIMENSION, NOISE, SHARE, RANGE = 5, 0.05, 0.05, 4.0
WINDOW, LATER = 50, 30
SOURCES, OLD_POINTS = 20, 4096
OPTIONS, TABLE_PLAYS = 100_000, (100, 300)
BOX = Box({f"x{i}": Real(0, 1) for i in range(DIMENSION)})


def waves(x: np.ndarray) -> float:
    return float(0.3 * np.sin(9 * x).sum() - np.square(x - 0.3).sum())


class Values:
    """Measurements, some of which are lies."""

    def __init__(self, share: float) -> None:
        self.share, self.rng = share, np.random.default_rng(0)

    def __call__(self, x: np.ndarray) -> float:
        noise, up, lies = self.rng.standard_normal(), self.rng.choice([-1, 1]), self.rng.random() < self.share
        return waves(x) + NOISE * noise + lies * up * RANGE / 2


def timed(action: Callable[[], object]) -> float:
    begin = time.process_time()
    action()
    return time.process_time() - begin


def point(play) -> np.ndarray:
    return np.array(list(play.point.values()) if isinstance(play.point, dict) else play.point)


def asked(study: Optimizer, plays: int, value: Values) -> np.ndarray:
    """The time of each ask, and of the tell after it."""

    def one() -> None:
        [play] = study.ask()
        study.tell(play, value(point(play)))

    return np.array([timed(one) for _ in range(plays)])


def growth(times: np.ndarray, few: int, many: int) -> float:
    return float(times[many - WINDOW : many].mean() / times[few - WINDOW : few].mean())


def reopened(journal: Path) -> tuple[float, float]:
    """Reopening a study, and retracting its third play; each with the ask that follows."""
    studies = []
    again = timed(lambda: studies.append(Optimizer.open(journal)) or studies[0].ask())
    with studies[0] as study:
        return again, timed(lambda: study.retract(2, "a wrong unit") or study.ask())


def optuna_trials(trials: int) -> tuple[float, float]:
    """The first trial on so many by another sampler, and the mean of some after it."""
    import optuna

    from unswayed.integrations.optuna import UnswayedSampler

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    value = Values(SHARE)

    def objective(trial: optuna.Trial) -> float:
        return value(np.array([trial.suggest_float(f"x{i}", 0, 1) for i in range(DIMENSION)]))

    sampler = optuna.samplers.RandomSampler(seed=0)
    study = optuna.create_study(direction="maximize", sampler=sampler, study_name="foreign")
    study.optimize(objective, n_trials=trials)
    study.sampler = UnswayedSampler(threat=SHARE * trials * RANGE / 2, seed=0)
    first = timed(lambda: study.optimize(objective, n_trials=1))
    return first, timed(lambda: study.optimize(objective, n_trials=LATER)) / LATER


def first_ask(space: Box | Options, measurements: int) -> float:
    """The first ask after measurements that were made before, by SOURCES sources that are each off by a constant."""
    rng = np.random.default_rng(2)
    study = Optimizer(space, seed=0)
    rows = space.arms(OLD_POINTS, 0)
    rows = rows[rng.integers(0, len(rows), measurements)]
    off = rng.normal(0, RANGE / 10, SOURCES)
    values = [waves(row) + off[i % SOURCES] + NOISE * rng.standard_normal() for i, row in enumerate(rows)]
    told = [Measurement(value, source=f"source {i % SOURCES}") for i, value in enumerate(values)]
    study.add(zip(space.decode(rows), told, strict=True))
    return timed(lambda: study.ask())


def old_data(many: dict[int, float]) -> list[Row]:
    """The first ask after many old measurements, against that after a few."""
    found = []
    table = Options(np.random.default_rng(1).random((30, DIMENSION)))
    for name, space in (("30 options", table), ("the box", BOX)):
        few = first_ask(space, 100)
        for measurements, limit in many.items():
            seconds = first_ask(space, measurements)
            found.append((f"first ask, {name}: {measurements:,} / 100 old values", seconds, seconds / few, limit))
    return found


Row = tuple[str, float, float, float]  # what, seconds, ratio, limit


def a_play(name: str, times: np.ndarray, few: int, many: int) -> Row:
    mean = float(times[many - WINDOW : many].mean())
    return f"a play of {name}: {many:,} / {few:,} plays", mean, growth(times, few, many), 5.0


def boxes(folder: Path, few: int, many: int, lengths: dict[int, float]) -> list[Row]:
    """A study without a threat, and one with lies whose journal is opened again at some lengths."""
    honest = asked(Optimizer(BOX, threat=0.0, seed=0), many, Values(0.0))
    times, opened = np.empty(0), []
    with Optimizer(BOX, threat=SHARE * many * RANGE / 2, seed=0, journal=folder / "study") as study:
        value = Values(SHARE)
        for plays, limit in lengths.items():
            times = np.append(times, asked(study, plays - len(times), value))
            shutil.copy(folder / "study", folder / f"study{plays}")
            for verb, seconds in zip(("reopening", "retracting 1 of"), reopened(folder / f"study{plays}"), strict=True):
                opened.append((f"{verb} {plays:,} plays / asking for them", seconds, seconds / times.sum(), limit))
    return [a_play("the box, no threat", honest, few, many), a_play("the box, 5% lies", times, few, many), *opened]


def measure(short: bool, folder: Path) -> list[Row]:
    rows = boxes(folder, 100, 300, {300: 2.0}) if short else boxes(folder, 200, 2000, {1000: 2.0, 3000: 4.0})
    few, many = TABLE_PLAYS
    space = Options(np.random.default_rng(1).random((OPTIONS, DIMENSION)))
    times = asked(Optimizer(space, threat=SHARE * many * RANGE / 2, seed=0), many, Values(SHARE))
    rows.append(a_play(f"{OPTIONS:,} options", times, few, many))
    rows += old_data({1000: 3.0} if short else {1000: 3.0, 5000: 10.0})
    few, many = (100, 300) if short else (200, 800)
    for name, one, other in zip(("first", "later"), optuna_trials(few), optuna_trials(many), strict=True):
        rows.append((f"Optuna, {name} trial: on {many} / {few} trials", other, other / one, 5.0))
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="fewer plays, in a minute")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = measure(options.short, Path(folder))
    table = Table(title=f"Long studies: {DIMENSION} dimensions, noise {NOISE}", title_justify="left")
    table.add_column("what / compared with what")
    for column in ("CPU, s", "ratio", "limit"):
        table.add_column(column, justify="right")
    for name, seconds, ratio, limit in rows:
        table.add_row(name, f"{seconds:.3f}", f"{ratio:.2f}", f"{limit:.0f}")
    Console(width=110).print(table)
    return int(any(ratio > limit for _, _, ratio, limit in rows))


if __name__ == "__main__":
    sys.exit(main())
