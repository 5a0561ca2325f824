"""The model of a search on a finite set of arms: the rows that were played, and candidates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from unswayed.core.rows import numbered_rows
from unswayed.policies.vigilant_ucb import VigilantUCB
from unswayed.policies.watch import Watch
from unswayed.search.beliefs import THRESHOLD, Beliefs
from unswayed.search.task import Data, Task, Told
from unswayed.types import Feedback, FloatArray


@dataclass(frozen=True, eq=False)
class Surrogate:
    """Vigilant-UCB on the arms, with everything told so far.

    `imagine` remembers its last result in `memo`, because a batch of plays imagines one play more each time.
    """

    beliefs: Beliefs
    policy: VigilantUCB
    arm_of: Mapping[bytes, int]  # the arm at a row
    watch: Watch
    memo: dict[str, tuple[FloatArray, Watch]] = field(default_factory=dict, repr=False)

    @classmethod
    def fit(
        cls, task: Task, beliefs: Beliefs, data: Data, candidates: FloatArray, *, threshold: float = THRESHOLD
    ) -> Self:
        """The arms are the played rows and `candidates`; which plays to keep is decided again."""
        played, arms = numbered_rows(data.rows)
        domain = numbered_rows(np.vstack([played, candidates]))[0]
        policy = VigilantUCB(
            domain,
            beliefs.prior.kernel,
            corruption_budget=task.given.threat / beliefs.prior.output_scale,
            lam=beliefs.prior.lam,
            threshold=threshold,
        )
        told = Watch.after(policy.init().K, policy.lam, arms, beliefs.prior.standard(data.values))
        return cls(beliefs, policy, {row.tobytes(): arm for arm, row in enumerate(domain)}, policy.watch(told))

    def after(self, told: Told) -> Self:
        """With one more play, of a row that is an arm."""
        arm, z = self.arm_of[told.row.tobytes()], self.beliefs.prior.standard(told.value)
        watch = self.policy.tell(self.watch, Feedback(np.array([arm]), np.array([1]), np.array([z])))
        return replace(self, watch=watch, memo={})

    def arms_at(self, rows: Iterable[FloatArray]) -> list[int]:
        """The arms at those of `rows` that are arms, sorted."""
        return sorted({self.arm_of[row.tobytes()] for row in rows if row.tobytes() in self.arm_of})

    def nearest(self, row: FloatArray) -> int:
        """The arm at this row, or the closest one: the candidates may have changed since the row was asked."""
        known = self.arm_of.get(row.tobytes())
        return known if known is not None else int(np.argmin(np.square(self.policy.domain - row).sum(axis=1)))

    def leaders(self, n: int) -> FloatArray:
        """The rows of largest posterior mean."""
        best = np.argsort(-self.watch.posterior.mean, kind="stable")[:n]
        rows: FloatArray = self.policy.domain[best]
        return rows

    def imagine(self, failed: FloatArray, pending: FloatArray) -> Watch:
        """The state if every pending play gave its prediction, and every failed one min(prediction, average).

        This leaves the means of pending points alone and shrinks the deviations there, which spreads plays that are
        asked for together. Imagined plays are no measurements: they make no other play suspect and are never set aside.
        """
        rows, bad = np.vstack([failed, pending]), {row.tobytes() for row in failed}
        done, watch = self.memo.get("last", (rows[:0], self.watch))
        if len(done) > len(rows) or not np.array_equal(done, rows[: len(done)]):
            done, watch = rows[:0], self.watch
        for row in rows[len(done) :]:
            arm = self.nearest(row)
            expected = float(watch.posterior.mean[arm])
            watch = watch.then(arm, 1, min(expected, 0.0) if row.tobytes() in bad else expected)
        self.memo["last"] = (rows, watch)
        return watch
