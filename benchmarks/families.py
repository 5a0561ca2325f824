"""Spaces with conditions: how often the better family is recommended, with all parameters that it has.

PYTHONPATH=src python benchmarks/families.py [--seeds 20] [--plays 60]

Three problems of two families. In `models` both have two parameters of their own. In `complex` the better family has
five more than the other, and most of its points are worse. In `simple` the better family has the shared parameter only,
and most of its points are worse. The noise is 1.5% of the range of the values.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import exp, log10
from typing import Any

import numpy as np

import unswayed as uw

NOISE = 0.015  # of the range, which is 1 in all problems
SVM, FOREST, TUNED = {"kind": "svm"}, {"kind": "forest"}, {"kind": "tuned"}
OWN = [f"t{i}" for i in range(5)]


@dataclass(frozen=True)
class Problem:
    """A function on a box with two families; its best value, and the family that reaches it."""

    space: uw.Box
    value: Callable[[Mapping[str, Any]], float]
    best: float
    family: str


def _models(p: Mapping[str, Any]) -> float:
    shared = 0.1 * (p["features"] - 0.7) ** 2
    if p["kind"] == "svm":
        return exp(-(((log10(p["C"]) - 1.2) / 1.2) ** 2) - ((log10(p["gamma"]) + 2) / 1.0) ** 2) - shared
    return 0.9 * exp(-(((p["depth"] - 13) / 9) ** 2) - ((log10(p["leaf"]) + 1.5) / 1.5) ** 2) - shared


def _complex(p: Mapping[str, Any]) -> float:
    shared = 0.15 * (p["x"] - 0.4) ** 2
    if p["kind"] == "plain":
        return 0.85 - shared
    return exp(-sum((p[name] - 0.2 - 0.15 * i) ** 2 for i, name in enumerate(OWN)) / 0.5) - shared


def _simple(p: Mapping[str, Any]) -> float:
    if p["kind"] == "plain":
        return exp(-(((p["x"] - 0.72) / 0.12) ** 2))
    return 0.85 * exp(-sum((p[name] - 0.5) ** 2 for name in OWN) / 4) - 0.1 * (p["x"] - 0.3) ** 2


def problems() -> dict[str, Problem]:
    """The three problems."""
    models = uw.Box(
        {
            "kind": uw.Categorical(["svm", "forest"]),
            "features": uw.Real(0, 1),
            "C": uw.Real(1e-3, 1e3, log=True, when=SVM),
            "gamma": uw.Real(1e-4, 10, log=True, when=SVM),
            "depth": uw.Integer(1, 20, when=FOREST),
            "leaf": uw.Real(1e-3, 0.5, log=True, when=FOREST),
        }
    )
    own = {name: uw.Real(0, 1, when=TUNED) for name in OWN}
    five = uw.Box({"kind": uw.Categorical(["plain", "tuned"]), "x": uw.Real(0, 1), **own})
    return {
        "models": Problem(models, _models, 1.0, "svm"),
        "complex": Problem(five, _complex, 1.0, "tuned"),
        "simple": Problem(five, _simple, 1.0, "plain"),
    }


def gap(problem: Problem, plays: int, seed: int) -> tuple[bool, float]:
    """Whether the better family is recommended, and how far the recommended point is below the best."""
    noise = np.random.default_rng([seed, 7])
    study = uw.Optimizer(problem.space, plays=plays, seed=seed)
    for _ in range(plays):
        [play] = study.ask(1)
        study.tell(play, problem.value(play.point) + NOISE * noise.standard_normal())
    point = problem.space.check(study.answer().point)  # an error if a parameter is missing
    return point["kind"] == problem.family, problem.best - problem.value(point)


def main() -> None:
    """Print a line for each problem."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--plays", type=int, default=60)
    given = parser.parse_args()
    for name, problem in problems().items():
        runs = [gap(problem, given.plays, seed) for seed in range(given.seeds)]
        gaps = np.array([below for _, below in runs])
        right = sum(family for family, _ in runs)
        spread = f"{np.mean(gaps):.4f} ± {np.std(gaps, ddof=1) if len(gaps) > 1 else 0:.4f}, largest {gaps.max():.4f}"
        print(f"{name:8} better family {right} of {len(runs)}; below the best by {spread}", flush=True)


if __name__ == "__main__":
    main()
