"""A lying worker: how much do studies gain when they are told which worker measured what?

    python benchmarks/liars.py [--functions test|development] [--seeds 5] [--jobs 2]

One of eight workers returns random numbers between the worst and the best value (12.5% of the plays), or one of four
drifts: what it adds grows from 0 to 30% of the range over the study. Workers take turns; noise is 1% of the range; the
threat is not known. A row is the median gap of the recommended point over all functions and seeds, in per cent of the
range, with its quartiles; *named* is the share of studies whose answer sets the liar aside or finds its offset,
*blamed* the share in which an honest worker is set aside. Both variants see the same noise and the same lies.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from multiprocessing import get_context
from typing import NamedTuple, TypeVar

import numpy as np
from scipy.optimize import minimize

from unswayed import Answer, Box, Optimizer, Options, Real
from unswayed.problems.boxes import ackley5, branin, hartmann6
from unswayed.progress import progress_bar
from unswayed.spaces import Space
from unswayed.types import FloatArray

Function = Callable[[FloatArray], FloatArray]
Key, Result = TypeVar("Key"), TypeVar("Result")
NOISE = 0.01  # of the range
DRIFT = 0.3  # of the range, at the end


def camel(X: FloatArray) -> FloatArray:
    x, y = 6 * X[:, 0] - 3, 4 * X[:, 1] - 2
    return -((4 - 2.1 * x**2 + x**4 / 3) * x**2 + x * y + 4 * (y**2 - 1) * y**2)


def levy(X: FloatArray) -> FloatArray:
    w = 1 + (20 * X - 11) / 4
    inner = np.square(w[:, :-1] - 1) * (1 + 10 * np.sin(np.pi * w[:, :-1] + 1) ** 2)
    last = np.square(w[:, -1] - 1) * (1 + np.sin(2 * np.pi * w[:, -1]) ** 2)
    return -(np.sin(np.pi * w[:, 0]) ** 2 + inner.sum(axis=1) + last)


def styblinski(X: FloatArray) -> FloatArray:
    x = 10 * X - 5
    return -(x**4 - 16 * x**2 + 5 * x).sum(axis=1)


def rosenbrock(X: FloatArray) -> FloatArray:
    x = 4 * X - 2
    return -np.log1p((100 * (x[:, 1:] - x[:, :-1] ** 2) ** 2 + (1 - x[:, :-1]) ** 2).sum(axis=1))


def griewank(X: FloatArray) -> FloatArray:
    x = 20 * X - 9
    return np.cos(x / np.sqrt(np.arange(1, x.shape[1] + 1))).prod(axis=1) - np.square(x).sum(axis=1) / 40


def ridge(X: FloatArray) -> FloatArray:
    return np.exp(-8 * np.square(X[:, 0] + X[:, 1] - 1.1)) + 0.3 * X[:, 0] - np.square(X[:, 2] - 0.3)


def fourier(seed: int, dimension: int) -> Function:
    """A smooth random function."""
    rng = np.random.default_rng(seed)
    frequencies, phases = 3 * rng.standard_normal((200, dimension)), rng.uniform(0, 2 * np.pi, 200)
    weights = rng.standard_normal(200)
    return lambda X: np.cos(X @ frequencies.T + phases) @ weights


class Case(NamedTuple):
    name: str
    function: Function  # on the unit cube
    dimension: int
    table: bool = False  # 60 options in place of the whole cube


TEST = [
    Case("branin", lambda X: branin.function(branin.scaled(X)), 2),
    Case("hartmann6", lambda X: hartmann6.function(hartmann6.scaled(X)), 6),
    Case("ackley5", lambda X: ackley5.function(ackley5.scaled(X)), 5),
    Case("camel", camel, 2),
    Case("levy", levy, 4),
    Case("styblinski", styblinski, 3),
    Case("rosenbrock", rosenbrock, 3),
    Case("griewank", griewank, 2),
    Case("ridge", ridge, 3),
    Case("table", fourier(7, 2), 2, table=True),
]
DEVELOPMENT = [Case(f"fourier{d}-{s}", fourier(100 + s, d), d) for d, s in product((2, 3, 4), (0, 1))]
DEVELOPMENT += [Case("table-dev", fourier(200, 2), 2, table=True)]
FUNCTIONS = {"test": TEST, "development": DEVELOPMENT}
LIARS = {"random": 8, "drift": 4}  # and how many workers there are
KNOWN = ("sources told", "not told")


class Row(NamedTuple):
    liar: str
    plays: int
    known: str
    name: str
    gap: float
    named: bool
    blamed: bool


def study(key: tuple[str, int, str, int, str, int]) -> Row:
    """One study; the gap of what it recommends comes from the truth."""
    functions, number, liar, plays, known, seed = key
    case = FUNCTIONS[functions][number]
    rng = np.random.default_rng([seed, number])
    cloud = rng.uniform(size=(60 if case.table else 200_000, case.dimension))
    best, worst = extremes(case, cloud)
    space: Space = Options(cloud) if case.table else Box({f"x{i}": Real(0, 1) for i in range(case.dimension)})
    noise, lies = NOISE * (best - worst) * rng.standard_normal(plays), rng.uniform(worst, best, plays)
    optimizer = Optimizer(space, plays=plays, seed=seed)
    for t in range(plays):
        worker = f"w{t % LIARS[liar]}"
        play = optimizer.ask(source=worker if known == "sources told" else None)[0]
        value = float(case.function(np.atleast_2d(row(play.point)))[0]) + noise[t]
        if worker == "w1":
            value = lies[t] if liar == "random" else value + DRIFT * (best - worst) * t / plays
        optimizer.tell(play, value)
    answer = optimizer.answer()
    gap = (best - float(case.function(np.atleast_2d(row(answer.point)))[0])) / (best - worst)
    return Row(liar, plays, known, case.name, max(gap, 0.0), named(answer), blamed(answer))


def extremes(case: Case, cloud: FloatArray) -> tuple[float, float]:
    """The best and the worst value: of the table, or over the cube, climbed to from the best of many points."""
    f = case.function(cloud)
    if case.table:
        return float(f.max()), float(f.min())

    def climbed(sign: float) -> float:
        starts = cloud[np.argsort(-sign * f)[:5]]
        cube = [(0.0, 1.0)] * case.dimension
        tops = [minimize(lambda x: -sign * float(case.function(x[None])[0]), x, bounds=cube).fun for x in starts]
        return -sign * min(tops)

    return climbed(1.0), climbed(-1.0)


def row(point: object) -> FloatArray:
    return np.array(list(point.values()) if isinstance(point, dict) else point, dtype=np.float64)


def named(answer: Answer) -> bool:
    return any(s.name == "w1" and (s.set_aside or s.offset) for s in answer.sources)


def blamed(answer: Answer) -> bool:
    return any(s.name != "w1" and s.set_aside for s in answer.sources)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--functions", choices=FUNCTIONS, default="test")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--plays", type=int, nargs="+", default=[60, 200])
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    numbers = range(len(FUNCTIONS[given.functions]))
    keys = list(product([given.functions], numbers, LIARS, given.plays, KNOWN, range(given.seeds)))
    rows = played(study, keys, given.jobs)
    print(table(rows))


def played(study: Callable[[Key], Result], keys: Sequence[Key], jobs: int) -> list[Result]:
    """The result of each study, in processes of their own."""
    with (
        progress_bar("studies", len(keys)) as advance,
        ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool,
    ):
        rows = []
        for result in pool.map(study, keys):
            rows.append(result)
            advance(1)
    return rows


def table(rows: list[Row]) -> str:
    lines = ["| liar | plays | | median gap (quartiles), % | named | blamed |", "|---|---|---|---|---|---|"]
    for liar, plays, known in product(LIARS, sorted({row.plays for row in rows}), KNOWN):
        mine = [one for one in rows if (one.liar, one.plays, one.known) == (liar, plays, known)]
        low, middle, high = 100 * np.quantile([one.gap for one in mine], (0.25, 0.5, 0.75))
        shares = [f"{np.mean([getattr(one, name) for one in mine]):.0%}" for name in ("named", "blamed")]
        lines.append(f"| {liar} | {plays} | {known} | {middle:.2f} ({low:.2f} to {high:.2f}) | {' | '.join(shares)} |")
    for name in dict.fromkeys(row.name for row in rows):
        gaps = {known: [one.gap for one in rows if (one.name, one.known) == (name, known)] for known in KNOWN}
        shown = ", ".join(f"{known} {100 * np.median(one):.2f}" for known, one in gaps.items())
        lines.append(f"{name}: {shown}")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
