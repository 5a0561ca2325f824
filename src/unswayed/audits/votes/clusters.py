"""How precise scores are if the votes of one voter depend on each other, as tastes make them.

    g_va   gradient of voter v's votes for option a     I_va   its variance by the model
    h_va   I_va over its sum over voters                w_va   1/I_va + t: variance of what v says, t that of tastes

What v says of a is off the mean of all by about 1 - 2 h_va + s_a/w_va of w_va, s_a = sum_v h_va^2 w_va: one voter with
most of the votes is hardly off, because the mean is mostly that voter. So g_va is divided by the root of that share.
A sum of such squares is known as well as one of (its mean)^2 2/(its variance) independent ones (Satterthwaite; Bell
and McCaffrey 2002): n - 1 of n voters with as many votes each, and far fewer if some vote far more than others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_matrix
from scipy.special import expit

from unswayed.audits.votes.data import VoteData
from unswayed.types import FloatArray, IntArray

LEAST_VARIANCE = 1e-12  # of what is certain by the model
LEAST_SHARE = 0.01  # of a variance that is left of a voter with nearly all votes: the degrees of freedom are near 1


@dataclass(frozen=True, eq=False)
class Clusters:
    """What voters say of options, a cell for each voter and option.

    Attributes:
        meat: The sum of g_v g_v^T over voters, corrected for how much each moves the mean.
        freedom: The degrees of freedom of the variance of each option's score.
    """

    meat: FloatArray
    freedom: FloatArray

    @classmethod
    def of(cls, data: VoteData, theta: FloatArray) -> Clusters:
        """From votes with voters.

        Args:
            data: The votes.
            theta: The scores.
        """
        b, size = data.ballots, len(theta)
        p = expit(theta[b.over] - theta[b.under])
        off = b.number * (np.where(b.tie == 1, 0.5, 1.0) - p)
        cell, where = np.unique(np.tile(b.voter, 2) * size + np.concatenate([b.over, b.under]), return_inverse=True)
        voter, option = cell // size, cell % size
        g = np.bincount(where.reshape(-1), weights=np.concatenate([off, -off])).astype(np.float64)
        known = np.maximum(np.bincount(where.reshape(-1), weights=np.tile(b.number * p * (1 - p), 2)), LEAST_VARIANCE)
        h, w, freedom = _precision(option, g, known, size)
        s = np.bincount(option, weights=h**2 * w, minlength=size)
        left = np.maximum(1 - 2 * h + s[option] / w, LEAST_SHARE)
        each = coo_matrix((g / np.sqrt(left), (voter, option)), shape=(int(voter.max()) + 1, size)).tocsr()
        return cls(np.asarray((each.T @ each).toarray()), freedom)


def _precision(
    option: IntArray, g: FloatArray, known: FloatArray, size: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """h and w of each cell, and the degrees of freedom of each option."""

    def added(values: FloatArray) -> FloatArray:
        return np.bincount(option, weights=values, minlength=size).astype(np.float64)

    h = known / added(known)[option]
    tastes = np.maximum(added(g**2) - added(known), 0) / np.maximum(added(known**2), 1e-300)
    w = 1 / known + tastes[option]
    s = added(h**2 * w)
    a, k = h**2 / np.maximum(1 - 2 * h + s[option] / w, LEAST_SHARE), h * w
    own = w - 2 * k + s[option]
    square = added(a**2 * (own**2 - (own - w) ** 2))
    square += (added(a) * s) ** 2 - 4 * s * added(a) * added(a * k)
    square += 2 * added(a) * added(a * k**2) + 2 * added(a * k) ** 2
    return h, w, np.maximum(added(a * own) ** 2 / np.maximum(square, 1e-300), 1.0)
