"""The pages as text. The templates escape everything that a source can write.

The server sends the pages with a content security policy that allows its own files only, so there is no inline script
and no style attribute.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, urlencode

from unswayed.pages import render as shared
from unswayed.search.answer import Answer
from unswayed.service.interface.page import operations
from unswayed.service.pages.chart import LATEST
from unswayed.service.pages.columns import SURPRISING
from unswayed.service.pages.options import OPTIONS
from unswayed.service.pages.plays import log_page
from unswayed.service.pages.view import StudyView
from unswayed.study.study import Study

SOURCES = 100  # on a page
TYPES = {"style.css": "text/css; charset=utf-8", "live.js": "text/javascript; charset=utf-8"}


@dataclass(frozen=True)
class Who:
    """Who looks at a page.

    Attributes:
        name: The name of the token.
        role: owner or reader.
        csrf: What every form carries.
    """

    name: str
    role: str
    csrf: str

    @property
    def owner(self) -> bool:
        """Whether to show forms."""
        return self.role == "owner"


def studies(rows: Iterable[StudyView], who: Who) -> str:
    """All studies, with their leaders and how far each leader can be trusted."""
    return _page("studies.html", who, views=list(rows))


def study(view: StudyView, who: Who, threat: str | None = None, kind: str | None = None) -> str:
    """A study: its answer, how far to trust it, its measurements, and the effect of other threats.

    Args:
        view: The study.
        who: Who looks.
        threat: An amount of tampering to be explained, as it was typed.
        kind: The kind of this amount: total (the default), lies or liars.
    """
    return _page("study.html", who, view=view, what_ifs=view.what_ifs(kind or "total", threat))


def sources(view: StudyView, who: Who, page: int = 1) -> str:
    """The sources of a study, the doubtful ones first."""
    pages = max(-(-len(view.sources) // SOURCES), 1)
    page = min(max(page, 1), pages)
    rows = view.sources[(page - 1) * SOURCES : page * SOURCES]
    return _page("sources.html", who, view=view, rows=rows, page=page, pages=pages)


def log(
    view: StudyView,
    who: Who,
    page: int = 1,
    source: str | None = None,
    surprising: bool = False,
    number: int | None = None,
) -> str:
    """The plays of a study, the newest first, with forms to change them; the arguments are those of `log_page`."""
    shown = view.log_page(page, source or None, surprising, number)
    return _page("log.html", who, view=view, shown=shown, source=source or "", surprising=surprising, number=number)


def tokens(rows: Sequence[Mapping[str, Any]], who: Who, new: tuple[str, str] | None = None) -> str:
    """The tokens, for owners, by `Tokens.rows`; `new` is the name and the text of one that is shown this once."""
    return _page("tokens.html", who, rows=rows, new=new)


def interface(document: Mapping[str, Any], who: Who | None) -> str:
    """The interface for programs, for people: by `openapi.described`. Nobody needs to be logged in."""
    return _page("interface.html", who, document=document, operations=operations(document))


def login(error: str | None = None, next: str = "/") -> str:
    """The form in which a browser exchanges a token for a cookie.

    Args:
        error: Why the last attempt failed.
        next: The page to show afterwards; a path of this server.
    """
    here = next.startswith("/") and not next.startswith(("//", "/\\"))
    return _page("login.html", None, error=error, next=next if here else "/")


def error(status: int, line: str) -> str:
    """The page of an error."""
    return _page("error.html", None, status=status, line=line)


def standalone(study: Study, answer: Answer | None, name: str) -> str:
    """A study as one page that needs no server, no network and no script: to keep or to send."""
    view = StudyView.of(name, study, answer)
    shown = log_page(view.space, view.log, view.columns, 1, rows=max(len(view.log), 1))
    about: dict[str, Any] = {"what_ifs": view.what_ifs(None, None), "rows": view.sources, "shown": shown, "who": None}
    return shared.standalone(__package__, "standalone.html", view=view, **about)


def static(name: str) -> str:
    """The text of a static file, one of TYPES."""
    return shared.file_text(shared.SHARED if name == "style.css" else __package__, name)


def _segment(text: str) -> str:
    """Text as one segment of a path."""
    return quote(text, safe="", errors="replace")


def _query(**parts: Any) -> str:
    """The query of an address, without empty parts."""
    some = {name: value for name, value in parts.items() if value}
    return f"?{urlencode(some, errors='replace')}" if some else ""


def _when(seconds: object) -> str:
    """A time, in UTC."""
    try:
        return f"{datetime.fromtimestamp(float(seconds), UTC):%Y-%m-%d %H:%M:%S}"  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError, OSError):
        return "an unknown time"


def _lasted(seconds: float) -> str:
    """A duration."""
    if seconds < 120:
        return f"{seconds:.3g} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def _page(template: str, who: Who | None, **about: Any) -> str:
    """A template of this folder, filled in for the one who looks."""
    return shared.rendered(__package__, template, who=who, **about)


TEMPLATES = shared.environment(__package__)
TEMPLATES.filters |= {"segment": _segment, "when": _when, "lasted": _lasted}
TEMPLATES.globals |= {"query": _query, "SURPRISING": SURPRISING, "LATEST": LATEST, "OPTIONS": OPTIONS}
