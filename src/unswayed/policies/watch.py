"""Every play of a watched search, which of them are kept, and the posterior of those."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from unswayed.core.posterior import JointPosterior
from unswayed.core.trimming import trim
from unswayed.types import BoolArray, FloatArray, IntArray, read_only

FAULT = 1e4  # deviations of the prior: no value, and no lie worth its price, but a broken instrument


@dataclass(frozen=True, eq=False)
class Watch:
    """State of vigilant-UCB. `K` is the kernel matrix of all arms; rewards are means of `repeats` equal plays."""

    K: FloatArray
    arms: IntArray
    rewards: FloatArray
    repeats: FloatArray
    kept: BoolArray
    posterior: JointPosterior

    @classmethod
    def before(cls, K: FloatArray, lam: float) -> Self:
        """The state before the first play."""
        none = np.zeros(0)
        return cls(K, none.astype(np.int64), none, none, none.astype(np.bool_), JointPosterior.prior(K, lam))

    @classmethod
    def after(cls, K: FloatArray, lam: float, arms: IntArray, rewards: FloatArray) -> Self:
        """The state after these plays, all of them kept."""
        repeats = np.ones(len(arms))
        return cls(
            K,
            arms,
            rewards,
            repeats,
            np.ones(len(arms), np.bool_),
            JointPosterior.of_plays(K, arms, rewards, repeats, lam),
        )

    @property
    def plays(self) -> int:
        """How many so far."""
        return int(self.repeats.sum())

    @property
    def means(self) -> FloatArray:
        """Of the kept rewards of each arm; 0 where there are none."""
        arms, n = self.arms[self.kept], self.repeats[self.kept]
        totals = np.bincount(arms, weights=n * self.rewards[self.kept], minlength=len(self.K))
        return totals / np.maximum(np.bincount(arms, weights=n, minlength=len(self.K)), 1)

    def then(self, arm: int, n: int, mean: float) -> Self:
        """After `n` more plays of `arm` with this mean, kept."""
        return replace(
            self,
            arms=np.append(self.arms, arm),
            rewards=np.append(self.rewards, mean),
            repeats=np.append(self.repeats, float(n)),
            kept=np.append(self.kept, True),
            posterior=self.posterior.extend(arm, n, n * mean),
        )

    def trimmed(self, *, threshold: float, budget: float) -> Self:
        """With what to keep decided anew. Faults go first: they would cost the others their digits."""
        kept = np.abs(self.rewards) <= FAULT
        posterior = self._of(kept)
        explained = trim(
            posterior, self.arms[kept], self.rewards[kept], self.repeats[kept], threshold=threshold, budget=budget
        )
        if not explained.all():
            kept[kept] = explained
            posterior = self._of(kept)
        return replace(self, kept=read_only(kept), posterior=posterior)

    def everything(self) -> JointPosterior:
        """All plays, for the certificate, whose proof has no room for a choice that depends on the noise."""
        return self._of(np.ones(len(self.arms), dtype=np.bool_))

    def _of(self, kept: BoolArray) -> JointPosterior:
        lam = self.posterior.lam
        return JointPosterior.of_plays(self.K, self.arms[kept], self.rewards[kept], self.repeats[kept], lam)
