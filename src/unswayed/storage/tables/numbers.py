"""Numbers as people write them: 1.5 or 1,5; 1,234 or 1.234; 4.5%; yes and no.

A cell such as 1,234 may be two numbers. What decides is the rest of its column; then the rest of the file; then what
separates the cells (table.py).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, Self

import numpy as np

from unswayed.types import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    import pyarrow as pa

Decimal = Literal["comma", "point"]
YES, NO = ("yes", "true", "y", "ja", "wahr"), ("no", "false", "n", "nein", "falsch")
MISSING = "(?i:na|n/a|#n/a|n[.] ?a[.]|k[.] ?a[.]|null|none|-|\u2013|\u2014)"  # programs write it into an empty cell
PERCENT = "[ \u00a0\u202f]?%"
SPACES = re.compile("[\u00a0\u202f]")
CURRENCY = "[€$£¥]"
AMOUNT = "([-+]?[0-9][0-9.,' \u00a0\u202f]*)"
UNIT = re.compile(f"{CURRENCY} ?{AMOUNT}|{AMOUNT}(?:{CURRENCY}|[^\\W\\d_][\\w/²³^]*)")  # 12 ms, $5
GROUPED = "[1-9][0-9]{{0,2}}(?:{mark}[0-9]{{3}})+"
GROUPS = ("[ \u00a0\u202f]", "['\u2019]")  # between thousands, beside the mark that is not the decimal one


def _grammar(decimal: str, other: str) -> str:
    """What a number is if `decimal` is the decimal mark; `other` may stand between thousands."""
    grouped = "|".join(GROUPED.format(mark=mark) for mark in (other, *GROUPS))
    simple = f"[0-9]+(?:{decimal}[0-9]*)?|{decimal}[0-9]+"
    some = f"(?:{grouped})(?:{decimal}[0-9]*)?(?:{PERCENT})?|(?:{simple})(?:[eE][+-]?[0-9]+|{PERCENT})?"
    return f"^[+\u2212-]?(?:{some}|(?i:nan|inf|infinity))$"


GRAMMAR: dict[Decimal, str] = {"comma": _grammar(",", r"\."), "point": _grammar(r"\.", ",")}
EITHER = re.compile("|".join(GRAMMAR.values()))


def is_number(cell: str) -> bool:
    """Whether a cell is a number, with a decimal comma or a decimal point."""
    return EITHER.match(cell.strip()) is not None


@dataclass(frozen=True, eq=False)
class Written:
    """A column of text.

    Attributes:
        cells: The cells without blanks around them; None where a cell is empty.
        comma: Which cells are numbers if commas are the decimal marks.
        point: Which cells are numbers if points are.
        sign: The sign of a currency that each had, if any.
    """

    cells: pa.ChunkedArray
    comma: BoolArray
    point: BoolArray
    sign: str = ""

    @classmethod
    def of(cls, cells: pa.ChunkedArray) -> Self:
        """Look at every cell of a column of text."""
        cells = trimmed(cells)
        return cls(cells, _matches(cells, GRAMMAR["comma"]), _matches(cells, GRAMMAR["point"]))

    @cached_property
    def filled(self) -> BoolArray:
        """Which cells hold something."""
        filled: BoolArray = ~(_matches(self.cells, f"^{MISSING}$") | self.cells.is_null().to_numpy().astype(np.bool_))
        return filled

    @cached_property
    def seen(self) -> list[Decimal]:
        """The decimal marks that cells surely have, the more frequent one first."""
        counts: dict[Decimal, int] = {
            "point": int((self.point & ~self.comma).sum()),
            "comma": int((self.comma & ~self.point).sum()),
        }
        return [mark for mark in sorted(counts, key=lambda mark: -counts[mark]) if counts[mark]]

    @cached_property
    def unsure(self) -> BoolArray:
        """Which cells are two different numbers with one mark and with the other."""
        return self.comma & self.point & _matches(self.cells, "[.,]")

    @property
    def ungrouped(self) -> bool:
        """Whether some numbers have no mark between their thousands."""
        return bool(self.has("^[+-]?[0-9]{4}").any())

    @cached_property
    def words(self) -> bool:
        """Whether every cell is yes or no."""
        every = f"^(?i:{'|'.join((*YES, *NO))})$"
        return bool(self.filled.any()) and bool(_matches(self.cells, every)[self.filled].all())

    @cached_property
    def percent(self) -> BoolArray:
        """Which cells have a percent sign."""
        return _matches(self.cells, "%$") & (self.comma | self.point)

    def values(self, decimal: Decimal) -> FloatArray:
        """The number in each cell; NaN where there is none."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if self.words:
            yes = _matches(self.cells, f"^(?i:{'|'.join(YES)})$")
            return np.where(self.filled, yes, np.nan)
        good = self.comma if decimal == "comma" else self.point
        text = pc.if_else(pa.array(good), self.cells, None)
        for pattern, put in (
            (f"{'|'.join(GROUPS)}|{'[.]' if decimal == 'comma' else ','}", ""),
            (",", "."),
            ("^\u2212", "-"),
            (f"{PERCENT}$", "e-2"),
        ):
            text = pc.replace_substring_regex(text, pattern, put)
        values: FloatArray = np.array(text.cast(pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)
        return values

    def grouped(self, decimal: Decimal) -> BoolArray:
        """Which cells have a mark between their thousands."""
        good = self.comma if decimal == "comma" else self.point
        return good & self.has(f"[0-9](?:{'|'.join(GROUPS)}|{'[.]' if decimal == 'comma' else ','})[0-9]")

    def has(self, pattern: str) -> BoolArray:
        """Which cells have this in them."""
        return _matches(self.cells, pattern)

    def rows(self, kept: IntArray) -> Self:
        """Some of the rows."""
        return replace(self, cells=self.cells.take(kept), comma=self.comma[kept], point=self.point[kept])


def plain_numbers(cells: pa.ChunkedArray) -> FloatArray | None:
    """The numbers of a column in which every cell is one and only one: the fast way; None if it is not so plain."""
    import pyarrow as pa

    try:
        values = np.array(cells.cast(pa.float64()).to_numpy(), dtype=np.float64)
    except pa.ArrowException:
        return None
    unsure = np.isnan(values).any() or _matches(cells, f"^[+-]?{GROUPED.format(mark='[.]')}$").any()
    return None if unsure else values


def without_currency(cells: pa.ChunkedArray) -> tuple[pa.ChunkedArray, str]:
    """The cells without the sign of a currency, if each that holds something has the same one; and that sign, or "".

    Args:
        cells: A column of text.
    """
    import pyarrow.compute as pc

    text = trimmed(cells)
    filled = text.filter(pc.invert(pc.match_substring_regex(text, f"^{MISSING}$")))  # drops empty cells
    if not len(filled) or (sign := re.search(CURRENCY, filled[0].as_py())) is None:
        return cells, ""
    one = re.escape(sign[0])
    if not _matches(filled, f"^({one}[^€$£¥]+|[^€$£¥]+{one})$").all():
        return cells, ""
    return pc.utf8_trim_whitespace(pc.replace_substring(text, sign[0], "")), sign[0]


def trimmed(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    """The cells without blanks around them; None where a cell is empty."""
    import pyarrow.compute as pc

    cells = pc.utf8_trim_whitespace(cells)
    return pc.if_else(pc.equal(cells, ""), None, cells)


def _matches(cells: pa.ChunkedArray, pattern: str) -> BoolArray:
    import pyarrow.compute as pc

    found: BoolArray = pc.fill_null(pc.match_substring_regex(cells, pattern), False).to_numpy().astype(np.bool_)
    return found
