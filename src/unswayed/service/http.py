"""Requests and replies: what is let in, how bodies are read, how errors look. No route is known here."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qs, urlsplit

from starlette.requests import Request
from starlette.responses import Response

from unswayed.errors import InvalidInput, SystemFault, UnswayedError
from unswayed.service.refused import Refused
from unswayed.service.tokens import Token
from unswayed.text import json_text, printable

LARGEST_BODY = 5_000_000
DEEPEST = 12
LONGEST_KEY = 200
LARGEST_INTEGER = 10**15
SAFE = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
}


@dataclass(frozen=True)
class Call:
    """A request that was let in.

    Attributes:
        who: Whose token it carries.
        cookie: The cookie of a browser, if it came with one.
        path: The parts of the path that vary.
        query: What stands behind the question mark.
        body: What was sent, an object.
        key: The Idempotency-Key, if there is one.
        digest: Of the request, to recognise it.
        after: The last record that the caller knows, by the header of server-sent events.
    """

    who: Token | None
    cookie: str | None = None
    path: dict[str, str] = field(default_factory=dict)
    query: dict[str, str] = field(default_factory=dict)
    body: dict[str, Any] = field(default_factory=dict)
    key: str | None = None
    digest: str = ""
    after: int | None = None

    @property
    def token(self) -> Token:
        """Whose token it carries; there is one on every route but the open ones."""
        if self.who is None:
            raise Refused(401, "this needs a token: Authorization: Bearer TOKEN")
        return self.who

    def take(self, *names: str) -> dict[str, Any]:
        """The entries of the body; refuse others."""
        unknown = [name for name in self.body if name not in names]
        if unknown:
            raise Refused(422, f"unknown entry {printable(unknown[0], limit=60)!r}: there may be {', '.join(names)}")
        return self.body

    def integer(self, name: str, default: int, least: int = 0) -> int:
        """A number behind the question mark."""
        text = self.query.get(name, str(default))
        if not text.isascii() or not text.isdigit() or len(text) > 12 or int(text) < least:
            raise Refused(422, f"{name} must be a whole number of at least {least}")
        return int(text)

    @property
    def number(self) -> int:
        """The number of a play in the path."""
        text = self.path["number"]
        if not text.isascii() or not text.isdigit() or len(text) > 9:
            raise Refused(404, f"there is no play {printable(text, limit=20)}")
        return int(text)


def check_headers(request: Request, hosts: frozenset[str]) -> None:
    """Refuse other hosts and other sites: a page elsewhere must not reach a server on this machine."""
    host = _hostname(f"//{request.headers.get('host', '')}")
    if "*" not in hosts and host not in hosts:
        raise Refused(403, "this server does not answer to that Host; start it with --allow-host NAME")
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
        raise Refused(403, "requests from pages of other sites are refused")


def _hostname(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None


def bearer(request: Request) -> str | None:
    """The token of a request."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else None


async def read_body(request: Request) -> bytes:
    """The body, if it is not too long."""
    data = b""
    async for part in request.stream():
        data += part
        if len(data) > LARGEST_BODY:
            raise Refused(413, f"a request may have {LARGEST_BODY:,} bytes")
    return data


def parse_json(data: bytes, content_type: str) -> dict[str, Any]:
    """An object of JSON, without anything that programs read in different ways."""
    if content_type.partition(";")[0].strip().lower() != "application/json":
        raise Refused(403, "a request that writes needs Content-Type: application/json")
    try:
        value = json.loads(data or b"{}", object_pairs_hook=_once, parse_constant=_finite, parse_float=_finite)
    except Refused:
        raise
    except (ValueError, RecursionError) as error:
        raise Refused(400, f"the body is not valid JSON: {printable(str(error), limit=100)}") from None
    if not isinstance(value, dict):
        raise Refused(400, "the body must be a JSON object")
    _check(value, 0)
    return value


def parse_form(data: bytes) -> dict[str, Any]:
    """The fields of a form, each once."""
    try:
        found = parse_qs(data.decode(), keep_blank_values=True, max_num_fields=50, strict_parsing=bool(data))
    except ValueError:
        raise Refused(400, "the form cannot be read") from None
    return {name: values[-1] for name, values in found.items()}


def digest_of(request: Request, data: bytes) -> str:
    """By which the same request is recognised."""
    return sha256(f"{request.method} {request.url.path}\n".encode() + data).hexdigest()


def key_of(request: Request) -> str | None:
    """The Idempotency-Key of a request."""
    key = request.headers.get("idempotency-key")
    if key is not None and not 0 < len(key) <= LONGEST_KEY:
        raise Refused(400, f"an Idempotency-Key has 1 to {LONGEST_KEY} characters")
    return key


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Refused(400, "a key stands twice in one object")
    return found


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise Refused(400, f"{printable(text, limit=40)} is not a finite number")
    return number


def _check(value: object, depth: int) -> None:
    if depth > DEEPEST:
        raise Refused(400, f"the body is nested more than {DEEPEST} deep")
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > LARGEST_INTEGER:
        raise Refused(400, f"a whole number is larger than {LARGEST_INTEGER:,}")
    if isinstance(value, str) and any(0xD800 <= ord(c) <= 0xDFFF or c == "\0" for c in value):
        raise Refused(400, "a text holds half a character or a null")
    if isinstance(value, dict):
        for name, one in value.items():
            _check(name, depth)
            _check(one, depth + 1)
    elif isinstance(value, list):
        for one in value:
            _check(one, depth + 1)


def reply(status: int, body: object) -> Response:
    """A reply in JSON."""
    return Response(json_text(body), status, media_type="application/json")


def refusal(error: UnswayedError) -> tuple[int, dict[str, Any]]:
    """The status and the body for an error."""
    line = printable(" ".join(str(error).split()), limit=500)
    if isinstance(error, Refused):
        return error.status, {"error": line, **error.more}
    status = 503 if isinstance(error, SystemFault) else 422 if isinstance(error, InvalidInput) else 409
    return status, {"error": line}
