"""Influence-PE as part of a search: epochs handed out play by play, never blocking.

An epoch's plays are handed out in the order of its design. When all of them are under way and some are not answered
yet, further repeats of its arms are handed out: they count in the final estimate, not in the elimination.
"""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np

from unswayed.core.bounds import sharp_nonadaptive_beta
from unswayed.core.design import rare_switching_design
from unswayed.core.influence import influence_width
from unswayed.core.kernels import gram
from unswayed.core.posterior import JointPosterior
from unswayed.policies.influence_phased_elimination import InfluencePhasedElimination
from unswayed.types import Feedback, FloatArray

NARROW = 0.5  # output scales within which an epoch of half the plays must pin down every arm


class Phases:
    """The current epoch of influence-PE on given arms: what is planned, and what has been answered."""

    def __init__(self, policy: InfluencePhasedElimination) -> None:
        self.policy = policy
        self.epoch = policy.init()
        self._number = {row.tobytes(): arm for arm, row in enumerate(policy.domain)}
        self._plan()

    def _plan(self) -> None:
        query = self.policy.ask(self.epoch, np.random.default_rng(0))
        self._planned = dict(zip(query.arms.tolist(), query.repeats.tolist(), strict=True))
        self._answers: dict[int, list[float]] = {arm: [] for arm in self._planned}

    @property
    def active(self) -> FloatArray:
        """The rows that may still be best."""
        rows: FloatArray = self.policy.domain[self.epoch.active]
        return rows

    def tell(self, row: FloatArray, z: float) -> bool:
        """Take in an answer, in units of the output scale; True if it ended an epoch."""
        arm = self._number.get(row.tobytes())
        if arm is None or arm not in self._planned or len(self._answers[arm]) == self._planned[arm]:
            return False
        self._answers[arm].append(z)
        return self._end()

    def fail(self, row: FloatArray) -> bool:
        """A play gave no answer: the epoch does without it. True if that ended the epoch."""
        arm = self._number.get(row.tobytes())
        if arm is None or arm not in self._planned or len(self._answers[arm]) == self._planned[arm]:
            return False
        self._planned[arm] -= 1
        if self._planned[arm] == 0:
            del self._planned[arm], self._answers[arm]
        if not self._planned:  # nothing of this epoch can be measured: the next one asks for other arms as well
            self.epoch = replace(self.epoch, h=self.epoch.h + 1)
            self._plan()
            return False
        return self._end()

    def _end(self) -> bool:
        """Eliminate and plan the next epoch, once all that was planned has been answered."""
        if any(len(self._answers[arm]) < planned for arm, planned in self._planned.items()):
            return False
        arms, repeats = np.array(list(self._planned)), np.array(list(self._planned.values()))
        means = np.array([float(np.mean(self._answers[arm])) for arm in self._planned])
        self.epoch = self.policy.tell(self.epoch, Feedback(arms, repeats, means))
        self._plan()
        return True

    def ask(self, pending: FloatArray) -> FloatArray:
        """The row to play next, when plays of `pending` rows are open."""
        open_plays = dict.fromkeys(self._planned, 0)
        for row in pending:
            arm = self._number.get(row.tobytes())
            if arm in open_plays:
                open_plays[arm] += 1
        done = {arm: len(self._answers[arm]) + open_plays[arm] for arm in self._planned}
        wanted = [arm for arm, planned in self._planned.items() if done[arm] < planned]
        arm = wanted[0] if wanted else min(done, key=lambda a: (done[a] / self._planned[a], a))
        chosen: FloatArray = self.policy.domain[arm]
        return chosen


def enough_plays(policy: InfluencePhasedElimination, plays: int) -> bool:
    """Whether an epoch of half the plays would pin every arm down to NARROW output scales, tampering included.

    The widths of an epoch depend on its design alone, so this is known before anything is measured.
    """
    lam = policy.regularisation
    K = gram(policy.kernel, policy.domain)
    arms, counts = rare_switching_design(K, lam, policy.eta, max(plays // 2, 1))
    n = np.zeros(len(K))
    n[arms] = counts
    posterior = JointPosterior.fit(K, n, np.zeros(len(K)), lam)
    beta = sharp_nonadaptive_beta(1.0, sqrt(lam), lam, len(K), policy.delta)  # where one output scale is the norm
    width = beta * posterior.deviation + influence_width(posterior.covariance, n > 0, policy.corruption_budget, lam)
    return float(width.max()) <= NARROW
