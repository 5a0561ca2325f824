"""What is probably a mistake in a table, each refused in one line that says what to do."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln

from unswayed.errors import InvalidInput
from unswayed.storage.tables.table import SUMS, Table, is_string
from unswayed.text import printable
from unswayed.types import IntArray

if TYPE_CHECKING:
    import pyarrow as pa

FEWEST_TWICE = 4  # different rows that are all there twice: with fewer it may be chance
FEWEST_HALF = 20  # rows that come again in the same order, although some are equal
FEWEST_STEPS, BY_CHANCE = 5, 1e-6  # rows of an option that only grow; and the probability that all of them do by chance
FEWEST_IDS = 8  # labels that are all different: fewer may be as many options
EXACT = 1e-6  # relative error of a sum in a file
SUM = re.compile(r"(sub)?total(es|s)?|sums?|gesamt\w*|\w*summe|insgesamt|teilergebnis|totaux|somme|suma")
MEAN = re.compile(r"means?|averages?|avg|overall|mittel(wert)?|durchschnitt|moyenne|promedio")
FOUND = "(?i)total|totaux|sum|gesamt|somme|ergebnis|mean|average|avg|overall|mittel|durchschnitt|moyenne|promedio"
DAY_OR_NUMBER = re.compile(r"([0-9][0-9./: T-]*)?")
COUNTER = re.compile(r"(unnamed: 0)?|#|id|no\.?|nr\.?|number|index|row|.*[ _]id", re.IGNORECASE)


def refuse_twice(table: Table) -> None:
    """Refuse a file whose rows are all there twice: it was probably put together from two copies.

    Args:
        table: The table, with all its columns.
    """
    columns = []
    for column in range(len(table.columns)):
        columns.append(_codes(table, column))
        if (np.bincount(columns[-1]) % 2).any():  # then not every row has a twin
            return
    codes = np.column_stack(columns)
    found, first, times = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    half = len(codes) // 2
    every = len(found) >= FEWEST_TWICE and bool((times == 2).all())
    again = half >= FEWEST_HALF and 2 * half == len(codes) and np.array_equal(codes[:half], codes[half:])
    if every or again:
        one, two = np.flatnonzero(first.reshape(-1) == first.reshape(-1)[0])[:2].tolist()
        both = f"the first one in {table.where(one)} and {table.where(two if every else half)}"
        do = "remove the copies, or add a column that tells them apart, such as a number of the run"
        raise InvalidInput(f"{table.path}: every row is there twice, {both}: {do}")


def _codes(table: Table, column: int) -> IntArray:
    import pyarrow.compute as pc

    cells = table.columns[column].combine_chunks()
    try:
        codes: IntArray = pc.dictionary_encode(cells, null_encoding="encode").indices.to_numpy().astype(np.int64)
    except NotImplementedError:  # lists and the like, which nothing here can read
        codes = np.arange(len(cells))
    return codes


def refuse_lookalikes(table: Table, column: int) -> None:
    """Refuse labels that differ only by case or blanks.

    Args:
        table: The table.
        column: The column of the labels.
    """
    codes, labels = table.labels(column)
    seen: dict[str, int] = {}
    for number, label in enumerate(labels):
        known = seen.setdefault(_plain(label), number)
        if known != number:
            each = (f"{_quoted(labels[k])} ({table.where(int(np.argmax(codes == k)))})" for k in (known, number))
            do = "write them alike, or rename one of them"
            where = f"in the column {table.named(column)} differ only by case or blanks"
            raise InvalidInput(f"{table.path}: {' and '.join(each)} {where}: {do}")


def refuse_totals(table: Table, label: int, numbers: Sequence[int]) -> None:
    """Refuse rows that add up the others, or are their mean.

    Args:
        table: The table.
        label: A column of labels.
        numbers: Columns of numbers.
    """
    codes, labels = table.labels(label)
    sums = [number for number, text in enumerate(labels) if _plain(text).rstrip(":") in SUMS]
    rows = np.isin(codes, sums)
    for column in numbers if rows.any() and not rows.all() else ():
        values = table.numbers(column)
        told, others = values[rows], values[~rows]
        added = np.isclose(told.sum(), others.sum(), rtol=EXACT, atol=0)
        if added or np.allclose(told, others.mean(), rtol=EXACT, atol=0):
            row = int(np.argmax(rows))
            what = f"{_quoted(labels[codes[row]])} is {'the sum' if added else 'the mean'} of the others"
            raise InvalidInput(f"{table.place(row)}: {what}: remove this row")


def refuse_running_totals(table: Table, labels: Sequence[int], successes: int, trials: int) -> None:
    """Refuse counts of which each contains the one before: they would be counted again and again.

    Args:
        table: The table.
        labels: The columns of the options.
        successes: The column of the successes.
        trials: The column of the trials.
    """
    option = np.unique(np.column_stack([table.labels(column)[0] for column in labels]), axis=0, return_inverse=True)[1]
    order = np.argsort(option.reshape(-1), kind="stable")
    rows = np.bincount(option.reshape(-1))
    if rows.min() < FEWEST_STEPS or gammaln(rows + 1.0).sum() < -np.log(BY_CHANCE):
        return
    same = np.diff(option.reshape(-1)[order]) == 0
    s, n = (np.diff(table.numbers(column)[order])[same] for column in (successes, trials))
    for sign, only in ((1, "grow"), (-1, "shrink")):
        if not ((sign * n > 0).all() and (sign * s >= 0).all() and s.any()):
            continue
        both = f"{table.named(trials)} and {table.named(successes)}"
        do = "give what was counted on each day alone; if these numbers are that, put the rows in another order"
        raise InvalidInput(
            f"{table.path}: {both} of every option only {only} from row to row, as running totals do: {do}"
        )


def refuse_total_names(table: Table, options: Sequence[int], *, alone: bool = True) -> None:
    """Refuse rows that are called a total or a mean, whatever their numbers: rounded ones are not exactly the sum.

    Args:
        table: The table.
        options: The columns of the options, where one word of a name is enough; elsewhere the whole cell must be one.
        alone: Whether one column names the options. Otherwise, as in columns of anything else, such a name may be a
            category, unless it stands in one row only or among days and numbers.
    """
    import pyarrow.compute as pc

    for column, cells in enumerate(table.columns):
        if not is_string(cells.type):
            continue
        rows = np.flatnonzero(pc.fill_null(pc.match_substring_regex(cells, FOUND), False).to_numpy()).tolist()
        rows = [row for row in rows if _is_total(cells[row].as_py(), part=column in options)]
        if not rows or not ((alone and column in options) or len(rows) == 1 or _counts_others(cells, rows)):
            continue
        what = f"{_quoted(cells[rows[0]].as_py())} in the column {table.named(column)} is the name of a sum or a mean"
        do = "leave this row out, or rename the option" if column in options else "leave this row out"
        raise InvalidInput(f"{table.place(rows[0])}: {what}: {do}")


def _counts_others(cells: pa.ChunkedArray, rows: Sequence[int]) -> bool:
    """Whether all cells but those of these rows are days or numbers."""
    others = cells.take(np.setdiff1d(np.arange(len(cells)), rows)).unique().to_pylist()
    return all(DAY_OR_NUMBER.fullmatch((cell or "").strip()) for cell in others)


def _is_total(cell: str, *, part: bool) -> bool:
    """Whether a cell, or only a part of it, is the name of a sum; or the cell is that of a mean."""
    words = [word for word in re.split(r"[\W_]+", _plain(cell)) if word]
    sums = [SUM.fullmatch(word) is not None for word in words]
    if part and any(sums):
        return True
    known = [total or word == "grand" or MEAN.fullmatch(word) for total, word in zip(sums, words, strict=True)]
    return bool(words) and all(known) and (any(sums) or len(words) == 1)


def id_column(table: Table, columns: Sequence[int]) -> int | None:
    """The column of ids among columns that were taken for options or parameters; None if there is none.

    Every cell of it is different. It is text, or it counts the rows and its name says so.

    Args:
        table: The table.
        columns: The columns.
    """
    for column in columns:
        if table.is_text(column):
            if len(table.columns[column]) >= FEWEST_IDS and len(table.labels(column)[1]) == len(table.columns[column]):
                return column
        elif table.names and COUNTER.fullmatch(table.names[column]) and len(columns) > 1:
            steps = np.diff(table.numbers(column))
            if len(steps) and bool((steps == 1).all()):
                return column
    return None


def _plain(label: str) -> str:
    """A label without case and blanks."""
    return " ".join(unicodedata.normalize("NFKC", label).casefold().split())


def _quoted(label: str) -> str:
    return printable(repr(label), limit=40)
