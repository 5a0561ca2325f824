"""The measurements of an audit, checked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from unswayed.core.data.measurement import relative_weights
from unswayed.core.gp.evidence import LEAST_UNIT
from unswayed.core.tampering.threat import LARGEST_VALUE
from unswayed.errors import InvalidInput
from unswayed.judgement.extent import FARTHEST, Extent
from unswayed.judgement.table import Table
from unswayed.text import counted, number
from unswayed.types import FloatArray, IntArray, floats


def collect(
    x: ArrayLike,
    y: ArrayLike,
    *,
    minimize: bool,
    weights: FloatArray | None = None,
    sources: Sequence[object] | None = None,
) -> Table:
    """Check the measurements and number the options and the sources."""
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
    _computable(sign * values)
    w = np.ones(len(values)) if weights is None else weights
    if len(w) != len(values):
        raise InvalidInput(f"{len(w)} standard errors for {len(values)} values")
    names, source = ((), None) if sources is None else _numbered_sources(sources, len(values))
    return Table.of(rows, values, w, sources=source, names=names)


def _computable(values: FloatArray) -> None:
    """Refuse values beside which the others have no digits left."""
    extent = Extent.of(values)
    if extent.unit < LEAST_UNIT:
        raise InvalidInput(f"the values differ by less than {LEAST_UNIT:g}: use smaller units")
    far = np.flatnonzero(extent.computed_with(values) != values)
    if len(far):
        which, times = f"measurement {far[0] + 1:,} is {number(float(values[far[0]]))}", f"{FARTHEST:g} times"
        raise InvalidInput(f"{which}, more than {times} the spread of the values from the others: leave it out")


def _numbered_sources(sources: Sequence[object], measurements: int) -> tuple[tuple[str, ...], IntArray]:
    """The names of the sources in order of first appearance, and the number of the source of each measurement."""
    if len(sources) != measurements:
        raise InvalidInput(f"{len(sources)} sources for {measurements} values")
    numbers: dict[str, int] = {}
    for row, source in enumerate(sources):
        if source is None or source != source or not str(source).strip():
            raise InvalidInput(f"measurement {row + 1:,} has no source: name one for each, or give none at all")
        numbers.setdefault(str(source), len(numbers))
    return tuple(numbers), np.array([numbers[str(source)] for source in sources], dtype=np.int64)


def stated_noise(noise_stds: ArrayLike | None, noise: float | None) -> tuple[FloatArray | None, float | None]:
    """The weight of each measurement, and the noise of weight 1.

    Args:
        noise_stds: The standard error of each measurement; None or NaN for one that does not state it.
        noise: The noise of the measurements that do not state it, if it is given.
    """
    if noise_stds is None:
        return None, noise
    try:
        own = np.array(noise_stds, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInput(f"the standard errors must be numbers: {error}") from None
    known = ~np.isnan(own)
    if own.ndim != 1 or not ((own[known] > 1 / LARGEST_VALUE) & (own[known] < LARGEST_VALUE)).all():
        raise InvalidInput("the standard errors must be positive numbers that can be computed with, one a measurement")
    if not known.all() and noise is None:
        missing = counted(int((~known).sum()), "measurement")
        raise InvalidInput(f"{missing} without a standard error: give noise_std, the noise of these")
    return relative_weights(own, noise)
