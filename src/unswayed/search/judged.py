"""Which plays to keep, decided from all of them.

Up to FITTED points, in a small space, and if they are single outcomes, all plays are judged together
(judgement/trimming.py). Dropping one after the other costs a posterior of all of them each time, so beyond that only
the plays that the search models are judged together. They are the judges: any other play is set aside if it is off what
they, and the other plays at its point, say of it.

    m, v    mean and variance of f at a point, by the judges and by the other plays there
    z       |y - m| / sqrt(v + lam/w) of a play of weight w

Both ways what is set aside stays within the threat.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from unswayed.core.data.rows import numbered_rows
from unswayed.core.gp.point_posterior import PointPosterior
from unswayed.core.gp.posterior import pooled
from unswayed.core.tampering.threat import Threat
from unswayed.judgement.allowance import Allowance
from unswayed.judgement.trimming import FAR, confirmed
from unswayed.policies.watch import Watch
from unswayed.search.beliefs import Beliefs, modelled
from unswayed.search.surrogate import Surrogate, kept_field
from unswayed.search.task import Data, Task
from unswayed.types import BoolArray, FloatArray, IntArray

NOTHING = Allowance(0.0, 0, 0)


@dataclass(frozen=True, eq=False)
class Judged:
    """All plays and which of them are kept. `rows` are the points that were played."""

    judges: Surrogate
    rows: FloatArray
    watch: Watch
    names: tuple[str, ...]

    @classmethod
    def of(cls, task: Task, data: Data, beliefs: Beliefs, threshold: float | None = None) -> Self:
        """Decide on all plays.

        Args:
            task: What the search is for.
            data: All plays.
            beliefs: The model of the values.
            threshold: Set aside plays that are off by more standard deviations; infinity sets none aside.
        """
        together = task.all_rows is not None or data.binary or threshold == np.inf
        some = np.arange(data.plays) if together else modelled(data, task.seed)
        judges = Surrogate.fit(task, beliefs, data.only(some), data.rows[:0], threshold=threshold)
        if len(some) == data.plays:
            return cls(judges, judges.policy.domain, judges.watch, data.names)
        rows, watch, judge = _told(task, data, judges, some)
        return cls(judges, rows, _kept(judges, rows, watch, judge), data.names)

    @cached_property
    def _field(self) -> PointPosterior:
        return kept_field(self.judges.policy, self.rows, self.watch)

    @cached_property
    def _means(self) -> FloatArray:
        return self._field.mean_at(self.rows)

    def leaders(self, n: int, candidates: FloatArray) -> FloatArray:
        """The rows of largest posterior mean, of those that were played and some candidates."""
        rows = numbered_rows(np.vstack([self.rows, candidates]))[0]
        means = np.append(self._means, self._field.mean_at(rows[len(self.rows) :]))
        best: FloatArray = rows[np.argsort(-means, kind="stable")[:n]]
        return best

    def beside(self, candidates: FloatArray) -> Surrogate:
        """The model of all plays that are kept, on the rows that were played and on candidates."""
        return replace(self.judges.on(np.vstack([self.rows, candidates]), self.watch), names=self.names)


def _told(task: Task, data: Data, judges: Surrogate, some: IntArray) -> tuple[FloatArray, Watch, BoolArray]:
    """The points, all plays with none set aside by itself, and which of them judge."""
    plays = data.table(task.given.noise_std)
    points, arms = numbered_rows(plays.rows)
    offsets, aside = _of_sources(data, judges, some)
    kept = np.ones(data.plays, dtype=np.bool_) if plays.sources is None else ~np.isin(plays.sources, aside)
    watch = replace(
        judges.watch,
        arms=arms,
        rewards=judges.beliefs.prior.standard(plays.values),
        repeats=plays.weights,
        sizes=np.ones(data.plays),
        kept=kept,
        sources=plays.sources,
        offsets=offsets,
        aside=aside,
    )
    judge = np.zeros(data.plays, dtype=np.bool_)
    judge[some] = True
    return points, watch, judge


def _kept(judges: Surrogate, points: FloatArray, watch: Watch, judge: BoolArray) -> Watch:
    """With the decision which plays are kept: the judges have decided on themselves."""
    policy, sources = judges.policy, watch.sources
    off, z = _off(watch, *kept_field(policy, judges.policy.domain, judges.watch).at(points), policy.lam)
    left = Allowance.of(Threat.of(policy.corruption_budget), policy.free)
    for source in watch.aside:
        mine = sources == source
        left = left.after(float(off[mine].sum()), int(np.sum(mine)), source=True) or NOTHING
    kept = watch.kept.copy()
    kept[judge] &= judges.watch.kept
    for play in np.flatnonzero(watch.kept & ~kept):
        left = left.after(float(off[play]), 1, z=float(z[play])) or NOTHING
    suspects = kept & ~judge & (z > policy.threshold)
    if left.accidents:
        suspects &= ~confirmed(watch.arms, watch.corrected, policy.lam / watch.repeats, policy.threshold)
    if 2 * suspects.sum() < (~judge).sum():  # a model that explains less than half is no reason to set any aside
        span = float(np.ptp(watch.corrected[kept & ~suspects]))
        kept &= ~_affordable(suspects, z, off, left, policy.threshold, span)
    return replace(watch, kept=kept)


def _affordable(
    suspects: BoolArray, z: FloatArray, off: FloatArray, left: Allowance, threshold: float, span: float
) -> BoolArray:
    """Which suspects the threat allows to set aside, the largest z first; faults are not charged, as in `trim`."""
    chosen, total = np.zeros(len(z), dtype=np.bool_), left.total
    for play in sorted(np.flatnonzero(suspects), key=lambda play: -z[play]):
        if not (off[play] > total and z[play] > 10 * threshold and off[play] > FAR * span > 0):
            rest = left.after(float(off[play]), 1, z=float(z[play]))
            if rest is None:
                continue
            left = rest
        chosen[play] = True
    return chosen


def _off(watch: Watch, mean: FloatArray, deviation: FloatArray, lam: float) -> tuple[FloatArray, FloatArray]:
    """How far each play is off what the judges and the other plays at its point say, and z."""
    y, w, arms = watch.corrected, watch.repeats, watch.arms
    means, n = pooled(arms, y, w, len(mean))
    rest = np.maximum(n[arms] - w, 0.0)
    precision = 1 / np.square(deviation[arms])
    v = 1 / (precision + rest / lam)
    m = v * (precision * mean[arms] + (n[arms] * means[arms] - w * y) / lam)
    off = np.abs(y - m)
    return off, off / np.sqrt(v + lam / w)


def _of_sources(data: Data, judges: Surrogate, some: IntArray) -> tuple[FloatArray, tuple[int, ...]]:
    """The offsets of all sources, with the times of all plays, and the sources that are set aside."""
    names = [data.names.index(name) for name in judges.names]
    offsets, mine, when = np.zeros((len(data.names) + 1, 2)), data.source[some], np.linspace(-1, 1, data.plays)[some]
    theirs = np.linspace(-1, 1, len(some))
    for number, (level, slope) in zip([*names, -1], judges.watch.offsets, strict=True):
        offsets[number] = level, slope
        if slope:  # a line in the times of the judges is nearly one in those of all plays
            own = mine == number
            offsets[number] = np.polyfit(when[own], level + slope * theirs[own], 1)[::-1]
    return offsets, tuple(-1 if one == -1 else names[one] for one in judges.watch.aside)
