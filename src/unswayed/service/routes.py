"""A route with its rule, and how a path finds it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property
from typing import Any
from urllib.parse import unquote

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

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What paths it is for."""
        return re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(self.path)))


def find(routes: Sequence[Route], method: str, path: str) -> tuple[Route, dict[str, str]] | None:
    """The route of a request, and the parts of the path that vary, unescaped. The rest of a path has no escapes."""
    for route in routes:
        if route.method == method and (match := route.pattern.fullmatch(path)):
            try:
                parts = {name: unquote(one, errors="strict") for name, one in match.groupdict().items()}
            except UnicodeDecodeError:
                return None
            return None if any("\0" in one for one in parts.values()) else (route, parts)
    return None
