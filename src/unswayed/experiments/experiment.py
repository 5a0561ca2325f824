"""One run as a value: everything that decides its numbers, and a fingerprint of it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from unswayed.experiments.registry import STARTS, Settings, make_attack, make_policy, make_problem, unknown
from unswayed.problems.problem import Problem
from unswayed.simulation.run import Run
from unswayed.simulation.simulate import simulate

CODE = ("types.py", "core", "policies", "adversaries", "problems", "simulation")
LIBRARIES = ("numpy", "scipy", "numba")


@dataclass(frozen=True)
class Cell:
    """A policy against an attack on a problem, by name, with one seed."""

    problem: str
    policy: str
    attack: str
    budget: float
    seed: int
    attack_start: str = "immediate"
    draw: int | None = None
    horizon: int = 50_000
    attack_budget: float | None = None  # None: the same as the policy's
    settings: Settings = field(default_factory=Settings)

    def __str__(self) -> str:
        attack = f"{self.attack} ({self.attack_start}, C = {self.budget:g})"
        return f"{self.policy} on {self.problem} under {attack}, seed {self.seed}"

    def fingerprint(self) -> str:
        """Equal for equal numbers only: settings, the problem's values, our code and the libraries."""
        parts = [json.dumps(asdict(self), sort_keys=True), _digest(self.problem, self.draw), code_version()]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]

    @property
    def power(self) -> float:
        """What the adversary has."""
        return self.budget if self.attack_budget is None else self.attack_budget

    def run(self) -> Run:
        """Play it."""
        if self.attack_start not in STARTS:
            raise unknown("attack start", self.attack_start, STARTS)
        problem = instance(self.problem, self.draw)
        return simulate(
            problem,
            make_policy(self.policy, problem, self.budget, self.horizon, self.settings),
            make_attack(self.attack, problem),
            budget=self.power,
            horizon=self.horizon,
            seed=self.seed,
            start=STARTS[self.attack_start],
        )

    def identity(self) -> dict[str, Any]:
        """What it is, as plain values: the same for the same experiment, whatever the code."""
        return {
            **asdict(self),
            "draw": instance(self.problem, self.draw).draw,
            "attack_budget": self.power,
            "settings": json.dumps(asdict(self.settings), sort_keys=True),
        }

    def row(self) -> dict[str, Any]:
        """Play it and keep what tables and figures need, as plain values."""
        run = self.run()
        epochs = run.epochs or ()
        return {
            **self.identity(),
            **run.summary(curve=True),
            "outcome": run.outcome,
            "epoch_active": [len(epoch.active) for epoch in epochs],
            "epoch_plays": [int(epoch.repeats.sum()) for epoch in epochs],
        }


@cache
def instance(problem: str, draw: int | None) -> Problem:
    """The problem, made once in each process."""
    return make_problem(problem, draw)


@cache
def _digest(problem: str, draw: int | None) -> str:
    made = instance(problem, draw)
    return hashlib.sha256(made.domain.tobytes() + made.f.tobytes()).hexdigest()


@cache
def code_version() -> str:
    """A digest of all code that decides the numbers of a run, and of the libraries beneath it."""
    root = Path(__file__).parent.parent
    digest = hashlib.sha256(" ".join(f"{name} {version(name)}" for name in LIBRARIES).encode())
    for part in CODE:
        for path in sorted([root / part] if part.endswith(".py") else (root / part).rglob("*.py")):
            digest.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()
