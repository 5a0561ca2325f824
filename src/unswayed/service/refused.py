"""A request that is refused, with the status of its reply."""

from __future__ import annotations

from typing import Any

from unswayed.errors import UnswayedError


class Refused(UnswayedError):  # noqa: N818
    """A request that cannot be granted.

    Args:
        status: Of the reply, 400 to 503.
        message: One line that says why.
        headers: Further headers of the reply.
        **more: Further entries of the reply.
    """

    def __init__(self, status: int, message: str, *, headers: dict[str, str] | None = None, **more: Any) -> None:
        super().__init__(message)
        self.status, self.headers, self.more = status, headers or {}, more
