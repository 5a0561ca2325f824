"""A model of measurements some of which may lie: length-scales, output scale and roughness, most probable jointly.

    l     length-scale of each parameter (its columns share it)      s     output scale: f / s has variance 1
    tau   what the smooth part leaves: noise and fine structure      A     s^2 K + tau^2 I

    c     the mean far from all plays, most likely: 1^T A^-1 y / 1^T A^-1 1

minus log posterior  =  1/2 (y - c)^T A^-1 (y - c) + 1/2 ln det A  +  sum (ln l - m)^2/2    (up to a constant)

A lie can be explained by a short length-scale or set aside. Each explanation is tried: plays that the model does not
explain are trimmed (core/trimming.py), each at the price of a value that could have been anything, and the most
probable explanation wins. Without that price, one lie would make the whole function look rough.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, pi

import numpy as np
from scipy.linalg import LinAlgError, cholesky, lapack
from scipy.optimize import minimize
from scipy.spatial.distance import cdist

from holdfast.core.kernels import Matern
from holdfast.core.posterior import JointPosterior
from holdfast.core.trimming import trim
from holdfast.types import BoolArray, FloatArray, IntArray

LENGTHS, SCALES, LARGEST_TAU = (0.02, 20.0), (0.02, 100.0), 1.0  # the last two in units of the values' spread
SMALLEST_TAU = 3e-3
OUTLIERS = 0.02  # prior share of plays that lie


@dataclass(frozen=True, eq=False)
class Model:
    """What was fitted: `lengths` of the parameters, output `scale`, roughness `tau`, and the plays set aside."""

    lengths: FloatArray
    centre: float
    scale: float
    tau: float
    kept: BoolArray
    score: float  # minus the log posterior, plays set aside included

    def kernel(self, groups: IntArray) -> Matern:
        """The Matern-5/2 kernel whose columns have the length-scales of their parameters."""
        return Matern(2.5, tuple(float(length) for length in self.lengths[groups]))

    @property
    def lam(self) -> float:
        """Regularisation in units of the output scale."""
        return (self.tau / self.scale) ** 2


def fit_model(
    X: FloatArray,
    y: FloatArray,
    groups: IntArray,
    *,
    threshold: float,
    budget: float,
    unit: float,
    least_tau: float = 0.0,
    start: Model | None = None,
) -> Model:
    """The most probable model of values y at rows X, with `groups` the parameter of each column.

    `unit` is the spread of values over the space; `least_tau` is the noise, if it is known. Starts from
    `start` if there is one, and in any case from smoother functions with more plays set aside.
    """
    middle = float(np.median(y))
    z, least = (y - middle) / unit, max(least_tau / unit, SMALLEST_TAU)
    d = int(groups.max()) + 1
    # What a lie costs: the density of a value that could have been anything in the range seen.
    price = -log(OUTLIERS) + log(max(float(np.ptp(np.quantile(z, (0.02, 0.98)))), 1e-9)) + 0.5 * log(2 * pi)
    if start is None:
        guesses = [_guess(length, 1.0, 0.1, d) for length in (0.15, 0.5, 1.5)]
    else:
        here = np.log(np.concatenate([start.lengths, [start.scale / unit, start.tau / unit]]))
        smoother = here.copy()
        smoother[:d] = np.maximum(here[:d] + 0.7, log(0.5))
        smoother[d + 1] = log(max(least, 0.03 * np.exp(here[d])))
        guesses = [here, smoother]
    models, everyone = [], np.ones(len(z), dtype=np.bool_)
    for guess in guesses:
        found = guess
        kept = everyone if start is None else _trimmed(guess, X, z, groups, threshold, budget / unit)
        for _ in range(2):
            found, _ = _climb(found, X[kept], z[kept], groups, least)
            kept = _trimmed(found, X, z, groups, threshold, budget / unit)
        found, loss = _climb(found, X[kept], z[kept], groups, least, steps=8)
        score = loss + price * float(np.sum(~kept))
        values = np.exp(found)
        scale, tau = unit * float(values[d]), unit * float(values[d + 1])
        centre = middle + unit * _centre(found, X[kept], z[kept], groups)
        models.append(Model(values[:d], centre, scale, tau, kept, score))
    return min(models, key=lambda model: model.score)


def fit_scale(K: FloatArray, y: FloatArray, tau: float) -> float:
    """The most likely output scale for a given kernel matrix and roughness."""
    unit = spread(y)
    values, vectors = np.linalg.eigh(K)
    squares = np.square(vectors.T @ (y / unit))
    grid = np.geomspace(*SCALES, 200)
    spectra = np.square(grid)[:, None] * np.maximum(values, 0.0) + max(tau / unit, SMALLEST_TAU) ** 2
    losses = (squares / spectra + np.log(spectra)).sum(axis=1)
    return unit * float(grid[int(np.argmin(losses))])


def model_score(parameters: FloatArray, X: FloatArray, z: FloatArray, groups: IntArray) -> tuple[float, FloatArray]:
    """Minus the log posterior and its gradient, at the logarithms of lengths, scale and roughness."""
    d = len(parameters) - 2
    s2, tau2 = np.exp(2 * parameters[d]), np.exp(2 * parameters[d + 1])
    Z = X / np.exp(parameters[:d])[groups]
    r = np.sqrt(5.0) * cdist(Z, Z)
    decay = np.exp(-r)
    K = (1 + r + np.square(r) / 3) * decay
    try:
        L = cholesky(s2 * K + tau2 * np.eye(len(z)), lower=True, check_finite=False, overwrite_a=True)
    except LinAlgError:
        return 1e10, np.zeros_like(parameters)
    inverse = lapack.dpotri(L, lower=1)[0]
    inverse = np.tril(inverse) + np.tril(inverse, -1).T
    sums = inverse.sum(axis=1)
    a = inverse @ z - sums * ((sums @ z) / sums.sum())
    loss = 0.5 * float(z @ a) + float(np.log(L.diagonal()).sum())
    W = inverse - np.outer(a, a)
    weighted = s2 * W * (5 / 3) * (1 + r) * decay  # dK/d ln l_i = 5/3 (1 + r) e^-r (x_i - z_i)^2 / l_i^2
    rowsums = weighted.sum(axis=1)
    slopes = np.array([rowsums @ np.square(column) - column @ weighted @ column for column in Z.T])  # sum W D / 2
    gradient = np.zeros_like(parameters)
    np.add.at(gradient, groups, slopes)
    gradient[d] = s2 * float(np.sum(W * K))
    gradient[d + 1] = tau2 * float(np.trace(W))
    off = parameters[:d] - (log(0.5) + 0.25 * log(d))
    loss += 0.5 * float(off @ off)
    gradient[:d] += off
    return loss, gradient


def _climb(
    guess: FloatArray, X: FloatArray, z: FloatArray, groups: IntArray, least: float, *, steps: int = 30
) -> tuple[FloatArray, float]:
    d = len(guess) - 2
    tops = max(LARGEST_TAU, 2 * least)
    box = [tuple(np.log(LENGTHS))] * d + [tuple(np.log(SCALES)), (log(least), log(tops))]
    inside = np.clip(guess, [b[0] for b in box], [b[1] for b in box])
    best = minimize(
        model_score, inside, (X, z, groups), jac=True, bounds=box, method="L-BFGS-B", options={"maxiter": steps}
    )
    return best.x, float(best.fun)


def _trimmed(
    parameters: FloatArray, X: FloatArray, z: FloatArray, groups: IntArray, threshold: float, budget: float
) -> BoolArray:
    d = len(parameters) - 2
    values = np.exp(parameters)
    scale = float(values[d])
    kernel = Matern(2.5, tuple(float(length) for length in values[:d][groups]))
    ones = np.ones(len(z))
    z = (z - _centre(parameters, X, z, groups)) / scale
    everything = JointPosterior.fit(kernel(X, X), ones, z, float(values[d + 1] / scale) ** 2)
    return trim(everything, np.arange(len(z)), z, ones, threshold=threshold, budget=budget / scale)


def _centre(parameters: FloatArray, X: FloatArray, z: FloatArray, groups: IntArray) -> float:
    """c, with gross values cut to within ten units: before the first trimming, one lie would carry it away."""
    d = len(parameters) - 2
    Z = X / np.exp(parameters[:d])[groups]
    K = np.exp(2 * parameters[d]) * Matern(2.5)(Z, Z) + np.exp(2 * parameters[d + 1]) * np.eye(len(z))
    w = np.linalg.solve(K, np.ones(len(z)))
    return float(w @ np.clip(z, -10, 10) / w.sum())


def _guess(length: float, scale: float, tau: float, d: int) -> FloatArray:
    logs: FloatArray = np.log(np.concatenate([np.full(d, length), [scale, tau]]))
    return logs


def spread(y: FloatArray) -> float:
    """Interquartile range as of a normal, else standard deviation, else 1: one lie does not set it."""
    low, high = np.quantile(y, (0.25, 0.75))
    return float(high - low) / 1.349 or float(np.std(y)) or 1.0
