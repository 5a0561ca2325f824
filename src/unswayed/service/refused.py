"""A request that is refused, with the status of its reply."""

from __future__ import annotations

from typing import Any

from unswayed.errors import UnswayedError


class Refused(UnswayedError):  # noqa: N818
    """A request that cannot be granted.

    Args:
        status: Of the reply, 400 to 503.
        message: One line that says why.
        **more: Further entries of the reply.
    """

    def __init__(self, status: int, message: str, **more: Any) -> None:
        super().__init__(message)
        self.status, self.more = status, more
