"""Text from files, programs and users, made safe to print; numbers with the digits that matter."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from html import escape
from math import ceil, floor, isfinite, log10
from typing import Any

SHORTEST = 7  # decimal places that are printed; smaller numbers get an exponent
LARGEST = 1e9  # with an error: larger numbers get one too
DIGITS = 6  # of a number, unless more of them matter
SHORT = 24  # characters of a name in a sentence


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


def shortened(text: str, limit: int) -> str:
    """A name as one line that leaves room for others: what tells long names apart is often at their end.

    Args:
        text: The name.
        limit: The largest number of characters; of a longer name the middle is left out.
    """
    line = printable(text)
    begin = limit // 2 - 1
    return line if len(line) <= limit else f"{line[:begin]}...{line[begin + 3 - limit :]}"


def short_names(names: Sequence[str], limit: int = SHORT) -> tuple[str, ...]:
    """Names as `shortened` has them; those that would be the same are longer, and at last whole.

    Args:
        names: The names, no two of them the same.
        limit: The largest number of characters, if that tells them apart.
    """
    found = [shortened(name, limit) for name in names]
    while True:
        number = Counter(found)
        same = [i for i, name in enumerate(found) if number[name] > 1 and len(name) == limit]
        if not same:
            return tuple(found)
        limit *= 2
        for i in same:
            found[i] = shortened(names[i], limit)


def number(value: float, error: float = 0.0) -> str:
    """A number with six digits, or as many as its error leaves meaningful.

    Args:
        value: The number.
        error: Its standard deviation.

    Example:
        >>> number(1000123.4567, 0.05)
        '1000123.457'
        >>> number(1 / 3)
        '0.333333'
    """
    ratio = abs(value) / error if error > 0 else 0.0
    known = ceil(log10(ratio)) + 2 if 0 < ratio < 1e17 else DIGITS
    return f"{value:.{min(max(known, DIGITS), 17)}g}"


def resolved(value: float, span: float) -> str:
    """A number with four digits, or as many as it takes to see a hundredth of a span.

    Args:
        value: The number.
        span: How far numbers like this one differ.

    Example:
        >>> resolved(1000123.4567, 2.0), resolved(0.123456, 2.0)
        ('1000123.46', '0.1235')
    """
    larger = abs(value) / span if span > 0 else 1.0
    return f"{value:.{4 + int(log10(min(max(larger, 1.0), 1e13)))}g}"


def plus_minus(value: float, error: float) -> str:
    """A number with its error, of which two digits are shown.

    Args:
        value: The number.
        error: Its standard deviation.

    Example:
        >>> plus_minus(0.991394, 0.00173), plus_minus(12345.6, 234.0), plus_minus(6.9114e-10, 7.1e-12)
        ('0.9914 ± 0.0017', '12350 ± 230', '6.911e-10 ± 7.1e-12')
        >>> plus_minus(-9.092e11, 5.1e9)
        '-9.092e+11 ± 5.1e+09'
    """
    if not error > 0:
        return f"{number(value)} ± {error:.2g}"
    places = 1 - floor(log10(error))
    if abs(value) >= LARGEST and error < abs(value):
        return f"{value:.{2 + floor(log10(abs(value))) - floor(log10(error))}g} ± {error:.2g}"
    if places > SHORTEST:
        return f"{float(round(value, places))!r} ± {error:.2g}" if value else f"0 ± {error:.2g}"
    shown = f"{error:.2g}" if places > 0 else f"{round(error, places):.0f}"
    return f"{round(value, places):.{max(places, 0)}f} ± {shown}"


def digits(values: Collection[float]) -> int:
    """How many digits tell these numbers apart, at least six.

    Args:
        values: The numbers.

    Example:
        >>> digits([20261115, 20261116])
        8
    """
    distinct = set(values)
    enough = (n for n in range(DIGITS, 17) if len({f"{value:.{n}g}" for value in distinct}) == len(distinct))
    return next(enough, 17)


def at_most(value: float, places: int = 4) -> str:
    """A number with few digits, rounded up: for what is promised not to be exceeded.

    Args:
        value: The number.
        places: How many digits.

    Example:
        >>> at_most(1.00043), at_most(0.004336, 2)
        ('1.001', '0.0044')
    """
    return _rounded(value, ROUND_CEILING, places)


def at_least(value: float, places: int = 4) -> str:
    """A number with few digits, rounded down: for what is promised to be needed.

    Args:
        value: The number.
        places: How many digits.

    Example:
        >>> at_least(0.99999)
        '0.9999'
    """
    return _rounded(value, ROUND_FLOOR, places)


def _rounded(value: float, rounding: str, places: int) -> str:
    near = f"{value:.{places}g}"
    if not isfinite(value) or abs(float(near) - value) <= 1e-12 * abs(value):  # a rounding error decides nothing
        return near
    return f"{float(Context(prec=places, rounding=rounding).plus(Decimal(value))):.{places}g}"


def counted(count: int, noun: str) -> str:
    """A number of things.

    Args:
        count: How many.
        noun: What one of them is called.

    Example:
        >>> counted(1, "measurement"), counted(2000, "measurement")
        ('1 measurement', '2,000 measurements')
    """
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def some_of(count: int, all_: int, noun: str) -> str:
    """A number of things out of all there are.

    Args:
        count: How many.
        all_: How many there are.
        noun: What one of them is called.

    Example:
        >>> some_of(1, 1, "measurement"), some_of(2, 4, "measurement")
        ('the only measurement', '2 of the 4 measurements')
    """
    return f"the only {noun}" if all_ == 1 else f"{count:,} of the {counted(all_, noun)}"


def listed(words: Sequence[str]) -> str:
    """Words as in "kernel, noise and level".

    Args:
        words: At least one.

    Example:
        >>> listed(["kernel", "noise", "level"])
        'kernel, noise and level'
    """
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def notebook_html(
    lines: Sequence[str], title: str = "", head: Sequence[str] = (), rows: Sequence[Sequence[str]] = ()
) -> str:
    """A result as a notebook shows it: its lines, the first one in bold, and a table. Nothing is loaded or run.

    Args:
        lines: The result in words; at least one line.
        title: What the table is about.
        head: The titles of its columns.
        rows: Its cells; without any there is no table.

    Example:
        >>> notebook_html(["a < b"])
        "<div><p><strong>a &lt; b</strong></p><pre style='white-space: pre-wrap'></pre></div>"
    """
    first, *rest = (escape(printable(line)) for line in lines)
    words = "\n".join(rest)
    parts = [f"<p><strong>{first}</strong></p>", f"<pre style='white-space: pre-wrap'>{words}</pre>"]
    if rows:
        parts.append(f"<table><caption>{escape(title)}</caption>")
        for cell, cells in (("th", head), *(("td", row) for row in rows)):
            parts.append(f"<tr>{''.join(f'<{cell}>{escape(printable(text))}</{cell}>' for text in cells)}</tr>")
        parts.append("</table>")
    return f"<div>{''.join(parts)}</div>"


def json_text(value: object) -> str:
    """One line of JSON; numbers that are not finite become null, because JSON has none.

    Args:
        value: Dicts, lists, tuples, text, numbers, bools and None.

    Example:
        >>> json_text({"gap": float("inf")})
        '{"gap": null}'
    """
    return json.dumps(_finite(value), allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: _finite(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return value
