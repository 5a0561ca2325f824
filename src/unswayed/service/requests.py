"""Requests to a server: sent again with the same key while it is away, so that nothing is counted twice."""

from __future__ import annotations

import json
import re
import secrets
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from threading import local
from time import monotonic, sleep
from typing import Any
from urllib.parse import urlsplit

from unswayed.errors import InvalidInput, JournalError, SystemFault
from unswayed.text import printable

PATIENCE = 60.0  # seconds for which a server may be away
LONGEST = 600.0  # seconds for one reply: an answer may have to be computed
TITLE = re.compile(rb"<title>([^<]*)</title>", re.IGNORECASE)
AWAY = frozenset({502, 503, 504})  # what a server says that cannot serve now, or the proxy before one that is away


class NotAllowed(InvalidInput):
    """The token may not do this.

    Args:
        message: One line that says why.
    """


class Conflict(JournalError):  # noqa: N818
    """The server has another answer already; what was sent does not count.

    Args:
        message: One line that says so.
    """


class Server:
    """A server and the token that is shown to it. Each thread has a connection of its own.

    Args:
        address: Such as http://127.0.0.1:8711.
        token: Whose requests these are.
        patience: For how many seconds it may be away.
    """

    def __init__(self, address: str, token: str, patience: float = PATIENCE) -> None:
        self.address, self._token, self._patience = address, token, patience
        self._connections = local()

    def close(self) -> None:
        """Close the connection of this thread. Closing twice is harmless."""
        connection = getattr(self._connections, "one", None)
        if connection is not None:
            connection.close()
            self._connections.one = None

    def send(self, method: str, path: str, body: dict[str, Any] | None) -> Any:
        """One request, repeated with the same key while the server is away.

        Args:
            method: GET or POST.
            path: Behind the address.
            body: What is sent.

        Returns:
            The reply.

        Raises:
            InvalidInput: The server refuses.
            Conflict: It has another answer already.
            SystemFault: It is away for too long.
        """
        headers = {"Authorization": f"Bearer {self._token}", "Idempotency-Key": secrets.token_urlsafe(16)}
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body)
        end, pause = monotonic() + self._patience, 0.05
        while True:
            try:
                status, reply = self._once(method, path, data, headers)
                if status not in AWAY:
                    break
                reason = f"{_line(reply)} ({status})"
            except (OSError, HTTPException) as error:
                self.close()
                reason = str(error) or type(error).__name__
            if monotonic() + pause > end:
                raise SystemFault(f"{self.address} does not answer: {reason}")
            sleep(pause)
            pause = min(2 * pause, 2.0)
        if 200 <= status < 300:
            return json.loads(reply)
        kind = {403: NotAllowed, 409: Conflict}.get(status, InvalidInput)
        raise kind(f"{self.address}: {_line(reply)} ({status})")

    def _once(self, method: str, path: str, data: str | None, headers: dict[str, str]) -> tuple[int, bytes]:
        connection = getattr(self._connections, "one", None)
        if connection is None:
            parts = urlsplit(self.address)
            kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
            connection = self._connections.one = kind(parts.netloc, timeout=LONGEST)
        connection.request(method, path, data, headers)
        response = connection.getresponse()
        return response.status, response.read()


def _line(reply: bytes) -> str:
    """The error message in a reply of the server, or the title of a proxy's page."""
    try:
        return printable(str(json.loads(reply)["error"]), limit=500)
    except (ValueError, KeyError, TypeError):
        title = TITLE.search(reply)
        return printable(title[1] if title else reply, limit=200)
