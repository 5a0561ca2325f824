"""The record of a simulation: enough to draw it and to check it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from unswayed.text import notebook_html
from unswayed.types import FloatArray, IntArray, short_repr

LAST_ROUNDS = 1000  # rounds whose mean regret says how a run ended
SETTLED_RATE = 0.02  # regret per round: a run has settled below it
LINEAR_RATE = 0.1  # regret per round: a run has linear regret above it


@dataclass(frozen=True, eq=False)
class EpochRecord:
    """One epoch of a phased policy.

    Attributes:
        active: The arms that were active in it.
        arms: The arms that were played, in order.
        repeats: How often each was played.
        completed: False if the horizon ended it early. Its plays count, but the policy did not see their rewards.
    """

    active: IntArray
    arms: IntArray
    repeats: IntArray
    completed: bool
    __repr__ = short_repr


@dataclass(frozen=True, eq=False)
class Run:
    """A finished simulation. A block is a number of plays of one arm in a row.

    Attributes:
        horizon: Number of plays.
        seed: Seed of all random numbers.
        gaps: Regret of one play of each arm, from the truth.
        arms: The arm of each block, in order.
        repeats: Number of plays of each block.
        rewards: Sum of the rewards of each block.
        spent: Corruption of each block.
        corruption_spent: Total corruption.
        active: The arms that were still active at the end.
        recommended_arm: The recommended arm.
        epochs: The epochs of a phased policy; None for index policies.
        lies_spent: Plays of honest sources that were changed; None if the adversary had a total budget.

    Example:
        >>> from unswayed import GPUCB, simulate
        >>> from unswayed.adversaries import NoAttack
        >>> from unswayed.problems import f1
        >>> problem = f1()
        >>> run = simulate(problem, GPUCB(problem.domain, problem.kernel), NoAttack(), budget=0, horizon=500, seed=0)
        >>> run.switches < 500, run.corruption_spent
        (True, 0.0)
    """

    horizon: int
    seed: int
    gaps: FloatArray
    arms: IntArray
    repeats: IntArray
    rewards: FloatArray
    spent: FloatArray
    corruption_spent: float
    active: IntArray
    recommended_arm: int
    epochs: tuple[EpochRecord, ...] | None
    lies_spent: int | None = None

    def __repr__(self) -> str:
        found = f"regret={self.regret:.6g}, recommended_arm={self.recommended_arm}, outcome={self.outcome!r}"
        return f"Run(horizon={self.horizon}, seed={self.seed}, {found})"

    def _repr_html_(self) -> str:
        """What notebooks show."""
        rows = [
            ("regret", f"{self.regret:.6g}"),
            ("recommended arm", f"{self.recommended_arm}"),
            ("corruption spent", f"{self.corruption_spent:.6g}"),
            ("active arms", f"{len(self.active):,}"),
            ("switches", f"{self.switches:,}"),
        ]
        first = f"{self.horizon:,} plays, seed {self.seed}: {self.outcome}"
        return notebook_html([first], "At the end", ("of the run", "value"), rows)

    def regret_at(self, rounds: FloatArray | IntArray | float) -> FloatArray:
        """Cumulative regret after some numbers of plays. This is exact: regret is linear within a block.

        Args:
            rounds: The numbers of plays.
        """
        ends = np.concatenate([[0.0], np.cumsum(self.repeats)])
        regret = np.concatenate([[0.0], np.cumsum(self.gaps[self.arms] * self.repeats)])
        at: FloatArray = np.interp(rounds, ends, regret)
        return at

    def curve(self, points: int = 501) -> tuple[FloatArray, FloatArray]:
        """The regret curve.

        Args:
            points: Number of points.

        Returns:
            Rounds, evenly spaced from 0 to the horizon, and the cumulative regret at each.
        """
        rounds = np.linspace(0, self.horizon, points)
        return rounds, self.regret_at(rounds)

    @property
    def regret(self) -> float:
        """Cumulative regret of the whole run."""
        return float(np.sum(self.gaps[self.arms] * self.repeats))

    @property
    def final_regret_rate(self) -> float:
        """Mean regret of the last 1,000 rounds (or of all, if there are fewer)."""
        last = min(LAST_ROUNDS, self.horizon)
        ends = np.cumsum(self.repeats)
        in_last = np.clip(ends - (self.horizon - last), 0, self.repeats)
        return float(np.sum(self.gaps[self.arms] * in_last) / last)

    @property
    def switches(self) -> int:
        """How often the played arm changed."""
        return len(self.arms) - 1

    @property
    def completed_epochs(self) -> int | None:
        """The number of completed epochs; None for index policies."""
        return None if self.epochs is None else sum(epoch.completed for epoch in self.epochs)

    @property
    def recommended_gap(self) -> float:
        """Regret of one play of the recommended arm."""
        return float(self.gaps[self.recommended_arm])

    @property
    def best_arm_kept(self) -> bool:
        """Whether a best arm is still active."""
        return bool((self.gaps[self.active] == 0).any())

    @property
    def outcome(self) -> str:
        """ "settled" on a best arm, "linear regret", or "learning", by the regret of the last rounds."""
        if self.final_regret_rate > LINEAR_RATE:
            return "linear regret"
        return "settled" if self.recommended_gap == 0 and self.final_regret_rate < SETTLED_RATE else "learning"

    def summary(self, *, curve: bool = False) -> dict[str, Any]:
        """The run in a few plain numbers; None for those that have no meaning here (`lies_spent` without counted lies;
        `active_arms`, `best_arm_kept` and `epochs` for index policies).

        Args:
            curve: Whether to add the regret curve.
        """
        phased = self.epochs is not None
        numbers: dict[str, Any] = {
            "seed": self.seed,
            "regret": self.regret,
            "final_regret_rate": self.final_regret_rate,
            "corruption_spent": self.corruption_spent,
            "lies_spent": self.lies_spent,
            "active_arms": len(self.active) if phased else None,
            "best_arm_kept": self.best_arm_kept if phased else None,
            "epochs": self.completed_epochs,
            "switches": self.switches,
            "recommended_arm": self.recommended_arm,
            "recommended_gap": self.recommended_gap,
        }
        if curve:
            numbers["curve"] = self.curve()[1].tolist()
        return numbers
