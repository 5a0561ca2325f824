"""If every measurement is honest, is the winner better than chance explains? Judged once, at the end.

The lead over each option, its variance and what is known of this come from `luck_counts.py` (Mantel and Haenszel's
test of two rates, with the variance that is seen between cells) or `luck_values.py` (Welch's test, with Hall's
correction for skew). Where sources may differ, the lead is the one within them (`within.py`). Both sides count, which
allows for having chosen the winner of two, and Holm's correction for all the others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from unswayed.audits.labels.data import LabelData
from unswayed.audits.labels.luck_counts import pairs_of_counts
from unswayed.audits.labels.luck_values import pairs_of_values
from unswayed.types import BoolArray, FloatArray

MOST_CAREFUL = 3.0  # times the interval of the normal distribution: more is due to a lead of almost nothing
ROUNDING = 1e-9  # relative: an interval that ends at 0 does so by rounding
TINY = 1e-300


@dataclass(frozen=True, eq=False)
class Chance:
    """The winner against each other option.

    Attributes:
        lead: The lead over each option, within the sources if both were measured there; NaN if it is not known.
        deviation: Its standard deviation, as it was seen.
        freedom: Degrees of freedom of this; infinite if it is known.
        each: The probability of such a lead by chance; 0 for the winner.
        adjusted: The same, corrected for the number of options.
        varies: Whether the cells of an option vary more than outcomes do.
        inside: Whether each lead is one within the sources.
        step: The most that one outcome, or a change of 1 in one value, moves each lead.
    """

    winner: int
    lead: FloatArray
    deviation: FloatArray
    freedom: FloatArray
    each: FloatArray
    adjusted: FloatArray
    varies: bool
    inside: BoolArray
    step: FloatArray

    @property
    def probability(self) -> float:
        """That of the least lead."""
        return float(self.adjusted.max())

    @property
    def closest(self) -> int:
        """The option whose lead is most easily chance."""
        others = np.flatnonzero(np.arange(len(self.lead)) != self.winner)
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.nan_to_num(self.lead / self.deviation, nan=-np.inf, posinf=np.inf, neginf=-np.inf)
        return int(others[np.lexsort((z[others], -self.adjusted[others]))[0]])

    @property
    def overtaken_by(self) -> int | None:
        """The option that is better than the winner within the sources, though not in total; None if there is none.

        Of several, the one that is ahead most clearly.
        """
        z = np.where(self.inside & (self.lead < 0), self.lead / np.maximum(self.deviation, TINY), np.inf)
        return int(np.argmin(z)) if np.isfinite(z).any() else None

    def critical(self, option: int, delta: float) -> float:
        """How many deviations a lead must have."""
        free = self.freedom[option]
        return float(-ndtri(delta / 2) if np.isinf(free) else -stdtrit(free, delta / 2))

    def half_width(self, option: int, delta: float) -> float:
        """Half the interval of a lead, for all options together; it is below the lead exactly if the test says so.

        Bonferroni's, wider if the test is more careful than the normal distribution or Student's t. Holm's test may be
        surer: then the interval is the one that its probability amounts to.
        """
        lead, deviation = float(self.lead[option]), float(self.deviation[option])
        wide = self.critical(option, delta / (len(self.lead) - 1)) * deviation
        careful, p = self._deviations(option, self.each[option]), float(self.adjusted[option])
        if lead <= 0:
            return wide
        if careful > 0:
            wide *= min(max(lead / deviation / careful, 1.0), MOST_CAREFUL) if deviation > 0 else 1.0
        if p > delta:
            return max(wide, lead)
        by_test = lead * self.critical(option, delta) / self._deviations(option, p)
        return wide if wide < lead else min(by_test, lead * (1 - ROUNDING))

    def _deviations(self, option: int, p: float) -> float:
        """How many deviations a lead of this probability has; infinite if the probability is too small to tell."""
        return self.critical(option, max(float(p), TINY))


def by_chance(data: LabelData, winner: int, kept: BoolArray, spread_of: BoolArray | None = None) -> Chance | None:
    """The winner against the others, from the rows that are kept; None if nothing is known of the noise.

    Args:
        data: The measurements.
        winner: The option that leads.
        kept: The rows that are compared.
        spread_of: The rows whose variation counts; by default the same ones.
    """
    spread_of = kept if spread_of is None else spread_of
    found = (
        pairs_of_counts(data, winner, kept, spread_of)
        if data.counts
        else pairs_of_values(data, winner, kept, spread_of)
    )
    if found is None:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        z = _hall(found.lead / found.deviation, found.skew)
    t = stdtr(np.where(np.isinf(found.freedom), 1.0, found.freedom), -z)
    p = np.maximum(2 * np.where(np.isinf(found.freedom), ndtr(-z), t), found.exact)
    p = np.where(found.lead > 0, np.clip(p, 0.0, 1.0), 1.0)
    p[winner], each = -1.0, p.copy()
    order = np.argsort(p, kind="stable")
    p[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
    p[winner] = each[winner] = 0.0
    return Chance(winner, found.lead, found.deviation, found.freedom, each, p, found.varies, found.inside, found.step)


def _hall(z: FloatArray, skew: FloatArray | float) -> FloatArray:
    """Hall's transformation (1992): the statistic of skewed values on a scale where it is symmetric.

    Only where it makes a lead smaller: a winner that owes its lead to a few large values would otherwise gain by them.
    """
    return np.asarray(np.minimum(z, z + skew / 3 * z**2 + np.square(skew) / 27 * z**3 + skew / 6))
