"""The pages: which path shows what, and how somebody logs in."""

from __future__ import annotations

from threading import Thread

from starlette.responses import RedirectResponse, Response

from unswayed.errors import InvalidInput, UnswayedError
from unswayed.service.api import ALL, OPEN, OWN, READ, Api
from unswayed.service.edits import Edits
from unswayed.service.forms.fields import Fields
from unswayed.service.host import Host
from unswayed.service.http import Call, refusal
from unswayed.service.interface.openapi import described
from unswayed.service.pages import render
from unswayed.service.pages.duels import view_of
from unswayed.service.pages.plays import Filter
from unswayed.service.pages.view import StudyView
from unswayed.service.refused import Refused
from unswayed.service.routes import Route
from unswayed.service.tokens import SESSION, LastOwner, csrf

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
        return [
            Route("GET", "/", READ, self.studies, form=True),
            Route("GET", one, READ, self.study, form=True),
            Route("GET", f"{one}/sources", READ, self.sources, form=True),
            Route("GET", f"{one}/log", READ, self.log, form=True),
            Route("GET", "/begin", OWN, self.new_study, form=True),
            Route("GET", "/compare", READ, self.compare, form=True),
            *Edits(self._host, self).routes(),
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

    def new_study(self, call: Call, fields: Fields | None = None) -> Response:
        """The form of a new study."""
        return page(render.begin(fields, who(call)), _status(fields))

    def compare(self, call: Call) -> Response:
        """Two studies side by side."""
        names = [name for name in self._host.names() if call.token.reaches(name)]
        one = call.query.get("one", "")
        chosen = [one, call.query.get("other") or next((name for name in names if name != one), "")]
        asked = "other" in call.query and set(chosen) <= {*names}
        views = [self._view(name) for name in chosen] if asked and one != chosen[1] else []
        return page(render.compare(names, chosen, views, who(call)))

    def study(self, call: Call, fields: Fields | None = None) -> Response:
        """One study."""
        view = self._view(call.path["name"])
        query = call.query
        return page(render.study(view, who(call), query.get("threat"), query.get("kind"), fields), _status(fields))

    def sources(self, call: Call) -> Response:
        """Its sources."""
        return page(render.sources(self._view(call.path["name"]), who(call), call.integer("page", 1, least=1)))

    def log(self, call: Call, fields: Fields | None = None) -> Response:
        """Its measurements, or one of them with its forms."""
        view, query = self._view(call.path["name"]), call.query
        only = Filter(
            source=query.get("source", ""),
            state=query.get("state", ""),
            text=query.get("text", "").strip(),
            surprising=bool(query.get("surprising")),
            number=call.integer("number", 0) if query.get("number") else None,
        )
        if "number" in call.path:
            only = Filter(number=call.number)
        shown = render.log(view, who(call), call.integer("page", 1, least=1), only, fields)
        return page(shown, _status(fields))

    def tokens(self, call: Call, new: tuple[str, str] | None = None, refused: UnswayedError | None = None) -> Response:
        """All tokens; if a form was refused, what was typed is still there."""
        typed = Fields(call.body if refused else {})
        status, said = (200, "") if refused is None else (refusal(refused)[0], str(refused))
        return page(render.tokens(self._host.tokens.rows(), who(call), new, said, typed), status)

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
        if known is None or (known.sequence, known.found) != (study.seq, answer):
            known = view_of(name, study.study, answer, sequence=study.seq)
            self._views[name] = known
        return known

    # forms

    def make_token(self, call: Call) -> Response:
        """Make a token, and show it this once."""
        name, role, study = (call.body.get(key, "").strip() for key in ("name", "role", "study"))
        try:
            return self.tokens(call, (name, self._host.tokens.make(name, role, study or None)))
        except InvalidInput as error:
            return self.tokens(call, refused=error)

    def revoke(self, call: Call) -> Response:
        """Revoke a token."""
        try:
            self._host.tokens.revoke(call.path["token"])
        except LastOwner as error:
            return self.tokens(call, refused=error)
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


def _status(fields: Fields | None) -> int:
    """Of a page whose form is shown again if something in it is wrong."""
    return 422 if fields is not None and fields.wrong else 200


def who(call: Call) -> render.Who:
    """Who looks at a page."""
    return render.Who(call.token.name, str(call.token.role), csrf(call.cookie or ""))
