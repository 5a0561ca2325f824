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

from unswayed.core.gp.surface import MOST_POINTS
from unswayed.pages import render as shared
from unswayed.search.answer import Answer
from unswayed.service.forms.begin import MOST_ROWS, ROWS, rows
from unswayed.service.forms.fields import Fields
from unswayed.service.forms.point import entries, shown_point
from unswayed.service.interface.page import operations
from unswayed.service.pages.chart import LATEST, MANY
from unswayed.service.pages.columns import SURPRISING
from unswayed.service.pages.compare import Comparison
from unswayed.service.pages.duels import view_of
from unswayed.service.pages.options import OPTIONS
from unswayed.service.pages.plays import STATES, Filter
from unswayed.service.pages.view import ALL, StudyView
from unswayed.study.duel_answer import DuelAnswer
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


def begin(fields: Fields | None, who: Who) -> str:
    """The form of a new study, as it was typed so far."""
    typed = fields or Fields({"rows": str(ROWS)}, "begin")
    return _page("begin.html", who, fields=typed, rows=rows(typed), most=MOST_ROWS)


def compare(names: Sequence[str], chosen: Sequence[str], views: Sequence[StudyView], who: Who) -> str:
    """Two studies side by side, with the same axes.

    Args:
        names: The studies that may be chosen.
        chosen: The names of the two that were.
        views: The two studies; fewer if nothing was chosen so far.
        who: Who looks.
    """
    found = Comparison.of(views) if len(views) == 2 else None
    return _page("compare.html", who, names=names, chosen=chosen, found=found)


def study(
    view: StudyView, who: Who, threat: str | None = None, kind: str | None = None, fields: Fields | None = None
) -> str:
    """A study: its answer, how far to trust it, its measurements, and the effect of other threats.

    Args:
        view: The study.
        who: Who looks.
        threat: An amount of tampering to be explained, as it was typed.
        kind: The kind of this amount: total (the default), lies or liars.
        fields: Its settings as they were typed, if something is wrong with them.
    """
    return _page("study.html", who, view=view, what_ifs=view.what_ifs(kind or "total", threat), fields=fields)


def sources(view: StudyView, who: Who, page: int = 1) -> str:
    """The sources of a study, the doubtful ones first."""
    pages = max(-(-len(view.sources) // SOURCES), 1)
    page = min(max(page, 1), pages)
    rows = view.sources[(page - 1) * SOURCES : page * SOURCES]
    return _page("sources.html", who, view=view, rows=rows, page=page, pages=pages)


def log(view: StudyView, who: Who, page: int = 1, only: Filter = ALL, fields: Fields | None = None) -> str:
    """The measurements of a study, the newest first; a single one with forms to change it.

    Args:
        view: The study.
        who: Who looks.
        page: Which page, from 1.
        only: Which of them to show.
        fields: What was typed into one of the forms, if something is wrong with it.
    """
    return _page("log.html", who, view=view, shown=view.log_page(page, only), only=only, fields=fields)


def tokens(
    rows: Sequence[Mapping[str, Any]],
    who: Who,
    new: tuple[str, str] | None = None,
    refused: str = "",
    fields: Fields | None = None,
) -> str:
    """The tokens, for owners.

    Args:
        rows: By `Tokens.rows`.
        who: Who looks at it.
        new: The name and the text of one that is shown this once.
        refused: Why what was asked for was not done.
        fields: What was typed.
    """
    return _page("tokens.html", who, rows=rows, new=new, refused=refused, fields=fields or Fields({}))


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


def standalone(study: Study, answer: Answer | DuelAnswer | None, name: str) -> str:
    """A study as one page that needs no server, no network and no script: to keep or to send."""
    view = view_of(name, study, answer)
    shown = view.log_page(rows=max(len(view.log), 1))
    about: dict[str, Any] = {"what_ifs": view.what_ifs(None, None), "rows": view.sources, "shown": shown}
    return shared.standalone(__package__, "standalone.html", view=view, who=None, **about)


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


def _filled(fields: Fields | None, form: str, known: Mapping[str, str]) -> Fields:
    """One of the forms of a page: as it was typed, or with what is known."""
    return fields if fields is not None and fields.form == form else Fields(known, form)


def _twice(text: str) -> tuple[str, str]:
    """Text as the value of a choice and as its words."""
    return text, text


TEMPLATES = shared.environment(__package__)
TEMPLATES.filters |= {"segment": _segment, "when": _when, "lasted": _lasted, "twice": _twice}
TEMPLATES.globals |= {"query": _query, "filled": _filled, "entries": entries, "shown_point": shown_point}
TEMPLATES.globals |= {
    "SURPRISING": SURPRISING,
    "LATEST": LATEST,
    "MANY": MANY,
    "MOST_POINTS": MOST_POINTS,
    "OPTIONS": OPTIONS,
    "STATES": STATES,
}
