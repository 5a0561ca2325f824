"""Pages that need no network: one style, pictures inside."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterable, Sequence

STYLE = """
:root { --ink: #1c2321; --soft: #5c6663; --line: #dfe4e2; --paper: #ffffff; --good: #00795a; --half: #9a6700;
  --bad: #b3411c; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem 1.1rem 4rem; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, sans-serif; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0.4rem 0; }
h2 { font-size: 1.25rem; margin: 2.4rem 0 0.4rem; border-top: 1px solid var(--line); padding-top: 1.2rem; }
p, li { max-width: 46rem; }
figure { margin: 1rem 0; }
img { width: 100%; height: auto; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; }
figcaption, .soft { color: var(--soft); font-size: 0.9rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.88rem; width: 100%; }
th, td { text-align: left; vertical-align: top;
  padding: 0.35rem 0.7rem 0.35rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 600; }
.holds { color: var(--good); font-weight: 600; white-space: nowrap; }
.partly { color: var(--half); font-weight: 600; white-space: nowrap; }
.not { color: var(--bad); font-weight: 600; white-space: nowrap; }
details { margin: 0.2rem 0; }
summary { cursor: pointer; color: var(--soft); }
code { font-size: 0.9em; }
@media (max-width: 40rem) {
  .ledger thead { display: none; }
  .ledger > tbody > tr, .ledger > tbody > tr > td { display: block; border: 0; padding: 0; }
  .ledger > tbody > tr { border-bottom: 1px solid var(--line); padding: 0.6rem 0; }
}
"""


def escaped(value: object) -> str:
    """Text that a browser shows as it is."""
    return html.escape(str(value))


def document(title: str, parts: Iterable[str]) -> str:
    """A whole page."""
    return "\n".join(
        [
            "<!doctype html><html lang='en'><head><meta charset='utf-8'>",
            "<meta name='viewport' content='width=device-width, initial-scale=1'>",
            f"<title>{escaped(title)}</title><style>{STYLE}</style></head><body>",
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
