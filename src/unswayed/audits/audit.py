"""Can I trust this winner? How much tampering with existing measurements would have overturned the result.

    x, y   measurements: one row of parameters and one value each, repeats welcome; larger is better
    C*     breakdown budget: the least total change of recorded values that could have made another option win
    pivot  the option where changing values is cheapest

With kernel and noise given, the model is exactly GP(0, k) with lam = noise^2. Otherwise the values are centred and
scaled (robustly: one lie does not set the scale), what is not given is estimated, and the verdict says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import norm as normal

from unswayed.core.fitting import NOISES, fit_counts
from unswayed.core.influence import Certificate, breakdown_budgets, certificate, pairwise_deviation
from unswayed.core.kernels import Kernel, Matern, gram
from unswayed.core.noise import noise_from_repeats
from unswayed.core.posterior import EPS, JointPosterior
from unswayed.core.rows import numbered_rows
from unswayed.errors import InvalidInput
from unswayed.types import FloatArray, IntArray, floats, positive

FITTING_POINTS, FEWEST_POINTS = 1000, 20
LARGEST_VALUE = 1e100
SHOWN = 5


@dataclass(frozen=True)
class Rival:
    """An option that could have won: how far behind it is, and what tampering would have made it win."""

    option: int
    lead: float
    deviation: float
    budget: float
    pivot: int


@dataclass(frozen=True)
class Suspect:
    """A measurement (`row`, from 0) that its neighbours and repeats do not explain."""

    row: int
    option: int
    value: float
    expected: float
    score: float  # leave-one-out residual in standard deviations


@dataclass(frozen=True, eq=False)
class Audit:
    """The verdict. Options are the distinct rows of x, numbered in order of first appearance."""

    winner: int
    rival: int
    breakdown_budget: float
    pivot: int
    points: FloatArray
    counts: IntArray
    means: FloatArray  # of the measurements of each option
    estimate: FloatArray  # posterior mean and deviation of each option
    deviation: FloatArray
    rivals: tuple[Rival, ...]  # the closest, cheapest first
    hinges: tuple[tuple[int, float], ...]  # options on which the verdict hangs, and the tampering needed there
    suspects: tuple[Suspect, ...]
    certificate: Certificate
    kernel: Kernel
    noise_std: float
    norm_bound: float
    estimated: tuple[str, ...]  # what was not given
    fitted_on: int  # options used to estimate the kernel; 0 if it was given
    noise_resolved: bool  # False where nothing in the data tells noise from signal: no certificate then
    precision: float  # relative rounding error of the breakdown budget, at most
    jitter: float

    @property
    def lead(self) -> float:
        """How far the winner is ahead of the closest rival, by the estimate."""
        return self.rivals[0].lead

    @property
    def shifted_measurements(self) -> int:
        """C* as a number of measurements shifted by one noise standard deviation."""
        return ceil(self.breakdown_budget / self.noise_std)


def audit(
    x: ArrayLike,
    y: ArrayLike,
    *,
    kernel: Kernel | None = None,
    noise_std: float | None = None,
    budget: float = 0.0,
    norm_bound: float | None = None,
    delta: float = 0.05,
) -> Audit:
    """Who wins, and how much tampering would it take to overturn that?

    `budget` and `delta` are for the certified sentence: the total tampering to certify against, and the
    probability of failure. `norm_bound` defaults to twice the norm of the posterior mean, an estimate.
    """
    data = _collect(x, y, centred=kernel is None or noise_std is None)
    noise = (
        noise_from_repeats(data.option, data.scale * data.values)
        if noise_std is None
        else positive(noise_std, "the noise")
    )
    estimated = [name for name, given in (("kernel", kernel), ("noise", noise_std)) if given is None]
    lam = None if noise is None else _variance(noise / data.scale)
    fitted_on, resolved = 0, lam is not None
    if kernel is None or lam is None:
        some = np.unique(np.linspace(0, len(data.points) - 1, FITTING_POINTS).astype(np.int64))
        fitted_on = len(some) if kernel is None else 0
        spread = np.ptp(data.points, axis=0)
        family = Matern(2.5, tuple(np.where(spread > 0, spread, 1.0))) if kernel is None else kernel
        kernel, lam = fit_counts(
            family, data.points[some], data.means[some], data.counts[some], lam, scale_lengths=kernel is None
        )
        # Fitted to a handful of values, or at the end of its range, the noise is a guess.
        resolved = resolved or (NOISES[0] * 1.5 < lam < NOISES[1] / 1.5 and len(some) >= FEWEST_POINTS)
    posterior = JointPosterior.fit(gram(kernel, data.points), data.counts, data.counts * data.means, lam)
    bound = (
        2 * posterior.mean_norm(data.means)
        if norm_bound is None
        else positive(norm_bound, "the norm bound") / data.scale
    )
    certified = certificate(
        posterior,
        budget=positive(budget, "the budget", zero=True) / data.scale,
        norm_bound=bound,
        noise_std=lam**0.5,
        delta=delta,
    )
    rivals = _rivals(posterior, data.scale)
    return Audit(
        winner=certified.winner,
        rival=rivals[0].option,
        breakdown_budget=rivals[0].budget,
        pivot=rivals[0].pivot,
        points=data.points,
        counts=data.counts.astype(np.int64),
        means=data.centre + data.scale * data.means,
        estimate=data.centre + data.scale * posterior.mean,
        deviation=data.scale * posterior.deviation,
        rivals=rivals,
        hinges=_hinges(posterior, certified.winner, rivals[0]),
        suspects=_suspects(posterior, data, delta),
        certificate=certified.scaled(data.scale),
        kernel=kernel,
        noise_std=data.scale * lam**0.5,
        norm_bound=data.scale * bound,
        estimated=tuple(estimated + (["norm bound"] if norm_bound is None else [])),
        fitted_on=fitted_on,
        noise_resolved=resolved,
        precision=EPS * len(data.points) * posterior.condition,
        jitter=posterior.jitter,
    )


@dataclass(frozen=True, eq=False)
class _Data:
    """Measurements by option. `values` and `means` are centred and scaled."""

    points: FloatArray
    option: IntArray  # of each measurement
    values: FloatArray
    counts: FloatArray
    means: FloatArray
    centre: float
    scale: float


def _collect(x: ArrayLike, y: ArrayLike, *, centred: bool) -> _Data:
    rows, values = floats(x, "the parameters", ndim=2), floats(y, "the values", ndim=1)
    if len(rows) != len(values):
        raise InvalidInput(f"{len(rows)} rows of parameters for {len(values)} values")
    if len(rows) == 0 or np.ptp(rows, axis=0).max() == 0:
        raise InvalidInput("an audit needs measurements of at least two different options")
    if np.ptp(values) == 0:
        raise InvalidInput("all values are equal: there is no winner to audit")
    for name, numbers in (("parameters", rows), ("values", values)):
        if np.abs(numbers).max() > LARGEST_VALUE:
            raise InvalidInput(f"the {name} exceed {LARGEST_VALUE:g}: give them in larger units")
    points, option = numbered_rows(rows)
    counts = np.bincount(option).astype(np.float64)
    means = np.bincount(option, weights=values) / counts
    centre, scale = _centre_and_scale(means) if centred else (0.0, 1.0)
    return _Data(points, option, (values - centre) / scale, counts, (means - centre) / scale, centre, scale)


def _variance(noise: float) -> float:
    if not 1e-100 < noise < 1e100:
        raise InvalidInput(f"a noise of {noise:.3g} times the spread of the values is beyond what can be computed")
    return noise**2


def _centre_and_scale(means: FloatArray) -> tuple[float, float]:
    """Median and spread (interquartile range as of a normal, else standard deviation, else range)."""
    low, centre, high = np.quantile(means, (0.25, 0.5, 0.75))
    unit = float(np.ptp(means)) or 1.0
    spread = float(high - low) / (2 * float(normal.ppf(0.75))) or unit * float(np.std(means / unit)) or unit
    return float(centre), spread


def _rivals(posterior: JointPosterior, scale: float) -> tuple[Rival, ...]:
    """The options that tampering would make win most cheaply."""
    mu, winner = posterior.mean, int(np.argmax(posterior.mean))
    budgets, where = breakdown_budgets(posterior, winner)
    budgets[winner] = np.inf
    spread = pairwise_deviation(posterior.covariance, winner)
    return tuple(
        Rival(
            option=int(b),
            lead=scale * float(mu[winner] - mu[b]),
            deviation=scale * float(spread[b]),
            budget=scale * float(budgets[b]),
            pivot=int(where[b]),
        )
        for b in np.argsort(budgets, kind="stable")[: min(SHOWN, len(mu) - 1)]
    )


def _hinges(posterior: JointPosterior, winner: int, rival: Rival) -> tuple[tuple[int, float], ...]:
    """Where tampering would be cheapest, if all of it went to measurements of one option."""
    effect, _ = posterior.effect()  # every option was measured
    power = np.abs(effect[winner] - effect[rival.option])
    strongest = [int(i) for i in np.argsort(-power, kind="stable")[:SHOWN] if power[i] > 0]
    return tuple((i, rival.lead / float(power[i])) for i in strongest)


def _suspects(posterior: JointPosterior, data: _Data, delta: float) -> tuple[Suspect, ...]:
    """Leave-one-out residuals beyond what the model allows, by chance in at most delta of all audits.

    In the model of all rows, [A^-1 y]_j = (y_j - mu(x_j))/lam and [A^-1]_jj = (1 - k_t(x_j,x_j)/lam)/lam, so
    the residual in standard deviations is |y_j - mu(x_j)| / sqrt(lam - k_t(x_j,x_j)).
    """
    expected, variance = posterior.mean[data.option], posterior.deviation[data.option] ** 2
    spare = np.maximum(posterior.lam - variance, 1e-12 * posterior.lam)
    scores = np.abs(data.values - expected) / np.sqrt(spare)
    allowed = normal.isf(delta / (2 * len(scores)))
    worst = [int(j) for j in np.argsort(-scores, kind="stable") if scores[j] > allowed]

    def in_units(z: float) -> float:
        return data.centre + data.scale * float(z)

    return tuple(
        Suspect(j, int(data.option[j]), in_units(data.values[j]), in_units(expected[j]), float(scores[j]))
        for j in worst
    )
