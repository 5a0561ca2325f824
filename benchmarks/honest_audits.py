"""What audits of points say of data that are honest but not normal, and of one false value.

    python benchmarks/honest_audits.py [--sets 200] [--seed 0] [--only NAME ...]

Options are 6 to 14 points of a smooth random function of one or two parameters. For each family: how often the verdict
is that somebody tampered, how often the winner is trusted, how often a printed distance from the best is too small,
and how often the estimate of the winner is off by more than two of its deviations.
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import unswayed
from unswayed import Matern, SquaredExponential
from unswayed.errors import InvalidInput
from unswayed.progress import progress_bar

FloatArray = np.ndarray[Any, np.dtype[np.float64]]
Draw = Callable[[np.random.Generator], "Drawn"]


@dataclass(frozen=True, eq=False)
class Drawn:
    """Measurements, and the true value of each option."""

    points: FloatArray
    option: np.ndarray[Any, np.dtype[np.int64]]
    y: FloatArray
    truth: FloatArray
    sources: list[str] | None = None


def options(rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Points, and a smooth function at them with a range of 1."""
    points = rng.uniform(size=(int(rng.integers(6, 15)), int(rng.integers(1, 3))))
    kernel = (Matern(2.5, 0.4), SquaredExponential(0.3), Matern(1.5, 0.5))[rng.integers(3)]
    f = np.linalg.cholesky(kernel(points, points) + 1e-9 * np.eye(len(points))) @ rng.standard_normal(len(points))
    return points, f / np.ptp(f)


def repeated(rng: np.random.Generator, number: int, most: int = 12) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The option of each measurement: every option equally often."""
    return rng.permutation(np.repeat(np.arange(number), int(rng.integers(2, most))))


def rounded(rng: np.random.Generator) -> Drawn:
    """Readings with a step, and noise below it."""
    points, f = options(rng)
    option, step = repeated(rng, len(f), 9), float(rng.choice([0.05, 0.1, 0.2]))
    noise = step * float(rng.uniform(0.02, 0.8))
    return Drawn(points, option, step * np.round((f[option] + noise * rng.standard_normal(len(option))) / step), f)


def noisy(noise: Callable[[np.random.Generator, int], FloatArray], *, own: bool = False) -> Draw:
    """Noise of any kind with a deviation of about 1, times 5 to 30% of the range; each option may have its own."""

    def draw(rng: np.random.Generator) -> Drawn:
        points, f = options(rng)
        option = repeated(rng, len(f))
        scale = float(rng.uniform(0.05, 0.3)) * (rng.uniform(0.2, 2.0, len(f)) if own else np.ones(len(f)))
        return Drawn(points, option, f[option] + scale[option] * noise(rng, len(option)), f)

    return draw


def lognormal(rng: np.random.Generator) -> Drawn:
    """Revenue: the mean of an option is its value, the spread grows with it."""
    points, f = options(rng)
    mean, option, s = 1 + f - f.min(), repeated(rng, len(f), 20), float(rng.uniform(0.4, 1.2))
    return Drawn(points, option, mean[option] * np.exp(s * rng.standard_normal(len(option)) - s * s / 2), mean)


def zeros(rng: np.random.Generator) -> Drawn:
    """Values that are 0 more often than not."""
    points, f = options(rng)
    mean, option, p = 1 + f - f.min(), repeated(rng, len(f), 20), float(rng.uniform(0.15, 0.6))
    some = rng.uniform(size=len(option)) < p
    return Drawn(points, option, some * (mean[option] / p) * rng.gamma(2.0, 0.5, len(option)), mean)


def false_value(rng: np.random.Generator) -> Drawn:
    """Normal noise, and one false value at an option that is not the best."""
    drawn = noisy(normal)(rng)
    worse = np.flatnonzero(drawn.truth[drawn.option] < drawn.truth.max() - 0.3)
    row, y = int(rng.choice(worse)), drawn.y.copy()
    y[row] = drawn.truth.max() + float(rng.uniform(0.5, 4.0))
    return Drawn(drawn.points, drawn.option, y, drawn.truth)


def noisier_source(rng: np.random.Generator, *, random: bool = False) -> Drawn:
    """Honest sources, one of which has five times the noise of the others; or that one returns random numbers."""
    points, f = options(rng)
    sources, each = int(rng.integers(4, 9)), int(rng.integers(5, 21))
    option = rng.integers(len(f), size=sources * each)
    option[: len(f)] = np.arange(len(f))
    source = rng.permutation(np.repeat(np.arange(sources), each))
    noise = float(rng.uniform(0.03, 0.15)) * np.where(source == 0, 1.0 if random else 5.0, 1.0)
    y = f[option] + noise * rng.standard_normal(len(option))
    y[random & (source == 0)] = rng.uniform(f.min(), f.max(), each)[: each if random else 0]
    return Drawn(points, option, y, f, [f"w{s}" for s in source])


def normal(rng: np.random.Generator, size: int) -> FloatArray:
    """Normal noise."""
    return rng.standard_normal(size)


def student(rng: np.random.Generator, size: int) -> FloatArray:
    """Heavy tails."""
    return rng.standard_t(3, size) / np.sqrt(3)


FAMILIES: dict[str, Draw] = {
    "normal": noisy(normal),
    "rounded": rounded,
    "t3": noisy(student),
    "unequal": noisy(normal, own=True),
    "lognormal": lognormal,
    "zeros": zeros,
    "noisier source": noisier_source,
    "random source": partial(noisier_source, random=True),
    "one false value": false_value,
}


def one_audit(drawn: Drawn) -> dict[str, float]:
    """What is said, beside the truth."""
    about = {} if drawn.sources is None else {"sources": drawn.sources}
    found = unswayed.audit(drawn.points[drawn.option], drawn.y, **about)
    numbered = [int(np.flatnonzero((drawn.points == point).all(axis=1))[0]) for point in found.points]
    truth = drawn.truth[numbered]
    said, bound = str(found.to_dict()["verdict"]), found.credible
    gap = float(truth.max() - truth[found.winner])
    tampered = said.startswith(("no: tampered", "No: without")) or "cannot be explained" in said
    matters = gap > found.assumptions.noise_std
    return {
        "tampered": tampered,
        "wrong winner": matters,
        "tampered, of these": tampered and matters,
        "yes": said.lower().startswith("yes"),
        "yes, wrong": said.lower().startswith("yes") and matters,
        "bounds": bound is not None,
        "false bounds": bound is not None and gap > bound.largest_gap,
        "off by 2": abs(found.estimate[found.winner] - truth[found.winner]) > 2 * found.deviation[found.winner],
        "source named": any(one.suspicious for one in found.sources),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="*", default=list(FAMILIES), choices=list(FAMILIES))
    chosen = parser.parse_args()
    for name in chosen.only:
        said: list[dict[str, float]] = []
        with progress_bar(name, chosen.sets) as advance:
            for run in range(chosen.sets):
                drawn = FAMILIES[name](np.random.default_rng([zlib.crc32(name.encode()), chosen.seed, run]))
                try:
                    said.append(one_audit(drawn))
                except InvalidInput:  # all values are equal
                    continue
                finally:
                    advance(1)
        counts = ", ".join(f"{column} {int(sum(row[column] for row in said))}" for column in said[0])
        print(f"{name}: of {len(said)}: {counts}", flush=True)


if __name__ == "__main__":
    main()
