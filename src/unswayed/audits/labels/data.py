"""Measurements of options that have names, checked and added up; larger is better from here on."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from unswayed.core.data.counts import Whole, whole_numbers
from unswayed.core.tampering.threat import LARGEST_VALUE, Threat
from unswayed.errors import InvalidInput
from unswayed.judgement.extent import without_dust
from unswayed.judgement.span import Span
from unswayed.text import printable
from unswayed.types import BoolArray, FloatArray, IntArray, floats

LARGEST = 1e60  # of a value, in any units: the square of its square must stay finite
LARGEST_COUNT = 2**53  # outcomes that double precision counts exactly
NOTHING = Threat()
SHORT, BEGIN = 20, 9  # characters of a label in the short form; and of its beginning, if the middle is left out


@dataclass(frozen=True, eq=False)
class LabelData:
    """One row for each measurement.

    Attributes:
        labels: The options, in order of first appearance.
        option: The number of each row's option.
        values: The value of each row; of a count, successes divided by trials.
        weights: What each value counts in the mean of its option: trials, or 1/variance, or 1.
        successes: Of each row; None if the values are no counts.
        trials: Of each row; None if the values are no counts.
        noise_std: Of each row; None if it is not given.
        sources: The names of the sources in order of first appearance; None if there is no such column.
        source: The number of each row's source.
        span: The range of honest values.
        minimize: Whether values were turned round, because smaller ones are better.
    """

    labels: tuple[str, ...]
    option: IntArray
    values: FloatArray
    weights: FloatArray
    successes: IntArray | None
    trials: IntArray | None
    noise_std: FloatArray | None
    sources: tuple[str, ...] | None
    source: IntArray
    span: Span
    minimize: bool

    @property
    def counts(self) -> bool:
        """Whether outcomes are counted."""
        return self.trials is not None

    @property
    def lie(self) -> str:
        """What one lie is called."""
        return "forged outcome" if self.counts else "false measurement"

    @property
    def single(self) -> bool:
        """Whether every row is one outcome."""
        return self.trials is not None and bool((self.trials == 1).all())

    @cached_property
    def total(self) -> FloatArray:
        """The sum of the weights of each option."""
        return np.bincount(self.option, self.weights, len(self.labels)).astype(np.float64)

    @cached_property
    def estimate(self) -> FloatArray:
        """The weighted mean of each option."""
        return np.bincount(self.option, self.weights * self.values, len(self.labels)) / self.total

    @cached_property
    def option_trials(self) -> IntArray:
        """The trials of each option, if outcomes are counted."""
        return added(self.option, self.trials, len(self.labels))

    @cached_property
    def option_successes(self) -> IntArray:
        """The successes of each option, if outcomes are counted."""
        return added(self.option, self.successes, len(self.labels))

    @cached_property
    def split(self) -> IntArray | None:
        """The trials of each option in the sources that have trials of all options; None if there are none.

        A source without one of the options says nothing of how trials were split there.
        """
        if not self.counts or self.single:
            return None
        if self.sources is None:
            return self.option_trials
        cells, size = self.cells, len(self.labels)
        whole = np.bincount(cells.source, minlength=len(self.sources)) == size
        if not whole.any():
            return None
        return added(cells.option, np.where(whole[cells.source], self.cell_trials, 0), size)

    @cached_property
    def cell_trials(self) -> IntArray:
        """The trials of each cell, if outcomes are counted."""
        return added(self.cells.cell, self.trials, len(self.cells.option))

    @cached_property
    def measured(self) -> IntArray:
        """The number of rows of each option."""
        return np.bincount(self.option, minlength=len(self.labels))

    @cached_property
    def cells(self) -> Cells:
        """The rows of the same option and source together; without sources every row is a cell."""
        rows = len(self.option)
        if self.sources is None:
            return Cells(self.option, np.zeros(rows, dtype=np.int64), np.arange(rows))
        _, first, cell = np.unique(
            self.option * len(self.sources) + self.source, return_index=True, return_inverse=True
        )
        return Cells(self.option[first], self.source[first], cell.reshape(-1))

    def shown(self, value: float) -> float:
        """A value as the user knows it."""
        if not self.minimize:
            return float(value)
        return float(1 - value if self.counts else -value)


@dataclass(frozen=True, eq=False)
class Cells:
    """Rows of the same option and source: the option and source of each cell, and the cell of each row."""

    option: IntArray
    source: IntArray
    cell: IntArray


def added(group: IntArray, numbers: IntArray | None, groups: int) -> IntArray:
    """The sum of whole numbers in each group, exactly."""
    total = np.zeros(groups, dtype=np.int64)
    if numbers is not None:
        np.add.at(total, group, numbers)
    return total


def others(group: IntArray, weights: FloatArray, values: FloatArray, groups: int) -> tuple[FloatArray, FloatArray]:
    """The weight and the mean of the others in the group of each value; the mean is NaN if there are none.

    Weights may differ by many orders of magnitude: the heaviest one is never subtracted from a sum.
    """
    size = np.bincount(group, minlength=groups)
    last = np.cumsum(size)[size > 0] - 1
    heaviest = np.zeros(len(group), dtype=np.bool_)
    heaviest[np.lexsort((weights, group))[last]] = True
    light = np.where(heaviest, 0.0, weights)
    rest, above = (
        np.where(
            heaviest,
            np.bincount(group, light * x, groups)[group],
            np.bincount(group, weights * x, groups)[group] - weights * x,
        )
        for x in (np.ones(len(group)), values)
    )
    return rest, above / np.where(rest > 0, rest, np.nan)


def numbered(labels: Iterable[Hashable]) -> tuple[tuple[str, ...], IntArray]:
    """The distinct labels in order of first appearance, and the number of each row's label; every row must have one."""
    index: dict[str, int] = {}
    labels = list(labels)
    for row, label in enumerate(labels):
        if label is None or label != label or label == "":
            raise InvalidInput(f"row {row + 1:,}: an option or a source has no name")
    codes = [index.setdefault(label if isinstance(label, str) else str(label), len(index)) for label in labels]
    return tuple(index), np.array(codes, dtype=np.int64)


def collect(
    options: Iterable[Hashable],
    values: ArrayLike,
    trials: ArrayLike | None = None,
    noise_std: ArrayLike | None = None,
    sources: Iterable[Hashable] | None = None,
    threat: Threat = NOTHING,
    low: float | None = None,
    high: float | None = None,
    *,
    minimize: bool = False,
    lines: Sequence[int] | None = None,
) -> LabelData:
    """Check measurements and put them together; errors name the line, or else the row from 1."""
    labels, option = numbered(options)
    y = without_dust(floats(values, "the values", ndim=1))
    if len(option) != len(y):
        raise InvalidInput(f"{len(option)} options for {len(y)} values")
    if len(labels) < 2:
        raise InvalidInput("an audit needs measurements of at least two different options")
    names, source = (None, np.zeros(len(y), dtype=np.int64)) if sources is None else numbered(sources)
    if len(source) != len(y):
        raise InvalidInput(f"{len(source)} sources for {len(y)} values")
    if trials is None and noise_std is None and bool(np.isin(y, (0.0, 1.0)).all()):
        trials = np.ones(len(y))
    common: dict[str, Any] = {"labels": labels, "option": option, "sources": names, "source": source}
    if trials is not None:
        if noise_std is not None:
            raise InvalidInput("counts have no noise of their own: give trials or noise, not both")
        if {low, threat.low} - {None, 0} or {high, threat.high} - {None, 1}:
            raise InvalidInput("the outcomes of counts are 0 and 1: leave out the range (low and high)")
        s, n = _checked_counts(y, floats(trials, "the trials", ndim=1), lines)
        s = n - s if minimize else s
        common |= {"successes": s, "trials": n, "weights": n.astype(np.float64), "values": s / n, "noise_std": None}
        return LabelData(**common, span=Span(0.0, 1.0, low_given=True, high_given=True), minimize=minimize)
    if np.ptp(y) == 0:
        raise InvalidInput("all values are equal: there is no winner to audit")
    if np.abs(y).max() > LARGEST:
        raise InvalidInput(f"the values exceed {LARGEST:g}: use larger units")
    noise = None if noise_std is None else _checked_noise(noise_std, len(y), lines)
    span = Span.checked(y, threat, low, high, partial(place, lines=lines))
    weights = np.ones(len(y)) if noise is None else np.square(noise.min() / noise)
    common |= {"successes": None, "trials": None, "weights": weights, "noise_std": noise, "minimize": minimize}
    return LabelData(**common, values=-y if minimize else y, span=span.flipped() if minimize else span)


def place(row: int, lines: Sequence[int] | None) -> str:
    """Where a row stands: its line in the file, or its number from 1."""
    return f"row {row + 1:,}" if lines is None else f"line {lines[row]:,}"


def _refuse(bad: BoolArray, numbers: FloatArray, words: str, lines: Sequence[int] | None) -> None:
    if bad.any():
        row = int(np.argmax(bad))
        raise InvalidInput(f"{place(row, lines)}: {words.format(f'{numbers[row]:.15g}')}")


def _checked_counts(s: FloatArray, n: FloatArray, lines: Sequence[int] | None) -> tuple[IntArray, IntArray]:
    if len(n) != len(s):
        raise InvalidInput(f"{len(n)} numbers of trials for {len(s)} of successes")
    _refuse(n <= 0, n, "{} trials: there must be at least 1", lines)
    _refuse(n != np.floor(n), n, "{} trials: this must be a whole number", lines)
    _refuse(s < 0, s, "{} successes: this must not be negative", lines)
    _refuse(s != np.floor(s), s, "{} successes: this must be a whole number", lines)
    _refuse(s > n, s, "{} successes are more than its trials", lines)
    if n.sum() > LARGEST_COUNT:
        raise InvalidInput(f"more than {LARGEST_COUNT:,} trials cannot be counted exactly")
    return s.astype(np.int64), n.astype(np.int64)


def _checked_noise(noise_std: ArrayLike, rows: int, lines: Sequence[int] | None) -> FloatArray:
    noise = floats(noise_std, "the noise", ndim=0 if np.ndim(noise_std) == 0 else 1)
    noise = np.broadcast_to(noise, (rows,)) if noise.ndim == 0 else noise
    if len(noise) != rows:
        raise InvalidInput(f"{len(noise)} noises for {rows} values")
    _refuse(noise <= 0, noise, "a noise of {}: this must be positive", lines)
    if noise.max() / noise.min() > 1e60 or noise.max() > LARGEST_VALUE:
        raise InvalidInput("the noises differ too much to compute with")
    return noise


def exact(numbers: IntArray, data: LabelData) -> Whole:
    """Whole numbers whose products with trials are exact."""
    return whole_numbers(numbers, int(data.option_trials.max()))


def named(text: str) -> str:
    """A label or source, safe to print and not too long; in quotes if it begins or ends with a space."""
    return printable(text if text == text.strip() else repr(text), limit=60)


def short_label(text: str) -> str:
    """A label that leaves room for others in a line; in quotes if it begins or ends with a space.

    What tells long labels apart is often at their end, so the middle is left out.
    """
    line = printable(text if text == text.strip() else repr(text))
    return line if len(line) <= SHORT else f"{line[:BEGIN]}...{line[BEGIN + 3 - SHORT :]}"
