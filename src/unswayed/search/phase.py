"""Influence-PE as part of a search: its epochs are handed out play by play and never block.

An epoch's plays are handed out in the order of its design. When all of them are pending, further repeats of its arms
are handed out. These count in the final estimate, not in the elimination.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import sqrt
from typing import Self

import numpy as np

from unswayed.core.design.rare_switching import rare_switching_design
from unswayed.core.gp.kernels import gram
from unswayed.core.gp.posterior import JointPosterior
from unswayed.core.tampering.influence import influence_width
from unswayed.core.theory.bounds import sharp_nonadaptive_beta
from unswayed.policies.influence_phased_elimination import InfluencePhasedElimination
from unswayed.policies.protocol import Epoch
from unswayed.types import Feedback, FloatArray

NARROW = 0.5  # an epoch of half the plays must determine every arm up to this many output scales


@dataclass(frozen=True, eq=False)
class Phase:
    """The current epoch: how often each arm is to be played, and the rewards so far, in units of the output scale."""

    policy: InfluencePhasedElimination
    epoch: Epoch
    planned: Mapping[int, int]
    rewards: Mapping[int, tuple[float, ...]]
    memo: dict[str, tuple[FloatArray, dict[int, int]]] = field(default_factory=dict, repr=False)

    @classmethod
    def begin(cls, policy: InfluencePhasedElimination, epoch: Epoch | None = None) -> Self:
        """The first epoch, or a later one, with nothing told yet."""
        epoch = policy.init() if epoch is None else epoch
        query = policy.ask(epoch, np.random.default_rng(0))
        planned = dict(zip(query.arms.tolist(), query.repeats.tolist(), strict=True))
        return cls(policy, epoch, planned, dict.fromkeys(planned, ()))

    @cached_property
    def _arm_of(self) -> dict[bytes, int]:
        return {row.tobytes(): arm for arm, row in enumerate(self.policy.domain)}

    @property
    def active(self) -> FloatArray:
        """The rows that may still be best."""
        rows: FloatArray = self.policy.domain[self.epoch.active]
        return rows

    def _wanted(self, row: FloatArray) -> int | None:
        """The arm at this row, if the epoch still needs plays of it."""
        arm = self._arm_of.get(row.tobytes())
        if arm is None or len(self.rewards.get(arm, ())) >= self.planned.get(arm, 0):
            return None
        return arm

    def tell(self, row: FloatArray, z: float) -> Self:
        """After a reward, in units of the output scale."""
        arm = self._wanted(row)
        if arm is None:
            return self
        return replace(self, rewards={**self.rewards, arm: (*self.rewards[arm], z)}, memo={})._ended()

    def fail(self, row: FloatArray) -> Self:
        """After a play without a reward: the epoch continues without it."""
        arm = self._wanted(row)
        if arm is None:
            return self
        planned = {**self.planned, arm: self.planned[arm] - 1}
        planned = {arm: n for arm, n in planned.items() if n > 0}
        if not planned:  # nothing in this epoch can be measured; a longer one asks for other arms too
            return self.begin(self.policy, replace(self.epoch, h=self.epoch.h + 1))
        return replace(self, planned=planned, rewards={arm: self.rewards[arm] for arm in planned}, memo={})._ended()

    def _ended(self) -> Self:
        """The next epoch, once all that was planned has been told; else this one."""
        if any(len(self.rewards[arm]) < planned for arm, planned in self.planned.items()):
            return self
        arms, repeats = np.array(list(self.planned)), np.array(list(self.planned.values()))
        means = np.array([float(np.mean(self.rewards[arm])) for arm in self.planned])
        return self.begin(self.policy, self.policy.tell(self.epoch, Feedback(arms, repeats, means)))

    def propose(self, pending: FloatArray) -> FloatArray:
        """The row to play next, while plays of `pending` rows are open."""
        seen, done = self.memo.get("last", (pending[:0], {arm: len(rewards) for arm, rewards in self.rewards.items()}))
        if len(seen) > len(pending) or not np.array_equal(seen, pending[: len(seen)]):
            seen, done = pending[:0], {arm: len(rewards) for arm, rewards in self.rewards.items()}
        for row in pending[len(seen) :]:
            if (arm := self._arm_of.get(row.tobytes())) in done:
                done[arm] += 1
        self.memo["last"] = pending, done
        wanted = [arm for arm, planned in self.planned.items() if done[arm] < planned]
        arm = wanted[0] if wanted else min(done, key=lambda a: (done[a] / self.planned[a], a))
        chosen: FloatArray = self.policy.domain[arm]
        return chosen


def enough_plays(policy: InfluencePhasedElimination, plays: int) -> bool:
    """Whether an epoch of half the plays would determine every arm up to NARROW output scales, tampering included.

    The widths of an epoch depend on its design alone, so this is known before anything is measured.
    """
    lam = policy.regularisation
    K = gram(policy.kernel, policy.domain)
    arms, counts = rare_switching_design(K, lam, policy.eta, max(plays // 2, 1))
    n = np.zeros(len(K))
    n[arms] = counts
    posterior = JointPosterior.fit(K, np.zeros(len(K)), n, lam)
    beta = sharp_nonadaptive_beta(1.0, sqrt(lam), lam, len(K), policy.delta)  # for a norm of one output scale
    width = beta * posterior.deviation + influence_width(posterior.covariance, n > 0, policy.corruption_budget, lam)
    return float(width.max()) <= NARROW
