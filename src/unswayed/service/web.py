"""The pages: which path shows what, and what the forms on them do."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import Any
from urllib.parse import quote, urlencode

from starlette.responses import RedirectResponse, Response

from unswayed.service.api import ALL, OPEN, OWN, READ, Api
from unswayed.service.host import Host
from unswayed.service.http import Call, parse_json
from unswayed.service.interface.bodies import CHANGE, line, parse_float, parse_int, settings
from unswayed.service.interface.openapi import described
from unswayed.service.interface.schema import checked
from unswayed.service.pages import render
from unswayed.service.pages.view import StudyView
from unswayed.service.refused import Refused
from unswayed.service.routes import Route
from unswayed.service.tokens import SESSION, csrf
from unswayed.study.optimizer import Optimizer

COOKIE = "unswayed"


def page(text: str, status: int = 200) -> Response:
    """A page of HTML."""
    return Response(text, status, media_type="text/html; charset=utf-8")


def error_page(status: int, line: str) -> Response:
    """What a browser sees of an error; who has no token is asked for one."""
    if status == 401:
        return page(render.login(), 401)
    return page(render.error(status, line), status)


class Web:
    """The pages of a host, and of its interface."""

    def __init__(self, host: Host, api: Api) -> None:
        self._host, self._api = host, api
        self._views: dict[str, StudyView] = {}

    def routes(self) -> list[Route]:
        """Every page and form with its rule."""
        one = "/studies/{name}"
        play = f"{one}/plays/{{number}}"
        return [
            Route("GET", "/", READ, self.studies, form=True),
            Route("GET", one, READ, self.study, form=True),
            Route("GET", f"{one}/sources", READ, self.sources, form=True),
            Route("GET", f"{one}/log", READ, self.log, form=True),
            Route("POST", f"{play}/retract", OWN, self.retract, form=True),
            Route("POST", f"{play}/restore", OWN, self.restore, form=True),
            Route("POST", f"{play}/correct", OWN, self.correct, form=True),
            Route("POST", f"{one}/quarantine", OWN, self.quarantine, form=True),
            Route("POST", f"{one}/change", OWN, self.change, form=True),
            Route("GET", "/tokens", OWN, self.tokens, form=True),
            Route("POST", "/tokens", OWN, self.make_token, form=True),
            Route("POST", "/tokens/{token}/revoke", OWN, self.revoke, form=True),
            Route("GET", "/interface", OPEN, self.interface, form=True),
            Route("GET", "/login", OPEN, self.login, form=True),
            Route("POST", "/login", OPEN, self.log_in, form=True),
            Route("POST", "/logout", ALL, self.log_out, form=True),
            Route("GET", "/static/{file}", OPEN, self.static, form=True),
        ]

    # pages

    def studies(self, call: Call) -> Response:
        """All studies."""
        names = [name for name in self._host.names() if call.token.reaches(name)]
        return page(render.studies([self._view(name) for name in names], who(call)))

    def study(self, call: Call) -> Response:
        """One study."""
        view = self._view(call.path["name"])
        return page(render.study(view, who(call), call.query.get("threat"), call.query.get("kind")))

    def sources(self, call: Call) -> Response:
        """Its sources."""
        return page(render.sources(self._view(call.path["name"]), who(call), call.integer("page", 1, least=1)))

    def log(self, call: Call) -> Response:
        """Its plays."""
        view, query = self._view(call.path["name"]), call.query
        number = call.integer("number", 0) if query.get("number") else None
        shown = render.log(
            view,
            who(call),
            call.integer("page", 1, least=1),
            query.get("source"),
            bool(query.get("surprising")),
            number,
        )
        return page(shown)

    def tokens(self, call: Call, new: tuple[str, str] | None = None) -> Response:
        """All tokens."""
        return page(render.tokens(self._host.tokens.rows(), who(call), new))

    def interface(self, call: Call) -> Response:
        """What programs can ask for."""
        return page(render.interface(described(self._api.routes()), who(call) if call.who else None))

    def static(self, call: Call) -> Response:
        """A style sheet or a script."""
        name = call.path["file"]
        if name not in render.TYPES:
            raise Refused(404, "there is no such file")
        kept = {"Cache-Control": "max-age=300"}
        return Response(render.static(name), media_type=render.TYPES[name], headers=kept)

    def _view(self, name: str) -> StudyView:
        """A study as it is now; its answer is the last one that is known, and a newer one is computed meanwhile."""
        study = self._host.study(name)
        answer, behind = study.latest_answer()
        if behind and any(play.measured for play in study.log) and study.claim_answer():
            Thread(target=study.answer_claimed, daemon=True, name=f"answer of {name}").start()
        known = self._views.get(name)
        if known is None or (known.sequence, known.answer) != (study.seq, answer):
            missing = study.measured_since(answer) if answer is not None else 0
            known = StudyView.of(name, study.study, answer, missing, sequence=study.seq)
            self._views[name] = known
        return known

    # forms

    def retract(self, call: Call) -> Response:
        """Leave a measurement out."""
        return self._edit(call, lambda study, number: study.retract(number, line(call.body)))

    def restore(self, call: Call) -> Response:
        """Undo that."""
        return self._edit(call, lambda study, number: study.restore(number))

    def correct(self, call: Call) -> Response:
        """Replace a value."""
        value = parse_float(call.body.get("value", ""), "the value")
        return self._edit(call, lambda study, number: study.correct(number, value, line(call.body)))

    def _edit(self, call: Call, edit: Callable[[Optimizer, int], None]) -> Response:
        study = self._host.study(call.path["name"])
        study.edit(call.token.name, lambda known: edit(known, call.number))
        return back(call, "log", number=call.number)

    def quarantine(self, call: Call) -> Response:
        """Do not count a source for now, or count it again."""
        study = self._host.study(call.path["name"])
        source, aside = call.body.get("source", ""), call.body.get("on") == "yes"

        def change(known: Optimizer) -> None:
            others = [name for name in known.settings.quarantined if name != source]
            known.change(quarantined=[*others, source] if aside else others)

        study.edit(call.token.name, change)
        return back(call, "sources")

    def change(self, call: Call) -> Response:
        """Change settings; an empty field means not known, or no limit."""
        study, body = self._host.study(call.path["name"]), call.body
        changes: dict[str, Any] = {}
        if "threat" in body:
            changes["threat"] = threat_of(body["threat"].strip())
        for name in ("plays", "parallel"):
            if name in body:
                changes[name] = parse_int(body[name], name) if body[name].strip() else None
        if "note" in body:
            changes["note"] = body["note"].strip() or None
        changes = checked(changes, CHANGE, "the form")
        study.edit(call.token.name, lambda known: known.change(**settings(changes)))
        return back(call)

    def make_token(self, call: Call) -> Response:
        """Make a token, and show it this once."""
        name, role, study = (call.body.get(key, "").strip() for key in ("name", "role", "study"))
        return self.tokens(call, (name, self._host.tokens.make(name, role, study or None)))

    def revoke(self, call: Call) -> Response:
        """Revoke a token."""
        self._host.tokens.revoke(call.path["token"])
        return RedirectResponse("/tokens", 303)

    def login(self, call: Call) -> Response:
        """Where a token is exchanged for a cookie."""
        return page(render.login(next=call.query.get("next", "/")))

    def log_in(self, call: Call) -> Response:
        """Exchange it."""
        token = self._host.tokens.check(call.body.get("token", "").strip())
        if token is None:
            return page(render.login("this is not a valid token", call.body.get("next", "/")), 401)
        if token.measures:
            return page(render.login(f"a {token.role} has no pages; ask the owner for a reader's token"), 403)
        where = call.body.get("next", "/")
        local = where.startswith("/") and not where.startswith(("//", "/\\")) and where.isprintable()
        response = RedirectResponse(where if local else "/", 303)
        if call.cookie is not None:
            self._host.tokens.log_out(call.cookie)
        new, secure = self._host.tokens.log_in(token), call.secure
        response.set_cookie(COOKIE, new, int(SESSION), httponly=True, samesite="strict", path="/", secure=secure)
        return response

    def log_out(self, call: Call) -> Response:
        """Forget the cookie."""
        self._host.tokens.log_out(call.cookie or "")
        response = RedirectResponse("/login", 303)
        response.delete_cookie(COOKIE, path="/")
        return response


def who(call: Call) -> render.Who:
    """Who looks at a page."""
    return render.Who(call.token.name, str(call.token.role), csrf(call.cookie or ""))


def back(call: Call, *part: str, **query: Any) -> Response:
    """To the page where the change can be seen."""
    path = "/".join(["/studies", quote(call.path["name"], safe=""), *part])
    return RedirectResponse(f"{path}?{urlencode(query)}" if query else path, 303)


def threat_of(text: str) -> Any:
    """The threat that somebody typed: a number, an object, or nothing if it is not known."""
    if text.startswith("{"):
        return parse_json(text.encode(), "application/json")
    return parse_float(text, "the threat") if text else None
