"""How much of a large matrix is looked at together, and what cannot fit at all."""

from __future__ import annotations

import os
from collections.abc import Iterator

from unswayed.errors import InvalidInput

BLOCK = 1 << 20  # entries: 8 MB, large enough for the linear algebra and small enough for a processor's cache


def row_blocks(rows: int, width: int) -> Iterator[slice]:
    """Slices that cover `rows` rows of `width` entries each, with at most BLOCK entries (or one row) in each."""
    step = max(1, BLOCK // max(width, 1))
    return (slice(begin, min(begin + step, rows)) for begin in range(0, rows, step))


def require_memory(needed: int, points: int, purpose: str, advice: str) -> None:
    """Refuse a purpose for which so many points need more bytes than this machine has."""
    installed = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if needed > installed:
        raise InvalidInput(
            f"{points:,} points need {needed / 1e9:,.0f} GB for {purpose}, "
            f"and this machine has {installed / 1e9:,.0f} GB; {advice}"
        )
