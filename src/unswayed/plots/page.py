"""Pages that need no network: one style, pictures inside."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterable, Sequence
from importlib import resources

STYLE = resources.files("unswayed.plots").joinpath("page.css").read_text(encoding="utf-8")


def escaped(value: object) -> str:
    """Text that a browser shows as it is."""
    return html.escape(str(value))


def document(title: str, parts: Iterable[str], *, style: str = STYLE, head: str = "") -> str:
    """A whole page; `head` stands before its style."""
    return "\n".join(
        [
            "<!doctype html><html lang='en'><head><meta charset='utf-8'>",
            "<meta name='viewport' content='width=device-width, initial-scale=1'>",
            f"{head}<title>{escaped(title)}</title><style>{style}</style></head><body>",
            *parts,
            "</body></html>",
        ]
    )


def picture(title: str, caption: str, png: bytes) -> str:
    """A figure with a title above and a caption below."""
    data = base64.b64encode(png).decode()
    return (
        f"<h2>{escaped(title)}</h2><figure><img alt='{escaped(caption)}' "
        f"src='data:image/png;base64,{data}'><figcaption>{escaped(caption)}</figcaption></figure>"
    )


def table(title: str, text: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with a title and a sentence that says how to read it."""
    top = "".join(f"<th>{escaped(cell)}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{escaped(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return (
        f"<h2>{escaped(title)}</h2><p>{escaped(text)}</p><div class='scroll'><table><thead><tr>{top}</tr>"
        f"</thead><tbody>{body}</tbody></table></div>"
    )
