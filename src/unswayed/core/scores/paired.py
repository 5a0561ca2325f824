"""Is the mean of paired differences other than 0, if every score is honest?

    d_i    difference on item i        m    how many are not 0        t    mean d / its standard error

Where no option is better, each d_i might as well have the other sign. The probability of a mean so far from 0, on
either side:

    all |d_i| that are not 0 are equal    from the binomial distribution: McNemar's exact test
    m is small                            the larger of all 2^m choices of signs and of Student's t
    else                                  from Student's t, and at least 2^(1 - m)

Student's t is too sure of few skewed differences, which hide the rare large ones: so the second and the third are at
least what it gives after Hall's transformation (On the removal of skewness by transformation, 1992).

Both sides count. That allows for having chosen the best of all options (Hung and Fithian, Rank verification, 2019): the
first of several equal ones is seldom far ahead of *all* others; most often where there are two.

The interval contains 0 exactly where this probability exceeds delta. For McNemar's test it is the union of that of
Clopper and Pearson among the m and that of Bonett and Price, which is none of a single point.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr, betaincinv, stdtr, stdtrit

from unswayed.core.scores.changes import ROUNDING
from unswayed.types import FloatArray

MOST_SIGNS = 16  # differences whose signs are all tried: 65,536 choices
OFTEN = 0.8  # of the cases in which enough items tell a difference from chance
SAME = 1e-9  # of the largest difference: smaller ones are rounding errors


@dataclass(frozen=True)
class Difference:
    """The mean of paired differences.

    Attributes:
        mean: The mean.
        low: The lower end of its interval.
        high: The upper end.
        probability: Of a mean so far from 0, by chance.
        test: "McNemar", "signs" or "t"; "groups" or "sources" if these are what makes it uncertain.
        needed: How many items would tell a difference of this size from chance, in 4 of 5 cases; None if it is 0.
    """

    mean: float
    low: float
    high: float
    probability: float
    test: str
    needed: int | None


def difference(d: FloatArray, width: float, delta: float = 0.05) -> Difference:
    """The mean of paired differences, its interval, and its probability by chance.

    Args:
        d: The differences.
        width: How far two scores can be apart.
        delta: The probability that the interval fails.

    Example:
        >>> found = difference(np.array([1.0] * 8 + [0.0] * 20 + [-1.0]), width=1.0)
        >>> found.test, round(found.probability, 4)
        ('McNemar', 0.0391)
    """
    size, mean = len(d), float(d.mean())
    if abs(mean) <= ROUNDING * float(np.abs(d + width).mean()):
        mean = 0.0
    apart = np.abs(d)
    largest = float(apart.max(initial=0.0))
    moved = d[apart > SAME * largest]
    if not len(moved):  # by chance nothing differed: the rest might, in one item of so many
        half = width * float(-np.expm1(np.log(delta / 2) / size))
        return Difference(0.0, -half, half, 1.0, "signs", None)
    z = _normal(delta / 2) + _normal(1 - OFTEN)
    needed = int(np.ceil(z**2 * d.var(ddof=min(size - 1, 1)) / mean**2)) if abs(mean) > SAME * largest else None
    if np.ptp(np.abs(moved)) <= SAME * largest:
        return _mcnemar(
            int((moved > 0).sum()), int((moved < 0).sum()), size, float(np.abs(moved).mean()), delta, needed
        )
    return _student(d, moved, mean, delta, needed)


def _mcnemar(up: int, down: int, size: int, unit: float, delta: float, needed: int | None) -> Difference:
    """Differences that are 0, or this unit up or down."""
    m = up + down
    p = min(1.0, 2 * float(bdtr(min(up, down), m, 0.5)))
    least = float(betaincinv(up, down + 1, delta / 2)) if up else 0.0
    most = float(betaincinv(up + 1, down, 1 - delta / 2)) if down else 1.0
    ends = [(2 * least - 1) * m / size, (2 * most - 1) * m / size]
    p_up, p_down = (up + 1) / (size + 2), (down + 1) / (size + 2)
    half = -_normal(delta / 2) * np.sqrt((p_up + p_down - (p_up - p_down) ** 2) / (size + 2))
    low, high = min(ends[0], p_up - p_down - half), max(ends[1], p_up - p_down + half)
    if p <= delta and low <= 0 <= high:  # the two disagree: the more careful one counts
        p = min(1.0, np.nextafter(delta, 1))
    low, high = max(low, -1.0), min(high, 1.0)
    return Difference((up - down) / size * unit, float(low * unit), float(high * unit), float(p), "McNemar", needed)


def _student(d: FloatArray, moved: FloatArray, mean: float, delta: float, needed: int | None) -> Difference:
    size, m = len(d), len(moved)
    error = float(d.std(ddof=1) / np.sqrt(size))
    t = abs(mean) / error if error > 0 else np.inf
    p, few = 2 * float(stdtr(size - 1, -t)), m <= MOST_SIGNS
    p = max(p, _skewed(d, mean), _by_signs(moved) if few else 2.0 ** (1 - m))
    half = float(-stdtrit(size - 1, delta / 2)) * error
    low, high = mean - half, mean + half
    if p > delta:
        low, high = min(low, 0.0), max(high, 0.0)
    return Difference(mean, low, high, p, "signs" if few else "t", needed)


def _skewed(d: FloatArray, mean: float) -> float:
    """Student's t of differences that go far in one direction only, by the transformation of Hall."""
    size, spread = len(d), float(d.std())
    if spread <= SAME * abs(mean):
        return 0.0
    g, S = float(((d - mean) ** 3).mean()) / spread**3, mean / spread
    t = np.sqrt(size) * (S + g * S**2 / 3 + g**2 * S**3 / 27 + g / (6 * size))
    return 2 * float(stdtr(size - 1, -abs(t))) if t * mean > 0 else 1.0


def _by_signs(moved: FloatArray) -> float:
    """The share of all choices of signs whose sum is at least as far from 0."""
    sums = np.zeros(1)
    for one in np.abs(moved):
        sums = np.concatenate([sums + one, sums - one])
    return float((np.abs(sums) >= abs(moved.sum()) - SAME * np.abs(moved).sum()).mean())


def _normal(p: float) -> float:
    """The quantile of the normal distribution."""
    return float(stdtrit(np.inf, p))
