"""Which sources to believe: each is honest, off by a constant, drifts, or is not to be explained by the others.

    B     the plays of one source              r     y_B - mu(x_B), with mu from the plays of all others
    V     covariance of r                      P     V^-1, the block of A^-1 with A = K + lam diag(1/w) over these plays

Plays of the others that are off by themselves (core/trimming.py) are left out: they would contradict an honest source.
From the posterior of the plays that remain and of B, with its covariance k_t:

    P = diag(w_B)/lam - w_B k_t(x_B, x_B) w_B / lam^2,      P r = w_B (y_B - mu(x_B))/lam.

Explanations of r are compared by their probability:

    honest     N(0, V)
    offset     N(0, V + o^2 1 1^T), a sensor that is off by a constant      before the data: LIARS
    drift      N(0, V + o^2 (1 1^T + t t^T)), with the times t of the plays  before the data: LIARS
    anything   uniform over the range of all values, for each play          before the data: LIARS

Single plays can be off without discrediting their source. So in all explanations but the last any play may be an
outlier, uniform over the range too, with probability OUTLIERS before the data; but of the plays of one arm no more than
half, or one: accidents do not repeat. An offset or a drift is taken off the values; plays that could be anything are
set aside together, and count as one lying source.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from unswayed.core.allowance import Allowance
from unswayed.core.posterior import JointPosterior
from unswayed.core.rows import numbered_rows
from unswayed.core.threat import Records
from unswayed.core.trimming import trim
from unswayed.types import EPS, BoolArray, FloatArray, IntArray

LIARS = 0.05  # probability that a source is off or lies, before anything is measured
OUTLIERS = 0.05  # the same for a single play of an honest source
OFF = 4.0  # standard deviations from which on a play is off by itself
LEAST = 3  # plays from which on a source is judged
MOST = 300  # plays that it is judged by
WIDEST = 0.5  # o, in units of the range of the values


@dataclass(frozen=True, eq=False)
class Weighed:
    """What sources are worth.

    Attributes:
        kept: Which plays are kept.
        offsets: How far each source reads above the others: a + b t at time t, a row (a, b) for each; 0 for one that
            is not off. The last row is that of the plays whose source was not named, taken together.
        aside: The sources that are set aside; -1 are the plays whose source was not named.
        allowance: What is left of the threat.
        cost: Minus the log probability of what was set aside, where a play costs its density.
    """

    kept: BoolArray
    offsets: FloatArray
    aside: tuple[int, ...]
    allowance: Allowance
    cost: float

    @property
    def believes_all(self) -> bool:
        """Whether all plays count as they are."""
        return not self.aside and not self.offsets.any()

    def corrected(self, records: Records) -> FloatArray:
        """The values without the offsets of their sources."""
        return records.values - offset_of(self.offsets, records)


def offset_of(offsets: FloatArray, records: Records) -> FloatArray | float:
    """What each record is off by, given a + b t of each source."""
    if records.sources is None or not offsets.any():
        return 0.0
    level, slope = offsets[records.sources].T
    return np.asarray(level if records.when is None else level + slope * records.when)


def weigh_sources(
    posterior: JointPosterior, records: Records, *, K: FloatArray, allowance: Allowance, named: int = 0
) -> Weighed:
    """Judge sources one after the other, the least probable one first.

    Args:
        posterior: Of all plays.
        records: The plays.
        K: Kernel matrix of all arms.
        allowance: What the threat allows to set aside.
        named: How many sources there are, if more than in these records.
    """
    sources = records.sources
    kept = np.ones(len(records.values), dtype=np.bool_)
    number = max(named, 0 if sources is None else int(sources.max(initial=-1)) + 1)
    offsets, aside, decided, cost = np.zeros((number + 1, 2)), list[int](), set[int](), 0.0
    if sources is None or number < 2 or np.ptp(records.values) <= 1e-9 * np.abs(records.values).max(initial=1.0):
        return Weighed(kept, offsets, (), allowance, cost)
    groups = (*range(number), -1)  # those without a name together
    span = max(float(np.ptp(np.quantile(records.values, (0.02, 0.98)))), 1e-9)
    while True:
        values = records.values - offset_of(offsets, records)
        usual = _Usual.of(posterior, records.only(kept, values[kept]), sources[kept], K)
        found = [(judge(*usual.beside(s), span), s) for s in groups if s not in decided]
        worst, s = max(found, key=lambda one: one[0].order, default=(None, -1))
        if worst is None or worst.gain <= 0:
            return Weighed(kept, offsets, tuple(aside), allowance, cost)
        decided.add(s)
        mine = sources == s
        if worst.offset is not None:
            offsets[s] = worst.offset
            cost -= np.log(LIARS)
        else:
            left = allowance.after(worst.change, int(records.measurements[mine].sum()), source=True)
            if left is None or 2 * kept[~mine].sum() < len(kept):  # the others must be more than half
                continue
            allowance, kept = left, kept & ~mine
            aside.append(s)
            cost += mine.sum() * (np.log(span) + 0.5 * np.log(2 * np.pi)) - np.log(LIARS)
        values = records.values - offset_of(offsets, records)
        posterior = JointPosterior.of_plays(K, records.arms[kept], values[kept], records.weights[kept], posterior.lam)


@dataclass(frozen=True, eq=False)
class _Usual:
    """Plays, which of them are not off by themselves, and the posterior of these."""

    records: Records
    sources: IntArray
    usual: BoolArray
    posterior: JointPosterior

    @classmethod
    def of(cls, posterior: JointPosterior, records: Records, sources: IntArray, K: FloatArray) -> Self:
        """Leave out single plays, unless that would be most of them."""
        arms, values, weights = records.arms, records.values, records.weights
        usual = trim(posterior, arms, values, weights, K=K, threshold=OFF)
        one = numbered_rows(np.column_stack([arms, sources]).astype(np.float64))[1]  # arm of one source
        usual |= (np.bincount(one, weights=~usual) > _accidents(one))[one]
        if usual.all() or 2 * usual.sum() < len(usual):
            return cls(records, sources, np.ones(len(arms), dtype=np.bool_), posterior)
        fitted = JointPosterior.of_plays(K, arms[usual], values[usual], weights[usual], posterior.lam)
        return cls(records, sources, usual, fitted)

    def beside(self, source: int) -> tuple[JointPosterior, Records, BoolArray]:
        """The posterior of all plays of a source and the usual ones of the others; the plays; and which are its own."""
        records, posterior = self.records, self.posterior
        mine = self.sources == source
        for j in np.flatnonzero(mine & ~self.usual):
            n = float(records.weights[j])
            posterior = posterior.extend(int(records.arms[j]), n, n * float(records.values[j]))
        return posterior, records, mine


@dataclass(frozen=True)
class Judged:
    """The best explanation of a source other than honesty, and by how much it is more probable.

    Attributes:
        gain: Log odds against honesty; negative if honesty is more probable.
        offset: a and b, if an offset or a drift is the best explanation; None if its values could be anything.
        plain: The log odds if honest plays were never outliers.
        change: The sum of |r| over its measurements.
    """

    gain: float
    offset: FloatArray | None
    plain: float
    change: float

    @property
    def order(self) -> tuple[bool, float]:
        """The largest is dealt with first: a liar, before those whom only the liar contradicts."""
        return self.gain > 0, self.plain


HONEST = Judged(-np.inf, None, -np.inf, 0.0)


def judge(posterior: JointPosterior, records: Records, mine: BoolArray, span: float) -> Judged:
    """Judge one source by its plays, given the posterior of all plays.

    Args:
        posterior: Of all plays.
        records: The plays.
        mine: Which of them are of this source.
        span: Range of all values.
    """
    rows = np.flatnonzero(mine)
    if len(rows) < LEAST or len(rows) == len(mine):
        return HONEST
    some = rows[np.unique(np.linspace(0, len(rows) - 1, MOST).astype(np.int64))]
    residual = _left_out(posterior, records.arms[some], records.values[some], records.weights[some])
    if residual is None:
        return HONEST
    change = float(np.abs(residual[0]) @ records.measurements[some]) * len(rows) / len(some)
    when = None if records.when is None else records.when[some]
    return _explained(*residual, records.arms[some], when, span, change)


def _left_out(
    posterior: JointPosterior, arms: IntArray, values: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray] | None:
    """r and V; None if double precision cannot tell."""
    lam = posterior.lam
    P = np.diag(weights / lam) - np.outer(weights, weights) * posterior.covariance[np.ix_(arms, arms)] / lam**2
    P[np.diag_indices_from(P)] += 100 * EPS * weights / lam
    try:
        factor = cho_factor(P, lower=True, check_finite=False)
    except LinAlgError:
        return None
    V = cho_solve(factor, np.eye(len(P)), check_finite=False)
    return V @ (weights * (values - posterior.mean[arms]) / lam), (V + V.T) / 2


def _explained(
    r: FloatArray, V: FloatArray, arms: IntArray, when: FloatArray | None, span: float, change: float
) -> Judged:
    """The best explanation other than honesty."""
    o2, ones = (WIDEST * span) ** 2, np.ones(len(r))
    honest, _, plain = _log_density(r, V, arms, span)
    best, offset = -len(r) * np.log(span), None
    for H in [ones[:, None]] + ([] if when is None else [np.column_stack([ones, when])]):
        probable, rest, _ = _log_density(r, V + o2 * (H @ H.T), arms, span)
        if probable >= best and rest.any():
            solved = np.linalg.solve(V[np.ix_(rest, rest)], np.column_stack([H[rest], r[rest]]))
            normal = H[rest].T @ solved  # H^T V^-1 H, and H^T V^-1 r
            found = np.linalg.solve(np.eye(H.shape[1]) / o2 + normal[:, :-1], normal[:, -1])
            best, offset = probable, np.append(found, np.zeros(2 - len(found)))
    best += np.log(LIARS)
    return Judged(float(best - honest), offset, float(best - plain), change)


def _log_density(r: FloatArray, V: FloatArray, arms: IntArray, span: float) -> tuple[float, BoolArray, float]:
    """ln N(r; 0, V) with outliers, which are uniform over the range; which plays are none; and without outliers.

    One play after the other becomes an outlier, the least probable one given the rest first, as long as that makes r
    more probable. With P = V^-1 the play j has the mean r_j - [P r]_j / P_jj and the variance 1/P_jj given the rest.
    """
    P, rest, possible = np.linalg.inv(V), np.ones(len(r), dtype=np.bool_), _accidents(arms)
    plain = log_density = -0.5 * (float(r @ P @ r) + float(np.linalg.slogdet(V)[1]) + len(r) * np.log(2 * np.pi))
    while (may := rest & (possible[arms] > 0)).any():
        precision = np.where(rest, np.maximum(P.diagonal(), 1 / V.diagonal()), 1.0)  # less is a rounding error
        given_rest = 0.5 * (np.log(precision / (2 * np.pi)) - (P @ np.where(rest, r, 0.0)) ** 2 / precision)
        gain = np.where(may, np.log(OUTLIERS / span) - given_rest, -np.inf)
        j = int(np.argmax(gain))
        if gain[j] <= 0:
            break
        log_density, rest[j] = log_density + float(gain[j]), False
        possible[arms[j]] -= 1
        P = P - np.outer(P[j], P[j]) / P[j, j]  # the play j is integrated out
    return log_density, rest, plain


def _accidents(arms: IntArray) -> IntArray:
    """How many plays of each arm may be outliers: half of them, and at least one."""
    return np.maximum(np.bincount(arms) // 2, 1)
