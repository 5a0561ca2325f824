"""An experiment as a value: everything that decides its numbers but the seed, and a fingerprint of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import KW_ONLY, asdict, dataclass, replace
from functools import cache
from importlib.metadata import version
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from unswayed.core.tampering.clipping import ClipRange, radius
from unswayed.errors import InvalidInput
from unswayed.experiments.instances import digest, instance
from unswayed.experiments.own import is_own, load_own
from unswayed.experiments.registry import entry, guard, make_attack, make_policy, make_start
from unswayed.experiments.settings import PolicySettings
from unswayed.simulation.simulate import simulate
from unswayed.types import fix, whole

if TYPE_CHECKING:
    from unswayed.problems import Problem
    from unswayed.simulation.game import Progress
    from unswayed.simulation.run import Run

MAKERS = ("experiment", "instances", "own", "registry", "settings")
FOLDERS = ("core", "judgement", "policies", "adversaries", "problems", "simulation")
CODE = ("types.py", *FOLDERS, *(f"experiments/{name}.py" for name in MAKERS))
PACKAGE = Path(__file__).parent.parent
LIBRARIES = ("numpy", "scipy", "numba")


@dataclass(frozen=True)
class Experiment:
    """A policy against an attack on a problem, by name. With a seed it becomes a run.

    Args:
        problem: A registered problem, FILE.csv, or module:attribute.
        policy: A registered policy, or module:attribute.
        attack: A registered attack, or module:attribute.
        budget: The total corruption that the policy assumes; None if it is unknown, or lies are counted.
        attack_budget: The total corruption that the adversary may spend; None: the same.
        lies: Plays that may be anything, in place of a budget. A policy that does not trim gets a budget for them.
        sources: How many sources make the plays, in turn.
        liars: How many of them lie. A policy that does not trim still believes in its budget.
        low: Known lower bound of the values; None: what the norm bound implies. Rewards are clipped near it.
        high: Known upper bound of the values.
        clip: Whether rewards are clipped where lies are counted, unless the policy trims or weighs them itself.
        attack_start: "immediate" or "later".
        draw: Which random instance of the problem; None: its default.
        horizon: Plays in a run.
        kernel: The kernel that the policy assumes; None: the problem's.
        lengthscale: Of the kernel; None: the problem's.
        noise_std: Standard deviation of the noise; None: the problem's.
        settings: Of the policy, without its budget.

    Raises:
        InvalidInput: The budget is unknown and the adversary's is not given, or the settings contradict each other.

    Example:
        >>> run = Experiment("f1", "gp-ucb", "flip", 5.0, horizon=100).run(seed=0)
        >>> run.corruption_spent
        5.0
    """

    problem: str
    policy: str
    attack: str
    budget: float | None
    _: KW_ONLY
    attack_budget: float | None = None
    lies: int | None = None
    sources: int = 1
    liars: int = 0
    low: float | None = None
    high: float | None = None
    clip: bool = True
    attack_start: str = "immediate"
    draw: int | None = None
    horizon: int = 50_000
    kernel: str | None = None
    lengthscale: float | None = None
    noise_std: float | None = None
    settings: PolicySettings = PolicySettings()

    def __post_init__(self) -> None:
        for name in ("budget", "attack_budget", "lengthscale", "noise_std", "low", "high"):
            if (value := getattr(self, name)) is not None:
                fix(self, **{name: float(value)})  # equal experiments, equal fingerprints
        fix(self, horizon=whole(self.horizon, "the horizon", least=1))
        whole(self.sources, "the number of sources", least=1)
        whole(self.liars, "the number of liars", least=0, most=self.sources)
        if self.lies is not None:
            whole(self.lies, "the number of lies", least=0, most=self.horizon)
        if self.low is not None and self.high is not None:
            ClipRange(self.low, self.high, 0.0)
        for wrong, reason in self._contradictions():
            if wrong:
                raise InvalidInput(reason)

    def _contradictions(self) -> Iterator[tuple[bool, str]]:
        """Settings that contradict each other, and the message for each."""
        counted, total = self.lies is not None, self.budget is not None or self.attack_budget is not None
        yield counted and total, "lies are counted in place of a budget: give --lies, or --budget"
        yield self.attack_budget is not None and self.liars > 0, "liars have no --attack-budget: they lie for ever"
        yield not counted and not self.clip, "--no-clip needs --lies: nothing else is clipped"
        if self.trims:
            yield total, f"{self.policy} has no budget: give --lies, or --sources and --liars"
            yield not (counted or self.liars), f"{self.policy} needs --lies, or --sources and --liars"
        else:
            yield counted and self.liars > 0, "only trimmed-pe withstands lies and liars at once"
        unknown = not (counted or total or self.liars)
        yield unknown, "where the budget is unknown, say what the adversary has: --attack-budget"

    def __str__(self) -> str:
        return f"{self.policy} on {self.problem} under {self.attack} ({self.attack_start}, {self.threat})"

    @property
    def threat(self) -> str:
        """What the adversary has, in words."""
        lies = None if self.lies is None else f"{self.lies} {'lie' if self.lies == 1 else 'lies'}"
        liars = f"{self.liars} of {self.sources} sources lie" if self.liars else None
        if lies or liars:
            return " and ".join(text for text in (lies, liars) if text)
        return f"C = {'unknown' if self.budget is None else f'{self.budget:g}'}"

    @property
    def trims(self) -> bool:
        """Whether the policy takes numbers of lies and of liars in place of a budget."""
        return entry("policy", self.policy).trims

    @property
    def clipped(self) -> bool:
        """Whether rewards are clipped before the policy sees them."""
        return self.lies is not None and self.clip and not (self.trims or entry("policy", self.policy).weighs)

    @property
    def instance(self) -> Problem:
        """The problem, made once in each process."""
        names = ("kernel", "lengthscale", "noise_std", "low", "high")
        given = {name: getattr(self, name) for name in names}
        return instance(self.problem, self.draw, **{name: value for name, value in given.items() if value is not None})

    @property
    def guarded(self) -> bool:
        """Whether the policy needs a budget and none is given."""
        return self.budget is None and self.lies is None and not self.trims

    @property
    def honest(self) -> ClipRange:
        """Where honest rewards lie with probability 1 - delta/2; the other half is left to the policy."""
        problem = self.instance
        s = self.settings
        return ClipRange(*problem.bounds(s.norm), radius(problem.noise_std, self.horizon, s.delta / 2))

    @property
    def believed(self) -> float:
        """The budget that the policy gets: for lies, the total that they can add up to after clipping; for an unknown
        budget, the guard sqrt(T / gamma_T); 0 for a policy that trims."""
        if self.trims:
            return 0.0
        if self.lies is not None:
            return self.honest.budget(self.lies)
        return guard(self.policy, self.instance, self.horizon, self.settings) if self.budget is None else self.budget

    @property
    def power(self) -> float | None:
        """What the adversary has; None where lies or liars are counted."""
        if self.lies is not None or self.liars:
            return None
        return self.believed if self.attack_budget is None else self.attack_budget

    def run(self, seed: int, progress: Progress | None = None) -> Run:
        """Play it once.

        Args:
            seed: Of the random numbers of this run.
            progress: Called from time to time with the number of plays since its last call.
        """
        start = make_start(self.attack_start)
        problem = self.instance
        attack = make_attack(self.attack, self.instance)
        settings = self.settings
        clip = self.honest.ends if self.clipped else (-inf, inf)
        if self.lies is not None and not self.trims:
            settings = replace(settings, delta=settings.delta / 2)
        told = {"lies": self.lies or 0, "sources": self.sources, "liars": self.liars}
        policy = make_policy(self.policy, problem, self.believed, self.horizon, settings, **told)
        return simulate(
            problem, policy, attack, budget=self.power, horizon=self.horizon, seed=seed, lies=self.lies,
            sources=self.sources, liars=self.liars, clip=clip, start=start, progress=progress,
        )  # fmt: skip

    def trials(self, number: int) -> list[Trial]:
        """Trial k has seed k."""
        return [Trial(self, seed) for seed in range(number)]

    def fingerprint(self, seed: int) -> str:
        """Equal for equal numbers only: settings, the problem's values, the code and the libraries."""
        own = [name for name in (self.problem, self.policy, self.attack, self.kernel or "") if is_own(name)]
        settings = json.dumps({**asdict(self), "seed": seed}, sort_keys=True)
        parts = [settings, digest(self.instance), code_version(), *(load_own(name).digest for name in own)]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]

    def identity(self, seed: int) -> dict[str, Any]:
        """What a run is, as plain values: the same for the same experiment, whatever the code."""
        return {
            **asdict(self),
            "seed": seed,
            "budget": None if self.trims else self.believed,
            "attack_budget": self.power,
            "draw": self.instance.draw,
            "settings": json.dumps(asdict(self.settings), sort_keys=True),
        }

    def row(self, seed: int) -> dict[str, Any]:
        """Play it and keep what tables and figures need, as plain values."""
        run = self.run(seed)
        return {
            **self.identity(seed),
            **run.summary(curve=True),
            "outcome": run.outcome,
            "epoch_active": [len(epoch.active) for epoch in run.epochs or ()],
            "epoch_plays": [int(epoch.repeats.sum()) for epoch in run.epochs or ()],
            "fingerprint": self.fingerprint(seed),
        }


class Trial(NamedTuple):
    """An experiment with a seed: one run of a sweep."""

    experiment: Experiment
    seed: int

    def __str__(self) -> str:
        return f"{self.experiment}, seed {self.seed}"

    def fingerprint(self) -> str:
        """Under this name the run is kept."""
        return self.experiment.fingerprint(self.seed)

    def identity(self) -> dict[str, Any]:
        """What the run is, as plain values."""
        return self.experiment.identity(self.seed)

    def row(self) -> dict[str, Any]:
        """Play it and keep what tables and figures need."""
        return self.experiment.row(self.seed)


@cache
def code_version(code: tuple[str, ...] = CODE, *, libraries: bool = True, root: Path = PACKAGE) -> str:
    """A digest of all code that decides the numbers of a run, and of the libraries beneath it.

    Args:
        code: Files and folders of the package.
        libraries: Whether the versions of the libraries count.
        root: The folder of the package.
    """
    digest = hashlib.sha256(" ".join(f"{name} {version(name)}" for name in LIBRARIES if libraries).encode())
    for part in code:
        for path in sorted([root / part] if part.endswith(".py") else (root / part).rglob("*.py")):
            digest.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()
