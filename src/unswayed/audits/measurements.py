"""The measurements of an audit, by option."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from unswayed.core.assumptions import LARGEST_VALUE, Given
from unswayed.core.rows import numbered_rows
from unswayed.errors import InvalidInput
from unswayed.types import FloatArray, IntArray, floats


@dataclass(frozen=True, eq=False)
class Measurements:
    """Larger is better; `values` and `means` are in units of `scale`, from `level`.

    Attributes:
        points: The distinct rows of parameters, in order of first appearance: the options.
        option: The number of the option of each measurement.
        values: The value of each measurement.
        counts: How often each option was measured.
        means: The mean value of each option.
        level: What was subtracted from the values.
        scale: What they were divided by.
        sign: -1 if the values were negated because smaller ones are better.
        estimated: What of the model is estimated, in words.
    """

    points: FloatArray
    option: IntArray
    values: FloatArray
    counts: FloatArray
    means: FloatArray
    level: float
    scale: float
    sign: float
    estimated: tuple[str, ...]

    def in_units(self, z: FloatArray) -> FloatArray:
        """Standardised values as the user gave them."""
        return self.sign * (self.level + self.scale * z)


def collect(x: ArrayLike, y: ArrayLike, given: Given, *, minimize: bool) -> Measurements:
    """Check the measurements, number the options, and standardise the values.

    With kernel and noise given nothing is subtracted, and the scale is the output scale if that is given, else 1.
    Otherwise level and scale are robust: one lie does not set them.
    """
    sign = -1.0 if minimize else 1.0
    rows, values = floats(x, "the parameters", ndim=2), sign * floats(y, "the values", ndim=1)
    if len(rows) != len(values):
        raise InvalidInput(f"{len(rows)} rows of parameters for {len(values)} values")
    if len(rows) == 0 or np.ptp(rows, axis=0).max(initial=0.0) == 0:
        raise InvalidInput("an audit needs measurements of at least two different options")
    if np.ptp(values) == 0:
        raise InvalidInput("all values are equal: there is no winner to audit")
    for name, numbers in (("parameters", rows), ("values", values)):
        if np.abs(numbers).max() > LARGEST_VALUE:
            raise InvalidInput(f"the {name} exceed {LARGEST_VALUE:g}: use larger units")
    points, option = numbered_rows(rows)
    counts = np.bincount(option).astype(np.float64)
    means = np.bincount(option, weights=values) / counts
    complete = given.kernel is not None and given.noise_std is not None
    # With kernel and noise given, an output scale that is not given is 1: the kernel is taken as it is.
    names = [name for name in given.estimated if not (complete and name == "output scale")]
    estimated = tuple(names) if complete else (*names, "level")
    level, scale = (0.0, 1.0) if complete else level_and_scale(means)
    scale = scale if given.output_scale is None else given.output_scale
    largest = float(np.abs(values - level).max() / scale)
    if largest > LARGEST_VALUE:
        raise InvalidInput(f"a value is {largest:.3g} times the output scale: leave it out, or give a larger scale")
    z, means = (values - level) / scale, (means - level) / scale
    return Measurements(points, option, z, counts, means, level, scale, sign, estimated)


def level_and_scale(means: FloatArray) -> tuple[float, float]:
    """Median and spread: the interquartile range as of a normal, else the standard deviation, else the range."""
    low, centre, high = np.quantile(means, (0.25, 0.5, 0.75))
    unit = float(np.ptp(means)) or 1.0
    spread = float(high - low) / (2 * float(ndtri(0.75))) or unit * float(np.std(means / unit)) or unit
    return float(centre), spread
