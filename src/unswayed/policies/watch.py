"""Every play of a watched search, which of them are kept, and the posterior of those."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from unswayed.core.gp.posterior import JointPosterior, pooled
from unswayed.core.tampering.threat import Records, Threat
from unswayed.judgement.allowance import Allowance
from unswayed.judgement.sources import offset_of, weigh_sources
from unswayed.judgement.trimming import trim
from unswayed.types import BoolArray, FloatArray, IntArray, read_only, short_repr

NOTHING: FloatArray = read_only(np.zeros((0, 2)))
FAULT = 1e4  # deviations of the prior: a larger reward is a broken instrument, not a lie


@dataclass(frozen=True, eq=False)
class Watch:
    """State of vigilant-UCB.

    Attributes:
        K: Kernel matrix of all arms.
        arms: The arm of each play.
        rewards: The reward of each play, or the mean of several plays of one arm.
        repeats: The weight of each reward: how many plays it is the mean of, or how precise it is.
        sizes: How many plays each reward is the mean of.
        kept: Whether each play is kept.
        sources: The number of the source of each play; None if sources are not known.
        offsets: How far each source reads above the others: a + b t at time t, from -1 to 1; a row (a, b) for each.
        aside: The sources that are set aside.
        posterior: The posterior of the kept plays.
    """

    K: FloatArray
    arms: IntArray
    rewards: FloatArray
    repeats: FloatArray
    sizes: FloatArray
    kept: BoolArray
    posterior: JointPosterior
    sources: IntArray | None = None
    offsets: FloatArray = field(default_factory=lambda: NOTHING)
    aside: tuple[int, ...] = ()
    __repr__ = short_repr

    @classmethod
    def before(cls, K: FloatArray, lam: float) -> Self:
        """The state before the first play."""
        arms, kept = np.zeros(0, np.int64), np.zeros(0, np.bool_)
        return cls(K, arms, NOTHING, NOTHING, NOTHING, kept, JointPosterior.prior(K, lam))

    @classmethod
    def after(cls, K: FloatArray, lam: float, plays: Records) -> Self:
        """The state after these plays, all of them kept."""
        parts, kept = (plays.arms, plays.values, plays.weights), np.ones(len(plays.arms), np.bool_)
        posterior = JointPosterior.of_plays(K, *parts, lam)
        return cls(K, *parts, plays.measurements, kept, posterior, plays.sources)

    @property
    def records(self) -> Records:
        """All plays."""
        plays = self.arms, self.rewards, self.repeats, self.sources, self.sizes
        return Records(*plays, when=np.linspace(-1, 1, len(self.arms)))

    @property
    def corrected(self) -> FloatArray:
        """The rewards without the offsets of their sources."""
        return self.rewards - offset_of(self.offsets, self.records)

    @property
    def plays(self) -> int:
        """The number of plays so far."""
        return int(self.sizes.sum())

    @property
    def means(self) -> FloatArray:
        """Mean of the kept rewards of each arm; 0 for an arm without any."""
        kept = self.kept
        return pooled(self.arms[kept], self.corrected[kept], self.repeats[kept], len(self.K))[0]

    def surprise(self, arm: int, n: float, mean: float) -> float:
        """How many standard deviations the mean of plays of weight `n` is off its prediction."""
        variance = float(self.posterior.covariance[arm, arm]) + self.posterior.lam / n
        return abs(mean - float(self.posterior.mean[arm])) / float(np.sqrt(variance))

    def then(self, arm: int, n: float, mean: float, source: int | None = None, size: float | None = None) -> Self:
        """The state after plays of `arm` of weight `n` with this mean, kept unless their source is set aside."""
        who = -1 if source is None else source
        aside, off = who in self.aside, self.offsets[who].sum() if len(self.offsets) else 0.0  # now: a + b
        return replace(
            self,
            arms=np.append(self.arms, arm),
            rewards=np.append(self.rewards, mean),
            repeats=np.append(self.repeats, float(n)),
            sizes=np.append(self.sizes, float(n if size is None else size)),
            kept=np.append(self.kept, not aside),
            sources=None if self.sources is None else np.append(self.sources, who),
            posterior=self.posterior if aside else self.posterior.extend(arm, n, n * (mean - off)),
        )

    def imagined(self, arm: int, n: int, mean: float) -> Self:
        """With the posterior if `n` more plays of `arm` had this mean; the plays stay as they are."""
        return replace(self, posterior=self.posterior.extend(arm, n, n * mean))

    def trimmed(self, *, threshold: float, threat: Threat | None, free: float = 0.0) -> Self:
        """Decide again which plays to keep. Drop faults first: beside them the other rewards would be rounded off.

        A model that explains less than half of the plays is no reason to set any aside.
        """
        middle = np.median(self.rewards) if len(self.rewards) else 0.0
        kept = np.abs(self.rewards - middle) <= FAULT
        possible = self._of(kept, self.rewards)
        if np.isinf(threshold):
            return replace(self, kept=read_only(kept), posterior=possible, offsets=NOTHING, aside=())
        some, named = (self.records.only(kept), 0 if self.sources is None else self.sources.max(initial=-1) + 1)
        weighed = weigh_sources(possible, some, K=self.K, allowance=Allowance.of(threat, free), named=int(named))
        kept[kept] = weighed.kept
        told = replace(self, offsets=weighed.offsets, aside=weighed.aside)
        rewards, posterior = told.corrected, weighed.posterior
        plays = self.arms[kept], rewards[kept], self.repeats[kept], self.sizes[kept]
        explained = trim(posterior, *plays, K=self.K, threshold=threshold, allowance=weighed.allowance)
        if not explained.all() and explained.sum() >= len(explained) / 2:
            kept[kept] = explained
            posterior = self._of(kept, rewards)
        return replace(told, kept=read_only(kept), posterior=posterior)

    def played_by_others(self, source: int) -> IntArray:
        """The arms that other sources have played."""
        return self.arms if self.sources is None else self.arms[self.sources != source]

    def everything(self) -> JointPosterior:
        """The posterior of all plays, for the certificate: its proof allows no choice of plays by their rewards."""
        return self._of(np.ones(len(self.arms), dtype=np.bool_), self.rewards)

    def _of(self, kept: BoolArray, rewards: FloatArray) -> JointPosterior:
        lam = self.posterior.lam
        return JointPosterior.of_plays(self.K, self.arms[kept], rewards[kept], self.repeats[kept], lam)
