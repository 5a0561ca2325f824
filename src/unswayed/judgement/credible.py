"""How far a recommendation is from the best, as far as a fitted model can tell.

    a    the recommended point        b    any point considered

Where kernel, noise, scale or level were estimated from the same measurements, nothing is proved. What can be said is
a credible bound: the 1 - delta quantile of

    max_b  f(b) - f(a) + (how far the threat can raise mu(b) - mu(a))

over joint draws of f. The draws come from many models, each as often as the measurements make it probable
(core/gp/evidence.py): with few measurements the models disagree, and the bound is wide.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from math import log, sqrt
from typing import Any, Self

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular
from scipy.spatial.distance import cdist

from unswayed.core.data.rows import numbered_rows
from unswayed.core.gp.evidence import Evidence, Explained
from unswayed.core.gp.kernels import Kernel, Matern, TwoScale, WithLevel
from unswayed.core.gp.system import System
from unswayed.core.tampering.threat import Records, Threat
from unswayed.judgement.assumptions import Given
from unswayed.judgement.fit import Model, spread
from unswayed.judgement.noise import Repeats
from unswayed.judgement.prior import WIDE
from unswayed.judgement.table import Pooled
from unswayed.types import FloatArray, IntArray

DRAWS = 1000
CONTENDERS = 150  # points that may be the best under a model; the others hardly ever are
FACTORS = np.geomspace(0.03, 8.0, 13)  # typical length-scales, in units of the spread of the points
FITTED = 250  # at most this many points weigh the models
SIGNAL = 3.0  # a bound is printed from these log odds against noise alone on
PEAK, FAINT = 0.07, 0.1  # width of a peak that may hide, times sqrt(columns); what of its height nobody notices
SURELY = 0.995  # how sure it is that the noise of a comparison is not larger than the smallest bound
ROUNDED = 1e-9  # added to variances, in units of the kernel's, so that they stay positive


@dataclass(frozen=True)
class Credible:
    """A fitted model's statement about a recommendation; nothing is proved.

    Attributes:
        largest_gap: With this probability the point is at most this far from the best of the points considered.
        probability: 1 - delta.
        threat: Tampering that is allowed for.
        best: Probability that no point considered is better by more than a tie, whatever tampering within the threat
            did.
        best_untampered: The same, if nothing was tampered with.

    Example:
        >>> import unswayed
        >>> found = unswayed.audit([[0.0], [1.0]] * 10, [0.0, 1.0] * 9 + [0.1, 1.1])
        >>> found.credible.probability
        0.95
    """

    largest_gap: float
    probability: float
    threat: Threat
    best: float
    best_untampered: float

    @property
    def budget(self) -> float:
        """Total tampering that is allowed for."""
        return self.threat.total

    def to_dict(self) -> dict[str, Any]:
        """As plain values; an infinite gap is None."""
        gap = self.largest_gap if np.isfinite(self.largest_gap) else None
        return {**asdict(self), "largest_gap": gap, "budget": self.threat.total}


@dataclass(frozen=True, eq=False)
class Shapes:
    """Kernels that are possible, and the log odds of each before anything is measured."""

    kernels: tuple[Kernel, ...]
    odds: FloatArray

    @classmethod
    def given(cls, kernel: Kernel) -> Self:
        """One kernel, that was given."""
        return cls((kernel,), np.zeros(1))

    @classmethod
    def equal(cls, unit: FloatArray, smoothness: tuple[float, ...] = (2.5, 0.5), *, columns: int | None = None) -> Self:
        """Kernels of equal length-scales in units of the spread of each column, from short to long, smooth and rough.

        Args:
            unit: The spread of each column.
            smoothness: nu of the Matern kernels.
            columns: How many of them vary; by default all.
        """
        usual = log(0.5) + 0.25 * log(columns or len(unit))  # as in judgement/fit.py
        kernels = [Matern(nu, tuple((factor * unit).tolist())) for nu in smoothness for factor in FACTORS]
        return cls(tuple(kernels), np.tile(-0.5 * np.square(np.log(FACTORS) - usual), len(smoothness)))

    @classmethod
    def around(cls, model: Model, groups: IntArray) -> Self:
        """Beside kernels of equal length-scales those of a fitted model, all of them longer or shorter.

        Args:
            model: The fitted model, of points in the unit cube.
            groups: The parameter that each column belongs to.
        """
        equal = cls.equal(np.ones(len(groups)))
        typical = float(np.exp(np.log(model.lengths).mean()))
        lengths = [tuple((model.lengths[groups] * (factor / typical)).tolist()) for factor in FACTORS]
        fitted = [TwoScale(length, model.share, model.ratio) for length in lengths]
        return cls((*equal.kernels, *fitted), np.append(equal.odds, equal.odds[: len(FACTORS)]))


@dataclass(frozen=True, eq=False)
class Mixture:
    """The models that some measurements leave possible, each as probable as they make it.

    Attributes:
        kernels: The kernel of each row of models.
        explained: How probable each model is.
        data: The measurements by point, from their level or their median.
        origin: That level or median.
        records: The single measurements.
        level_known: Whether the level was given as a number.
    """

    kernels: tuple[Kernel, ...]
    explained: Explained
    data: Pooled
    origin: float
    records: Records
    level_known: bool

    @classmethod
    def of(
        cls,
        given: Given,
        shapes: Shapes,
        rows: FloatArray,
        values: FloatArray,
        *,
        weights: FloatArray | None = None,
        sources: IntArray | None = None,
        trust: IntArray | None = None,
        noise: float | None = None,
    ) -> Self:
        """Weigh the models.

        Args:
            given: What the user states, for values of which larger ones are better.
            shapes: The kernels that are possible.
            rows: The point of each measurement.
            values: The measurements.
            weights: The weight of each; by default 1.
            sources: The number of the source of each, if sources are known.
            trust: The rank of the trust level of each, if some are witnessed.
            noise: The noise of a measurement of weight 1, if it is known and not given.
        """
        points, arms = numbered_rows(rows)
        w = np.ones(len(values)) if weights is None else weights
        origin = given.level_centre if given.level_known else float(np.median(values))
        y = values - origin
        fitted = np.isin(arms, np.linspace(0, len(points) - 1, FITTED).astype(np.int64))
        some, all_ = Pooled.of(points, arms[fitted], y[fitted], w[fitted]), Pooled.of(points, arms, y, w)
        evidence = Evidence.of(
            shapes.kernels, shapes.odds, some.X, some.n, level_known=given.level_known, plays=some.plays
        )
        known = {"noise": given.noise_std if noise is None else noise, "scale": given.output_scale}
        rounded = (some.plays - len(some.n)) * Repeats.of(arms).rounding(values) ** 2
        explained = evidence.explained(some.means, some.squares + rounded, unit=spread(values), **known)
        records = Records(arms, values, w, sources, trust=trust)
        return cls(shapes.kernels, explained, all_, origin, records, given.level_known)

    def models(self) -> Iterator[tuple[Kernel, float, FloatArray]]:
        """Kernel, noise over scale, and draws of the squared scale; each model as often as it is probable."""
        rng, weights = np.random.default_rng(0), self.explained.weights.ravel()
        number = int(np.clip(20_000 // (len(self.data.X) + 1), 10, 100))
        positions = (np.arange(number) + 0.5) / number * weights.sum()
        chosen, times = np.unique(np.searchsorted(np.cumsum(weights), positions), return_counts=True)
        for model, count in zip(np.minimum(chosen, len(weights) - 1), times, strict=True):
            i, j = divmod(int(model), len(self.explained.ratios))
            s2 = np.full(DRAWS // number * int(count), self.explained.rate[i, j])
            if np.isfinite(self.explained.shape):
                s2 = s2 / rng.gamma(self.explained.shape, size=len(s2))
            kernel = self.kernels[i] if self.level_known else WithLevel(self.kernels[i], WIDE)
            yield kernel, float(self.explained.ratios[j]), s2

    def gaps(self, considered: FloatArray, winner: int, threat: Threat) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Draws of max_b f(b) - f(winner), without and with tampering, and of the noise."""
        rng, draws = np.random.default_rng(1), []
        played = np.arange(len(self.data.n))
        for kernel, ratio, s2 in self.models():
            mean, effect, factor = _contest(kernel, ratio**2, self.data, considered, winner)
            reach = threat.reach(self.records.effects(effect, played), self.records)
            drawn = mean + np.sqrt(s2)[:, None] * (rng.standard_normal((len(s2), len(mean))) @ factor.T)
            best = [drawn.max(axis=1, initial=-np.inf), (drawn + reach).max(axis=1, initial=-np.inf)]
            draws.append([*best, ratio * np.sqrt(s2)])
        honest, tampered, noise = np.maximum(np.concatenate(draws, axis=1), 0.0)
        return honest, tampered, noise

    def deviation(self, row: FloatArray, estimate: float) -> float:
        """How far an estimate of f at a point may be off: the standard deviation over all models.

        That is half the width of the central 68% of f, or the distance of the estimate from the middle of them.
        """
        rng, draws = np.random.default_rng(2), []
        for kernel, ratio, s2 in self.models():
            system = System.fit(kernel(self.data.X, self.data.X), self.data.means, self.data.n, ratio**2)
            k = kernel(row[None], self.data.X)
            variance = float(kernel.diagonal(row[None])[0] - np.square(system.half(k)).sum())
            spread_out = np.sqrt(np.maximum(s2 * variance, 0.0)) * rng.standard_normal(len(s2))
            draws.append(float(k[0] @ system.weights) + spread_out)
        low, high = np.quantile(np.concatenate(draws), (0.16, 0.84))
        return float(max((high - low) / 2, abs(self.origin + (low + high) / 2 - estimate)))


def _contest(
    kernel: Kernel, lam: float, data: Pooled, considered: FloatArray, winner: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """For the strongest b: the mean of f(b) - f(a), the effect of a play at each point, a factor of the covariance.

    The covariance is in units of s^2.
    """
    system = System.fit(kernel(data.X, data.X), data.means, data.n, lam)
    K = kernel(considered, data.X)
    half = system.half(K)
    mean = (K - K[winner]) @ system.weights
    other = half - half[:, [winner]]
    k_a = kernel(considered[[winner]], considered)[0]
    diagonal = kernel.diagonal(considered)
    variance = diagonal + diagonal[winner] - 2 * k_a - np.square(other).sum(axis=0)
    deviation = np.sqrt(np.maximum(variance, 0.0))
    typical = sqrt(max(float(data.means @ system.weights) / max(len(data.means), 1), 1e-12))
    strongest = np.argsort(-(mean + 3 * typical * deviation), kind="stable")[:CONTENDERS]
    strongest = strongest[strongest != winner]
    effect = solve_triangular(system.factor, other[:, strongest], lower=True, trans="T", check_finite=False).T
    k_b = kernel(considered[strongest], considered[strongest])
    covariance = k_b - k_a[strongest] - k_a[strongest][:, None] + diagonal[winner]
    covariance -= other[:, strongest].T @ other[:, strongest]
    np.fill_diagonal(covariance, covariance.diagonal() + ROUNDED * float(diagonal.max()))
    return mean[strongest], effect / data.n, _root(covariance)


def _root(covariance: FloatArray) -> FloatArray:
    """A matrix R with R R^T = covariance; what rounding errors made negative is taken for 0."""
    try:
        factor: FloatArray = cholesky(covariance, lower=True, check_finite=False)
    except LinAlgError:
        values, vectors = np.linalg.eigh(covariance)
        factor = vectors * np.sqrt(np.maximum(values, 0.0))
    return factor


def credible(
    given: Given, mixture: Mixture, considered: FloatArray, winner: int, noise_std: float, tie: float = 0.0
) -> Credible | None:
    """A credible bound on the distance of a recommendation from the best, if the measurements suffice for one.

    Args:
        given: What the user states.
        mixture: The models that the measurements leave possible.
        considered: The points that were considered.
        winner: The recommended one, as a number.
        noise_std: The noise of one measurement. No bound lies below the noise of a comparison with as many
            measurements of a rival as there are of the recommended point.
        tie: A point that is better by no more counts as the same.
    """
    if mixture.explained.signal < SIGNAL:
        return None
    honest, gaps, noises = mixture.gaps(considered, winner, given.threat_or_nothing)
    probability, data = 1 - given.delta, mixture.data
    repeats = max(float(data.n[(considered[winner] == data.X).all(axis=1)].sum()), 1.0)
    noise = max(noise_std, float(np.quantile(noises, SURELY)))
    largest = float(np.quantile(gaps, probability)) if np.isfinite(gaps).all() else np.inf
    gap = max(largest, noise * sqrt(2 / repeats))
    best, untampered = float(np.mean(gaps <= tie)), float(np.mean(honest <= tie))
    return Credible(gap, probability, given.threat_or_nothing, best, untampered)


def share_unexplored(everywhere: FloatArray, rows: FloatArray, values: FloatArray, noise: float) -> float:
    """The share of points where a peak as high as the range of the values and PEAK wide would not have been noticed.

    No model of smooth functions can exclude such a peak between the measurements. It is noticed if it moves them by
    three standard deviations of the noise, which is taken to be at least FAINT of the height. A point that was
    measured hides nothing.

    Args:
        everywhere: Points all over the space, with coordinates from 0 to 1.
        rows: The point of each measurement.
        values: The measurements.
        noise: The standard deviation of one measurement.
    """
    width, height = PEAK * sqrt(everywhere.shape[1]), float(np.ptp(values))
    squares = cdist(everywhere, rows, "sqeuclidean")
    moved = np.sqrt(np.exp(-squares / width**2).sum(axis=1)) * height
    return float(np.mean((moved <= 3 * max(noise, FAINT * height)) & (squares.min(axis=1) > 0)))
