"""The web application: every request is checked, finds its route and its rule, and is handled in a thread."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import partial
from time import perf_counter
from typing import Any

import anyio
from anyio import CapacityLimiter, to_thread
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Router, request_response
from starlette.types import Receive, Scope, Send

from unswayed.errors import UnswayedError
from unswayed.service import http
from unswayed.service.api import Api
from unswayed.service.host import Host
from unswayed.service.http import SAFE, Call
from unswayed.service.refused import Refused
from unswayed.service.routes import Exact, Route, Wait, parts_of
from unswayed.service.running.log import LEFT, LOGGER, log_request
from unswayed.service.shared import SharedStudy
from unswayed.service.tokens import Token, csrf
from unswayed.service.web import COOKIE, Web, error_page
from unswayed.text import listed

LOCAL = frozenset({"127.0.0.1", "localhost", "::1"})
THREADS = 64  # of each kind of waiting
STREAMS = 200  # browsers that follow studies
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})  # that are counted by name
POLL = 0.5  # seconds between two looks for what other servers have written


class App:
    """The service as an ASGI application.

    Args:
        host: The studies.
        hosts: The names under which the server may be reached.

    Attributes:
        ending: Whether the server is about to end, so that streams end too.
    """

    def __init__(self, host: Host, hosts: frozenset[str] = LOCAL) -> None:
        self._host, self._hosts = host, frozenset(name.lower() for name in hosts)
        self._api = Api(host)
        self.routes = [*self._api.routes(), *Web(host, self._api).routes()]
        self._known = [Exact(one.method, one.path, partial(self._answer, one)) for one in self.routes]
        self._router = Router(
            self._known, redirect_slashes=False, default=request_response(partial(self._answer, None))
        )
        self._limits = {wait: CapacityLimiter(THREADS) for wait in Wait}
        self._streams = 0
        self.ending = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "websocket":
            return
        if scope["type"] == "http":  # routes are found by the path as it was sent: a name may hold an escaped slash
            path = http.path_of(Request(scope))
            scope = {**scope, "path": path, "raw_path": path.encode("latin-1"), "root_path": ""}
        with suppress(ClientDisconnect):
            await self._router(scope, receive, send)

    async def _answer(self, route: Route | None, request: Request) -> Response:
        began, status = perf_counter(), LEFT
        method = request.method if request.method in METHODS else "other"
        try:
            response = await self._replied(route, request)
            status = response.status_code
            self._api.counts[method, status] += 1
            return response
        finally:
            who = getattr(request.state, "who", None)
            log_request(method, route.path if route else None, status, perf_counter() - began, who)

    async def _replied(self, route: Route | None, request: Request) -> Response:
        """The response, whatever happens."""
        is_api = http.path_of(request).startswith("/api/")
        try:
            response = await self._respond(route, request)
        except UnswayedError as error:
            status, body = http.refusal(error)
            response = http.reply(status, body) if is_api else error_page(status, body["error"])
            response.headers.update(error.headers if isinstance(error, Refused) else {})
        except ClientDisconnect:
            raise
        except Exception:
            LOGGER.exception("a fault of the server")
            line = "internal server error; see the server log"
            response = http.reply(500, {"error": line}) if is_api else error_page(500, line)
        for name, value in SAFE.items():
            response.headers.setdefault(name, value)
        return response

    async def _respond(self, route: Route | None, request: Request) -> Response:
        http.check_headers(request, self._hosts)
        data = await http.read_body(request)
        response: Response = await self._thread(Wait.DATABASE, self._enter, route, request, data)
        return response

    async def _thread(self, wait: Wait, work: Any, *arguments: Any) -> Any:
        result = await to_thread.run_sync(partial(work, *arguments), limiter=self._limits[wait])
        if isinstance(result, tuple):  # a request that was let in and waits for something
            route = result[0]
            return await (
                self._events(*result) if route.wait is Wait.EVENTS else self._thread(route.wait, done, *result)
            )
        return result

    def _enter(self, route: Route | None, request: Request, data: bytes) -> Response | tuple[Route, Call]:
        """Find out who asks, and whether they may; then do it."""
        with http.unexplained():
            who, cookie = self._who(request)
        request.state.who = who and who.name
        path = parts_of(request)
        is_open = route is not None and path is not None and not route.roles
        if who is None and not is_open:
            raise Refused(401, "this needs a token: Authorization: Bearer TOKEN")
        if path is None:
            raise Refused(404, "a part of the path is no text")
        if route is None:
            raise self._unknown(request)
        if route.roles and who is not None:
            if who.role not in route.roles:
                raise Refused(403, f"a {who.role} may not do this")
            if "name" in path and not who.reaches(path["name"]):
                raise Refused(403, "this token is for another study")
        call = self._call(request, route, path, data, who, cookie)
        if not route.roles:
            with http.unexplained():
                return done(route, call)
        return done(route, call) if route.wait is Wait.DATABASE else (route, call)

    def _unknown(self, request: Request) -> Refused:
        """Why a request finds no route: there is no such path, or the path has other methods."""
        what = f"{request.method} {http.path_of(request)[:100]}"
        others = sorted({one.method for one in self._known if one.is_for(request.scope)})
        if not others:
            return Refused(404, f"there is no {what}")
        return Refused(405, f"there is no {what}, but {listed(others)}", headers={"Allow": ", ".join(others)})

    def _who(self, request: Request) -> tuple[Token | None, str | None]:
        """Whose token or cookie a request carries. A cookie never writes to the API: other sites could send it."""
        token, cookie = http.bearer(request), request.cookies.get(COOKIE)
        if token is not None:
            return self._host.tokens.check(token), None
        if cookie is None or (request.method != "GET" and http.path_of(request).startswith("/api/")):
            return None, None
        return self._host.tokens.logged_in(cookie), cookie

    def _call(
        self, request: Request, route: Route, path: dict[str, str], data: bytes, who: Token | None, cookie: str | None
    ) -> Call:
        body: dict[str, Any] = {}
        if route.form and route.method == "POST":
            body = http.parse_form(data)
            if route.roles and (cookie is None or body.pop("csrf", None) != csrf(cookie)):
                raise Refused(403, "the form is out of date: load the page again")
        elif route.takes is not None:
            body = http.parse_json(data, request.headers.get("content-type", ""))
        last = request.headers.get("last-event-id", "")
        after = int(last) if last.isascii() and last.isdigit() and len(last) < 12 else None
        query = request.query_params.multi_items()
        body = route.checked(query, body)
        key, digest, secure = http.key_of(request), http.digest_of(request, data), request.scope["scheme"] == "https"
        return Call(who, cookie, path, dict(query), body, key, digest, after, secure)

    async def _events(self, route: Route, call: Call) -> Response:
        """Records as server-sent events, as they come."""
        if self._streams >= STREAMS:
            raise Refused(429, "too many browsers follow studies here: try again later")
        study: SharedStudy = await to_thread.run_sync(route.handle, call)
        after = call.after if call.after is not None else call.integer("after", study.seq)
        headers = {"X-Accel-Buffering": "no"}  # a proxy passes each event on at once
        return StreamingResponse(self._stream(call, study, after), headers=headers, media_type="text/event-stream")

    async def _stream(self, call: Call, study: SharedStudy, after: int) -> AsyncIterator[str]:
        """What is new, until the browser leaves, its token is revoked or the server ends."""
        valid = partial(self._host.tokens.still_valid, call.token, call.cookie)
        self._streams += 1
        try:
            yield f": the records after {after}\n\n"
            quiet = 0.0
            while not self.ending:
                if not self._host.database.sqlite:
                    await to_thread.run_sync(study.refresh)
                if study.seq > after:
                    records = await to_thread.run_sync(study.records, after)
                    if not await to_thread.run_sync(valid):
                        return
                    for record in records:
                        after += 1
                        yield f"id: {after}\nevent: record\ndata: {json.dumps({'seq': after, **record})}\n\n"
                    quiet = 0.0
                elif (quiet := quiet + POLL) > 15:
                    if not await to_thread.run_sync(valid):
                        return
                    yield ": nothing new\n\n"
                    quiet = 0.0
                await anyio.sleep(POLL)
        finally:
            self._streams -= 1


def done(route: Route, call: Call) -> Response:
    """The response to a request that was let in."""
    result = route.handle(call)
    return result if isinstance(result, Response) else http.reply(*result)
