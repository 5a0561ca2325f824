"""Work on large matrices in blocks, and refuse those that do not fit into memory."""

from __future__ import annotations

import os
from collections.abc import Iterator

from unswayed.errors import InvalidInput

BLOCK_ENTRIES = 1 << 20  # 8 MB: enough for fast linear algebra, and it fits into a processor's cache


def row_blocks(rows: int, width: int) -> Iterator[slice]:
    """Slices that cover `rows` rows of `width` entries; each has at most BLOCK_ENTRIES entries, or is one row."""
    step = max(1, BLOCK_ENTRIES // max(width, 1))
    return (slice(begin, min(begin + step, rows)) for begin in range(0, rows, step))


def require_memory(needed: int, points: int, purpose: str, advice: str) -> None:
    """Raise an error if `needed` bytes are more than this machine has.

    Args:
        needed: Bytes.
        points: How many points the user has, for the message.
        purpose: What the memory is for, for the message.
        advice: What to do instead, for the message.
    """
    installed = installed_memory()
    if installed is not None and needed > installed:
        raise InvalidInput(
            f"{points:,} points need {needed / 1e9:,.0f} GB for {purpose}, "
            f"and this machine has {installed / 1e9:,.0f} GB; {advice}"
        )


def installed_memory() -> int | None:
    """The memory of this machine in bytes; None if the system does not tell (Windows has no sysconf)."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
