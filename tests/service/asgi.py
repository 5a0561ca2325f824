"""Requests to the application without a network: every byte of a request can be chosen."""

import json
from dataclasses import dataclass
from urllib.parse import unquote, urlencode

import anyio

from tests.service.conforming import Conforming
from unswayed.service.app import App

HOST = "127.0.0.1:8711"


@dataclass
class Reply:
    """What came back."""

    status: int
    headers: dict
    body: bytes

    @property
    def text(self):
        return self.body.decode()

    @property
    def json(self):
        return json.loads(self.body)


class Direct:
    """Sends requests to an `App`. A body that is bytes is sent as it is, another one as JSON, `form` as a form.

    `seen` is told each part of the reply as it comes. With `hang_up` the client leaves before its request is whole.
    """

    def __init__(self, host, **how):
        self.host, self.app = host, App(host, **how)
        self.conforming = Conforming(self.app.routes)

    def __call__(
        self,
        method,
        path,
        token=None,
        body=None,
        *,
        form=None,
        headers=(),
        cookie=None,
        parts=None,
        most=None,
        seen=None,
        tls=False,
        hang_up=False,
    ):
        given = {"host": HOST}
        if token is not None:
            given["authorization"] = f"Bearer {token}"
        if cookie is not None:
            given["cookie"] = f"unswayed={cookie}"
        if form is not None:
            given["content-type"] = "application/x-www-form-urlencoded"
            body = form if isinstance(form, bytes) else urlencode(form).encode()
        elif body is not None:
            given["content-type"] = "application/json"
        given = {name: one for name, one in {**given, **dict(headers)}.items() if one is not None}
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        raw, _, query = path.partition("?")
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "https" if tls else "http",
            "path": unquote(raw),
            "raw_path": raw.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(name.lower().encode(), one.encode("latin-1")) for name, one in given.items()],
            "server": ("127.0.0.1", 8711),
            "client": ("127.0.0.1", 50000),
        }
        reply = anyio.run(self._send, scope, parts or [data], most, seen, hang_up)
        if reply is not None:
            self.conforming.check(method, path, reply)
        return reply

    async def _send(self, scope, parts, most, seen, hang_up):
        """Give the body in parts; hang up when the reply has `most` bytes."""
        waiting, sent, gone = list(parts), [], anyio.Event()

        async def receive():
            if waiting:
                part = waiting.pop(0)
                return {"type": "http.request", "body": part, "more_body": bool(waiting) or hang_up}
            if hang_up:
                return {"type": "http.disconnect"}
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message):
            sent.append(message)
            if seen is not None:
                seen(message.get("body", b""))
            if most is not None and sum(len(one.get("body", b"")) for one in sent) >= most:
                gone.set()

        with anyio.fail_after(60):
            await self.app(scope, receive, send)
        if not sent:
            return None
        headers = {name.decode(): one.decode("latin-1") for name, one in sent[0]["headers"]}
        return Reply(sent[0]["status"], headers, b"".join(one.get("body", b"") for one in sent[1:]))
