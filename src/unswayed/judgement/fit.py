"""Fit a model to measurements that may contain lies: length-scales, output scale and roughness together.

    l     length-scale of each parameter (its columns share it)      s     output scale: f / s has variance 1
    w     share of the variance that is detail                       rho   how much finer the detail is than the trend
    tau   roughness: noise and structure too fine for the kernel     A     s^2 K + tau^2 I

    c     the most likely mean far from all plays: 1^T A^-1 y / 1^T A^-1 1

minus log posterior  =  1/2 (y - c)^T A^-1 (y - c) + 1/2 ln det A  +  priors of l, w and rho    (up to a constant)

A lie can be explained by a short length-scale, or it can be set aside. Both are tried: plays that the model does not
explain are set aside (set_aside.py), and each costs as much as a value that could have been anything. The most probable
explanation is taken. If plays could not be set aside, one lie would make the whole function look rough.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from math import log, pi
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cholesky, lapack
from scipy.optimize import minimize
from scipy.spatial.distance import cdist

from unswayed.core.gp.evidence import Evidence
from unswayed.core.gp.kernels import Kernel, TwoScale, matern_5_2
from unswayed.judgement.allowance import Allowance
from unswayed.judgement.assumptions import Given
from unswayed.judgement.set_aside import faults, set_aside, usable
from unswayed.judgement.table import Pooled, Table
from unswayed.types import BoolArray, FloatArray, IntArray, short_repr

LENGTHS, SCALES, LARGEST_TAU = (0.02, 20.0), (0.02, 100.0), 1.0  # the last two in units of the values' spread
SMALLEST_TAU, NOISIEST = 3e-3, 1e6  # the same; beside a larger noise values say nothing
SHARE, RATIO = (-2.2, 1.5), (log(0.15), 0.7)  # priors: mean and deviation of ln(w/(1 - w)) and ln(rho)
OVERDISPERSION = 1.25  # most that yes or no varies, in units of the binomial deviation
REVIVED = 0.3  # least output scale to start from, in units of the values' spread
OUTLIERS = 0.02  # prior share of plays that lie


@dataclass(frozen=True, eq=False)
class Model:
    """A fitted model.

    Attributes:
        lengths: Length-scale of each parameter.
        share: w, the share of the variance that is detail.
        ratio: rho, the length-scale of the detail in units of that of the trend.
        centre: c, the mean far from all plays.
        scale: s, the output scale.
        tau: The roughness.
        kept: Which plays were not set aside.
        score: Minus the log posterior, including the cost of the plays that were set aside.
    """

    lengths: FloatArray
    share: float
    ratio: float
    centre: float
    scale: float
    tau: float
    kept: BoolArray
    score: float
    __repr__ = short_repr

    def kernel(self, groups: IntArray) -> TwoScale:
        """The kernel whose columns have the length-scales of their parameters."""
        return TwoScale(tuple(float(length) for length in self.lengths[groups]), self.share, self.ratio)


class Cost(NamedTuple):
    """How many single plays are set aside, and minus the log probability of what is set aside with its source."""

    lies: int
    sources: float


NOTHING = Cost(0, 0.0)


class Believed(NamedTuple):
    """Which plays are kept, and the value and the weight of each as its source is believed."""

    kept: BoolArray
    values: FloatArray
    weights: FloatArray

    def pooled(self, table: Table) -> Pooled:
        """The plays that are kept."""
        kept = self.kept
        return Pooled.of(table.points, table.arms[kept], self.values[kept], self.weights[kept])


def fit_model(
    table: Table,
    groups: IntArray,
    *,
    threshold: float,
    allowance: Allowance,
    unit: float,
    start: Model | None = None,
    rounds: int = 2,
) -> Model:
    """The most probable model of measurements. Known noise is the least roughness.

    Args:
        table: The measurements, at encoded points.
        groups: The parameter that each column of a point belongs to.
        threshold: Set aside plays that are off by more standard deviations.
        allowance: What limits the plays that are set aside.
        unit: Spread of the values over the space.
        start: An earlier model to start from. A smoother start with more plays set aside is tried too.
        rounds: How often to decide again what to set aside, and to climb to the top; 0 only improves `start`.
    """
    middle = float(np.median(table.values))
    z = (table.values - middle) / unit
    table = replace(table, values=z, when=np.linspace(-1, 1, len(z)))
    least, d = min(max((table.noise or 0.0) / unit, SMALLEST_TAU), NOISIEST), int(groups.max()) + 1
    possible = usable(z, table.weights, least**2)
    taus = least, max(LARGEST_TAU, 2 * least) if table.sizes is None else OVERDISPERSION * least
    judge = partial(_judged, table, groups, threshold, allowance.mapped(1 / unit))
    every, models = Believed(possible, z, table.weights), list[Model]()
    model = partial(_model, table, groups, middle, unit)
    guesses = _guesses(start, unit, least, d)[: 1 if rounds == 0 else None]
    begun = [(guess, (every, NOTHING) if start is None else judge(guess)) for guess in guesses]
    if start is None and table.sources is not None:  # beside a source that is off, the others look like noise
        begun += [(guess, judge(guess)) for guess in guesses]
    for found, (believed, cost) in begun:
        for _ in range(rounds):
            found, loss = _climb(found, believed.pooled(table), groups, taus)
            before = believed, cost
            believed, cost = judge(found)
            if cost.sources < before[1].sources and faults(z, _parts(found, groups)[1]).any():
                models.append(model(found, loss, *before))  # plays of a source that is off are no faults
        found, loss = _climb(found, believed.pooled(table), groups, taus, steps=8)
        models.append(model(found, loss, believed, cost))
    return min(models, key=lambda model: model.score)


def _model(
    table: Table,
    groups: IntArray,
    middle: float,
    unit: float,
    found: FloatArray,
    loss: float,
    believed: Believed,
    cost: Cost,
) -> Model:
    """What was found, in the units of the values: these were `table.values` times `unit`, plus `middle`."""
    kernel, scale, tau = _parts(found, groups)
    centre = middle + unit * _centre(found, believed.pooled(table), groups)
    score = loss + _price(table.values) * cost.lies + cost.sources
    shape = np.exp(found[: len(found) - 4]), kernel.share, kernel.ratio
    return Model(*shape, centre, unit * scale, unit * tau, believed.kept, score)


def _price(z: FloatArray) -> float:
    """The cost of a lie: the density of a value that could have been anything in the observed range."""
    return -log(OUTLIERS) + log(max(float(np.ptp(np.quantile(z, (0.02, 0.98)))), 1e-9)) + 0.5 * log(2 * pi)


def model_score(parameters: FloatArray, data: Pooled, groups: IntArray) -> tuple[float, FloatArray]:
    """Minus the log posterior of all plays and its gradient, for the parameters that `_parts` reads.

    Repeats collapse exactly: their mean has the variance tau^2/n and is independent of the squares around it.
    """
    z, n = data.means, data.n
    d = len(parameters) - 4
    kernel, s, tau = _parts(parameters, groups)
    w, rho, s2, tau2 = kernel.share, kernel.ratio, s**2, tau**2
    Z = data.X / np.exp(parameters[:d])[groups]
    r = np.sqrt(5.0) * cdist(Z, Z)
    coarse, coarse_slope = _with_slope(r)
    fine, fine_slope = _with_slope(r / rho)
    K = (1 - w) * coarse + w * fine
    try:
        L = cholesky(s2 * K + np.diag(tau2 / n), lower=True, check_finite=False, overwrite_a=True)
    except LinAlgError:
        return 1e10, np.zeros_like(parameters)
    inverse = lapack.dpotri(L, lower=1)[0]
    inverse = np.tril(inverse) + np.tril(inverse, -1).T
    sums = inverse.sum(axis=1)
    a = inverse @ z - sums * ((sums @ z) / sums.sum())
    repeats = data.plays - len(n)
    loss = 0.5 * float(z @ a) + float(np.log(L.diagonal()).sum())
    loss += 0.5 * data.squares / tau2 + 0.5 * repeats * log(tau2) + 0.5 * float(np.log(n).sum())
    W = s2 * (inverse - np.outer(a, a))  # the gradient is half the sum of W dK for every parameter of K
    of_fine = w * W * fine_slope / rho**2
    both = (1 - w) * W * coarse_slope + of_fine
    rows, rows_fine = both.sum(axis=1), of_fine.sum(axis=1)
    gradient = np.zeros_like(parameters)
    np.add.at(gradient, groups, [rows @ np.square(column) - column @ both @ column for column in Z.T])
    gradient[d] = 0.5 * w * (1 - w) * float(np.sum(W * (fine - coarse)))
    gradient[d + 1] = sum(rows_fine @ np.square(column) - column @ of_fine @ column for column in Z.T)
    gradient[d + 2] = float(np.sum(W * K))
    gradient[d + 3] = (tau2 / s2) * float(np.sum(W.diagonal() / n)) - data.squares / tau2 + repeats
    means = np.append(np.full(d, log(0.5) + 0.25 * log(d)), [SHARE[0], RATIO[0]])
    spreads = np.append(np.ones(d), [SHARE[1], RATIO[1]])
    off = (parameters[: d + 2] - means) / spreads
    gradient[: d + 2] += off / spreads
    return loss + 0.5 * float(off @ off), gradient


def _with_slope(s: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The Matern-5/2 kernel m of s = sqrt(5) r, and h, where dm/d ln l_i = h (x_i - z_i)^2/l_i^2."""
    decay = np.exp(-s)
    return matern_5_2(s, decay), (5 / 3) * (1 + s) * decay


def _parts(parameters: FloatArray, groups: IntArray) -> tuple[TwoScale, float, float]:
    """Kernel, output scale and roughness, from ln l, ln(w/(1 - w)), ln rho, ln s and ln tau."""
    d = len(parameters) - 4
    share = 1 / (1 + np.exp(-parameters[d]))
    ratio, scale, tau = np.exp(parameters[d + 1 :])
    lengths = tuple(np.exp(parameters[:d])[groups].tolist())
    return TwoScale(lengths, float(share), float(ratio)), float(scale), float(tau)


def _climb(
    guess: FloatArray, data: Pooled, groups: IntArray, taus: tuple[float, float], *, steps: int = 30
) -> tuple[FloatArray, float]:
    box = [tuple(np.log(LENGTHS))] * (len(guess) - 4) + [(-7.0, 2.0), (log(0.02), log(0.5))]
    box += [tuple(np.log(SCALES)), tuple(np.log(taus))]
    inside, options = np.clip(guess, *np.transpose(box)), {"maxiter": steps}
    best = minimize(model_score, inside, (data, groups), jac=True, bounds=box, method="L-BFGS-B", options=options)
    return best.x, float(best.fun)


def _judged(
    table: Table, groups: IntArray, threshold: float, allowance: Allowance, parameters: FloatArray
) -> tuple[Believed, Cost]:
    """Which plays a model explains, and what setting the others aside costs."""
    kernel, scale, tau = _parts(parameters, groups)
    usual = ~faults(table.values, scale)
    clipped = Pooled.of(table.points, table.arms[usual], np.clip(table.values[usual], -10, 10), table.weights[usual])
    z = (table.values - _centre(parameters, clipped, groups)) / scale
    K, allowed = kernel(table.points, table.points), allowance.mapped(1 / scale)
    lam = (tau / scale) ** 2
    found = set_aside(table.with_values(z), K, lam, threshold=threshold, allowance=allowed)
    plays = found.believed
    values = table.values - scale * (z - plays.values)  # exactly as they are, if their source is not off
    return Believed(found.mask, values, plays.weights), Cost(found.lies, found.cost)


def _centre(parameters: FloatArray, data: Pooled, groups: IntArray) -> float:
    """c: the most likely mean."""
    kernel, scale, tau = _parts(parameters, groups)
    A = scale**2 * kernel(data.X, data.X) + np.diag(tau**2 / data.n)
    w = np.linalg.solve(A, np.ones(len(A)))
    return float(w @ data.means / w.sum())


def _guesses(start: Model | None, unit: float, least: float, d: int) -> list[FloatArray]:
    """Where to climb from: three length-scales; with an earlier model, that and a smoother one."""
    if start is None:
        others = [SHARE[0], RATIO[0], 0.0, log(0.1)]
        return [np.append(np.full(d, log(length)), others) for length in (0.15, 0.5, 1.5)]
    amounts = np.clip([start.scale / unit, start.tau / unit], 1 / NOISIEST, NOISIEST)
    here = np.log([*start.lengths, start.share / (1 - start.share), start.ratio, *amounts])
    smoother = here.copy()
    smoother[:d] = np.maximum(here[:d] + 0.7, log(0.5))
    scale = max(here[d + 2], log(REVIVED))  # early values may have shown no signal, and a climb does not leave that
    smoother[d:] = [SHARE[0], RATIO[0], scale, log(max(least, 0.03 * np.exp(scale)))]
    return [here, smoother]


def fit_scales(table: Table, given: Given, kernel: Kernel) -> tuple[float, float]:
    """The most probable output scale and noise for a kernel; what is given or known is taken as it is.

    Args:
        table: The measurements.
        given: What the user states.
        kernel: The kernel.
    """
    values, noise, known = table.values, table.noise, given.level_known
    if given.output_scale is not None and noise is not None:
        return given.output_scale, noise
    centre = given.level_centre if known else float(np.median(values))
    data = Pooled.of(table.points, table.arms, values - centre, table.weights)
    models = Evidence.of([kernel], np.zeros(1), table.points, data.n, level_known=known, plays=data.plays)
    found = models.explained(data.means, data.squares, unit=spread(values), noise=noise, scale=given.output_scale)
    return found.best()[1:]


def spread(y: FloatArray) -> float:
    """The spread of y that one lie cannot change much: interquartile range / 1.349, else standard deviation, else 1."""
    low, high = np.quantile(y, (0.25, 0.75))
    return float(high - low) / 1.349 or float(np.std(y)) or 1.0
