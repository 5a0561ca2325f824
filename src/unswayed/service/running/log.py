"""The log of the server: one line for each request, on standard error.

It never has a token, a cookie, a body, or what stands behind the question mark: the route is logged as it is declared.
"""

from __future__ import annotations

import json
import logging
import re
import time
from enum import StrEnum

LOGGER = logging.getLogger("unswayed.server")
PLAIN = re.compile(r"[\w.@+-]+")  # needs no quotes
LEFT = 499  # the status of a request whose client did not wait for the reply; never sent


class Level(StrEnum):
    """What is logged.

    Attributes:
        DEBUG: Every request, and what uvicorn, the HTTP server, says of itself.
        INFO: Every request.
        WARNING: Requests that are refused, and what follows.
        ERROR: Faults of the server and of the database.
    """

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


def begin_log(level: Level) -> None:
    """Log to standard error from now on.

    Args:
        level: The least that is logged.
    """
    handler = logging.StreamHandler()
    form = logging.Formatter("%(asctime)s.%(msecs)03dZ %(levelname)s %(message)s", "%Y-%m-%dT%H:%M:%S")
    form.converter = time.gmtime
    handler.setFormatter(form)
    http = Level.WARNING if level is Level.INFO else level
    for name, least in ((LOGGER.name, level), ("uvicorn.error", http)):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(least.upper())


def log_request(method: str, route: str | None, status: int, seconds: float, who: str | None) -> None:
    """Log a request.

    Args:
        method: Such as GET.
        route: As it is declared, with {name} where it varies; None if there is no such route.
        status: Of the reply; `LEFT` if there was none.
        seconds: From its first line until the reply begins.
        who: The name of the token that it carried; None if it carried none that is valid.
    """
    level = logging.ERROR if status >= 500 else logging.WARNING if status >= 400 else logging.INFO
    name = "-" if who is None else who if PLAIN.fullmatch(who) else json.dumps(who, ensure_ascii=False)
    LOGGER.log(level, "method=%s route=%s status=%d ms=%.1f who=%s", method, route or "-", status, 1000 * seconds, name)
