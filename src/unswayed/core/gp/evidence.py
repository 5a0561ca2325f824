"""How well each of several models explains the same measurements.

    m      distinct points          n_i    weight of its measurements           T    measurements
    e      eigenvalues of D K D, with D = diag(sqrt n)      q    squared coordinates of D (ybar - centre)
    r      noise over output scale  s      output scale                         W    squares around the means ybar

Repeats collapse exactly, so with A = s^2 (D K D + r^2 I)

    -2 ln p(y | kernel, r, s)  =  Q/s^2 + sum ln(e + r^2) + (T - m) ln r^2 + T ln s^2,   Q = sum q/(e + r^2) + W/r^2.

A level that is not known is projected out: everything then happens in the space orthogonal to D 1, with T - 1 in
place of T. One decomposition for each kernel serves all r, all s and all values at the same points. Where neither
noise nor scale is given, s^2 is integrated over an inverse gamma prior that weighs as much as one measurement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import lgamma, log
from typing import Self

import numpy as np

from unswayed.core.gp.kernels import Kernel
from unswayed.types import FloatArray

RATIOS = np.geomspace(1e-3, 10.0, 33)  # noise over output scale
SCALES = np.geomspace(0.03, 30.0, 33)  # output scales, in units of the values' spread, where the noise is given
LEAST_NOISE = 1e-4  # in units of the values' spread
LEAST_UNIT = 1e-140  # spread of values: its square must not vanish
LARGEST_MEAN = 1e60  # in units of the values' spread: its square must stay finite


@dataclass(frozen=True, eq=False)
class Explained:
    """Models on a grid of kernels (rows) and ratios r (columns), weighed by measurements.

    Attributes:
        ratios: r of each column.
        log_weights: The log probability of each model.
        shape: With `rate`: s^2 of a model is inverse gamma distributed; infinite if s is known.
        rate: The larger, the larger s^2; with an infinite `shape`, s^2 itself.
        signal: Log odds of all these models against noise alone, both equally likely before.
    """

    ratios: FloatArray
    log_weights: FloatArray
    shape: float
    rate: FloatArray
    signal: float

    @cached_property
    def weights(self) -> FloatArray:
        """The probability of each model."""
        return np.asarray(np.exp(self.log_weights))

    def best(self) -> tuple[int, float, float]:
        """The most probable model: number of the kernel, output scale and noise."""
        i, j = np.unravel_index(int(np.argmax(self.weights)), self.weights.shape)
        scale = float(np.sqrt(self.variance(int(i), int(j))))
        return int(i), scale, scale * float(self.ratios[j])

    def variance(self, i: int, j: int) -> float:
        """A typical s^2 of a model."""
        return float(self.rate[i, j]) / (1.0 if np.isinf(self.shape) else self.shape)


@dataclass(frozen=True, eq=False)
class Evidence:
    """What is the same for all values that were measured at the same points equally often.

    Attributes:
        counts: n.
        plays: T.
        odds: Log probability of each kernel before anything is measured.
        eigenvalues: e of each kernel, a row each.
        vectors: The eigenvectors of each kernel, as columns.
        reflection: The Householder vector that turns D 1 into the first axis; None if the level is known.
    """

    counts: FloatArray
    plays: float
    odds: FloatArray
    eigenvalues: FloatArray
    vectors: FloatArray
    reflection: FloatArray | None

    @classmethod
    def of(
        cls,
        kernels: Sequence[Kernel],
        odds: FloatArray,
        points: FloatArray,
        counts: FloatArray,
        *,
        level_known: bool,
        plays: float | None = None,
    ) -> Self:
        """Decompose the matrix of each kernel. Counts may be weights, of `plays` measurements."""
        root = np.sqrt(counts)
        reflection = None if level_known else _householder(root)
        values, vectors = [], []
        for kernel in kernels:
            weighted = root[:, None] * kernel(points, points) * root
            if reflection is not None:
                half = _reflected(weighted, reflection)
                weighted = _reflected(half.T, reflection)[1:, 1:]
            e, v = np.linalg.eigh(weighted)
            values.append(np.maximum(e, 0.0))
            vectors.append(v)
        T = float(counts.sum()) if plays is None else plays
        return cls(counts, T, odds - _log_sum(odds), np.array(values), np.array(vectors), reflection)

    def explained(
        self, means: FloatArray, squares: float, *, unit: float, noise: float | None = None, scale: float | None = None
    ) -> Explained:
        """Weigh the models by measurements.

        Args:
            means: The mean at each point, from the level if that is known.
            squares: The sum of squares around these means.
            unit: The spread of the values.
            noise: The noise, if it is given.
            scale: The output scale, if it is given.
        """
        unit = max(unit, LEAST_UNIT)  # its square must not vanish
        means, squares = np.clip(means / unit, -LARGEST_MEAN, LARGEST_MEAN), min(squares / unit / unit, LARGEST_MEAN**2)
        noise = None if noise is None else min(max(noise / unit, LEAST_NOISE), LARGEST_MEAN)
        scale = None if scale is None else min(max(scale / unit, 1 / LARGEST_MEAN), LARGEST_MEAN)
        z = np.sqrt(self.counts) * means
        if self.reflection is not None:
            z = _reflected(z, self.reflection)[1:]
        q = np.square(np.einsum("fij,i->fj", self.vectors, z))
        T = self.plays - (self.reflection is not None)
        ratios = _ratios(noise, scale)
        r2 = np.square(ratios)
        repeats = T - len(z)
        spectrum = self.eigenvalues[:, None, :] + r2[:, None]
        Q = (q[:, None, :] / spectrum).sum(axis=2) + squares / r2
        volume = np.log(spectrum).sum(axis=2) + repeats * np.log(r2)
        total = float(z @ z) + squares
        if noise is None and scale is None:
            shape, rate = (T + 1) / 2, (Q + 1) / 2
            log_p = -0.5 * volume - shape * np.log(rate)
            null = -shape * log((total + 1) / 2)
        else:
            s2 = np.square(np.asarray(scale if noise is None else noise / ratios))
            shape, rate = np.inf, np.broadcast_to(s2, Q.shape)
            log_p = -0.5 * (Q / s2 + volume + T * np.log(s2))
            null = _noise_alone(total, T, noise)
        log_p = log_p + self.odds[:, None] - log(len(ratios))
        total_p = _log_sum(log_p)
        return Explained(ratios, log_p - total_p, shape, unit**2 * rate, total_p - null)


def _ratios(noise: float | None, scale: float | None) -> FloatArray:
    if noise is None:
        return RATIOS
    return noise / SCALES if scale is None else np.array([noise / scale])


def _noise_alone(total: float, T: float, noise: float | None) -> float:
    """The log likelihood without any signal; an unknown noise is integrated over the prior that s^2 has elsewhere."""
    if noise is None:
        a, b = (T + 1) / 2, (total + 1) / 2
        return lgamma(a) - a * log(b) + 0.5 * log(0.5) - lgamma(0.5)
    return -0.5 * (total / noise**2 + 2 * T * log(noise))


def _log_sum(log_p: FloatArray) -> float:
    """ln sum exp, without the checks that make the general function slow for small arrays."""
    largest = float(log_p.max())
    return largest + log(float(np.exp(log_p - largest).sum()))


def _householder(direction: FloatArray) -> FloatArray:
    """v such that I - 2 v v^T turns the direction into the first axis."""
    v: FloatArray = direction / np.linalg.norm(direction)
    v[0] += 1.0 if v[0] >= 0 else -1.0
    v /= np.linalg.norm(v)
    return v


def _reflected(columns: FloatArray, v: FloatArray) -> FloatArray:
    """(I - 2 v v^T) columns."""
    reflected: FloatArray = columns - 2 * np.multiply.outer(v, v @ columns)
    return reflected
