"""How far honest measurements lie from what is expected: farther than normal noise if they did so before.

    r    distances from what is expected, on one side, in noise deviations        s    their scale
    nu   degrees of freedom of a Student t: few for heavy tails, for skewed values and for noises that differ

Prices, revenues with many zeros and instruments that slip now and then have outliers although nobody lies. So a suspect
has to lie outside the tail that all nearer measurements on its side show. The nearest suspect is looked at first: if it
belongs to the tail, it tells how long the tail is for the next one. Behind the first one that does not, all are false.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, stdtrit

from unswayed.types import FloatArray

FREEDOMS = np.array([1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 1000.0])  # the last one is as good as normal
SCALES = np.geomspace(0.05, 20.0, 60)  # s, in units of the median distance
HEAVY = 1.0  # log odds against heavy tails before anything is measured
LEAST = 8  # with fewer distances the tail is not known
MOST = 2000  # distances that are looked at


def outside(distances: FloatArray, suspects: FloatArray, chance: float) -> int:
    """How many of the suspects belong to the tail of the others, the nearest first.

    Args:
        distances: The distances of the measurements that are no suspects, on one side.
        suspects: Those of the suspects on that side, in ascending order.
        chance: The probability that one honest measurement lies farther than what is allowed, on either side.
    """
    for number, suspect in enumerate(suspects):
        known = np.append(distances, suspects[:number])
        known = known[known > 0]
        if len(known) < LEAST or suspect > tail(known, chance):
            return number
    return len(suspects)


def tail(distances: FloatArray, chance: float) -> float:
    """The distance that honest measurements exceed with this probability, by the most probable Student t.

    Args:
        distances: Positive distances.
        chance: The probability, on either side.
    """
    r = distances if len(distances) <= MOST else np.quantile(distances, (np.arange(MOST) + 0.5) / MOST)
    scales = SCALES * float(np.median(r))
    squares = np.square(r[:, None] / scales)
    best, found = -np.inf, np.inf
    for nu in FREEDOMS:
        each = gammaln((nu + 1) / 2) - gammaln(nu / 2) - 0.5 * np.log(nu)
        score = len(r) * each - 0.5 * (nu + 1) * np.log1p(squares / nu).sum(axis=0) - len(r) * np.log(scales)
        score = score - (HEAVY if nu < FREEDOMS[-1] else 0.0)
        if (top := float(score.max())) > best:
            best, found = top, float(scales[np.argmax(score)] * -stdtrit(nu, chance / 2))
    return found
