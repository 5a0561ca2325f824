"""Which sources to believe: each is honest, off by a constant, or not to be explained by the others.

    B     the plays of one source              r     y_B - mu(x_B), with mu from the plays of all others
    V     covariance of r                      P     V^-1, the block of A^-1 with A = K + lam diag(1/w) over all plays

From the posterior of all plays, with its covariance k_t:  P = diag(w_B)/lam - w_B k_t(x_B, x_B) w_B / lam^2  and
P r = w_B (y_B - mu(x_B))/lam. Three explanations of r are compared by their probability:

    honest     N(0, V)
    offset     N(0, V + o^2 1 1^T), a sensor that is off by a constant      before the data: LIARS
    anything   uniform over the range of all values, for each play          before the data: LIARS

A source is never judged by a single play: its worst one is left out of the comparison if that favours it. An offset is
taken off the values; plays that could be anything are set aside together, and count as one lying source.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from unswayed.core.posterior import JointPosterior
from unswayed.core.threat import Allowance, Records
from unswayed.types import EPS, BoolArray, FloatArray, IntArray

LIARS = 0.05  # probability that a source is off or lies, before anything is measured
LEAST = 3  # plays from which on a source is judged
MOST = 300  # plays that it is judged by
WIDEST = 0.5  # o, in units of the range of the values


@dataclass(frozen=True, eq=False)
class Weighed:
    """What sources are worth.

    Attributes:
        kept: Which plays are kept.
        offsets: How far each source reads above the others; 0 for one that is not off. The last one is that of the
            plays whose source was not named, taken together.
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
        return records.values if records.sources is None else records.values - self.offsets[records.sources]


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
    offsets, aside, decided, cost = np.zeros(number + 1), list[int](), set[int](), 0.0
    if sources is None or number < 2:
        return Weighed(kept, offsets, (), allowance, cost)
    groups = (*range(number), -1)  # those without a name together
    span = max(float(np.ptp(np.quantile(records.values, (0.02, 0.98)))), 1e-9)
    while True:
        found = [(judge(posterior, records, kept & (sources == s), span), s) for s in groups if s not in decided]
        worst, s = max(found, key=lambda one: one[0].gain, default=(None, -1))
        if worst is None or worst.gain <= 0:
            return Weighed(kept, offsets, tuple(aside), allowance, cost)
        decided.add(s)
        mine = sources == s
        if worst.offset is not None:
            offsets[s] = worst.offset
            cost -= np.log(LIARS)
        else:
            left = allowance.after(worst.change, int(mine.sum()), source=True)
            if left is None or 2 * kept[~mine].sum() < len(kept):  # the others must be more than half
                continue
            allowance, kept = left, kept & ~mine
            aside.append(s)
            cost += mine.sum() * (np.log(span) + 0.5 * np.log(2 * np.pi)) - np.log(LIARS)
        values = records.values - offsets[sources]
        posterior = JointPosterior.of_plays(K, records.arms[kept], values[kept], records.weights[kept], posterior.lam)


@dataclass(frozen=True)
class Judged:
    """The best explanation of a source other than honesty, and by how much it is more probable.

    Attributes:
        gain: Log odds against honesty; negative if honesty is more probable.
        offset: The constant, if that is the best explanation; None if its values could be anything.
        change: The sum of |r|.
    """

    gain: float
    offset: float | None
    change: float


HONEST = Judged(-np.inf, None, 0.0)


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
    r, V = residual
    worst = int(np.argmax(np.abs(r) / np.sqrt(V.diagonal())))
    rest = np.arange(len(r)) != worst
    full, without = _explained(r, V, span), _explained(r[rest], V[np.ix_(rest, rest)], span)
    gain, offset = min(full, without, key=lambda one: one[0])
    return Judged(gain, offset, float(np.abs(r).sum()) * len(rows) / len(some))


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


def _explained(r: FloatArray, V: FloatArray, span: float) -> tuple[float, float | None]:
    """Log odds of the best other explanation against honesty, and the offset if it is one."""
    one, o2 = np.ones(len(r)), (WIDEST * span) ** 2
    honest, solved = _log_density(r, V)
    shared = o2 * float(one @ np.linalg.solve(V, one))
    sum_r = float(one @ solved)
    offset = honest + 0.5 * o2 * sum_r**2 / (1 + shared) - 0.5 * np.log1p(shared)
    anything = -len(r) * np.log(span)
    if offset >= anything:
        return float(offset - honest + np.log(LIARS)), o2 * sum_r / (1 + shared)
    return float(anything - honest + np.log(LIARS)), None


def _log_density(r: FloatArray, V: FloatArray) -> tuple[float, FloatArray]:
    """ln N(r; 0, V), and V^-1 r."""
    log_det = float(np.linalg.slogdet(V)[1])
    solved: FloatArray = np.asarray(np.linalg.solve(V, r), dtype=np.float64)
    return float(-0.5 * (r @ solved + log_det + len(r) * np.log(2 * np.pi))), solved
