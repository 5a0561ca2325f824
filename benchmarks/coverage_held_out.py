"""Functions for studies that are told nothing but the threat: those that no rule may be developed on.

They are run when a rule is finished. Change the rule after looking at them, and they are development families.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from coverage_cases import Case, Family
from coverage_families import FEW, MANY, NOISES, SOME, box, bump, case, gp_sample

from unswayed import Box, Categorical, Integer, Options, Real
from unswayed.types import FloatArray


def periodic(rng: np.random.Generator) -> Case:
    """Seasons on a slow trend: several peaks that are nearly equal."""
    seasons, phase, sharp = rng.uniform(2, 6), rng.uniform(0, 2 * np.pi), rng.uniform(0.1, 0.5)
    slope = rng.uniform(-1, 1)

    def truth(X: FloatArray) -> FloatArray:
        angle = 2 * np.pi * seasons * X[:, 0] + phase
        return np.asarray(np.sin(angle) + sharp * np.sin(2 * angle) + slope * X[:, 0])

    return case(rng, box(1), truth, SOME)


def heavy_tails(rng: np.random.Generator) -> Case:
    """Options that differ mostly by themselves, with a few outstanding ones: values from a Student t."""
    rows = int(rng.integers(15, 60))
    X, own = rng.uniform(size=(rows, 2)), rng.standard_t(2.5, rows)
    space, trend = Options(X), gp_sample(rng, 2, 0.5)
    known = space.arms(1, 0)
    values = own + trend(known)

    def truth(rows: FloatArray) -> FloatArray:
        nearest = np.square(rows[:, None] - known[None]).sum(axis=2).argmin(axis=1)
        return np.asarray(values[nearest])

    return case(rng, space, truth, MANY)


def tuning(lies: float, rng: np.random.Generator) -> Case:
    """A learning curve's optimum in a rate and a size, shifted by the kind of model; some kinds are simply worse."""
    kinds = int(rng.integers(2, 5))
    parameters: dict[str, Real | Integer | Categorical] = {
        "rate": Real(1e-5, 1e-1, log=True),
        "layers": Integer(1, 8),
        "kind": Categorical([f"k{i}" for i in range(kinds)]),
        "norm": Categorical([False, True]),
    }
    space = Box(parameters)
    optimum, offset = rng.uniform(0.2, 0.8, kinds), rng.uniform(0, 0.4, kinds)
    depth, gain, coupling = rng.uniform(0, 1), rng.uniform(-0.2, 0.2), rng.uniform(-0.4, 0.4)

    def truth(X: FloatArray) -> FloatArray:
        rate, layers, kind, norm = X[:, 0], X[:, 1], X[:, 2 : 2 + kinds].argmax(axis=1), X[:, -1] > 0
        best = optimum[kind] + coupling * (layers - 0.5)
        loss = np.square((rate - best) / 0.3)
        return np.asarray(-loss / (1 + loss) - offset[kind] - 0.3 * np.square(layers - depth) + gain * norm)

    return case(rng, space, truth, (12, 20, 30, 50, 100), lies=lies)


def rough(rng: np.random.Generator) -> Case:
    """A Matern-1/2 sample: continuous, nowhere smooth."""
    return case(rng, box(1), gp_sample(rng, 1, rng.uniform(0.1, 0.5), nu=0.5), SOME)


def widths(rng: np.random.Generator) -> Case:
    """Broad hills and narrow ones, of similar height."""
    centres, width = rng.uniform(size=(5, 2)), np.array([0.4, 0.25, 0.15, 0.1, 0.07])
    heights = rng.uniform(0.5, 1.0, 5) * rng.choice([-1, 1], 5, p=[0.3, 0.7])
    heights[-1] = np.abs(heights[-1])

    def truth(X: FloatArray) -> FloatArray:
        return sum((h * bump(X, c, w) for h, c, w in zip(heights, centres, width, strict=True)), np.zeros(len(X)))

    return case(rng, box(2), truth, SOME, peaks=centres)


def yields(tell_noise: bool, rng: np.random.Generator) -> Case:
    """A yield: the product of effects, so most of the space is poor and a part of it very good."""
    smooth = gp_sample(rng, 3, rng.uniform(0.4, 0.8))
    strength, limit = rng.uniform(1, 2), rng.uniform(0.3, 0.9)

    def truth(X: FloatArray) -> FloatArray:
        return np.asarray(np.exp(strength * smooth(X)) * np.minimum(1.0, X[:, 0] / limit))

    noises = NOISES[1:] if tell_noise else NOISES
    return case(rng, box(3), truth, (8, 20, 30, 50, 100), noises=noises, tell_noise=tell_noise)


def few_relevant(rng: np.random.Generator) -> Case:
    """4 to 6 parameters, two of which matter, and one that matters a little."""
    columns = int(rng.integers(4, 7))
    a, b, c = rng.permutation(columns)[:3]
    x, y = rng.uniform(0.1, 0.9, 2)
    tilt = rng.uniform(-0.8, 0.8)

    def truth(X: FloatArray) -> FloatArray:
        u, v = X[:, a] - x, X[:, b] - y
        return np.asarray(-4 * (u * u + v * v + tilt * u * v) + 0.2 * np.sin(6 * X[:, c]))

    return case(rng, box(columns), truth, (12, 20, 30, 50, 100))


def staircase(rng: np.random.Generator) -> Case:
    """Several steps of different widths and heights, up and down."""
    steps = int(rng.integers(3, 8))
    edges, heights = np.sort(rng.uniform(size=steps)), rng.standard_normal(steps + 1)
    return case(rng, box(1), lambda X: heights[np.searchsorted(edges, X[:, 0])], SOME)


def variants(lies: float, rng: np.random.Generator) -> Case:
    """An A/B test: labels without an order, each measured a few times, with much noise."""
    n = int(rng.integers(5, 31))
    space, effects = Options([f"variant {i}" for i in range(n)]), rng.standard_normal(n)
    plays = min(n * int(rng.choice([1, 2, 3, 5, 10])), 200)
    return case(rng, space, lambda X: effects[X.argmax(axis=1)], (plays,), noises=(0.05, 0.1, 0.2, 0.4), lies=lies)


def recipes(rng: np.random.Generator) -> Case:
    """A full factorial table: a temperature, a solvent and a catalyst that interact."""
    solvents, catalysts = [f"s{i}" for i in range(3)], [f"c{i}" for i in range(4)]
    grid = product((60, 80, 100, 120), solvents, catalysts)
    space = Options([{"T": t, "solvent": s, "catalyst": c} for t, s, c in grid])
    warm, pair = rng.uniform(size=(3, 4)), rng.standard_normal((3, 4)) * 0.5

    def truth(X: FloatArray) -> FloatArray:
        s, c = X[:, 1:4].argmax(axis=1), X[:, 4:8].argmax(axis=1)
        return np.asarray(pair[s, c] - 2 * np.square(X[:, 0] - warm[s, c]))

    return case(rng, space, truth, (12, 20, 30, 50, 100, 200))


def drifting_line(rng: np.random.Generator) -> Case:
    """Nearly linear with a bend: the best is at or close to an end."""
    slope, bend, at = rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(0.3, 0.7)
    return case(rng, box(1), lambda X: slope * X[:, 0] + bend * np.abs(X[:, 0] - at), FEW)


FAMILIES = [
    Family("periodic", "1-D box", periodic),
    Family("heavy tails", "table", heavy_tails),
    Family("tuning", "mixed box", lambda rng: tuning(0.0, rng)),
    Family("tuning, lies", "mixed box", lambda rng: tuning(1.5, rng)),
    Family("rough", "1-D box", rough),
    Family("widths", "2-D box", widths),
    Family("yield", "3-D box", lambda rng: yields(False, rng)),
    Family("yield, noise given", "3-D box", lambda rng: yields(True, rng)),
    Family("few relevant", "4-6-D box", few_relevant),
    Family("staircase", "1-D box", staircase),
    Family("variants", "labels", lambda rng: variants(0.0, rng)),
    Family("variants, lies", "labels", lambda rng: variants(1.0, rng)),
    Family("recipes", "table with texts", recipes),
    Family("bent line", "1-D box", drifting_line),
]
