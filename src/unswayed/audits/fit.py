"""How the model of an audit follows from its values: what is given is taken as it is, the rest is estimated."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.special import chdtrc, ndtri, stdtrit

from unswayed.audits.spikes import SUSPECTED, explained
from unswayed.core.data.rows import numbered_rows
from unswayed.core.gp.evidence import Evidence
from unswayed.core.gp.kernels import gram
from unswayed.errors import InvalidInput
from unswayed.judgement.assumptions import Given
from unswayed.judgement.credible import Shapes
from unswayed.judgement.fit import spread
from unswayed.judgement.noise import LEAST_REPEATS, Repeats
from unswayed.judgement.prior import CENTRED, Prior, prior
from unswayed.judgement.table import Table
from unswayed.types import BoolArray, FloatArray, IntArray

FITTING_POINTS = 250
FEW_MIXED = 3  # options with values at the end and elsewhere: fewer may be due to lies
LUMP = 0.2  # of the values, equal to the smallest or the largest one: a heap
EXACT = 1e-4  # noise of a program that prints the same number every time, in units of the values' spread
MEDIANS = 0.37  # what medians use of the information about the noise
APART = 8  # options far apart whose values show the spread, at least; more with more parameters
FAR_OPTION = 6  # robust spreads of the options: an option farther from the others is outside the usual model
REMEMBERED = 64  # factorisations

Solved = tuple[FloatArray, tuple[FloatArray, bool]]


@dataclass(frozen=True, eq=False)
class Fit:
    """The model for any values of the same options, measured equally often and with the same precision.

    Many values are tried in turn (audits/refit.py), so what does not depend on them is computed once.
    """

    given: Given
    points: FloatArray
    option: IntArray
    weights: FloatArray
    series: IntArray
    kept: BoolArray | None = None
    solved: dict[tuple[int, float, float], Solved | None] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, given: Given, data: Table) -> Self:
        """For values measured as these were; without the spikes among them, if the kernel is to be estimated."""
        every = cls(given, data.points, data.arms, data.weights, data.series)
        if given.kernel is not None:
            return every
        noise, scale = every._noise_and_scale(data)
        centre = given.level_centre if given.level_known else None
        kept = explained(data, every.smooth, scale=scale or spread(data.means), noise=noise, centre=centre)
        return every if kept.all() else replace(every, kept=kept)

    @cached_property
    def _part(self) -> Fit:
        """For the measurements that are kept."""
        points, arms = numbered_rows(self.points[self.option[self.kept]])
        return Fit(self.given, points, arms, self.weights[self.kept], self.series[self.kept])

    @cached_property
    def counts(self) -> FloatArray:
        """How often each option was measured, each time with its weight."""
        return np.bincount(self.option, weights=self.weights).astype(np.float64)

    @cached_property
    def _repeats(self) -> Repeats:
        return Repeats.of(self.option)

    @cached_property
    def _alike(self) -> Repeats:
        """Repeats by the same source, if there are enough: sources may be off, or noisier than others."""
        own = Repeats.of(self.series)
        return own if own.number >= LEAST_REPEATS else self._repeats

    @cached_property
    def fitting_points(self) -> IntArray:
        """The options that the kernel is estimated from."""
        return np.unique(np.linspace(0, len(self.points) - 1, FITTING_POINTS).astype(np.int64))

    @cached_property
    def _fitted(self) -> BoolArray:
        return np.isin(self.option, self.fitting_points)

    @cached_property
    def shapes(self) -> Shapes:
        """The kernels that are possible."""
        return self._equal((2.5, 0.5)) if self.given.kernel is None else Shapes.given(self.given.kernel)

    @cached_property
    def smooth(self) -> Shapes:
        """Those of them that the model is chosen from: a rough kernel would explain every lie."""
        return self._equal((2.5,)) if self.given.kernel is None else self.shapes

    def _equal(self, smoothness: tuple[float, ...]) -> Shapes:
        width = np.ptp(self.points, axis=0)
        varying = width > 0  # a constant column says nothing
        return Shapes.equal(np.where(varying, width, 1.0), smoothness, columns=int(varying.sum()))

    @cached_property
    def _evidence(self) -> Evidence:
        some, smooth, plays = self.fitting_points, self.smooth, float(self._fitted.sum())
        known = self.given.level_known
        return Evidence.of(
            smooth.kernels, smooth.odds, self.points[some], self.counts[some], level_known=known, plays=plays
        )

    def prior(self, data: Table) -> Prior:
        """The model for these values."""
        return self._chosen(data)[1]

    def _noise_of_few_values(self, values: FloatArray) -> float:
        """The noise where repeats agree exactly.

        Either the values are a few numbers, such as ratings or yes and no, whose spread counts; or a program prints the
        same number every time, and what differs is a lie.
        """
        exact = self._repeats.agreeing(values) >= 0.5
        return EXACT * spread(values) if exact else self._repeats.pooled(values)

    def lumped(self, values: FloatArray) -> bool:
        """Whether the values are yes and no, or heap up at one end, as purchases do at 0.

        Then none of them is an outlier, however rare, and repeats that agree are no sign of exactness.
        """
        if self._repeats.number < LEAST_REPEATS:
            return False
        found, numbers = np.unique(values, return_counts=True)
        end = 0 if numbers[0] >= numbers[-1] else -1
        if len(found) == 2 or numbers[end] < LUMP * len(values):
            return len(found) == 2
        there = values == found[end]
        mixed = [bool(there[group].any() and not there[group].all()) for group in self._repeats.options]
        return sum(mixed) >= FEW_MIXED and 2 * sum(mixed) >= len(mixed)

    @property
    def noise_known(self) -> bool:
        """Whether the noise is given, or enough repeats tell it."""
        return self.given.noise_std is not None or self._repeats.number >= LEAST_REPEATS

    def unequal_noise(self, data: Table, kept: BoolArray) -> bool:
        """Whether repeats contradict that all options have the same noise, by Bartlett's test at 5%."""
        groups = [group[kept[group]] for group in self._repeats.options]
        sizes = np.array([len(group) - 1.0 for group in groups if len(group) > 2])
        variances = np.array([np.var(data.values[group], ddof=1) for group in groups if len(group) > 2])
        if len(sizes) < 2 or not (variances > 0).all():
            return False
        total = sizes.sum()
        statistic = total * np.log(sizes @ variances / total) - sizes @ np.log(variances)
        correction = 1 + ((1 / sizes).sum() - 1 / total) / (3 * (len(sizes) - 1))
        return bool(chdtrc(len(sizes) - 1, statistic / correction) < 0.05)

    def allowed(self) -> float:
        """Standard deviations that a residual may have: honest measurements exceed it in about 1% of all audits.

        An estimated noise is itself uncertain, so the quantile is that of a Student t. Medians of repeats carry as much
        information as 37% of them; a noise that is fitted without repeats about as much as half of the measurements.
        """
        repeats, measurements = self._alike.number, len(self.option)
        freedom = MEDIANS * repeats if repeats >= LEAST_REPEATS else measurements / 2
        tail = SUSPECTED / (2 * measurements)
        return float(-stdtrit(max(freedom, 1.0), tail) if self.given.noise_std is None else -ndtri(tail))

    def estimates(self, data: Table, at: FloatArray | None = None) -> FloatArray | None:
        """The estimate of each option; None if the model cannot be computed with.

        Args:
            data: The measurements.
            at: Points to estimate too, after the options.
        """
        chosen, model = self._chosen(data)
        solved = self._solve(chosen, model)
        if solved is None:
            return None
        K, factor = solved
        if at is not None:
            K = np.vstack([K, model.kernel(at, self.points)])
        weights: FloatArray = cho_solve(factor, model.standardized(data.means), check_finite=False)
        return model.unstandardized(K @ weights)

    def ahead(self, data: Table, winner: int, tie: float, delta: float) -> bool:
        """Whether no option is better by more than a tie if each has a noise of its own: Welch's test for each rival.

        The noise of an option with less than three measurements is taken to be that of the noisiest other.

        Args:
            data: The measurements.
            winner: The winner.
            tie: What counts as the same.
            delta: The probability of an error, shared by all rivals.
        """
        n, groups = self.counts, [data.values[self.option == i] for i in range(len(self.points))]
        variance = np.array([np.var(group, ddof=1) if len(group) > 2 else 0.0 for group in groups])
        variance = np.where(variance > 0, variance, variance.max()) / n
        both = variance + variance[winner]
        freedom = both**2 / (variance**2 / np.maximum(n - 1, 1) + variance[winner] ** 2 / max(n[winner] - 1, 1))
        means = np.array([group.mean() for group in groups])
        lead = means[winner] - means + tie - np.sqrt(both) * -stdtrit(freedom, delta / max(len(n) - 1, 1))
        return bool((np.delete(lead, winner) >= 0).all())

    def _chosen(self, data: Table, known: tuple[float | None, float | None] | None = None) -> tuple[int, Prior]:
        """The number of the kernel, and the model; `known` are the noise and the scale, as far as they are known."""
        if self.kept is not None:
            return self._part._chosen(data.part(self.kept), self._noise_and_scale(data))
        given, means = self.given, data.means
        unit, (noise, scale) = spread(means), known or self._noise_and_scale(data)
        chosen = 0
        if given.kernel is None or noise is None or scale is None:
            centre = float(np.median(means)) if given.level is None else given.level_centre
            squares = float((self.weights * np.square(data.values - means[data.arms]))[self._fitted].sum())
            some = means[self.fitting_points] - centre
            found = self._evidence.explained(some, squares, unit=unit, noise=noise, scale=scale)
            chosen, scale, tau = found.best()
            noise = max(tau, self._repeats.rounding(data.values)) if noise is None else noise
        if not 1e-60 * scale < noise < 1e60 * scale:
            raise InvalidInput(
                f"a noise of {noise:.3g} beside a spread of the values of {scale:.3g} cannot be computed with"
            )
        return chosen, prior(given, means, kernel=self.smooth.kernels[chosen], output_scale=scale, noise_std=noise)

    @cached_property
    def _apart(self) -> IntArray:
        """Options far from each other: the spread of all may be that of a cluster, as around the best of a search."""
        width = np.ptp(self.points, axis=0)
        Z = self.points / np.where(width > 0, width, 1.0)
        chosen = [int(np.argmin(((Z - np.median(Z, axis=0)) ** 2).sum(axis=1)))]
        nearest = np.full(len(Z), np.inf)
        for _ in range(min(max(APART, 4 * (1 + int((width > 0).sum()))), len(Z)) - 1):
            nearest = np.minimum(nearest, ((Z - Z[chosen[-1]]) ** 2).sum(axis=1))
            chosen.append(int(np.argmax(nearest)))
        return np.array(chosen)

    def _noise_and_scale(self, data: Table) -> tuple[float | None, float | None]:
        """The noise and the output scale, as far as they are given or follow from repeats and spreads."""
        given, means = self.given, data.means
        noise, scale = given.noise_std, given.output_scale
        if noise is None:
            repeats, lumped = self._alike, self.lumped(data.values)
            few = repeats.pooled if lumped else self._noise_of_few_values
            # in a heap the median distance of repeats says nothing about their noise
            heap = lumped and len(np.unique(data.values)) > 2
            noise = repeats.pooled(data.values) if heap else repeats.noise(data.values, few)
        if scale is None and (given.kernel is None or isinstance(given.kernel, CENTRED)):
            scale = self._repeated_spread(data.values, max(spread(means), spread(means[self._apart])))  # not by one lie
        return noise, scale

    def _repeated_spread(self, values: FloatArray, unit: float) -> float:
        """The spread of the options, robust, unless repeats agree that some option is far from all others.

        One lie does not set the median of three repeats. With the robust spread alone the model would explain no
        measurement of such an option.
        """
        medians = np.array([np.median(values[group]) for group in self._repeats.options if len(group) >= 3])
        far = len(medians) > 2 and np.abs(medians - np.median(medians)).max() > FAR_OPTION * unit
        return max(unit, float(np.std(medians))) if far else unit

    def _solve(self, chosen: int, model: Prior) -> Solved | None:
        """The kernel matrix and its factorisation, remembered: the same models come again and again."""
        key = chosen, model.lam, model.level_spread
        if key not in self.solved:
            if len(self.solved) >= REMEMBERED:
                self.solved.clear()
            K = gram(model.kernel, self.points)
            try:
                self.solved[key] = K, cho_factor(K + np.diag(model.lam / self.counts), lower=True, check_finite=False)
            except LinAlgError:
                self.solved[key] = None
        return self.solved[key]
