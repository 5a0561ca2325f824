"""What is probably a mistake in a table, each refused in one line that says what to do."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import numpy as np

from unswayed.errors import InvalidInput
from unswayed.storage.tables.table import SUMS, Table
from unswayed.text import printable
from unswayed.types import IntArray

FEWEST_TWICE = 4  # different rows that are all there twice: with fewer it may be chance
FEWEST_HALF = 20  # rows that come again in the same order, although some are equal
FEWEST_IDS = 8  # labels that are all different: fewer may be as many options
EXACT = 1e-6  # relative error of a sum in a file
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
