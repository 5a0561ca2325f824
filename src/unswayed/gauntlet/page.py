"""The page of the gauntlet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from unswayed.gauntlet.table import markdown


def page(rows: Iterable[Mapping[str, Any]], *, settings: Mapping[str, Any], failures: Sequence[object] = ()) -> str:
    """The tables as HTML."""
    lost = "".join(f"<li>{escape(str(failure))}</li>" for failure in failures)
    text = f"{settings['command']}\n\n{markdown(rows)}"
    return f"<!doctype html><title>The gauntlet of Unswayed</title><pre>{escape(text)}</pre><ul>{lost}</ul>\n"
