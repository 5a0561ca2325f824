"""Requests and replies: what is let in, how bodies are read, how errors look. No route is known here."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

from starlette.requests import Request
from starlette.responses import Response

from unswayed.errors import InvalidInput, SystemFault, UnswayedError
from unswayed.service.interface.bodies import LARGEST_INTEGER
from unswayed.service.refused import Refused
from unswayed.service.running.log import LOGGER
from unswayed.service.tokens import LastOwner, NameTaken, Token
from unswayed.text import json_text, printable

LARGEST_BODY = 5_000_000
DEEPEST = 12
MOST_FIELDS = 300  # of a form: 30 parameters of a new study have 8 each
LONGEST_KEY = 200
HALF = re.compile("[\ud800-\udfff]")
HOST = re.compile(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?")
SAFE = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
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
        secure: Whether it came by https, as far as the server or a proxy on this machine knows.
    """

    who: Token | None
    cookie: str | None = None
    path: dict[str, str] = field(default_factory=dict)
    query: dict[str, str] = field(default_factory=dict)
    body: dict[str, Any] = field(default_factory=dict)
    key: str | None = None
    digest: str = ""
    after: int | None = None
    secure: bool = False

    @property
    def token(self) -> Token:
        """Whose token it carries; there is one on every route but the open ones."""
        if self.who is None:
            raise Refused(401, "this needs a token: Authorization: Bearer TOKEN")
        return self.who

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
    host = request.headers.get("host", "")
    if "*" not in hosts and _hostname(host) not in hosts:
        raise Refused(403, "this server does not answer to that Host; start it with --allow-host NAME")
    origin = request.headers.get("origin")
    if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
        raise Refused(403, "requests from pages of other sites are refused")


def _hostname(host: str) -> str | None:
    try:
        return urlsplit(f"//{host}").hostname if HOST.fullmatch(host) else None
    except ValueError:
        return None


def path_of(request: Request) -> str:
    """The path as it was sent, with its escapes: a name may hold a slash or a question mark."""
    raw: bytes | None = request.scope.get("raw_path")
    return quote(request.scope["path"]) if raw is None else raw.decode("latin-1")


@contextmanager
def unexplained() -> Iterator[None]:
    """Explain a fault of the system in the log of the server alone: strangers are not told where the database is."""
    try:
        yield
    except SystemFault as error:
        LOGGER.error("%s", error)
        raise SystemFault("the database cannot be used now; the log of the server says why") from None


def bearer(request: Request) -> str | None:
    """The token of a request."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else None


async def read_body(request: Request) -> bytes:
    """The body, if it is not too long."""
    data = bytearray()
    length = request.headers.get("content-length", "")
    too_long = Refused(413, f"a request may have {LARGEST_BODY:,} bytes")
    if length.isdigit() and (len(length) > 12 or int(length) > LARGEST_BODY):
        raise too_long
    async for part in request.stream():
        data += part
        if len(data) > LARGEST_BODY:
            raise too_long
    return bytes(data)


def parse_json(data: bytes, content_type: str) -> dict[str, Any]:
    """An object of JSON, without anything that programs read in different ways."""
    if content_type.partition(";")[0].strip().lower() != "application/json":
        raise Refused(403, "a request that writes needs Content-Type: application/json")
    try:
        text = data.decode("utf-8") or "{}"
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_finite, parse_float=_finite)
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
        found = parse_qs(data.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS, strict_parsing=bool(data))
    except ValueError:
        raise Refused(400, "the form cannot be read") from None
    if any(len(values) > 1 for values in found.values()):
        raise Refused(400, "a field stands twice in the form")
    fields = {name: values[0] for name, values in found.items()}
    _check(fields, 0)
    return fields


def digest_of(request: Request, data: bytes) -> str:
    """By which the same request is recognised."""
    return sha256(f"{request.method} {path_of(request)}\n".encode() + data).hexdigest()


def key_of(request: Request) -> str | None:
    """The Idempotency-Key of a request."""
    key = request.headers.get("idempotency-key")
    if key is not None and not (0 < len(key) <= LONGEST_KEY and key.isascii() and key.isprintable()):
        raise Refused(400, f"an Idempotency-Key has 1 to {LONGEST_KEY} printable characters of ASCII")
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
    if isinstance(value, str) and ("\0" in value or HALF.search(value)):
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
    if isinstance(error, SystemFault):
        return 503, {"error": line}
    wrong = isinstance(error, InvalidInput) and not isinstance(error, NameTaken | LastOwner)
    return 422 if wrong else 409, {"error": line}
