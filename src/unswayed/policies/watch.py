"""Every play of a watched search, which of them are kept, and the posterior of those."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from unswayed.core.posterior import JointPosterior, pooled
from unswayed.core.trimming import trim
from unswayed.types import BoolArray, FloatArray, IntArray, read_only, short_repr

FAULT = 1e4  # deviations of the prior: a larger reward is a broken instrument, not a lie


@dataclass(frozen=True, eq=False)
class Watch:
    """State of vigilant-UCB.

    Attributes:
        K: Kernel matrix of all arms.
        arms: The arm of each play.
        rewards: The reward of each play, or the mean of several plays of one arm.
        repeats: How many plays each reward is the mean of.
        kept: Whether each play is kept.
        posterior: The posterior of the kept plays.
    """

    K: FloatArray
    arms: IntArray
    rewards: FloatArray
    repeats: FloatArray
    kept: BoolArray
    posterior: JointPosterior
    __repr__ = short_repr

    @classmethod
    def before(cls, K: FloatArray, lam: float) -> Self:
        """The state before the first play."""
        none = np.zeros(0)
        return cls(K, none.astype(np.int64), none, none, none.astype(np.bool_), JointPosterior.prior(K, lam))

    @classmethod
    def after(cls, K: FloatArray, lam: float, arms: IntArray, rewards: FloatArray) -> Self:
        """The state after these plays, all of them kept."""
        repeats, kept = np.ones(len(arms)), np.ones(len(arms), np.bool_)
        return cls(K, arms, rewards, repeats, kept, JointPosterior.of_plays(K, arms, rewards, repeats, lam))

    @property
    def plays(self) -> int:
        """The number of plays so far."""
        return int(self.repeats.sum())

    @property
    def means(self) -> FloatArray:
        """Mean of the kept rewards of each arm; 0 for an arm without any."""
        return pooled(self.arms[self.kept], self.rewards[self.kept], self.repeats[self.kept], len(self.K))[0]

    def then(self, arm: int, n: int, mean: float) -> Self:
        """The state after `n` more plays of `arm` with this mean, all kept."""
        return replace(
            self,
            arms=np.append(self.arms, arm),
            rewards=np.append(self.rewards, mean),
            repeats=np.append(self.repeats, float(n)),
            kept=np.append(self.kept, True),
            posterior=self.posterior.extend(arm, n, n * mean),
        )

    def trimmed(self, *, threshold: float, budget: float) -> Self:
        """Decide again which plays to keep. Drop faults first: beside them the other rewards would be rounded off.

        A model that explains less than half of the plays is no reason to set any aside.
        """
        kept = np.abs(self.rewards - np.median(self.rewards)) <= FAULT if len(self.rewards) else self.kept.copy()
        posterior, plays = self._of(kept), (self.arms[kept], self.rewards[kept], self.repeats[kept])
        explained = trim(posterior, *plays, K=self.K, threshold=threshold, budget=budget)
        if not explained.all() and explained.sum() >= len(explained) / 2:
            kept[kept] = explained
            posterior = self._of(kept)
        return replace(self, kept=read_only(kept), posterior=posterior)

    def everything(self) -> JointPosterior:
        """The posterior of all plays, for the certificate: its proof allows no choice of plays by their rewards."""
        return self._of(np.ones(len(self.arms), dtype=np.bool_))

    def _of(self, kept: BoolArray) -> JointPosterior:
        lam = self.posterior.lam
        return JointPosterior.of_plays(self.K, self.arms[kept], self.rewards[kept], self.repeats[kept], lam)
