"""A route with its rule: who may use it, and what it may have to wait for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any
from urllib.parse import unquote

from starlette import routing
from starlette.requests import Request
from starlette.types import Scope

from unswayed.service.http import Call
from unswayed.service.tokens import Role


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
        handle: What it does: a `Call` to a status and a body, or to a response.
        wait: What it may have to wait for.
        form: Whether a browser sends it: with a cookie and a form, in place of a token and JSON.
    """

    method: str
    path: str
    roles: frozenset[Role]
    handle: Callable[[Call], Any]
    wait: Wait = Wait.DATABASE
    form: bool = False


class Exact(routing.Route):
    """A route of Starlette that is found by its own method alone: any other is an unknown route."""

    def matches(self, scope: Scope) -> tuple[routing.Match, Scope]:
        """Whether a request is for this route."""
        match, found = super().matches(scope)
        own = match is routing.Match.FULL and scope["method"] != "HEAD"
        return (match, found) if own else (routing.Match.NONE, {})


def parts_of(request: Request) -> dict[str, str] | None:
    """The parts of the path that vary, unescaped; None if they are no text. The rest of a path has no escapes."""
    try:
        parts = {name: unquote(one, errors="strict") for name, one in request.path_params.items()}
    except UnicodeDecodeError:
        return None
    return None if any("\0" in one for one in parts.values()) else parts
