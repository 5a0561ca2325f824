"""The interface as OpenAPI 3.1, made from the routes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from http import HTTPStatus
from typing import Any

from unswayed import __version__
from unswayed.service.http import LARGEST_BODY, LONGEST_KEY
from unswayed.service.interface.bodies import NAME
from unswayed.service.interface.replies import ERROR
from unswayed.service.interface.schema import Schema, text, whole
from unswayed.service.routes import JSON, Route, Wait
from unswayed.text import listed

ABOUT = (
    "A study that many sources measure at once. A request that changes a study may carry an Idempotency-Key: the same "
    "request with the same key gets the same reply and is carried out once."
)
PARTS: dict[str, Schema] = {  # what varies in paths
    "name": NAME,
    "number": whole("The number of a play.", minimum=0, maximum=10**9 - 1),
    "token_name": text("The name of a token.", minLength=1),
}
KEY = text(
    "By which the same request is recognised when it comes again.",
    minLength=1,
    maxLength=LONGEST_KEY,
    pattern="^[ -~]+$",
)
WHY = {
    400: "The request cannot be read.",
    401: "There is no valid token.",
    403: "The token may not do this; or the Host, the Origin or the Content-Type is wrong.",
    404: "There is no such thing.",
    409: "It contradicts what was done before.",
    413: f"The body has more than {LARGEST_BODY:,} bytes.",
    422: "The request was read, and something in it is wrong.",
    429: "There are too many of these.",
    503: "The database cannot be used now: send it again later.",
}
BEARER, COOKIE = "token", "cookie"


def described(routes: Iterable[Route]) -> dict[str, Any]:
    """The description of these routes.

    Args:
        routes: Those of the interface; forms and pages are left out.
    """
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        if not route.form:
            paths.setdefault(route.path, {})[route.method.lower()] = operation(route)
    schemes = {
        BEARER: {"type": "http", "scheme": "bearer", "description": "What `unswayed token` prints."},
        COOKIE: {"type": "apiKey", "in": "cookie", "name": "unswayed", "description": "Of a browser; only to read."},
    }
    errors = {str(status): {"description": why, "content": {JSON: {"schema": ERROR}}} for status, why in WHY.items()}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Unswayed", "version": __version__, "description": ABOUT},
        "paths": paths,
        "components": {"responses": errors, "securitySchemes": schemes},
    }


def operation(route: Route) -> dict[str, Any]:
    """One operation.

    Args:
        route: The route.
    """
    first = (route.handle.__doc__ or "").partition("\n")[0]
    who = f"For {listed(sorted(map(str, route.roles)))}." if route.roles else "Needs no token."
    schemes = [BEARER, COOKIE] if route.method == "GET" else [BEARER]
    found = {
        "operationId": f"{route.method.lower()}{re.sub('[^a-z]+', '_', route.path.removeprefix('/api/v1'))}".rstrip(
            "_"
        ),
        "summary": first,
        "description": who,
        "security": [{scheme: []} for scheme in schemes] if route.roles else [],
        "parameters": parameters(route),
        "responses": responses(route),
    }
    if route.takes is not None:
        found["requestBody"] = {"required": True, "content": {JSON: {"schema": route.takes}}}
    return found


def parameters(route: Route) -> list[dict[str, Any]]:
    """What varies in its path, behind the question mark, and in its headers.

    Args:
        route: The route.
    """
    path = [{"name": name, "in": "path", "required": True, "schema": PARTS[name]} for name in parts(route)]
    query = [{"name": name, "in": "query", "required": False, "schema": one} for name, one in route.query.items()]
    key = [{"name": "Idempotency-Key", "in": "header", "required": False, "schema": KEY}] if route.repeatable else []
    last = [{"name": "Last-Event-ID", "in": "header", "required": False, "schema": text("The last record that came.")}]
    return [*path, *query, *key, *(last if route.wait is Wait.EVENTS else [])]


def parts(route: Route) -> Sequence[str]:
    """What varies in its path, by name.

    Args:
        route: The route.
    """
    return re.findall(r"\{(\w+)\}", route.path)


def responses(route: Route) -> dict[str, Any]:
    """What it gives, and how it refuses.

    Args:
        route: The route.
    """
    found = {}
    for status, given in route.gives.items():
        content = {JSON: {"schema": given}} if isinstance(given, dict) else {media: {} for media in given}
        found[str(status)] = {"description": HTTPStatus(status).phrase, "content": content}
    for status in sorted(refusals(route)):
        found[str(status)] = {"$ref": f"#/components/responses/{status}"}
    return found


def refusals(route: Route) -> set[int]:
    """The statuses with which a request may be refused.

    Args:
        route: The route.
    """
    reasons = {
        401: bool(route.roles),
        404: bool(parts(route)),
        409: route.conflicts or route.repeatable,
        429: route.wait is Wait.EVENTS,
    }
    return {400, 403, 413, 422, 503} | {status for status, may in reasons.items() if may}
