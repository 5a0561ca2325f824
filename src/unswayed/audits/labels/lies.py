"""How few lies would have overturned the winner: outcomes, measurements, sources, or a total.

The estimate of an option is a weighted mean, so what a false value takes from the lead of the winner a over a rival b
is known exactly: for a row of a its weight times the distance to the lowest value, for a row of b its weight times the
distance to the highest. The fewest rows, or sources, whose largest such amounts add up to the lead overturn it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from unswayed.audits.labels.data import LabelData, added, exact, others
from unswayed.audits.weak_points import Change
from unswayed.core.data.counts import forged_to_tie, leaders
from unswayed.judgement.findings import Source
from unswayed.types import FloatArray, IntArray

TIE = 1e-12  # relative to the values: a difference of real numbers that is smaller is a rounding error


def find_winner(data: LabelData, kept: Any = None) -> tuple[int, ...]:
    """The options with the best estimate, in order of first appearance; only of the rows that are kept."""
    rows = slice(None) if kept is None else kept
    option, size = data.option[rows], len(data.labels)
    if data.successes is not None and data.trials is not None:
        found = leaders(added(option, data.successes[rows], size), added(option, data.trials[rows], size))
        return tuple(int(i) for i in found)
    total = np.bincount(option, data.weights[rows], size)
    best = np.bincount(option, data.weights[rows] * data.values[rows], size) / np.where(total > 0, total, np.nan)
    return _best(best)


def _best(estimate: FloatArray) -> tuple[int, ...]:
    """The options with the largest estimate, in order; those without one are NaN."""
    top = np.nanmax(estimate)
    return tuple(int(i) for i in np.flatnonzero(estimate >= top - TIE * (np.abs(estimate) + abs(top))))


def slack(data: LabelData, winner: int) -> Any:
    """What of the lead over each option, in the units of `leads`, may be a rounding error; 0 for counts."""
    if data.counts:
        return np.zeros(len(data.labels), dtype=np.int64)
    return TIE * (np.abs(data.estimate) + abs(data.estimate[winner]))


def leads(data: LabelData, winner: int) -> tuple[Any, Any, Any]:
    """The lead over each option b, a factor for rows of the winner, and one for rows of b.

    The lead is (sum of weight x value of the winner) x (first factor) - (that of b) x (second factor). For counts these
    are whole numbers: s_a n_b - s_b n_a, n_b and n_a.
    """
    if not data.counts:
        lead = data.estimate[winner] - data.estimate
        return (
            np.where(np.abs(lead) <= slack(data, winner), 0.0, lead),
            np.full(len(lead), 1 / data.total[winner]),
            1 / data.total,
        )
    s, n = exact(data.option_successes, data), exact(data.option_trials, data)
    lead = s[winner] * n - s * n[winner]
    return lead, n, np.full(len(n), n[winner])


def given_up(data: LabelData, winner: int) -> Any:
    """The most that each row can take from a lead, before the factors of `leads`."""
    mine = data.option == winner
    if data.successes is not None and data.trials is not None:
        return np.where(mine, data.successes, data.trials - data.successes)
    return data.weights * np.where(mine, data.values - data.span.low, data.span.high - data.values)


def powers(data: LabelData, winner: int) -> tuple[FloatArray, IntArray]:
    """How much a change of 1 in one row moves the lead over each option at most, and the option of that row."""
    largest = np.zeros(len(data.labels))
    np.maximum.at(largest, data.option, data.weights / data.total[data.option])
    larger = largest > largest[winner]
    return np.maximum(largest, largest[winner]), np.where(larger, np.arange(len(largest)), winner)


def leads_in_units(data: LabelData, winner: int) -> FloatArray:
    """How far each option is behind the winner: a difference of rates, or of values."""
    lead, factor, _ = leads(data, winner)
    return np.asarray(lead.astype(np.float64) / (factor.astype(np.float64) * data.total[winner]))


def false_outcomes(data: LabelData, winner: int) -> tuple[IntArray, IntArray]:
    """For each option, the fewest forged outcomes that bring it level: of the winner, and of the option."""
    s, n = data.option_successes, data.option_trials
    return forged_to_tie(int(s[winner]), int(n[winner]), s, n)


def false_rows(data: LabelData, winner: int, lead: FloatArray) -> IntArray:
    """For each option, the fewest false measurements that take this lead from the winner."""
    amount = given_up(data, winner) / data.total[data.option]
    order = np.lexsort((-amount, data.option))
    starts = np.append(0, np.cumsum(data.measured))
    mine = amount[order[starts[winner] : starts[winner + 1]]]
    taken, needed = np.cumsum(mine), lead - slack(data, winner)
    fewest = np.zeros(len(data.labels), dtype=np.int64)
    for b in np.flatnonzero(lead > 0):
        if b == winner:
            continue
        theirs = amount[order[starts[b] : starts[b + 1]]]
        need = needed[b]
        enough = 1 + min(int(np.searchsorted(taken, need)), int(np.searchsorted(np.cumsum(theirs), need)))
        both = np.cumsum(np.sort(np.concatenate([mine[:enough], theirs[:enough]]))[::-1])
        fewest[b] = min(int(np.searchsorted(both, need)) + 1, len(both))
    return fewest


def plan(data: LabelData, winner: int, rival: int, lies: int) -> tuple[Change, ...]:
    """The cheapest false values that bring the rival level, in the user's own sign."""
    if data.counts:
        taken, given = (int(k[rival]) for k in false_outcomes(data, winner))
        parts = ((winner, taken, 1.0, 0.0), (rival, given, 0.0, 1.0))
        return tuple(
            Change(row=None, option=i, count=k, value=data.shown(old), instead=data.shown(new))
            for i, k, old, new in parts
            if k > 0
        )
    amount = given_up(data, winner) / data.total[data.option]
    rows = np.flatnonzero((data.option == winner) | (data.option == rival))
    ends = {winner: data.span.low, rival: data.span.high}
    return tuple(
        Change(
            row=int(r),
            option=int(data.option[r]),
            source=None if data.sources is None else data.sources[data.source[r]],
            value=data.shown(data.values[r]),
            instead=data.shown(ends[int(data.option[r])]),
        )
        for r in rows[np.argsort(-amount[rows], kind="stable")[:lies]]
    )


def _cell_amounts(data: LabelData, winner: int) -> tuple[Any, Any]:
    """The most that a source can take by the rows of each cell, and by its rows of the winner."""
    cells, amount = data.cells, given_up(data, winner)
    by_cell = np.zeros(len(cells.option), dtype=amount.dtype)
    np.add.at(by_cell, cells.cell, amount)
    by_cell = exact(by_cell, data) if data.counts else by_cell
    mine = np.zeros(len(data.sources or ("",)), dtype=by_cell.dtype)
    own = cells.option == winner
    mine[cells.source[own]] = by_cell[own]
    return by_cell, mine


def false_sources(data: LabelData, winner: int) -> tuple[int, IntArray]:
    """The fewest sources that together could have overturned the winner, and these sources."""
    lead, factor, other = leads(data, winner)
    by_cell, mine = _cell_amounts(data, winner)
    cells, needed = data.cells, lead - slack(data, winner)
    order = np.argsort(cells.option, kind="stable")
    starts = np.append(0, np.cumsum(np.bincount(cells.option, minlength=len(lead))))
    best = np.arange(len(mine))  # all of them can
    largest_of_winner = np.append(0, np.cumsum(np.sort(mine)[::-1]))
    for b in np.argsort(lead, kind="stable"):
        if b == winner:
            continue
        if lead[b] <= 0:
            return 0, best[:0]
        theirs, fewer, need = order[starts[b] : starts[b + 1]], len(best) - 1, needed[b]
        most = np.sort(by_cell[theirs])[::-1][:fewer].sum() * other[b]
        if largest_of_winner[fewer] * factor[b] + most < need:
            continue  # fewer sources than are known to be enough cannot do it with this rival
        amount = mine * factor[b]
        amount[cells.source[theirs]] += by_cell[theirs] * other[b]
        largest = np.argsort(-amount, kind="stable")[:fewer]
        taken = np.cumsum(amount[largest])
        if len(taken) and taken[-1] >= need:
            best = largest[: int(np.argmax(taken >= need)) + 1]
    return len(best), best


def find_sources(data: LabelData, winner: int, doubted: Collection[str | None]) -> tuple[Source, ...]:
    """What each source could have done alone, and who wins without it; those that are `doubted` are suspicious."""
    if data.sources is None:
        return ()
    lead, factor, other = leads(data, winner)
    by_cell, mine = _cell_amounts(data, winner)
    cells, rivals = data.cells, np.arange(len(lead)) != winner
    lead = lead - slack(data, winner)
    alone = np.zeros(len(mine), dtype=np.bool_)
    for b in np.flatnonzero(rivals & (lead <= mine.max(initial=0) * factor)):
        alone |= np.asarray(mine * factor[b] >= lead[b], dtype=np.bool_)
    enough = mine[cells.source] * factor[cells.option] + by_cell * other[cells.option] >= lead[cells.option]
    alone[cells.source[np.asarray(enough, dtype=np.bool_) & (cells.option != winner)]] = True
    measurements = np.bincount(data.source, minlength=len(mine))
    without = _winners_without(data)
    return tuple(
        Source(
            name=name,
            measurements=int(measurements[s]),
            suspicious=name in doubted,
            alone=bool(alone[s]),
            without=without[s],
        )
        for s, name in enumerate(data.sources)
    )


def _winners_without(data: LabelData) -> list[int | None]:
    """Who wins without each source, from the sums of its cells."""
    cells, size, winners = data.cells, len(data.cells.option), list[int | None]()
    order = np.argsort(cells.source, kind="stable")
    starts = np.append(0, np.cumsum(np.bincount(cells.source, minlength=len(data.sources or ()))))
    successes, trials = (added(cells.cell, numbers, size) for numbers in (data.successes, data.trials))
    rows = np.bincount(cells.cell, minlength=size)
    weight = np.bincount(cells.cell, data.weights, size).astype(np.float64)
    mean = np.bincount(cells.cell, data.weights * data.values, size) / weight
    _, estimate = others(cells.option, weight, mean, len(data.labels))
    for s in range(len(starts) - 1):
        mine = order[starts[s] : starts[s + 1]]
        changed, left = cells.option[mine], data.measured.copy()
        left[changed] -= rows[mine]
        if (left > 0).sum() < 2:
            winners.append(None)
        elif data.counts:
            good, tried = data.option_successes.copy(), data.option_trials.copy()
            good[changed] -= successes[mine]
            tried[changed] -= trials[mine]
            winners.append(int(leaders(good, tried)[0]))
        else:
            rest = data.estimate.copy()
            rest[changed] = estimate[mine]
            winners.append(_best(rest)[0])
    return winners
