"""Whether hostile but accepted values can stop a study: random small studies, told the worst that `tell` takes.

    python benchmarks/hostile.py --studies 10000 --jobs 2
    python benchmarks/hostile.py --seed 4711              one study again, with its traceback

Each study has a random space (options; a box of real numbers, integers, a logarithmic one, categories), random
settings, and 3 to 12 measurements by some sources. One source lies: 1e100, 5e-324, a standard error of 1e-99 beside one
of 1e99, the same value again and again. Values are told, added, corrected, retracted, restored; sources are
quarantined; the threat changes. Checked are

    no exception, and no warning of an overflow or an invalid number
    every point that is asked for, or recommended, is one of the space
    every number of the answer is finite; those that say "no limit" may be infinite
    with three sources or more and Threat(liars=1), one that lies without bounds does no more than one that lies
    within bounds: see `harm`

Exit code 1 if a study fails, or if unbounded lies do more harm than moderate ones.
"""

from __future__ import annotations

import argparse
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

import numpy as np

import unswayed as uw

HUGE = (1e100, -1e100, 9.9e99, 1e60, -1e60, 1e30, -1e30, 1e16, 1e8, -1e6, 300.0)
TINY = (5e-324, -5e-324, 2.3e-308, 1e-160, 1e-100, -1e-30, 0.0, -0.0)
ERRORS = (1.1e-100, 1e-60, 1e-30, 1e-9, 0.1, 1.0, 1e6, 1e30, 1e60, 9.9e99)
TRIALS = (1, 2, 10, 1_000, 10**9, 2**53)
UNITS = (1.0, 1.0, 1.0, 1e-3, 1e6, 1e30, 1e-30, 1e90, 1e-90, 1e-300)
UNLIMITED = ("largest_gap", "budget", "overturned", "stays", "certified")  # infinite where nothing limits them
SPACES = ("options", "numbers", "reals", "mixed", "logarithm")


def space_of(kind: str, rng: np.random.Generator) -> uw.Box | uw.Options:
    """A small space."""
    if kind == "options":
        return uw.Options([f"option {i}" for i in range(int(rng.integers(2, 9)))])
    if kind == "numbers":
        return uw.Options(np.unique(rng.uniform(-3, 3, (int(rng.integers(3, 20)), 2)).round(2), axis=0).tolist())
    if kind == "reals":
        return uw.Box({f"x{i}": uw.Real(0, 1) for i in range(int(rng.integers(1, 4)))})
    if kind == "mixed":
        return uw.Box({"x": uw.Real(-5, 5), "n": uw.Integer(1, 9), "k": uw.Categorical(["a", "b", "c"])})
    return uw.Box({"rate": uw.Real(1e-6, 1.0, log=True), "n": uw.Integer(1, 1000, log=True)})


def threat_of(rng: np.random.Generator, unit: float) -> Any:
    """Stated or not; sometimes with a range."""
    low, high = (-2 * unit, 3 * unit) if rng.random() < 0.4 and unit > 1e-90 else (None, None)
    kinds = (
        None,
        0,
        unit if unit > 1e-90 else 0,
        uw.Threat(lies=int(rng.integers(1, 4)), low=low, high=high),
        uw.Threat(liars=1, low=low, high=high),
        uw.Threat(total=0.3, lies=1, liars=1, low=low, high=high),
    )
    return kinds[int(rng.integers(len(kinds)))]


class Values:
    """What is told about a point: mostly honest, and by one source anything."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng, self.unit = rng, float(rng.choice(UNITS))
        self.share = float(rng.choice((0.1, 0.3, 0.6, 1.0)))
        self.kind = str(rng.choice(("numbers", "numbers", "numbers", "constant", "outcomes", "rates")))
        self.unit = 1.0 if self.kind in ("outcomes", "rates") else self.unit
        self.errors = str(rng.choice(("none", "none", "liar", "all")))
        self.again: list[float] = []

    def honest(self, row: np.ndarray) -> float:
        """A smooth function with noise."""
        if self.kind == "constant":
            return self.unit
        value = float(np.exp(-3 * np.square(row - 0.4).sum()))
        if self.kind == "outcomes":
            return float(self.rng.random() < value)
        return self.unit * (value + 0.02 * float(self.rng.standard_normal()))

    def of(self, row: np.ndarray, lying: bool) -> uw.Measurement:
        """One measurement."""
        rng, about = self.rng, {}
        value = self.honest(row)
        if self.kind == "rates":
            trials = int(rng.choice(TRIALS[:4]))
            value, about = float(rng.binomial(trials, 0.3)) / trials, {"trials": trials}
        elif self.errors == "all":
            about = {"noise_std": max(0.02 * self.unit, 1.1e-100)}
        if lying and rng.random() < self.share:
            value, about = self._lie(about)
        return uw.Measurement(value, **about)

    def _lie(self, about: dict[str, Any]) -> tuple[float, dict[str, Any]]:
        rng = self.rng
        if "trials" in about or rng.random() < 0.1:
            trials = int(rng.choice(TRIALS))
            return float(rng.integers(0, 2)), {"trials": trials}
        value = float(rng.choice(HUGE + TINY)) * float(rng.choice((1.0, 1.0, self.unit)))
        value = min(max(value, -1e100), 1e100)
        if self.again and rng.random() < 0.4:
            value = self.again[-1] * float(rng.choice((1.0, 1.0, 1 + 2e-16)))
            value = min(max(value, -1e100), 1e100)
        self.again.append(value)
        if self.errors != "none" and rng.random() < 0.7:
            about = {"noise_std": float(rng.choice(ERRORS))}
        return value, about


def settings_of(rng: np.random.Generator, unit: float) -> dict[str, Any]:
    """Settings of a study; each is stated in some studies only."""
    settings: dict[str, Any] = {"threat": threat_of(rng, unit), "minimize": bool(rng.random() < 0.4), "seed": 0}
    if rng.random() < 0.3:
        settings["parallel"] = [None, 2, 3][int(rng.integers(3))]
    if rng.random() < 0.15:
        settings["noise_std"] = 0.02 * unit if unit > 1e-90 else 1e-90
    if rng.random() < 0.1:
        settings["level"] = unit
    if rng.random() < 0.1:
        settings["plays"] = 30
    return settings


def checked_point(space: Any, point: Any, what: str) -> None:
    """Refuse a point that is not one of the space, or holds a number that is not finite."""
    space.check(point)
    parts = point.values() if isinstance(point, dict) else point if isinstance(point, tuple) else [point]
    if not all(np.isfinite(one) for one in parts if isinstance(one, int | float)):
        raise AssertionError(f"{what} is {point}")


def numbers_in(value: Any, place: str = "") -> Iterator[tuple[str, float]]:
    """Every number in plain values, with its place."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield from numbers_in(one, f"{place}.{key}")
    elif isinstance(value, list | tuple):
        for one in value:
            yield from numbers_in(one, place)
    elif isinstance(value, float | np.floating):
        yield place, float(value)


def checked_answer(study: uw.Optimizer) -> None:
    """The answer in every form: its point, its numbers, its words."""
    answer = study.answer()
    checked_point(study.space, answer.point, "the answer")
    for place, number in numbers_in(answer.to_dict()):
        if np.isnan(number) or (np.isinf(number) and place.split(".")[-1] not in UNLIMITED):
            raise AssertionError(f"answer{place} is {number}")
    words = f"{answer}\n{answer.explain()}\n{answer.sentence}"
    if any(word in words.split() for word in ("nan", "nan,", "nan.", "inf.", "inf,")):
        raise AssertionError(f"the words of the answer: {words}")


def play(seed: int) -> None:
    """One random study; an exception if anything is wrong."""
    rng = np.random.default_rng(seed)
    space, values = space_of(SPACES[int(rng.integers(len(SPACES)))], rng), Values(rng)
    study = uw.Optimizer(space, **settings_of(rng, values.unit))
    names = [None, *"abcde"][: int(rng.integers(1, 7))] if rng.random() < 0.4 else list("abcd")[: rng.integers(2, 5)]
    liar = names[int(rng.integers(len(names)))]
    plays, told = int(rng.integers(3, 13)), 0
    if rng.random() < 0.5:  # old measurements
        count = int(rng.integers(1, plays))
        rows = space.arms(64, 1)[rng.integers(0, min(64, len(space.arms(64, 1))), count)]
        points, who = space.decode(rows), [names[int(rng.integers(len(names)))] for _ in range(count)]
        told += count
        study.add(
            (point, named(values.of(row, one == liar), one)) for point, row, one in zip(points, rows, who, strict=True)
        )
    while told < plays:
        source = names[int(rng.integers(len(names)))]
        asked = study.ask(int(rng.integers(1, 4)), source=source)
        for one in asked:
            checked_point(space, one.point, "a point asked for")
            row = space.encode([one.point])[0]
            if rng.random() < 0.05:
                study.fail(one, "no value")
            else:
                study.tell(one, named(values.of(row, source == liar), source))
            told += 1
        if not asked:
            break
        edit(study, values, rng)
    edit(study, values, rng)
    for one in study.ask(2):
        checked_point(space, one.point, "a point asked for")
    if any(one.measured and one.source not in study.settings.quarantined for one in study.log):
        checked_answer(study)


def named(measurement: uw.Measurement, source: str | None) -> uw.Measurement:
    """The measurement of a source."""
    return uw.Measurement(**{**vars(measurement), "source": source})


def edit(study: uw.Optimizer, values: Values, rng: np.random.Generator) -> None:
    """Sometimes something that is known is edited."""
    known = [one for one in study.log if one.measured]
    if not known or rng.random() < 0.7:
        return
    one = known[int(rng.integers(len(known)))]
    what = int(rng.integers(5))
    if what == 0:
        study.retract(one, "no reason")
        if rng.random() < 0.5:
            study.restore(one)
    elif what == 1 and one.trials is None:
        value = values.of(study.space.encode([one.point])[0], lying=True)
        study.correct(one, value.value if value.trials is None else 0.5, "no reason")
    elif what == 2 and one.source is not None:
        study.change(quarantined=[one.source])
    elif what == 3:
        study.change(threat=threat_of(rng, values.unit))
    elif len(known) > 1:
        study.change(quarantined=[])


def audit(seed: int) -> None:
    """One random audit of points or of labels; a refusal in words is no failure."""
    rng = np.random.default_rng([seed, 2])
    values, count = Values(rng), int(rng.integers(4, 25))
    rows = rng.integers(0, 4, (count, 2)) / 3.0
    told = [values.of(row, lying=bool(rng.random() < 0.3)) for row in rows]
    y = [one.value for one in told]
    about: dict[str, Any] = {"minimize": bool(rng.random() < 0.3)}
    if rng.random() < 0.5:
        about["sources"] = [f"s{i % 4}" for i in range(count)]
    if rng.random() < 0.3:
        about["threat"] = uw.Threat(lies=1)
    if all(one.noise_std is not None for one in told):
        about["noise_std"] = [one.noise_std for one in told]
    x: Any = (rows * float(rng.choice((1.0, 1.0, 1e-90, 1e90)))).tolist()
    if rng.random() < 0.4:
        x = [f"option {int(3 * row[0])}" for row in rows]
        if all(one.trials is not None for one in told):
            about["trials"] = [one.trials for one in told]
    try:
        found = uw.audit(x, y, **about)
    except uw.InvalidInput:
        return
    for place, number in numbers_in(found.to_dict()):
        if np.isnan(number):
            raise AssertionError(f"audit{place} is {number}")
    if "nan" in f"{found}\n{found.explain()}".replace(",", " ").replace(".", " ").split():
        raise AssertionError("the words of the audit say nan")


def shortfall(seed: int, factor: float) -> float:
    """How far the answer is from the best, in ranges, where one of four sources lies `factor` ranges high or low.

    The same study for each factor: the rows that are measured, the honest values, and which of them the liar makes.
    """
    rng = np.random.default_rng([seed, 1])
    space = uw.Box({"x": uw.Real(0, 1)}) if seed % 2 else uw.Options([[x] for x in np.linspace(0, 1, 9).tolist()])
    rows = space.arms(64, 1)[rng.integers(0, min(64, len(space.arms(64, 1))), 12)]
    truth = np.exp(-8 * np.square(space.arms(64, 1)[:, 0] - 0.3))
    study = uw.Optimizer(space, threat=uw.Threat(liars=1), seed=0)
    for i, (point, row) in enumerate(zip(space.decode(rows), rows, strict=True)):
        value = float(np.exp(-8 * (row[0] - 0.3) ** 2)) + 0.02 * float(rng.standard_normal())
        lie = factor * float(rng.choice((-1, 1))) * (1 + float(rng.random()))
        study.add([(point, uw.Measurement(value + lie if i % 4 == 3 else value, source="abcd"[i % 4]))])
    best = space.encode([study.answer().point])[0, 0]
    return float(truth.max() - np.exp(-8 * (best - 0.3) ** 2))


def harm(seed: int) -> dict[str, float]:
    """How far the answer falls short of the best with each size of lies.

    The property: a liar gains nothing by lies that no instrument would report. Over all studies, the mean shortfall
    with lies of 1e3 to 1e99 ranges is no larger than the largest with lies of 1 to 30 ranges, by more than 0.02 ranges.
    """
    return {f"{factor:g}": shortfall(seed, factor) for factor in (0.0, 1.0, 3.0, 30.0, 1e3, 1e6, 1e12, 1e99)}


def outcome(seed: int, run: Any = play) -> tuple[int, str | None, Any]:
    """The seed, what went wrong, and what was found."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return seed, None, run(seed)
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{last.filename.split('unswayed/')[-1]}:{last.lineno}"
        return seed, f"{type(error).__name__}: {str(error).splitlines()[0][:90] if str(error) else ''} ({place})", None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="the seed of the first study")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, help="play one study, and show its traceback")
    parser.add_argument("--audits", action="store_true", help="audits in place of studies")
    parser.add_argument("--harm", type=int, default=0, help="in so many studies, compare lies of different sizes")
    options = parser.parse_args()
    if options.seed is not None:
        warnings.simplefilter("error")
        (audit if options.audits else play)(options.seed)
        return 0
    wrong, seeds = Counter[str](), dict[str, list[int]]()
    with ProcessPoolExecutor(options.jobs) as pool:
        run, last = partial(outcome, run=audit if options.audits else play), options.first + options.studies
        for seed, error, _ in pool.map(run, range(options.first, last), chunksize=20):
            if error is not None:
                wrong[error] += 1
                seeds.setdefault(error, []).append(seed)
        for error, count in wrong.most_common():
            print(f"{count:5d}  {error}  seeds {seeds[error][:4]}")
        what = "audits" if options.audits else "studies"
        print(f"{options.studies - wrong.total():,} of {options.studies:,} {what} passed")
        found = list(pool.map(partial(outcome, run=harm), range(options.harm), chunksize=5))
    return int(bool(wrong) or worse([one for _, _, one in found]))


def worse(found: list[dict[str, float] | None]) -> bool:
    """Print the mean shortfall for each size of lies; whether unbounded lies do more harm than moderate ones."""
    if not found:
        return False
    if None in found:
        print(f"{found.count(None)} of {len(found)} comparisons of lies failed")
        return True
    means = {size: float(np.mean([one[size] for one in found if one])) for size in found[0] or {}}
    print("shortfall in ranges by size of the lies:", {size: round(mean, 4) for size, mean in means.items()})
    moderate = max(means[size] for size in ("1", "3", "30"))
    return any(mean > moderate + 0.02 for size, mean in means.items() if float(size) > 100)


if __name__ == "__main__":
    sys.exit(main())
