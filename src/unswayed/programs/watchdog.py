"""Kill the programs that this process leaves behind when it is killed itself.

A small helper process reads from a pipe which process groups are running. Only this process holds the other end, so
the pipe closes when this process ends for any reason, kill -9 included. The helper then kills the groups that are
still running. (Linux can signal a child when the thread that started it ends, which is too early; macOS cannot.)
"""

from __future__ import annotations

import atexit
import os
import sys
from contextlib import suppress
from subprocess import DEVNULL, PIPE, Popen, TimeoutExpired
from threading import Lock

SCRIPT = """
import os, signal, sys
groups = set()
for line in sys.stdin:
    (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
for group in groups:
    try:
        os.killpg(group, signal.SIGKILL)
    except OSError:
        pass
"""


class Watchdog:
    """The helper process, started when it is first needed.

    If it cannot be started or was killed, programs still run; only the clean-up after a kill is missing.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._process: Popen[bytes] | None = None
        self._owner = 0

    def guard(self, group: int) -> None:
        """Kill this process group if this process ends before `release`."""
        with self._lock, suppress(OSError):
            if self._process is None or self._owner != os.getpid():  # a forked process needs its own helper
                self._process, self._owner = self._start(), os.getpid()
        self._say(f"+{group}\n")

    def release(self, group: int) -> None:
        """Forget a group that has ended. Call it before the leader is reaped, while its number is still taken."""
        self._say(f"-{group}\n")

    def _start(self) -> Popen[bytes]:
        command = [sys.executable, "-I", "-S", "-c", SCRIPT]
        # Unbuffered, because a pipe takes lines as short as these in one piece, from any thread. In a session of its
        # own, because Ctrl-C in the terminal must not reach it.
        process = Popen(command, bufsize=0, stdin=PIPE, stdout=DEVNULL, stderr=DEVNULL, cwd="/", start_new_session=True)
        atexit.register(_end, process)
        return process

    def _say(self, text: str) -> None:
        if self._process is not None and self._process.stdin is not None:
            with suppress(OSError, ValueError):
                self._process.stdin.write(text.encode())


def _end(process: Popen[bytes]) -> None:
    with suppress(TimeoutExpired):
        process.communicate(timeout=1)  # closes its input


WATCHDOG = Watchdog()
