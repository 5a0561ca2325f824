"""If every vote is honest, is the leader better than chance explains? Judged once, at the end.

    H   Hessian of -L at the scores        g_v   gradient of the votes of one voter, or of one vote

The covariance of the scores is H^-1 (sum g_v g_v^T) H^-1: it is right although the votes of a voter depend on each
other (clusters.py), and although the model is not. Where voters are named, the larger of both variances counts. A lead
is compared with Student's t; with few votes the likelihood ratio may be more careful, then it counts. Both sides count,
and Holm's correction allows for all rivals.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, stdtr, stdtrit

from unswayed.audits.votes.clusters import Clusters
from unswayed.audits.votes.data import VoteData
from unswayed.core.votes import fit
from unswayed.core.votes.bradley_terry import slope_and_bend
from unswayed.core.votes.duels import information, log_evidence
from unswayed.core.votes.leads import Lead
from unswayed.types import BoolArray, FloatArray, IntArray

ENOUGH = 9.0  # degrees of freedom of what voters say: with fewer no evidence holds whenever somebody looks


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores of all options, and how precise they are.

    Attributes:
        theta: Of each option.
        covariances: Of these, if votes are independent, and if only voters are; one if voters are not known.
        freedom: The degrees of freedom of each.
        part: Of each option: options of different parts were never compared, not even through others.
    """

    theta: FloatArray
    covariances: tuple[FloatArray, ...]
    freedom: FloatArray
    part: IntArray

    @classmethod
    def of(cls, data: VoteData, ridge: float) -> Scores:
        """From votes.

        Args:
            data: The votes.
            ridge: Of the scores.
        """
        wins = data.votes.wins
        theta = fit(wins, ridge)
        inverse = _inverse(wins, theta, ridge)
        meats, freedom = [_by_vote(data, theta)], (wins + wins.T).sum(axis=1) - 1
        if data.voters is not None and len(np.unique(data.voter)) > 1:  # of one nobody knows how much voters differ
            clusters = Clusters.of(data, theta)
            meats, freedom = [*meats, clusters.meat], np.minimum(freedom, clusters.freedom)
        covariances = tuple(inverse @ meat @ inverse for meat in meats)
        return cls(theta, covariances, np.maximum(freedom, 1.0), parts_of(wins))

    def deviation(self, a: int) -> FloatArray:
        """The standard deviation of the lead of an option over each one; 0 over itself.

        Args:
            a: The option.
        """
        variances = [C[a, a] + np.diagonal(C) - 2 * C[a] for C in self.covariances]
        return np.asarray(np.sqrt(np.maximum(np.max(variances, axis=0), 0.0)))

    def by_chance(self, a: int, leads: list[Lead] | None = None) -> FloatArray:
        """The probability of the difference between an option and each other one by chance; 1 for itself.

        Args:
            a: The option.
            leads: Over each other option; with few votes their likelihood ratio is more careful.
        """
        apart, deviation = np.abs(self.theta[a] - self.theta), self.deviation(a)
        z = np.where(deviation > 0, apart / np.where(deviation > 0, deviation, 1.0), 0.0)
        for one in leads or ():
            z[one.rival] = min(z[one.rival], np.sqrt(2 * one.evidence))
        freedom = np.minimum(self.freedom, self.freedom[a])
        return np.where(self.part == self.part[a], 2 * stdtr(freedom, -z), 1.0)

    def interval(self, a: int, delta: float) -> tuple[float, float]:
        """The interval of the score of an option, relative to the mean of all.

        Args:
            a: The option.
            delta: The probability that it fails.
        """
        centred = max(float(C[a, a] - 2 * C[a].mean() + C.mean()) for C in self.covariances)
        half = float(-stdtrit(self.freedom[a], delta / 2) * np.sqrt(max(centred, 0.0)))
        middle = float(self.theta[a] - self.theta.mean())
        return middle - half, middle + half

    def ranks(self, delta: float) -> list[tuple[int, int]]:
        """The ranks that each option may have.

        Args:
            delta: The probability that those of one option are wrong.
        """
        size = len(self.theta)
        found = []
        for a in range(size):
            different = self.by_chance(a) <= delta / max(size - 1, 1)
            better: BoolArray = different & (self.theta > self.theta[a])
            worse = different & (self.theta < self.theta[a])
            found.append((1 + int(better.sum()), size - int(worse.sum())))
        return found


def always_by_chance(data: VoteData, scores: Scores, found: list[Lead], ridge: float) -> float:
    """The probability of the lead over all rivals by chance, for somebody who looks after every vote.

    By the evidence of core/votes/duels.py, corrected for the number of rivals; 1 if voters are too few to tell.

    Args:
        data: The votes.
        scores: Of all options.
        found: The lead over each rival.
        ridge: Of the scores.
    """
    if len(scores.covariances) > 1 and scores.freedom[[found[0].leader, *(one.rival for one in found)]].min() < ENOUGH:
        return 1.0
    D = np.array([one.votes for one in found])
    known = information(data.votes.wins, found, ridge=ridge) * inflation(data, scores, found, ridge)
    return float(min(len(found) * np.exp(-log_evidence(D, known).min()), 1.0))


def inflation(data: VoteData, scores: Scores, found: list[Lead], ridge: float) -> FloatArray:
    """How many times the variance of each lead is that of votes that do not depend on who voted; at least 1.

    Args:
        data: The votes.
        scores: Of all options.
        found: The lead over each rival.
        ridge: Of the scores.
    """
    if len(scores.covariances) == 1:
        return np.ones(len(found))
    leader, rivals = found[0].leader, [one.rival for one in found]
    inverse = _inverse(data.votes.wins, scores.theta, ridge)
    variance = (inverse[leader, leader] + np.diagonal(inverse) - 2 * inverse[leader])[rivals]
    return np.asarray(np.maximum(scores.deviation(leader)[rivals] ** 2 / variance, 1.0))


def _inverse(wins: FloatArray, theta: FloatArray, ridge: float) -> FloatArray:
    """H^-1, but for the mean of all scores: only the ridge knows it, and no lead depends on it."""
    bend = slope_and_bend(wins, theta, ridge)[1]
    return np.asarray(np.linalg.inv(bend + np.diagonal(bend).mean() / len(bend)))


def parts_of(wins: FloatArray) -> IntArray:
    """The part of each option: votes lead from each option of a part to each other one."""
    return np.asarray(connected_components(wins > 0, directed=False)[1], dtype=np.int64)


def _by_vote(data: VoteData, theta: FloatArray) -> FloatArray:
    """The sum of g g^T over votes: a Laplacian."""
    won, tied = data.votes.won, data.votes.tied
    p = expit(theta[:, None] - theta[None, :])
    each = won * (1 - p) ** 2 + tied / 2 * (0.5 - p) ** 2
    square = each + each.T
    return np.asarray(np.diag(square.sum(axis=1)) - square)


def holm(p: FloatArray) -> FloatArray:
    """Probabilities by chance, corrected for their number."""
    order = np.argsort(p)
    raised = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(raised, 1.0)
    return corrected
