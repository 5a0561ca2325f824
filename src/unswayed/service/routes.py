"""A route with its rule: who may use it, what it takes and gives, and what it may have to wait for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any
from urllib.parse import unquote

from starlette import routing
from starlette.requests import Request
from starlette.types import Scope

from unswayed.service.http import Call
from unswayed.service.interface.schema import Schema, checked
from unswayed.service.refused import Refused
from unswayed.service.tokens import Role
from unswayed.text import listed, printable

JSON = "application/json"


class Wait(Enum):
    """What a request may have to wait for; those of one kind wait for each other only.

    Attributes:
        DATABASE: Records are written.
        SEARCH: A search is under way.
        EVENTS: Something has to happen.
    """

    DATABASE = auto()
    SEARCH = auto()
    EVENTS = auto()


@dataclass(frozen=True)
class Route:
    """A method and a path, who may use it, and what it does.

    Attributes:
        method: GET, POST or DELETE.
        path: With {name} where it varies.
        roles: Who may use it; nobody needs a token if there is none.
        handle: What it does: a `Call` to a status and a body, or to a response. The first line of its docstring
            describes it.
        wait: What it may have to wait for.
        form: Whether a browser sends it: with a cookie and a form, in place of a token and JSON.
        takes: What its body must be; None if it has none.
        query: What may stand behind the question mark.
        gives: What it gives, by its status: a schema, or the media types of what is no JSON.
        conflicts: Whether it may be refused with 409, because of what was done before; one that is repeatable may too.
    """

    method: str
    path: str
    roles: frozenset[Role]
    handle: Callable[[Call], Any]
    wait: Wait = Wait.DATABASE
    form: bool = False
    takes: Schema | None = None
    query: Mapping[str, Schema] = field(default_factory=dict)
    gives: Mapping[int, Schema | Sequence[str]] = field(default_factory=dict)
    conflicts: bool = False

    @property
    def repeatable(self) -> bool:
        """Whether an Idempotency-Key makes it safe to send it again."""
        return self.method == "POST" and "{name}" in self.path and not self.form

    def checked(self, query: Sequence[tuple[str, str]], body: dict[str, Any]) -> dict[str, Any]:
        """The body as the route takes it; forms and pages are read by themselves.

        Args:
            query: What stands behind the question mark.
            body: What was sent.

        Raises:
            Refused: There is something behind the question mark that is unknown, or stands there twice.
            InvalidInput: The body is not what it must be.
        """
        if self.form:
            return body
        names = [name for name, _ in query]
        for name in names:
            if name not in self.query or names.count(name) > 1:
                may = f"there may be {listed(list(self.query))}, once" if self.query else "there may be nothing"
                raise Refused(422, f"{printable(name, limit=60)!r} behind the question mark: {may}")
        found: dict[str, Any] = body if self.takes is None else checked(body, self.takes)
        return found


class Exact(routing.Route):
    """A route of Starlette that is found by its own method alone, without HEAD for GET.

    Args:
        method: Its method.
        path: With {name} where it varies.
        endpoint: What answers.
    """

    def __init__(self, method: str, path: str, endpoint: Callable[[Request], Any]) -> None:
        super().__init__(path, endpoint, methods=[method])
        self.method = method

    def matches(self, scope: Scope) -> tuple[routing.Match, Scope]:
        """Whether a request is for this route."""
        match, found = super().matches(scope)
        return (match, found) if scope["method"] == self.method else (routing.Match.NONE, {})

    def is_for(self, scope: Scope) -> bool:
        """Whether a request is for its path, with whatever method."""
        return super().matches(scope)[0] is not routing.Match.NONE


def parts_of(request: Request) -> dict[str, str] | None:
    """The parts of the path that vary, unescaped; None if they are no text. The rest of a path has no escapes."""
    try:
        parts = {name: unquote(one, errors="strict") for name, one in request.path_params.items()}
    except UnicodeDecodeError:
        return None
    return None if any("\0" in one for one in parts.values()) else parts
