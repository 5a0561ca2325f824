"""What can go wrong, by kind. Every message is one line that says what to do."""

from __future__ import annotations


class UnswayedError(ValueError):
    """The base of every error that Unswayed raises on purpose."""


class InvalidInput(UnswayedError):  # noqa: N818
    """An argument, a setting or a file of the user's is wrong; the message says which, and what would be right."""


class JournalError(UnswayedError):
    """A journal is damaged, belongs to something else, or is in use by another process."""


class CommandFailed(UnswayedError):  # noqa: N818
    """A program ran and gave no measurement."""


class CommandStopped(UnswayedError):  # noqa: N818
    """A program was ended on request, by `Command.stop`: nothing is known about its point."""


class SystemFault(UnswayedError):  # noqa: N818
    """The system refused: the disk is full, a folder cannot be written to, the workers are gone."""
