"""Which duel makes the leader certain soonest, and evidence for a lead that holds whenever somebody looks.

    D    how many votes the leader is ahead of a rival by (leads.py)
    I    the variance of D if the two are level: the conductance between them in the network of votes

If two options are level, D is a sum of steps with mean 0 as votes come in, and exp(c D - c^2 I/2) does not grow on
average, whatever c is; exactly so for votes between the two. Over c from N(0, 1) its mean is

    e = (1 + I)^(-1/2) exp(D^2 / (2 (1 + I))),

which ever exceeds 1/delta with probability at most delta (Ville's inequality), whoever chooses the duels and ends them.

A false vote changes D by no more than 1. So the leader is certain over a rival once D, less the votes that may be
false, is more than luck explains: then it is the best option also by the votes as they would be without lies. What
lying voters may have added is a loose bound, so D has to exceed that, and luck on its own. D/I
is about the difference of their scores, and what D lacks, over I, is by how much the rival may still be better. The
next duel is between the leader and the rival that may be better by most: one that was hardly compared, or is close.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unswayed.core.votes.bradley_terry import RIDGE, slope_and_bend
from unswayed.core.votes.leads import FITS_AT_ONCE, Lead
from unswayed.types import FloatArray

AHEAD = 0.5  # votes: a lead of exactly what lying voters may have added is level with the rival
CLOSEST = 0.01  # p - 1/2: nobody collects the 50,000 votes that tell options apart that are closer


def information(wins: FloatArray, found: Sequence[Lead], *, ridge: float = RIDGE) -> FloatArray:
    """I of each lead.

    Args:
        wins: Votes of the option of the row over that of the column.
        found: The leads, of these votes.
        ridge: Of the scores.
    """
    size = max(1, FITS_AT_ONCE // max(wins.size, 1))
    parts = [_information(wins, found[begin : begin + size], ridge) for begin in range(0, len(found), size)]
    return np.concatenate(parts) if parts else np.empty(0)


def _information(wins: FloatArray, found: Sequence[Lead], ridge: float) -> FloatArray:
    apart = np.zeros((len(found), len(wins)))
    rows = np.arange(len(found))
    apart[rows, [one.leader for one in found]] = 1
    apart[rows, [one.rival for one in found]] = -1
    bend = slope_and_bend(wins, np.array([one.scores for one in found]), ridge)[1]
    resistance = (apart * np.linalg.solve(bend, apart[..., None])[..., 0]).sum(axis=1)
    return np.asarray(1 / resistance)


def log_evidence(D: FloatArray, information: FloatArray) -> FloatArray:
    """ln e of each lead; a rival that is ahead has none.

    Args:
        D: By how many votes the leader is ahead.
        information: I.
    """
    return np.asarray(np.maximum(D, 0.0) ** 2 / (2 * (1 + information)) - np.log1p(information) / 2)


def wanted_evidence(rivals: int, delta: float) -> float:
    """What ln e has to be over each rival, so that the best option is one that seems beaten with probability delta.

    Args:
        rivals: How many.
        delta: That probability.
    """
    return float(np.log(max(rivals, 1) / delta))


def has_to_be(information: FloatArray, wanted: float, lies: float, reach: FloatArray) -> FloatArray:
    """D from which on a lead is certain.

    Args:
        information: I of each lead.
        wanted: What ln e has to be.
        lies: How many votes may be false.
        reach: How many votes lying voters may have added to D; 0 if there are none.
    """
    clear = np.sqrt(2 * (1 + information) * (wanted + np.log1p(information) / 2))
    return np.asarray(np.maximum(reach + AHEAD, lies + clear))


def votes_needed(p: FloatArray, lacking: FloatArray, missing: FloatArray, liars: float = 0.0) -> FloatArray:
    """About how many duels with the leader make it certain over each rival; 0 if it is, infinite if none do.

    A duel raises D by p - 1/2 on average, and ln e by about 2 (p - 1/2)^2. Of the votes of liars, those for the leader
    may be false.

    Args:
        p: How likely the leader is preferred to it.
        lacking: By how many votes the lead over it is less than what false votes may have added.
        missing: By how much ln e of the rest of the lead is too small.
        liars: The share of the votes that lying voters may have.
    """
    gain = np.maximum(p - 0.5, CLOSEST)
    honest = gain - liars * p
    enough = np.where(honest > 0, lacking / np.where(honest > 0, honest, 1.0), np.inf)
    return np.asarray(np.where(lacking > 0, enough, 0.0) + np.maximum(missing, 0.0) / (2 * gain**2))


def judges_needed(p: FloatArray, liars: int) -> int:
    """How many judges have to vote, if some of them may lie, so that enough votes make the leader certain.

    Args:
        p: How likely the leader is preferred to each rival.
        liars: How many may lie.
    """
    return int(np.floor(liars * p / np.maximum(p - 0.5, CLOSEST)).max(initial=0)) + 1
