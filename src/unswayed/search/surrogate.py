"""The model of a search on a finite set of arms: the rows that were played, and candidates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import sqrt
from typing import Self

import numpy as np

from unswayed.core.data.measurement import own_noise
from unswayed.core.data.rows import numbered_rows
from unswayed.core.gp.kernels import gram
from unswayed.core.gp.point_posterior import PointPosterior
from unswayed.core.gp.posterior import JointPosterior, pooled
from unswayed.core.tampering.threat import Records, Threat
from unswayed.policies.vigilant_ucb import VigilantUCB
from unswayed.policies.watch import Watch
from unswayed.search.beliefs import OUTCOMES, THRESHOLD, Beliefs
from unswayed.search.task import Data, Task, Told
from unswayed.types import BoolArray, FloatArray


@dataclass(frozen=True, eq=False)
class Surrogate:
    """The arms with everything told so far, and which plays are kept: what vigilant-UCB watches."""

    beliefs: Beliefs
    policy: VigilantUCB
    arm_of: Mapping[bytes, int]  # the arm at a row
    names: tuple[str, ...]  # of the sources that the watch knows
    binary: bool  # whether plays are single outcomes, which are judged in batches
    watch: Watch

    @classmethod
    def fit(
        cls, task: Task, beliefs: Beliefs, data: Data, candidates: FloatArray, *, threshold: float | None = None
    ) -> Self:
        """The arms are the played rows and `candidates`; which plays to keep is decided again."""
        plays, prior = data.table(task.given.noise_std), beliefs.prior
        played, arms = numbered_rows(plays.rows)
        domain = numbered_rows(np.vstack([played, candidates]))[0]
        threat = Threat.of(task.given.threat)
        policy = VigilantUCB(
            domain,
            prior.kernel,
            corruption_budget=None if threat is None else threat.mapped(1 / prior.output_scale, prior.standard),
            lam=prior.lam,
            threshold=threshold or (OUTCOMES if data.binary else THRESHOLD),
            free=task.free,
        )
        records = Records(arms, prior.standard(plays.values), plays.weights, plays.sources, plays.sizes)
        told = Watch.after(policy.init().K, policy.lam, records)
        arm_of = {row.tobytes(): arm for arm, row in enumerate(domain)}
        return cls(beliefs, policy, arm_of, data.names, data.binary, policy.watch(told))

    def on(self, rows: FloatArray, watch: Watch) -> Self:
        """On other arms, with the plays of `watch`, kept as it says; their arms are the first of `rows`."""
        domain = numbered_rows(rows)[0]
        policy, kept = replace(self.policy, domain=domain), watch.kept
        K = gram(policy.kernel, domain)
        plays = watch.arms[kept], watch.corrected[kept], watch.repeats[kept]
        watch = replace(watch, K=K, posterior=JointPosterior.of_plays(K, *plays, policy.lam))
        arm_of = {row.tobytes(): arm for arm, row in enumerate(domain)}
        return replace(self, policy=policy, arm_of=arm_of, watch=watch)

    def knows(self, told: Told) -> bool:
        """Whether it is of the known kind: its row is an arm, its source is known, an outcome among outcomes."""
        source = told.source is None or told.source in self.names
        kind = not self.binary or (abs(told.value) in (0.0, 1.0) and told.trials is told.noise_std is None)
        return source and kind and told.row.tobytes() in self.arm_of

    def after(self, told: Told, data: Data) -> Self:
        """With one more play, the last one in `data`, whose row and source it `knows`."""
        arm, z = self.arm_of[told.row.tobytes()], self.beliefs.prior.standard(told.value)
        source = None if told.source is None else self.names.index(told.source)
        if self.binary:  # a single outcome is no surprise; batches are judged when the model is fitted again
            return (
                self
                if (-1 if source is None else source) in self.watch.aside
                else replace(self, watch=self.watch.imagined(arm, 1, z))
            )
        weight = 1.0
        if told.noise_std is not None or told.trials is not None:
            own = float(own_noise(data.values, data.noise_std, data.trials)[-1])
            weight = (self.beliefs.prior.noise_std / own) ** 2
        surprise = self.watch.surprise(arm, weight, z) > self.policy.threshold
        watch = self.watch.then(arm, weight, z, source, size=1)
        return replace(self, watch=self.policy.watch(watch) if surprise else watch)

    def arms_of(self, rows: FloatArray) -> list[int]:
        """The arm at each of these played rows."""
        return [self.arm_of[row.tobytes()] for row in rows]

    def leaders(self, n: int) -> FloatArray:
        """The rows of largest posterior mean."""
        best = np.argsort(-self.watch.posterior.mean, kind="stable")[:n]
        rows: FloatArray = self.policy.domain[best]
        return rows

    @cached_property
    def measured(self) -> PointPosterior:
        """The posterior of the kept plays at any row."""
        told = self.watch.posterior
        some = told.counts > 0
        if not some.any():
            return kept_field(self.policy, self.policy.domain, self.watch)
        n = told.counts[some]
        y = told.mean[some] + told.lam / n * told.weights[some]
        return PointPosterior.of(self.policy.kernel, self.policy.lam, self.policy.domain[some], n, y)

    def field(self, pending: FloatArray) -> PointPosterior:
        """The posterior at any row, if every pending play gave its prediction.

        This leaves the means of pending points alone and makes them certain, which spreads plays that are asked for
        together. Imagined plays are no measurements: they make no other play suspect and are never set aside.
        """
        field = self.measured
        return field.then(pending, field.at(pending)[0]) if len(pending) else field

    @property
    def threat_left(self) -> Threat | None:
        """What of the threat is not explained by the plays that are set aside, in units of the output scale."""
        threat, watch = Threat.of(self.policy.corruption_budget), self.watch
        if threat is None:
            return None
        liars = min(len(watch.aside), threat.liars)
        aside = ~watch.kept
        if watch.sources is not None:
            aside &= ~np.isin(watch.sources, watch.aside[:liars])
        lies = min(int(watch.sizes[aside].sum()), threat.lies)
        off = watch.sizes[aside] * np.abs(watch.rewards[aside] - watch.posterior.mean[watch.arms[aside]])
        total = max(
            threat.total - float(np.sort(off)[: max(len(off) - lies, 0)].sum()), 0.0
        )  # the largest count as lies
        return replace(threat, total=total, lies=threat.lies - lies, liars=threat.liars - liars)

    def counts(self, rows: FloatArray) -> FloatArray:
        """How many kept measurements there are at each of these rows."""
        counts = np.bincount(self.watch.arms, weights=self.watch.sizes * self.watch.kept, minlength=len(self.watch.K))
        arms = [self.arm_of.get(row.tobytes(), -1) for row in rows]
        return np.append(counts, 0.0)[arms]

    def refused(self) -> dict[bytes, float]:
        """The rows all of whose plays are set aside, one by one, and how many measurements there are of each."""
        watch = self.watch
        single = ~watch.kept if watch.sources is None else ~watch.kept & ~np.isin(watch.sources, watch.aside)
        times = np.bincount(watch.arms, weights=watch.sizes * single, minlength=len(watch.K))
        times[watch.arms[watch.kept]] = 0.0
        return {self.policy.domain[arm].tobytes(): float(times[arm]) for arm in np.flatnonzero(times)}

    def sure(self, rows: FloatArray) -> BoolArray:
        """Which of these rows cannot be false altogether: more of their values agree than the threat can forge."""
        threat = Threat.of(self.policy.corruption_budget)
        if threat is None or threat.total:
            return np.zeros(len(rows), dtype=np.bool_)
        near = 2 * self.policy.threshold * sqrt(self.policy.lam)
        return np.array([self._outnumbered(threat, self.arm_of.get(row.tobytes(), -1), near) for row in rows])

    def _outnumbered(self, threat: Threat, arm: int, near: float) -> bool:
        watch = self.watch
        mine = watch.kept & (watch.arms == arm)
        if not mine.any() or float(np.ptp(watch.rewards[mine])) > near:
            return False
        sizes = watch.sizes[mine]
        if watch.sources is None or not threat.liars:
            return float(sizes.sum()) > threat.lies
        known = watch.sources[mine]
        named = np.bincount(known[known >= 0], weights=sizes[known >= 0])
        liars = np.sort(named)[::-1][: threat.liars].sum() + sizes[known < 0].sum()
        return float(sizes.sum() - liars) > threat.lies

    def only_by(self, rows: FloatArray, source: str | None) -> BoolArray:
        """Which of these rows were measured by this source alone."""
        if self.watch.sources is None or source not in self.names:
            return np.zeros(len(rows), dtype=np.bool_)
        others = set(self.watch.played_by_others(self.names.index(source)).tolist())
        return np.array([self.arm_of.get(row.tobytes(), -1) not in others for row in rows], dtype=np.bool_)


def kept_field(policy: VigilantUCB, rows: FloatArray, watch: Watch) -> PointPosterior:
    """The posterior of the plays that are kept, whose arms are these rows."""
    kept = watch.kept
    if not kept.any():  # a given output scale that is far too small: all plays look like faults
        kept = ~kept
    means, n = pooled(watch.arms[kept], watch.corrected[kept], watch.repeats[kept], len(rows))
    some = n > 0
    return PointPosterior.of(policy.kernel, policy.lam, rows[some], n[some], means[some])
