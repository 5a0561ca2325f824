"""What can go wrong, by kind. Every message is one line that says what to do.

    InvalidInput      an argument, a setting or a file of the user is wrong        exit code 2
    JournalError      a journal cannot be used                                     exit code 2
    CommandFailed     a program gave no measurement                                exit code 2
    CannotStart       a program could not be started: not the fault of a point     exit code 2
    CommandStopped    a program was ended on request                               exit code 2
    SystemFault       the system refused: disk full, no permission                 exit code 3

All are `UnswayedError`, and so `ValueError`. The exit codes are those of the command line if the error ends it.
"""

from __future__ import annotations


class UnswayedError(ValueError):
    """The base of every error that Unswayed raises on purpose.

    Args:
        message: One line that says what is wrong and what to do.
    """


class InvalidInput(UnswayedError):  # noqa: N818
    """An argument, a setting or a file of the user is wrong.

    Args:
        message: One line that says what is wrong and what would be right.
    """


class JournalError(UnswayedError):
    """A journal is damaged, foreign, from a newer version, in use, or was changed by another program.

    Args:
        message: One line that names the journal and says what to do.
    """


class CommandFailed(UnswayedError):  # noqa: N818
    """A program gave no measurement: it failed, ran too long or printed no number.

    Args:
        reason: One line that says why, without anything that the program printed.
        output: The rest of the line, with what it printed. That may be secret, so journals keep it only on request.
    """

    def __init__(self, reason: str, output: str = "") -> None:
        super().__init__(reason + output)
        self.reason, self.output = reason, output

    def __reduce__(self) -> tuple[type[CommandFailed], tuple[str, str]]:
        return type(self), (self.reason, self.output)  # for processes


class CannotStart(CommandFailed):
    """A program could not be started: it is missing, or the system has too many open files.

    Nothing is known about the point, so its play stays open.

    Args:
        reason: One line that says why.
    """


class CommandStopped(UnswayedError):  # noqa: N818
    """A program was ended by `Command.stop`. Its point has no measurement and is not counted as failed.

    Args:
        message: One line that says so.
    """


class SystemFault(UnswayedError):  # noqa: N818
    """The system refused: the disk is full, a file may not be written, the workers are gone.

    Args:
        message: One line with the reason that the system gives.
    """
