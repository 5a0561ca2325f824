"""What is proved about the winner, with probability 1 - delta, if lies stayed within a threat.

Counts: an interval for each option with delta/N, valid at any time and for any allocation (core/data/counts.py).
Values: a wrong winner a can only be certified if mean_a - mean_best - (f_a - f_best) > t sd, an event for each other
option, one-sided, with delta/(N - 1) each. The noise is given, or pooled from repeats if it is not, or if they show
more; then t is Student's, and Welch's for options whose repeats differ more than those of the others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import chdtri, fdtri, ndtri, stdtrit

from unswayed.audits.labels.data import LabelData, added
from unswayed.audits.labels.lies import false_rows, given_up, powers
from unswayed.core.data.counts import lower_rate, most_forged, upper_rate
from unswayed.core.tampering.threat import Threat
from unswayed.judgement.noise import Repeats
from unswayed.types import BoolArray, FloatArray, IntArray

UNEQUAL = 0.05  # probability that an option seems to have more noise than the others where all have the same
TINY = 1e-300


@dataclass(frozen=True, eq=False, repr=False)
class Proof:
    """What is proved of the winner.

    Attributes:
        delta: Probability that it is wrong.
        threat: The tampering that it allows for.
        candidates: The options that may be the best, the winner among them.
        largest_gap: The winner is at most this far from the best; infinite if a lie may be of any size.
        lies: The winner is the best unless more than this number of values are false, in addition to the rest of the
            threat; -1 if it may not be the best even without a false value.
        best_untampered: Whether the winner is the best if there was no tampering at all.
        noise_std: The noise of one value that this rests on; None for counts.
    """

    delta: float
    threat: Threat
    candidates: tuple[int, ...]
    largest_gap: float
    lies: int
    best_untampered: bool
    noise_std: float | None = None

    @property
    def best(self) -> bool:
        """Whether the winner is the best against this threat."""
        return len(self.candidates) == 1

    def __repr__(self) -> str:
        return f"Proof(candidates={len(self.candidates)}, lies={self.lies}, delta={self.delta:g})"


def intervals(data: LabelData, delta: float) -> tuple[FloatArray, FloatArray]:
    """The rates that each option may have, at any time, with delta for all of them together; larger is better."""
    s, n, alpha = data.option_successes, data.option_trials, delta / len(data.labels)
    return lower_rate(s, n, alpha), upper_rate(s, n, alpha)


def prove_counts(data: LabelData, winner: int, threat: Threat, delta: float) -> Proof:
    """The proof for counts: what liars and a total can move comes first, then lies one by one."""
    s, n, alpha = data.option_successes, data.option_trials, delta / len(data.labels)
    fewer, more = _moved(data, winner, threat)
    lies = most_forged(s, n, winner, alpha, fewer=fewer, more=more)
    plain = lies if fewer == 0 and not more.any() else most_forged(s, n, winner, alpha)
    k = threat.lies
    low = float(lower_rate(max(int(s[winner]) - fewer - k, 0), n[winner], alpha))
    high = upper_rate(np.minimum(s + more + k, n), n, alpha)
    high[winner] = -np.inf
    open_ = np.flatnonzero(high >= low) if lies < k else np.empty(0, dtype=np.int64)
    candidates = (winner, *(int(i) for i in open_))
    gap = max(float(high.max()) - low, 0.0) if lies < k else 0.0
    return Proof(delta, threat, candidates, gap, lies, plain >= 0)


def _moved(data: LabelData, winner: int, threat: Threat) -> tuple[int, IntArray]:
    """Successes that liars and a total may have added to the winner, and hidden from each option: at most these."""
    size, amount = len(data.labels), given_up(data, winner)
    moved = np.zeros(size, dtype=np.int64)
    if threat.total > 0:
        largest = np.zeros(size)
        np.maximum.at(largest, data.option, data.weights)
        moved += np.ceil(np.minimum(threat.total * largest, data.total)).astype(np.int64)
    if threat.liars > 0:
        cells = data.cells
        by_cell = added(cells.cell, amount, len(cells.option))
        order = np.lexsort((-by_cell, cells.option))
        rank = np.arange(len(order)) - np.searchsorted(cells.option[order], cells.option[order])
        worst = order[rank < threat.liars]  # the largest cells of each option
        moved += added(cells.option[worst], by_cell[worst], size)
    return int(moved[winner]), np.where(np.arange(size) == winner, 0, moved)


def prove_values(data: LabelData, winner: int, kept: BoolArray, threat: Threat, delta: float) -> Proof | None:
    """The proof for real values, from the rows that are kept; None if the noise is not known."""
    size = len(data.labels)
    rows = ("option", "values", "weights", "source")
    data = replace(data, **{name: getattr(data, name)[kept] for name in rows})
    if (data.measured == 0).any():
        return None
    if data.noise_std is not None:
        noise, known = seen_noise(data)  # of a value of weight 1
        variance, free = np.full(size, noise**2), np.full(size, known)
    else:
        repeats = Repeats.of(data.option)
        noise = repeats.pooled(data.values)
        if repeats.number == 0 or noise == 0:
            return None
        variance, free = variances(data, noise, repeats.number)
    each = variance / data.total
    both = each[winner] + each
    share = each / both
    freedom = 1 / (np.square(1 - share) / free[winner] + np.square(share) / free + TINY)
    freedom = np.minimum(freedom, free.max())  # what is pooled is one estimate
    t = -ndtri(delta / (size - 1)) if np.isinf(free).all() else -stdtrit(freedom, delta / (size - 1))
    certain = data.estimate[winner] - data.estimate - t * np.sqrt(both)
    left = certain - taken(data, winner, replace(threat, lies=0))
    certain[winner] = left[winner] = 0.0
    fewest, rivals = false_rows(data, winner, left), np.arange(size) != winner
    lies = int(fewest[rivals].min()) - 1
    lies = lies if data.span.given else min(lies, 0)  # the observed range proves nothing about lies
    known = data.span.given or threat.lies + threat.liars == 0
    open_ = rivals & ((fewest <= threat.lies) | (not known))
    margin = certain - taken(data, winner, threat)
    gap = max(float(-margin[open_].min(initial=0.0)), 0.0) if known else np.inf
    candidates = (winner, *(int(i) for i in np.flatnonzero(open_)))
    return Proof(delta, threat, candidates, gap, lies, bool((certain[rivals] > 0).all()), noise)


def seen_noise(data: LabelData) -> tuple[float, float]:
    """The stated noise of a value of weight 1, and infinity; or the noise of repeats and their number.

    Repeats count if they vary more than the stated noise and chance explain: standard errors that are too small are a
    common mistake.
    """
    repeats, noise = Repeats.of(data.option), 0.0 if data.noise_std is None else float(data.noise_std.min())
    residuals = (data.values - data.estimate[data.option]) * np.sqrt(data.weights)
    squares = float(residuals @ residuals)
    if repeats.number > 0 and squares > noise**2 * chdtri(repeats.number, UNEQUAL):
        return float(np.sqrt(squares / repeats.number)), float(repeats.number)
    return noise, np.inf


def variances(data: LabelData, noise: float, repeats: int) -> tuple[FloatArray, FloatArray]:
    """The variance of a value of each option, and its degrees of freedom.

    It is the pooled one, or the option's own if that is larger. If it is larger than those of the others by more than
    chance explains, the option has a noise of its own, and only its own repeats tell how large (Welch, Satterthwaite).
    """
    squares = np.square(data.values - data.estimate[data.option])
    sums, mine = np.bincount(data.option, squares, len(data.labels)), data.measured - 1
    own, rest = sums / np.maximum(mine, 1), repeats - mine
    others = (sums.sum() - sums) / np.maximum(rest, 1)
    limit = fdtri(np.maximum(mine, 1), np.maximum(rest, 1), 1 - UNEQUAL)
    unequal = (mine > 0) & (rest > 0) & (own > limit * others)
    free = np.maximum(repeats - (mine * unequal).sum(), 1)
    return np.maximum(own, noise**2), np.where(unequal, mine, free).astype(np.float64)


def taken(data: LabelData, winner: int, threat: Threat) -> FloatArray:
    """What a threat can take from the lead over each option, at most."""
    size = len(data.labels)
    taken = np.zeros(size)
    if threat.total > 0:
        taken += threat.total * powers(data, winner)[0]
    amount = given_up(data, winner) / data.total[data.option]
    for few, group in ((threat.lies, np.arange(len(amount))), (threat.liars, data.cells.cell)):
        if few > 0:
            sums = np.bincount(group, amount)
            option = data.option[np.unique(group, return_index=True)[1]]
            order = np.lexsort((-sums, option))
            rank = np.arange(len(order)) - np.searchsorted(option[order], option[order])
            worst = order[rank < few]
            most = np.bincount(option[worst], sums[worst], size)
            taken += most + most[winner]
    return taken
