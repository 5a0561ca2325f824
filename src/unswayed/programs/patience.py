"""A program that cannot be started for a while: somebody mends it, or a disk comes back."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from time import monotonic

from unswayed.core.data.measurement import Measurement
from unswayed.errors import CannotStart, CommandFailed
from unswayed.programs.command import Command

SHORT = 3.0  # seconds to wait for a program that could never be started so far: a mistake in the command
LONG = 600.0  # seconds to wait for one that could: it comes back
FIRST_PAUSE = 0.1  # seconds until the second try to start it; each pause is twice the one before
LONGEST_PAUSE = 10.0  # seconds between two tries
QUIET = 60.0  # seconds between two lines about it


class Patience:
    """Runs a command, and waits while it cannot be started: that is not the fault of a point.

    Args:
        command: What is run.
        say: Is given a line for people, when the waiting begins and when it ends.
        worked: Whether the command could be started before.

    Attributes:
        worked: Whether it could be started so far.
    """

    def __init__(self, command: Command, say: Callable[[str], None], *, worked: bool) -> None:
        self._command, self._say, self._lock = command, say, Lock()
        self._since: float | None = None  # when it could not be started for the first time
        self._said = -QUIET
        self.worked = worked

    def run(self, point: dict[str, object]) -> float | Measurement:
        """Measure at a point."""
        pause = FIRST_PAUSE
        while True:
            try:
                value = self._command(point)
            except CannotStart as error:
                self._wait(error, pause)
                pause = min(2 * pause, LONGEST_PAUSE)
            except CommandFailed:
                self._started()
                raise
            else:
                self._started()
                return value

    def _started(self) -> None:
        with self._lock:
            self.worked = True
            if self._since is not None and self._said >= self._since:
                self._say(f"the program can be started again, after {monotonic() - self._since:.1f} s")
            self._since = None

    def _wait(self, error: CannotStart, pause: float) -> None:
        limit = LONG if self.worked else SHORT
        with self._lock:
            if self._since is None:
                self._since = monotonic()
                if self._since - self._said > QUIET:
                    self._said = self._since
                    self._say(f"{error}; trying again for {limit:g} s, and no play counts meanwhile")
            over = monotonic() - self._since + pause > limit
        if over:
            raise error
        self._command.wait(pause)
