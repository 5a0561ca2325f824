"""A small process that outlives this one, to end the programs it leaves behind when it is killed.

It reads which process groups run from a pipe whose other end only this process holds. However this process ends,
kill -9 included, the pipe ends with it, and the watchdog kills the groups that still run. (Linux could signal a
child at the death of its parent, but only of the parent's thread, and macOS cannot.)
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from contextlib import suppress
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
    """Started when it is first needed. Without one (it cannot be started, or was killed) all else works."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def guard(self, group: int) -> None:
        """Kill this process group if this process ends before `release`."""
        with self._lock, suppress(OSError):
            if self._process is None or self._owner != os.getpid():  # a fork needs one of its own
                self._process, self._owner = self._start(), os.getpid()
        self._say(f"+{group}\n")

    def release(self, group: int) -> None:
        """The group has ended; to be called before its number can be given to another."""
        self._say(f"-{group}\n")

    def _start(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", SCRIPT],
            bufsize=0,  # lines so short are written to a pipe as a whole, from any thread
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,  # Ctrl-C in the terminal must not reach it
        )
        atexit.register(_end, process)
        return process

    def _say(self, text: str) -> None:
        if self._process is not None and self._process.stdin is not None:
            with suppress(OSError, ValueError):
                self._process.stdin.write(text.encode())


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.stdin is not None:
        process.stdin.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=1)


WATCHDOG = Watchdog()
