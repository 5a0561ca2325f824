"""What would bring each rival level with the leader, and tiers that withstand changed items."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from unswayed.audits.scores.data import FEWEST_ITEMS, ScoreData
from unswayed.audits.scores.luck import lead_over
from unswayed.core.scores import Difference, Fewest, fewest, fewest_left_out, regrading
from unswayed.core.scores.changes import ROUNDING, fewest_tried
from unswayed.types import BoolArray, FloatArray, IntArray

TRIED = 5  # rivals for which sets of sources are left out, where that takes trying


@dataclass(frozen=True, eq=False)
class Rival:
    """What would bring an option level with the leader, or ahead.

    Attributes:
        option: Its number.
        lead: By how much the mean of the leader is ahead, and the probability of that by chance.
        scores: Single scores that are false; numbers of rows.
        regraded: Items whose scores are others.
        removed: Items that are left out.
        lying: Sources that lie, as much as they like; None if they are not known.
        unheard: Sources that are left out; None if they are not known, or were not tried.
        groups_regraded: Groups of items whose scores are others; None if there are none.
        groups_removed: Groups that are left out.
    """

    option: int
    lead: Difference
    scores: Fewest
    regraded: Fewest
    removed: Fewest
    lying: Fewest | None
    unheard: Fewest | None
    groups_regraded: Fewest | None
    groups_removed: Fewest | None

    @property
    def easiness(self) -> tuple[float, float]:
        """The first rival is the one for which the fewest items have to be re-graded."""
        return (np.inf if self.regraded.most is None else self.regraded.most, self.lead.mean)


def rivals_of(data: ScoreData, leader: int, delta: float) -> tuple[Rival, ...]:
    """What would bring each rival level, the easiest first.

    Args:
        data: The scores.
        leader: The option that leads.
        delta: The probability that the interval of a lead fails.
    """
    means = data.cells.mean(axis=1)
    order = [int(i) for i in np.argsort(-means, kind="stable") if i != leader]
    found = [_rival(data, leader, option, delta, tried=place < TRIED) for place, option in enumerate(order)]
    return tuple(sorted(found, key=lambda one: one.easiness))


def _rival(data: ScoreData, leader: int, option: int, delta: float, *, tried: bool) -> Rival:
    d = data.cells[leader] - data.cells[option]
    rows, gains = score_gains(data, leader, option)
    single = fewest(float(d.sum()), gains)
    lying = unheard = in_groups = out_groups = None
    if data.sources is not None:
        by = data.unit_source[data.unit[rows]]
        lying = fewest(float(d.sum()), _added(by, gains))
        unheard = _unheard(data, leader, option, tried=tried)
    if data.groups is not None:
        in_groups = fewest(float(d.sum()), _added(data.group, d + data.width))
        here, group = np.unique(data.group, return_inverse=True)
        left = fewest_left_out(_added(group.reshape(-1), d))
        out_groups = replace(left, which=here[left.which])
    return Rival(
        option,
        lead_over(data, leader, option, delta),
        replace(single, which=rows[single.which]),
        regrading(d, data.width),
        fewest_left_out(d),
        lying,
        unheard,
        in_groups,
        out_groups,
    )


def score_gains(data: ScoreData, leader: int, option: int) -> tuple[IntArray, FloatArray]:
    """The rows of two options, and by how much the lead falls, at most, if each is false."""
    own, its = data.rows[leader], data.rows[option]
    rows = np.concatenate([own, its])
    room = np.concatenate([data.value[own] - data.low, data.high - data.value[its]])
    return rows, room * data.weight[rows]


def _added(part: IntArray, values: FloatArray) -> FloatArray:
    return np.bincount(part, weights=values).astype(np.float64)


def _unheard(data: ScoreData, leader: int, option: int, *, tried: bool) -> Fewest | None:
    """The fewest sources without which the rival is level.

    If every source scored every item, or each item has one source, the lead is a sum over sources, up to a factor.
    """
    here, source = np.unique(data.unit_source, return_inverse=True)
    source = source.reshape(-1)
    d = data.by_unit[leader] - data.by_unit[option]
    share = d / data.units_of_item[data.unit_item]
    slack = ROUNDING * float(np.abs(share).sum())
    if len(source) in (len(data.items), len(data.items) * len(here)):
        found = fewest_left_out(_added(source, share))
    elif not tried:
        return None
    else:

        def lead_without(out: IntArray) -> float | None:
            kept = ~np.isin(source, out)
            units = np.bincount(data.unit_item[kept], minlength=len(data.items))
            sums = np.bincount(data.unit_item[kept], weights=d[kept], minlength=len(data.items))
            return float((sums[units > 0] / units[units > 0]).sum()) - slack if kept.any() else None

        found = fewest_tried(len(here), lead_without)
    return replace(found, which=here[found.which])


def leaders_without_source(data: ScoreData) -> list[tuple[int, int | None]]:
    """Each source, and who leads without it; None if too little is left.

    Args:
        data: The scores.
    """
    units = data.units_of_item[data.unit_item]
    alone = units == 1
    cells = data.cells[:, data.unit_item]
    change = np.where(alone, -cells, (cells - data.by_unit) / np.maximum(units - 1, 1))
    return _leaders(data, data.unit_source, change, alone)


def leaders_without_group(data: ScoreData) -> list[tuple[int, int | None]]:
    """Each group of items, and who leads without it; None if too little is left.

    Args:
        data: The scores.
    """
    return _leaders(data, data.group, -data.cells, np.ones(len(data.items), dtype=np.bool_))


def _leaders(data: ScoreData, part: IntArray, change: FloatArray, lost: BoolArray) -> list[tuple[int, int | None]]:
    """Who leads without each part, from how the sums over items change and which items are lost."""
    sums = data.cells.sum(axis=1)[:, None] + np.array([np.bincount(part, weights=row) for row in change])
    left = len(data.items) - np.bincount(part, weights=lost)
    here = np.unique(part)
    leaders = np.argmax(sums, axis=0)
    return [(int(one), int(leaders[one]) if left[one] >= FEWEST_ITEMS else None) for one in here]


def tiers(cells: FloatArray, changed: int, width: float | None) -> list[list[int]]:
    """Options in tiers, the best first: no so many changed items put one level with one of a better tier.

    Args:
        cells: The score of each option on each item.
        changed: How many items may be changed.
        width: How far two scores can be apart, if changed items are re-graded; None if they are removed.
    """
    order = np.argsort(-cells.mean(axis=1), kind="stable")
    last, found = 0, list[list[int]]([[]])
    for place, option in enumerate(order.tolist()):
        if found[-1] and place > last:
            found.append([])
        found[-1].append(option)
        level = _can_be_level(cells[option] - cells[order[place + 1 :]], changed, width)
        last = max([last, place, *(place + 1 + np.flatnonzero(level)).tolist()])
    return found


def _can_be_level(d: FloatArray, changed: int, width: float | None) -> BoolArray:
    """Whether the sum of each row can be brought to 0 by so many items."""
    items = d.shape[1]
    gains = d if width is None else d + width
    number = min(changed, items - (width is None))
    best = np.partition(gains, items - number, axis=1)[:, items - number :].sum(axis=1) if number else 0.0
    return np.asarray(d.sum(axis=1) - best <= ROUNDING * np.abs(gains).sum(axis=1))
