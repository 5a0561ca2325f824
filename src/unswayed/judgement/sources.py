"""Which sources to believe: each is honest, noisier, off by a constant, drifts, or cannot be explained by the others.

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
    both       noisier with an offset or a drift                                         before the data: NOISIER LIARS
    anything   uniform over the range of all values, or over any, for each play          before the data: LIARS

The factor c may be any from LEAST_FACTOR on; its logarithm is uniform before the data. Single plays can be off without
discrediting their source. So in the explanations with c = 1 any play may be an outlier, uniform over the range too,
with probability OUTLIERS before the data; but of the plays of one arm no more than half, or one: accidents do not
repeat. The measurements of a noisier source count c^2 times less: that is no charge against it. An offset or a drift is
taken off the values; plays that could be anything are set aside together, and count as one lying source.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy.linalg import lapack
from scipy.special import logsumexp

from unswayed.core.data.rows import numbered_rows
from unswayed.core.gp.posterior import JointPosterior
from unswayed.core.tampering.threat import Records
from unswayed.judgement.allowance import Allowance
from unswayed.judgement.trimming import trim
from unswayed.types import EPS, BoolArray, FloatArray, IntArray

LIARS = 0.05  # probability that a source is off or lies, before anything is measured
NOISIER = 0.2  # the same that it is honest and noisier than the others
LEAST_FACTOR, LARGEST_FACTOR, FACTORS = 1.5, 8.0, 12  # how many times: from, at least to, and how many are compared
ACCUSED = 3.0  # log odds against more noise from which on a source is set aside: less weight protects from both
OUTLIERS = 0.05  # the same for a single play of an honest source
OFF = 4.0  # a play that is off by this many standard deviations is off by itself
LEAST = 3  # a source is judged from this many plays on
MOST_JUDGED = 100  # plays of a source that are looked at: its offset is then known to a tenth of the noise
MANY, ALIKE = 200, 0.25  # from this many plays on, offsets are taken off together; of sources nearly as improbable
LARGEST_SPAN = 1e6  # in units of the prior: beside wider offsets, covariances have no digits left
WIDEST = 0.5  # o, in units of the range of the values
NARROWEST = 0.25  # the least range of the values of a source that could be anything, in the same units
WIDER = 1.25  # the range that holds all values, in units of that of nearly all


@dataclass(frozen=True, eq=False)
class Weighed:
    """What sources are worth.

    Attributes:
        kept: Which plays are kept.
        offsets: How far each source reads above the others: a + b t at time t, a row (a, b) for each; 0 for one that
            is not off. The last row is that of the plays whose source was not named, taken together.
        factors: How many times noisier than the others each source is; the same rows.
        aside: The sources that are set aside; -1 are the plays whose source was not named.
        allowance: What is left of the threat.
        cost: Minus the log probability of what was set aside, where a play costs its density.
        posterior: Of the plays that are kept, without the offsets; with a larger noise, if most sources show that.
    """

    kept: BoolArray
    offsets: FloatArray
    factors: FloatArray
    aside: tuple[int, ...]
    allowance: Allowance
    cost: float
    posterior: JointPosterior

    @classmethod
    def all_honest(cls, records: Records, number: int, allowance: Allowance, posterior: JointPosterior) -> Self:
        """Every one of this number of sources is believed."""
        kept, factors = np.ones(len(records.values), dtype=np.bool_), np.ones(number + 1)
        return cls(kept, np.zeros((number + 1, 2)), factors, (), allowance, 0.0, posterior)

    def believed(self, records: Records) -> Records:
        """The records as their sources are believed."""
        return believed(records, self.offsets, self.factors)


def believed(records: Records, offsets: FloatArray, factors: FloatArray) -> Records:
    """Records without the offsets a + b t of their sources, and with the weights that their noise leaves them."""
    if records.sources is None or not len(factors):
        return records
    (level, slope), factor = offsets[records.sources].T, factors[records.sources]
    off = level if records.when is None else level + slope * records.when
    return replace(records, values=records.values - off, weights=records.weights / factor**2)


def weigh_sources(
    posterior: JointPosterior, records: Records, *, K: FloatArray, allowance: Allowance, named: int = 0
) -> Weighed:
    """Judge sources one after the other, the least probable one first; a witness after those who report themselves.

    Args:
        posterior: Of all plays; among MANY, sources that are nearly as surely off as the worst are judged with it.
        records: The plays.
        K: Kernel matrix of all arms.
        allowance: What the threat allows to set aside.
        named: How many sources there are, if more than in these records.
    """
    sources, aside = records.sources, tuple[int, ...]()
    number = max(named, 0 if sources is None else int(sources.max(initial=-1)) + 1)
    honest = Weighed.all_honest(records, number, allowance, posterior)
    if sources is None or number < 2 or np.ptp(records.values) <= 1e-9 * np.abs(records.values).max(initial=1.0):
        return honest
    kept, offsets, factors, cost, lam = honest.kept, honest.offsets, honest.factors, honest.cost, posterior.lam
    trust = np.zeros(len(kept)) if records.trust is None else records.trust
    trusted = {s: int(trust[sources == s].max(initial=0)) for s in (*range(number), -1)}  # -1: without a name
    span = float(np.clip(np.ptp(np.quantile(records.values, (0.02, 0.98))), 1e-9, LARGEST_SPAN))
    found = _judged(_WithoutOutliers.of(posterior, records, sources, K), tuple(trusted), span)
    while found:
        s = max(found, key=lambda one: found[one].order(trusted[one]))
        if (worst := found[s]).gain <= 0:
            break
        if worst.noisier and (factors > 1).any() and (common := _scatter(found, sources)) > 1:
            lam *= common**2  # not this one is noisier: all are
            factors = np.maximum(factors / common, 1.0)
        elif not worst.anything:
            also = [one for one in found if trusted[one] == trusted[s] and found[one].like(worst)]
            for one in also if len(records.values) >= MANY else [s]:
                verdict, mine = found.pop(one), sources == one
                if verdict.factor > 1 and not _outnumbered(mine, kept & (factors[sources] == 1)):
                    continue
                offsets[one], factors[one] = verdict.offset, verdict.factor
                cost -= np.log(LIARS) if verdict.off else 0.0
        else:
            mine = sources == s
            del found[s]
            left = allowance.charged(worst.change, int(records.measurements[mine].sum()), source=True)
            if left is None or not _outnumbered(mine, kept):
                continue
            allowance, kept, aside = left, kept & ~mine, (*aside, s)
            cost += mine.sum() * (np.log(span) + 0.5 * np.log(2 * np.pi)) - np.log(LIARS)
        some = believed(records, offsets, factors).only(kept)
        posterior = JointPosterior.of_plays(K, some.arms, some.values, some.weights, lam)
        found = _judged(_WithoutOutliers.of(posterior, some, sources[kept], K), tuple(found), span)
    cost += _cost_of_noise(factors, sources[kept])
    return Weighed(kept, offsets, factors, aside, allowance, cost, posterior)


def _cost_of_noise(factors: FloatArray, sources: IntArray) -> float:
    """Minus the log probability that some sources are noisier; less weight makes values more probable."""
    return float(np.log(factors[sources]).sum() - (factors > 1).sum() * np.log(NOISIER))


def _scatter(found: dict[int, SourceVerdict], sources: IntArray) -> float:
    """How many times noisier than supposed most plays of some sources are: so noisy are all.

    The noise may not be known yet; or values are skewed, and most repeats agree better than they should.
    """
    scatter = [np.full((sources == s).sum(), verdict.scatter) for s, verdict in found.items()]
    return float(np.quantile(np.concatenate(scatter), 0.5, method="lower"))


def _outnumbered(mine: BoolArray, believed: BoolArray) -> bool:
    """Whether at least half of all plays are still believed in full without those of a source."""
    return bool(2 * (believed & ~mine).sum() >= len(believed))


def _judged(usual: _WithoutOutliers, groups: tuple[int, ...], span: float) -> dict[int, SourceVerdict]:
    """The judgement of each of these sources."""
    return {s: judge(*usual.beside(s), span) for s in groups}


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
        gain: Log odds against honesty with the noise of the others; negative if that is more probable.
        plain: The log odds if honest plays were never outliers.
        change: The sum of |r| over its measurements.
        scatter: How many times noisier it is than the others, most probably; at least 1.
        offset: a and b of an offset or a drift; 0 if that is not the explanation.
        factor: How many times noisier it is than the others; 1 if that is not the explanation.
    """

    gain: float
    plain: float
    change: float
    scatter: float = 1.0
    offset: tuple[float, float] = (0.0, 0.0)
    factor: float = 1.0

    @property
    def off(self) -> bool:
        """Whether it has an offset or a drift."""
        return self.offset != (0.0, 0.0)

    @property
    def noisier(self) -> bool:
        """Whether it is noisier, and nothing else."""
        return not self.off and self.factor > 1

    @property
    def anything(self) -> bool:
        """Whether its plays could be anything."""
        return not self.off and self.factor == 1

    def order(self, trusted: int) -> tuple[bool, int, float]:
        """The least trusted suspect first, and of these the strongest: to remove it may clear the others.

        Args:
            trusted: The rank of its trust level.
        """
        return self.gain > 0, -trusted, self.plain

    def like(self, worst: SourceVerdict) -> bool:
        """Whether it is off or noisier too, nearly as surely as the strongest suspect.

        Args:
            worst: The strongest suspect. What it did to the others is small beside that.
        """
        return not self.anything and self.gain > 0 and self.plain >= ALIKE * worst.plain


HONEST = SourceVerdict(-np.inf, -np.inf, 0.0)


def judge(posterior: JointPosterior, records: Records, mine: BoolArray, span: float) -> SourceVerdict:
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
    spaced = np.linspace(0, len(rows) - 1, min(len(rows), MOST_JUDGED))
    some = rows[spaced.astype(np.int64)]
    plays = records.arms[some], records.values[some], records.weights[some]
    when = None if records.when is None else records.when[some]
    return _explained(posterior, *plays, when, records.measurements[some] * (len(rows) / len(some)), span)


def _explained(
    posterior: JointPosterior,
    arms: IntArray,
    values: FloatArray,
    w: FloatArray,
    when: FloatArray | None,
    sizes: FloatArray,
    span: float,
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
    among = _Explained(r, V, H, rest, lam / w, o2)
    explained = {(i, 1.0): float(probable[i]) + np.log(LIARS) for i in range(1, len(H))}
    explained[0, 1.0] = -len(r) * np.log(max(span, float(np.ptp(values)))) + np.log(LIARS)
    noisier, scatter = among.noisier(span, arms)
    explained |= noisier
    (i, factor), best = max(explained.items(), key=lambda one: one[1])
    if noisier and (factor > 1 or i == 0):
        alone = _uniform(values, span) + np.log(LIARS)
        top = max(noisier, key=lambda one: noisier[one])
        (i, factor), best = ((0, 1.0), max(best, alone)) if alone > noisier[top] + ACCUSED else (top, best)
    offset = among.line(i, factor) if i > 0 else (0.0, 0.0)
    gains = best - float(probable[0]), best - float(plain[0])
    return SourceVerdict(*gains, float(np.abs(r) @ sizes), scatter, offset, factor)


def _uniform(values: FloatArray, span: float) -> float:
    """The log density of values that are uniform over a range that surely holds all, or over any range of their own.

    A priori the density of a range is proportional to 1/width^2; the mean over all ranges that hold the values remains.
    """
    n, own = len(values), float(np.ptp(values))
    any_range = -n * np.log(max(own, NARROWEST * span)) - np.log(n * (n + 1))
    return float(max(-n * np.log(WIDER * span), any_range) if own <= WIDER * span else any_range)


@dataclass(frozen=True, eq=False)
class _Explained:
    """What a source may be beside the others.

    Attributes:
        r: y - mu at its plays.
        V: The covariance of r.
        H: No offset, an offset, a drift: what is added to r is a combination of the columns.
        rest: For each of these, which plays are no outliers.
        noise: The variance of each play.
        o2: o^2.
    """

    r: FloatArray
    V: FloatArray
    H: FloatArray
    rest: BoolArray
    noise: FloatArray
    o2: float

    def noisier(self, span: float, arms: IntArray) -> tuple[dict[tuple[int, float], float], float]:
        """How probable it is that it is noisier, with each of H, by the best factor; and the best factor of all, or 1.

        With V = D^1/2 Q e Q^T D^1/2, where D is the noise, all factors have the same Q. There are none if it is more
        probable that the source lies, and says the same each time that it measures an arm.
        """
        top = max(LARGEST_FACTOR, WIDEST * span / float(np.sqrt(np.median(self.noise))))
        factors, root = np.append(1.0, np.geomspace(LEAST_FACTOR, top, FACTORS)), np.sqrt(self.noise)
        e, Q = np.linalg.eigh(self.V / np.outer(root, root))
        inverse = 1 / (np.maximum(e, 1.0) + (factors**2 - 1)[:, None])
        r, H = Q.T @ (self.r / root), Q.T @ (self.H / root[:, None])
        S = np.eye(2) / self.o2 + np.einsum("hni,cn,hnj->hcij", H, inverse, H)
        b = np.einsum("hni,cn,n->hci", H, inverse, r)
        quadratic = inverse @ r**2 - np.einsum("hci,hci->hc", b, np.linalg.solve(S, b[..., None])[..., 0])
        log_det = np.linalg.slogdet(self.o2 * S)[1] - np.log(inverse).sum(axis=1) + np.log(self.noise).sum()
        density = -0.5 * (quadratic + log_det + len(r) * np.log(2 * np.pi))
        repeated = self.V + self.o2 * (arms[:, None] == arms)
        same = -0.5 * (self.r @ np.linalg.solve(repeated, self.r) + np.linalg.slogdet(2 * np.pi * repeated)[1])
        found = logsumexp(density[:, 1:], axis=1) - np.log(FACTORS) + np.log(NOISIER)
        lying = np.log(LIARS) * (np.arange(len(found)) > 0)
        found += lying
        scatter = float(factors[np.argmax((density + lying[:, None]).max(axis=0))])
        if same + np.log(LIARS) > found.max():
            return {}, scatter
        best = factors[1 + np.argmax(density[:, 1:], axis=1)].tolist()
        return {(i, factor): float(found[i]) for i, factor in enumerate(best)}, scatter

    def line(self, i: int, factor: float) -> tuple[float, float]:
        """a and b of an offset or a drift, with a noise that is larger by a factor."""
        some = self.rest[i] if factor == 1 else np.ones(len(self.r), dtype=np.bool_)
        V, H = (self.V + (factor**2 - 1) * np.diag(self.noise))[np.ix_(some, some)], self.H[i, some]
        solved = np.linalg.solve(V, np.column_stack([H, self.r[some]]))
        normal = H.T @ solved  # H^T V^-1 H, and H^T V^-1 r
        a, b = np.linalg.solve(np.eye(2) / self.o2 + normal[:, :2], normal[:, 2])
        return float(a), float(b)


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
