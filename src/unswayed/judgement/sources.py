"""Which sources to believe: each is honest, off by a constant, drifts, or is not to be explained by the others.

    B     the plays of one source              r     y_B - mu(x_B), with mu from the plays of all others
    V     covariance of r                      P     V^-1, the block of A^-1 with A = K + lam diag(1/w) over these plays

Plays of the others that are off by themselves (trimming.py) are left out: they would contradict an honest source.
From the posterior of the plays that remain and of B, with its covariance k_t:

    P = diag(w_B)/lam - w_B k_t(x_B, x_B) w_B / lam^2,      P r = w_B (y_B - mu(x_B))/lam.

Explanations of r are compared by their probability:

    honest     N(0, V)
    noisier    N(0, V + (c^2 - 1) lam diag(1/w_B)), honest with c times the noise        before the data: NOISIER
    offset     N(0, V + o^2 1 1^T), a sensor that is off by a constant                   before the data: LIARS
    drift      N(0, V + o^2 (1 1^T + t t^T)), with the times t of the plays              before the data: LIARS
    anything   uniform over the range of all values, or its own, for each play           before the data: LIARS

Single plays can be off without discrediting their source. So in all explanations but the last any play may be an
outlier, uniform over the range too, with probability OUTLIERS before the data; but of the plays of one arm no more than
half, or one: accidents do not repeat. A noisier source is left as it is. An offset or a drift is taken off the values;
plays that could be anything are set aside together, and count as one lying source.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.linalg import lapack

from unswayed.core.data.rows import numbered_rows
from unswayed.core.gp.posterior import JointPosterior
from unswayed.core.tampering.threat import Records
from unswayed.judgement.allowance import Allowance
from unswayed.judgement.trimming import trim
from unswayed.types import EPS, BoolArray, FloatArray, IntArray

LIARS = 0.05  # probability that a source is off or lies, before anything is measured
NOISIER, FACTORS = 0.3, (2.0, 3.0, 4.5, 7.0)  # the same that it is noisier, not anything; how many times
OUTLIERS = 0.05  # the same for a single play of an honest source
OFF = 4.0  # a play that is off by this many standard deviations is off by itself
LEAST = 3  # a source is judged from this many plays on
MOST_JUDGED = 100  # plays of a source that are looked at: its offset is then known to a tenth of the noise
MANY, ALIKE = 200, 0.25  # from this many plays on, offsets are taken off together; of sources nearly as improbable
LARGEST_SPAN = 1e6  # in units of the prior: beside wider offsets, covariances have no digits left
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
        posterior: Of the plays that are kept, without the offsets.
    """

    kept: BoolArray
    offsets: FloatArray
    aside: tuple[int, ...]
    allowance: Allowance
    cost: float
    posterior: JointPosterior

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
    posterior: JointPosterior,
    records: Records,
    *,
    K: FloatArray,
    allowance: Allowance,
    named: int = 0,
    noisier: bool = True,
) -> Weighed:
    """Judge sources one after the other, the least probable one first; a witness after those who report themselves.

    Args:
        posterior: Of all plays; among MANY, sources that are nearly as surely off as the worst are judged with it.
        records: The plays.
        K: Kernel matrix of all arms.
        allowance: What the threat allows to set aside.
        named: How many sources there are, if more than in these records.
        noisier: Whether a source may be noisier than others; a fit does not know yet how large the noise is.
    """
    sources, kept = records.sources, np.ones(len(records.values), dtype=np.bool_)
    number = max(named, 0 if sources is None else int(sources.max(initial=-1)) + 1)
    offsets, aside, cost = np.zeros((number + 1, 2)), list[int](), 0.0
    if sources is None or number < 2 or np.ptp(records.values) <= 1e-9 * np.abs(records.values).max(initial=1.0):
        return Weighed(kept, offsets, (), allowance, cost, posterior)
    trust = np.zeros(len(kept)) if records.trust is None else records.trust
    trusted = {s: int(trust[sources == s].max(initial=0)) for s in (*range(number), -1)}  # -1: without a name
    span = min(max(float(np.ptp(np.quantile(records.values, (0.02, 0.98)))), 1e-9), LARGEST_SPAN)
    found = _judged(_WithoutOutliers.of(posterior, records, sources, K), tuple(trusted), span, noisier)
    while found:
        s = max(found, key=lambda one: found[one].order(trusted[one]))
        worst = found.pop(s)
        if worst.gain <= 0:
            break
        mine = sources == s
        if worst.offset is not None:
            also = [one for one in found if trusted[one] == trusted[s] and found[one].off_like(worst)]
            for one in (s, *(also if len(records.values) >= MANY else ())):
                offsets[one] = worst.offset if one == s else found.pop(one).offset
                cost -= np.log(LIARS)
        else:
            left = allowance.charged(worst.change, int(records.measurements[mine].sum()), source=True)
            if left is None or 2 * kept[~mine].sum() < len(kept):  # the others must be more than half
                continue
            allowance, kept = left, kept & ~mine
            aside.append(s)
            cost += mine.sum() * (np.log(span) + 0.5 * np.log(2 * np.pi)) - np.log(LIARS)
        some = records.with_values(records.values - offset_of(offsets, records)).only(kept)
        posterior = JointPosterior.of_plays(K, some.arms, some.values, some.weights, posterior.lam)
        found = _judged(_WithoutOutliers.of(posterior, some, sources[kept], K), tuple(found), span, noisier)
    return Weighed(kept, offsets, tuple(aside), allowance, cost, posterior)


def _judged(usual: _WithoutOutliers, groups: tuple[int, ...], span: float, noisier: bool) -> dict[int, SourceVerdict]:
    """The judgement of each of these sources."""
    return {s: judge(*usual.beside(s), span, noisier=noisier) for s in groups}


@dataclass(frozen=True, eq=False)
class _WithoutOutliers:
    """Plays, which of them are not off by themselves, and the posterior of these."""

    records: Records
    sources: IntArray
    usual: BoolArray
    posterior: JointPosterior

    @classmethod
    def of(cls, posterior: JointPosterior, records: Records, sources: IntArray, K: FloatArray) -> Self:
        """Leave out single plays, unless that would be most of them."""
        arms = records.arms
        usual = trim(posterior, records, K=K, threshold=OFF)
        one = numbered_rows(np.column_stack([arms, sources]).astype(np.float64))[1]  # arm of one source
        usual |= (np.bincount(one, weights=~usual) > _accidents(one))[one]
        if usual.all():
            return cls(records, sources, usual, posterior)
        left = records.only(usual)
        fitted = JointPosterior.of_plays(K, left.arms, left.values, left.weights, posterior.lam)
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
class SourceVerdict:
    """The best explanation of a source other than honesty, and by how much it is more probable.

    Attributes:
        gain: Log odds against honesty; negative if honesty is more probable.
        offset: a and b, if an offset or a drift is the best explanation of all; else None.
        plain: The log odds if honest plays were never outliers.
        change: The sum of |r| over its measurements.
    """

    gain: float
    offset: FloatArray | None
    plain: float
    change: float

    def order(self, trusted: int) -> tuple[bool, int, float]:
        """The least trusted suspect first, and of these the strongest: to remove it may clear the others.

        Args:
            trusted: The rank of its trust level.
        """
        return self.gain > 0, -trusted, self.plain

    def off_like(self, worst: SourceVerdict) -> bool:
        """Whether it has an offset too that is nearly as surely one as that of the strongest suspect.

        Args:
            worst: The strongest suspect. What it did to the others is small beside that.
        """
        return self.offset is not None and self.gain > 0 and self.plain >= ALIKE * worst.plain


HONEST = SourceVerdict(-np.inf, None, -np.inf, 0.0)


def judge(
    posterior: JointPosterior, records: Records, mine: BoolArray, span: float, *, noisier: bool = True
) -> SourceVerdict:
    """Judge one source by its plays, given the posterior of all plays.

    Args:
        posterior: Of all plays.
        records: The plays.
        mine: Which of them are of this source.
        span: Range of all values.
        noisier: Whether it may be noisier than others.
    """
    rows = np.flatnonzero(mine)
    if len(rows) < LEAST or len(rows) == len(mine):
        return HONEST
    spaced = np.linspace(0, len(rows) - 1, min(len(rows), MOST_JUDGED))
    some = rows[spaced.astype(np.int64)]
    plays = records.arms[some], records.values[some], records.weights[some]
    when = None if records.when is None else records.when[some]
    return _explained(posterior, *plays, when, records.measurements[some] * (len(rows) / len(some)), span, noisier)


def _explained(
    posterior: JointPosterior,
    arms: IntArray,
    values: FloatArray,
    w: FloatArray,
    when: FloatArray | None,
    sizes: FloatArray,
    span: float,
    noisier: bool,
) -> SourceVerdict:
    """The best explanation of the plays of a source other than honesty; honest if double precision cannot tell.

    The covariances V + o^2 H H^T of all explanations are inverted together, where H = 0 is honesty:
    P - P H S^-1 H^T P with S = I/o^2 + H^T P H.
    """
    lam, o2 = posterior.lam, (WIDEST * span) ** 2
    if lam <= EPS**2 * o2:
        return HONEST
    P = -np.outer(w, w) * posterior.covariance[arms[:, None], arms] / lam**2
    P[np.diag_indices_from(P)] += (1 + 100 * EPS) * w / lam
    L, failed = lapack.dpotrf(P, lower=1)
    if failed:
        return HONEST
    r = lapack.dpotrs(L, w * (values - posterior.mean[arms]) / lam, lower=1)[0]
    H = np.zeros((2 if when is None else 3, len(r), 2))
    H[1:, :, 0] = 1.0
    H[2:, :, 1] = when
    PH = P @ H
    S = np.eye(2) / o2 + H.transpose(0, 2, 1) @ PH
    log_det = np.linalg.slogdet(o2 * S)[1] - 2 * np.log(L.diagonal()).sum()
    V = np.asarray(np.linalg.inv(P), dtype=np.float64)
    least = 1 / (V.diagonal() + o2 * (H**2).sum(axis=2))
    precisions = P - PH @ np.linalg.solve(S, PH.transpose(0, 2, 1))
    probable, rest, plain = _log_density(r, precisions, least, log_det, arms, span)
    probable[1:][~rest[1:].any(axis=1)] = -np.inf
    best, anything = len(H) - 1 - int(np.argmax(probable[:0:-1])), -len(r) * np.log(max(span, float(np.ptp(values))))
    explained = max(float(probable[best]), anything) + np.log(LIARS)
    offset, honest, line = None, float(probable[0]), bool(probable[best] >= anything)
    if noisier and explained > honest:
        prior = float(np.log(LIARS if line else NOISIER))
        honest = max(honest, _noisier(r, V, lam / w, o2 * (arms[:, None] == arms), prior))
    if line and explained > honest:
        some = rest[best]
        solved = np.linalg.solve(V[np.ix_(some, some)], np.column_stack([H[best, some], r[some]]))
        normal = H[best, some].T @ solved  # H^T V^-1 H, and H^T V^-1 r
        offset = np.linalg.solve(np.eye(2) / o2 + normal[:, :2], normal[:, 2])
    return SourceVerdict(explained - honest, offset, explained - float(plain[0]), float(np.abs(r) @ sizes))


def _noisier(r: FloatArray, V: FloatArray, noise: FloatArray, repeated: FloatArray, prior: float) -> float:
    """How probable it is that a source is honest and noisier than others, by the best factor.

    Minus infinity if it is more probable that the source lies, and says the same each time that it measures an arm.
    """
    more = np.square(FACTORS) - 1
    covariances = np.concatenate([V + more[:, None, None] * np.diag(noise), (V + repeated)[None]])
    log_det = np.linalg.slogdet(covariances)[1] + len(r) * np.log(2 * np.pi)
    columns = np.broadcast_to(r[:, None], (len(covariances), len(r), 1))
    found = -0.5 * (np.linalg.solve(covariances, columns)[:, :, 0] @ r + log_det)
    best = float(found[:-1].max()) + prior
    return best if best > float(found[-1]) + np.log(LIARS) else -np.inf


def _log_density(
    r: FloatArray, P: FloatArray, least: FloatArray, log_det: FloatArray, arms: IntArray, span: float
) -> tuple[FloatArray, BoolArray, FloatArray]:
    """ln N(r; 0, V) with outliers, which are uniform over the range; which plays are none; and without outliers.

    For each of several V, given P = V^-1, 1/V_jj and ln det V. One play after the other becomes an outlier, the least
    probable one given the rest first, as long as that makes r more probable. Given the rest, the play j has the mean
    r_j - [P r]_j / P_jj and the variance 1/P_jj, which is at most V_jj: a smaller P_jj than 1/V_jj is a rounding error.
    """
    rest, every = np.ones(P.shape[:2], dtype=np.bool_), np.arange(len(P))
    possible = np.tile(_accidents(arms), (len(P), 1))
    outlier = np.log(OUTLIERS / span) + 0.5 * np.log(2 * np.pi)
    plain = -0.5 * ((P @ r) @ r + log_det + len(r) * np.log(2 * np.pi))
    found = plain.copy()
    while True:
        Pr = (P @ np.where(rest, r, 0.0)[:, :, None])[:, :, 0]
        precision = np.where(rest, np.maximum(P.diagonal(axis1=1, axis2=2), least), 1.0)
        gain = outlier - 0.5 * (np.log(precision) - Pr**2 / precision)
        gain[~(rest & (possible[:, arms] > 0))] = -np.inf
        place = np.argmax(gain, axis=1)
        more = every[gain[every, place] > 0]
        if not len(more):
            return found, rest, plain
        j = place[more]
        found[more] += gain[more, j]
        rest[more, j] = False
        possible[more, arms[j]] -= 1
        row = P[more, j]
        P[more] -= row[:, :, None] * row[:, None] / precision[more, j][:, None, None]  # the play j is integrated out


def _accidents(arms: IntArray) -> IntArray:
    """How many plays of each arm may be outliers: half of them, and at least one."""
    return np.maximum(np.bincount(arms) // 2, 1)
