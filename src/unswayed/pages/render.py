"""Pages from templates. What others wrote is escaped, and a page that stands alone loads nothing.

A package that makes pages keeps its templates in its folder `templates`. `layout.html` and `shared.html` are here, for
all of them, and so is the style.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from functools import cache, partial
from hashlib import sha256
from importlib import resources
from typing import Any, NamedTuple

from jinja2 import Environment, FunctionLoader, StrictUndefined

from unswayed.text import counted, listed, number, printable

SHARED = "unswayed.pages"
TEXT_LENGTH = 2000  # characters of a text that somebody wrote; the rest is cut off
NAME_LENGTH = 60  # characters of a name in a table or a heading


_DRAWING = (  # a line that is pushed, and goes on level
    b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#00795a"/>'
    b'<path d="M2.5 10.5h3l2-6 2 8 1.5-3h2.5" fill="none" stroke="#fff" stroke-width="1.6"/></svg>'
)
ICON = f"data:image/svg+xml;base64,{base64.b64encode(_DRAWING).decode()}"


class Picture(NamedTuple):
    """A figure of a page: a title, a caption, and the bytes of a PNG."""

    title: str
    caption: str
    png: bytes

    @property
    def data(self) -> str:
        """The picture as text."""
        return base64.b64encode(self.png).decode()


class Table(NamedTuple):
    """A small table of a page: a title, a sentence that says how to read it, a head and rows of cells."""

    title: str
    text: str
    head: Sequence[str]
    rows: Iterable[Sequence[str]]


class Words(NamedTuple):
    """Some lines under a title; an empty title is left out."""

    title: str
    lines: Sequence[str]


def file_text(package: str, name: str) -> str:
    """The text of a file of a package."""
    return resources.files(package).joinpath(name).read_text(encoding="utf-8")


@cache
def environment(package: str) -> Environment:
    """The templates of a package, and those that all packages share. An unknown name in a template is an error.

    Args:
        package: Its folder `templates` is searched first.
    """
    loader = FunctionLoader(partial(_template, package))
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    short = partial(_line, limit=NAME_LENGTH)
    made.filters |= {"line": _line, "short": short, "number": number, "counted": counted, "listed": listed}
    made.globals["ICON"] = ICON
    return made


def rendered(package: str, template: str, **about: Any) -> str:
    """A page as text.

    Args:
        package: Whose template it is.
        template: Its name.
        about: What it shows.
    """
    text = environment(package).get_template(template).render(about)
    return text.encode("utf-8", "replace").decode("utf-8")  # half a surrogate pair cannot be written


def standalone(package: str, template: str, *, style: str = "", script: str = "", **about: Any) -> str:
    """A page that needs no server and no network; its policy allows its own style, script and pictures only.

    Args:
        package: Whose template it is.
        template: Its name.
        style: What it adds to the style of all pages.
        script: Its script.
        about: What it shows.
    """
    style = file_text(SHARED, "style.css") + style
    allowed = {"img-src": "data:", "style-src": _digest(style)} | ({"script-src": _digest(script)} if script else {})
    policy = "; ".join(f"{kind} {source}" for kind, source in {"default-src": "'none'", **allowed}.items())
    policy += "; base-uri 'none'; form-action 'none'"
    return rendered(package, template, policy=policy, style=style, script=script, **about)


def _template(package: str, name: str) -> str:
    own = resources.files(package).joinpath(f"templates/{name}")
    return own.read_text(encoding="utf-8") if own.is_file() else file_text(SHARED, f"templates/{name}")


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'"


def _line(text: object, limit: int = TEXT_LENGTH) -> str:
    """Text as one line, without control characters and marks that turn the direction of writing."""
    return printable(str(text), limit=limit)
