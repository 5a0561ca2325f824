"""Scores of options on items, checked; only what can be compared is kept.

    row     one score                            cell    option and item: the mean of its rows
    unit    one item as one source scored it     weight  of a row in the mean of its cell

An option that was scored on easier items, or by kinder judges, must not lead for that. So a unit counts only if every
option has a score in it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from unswayed.core.tampering.threat import LARGEST_VALUE
from unswayed.errors import InvalidInput
from unswayed.text import counted, printable, short_names
from unswayed.types import BoolArray, FloatArray, IntArray

OR_SOURCES = ", or say in an audit who scored"
SHOWN = 40  # characters of a label in an error
FAR = 2.0  # ranges of 98% of the scores: one that lies that far beyond may be a mistake, and makes re-grading easy
FEWEST_SEEN = 3  # different scores among which one may be far
FEWEST_ITEMS = 2  # with one, nothing is known of chance
Lines = Sequence[int] | Callable[[int], str]


@dataclass(frozen=True, eq=False)
class ScoreData:
    """One row for each score that counts; larger is better.

    Attributes:
        labels: The options, in order of first appearance.
        items: The items that count.
        sources: Who scored; None if that is not known.
        groups: The groups of items; None if there are none.
        group: The group of each item; 0 if there are none.
        option: The option of each row.
        unit: Its unit.
        value: Its score, with the sign turned if smaller scores are better.
        unit_item: The item of each unit.
        unit_source: Its source.
        low: The smallest score that is possible, with that sign.
        high: The largest.
        sign: -1 if smaller scores are better, else 1.
        notes: What was left out, in sentences.
        listed: How many items there were, those that do not count included.
        scored: On how many of them each option has a score.
    """

    labels: tuple[str, ...]
    items: tuple[str, ...]
    sources: tuple[str, ...] | None
    groups: tuple[str, ...] | None
    group: IntArray
    option: IntArray
    unit: IntArray
    value: FloatArray
    unit_item: IntArray
    unit_source: IntArray
    low: float
    high: float
    sign: int
    notes: tuple[str, ...]
    listed: int
    scored: tuple[int, ...]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The options in a sentence."""
        return short_names(self.labels)

    @property
    def width(self) -> float:
        """How far two scores can be apart."""
        return self.high - self.low

    @cached_property
    def by_unit(self) -> FloatArray:
        """The mean score of each option in each unit."""
        shape = len(self.labels), len(self.unit_item)
        place = self.option * shape[1] + self.unit
        size = shape[0] * shape[1]
        total = np.bincount(place, weights=self.value, minlength=size)
        return np.asarray((total / np.bincount(place, minlength=size)).reshape(shape))

    @cached_property
    def units_of_item(self) -> IntArray:
        """How many units each item has."""
        return np.bincount(self.unit_item, minlength=len(self.items)).astype(np.int64)

    @cached_property
    def cells(self) -> FloatArray:
        """The score of each option on each item: the mean over its units."""
        if len(self.unit_item) == len(self.items):
            return self.by_unit[:, np.argsort(self.unit_item)]
        sums = [np.bincount(self.unit_item, weights=row, minlength=len(self.items)) for row in self.by_unit]
        return np.asarray(sums) / self.units_of_item

    @cached_property
    def weight(self) -> FloatArray:
        """How much a change of each row changes its cell."""
        place = self.option * len(self.unit_item) + self.unit
        _, where, rows = np.unique(place, return_inverse=True, return_counts=True)
        return np.asarray(1 / (rows[where.reshape(-1)] * self.units_of_item[self.unit_item[self.unit]]))

    @cached_property
    def rows(self) -> list[IntArray]:
        """The rows of each option."""
        ends = np.cumsum(np.bincount(self.option, minlength=len(self.labels)))
        return np.split(np.argsort(self.option, kind="stable").astype(np.int64), ends[:-1])

    def only(self, units: BoolArray) -> ScoreData | None:
        """Some of the units, and the items that they have; None if these are too few.

        Args:
            units: Which of them.
        """
        items, item = np.unique(self.unit_item[units], return_inverse=True)
        if len(items) < FEWEST_ITEMS:
            return None
        rows = units[self.unit]
        number = np.cumsum(units) - 1
        return replace(
            self,
            items=tuple(self.items[i] for i in items),
            group=self.group[items],
            option=self.option[rows],
            unit=number[self.unit[rows]],
            value=self.value[rows],
            unit_item=item.reshape(-1).astype(np.int64),
            unit_source=self.unit_source[units],
        )


def collect(
    items: Iterable[Hashable],
    options: Iterable[Hashable],
    scores: ArrayLike,
    *,
    sources: Iterable[Hashable] | None = None,
    groups: Iterable[Hashable] | None = None,
    low: float | None = None,
    high: float | None = None,
    minimize: bool = False,
    lines: Lines | None = None,
) -> ScoreData:
    """Check scores, and keep those that can be compared.

    Args:
        items: What was scored on, of each score.
        options: The option.
        scores: The score.
        sources: Who scored.
        groups: The group of the item.
        low: The smallest score that is possible.
        high: The largest.
        minimize: Whether smaller scores are better.
        lines: The line of a file that each score comes from, or words for where a row stands, to name it in errors.

    Raises:
        InvalidInput: The scores do not fit each other, or leave nothing to compare; the message names the row.
    """
    where = _place(lines)
    item_names, item = _numbered(items)
    labels, option = _numbered(options)
    value = _numbers(scores, where)
    if not len(value):
        raise InvalidInput("there are no scores")
    if not len(item) == len(option) == len(value):
        raise InvalidInput(f"{len(item)} items, {len(option)} options and {len(value)} scores: one of each in a row")
    if len(labels) < 2:
        raise InvalidInput(f"there is nothing to compare with one option, {printable(labels[0], limit=SHOWN)}")
    source_names, source = _beside(sources, len(value), "sources")
    group_names, group = _beside(groups, len(value), "groups")
    far = _far(value) if low is None or high is None else ()
    low, high = _range(value, low, high, where)
    low, high, sign = (-high, -low, -1) if minimize else (low, high, 1)
    data = ScoreData(
        labels, item_names, source_names, group_names, _groups_of_items(item, group, item_names, group_names, where),
        option, item, value * sign, np.arange(len(item_names)), np.zeros(len(item_names), dtype=np.int64),
        low, high, sign, far, len(item_names), _items_scored(option, item),
    )  # fmt: skip
    return _comparable(_without_copies(data, item, source, where), item_names)


def _place(lines: Lines | None) -> Callable[[int], str]:
    """Where a row stands."""
    if callable(lines):
        return lines
    return lambda row: f"row {row + 1:,}" if lines is None else f"line {lines[row]:,}"


def _without_copies(
    data: ScoreData, item: IntArray, source: IntArray, where: Callable[[int], str]
) -> tuple[ScoreData, IntArray, IntArray]:
    """Rows of one option, item and source: repeats if most have them; else copies, which must not differ."""
    key = (data.option * len(data.items) + item) * (int(source.max()) + 1) + source
    _, first, which, rows = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    which = which.reshape(-1)
    if (rows > 1).sum() * 2 >= len(rows):
        note = f"the scores of an option on an item{'' if data.sources is None else ' by a source'} are averaged"
        return replace(data, notes=(*data.notes, f"{note}, {len(key) / len(rows):.3g} of them")), item, source
    copies = first[which] != np.arange(len(key))
    differ = data.value != data.value[first[which]]
    if differ.any():
        row = int(np.argmax(differ))
        before, now = data.sign * data.value[first[which[row]]], data.sign * data.value[row]
        option, name = (printable(text, limit=SHOWN) for text in (data.labels[data.option[row]], data.items[item[row]]))
        what = (
            f"{option} has a score of {now:g} on item {name}, and one of {before:g} in {where(int(first[which[row]]))}"
        )
        raise InvalidInput(f"{where(row)}: {what}: leave one out" + OR_SOURCES * (data.sources is None))
    if not copies.any():
        return data, item, source
    kept = ~copies
    notes = (*data.notes, f"left out: {counted(int(copies.sum()), 'row')} that stood there before")
    data = replace(data, option=data.option[kept], value=data.value[kept], notes=notes)
    return data, item[kept], source[kept]


def _comparable(rows: tuple[ScoreData, IntArray, IntArray], names: tuple[str, ...]) -> ScoreData:
    """Only the units in which every option has a score."""
    data, item, source = rows
    size, many = len(data.labels), int(source.max()) + 1
    units, unit = np.unique(item * many + source, return_inverse=True)
    unit = unit.reshape(-1)
    scored = np.zeros((size, len(units)), dtype=np.bool_)
    scored[data.option, unit] = True
    whole = scored.all(axis=0)
    data = replace(data, unit=unit, unit_item=units // many, unit_source=units % many)
    found = data.only(np.asarray(whole, dtype=np.bool_))
    if found is None:
        raise InvalidInput(_nothing_common(data, item))
    if whole.all():
        return found
    alone = ~scored & ((~scored).sum(axis=0) == 1)  # units that one option keeps from being whole
    fewest = int(np.argmax(alone.sum(axis=1)))
    without = len(np.unique(data.unit_item[whole | alone[fewest]]))
    what = "items" if data.sources is None else "items, each by the same sources,"
    who = "both" if size == 2 else f"all {size:,}"
    note = f"compared on the {len(found.items):,} of {len(names):,} {what} that {who} options have"
    if size > 2 and without > len(found.items):
        note += f"; without {printable(data.labels[fewest], limit=SHOWN)} it would be {without:,}"
    if data.sources is not None and (anyone := _scored_by_anyone(data, item)) > len(found.items):
        note += f"; with the sources left out it would be {anyone:,}"
    return replace(found, notes=(*data.notes, note))


def _items_scored(option: IntArray, item: IntArray) -> tuple[int, ...]:
    """On how many items each option has a score."""
    pairs = np.unique(option * (int(item.max()) + 1) + item)
    return tuple(np.bincount(pairs // (int(item.max()) + 1)).tolist())


def _scored_by_anyone(data: ScoreData, item: IntArray) -> int:
    """How many items have a score of every option, whoever gave it."""
    pairs = np.unique(np.asarray(item) * len(data.labels) + data.option) // len(data.labels)
    return int((np.bincount(pairs) == len(data.labels)).sum())


def _nothing_common(data: ScoreData, item: IntArray) -> str:
    """Why nothing can be compared."""
    common = _scored_by_anyone(data, item)
    if len(data.items) == 1:
        return "there is one item only: a comparison needs at least two"
    if common >= FEWEST_ITEMS and data.sources is not None:
        return "no source scored every option on the same items: leave the sources out to compare them all the same"
    fewest = int(np.argmin(data.scored))
    if common == 0 and len(data.labels) == 2:
        first = (data.items[item[np.argmax(data.option == option)]] for option in range(2))
        such = [f"{printable(label, limit=SHOWN)} has items such as {printable(one, limit=SHOWN)}"
                for label, one in zip(data.labels, first, strict=True)]  # fmt: skip
        return f"no item has a score of both: {such[0]}, and {such[1]}: are they written alike?"
    name = printable(data.labels[fewest], limit=SHOWN)
    which = "no item has" if common == 0 else f"only {counted(common, 'item')} has"
    return f"{which} a score of every option, and {name} has scores on the fewest: leave it out, or score it on more"


def _numbered(names: Iterable[Hashable]) -> tuple[tuple[str, ...], IntArray]:
    place: dict[str, int] = {}
    codes = np.array([place.setdefault(str(name), len(place)) for name in names], dtype=np.int64)
    return tuple(place), codes


def _beside(names: Iterable[Hashable] | None, rows: int, what: str) -> tuple[tuple[str, ...] | None, IntArray]:
    """A column that may be missing."""
    if names is None:
        return None, np.zeros(rows, dtype=np.int64)
    found, codes = _numbered(names)
    if len(codes) != rows:
        raise InvalidInput(f"{len(codes)} {what} for {rows} scores")
    return found, codes


def _numbers(scores: ArrayLike, where: Callable[[int], str]) -> FloatArray:
    try:
        value = np.atleast_1d(np.asarray(scores, dtype=np.float64))
    except (TypeError, ValueError):
        raise InvalidInput("the scores are not all numbers: write 1 for right and 0 for wrong") from None
    if value.ndim > 1:
        raise InvalidInput("scores are a list, one for each row")
    bad = ~(np.abs(value) <= LARGEST_VALUE)
    if bad.any():
        row = int(np.argmax(bad))
        raise InvalidInput(
            f"{where(row)}: the score is {value[row]:g}: leave out what has none, or write what it counts"
        )
    return value


def _range(
    value: FloatArray, low: float | None, high: float | None, where: Callable[[int], str]
) -> tuple[float, float]:
    """The smallest and the largest score that is possible: 0 and 1, or those that were seen, if it was not said."""
    for end, beyond, word in ((low, value < (-np.inf if low is None else low), "below"),
                              (high, value > (np.inf if high is None else high), "above")):  # fmt: skip
        if beyond.any():
            row = int(np.argmax(beyond))
            raise InvalidInput(f"{where(row)}: the score of {value[row]:g} is {word} {end:g}, as no score should be")
    share = bool(value.min() >= 0 and value.max() <= 1)
    smallest = (0.0 if share else float(value.min())) if low is None else low
    largest = (1.0 if share else float(value.max())) if high is None else high
    if not smallest < largest or value.min() == value.max():
        raise InvalidInput(f"there is nothing to compare: every score is {value[0]:g}")
    return smallest, largest


def _far(value: FloatArray) -> tuple[str, ...]:
    """A note on scores that are far from all others, where nobody said what is possible."""
    seen = np.unique(value)
    low, high = np.quantile(value, [0.01, 0.99])
    if len(seen) < FEWEST_SEEN or low == high:
        return ()
    low, high = low - FAR * (high - low), high + FAR * (high - low)
    far = seen[(seen < low) | (seen > high)]
    if not len(far):
        return ()
    worst = far[np.argmax(np.abs(far - np.median(value)))]
    return (
        f"a score of {worst:.6g} is far from the others: is it a mistake? State what is possible with low and high",
    )


def _groups_of_items(
    item: IntArray, group: IntArray, items: tuple[str, ...], groups: tuple[str, ...] | None, where: Callable[[int], str]
) -> IntArray:
    """The group of each item; an item is in one group only."""
    found = np.zeros(len(items), dtype=np.int64)
    found[item] = group
    wrong = found[item] != group
    if wrong.any():
        row = int(np.argmax(wrong))
        two = " and ".join(printable((groups or ())[one], limit=SHOWN) for one in (group[row], found[item[row]]))
        raise InvalidInput(f"{where(row)}: item {printable(items[item[row]], limit=SHOWN)} is in two groups, {two}")
    return found
