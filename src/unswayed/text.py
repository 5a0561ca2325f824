"""Text from files and users, made safe to print."""

from __future__ import annotations


def printable(text: str, *, most: int = 200) -> str:
    """One line of bounded length in which everything that a terminal would obey is shown as an escape."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text[: most + 1])
    return shown if len(shown) <= most else shown[:most] + "..."
