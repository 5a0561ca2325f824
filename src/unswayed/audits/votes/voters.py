"""Voters whose votes chance and the others do not explain.

    p_i    probability that vote i says what it says, by the scores of all     X    a sum of scores of one voter's votes

    contrary     X = sum of -ln p_i: agrees with nobody
    promotes     X = wins of one option              attacks    X = its losses
    side         X = how often the left option is preferred, or the right one

By Chernoff's bound an honest voter has a sum of at least X with probability at most min_s exp(K(s) - s X), K the
logarithm of the moment generating function: it needs no large numbers. The exponents are divided by how much more than
chance the voters differ (tastes are no lies), and compared with the number of all sums that were looked at. How much
they differ is itself an estimate, of f degrees of freedom: the mean of exp(-e W) is (1 + 2e/f)^(-f/2), f W from chi^2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, gammaincc

from unswayed.audits.votes.data import LEFT, RIGHT, TIE, VoteData
from unswayed.core.votes import fit
from unswayed.types import BoolArray, FloatArray, IntArray

FALSE_ALARM = 0.01  # probability that an honest table has a suspect, at most
TILTS = np.concatenate([np.linspace(0.05, 1, 20), np.linspace(1.25, 4, 12)])  # s; every one gives a valid bound
ROUNDS = 4  # of naming suspects and fitting without them
FEWEST_VOTERS = 6  # of fewer nobody can tell a liar from a taste
SPREAD_OF = 40  # sums that tell how much voters differ, at least, if there are so many
DIVISIVE_OF, CLEARLY = 20, 2.0  # sums, and times the variance: an option about which voters differ more than usual
EFFICIENCY = 0.37  # of the quartiles: they know a standard deviation as well as so many times the sums, all used
QUARTILES = 1.349  # standard deviations between the quartiles of a normal distribution
OFTEN, MANY = 10.0, 100  # times the votes of nine voters in ten, and votes, that are far too often
LEAST_VARIANCE = 1.0  # of a sum that tells how much voters differ
LARGEST_TASTE = 100.0  # variance of tastes, in units of scores
ONE_SIDED = 0.9  # of the votes about an option: such a voter may belong to a group that promotes it
NARROW = 0.3  # of the votes, by voters who vote about one option only: with more, that is how people vote here


@dataclass(frozen=True)
class Suspect:
    """A voter whose votes the others do not explain.

    Attributes:
        voter: Its number.
        votes: How many votes it has.
        why: "contrary", "promotes", "attacks", "left" or "right".
        option: The option that is promoted or attacked.
        seen: The votes that count for this.
        expected: How many of them would be expected.
        among: Of how many.
        probability: Of that much by chance, corrected for all that was looked at; at most.
    """

    voter: int
    votes: int
    why: str
    option: int | None
    seen: float
    expected: float
    among: int
    probability: float


@dataclass(frozen=True, eq=False)
class _Sums:
    """Sums of scores of 0 or 1, or of surprises: who, about what, and the rows that add up to each."""

    why: str
    voter: IntArray
    option: IntArray | None
    seen: FloatArray
    expected: FloatArray
    variance: FloatArray
    among: IntArray
    exponent: FloatArray

    @property
    def about(self) -> IntArray:
        """The option of each sum; 0 if they are about none."""
        return np.zeros(len(self.voter), dtype=np.int64) if self.option is None else self.option


@dataclass(frozen=True, eq=False)
class _Tastes:
    """By how much voters differ more than chance about each option, and the degrees of freedom of that."""

    variance: FloatArray
    freedom: FloatArray

    def exponent(self, exponent: FloatArray, variance: FloatArray, option: IntArray) -> FloatArray:
        """Of a bound by chance, divided by how much more voters differ."""
        return np.asarray(exponent / (1 + self.variance[option] * variance))

    def tail(self, exponent: FloatArray, option: IntArray) -> FloatArray:
        """The exponent that is left, as it is not known how much they differ."""
        free = self.freedom[option]
        return np.asarray(free / 2 * np.log1p(2 * exponent / free))


def suspected(data: VoteData, ridge: float) -> tuple[Suspect, ...]:
    """The suspects, with the scores of the others.

    Args:
        data: The votes.
        ridge: Of the scores.
    """
    if data.voters is None or voters_who_chose(data) < FEWEST_VOTERS:
        return ()
    found: dict[int, Suspect] = {}
    narrow = _narrow(data)[data.voter]
    if narrow.any():  # they are judged by the scores of the others, before they can move them
        others = data.only(~narrow)
        theta = fit(others.votes.wins, ridge)
        tastes = [_taste(one, len(theta)) for one in _all_sums(others, theta)[1:3]]
        sums = _all_sums(data.only(narrow), theta)[1:3]
        found = {one.voter: one for one in [*_together(data, sums, tastes), *_too_large(data, sums, tastes)]}
    for _ in range(ROUNDS):
        kept = ~np.isin(data.voter, list(found))
        if not kept.any():
            break
        theta = fit(data.only(kept).votes.wins, ridge)
        now = {one.voter: one for one in _named(data, theta)}
        if now.keys() <= found.keys():
            break
        found |= {voter: one for voter, one in now.items() if voter not in found}
    return tuple(sorted(found.values(), key=lambda one: (one.probability, -one.votes, one.voter)))


def voters_who_chose(data: VoteData) -> int:
    """How many voters preferred an option, at least once."""
    return len(np.unique(data.voter[data.said != TIE]))


def often(data: VoteData) -> list[int]:
    """Voters with far more votes than nearly all others."""
    if data.voters is None:
        return []
    votes = np.bincount(data.voter, weights=data.number, minlength=len(data.voters))
    many = (votes > MANY) & (votes > OFTEN * np.quantile(votes, 0.9))
    return [int(voter) for voter in np.flatnonzero(many)[np.argsort(-votes[many])]]


def _named(data: VoteData, theta: FloatArray) -> list[Suspect]:
    """Voters with a sum that is too large, by the scores and tastes of all."""
    sums = _all_sums(data, theta)
    return _too_large(data, sums, [_taste(one, len(theta)) for one in sums])


def _too_large(data: VoteData, sums: list[_Sums], tastes: list[_Tastes]) -> list[Suspect]:
    """Voters with a sum that is too large, each for the worst of its sums."""
    looked_at = sum(len(one.voter) for one in sums)
    votes = np.bincount(data.voter, weights=data.number, minlength=len(data.voters or ()))
    worst: dict[int, Suspect] = {}
    for one, taste in zip(sums, tastes, strict=True):
        probability = looked_at * np.exp(-taste.tail(taste.exponent(one.exponent, one.variance, one.about), one.about))
        for i in np.flatnonzero(probability <= FALSE_ALARM):
            voter, p = int(one.voter[i]), float(probability[i])
            if voter not in worst or p < worst[voter].probability:
                option = None if one.option is None else int(one.option[i])
                about = (float(one.seen[i]), float(one.expected[i]), int(one.among[i]))
                worst[voter] = Suspect(voter, int(votes[voter]), one.why, option, *about, p)
    return list(worst.values())


def _together(data: VoteData, sums: list[_Sums], tastes: list[_Tastes]) -> list[Suspect]:
    """Voters who are not suspicious alone, but all say the same of one option: their tastes would not agree by chance.

    Each sum of one voter's is bounded on its own; the bounds of independent voters multiply.
    """
    size, found = len(data.labels), []
    votes = np.bincount(data.voter, weights=data.number, minlength=len(data.voters or ()))
    for one, taste in zip(sums, tastes, strict=True):
        assert one.option is not None
        half = one.among > votes[one.voter] / 2  # the option that they vote about
        one_sided = half & (one.seen >= ONE_SIDED * one.among)
        exponent = taste.exponent(np.where(one.seen > one.expected, one.exponent, 0.0), one.variance, one.about)
        pooled = np.bincount(one.option[half], weights=exponent[half], minlength=size).astype(np.float64)
        number = np.bincount(one.option[half], minlength=size)
        # the sum of n exponents, each exceeding e with probability at most exp(-e), has a gamma distribution
        p = 2 * size * gammaincc(np.maximum(number, 1), taste.tail(pooled, np.arange(size)))
        for i in np.flatnonzero(one_sided & (p[one.option] <= FALSE_ALARM) & (number[one.option] > 1)):
            voter, option = int(one.voter[i]), int(one.option[i])
            about = (float(one.seen[i]), float(one.expected[i]), int(one.among[i]))
            found.append(Suspect(voter, int(votes[voter]), one.why, option, *about, float(p[option])))
    return found


def _narrow(data: VoteData) -> BoolArray:
    """Which voters vote about one option far more often than all do; nobody if that is how people vote here."""
    size, number = len(data.labels), data.number.astype(np.float64)
    about, mine = np.concatenate([data.left, data.right]), np.tile(number, 2)
    share = np.bincount(about, weights=mine, minlength=size) / number.sum()
    votes = np.bincount(data.voter, weights=number, minlength=len(data.voters or ()))
    cell, where = np.unique(np.tile(data.voter, 2) * size + about, return_inverse=True)
    seen, of, p = np.bincount(where.reshape(-1), weights=mine), votes[cell // size], share[cell % size]
    exponent = np.zeros(len(cell))
    for s in TILTS:
        exponent = np.maximum(exponent, s * seen - of * np.log1p(p * np.expm1(s)))
    narrow = np.zeros(len(votes), dtype=np.bool_)
    narrow[cell[(exponent > np.log(len(cell) / FALSE_ALARM)) & (seen > of / 2)] // size] = True
    return narrow if votes[narrow].sum() <= NARROW * votes.sum() else np.zeros_like(narrow)


def _taste(sums: _Sums, size: int) -> _Tastes:
    """By how much voters differ more than chance, about all options, and about each that divides them clearly more."""
    V, off, about = sums.variance, sums.seen - sums.expected, sums.about
    largest = np.sort(V)[::-1][: max(len(V) // 4, SPREAD_OF)]
    tells = max(LEAST_VARIANCE, float(largest.min(initial=np.inf))) <= V
    t = _spread(V[tells], off[tells])
    # the sums of a voter for all options add up to 0
    free = EFFICIENCY * tells.sum() * (1.0 if sums.option is None else 1 - 1 / len(np.unique(about)))
    found = _Tastes(np.full(size, t), np.full(size, max(free, 1.0)))
    for option in np.unique(about):
        mine = (about == option) & (LEAST_VARIANCE <= V)
        if mine.sum() < DIVISIVE_OF:
            continue
        own, usual = _spread(V[mine], off[mine]), float(np.median(V[mine]))
        if 1 + own * usual > CLEARLY * (1 + t * usual):
            found.variance[option], found.freedom[option] = own, EFFICIENCY * mine.sum()
    return found


def _spread(V: FloatArray, off: FloatArray) -> float:
    """How much more than chance sums are off: tastes move all votes of a voter alike.

    The variance of a sum is V + t V^2, V that of chance; t is the one with which the quartiles are those of a normal
    distribution.
    """
    if not len(V):
        return 0.0

    def too_wide(t: float) -> float:
        low, high = np.quantile(off / np.sqrt(V + t * V**2), [0.25, 0.75])
        return float(high - low) - QUARTILES

    if too_wide(0.0) <= 0:
        return 0.0
    return LARGEST_TASTE if too_wide(LARGEST_TASTE) >= 0 else float(brentq(too_wide, 0.0, LARGEST_TASTE))


def _all_sums(data: VoteData, theta: FloatArray) -> list[_Sums]:
    sided = data.said != TIE
    left, right, voter = data.left[sided], data.right[sided], data.voter[sided]
    number, won = data.number[sided].astype(np.float64), data.said[sided] == LEFT
    p = expit(theta[left] - theta[right])
    sums = [_surprises(voter, number, np.where(won, p, 1 - p))]
    size = len(data.labels)
    both = np.tile(voter, 2), np.concatenate([left, right]), np.tile(number, 2)
    chance, wins = np.concatenate([p, 1 - p]), np.concatenate([won, ~won])
    cell, where = np.unique(both[0] * size + both[1], return_inverse=True)
    for why, q, score in (("promotes", chance, wins), ("attacks", 1 - chance, ~wins)):
        sums.append(_counts(why, cell // size, cell % size, where.reshape(-1), both[2], q, score))
    if data.sides:
        share = _left_share(p, won, number)
        who, where = np.unique(voter, return_inverse=True)
        for why, q, score in (("left", share, won), ("right", 1 - share, ~won)):
            sums.append(_counts(why, who, None, where.reshape(-1), number, q, score))
    return sums


def _left_share(p: FloatArray, won: BoolArray, number: FloatArray) -> FloatArray:
    """The probabilities with an advantage of the left side, if all together have one: one step of Newton."""
    advantage = float((number * (won - p)).sum() / max((number * p * (1 - p)).sum(), LEAST_VARIANCE))
    odds = np.log(np.maximum(p, 1e-300)) - np.log(np.maximum(1 - p, 1e-300))
    return np.asarray(expit(odds + advantage))


def _counts(
    why: str,
    voter: IntArray,
    option: IntArray | None,
    where: IntArray,
    number: FloatArray,
    p: FloatArray,
    score: BoolArray,
) -> _Sums:
    """Sums of outcomes that have these probabilities."""
    size = len(voter)

    def added(values: FloatArray) -> FloatArray:
        return np.bincount(where, weights=values, minlength=size).astype(np.float64)

    seen, expected = added(number * score), added(number * p)
    exponent = np.zeros(size)
    for s in TILTS:
        exponent = np.maximum(exponent, s * seen - added(number * np.log1p(p * np.expm1(s))))
    among = added(number).astype(np.int64)
    return _Sums(why, voter, option, seen, expected, added(number * p * (1 - p)), among, exponent)


def _surprises(voter: IntArray, number: FloatArray, p: FloatArray) -> _Sums:
    """Sums of -ln p of what was said; counted are the votes against the odds."""
    who, where = np.unique(voter, return_inverse=True)
    where, p = where.reshape(-1), np.clip(p, 1e-12, 1 - 1e-12)
    q = 1 - p

    def added(values: FloatArray) -> FloatArray:
        return np.bincount(where, weights=values, minlength=len(who)).astype(np.float64)

    surprise = added(-number * np.log(p))
    exponent = np.zeros(len(who))
    for s in TILTS:
        exponent = np.maximum(exponent, s * surprise - added(number * np.log(p ** (1 - s) + q ** (1 - s))))
    seen, expected = added(number * (p < 0.5)), added(number * np.minimum(p, q))
    among = added(number).astype(np.int64)
    return _Sums("contrary", who, None, seen, expected, added(number * p * q), among, exponent)


def left_wins(data: VoteData, theta: FloatArray) -> tuple[float, float, float] | None:
    """How often the left option is preferred, how often it would be expected, and how many deviations that is.

    Args:
        data: The votes.
        theta: The scores.
    """
    sided = np.isin(data.said, (LEFT, RIGHT))
    if not data.sides or not sided.any():
        return None
    p = expit(theta[data.left[sided]] - theta[data.right[sided]])
    number, won = data.number[sided].astype(np.float64), data.said[sided] == LEFT
    total, variance = number.sum(), (number * p * (1 - p)).sum()
    difference = float((number * (won - p)).sum())
    return (
        float((number * won).sum() / total),
        float((number * p).sum() / total),
        difference / float(np.sqrt(max(variance, LEAST_VARIANCE))),
    )
