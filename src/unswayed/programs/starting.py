"""Patience with a program that cannot be started: a disk may be away for a while, or an update under way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import Lock
from time import monotonic
from typing import Any

from unswayed.core.data.measurement import Measurement
from unswayed.errors import CannotStart, CommandFailed
from unswayed.programs.command import Command

FIRST_START_PATIENCE = 3.0  # seconds to wait for a program that has never run: its name may be wrong
RESTART_PATIENCE = 600.0  # seconds to wait for a program that has run before
FIRST_PAUSE = 0.1  # seconds between the first two tries; each pause is twice as long as the one before
LONGEST_PAUSE = 10.0  # seconds between two tries, at most
QUIET_TIME = 60.0  # seconds between two lines about it


class StartPatience:
    """Runs a command, and tries again while it cannot be started: that is not the fault of a point.

    Args:
        command: The command. Several threads may run it at once.
        say: Called with a line when the waiting begins, and when it is over.
        worked: Whether the program has run before.
    """

    def __init__(self, command: Command, say: Callable[[str], None], *, worked: bool) -> None:
        self._command = command
        self._say = say
        self._lock = Lock()
        self._since: float | None = None  # when it could not be started for the first time
        self._said = -QUIET_TIME
        self.worked = worked

    def run(self, point: Mapping[str, Any]) -> float | Measurement:
        """The measurement at a point.

        Args:
            point: The value of each parameter, by name.

        Raises:
            CommandFailed: The program failed at this point.
            CannotStart: The program could not be started for a long time.
        """
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
        limit = RESTART_PATIENCE if self.worked else FIRST_START_PATIENCE
        with self._lock:
            if self._since is None:
                self._since = monotonic()
                if self._since - self._said > QUIET_TIME:
                    self._said = self._since
                    self._say(f"{error}; trying again for {limit:g} s, and no play counts meanwhile")
            over = monotonic() - self._since + pause > limit
        if over:
            raise error
        self._command.wait(pause)
