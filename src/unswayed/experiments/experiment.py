"""An experiment as a value: everything that decides its numbers but the seed, and a fingerprint of it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import KW_ONLY, asdict, dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from unswayed.errors import InvalidInput
from unswayed.experiments.instances import digest, instance
from unswayed.experiments.own import is_own, load_own
from unswayed.experiments.registry import guard, make_attack, make_policy, make_start
from unswayed.experiments.settings import PolicySettings
from unswayed.simulation.simulate import simulate
from unswayed.types import fix, whole

if TYPE_CHECKING:
    from unswayed.problems import Problem
    from unswayed.simulation.game import Progress
    from unswayed.simulation.run import Run

MAKERS = ("experiment", "instances", "own", "registry", "settings")
FOLDERS = ("core", "policies", "adversaries", "problems", "simulation")
CODE = ("types.py", *FOLDERS, *(f"experiments/{name}.py" for name in MAKERS))
LIBRARIES = ("numpy", "scipy", "numba")


@dataclass(frozen=True)
class Experiment:
    """A policy against an attack on a problem, by name. With a seed it becomes a run.

    Args:
        problem: A registered problem, FILE.csv, or module:attribute.
        policy: A registered policy, or module:attribute.
        attack: A registered attack, or module:attribute.
        budget: What the policy believes the corruption adds up to; None if that is unknown.
        attack_budget: What the adversary has; None: the same.
        attack_start: "immediate" or "later".
        draw: Which random instance of the problem; None: its default.
        horizon: Plays in a run.
        kernel: What the policy assumes; None: the problem's.
        lengthscale: Of the kernel; None: the problem's.
        noise_std: Standard deviation of the noise; None: the problem's.
        settings: What the policy is told beyond its budget.

    Raises:
        InvalidInput: The budget is unknown and the adversary's is not given.

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
    attack_start: str = "immediate"
    draw: int | None = None
    horizon: int = 50_000
    kernel: str | None = None
    lengthscale: float | None = None
    noise_std: float | None = None
    settings: PolicySettings = PolicySettings()

    def __post_init__(self) -> None:
        if self.budget is None and self.attack_budget is None:
            raise InvalidInput("where the budget is unknown, say what the adversary has: --attack-budget")
        for name in ("budget", "attack_budget", "lengthscale", "noise_std"):  # equal experiments, equal fingerprints
            if (value := getattr(self, name)) is not None:
                fix(self, **{name: float(value)})
        fix(self, horizon=whole(self.horizon, "the horizon", least=1))

    def __str__(self) -> str:
        budget = "unknown" if self.budget is None else f"{self.budget:g}"
        return f"{self.policy} on {self.problem} under {self.attack} ({self.attack_start}, C = {budget})"

    @property
    def instance(self) -> Problem:
        """The problem, made once in each process."""
        given = {"kernel": self.kernel, "lengthscale": self.lengthscale, "noise_std": self.noise_std}
        return instance(self.problem, self.draw, **{name: value for name, value in given.items() if value is not None})

    @property
    def believed(self) -> float:
        """The budget that the policy is told: if it is unknown, the guard sqrt(T / gamma_T)."""
        return guard(self.policy, self.instance, self.horizon, self.settings) if self.budget is None else self.budget

    @property
    def power(self) -> float:
        """What the adversary has."""
        return self.believed if self.attack_budget is None else self.attack_budget

    def run(self, seed: int, progress: Progress | None = None) -> Run:
        """Play it once.

        Args:
            seed: Of the random numbers of this run.
            progress: Called from time to time with the number of plays since its last call.
        """
        start, problem = make_start(self.attack_start), self.instance
        policy = make_policy(self.policy, problem, self.believed, self.horizon, self.settings)
        attack, T = make_attack(self.attack, problem), self.horizon
        return simulate(
            problem, policy, attack, budget=self.power, horizon=T, seed=seed, start=start, progress=progress
        )

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
            "budget": self.believed,
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
def code_version() -> str:
    """A digest of all code that decides the numbers of a run, and of the libraries beneath it."""
    root = Path(__file__).parent.parent
    digest = hashlib.sha256(" ".join(f"{name} {version(name)}" for name in LIBRARIES).encode())
    for part in CODE:
        for path in sorted([root / part] if part.endswith(".py") else (root / part).rglob("*.py")):
            digest.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()
