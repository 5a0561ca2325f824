"""Text from files, programs and users, made safe to print."""

from __future__ import annotations


def printable(text: str | bytes, *, limit: int | None = None) -> str:
    r"""Return `text` as one line without control characters.

    Control characters, escape sequences, line breaks, bidirectional marks and invisible characters are shown as
    escapes such as `\x1b` and `\u202e`. Everything else stays as it is.

    Args:
        text: Text, or bytes in UTF-8. Bytes that are not UTF-8 are shown as escapes too.
        limit: The largest number of characters to return; longer text is cut and ends with `...`.

    Returns:
        The line.

    Example:
        >>> printable("\x1b[31mred")
        '\\x1b[31mred'
        >>> printable("abcdef", limit=5)
        'ab...'
    """
    if isinstance(text, bytes):
        # Decode only what can be shown: a character has at most four bytes.
        text = (text if limit is None else text[: 4 * (limit + 1)]).decode("utf-8", "backslashreplace")
    start = text if limit is None else text[: limit + 1]
    line = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in start)
    if limit is None or len(line) <= limit:
        return line
    return line[: max(limit - 3, 0)] + "..."[:limit]
