"""Sources that favour one option as no other does, and items that are copies of others.

    c_au    score of option a in unit u, less the mean of all options there
    r_au    c_au, less the mean of c by the other sources on the same item
    e_aj    mean of r over the units of source j

Sources differ honestly: one likes long answers, another does not. So e_aj is compared twice with Student's t: with the
spread of e among the other sources, and with its own standard error. Both have to say that it is no chance, corrected
for all that was looked at. With two sources nobody knows which of them is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from unswayed.audits.scores.data import ScoreData
from unswayed.types import BoolArray, FloatArray, IntArray

FALSE_ALARM = 0.01  # probability that an honest table has a suspect, of either kind, at most
HEAVY = 8  # degrees of freedom at most: honest tastes have heavier tails than normal errors
FEWEST_SOURCES, FEWEST_UNITS = 3, 5  # that tell how much honest sources differ, and how precise one of them is
MOST_NAMED = 0.5  # of the sources: if more are off, nobody knows which of them are wrong
RARE = 0.6  # of the exponent: options resemble each other, so equal scores are less surprising than if they did not
FEWEST_DISTINCT = 3  # different scores of an item that may be a copy: right and wrong are the same too often


@dataclass(frozen=True)
class Suspect:
    """A source that favours or harms one option, as no other does.

    Attributes:
        source: Its number.
        option: The option.
        units: How many items it scored that others scored too.
        effect: By how much more it gave the option than the others did, beside what it gave the rest.
        usual: The standard deviation of that among the other sources.
        probability: Of that much by chance, corrected for all that was looked at; at most.
    """

    source: int
    option: int
    units: int
    effect: float
    usual: float
    probability: float


@dataclass(frozen=True)
class Copy:
    """An item with the same scores as another one.

    Attributes:
        item: Its number.
        first: That of the other one.
        probability: Of this by chance, corrected for the number of pairs; at most.
    """

    item: int
    first: int
    probability: float


def suspected(data: ScoreData) -> tuple[Suspect, ...]:
    """Sources that favour or harm one option, each for the worst.

    Args:
        data: The scores.
    """
    if data.sources is None:
        return ()
    found: dict[int, Suspect] = {}
    for _ in range(int(MOST_NAMED * len(data.sources))):
        rest = data.only(~np.isin(data.unit_source, list(found)))
        more = _named(rest) if rest is not None else []
        if not more:
            break
        found |= {one.source: one for one in more}
    return tuple(sorted(found.values(), key=lambda one: (one.probability, one.source)))


def comparable_sources(data: ScoreData) -> int:
    """How many sources scored enough of the items that others scored too.

    Args:
        data: The scores.
    """
    return int((np.bincount(_residuals(data)[1]) >= FEWEST_UNITS).sum())


def _named(data: ScoreData) -> list[Suspect]:
    r, source = _residuals(data)
    here, source, units = np.unique(source, return_inverse=True, return_counts=True)
    known = units >= FEWEST_UNITS
    size, judges = len(r), int(known.sum())
    if judges < FEWEST_SOURCES:
        return []
    which = np.flatnonzero(known)
    n = units[which]
    e = np.array([np.bincount(source.reshape(-1), weights=row)[which] for row in r]) / n
    square = np.array([np.bincount(source.reshape(-1), weights=row**2)[which] for row in r])
    error = np.sqrt(np.maximum(square / n - e**2, 0) / (n - 1))
    found = []
    for j in range(judges):
        others = np.delete(e, j, axis=1)
        off = e[:, j] - others.mean(axis=1)
        square_off = ((others - others.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
        freedom = (judges - 2) * (size - 1)
        usual = np.sqrt(np.maximum(square_off.sum() / freedom, square_off / (judges - 2)) * (1 + 1 / (judges - 1)))
        p = np.maximum(_two_sided(off, usual, min(freedom, HEAVY)), _two_sided(off, error[:, j], n[j] - 1)) * e.size
        a = int(np.lexsort((-off, p))[0])
        if p[a] <= FALSE_ALARM:
            found.append(Suspect(int(here[which[j]]), a, int(n[j]), float(off[a]), float(usual[a]), float(p[a])))
    # one that is far off moves what the others are compared with: the worst first, then the rest is looked at again
    return sorted(found, key=lambda one: one.probability)[:1]


def _two_sided(off: FloatArray, error: FloatArray, freedom: int) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(off == 0, 0.0, np.abs(off) / error)
    return np.asarray(2 * stdtr(freedom, -t))


def _residuals(data: ScoreData) -> tuple[FloatArray, IntArray]:
    """r, and the source of each column; where no item has two sources, the others' mean on all items is taken off."""
    c = data.by_unit - data.by_unit.mean(axis=0)
    several = data.units_of_item[data.unit_item] > 1
    if several.any():
        part, c, source = data.unit_item[several], c[:, several], data.unit_source[several]
        sums, units = _sums(c, part), np.bincount(part)
        return c - (sums[:, part] - c) / (units[part] - 1), source
    source = data.unit_source
    sums, units = _sums(c, source), np.bincount(source)
    rest = np.maximum(units.sum() - units, 1)
    return c - ((c.sum(axis=1, keepdims=True) - sums) / rest)[:, source], source


def _sums(c: FloatArray, part: IntArray) -> FloatArray:
    return np.array([np.bincount(part, weights=row) for row in c])


def copies(data: ScoreData) -> tuple[Copy, ...]:
    """Items whose scores are those of an earlier item, more exactly than chance explains.

    Args:
        data: The scores.
    """
    cells = np.round(data.cells, 12)
    _, first, which = np.unique(cells, axis=1, return_index=True, return_inverse=True)
    item = np.arange(cells.shape[1])
    before = first[which.reshape(-1)]
    again = item[before != item]
    if not len(again):
        return ()
    pairs = len(item) * (len(item) - 1) / 2
    surprise = sum(_surprise(row[again], row) for row in cells)
    p = pairs * np.exp(-RARE * np.asarray(surprise))
    distinct: BoolArray = np.array([len(np.unique(cells[:, i])) >= FEWEST_DISTINCT for i in again], dtype=np.bool_)
    named = [i for i in np.flatnonzero((p <= FALSE_ALARM) & distinct) if pairs * _alike(cells, again[i]) <= FALSE_ALARM]
    return tuple(Copy(int(again[i]), int(before[again[i]]), float(p[i])) for i in named)


def _alike(cells: FloatArray, item: int) -> float:
    """How likely another item has the same scores, if it has those that the item most like it has too.

    Only the options on which that one differs tell anything: where many items resemble each other, some are the same.
    """
    differs = cells != cells[:, [item]]
    surprise = np.array([_surprise(row[[item]], row)[0] for row in cells]) @ differs
    return float(np.exp(-RARE * surprise[differs.any(axis=0)].min(initial=np.inf)))


def _surprise(values: FloatArray, row: FloatArray) -> FloatArray:
    """-ln of how often an option has each of these scores."""
    seen, number = np.unique(row, return_counts=True)
    return np.asarray(np.log(len(row)) - np.log(number[np.searchsorted(seen, values)] - 1))
