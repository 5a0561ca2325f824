"""The model of a search: the rows that were played, which of the plays are kept, and the posterior of those."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import sqrt
from typing import Self

import numpy as np
from scipy.spatial.distance import cdist

from unswayed.core.data.rows import numbered_rows
from unswayed.core.gp.kernels import gram
from unswayed.core.gp.point_posterior import PointPosterior
from unswayed.core.gp.posterior import JointPosterior, pooled
from unswayed.core.gp.surface import Surface
from unswayed.core.tampering.threat import Records, Threat
from unswayed.judgement.allowance import Allowance
from unswayed.judgement.recommend import Choice, Worth, choose, supposed
from unswayed.judgement.set_aside import Kept, extended, set_aside
from unswayed.judgement.sources import believed
from unswayed.judgement.span import Span
from unswayed.judgement.table import Table
from unswayed.search.beliefs import Beliefs, modelled, threshold_of
from unswayed.search.task import Data, Task
from unswayed.types import BoolArray, FloatArray, IntArray

BESIDE = 0.02  # of the range of a parameter, on average: farther from what was measured a cliff may be unseen


@dataclass(frozen=True, eq=False)
class Surrogate:
    """The plays of a search by arm, and which of them are kept.

    Attributes:
        beliefs: The model of the values.
        threat: What tampering to be safe against, in units of the output scale; None if it is unknown.
        threshold: Plays that are off by more standard deviations are set aside.
        rows: The row of each arm: those that were played first.
        names: Of the sources.
        binary: Whether plays are single outcomes, which are judged in batches.
        kept: All plays, or batches of them, and which of them are kept.
    """

    beliefs: Beliefs
    threat: Threat | None
    threshold: float
    rows: FloatArray
    names: tuple[str, ...]
    binary: bool
    kept: Kept

    @classmethod
    def fit(cls, task: Task, beliefs: Beliefs, data: Data) -> Self:
        """The plays that the search models, judged together.

        Args:
            task: What the search is for.
            beliefs: The model of the values.
            data: All plays.
        """
        table = data.table(task.given.noise_std)
        return cls._judged(task, beliefs, data, table.part(modelled(task, table)), None)

    @classmethod
    def of_all(cls, task: Task, beliefs: Beliefs, data: Data, *, threshold: float | None = None) -> Self:
        """All plays, those that the search models judged as in `fit`; where there are more, they judge the others.

        Single outcomes, and plays that a proof counts, are all judged together.

        Args:
            task: What the search is for.
            beliefs: The model of the values.
            data: All plays.
            threshold: Set aside plays that are off by more standard deviations; infinity sets only faults aside.
        """
        table = data.table(task.given.noise_std)
        some = np.arange(len(table.values)) if data.binary or threshold == np.inf else modelled(task, table)
        judges = cls._judged(task, beliefs, data, table.part(some), threshold)
        return judges if len(some) == len(table.values) else judges._extended(task, table, some)

    @classmethod
    def _judged(cls, task: Task, beliefs: Beliefs, data: Data, table: Table, threshold: float | None) -> Self:
        prior, threat = beliefs.prior, Threat.of(task.given.threat)
        most = threshold or threshold_of(data)
        threat = None if threat is None else threat.mapped(1 / prior.output_scale, prior.standardized)
        kept = set_aside(
            table.with_values(prior.standardized(table.values)),
            gram(prior.kernel, table.points),
            prior.lam,
            threshold=most,
            allowance=Allowance.of(threat, task.noise_allowance, table),
            named=len(data.names),
        )
        return cls(beliefs, threat, most, table.points, data.names, data.binary, kept)

    def _extended(self, task: Task, table: Table, judging: IntArray) -> Self:
        prior = self.beliefs.prior
        kept = extended(
            self.kept,
            judging,
            table.with_values(prior.standardized(table.values)),
            gram(prior.kernel, table.points),
            self.measured.at(table.points),
            threshold=self.threshold,
            allowance=Allowance.of(self.threat, task.noise_allowance, table),
        )
        return replace(self, rows=table.points, kept=kept)

    def beside(self, candidates: FloatArray) -> Self:
        """The same plays, on the rows that were played and on candidates."""
        rows, told = numbered_rows(np.vstack([self.rows, candidates]))[0], self.kept.told
        K = gram(self.beliefs.prior.kernel, rows)
        posterior = JointPosterior.of_plays(K, told.arms, told.values, told.weights, self.beliefs.prior.lam)
        return replace(self, rows=rows, kept=replace(self.kept, posterior=posterior))

    def everything(self) -> JointPosterior:
        """The posterior of all plays."""
        return self.kept.everything(gram(self.beliefs.prior.kernel, self.rows))

    @cached_property
    def arm_of(self) -> Mapping[bytes, int]:
        """The arm at a row."""
        return {row.tobytes(): arm for arm, row in enumerate(self.rows)}

    def arms_of(self, rows: FloatArray) -> list[int]:
        """The arm at each of these played rows."""
        return [self.arm_of[row.tobytes()] for row in rows]

    def leaders(self, n: int, candidates: FloatArray) -> FloatArray:
        """The rows of largest posterior mean, of those that were played and some candidates."""
        rows = numbered_rows(np.vstack([self.rows, candidates]))[0]
        best: FloatArray = rows[np.argsort(-self.measured.mean_at(rows), kind="stable")[:n]]
        return best

    @cached_property
    def measured(self) -> PointPosterior:
        """The posterior of the kept plays at any row."""
        rows, n, y = self._means()
        if not len(rows):
            return self.posterior_of(self.kept.mask)
        return PointPosterior.of(self.beliefs.prior.kernel, self.kept.posterior.lam, rows, n, y)

    def surface(self, sign: float) -> Surface | None:
        """The same in units of the values; None if nothing is kept.

        Args:
            sign: -1 if the values were negated.
        """
        (rows, n, y), prior = self._means(), self.beliefs.prior
        about = (sign * prior.centre, sign * prior.output_scale, len(rows))
        return Surface(prior.kernel, self.kept.posterior.lam, rows, n, y, *about) if len(rows) else None

    def _means(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The rows with kept plays, the weight of these, and their mean."""
        told = self.kept.posterior
        some = told.counts > 0
        n = told.counts[some]
        return self.rows[some], n, told.mean[some] + told.lam / n * told.weights[some]

    def posterior_of(self, mask: BoolArray) -> PointPosterior:
        """The posterior at any row, given some plays; given all, if none is left.

        None is left if an output scale was given that is far too small: all plays look like faults.
        """
        prior, told = self.beliefs.prior, self.kept.believed
        told = told.only(mask) if mask.any() else told
        means, n = pooled(told.arms, told.values, told.weights, len(self.rows))
        return PointPosterior.of(prior.kernel, prior.lam, self.rows[n > 0], n[n > 0], means[n > 0])

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
        threat, kept, plays = self.threat, self.kept, self.kept.records
        if threat is None:
            return None
        liars = min(len(kept.aside), threat.liars)
        aside = ~kept.mask & ~plays.up_to(threat.doubt)
        if plays.sources is not None:
            aside &= ~np.isin(plays.sources, kept.aside[:liars])
        sizes = plays.measurements[aside]
        lies = min(int(sizes.sum()), threat.lies)
        off = np.sort(sizes * np.abs(plays.values[aside] - kept.posterior.mean[plays.arms[aside]]))
        total = max(threat.total - float(off[: max(len(off) - lies, 0)].sum()), 0.0)  # the largest count as lies
        return replace(threat, total=total, lies=threat.lies - lies, liars=threat.liars - liars)

    def against(self, span: Span) -> Threat:
        """What a recommendation is to be safe against, in the units of the values.

        What was set aside is taken off a total. It is not taken off a number of lies: one lie can make an honest play
        look false.

        Args:
            span: The range of honest values.
        """
        prior, left = self.beliefs.prior, self.threat_left
        if self.threat is not None and left is not None:
            left = replace(self.threat, total=left.total).mapped(prior.output_scale, prior.unstandardized)
        return supposed(left, span, sources=len(self.names))

    def plays_kept(self, data: Data) -> BoolArray:
        """Which plays are kept; single outcomes go with their batch.

        Args:
            data: The plays that this is the model of.
        """
        return self.kept.mask[data.blocks] if self.binary else self.kept.mask

    def records(self, data: Data) -> Records:
        """All plays, one by one, in units of the prior, with the weights that were told.

        Args:
            data: The plays that this is the model of.
        """
        weights = np.ones(data.plays) if self.binary else self.kept.records.weights
        arms = np.array(self.arms_of(data.rows), dtype=np.int64)
        return Records(arms, self.beliefs.prior.standardized(data.values), weights, data.sources, trust=data.trust)

    def told(self, data: Data) -> Records:
        """The plays that are kept, one by one, in units of the prior; those of noisier sources with less weight.

        Args:
            data: The plays that this is the model of.
        """
        plays, factors = self.records(data), self.kept.factors
        weighted = believed(plays, np.zeros((len(factors), 2)), factors)
        return weighted.only(self.plays_kept(data))

    def chosen(self, data: Data, threat: Threat, span: Span, without: Sequence[int] = ()) -> tuple[Worth, Choice]:
        """What each arm is worth by the plays that are kept, and which to recommend: what was measured, or is beside.

        Args:
            data: The plays that this is the model of.
            threat: What may be false, with the range.
            span: The range of honest values.
            without: Arms that are not to be recommended.
        """
        prior, records = self.beliefs.prior, self.told(data)
        if not threat.none:
            away = cdist(self.rows, self.rows[np.unique(records.arms)]).min(axis=1) / sqrt(self.rows.shape[1])
            without = np.union1d(without, np.flatnonzero(away > BESIDE)).astype(np.int64).tolist()
        worth = Worth.of(prior, self.kept.posterior, records, threat, span)
        return worth, choose(worth, threat, tie=prior.noise_std, without=without)

    def counts(self, rows: FloatArray) -> FloatArray:
        """How many kept measurements there are at each of these rows."""
        plays = self.kept.records
        counts = np.bincount(plays.arms, weights=plays.measurements * self.kept.mask, minlength=len(self.rows))
        arms = [self.arm_of.get(row.tobytes(), -1) for row in rows]
        return np.append(counts, 0.0)[arms]

    def sure(self, rows: FloatArray) -> BoolArray:
        """Which of these rows cannot be false altogether: more of their values agree than the threat can forge."""
        if self.threat is None or self.threat.total:
            return np.zeros(len(rows), dtype=np.bool_)
        near = 2 * self.threshold * sqrt(self.beliefs.prior.lam)
        return np.array([self._outnumbered(self.threat, self.arm_of.get(row.tobytes(), -1), near) for row in rows])

    def _outnumbered(self, threat: Threat, arm: int, near: float) -> bool:
        plays = self.kept.records
        mine = plays.only(self.kept.mask & (plays.arms == arm) & ~plays.up_to(threat.doubt))
        if not len(mine.values) or float(np.ptp(mine.values)) > near:
            return False
        sizes, known = mine.measurements, mine.sources
        if known is None or not threat.liars:
            return float(sizes.sum()) > threat.lies
        named = np.bincount(known[known >= 0], weights=sizes[known >= 0])
        liars = np.sort(named)[::-1][: threat.liars].sum() + sizes[known < 0].sum()
        return float(sizes.sum() - liars) > threat.lies

    def only_by(self, rows: FloatArray, source: str | None) -> BoolArray:
        """Which of these rows were measured by this source alone."""
        plays = self.kept.records
        if plays.sources is None or source not in self.names:
            return np.zeros(len(rows), dtype=np.bool_)
        others = set(plays.arms[plays.sources != self.names.index(source)].tolist())
        return np.array([self.arm_of.get(row.tobytes(), -1) not in others for row in rows], dtype=np.bool_)
