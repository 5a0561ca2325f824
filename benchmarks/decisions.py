"""Is the answer right when a few measurements are forged? `python benchmarks/decisions.py {tune,report} [--cases N]`.

Logs of other optimisers: 20 to 80 measurements in 1 to 4 dimensions, most of them near a good place and the rest
scattered, or all scattered, or by Optuna's TPE; a third has a category of three values. One or two isolated
measurements are replaced by a value at or above the best that was measured. The answer is right if its true value is at
most 2% of the range below that of the best honestly supported point: a point with an honest measurement and, beside it,
as many others as there may be lies. Where no point is supported, nothing can be demanded of the answer, and no lie is
told.

Rules are made with the families `tune` and its seeds; `report` are other functions.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import optuna
from scipy.spatial.distance import cdist
from scipy.stats import qmc

import unswayed as uw

Function = Callable[[np.ndarray], np.ndarray]  # of rows of the unit cube, with the values between 0 and 1
BESIDE = 0.1  # times the root of the number of dimensions: what is nearer supports a point
CLOSE = 0.02  # of the range: an answer this close to the best supported point is right
DESIGNS = ("near", "scattered", "tpe")


def scaled(f: Function, d: int, seed: int) -> Function:
    """The same function with the values between 0 and 1."""
    values = f(qmc.Sobol(d, seed=seed).random(4096))
    low, high = float(values.min()), float(values.max())
    return lambda x: np.clip((f(x) - low) / (high - low), 0.0, 1.0)


def bowl(d: int, rng: np.random.Generator) -> Function:
    c, w = rng.uniform(0.2, 0.8, d), rng.uniform(0.5, 2.0, d)
    return lambda x: -(w * (x - c) ** 2).sum(axis=1)


def wave(d: int, rng: np.random.Generator) -> Function:
    """A draw of a Gaussian process with the kernel SE(0.3 sqrt(d)), by random features."""
    w, b = rng.normal(0, 1 / (0.3 * np.sqrt(d)), (200, d)), rng.uniform(0, 2 * np.pi, 200)
    a = rng.normal(0, 1, 200)
    return lambda x: np.cos(x @ w.T + b) @ a


def cliff(d: int, rng: np.random.Generator) -> Function:
    """A slope that ends at a cliff, as of a learning rate that is too large."""
    u = np.abs(rng.normal(size=d)) / np.sqrt(d)
    edge = float(rng.uniform(0.6, 0.9) * u.sum())
    return lambda x: x @ u / (1 + np.exp(np.clip(40 * (x @ u - edge), -50, 50)))


def peaks(d: int, rng: np.random.Generator) -> Function:
    """Five hills of different heights and widths."""
    c, h, w = rng.uniform(0.1, 0.9, (5, d)), rng.uniform(0.4, 1.0, 5), rng.uniform(0.15, 0.4, 5) * np.sqrt(d)
    return lambda x: (h * np.exp(-cdist(x, c, "sqeuclidean") / (2 * w**2))).max(axis=1)


def valley(d: int, rng: np.random.Generator) -> Function:
    """The logarithm of a curved valley."""
    c = rng.uniform(0.3, 0.7, d)

    def f(x: np.ndarray) -> np.ndarray:
        z = 3 * (x - c)
        bent = sum((z[:, i + 1] - z[:, i] ** 2) ** 2 for i in range(d - 1)) if d > 1 else 0.0
        return -np.log(0.05 + (z**2).sum(axis=1) + 3 * bent)

    return f


def terraces(d: int, rng: np.random.Generator) -> Function:
    """A slope in steps, as of a size that is rounded: equal values, and jumps between them."""
    u, steps = np.abs(rng.normal(size=d)), int(rng.integers(4, 9))
    return lambda x: np.floor(steps * (1 - np.abs(x - 0.6)) @ u / u.sum())


def product(d: int, rng: np.random.Generator) -> Function:
    """A product of saturating gains and losses, as of a dose."""
    a, b = rng.uniform(3, 12, d), rng.uniform(0.5, 3, d)
    return lambda x: np.prod((1 - np.exp(-a * x)) * np.exp(-b * x**2), axis=1)


FAMILIES = {
    "tune": {"bowl": bowl, "wave": wave, "cliff": cliff},
    "report": {"peaks": peaks, "valley": valley, "terraces": terraces, "product": product},
}


def played(f: Function, d: int, design: str, n: int, rng: np.random.Generator) -> np.ndarray:
    """The points of a log."""
    if design == "tpe":
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        study = optuna.create_study(
            direction="maximize", sampler=optuna.samplers.TPESampler(seed=int(rng.integers(1e9)))
        )
        study.optimize(lambda t: float(f(np.array([[t.suggest_float(f"x{i}", 0, 1) for i in range(d)]]))[0]), n)
        return np.array([[t.params[f"x{i}"] for i in range(d)] for t in study.trials])
    x = rng.uniform(size=(n, d))
    if design == "near":
        grid = qmc.Sobol(d, seed=int(rng.integers(1e9))).random(256)
        near = max(round(0.8 * n), 3)
        x[:near] = np.clip(grid[np.argmax(f(grid))] + rng.normal(0, 0.08, (near, d)), 0, 1)
    return x[rng.permutation(n)]


def case(family: Callable[..., Function], seed: int, lies: int) -> dict[str, Any] | None:
    """A log with lies, or None if none can be told there."""
    rng = np.random.default_rng([seed, 7])
    d, n, design = int(rng.integers(1, 5)), int(rng.integers(20, 81)), DESIGNS[int(rng.integers(3))]
    f, noise = scaled(family(d, rng), d, seed), float(rng.choice([0.0, 0.005, 0.01]))
    x = played(f, d, design, n, rng)
    kinds = rng.integers(3, size=n) if rng.random() < 1 / 3 else np.zeros(n, dtype=np.int64)
    worse = rng.uniform(0.0, 0.4, 3) * (np.arange(3) != rng.integers(3))  # what each kind takes off
    truth = f(x) - worse[kinds]
    y = np.clip(truth + noise * rng.normal(size=n), 0, 1)
    near = (cdist(x, x) <= BESIDE * np.sqrt(d)) & (kinds[:, None] == kinds)
    lonely = np.flatnonzero((near.sum(axis=1) <= 1 + (design == "tpe")) & (truth < truth.max() - 0.2))
    forged = rng.permutation(lonely)[:lies]
    if len(forged) < lies:
        return None
    honest = np.ones(n, dtype=bool)
    honest[forged] = False
    supported = honest & ((near & honest).sum(axis=1) > max(lies, 1))
    if not supported.any():
        return None
    y[forged] = np.minimum(y[honest].max() + rng.choice([0.0, 0.02, 0.2], size=lies), 0.999)
    made = {"f": f, "x": x, "y": y, "kinds": kinds, "worse": worse, "best": float(truth[supported].max())}
    return {**made, "d": d, "n": n, "design": design, "noise": noise}


def decided(made: dict[str, Any], threat: uw.Threat | None) -> dict[str, Any]:
    """The answer to a log, against the truth."""
    names, kinds = [f"x{i}" for i in range(made["d"])], made["kinds"]
    parts: dict[str, Any] = {name: uw.Real(0, 1) for name in names}
    points = [dict(zip(names, row, strict=True)) for row in made["x"]]
    if kinds.any():
        parts["kind"] = uw.Categorical(list("abc"))
        points = [{**point, "kind": "abc"[kind]} for point, kind in zip(points, kinds, strict=True)]
    study = uw.Optimizer(uw.Box(parts), threat=threat, seed=0)
    study.add(zip(points, made["y"].tolist(), strict=True))
    answer = study.answer()
    at = np.array([[answer.point[name] for name in names]])
    off = made["worse"]["abc".index(answer.point.get("kind", "a"))]
    gap = made["best"] - float(made["f"](at)[0] - off)
    return {"gap": gap, "right": gap <= CLOSE, "inside": -1e-9 <= answer.estimate <= 1 + 1e-9}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("families", choices=list(FAMILIES))
    parser.add_argument("--cases", type=int, default=30, help="of each family and each number of lies")
    parser.add_argument("--out", type=Path, help="a JSON file with every case")
    given = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for name, family in FAMILIES[given.families].items():
        for lies in (0, 1, 2):
            told = {"told": uw.Threat(lies=max(lies, 1), low=0, high=1), "not told": None, "none": uw.Threat()}
            found, seed = 0, 0
            while found < given.cases:
                seed += 1
                if (made := case(family, seed, lies)) is None:
                    continue
                found += 1
                for words, threat in told.items():
                    if lies == 0 or words != "none":
                        about = {key: made[key] for key in ("d", "n", "design", "noise")}
                        rows.append(
                            {
                                "family": name,
                                "lies": lies,
                                "seed": seed,
                                "told": words,
                                **about,
                                **decided(made, threat),
                            }
                        )
    show(rows)
    if given.out:
        given.out.write_text(json.dumps(rows, indent=1))


def show(rows: list[dict[str, Any]]) -> None:
    """How many answers are right, by what was told."""
    groups = defaultdict(list)
    for row in rows:
        groups[row["lies"], row["told"], "all"].append(row)
        groups[row["lies"], row["told"], row["design"]].append(row)
    print("lies  told      design     right        mean gap   estimates inside")
    for (lies, told, design), some in sorted(groups.items()):
        right, inside = sum(row["right"] for row in some), sum(row["inside"] for row in some)
        gap = np.mean([max(row["gap"], 0.0) for row in some])
        print(f"{lies:<5} {told:<9} {design:<10} {right:>3} / {len(some):<5} {gap:>9.4f}   {inside:>3} / {len(some)}")


if __name__ == "__main__":
    main()
