"""The model of the values, built from what is given and what is estimated: one place for studies and audits.

    f = centre + s g,  g ~ GP(0, k + c^2),  a measurement is f plus noise

    s    output scale        c    how far the level may lie from the centre, in output scales
    B    bound on the norm of f - level under k

An unknown level is part of the kernel, so nothing is subtracted that would have to be remembered afterwards: with
|f - level|_k <= B and |level - centre| <= M, the norm of f - centre under k + c^2 is at most sqrt(B^2 + (M/c)^2).
A level that is given as a number is the centre, and c = 0. Else the centre is the median of the values. If the level
lies between two given numbers, M apart, the centre is moved between them too, and c = 3 M/B, so that the norm grows by
5% only. (The centre may depend on the values: the effect of the noise on an estimate does not depend on it, and the
bound on the norm holds for every centre between the two numbers.) Without a given level c is wide: wider than
the scale and the noise, or a lie among few values would not move the level, and would cost nothing. For a kernel that
holds no constants, such as the linear one, the level is not near the values, so c is as wide as they are spread.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot
from typing import Any, TypeVar

import numpy as np

from unswayed.core.gp.kernels import Kernel, Matern, SquaredExponential, TwoScale, WithLevel
from unswayed.core.gp.posterior import JointPosterior
from unswayed.core.tampering.certificate import Certificate, certificate
from unswayed.core.tampering.threat import Records
from unswayed.judgement.assumptions import Assumptions, Given
from unswayed.types import FloatArray

WIDE = 3.0  # c of an estimated level, in output scales, noises, or in units of the spread of the values
PER_BOUND = 3.0  # c of a level between two given numbers, in units of M/B
CENTRED = (SquaredExponential, Matern, TwoScale)  # kernels of values that lie around their level

Values = TypeVar("Values", float, FloatArray)


@dataclass(frozen=True, eq=False)
class Prior:
    """What is taken for true of the values before any is used, in their units; larger is better.

    Attributes:
        shape: The kernel k of values around their level.
        level_spread: c; 0 if the level is given as a number.
        centre: What is subtracted from the values.
        output_scale: s.
        noise_std: Standard deviation of one measurement.
        tau: What the model takes for noise: the noise, and what is too rough for the kernel.
        norm_bound: B, if it was given.
    """

    shape: Kernel
    level_spread: float
    centre: float
    output_scale: float
    noise_std: float
    tau: float
    norm_bound: float | None

    @property
    def kernel(self) -> Kernel:
        """The kernel of g: k + c^2."""
        return WithLevel(self.shape, self.level_spread) if self.level_spread > 0 else self.shape

    @property
    def lam(self) -> float:
        """Regularisation, in units of the output scale."""
        return (self.tau / self.output_scale) ** 2

    @property
    def noise(self) -> float:
        """The noise in units of the output scale."""
        return self.noise_std / self.output_scale

    def standardized(self, values: Values) -> Values:
        """Values in units of the output scale, from the centre."""
        return (values - self.centre) / self.output_scale

    def unstandardized(self, z: Values) -> Values:
        """The inverse of `standardized`."""
        return self.centre + self.output_scale * z

    def norm(self, width: float = 0.0) -> float | None:
        """The bound on the norm of g, if B was given and the level lies within `width` of the centre."""
        if self.norm_bound is None:
            return None
        level = width / self.level_spread if self.level_spread > 0 else 0.0
        return hypot(self.norm_bound, level) / self.output_scale

    def level(self, posterior: JointPosterior) -> float:
        """The value far from all measurements: the centre, and what the posterior of the values adds to it."""
        return self.unstandardized(self.level_spread**2 * float(posterior.weights.sum()))


def prior(
    given: Given,
    values: FloatArray,
    *,
    kernel: Kernel,
    output_scale: float,
    noise_std: float,
    tau: float | None = None,
    centre: float | None = None,
) -> Prior:
    """The model from what is given and, where nothing is given, from the estimates.

    Args:
        given: What the user states, for values of which larger ones are better.
        values: The measurements.
        kernel: The estimated kernel.
        output_scale: The estimated output scale.
        noise_std: The estimated noise.
        tau: Noise and roughness; by default the noise.
        centre: The estimated level; by default the median.
    """
    shape = kernel if given.kernel is None else given.kernel
    scale = output_scale if given.output_scale is None else given.output_scale
    noise = noise_std if given.noise_std is None else given.noise_std
    rough = noise if tau is None else tau
    middle, spread = _level(given, values, shape, scale, rough, centre)
    return Prior(shape, spread, middle, scale, noise, rough, given.norm_bound)


def _level(
    given: Given, values: FloatArray, shape: Kernel, scale: float, noise: float, centre: float | None
) -> tuple[float, float]:
    """The centre, and c."""
    if given.level_known:
        return given.level_centre, 0.0
    middle = float(np.median(values)) if centre is None else centre
    if isinstance(given.level, tuple) and given.norm_bound is not None:
        low, high = given.level
        return min(max(middle, low), high), PER_BOUND * (high - low) / given.norm_bound
    around = noise if isinstance(shape, CENTRED) else float(np.abs(values - middle).max())
    return middle, WIDE * max(around / scale, 1.0)


def certified(
    given: Given, model: Prior, posterior: JointPosterior, winner: int, records: Records | None = None
) -> Certificate:
    """The certificate of a recommendation, in units of the values, if everything is given.

    Args:
        given: What the user states.
        model: The model of it.
        posterior: Of all standardised measurements.
        winner: The recommended arm.
        records: The standardised measurements.
    """
    found = certificate(
        posterior,
        budget=given.threat_or_nothing.mapped(1 / model.output_scale, model.standardized),
        norm_bound=model.norm(given.level_width) or 0.0,
        noise_std=model.noise,
        delta=given.delta,
        winner=winner,
        records=records,
    )
    return found.in_units(model.output_scale, given.threat_or_nothing)


def assumptions(given: Given, model: Prior, level: float, *, minimize: bool) -> Assumptions:
    """The model in words and numbers, for a result; `given` is for values of which larger ones are better."""
    stated: Any = given.flipped().level if minimize else given.level
    return Assumptions(
        kernel=model.shape,
        noise_std=model.noise_std,
        output_scale=model.output_scale,
        level=(-level if minimize else level) if stated is None else stated,
        norm_bound=model.norm_bound,
        estimated=given.estimated,
    )
