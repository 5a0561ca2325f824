"""Run programs that may hang, crash, fork or print without end, without affecting this process.

If this process is killed itself, a helper (`reaper.py`) ends the programs that it leaves behind. (Linux can signal a
child when the thread that started it ends, which is too early; macOS cannot.)
"""

from __future__ import annotations

import atexit
import os
import secrets
import selectors
import sys
from collections.abc import Sequence
from contextlib import suppress
from math import inf
from subprocess import DEVNULL, PIPE, Popen, TimeoutExpired
from threading import Event, Lock
from time import monotonic
from typing import Any, NamedTuple

from unswayed.errors import CommandStopped
from unswayed.programs import reaper

KEPT_OUTPUT = 1 << 16  # bytes kept from the end of an output, at least; at most twice as many

TOKEN = "UNSWAYED_TOKEN"  # of a worker: what it runs must not be able to report in its name

GRACE = 1.0  # seconds for other processes of the group, such as `tee` in a script, to write after the program has ended

FIRST_PAUSE = 0.0005  # seconds between the first two looks at a silent program
LONGEST_PAUSE = 0.05  # seconds between two looks at a program that has been silent for a while


class Watchdog:
    """The helper process, started when it is first needed.

    If it cannot be started or was killed, programs still run; only the clean-up after a kill is missing.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._process: Popen[bytes] | None = None
        self._owner = 0

    def guard(self, mark: str, group: int = 0) -> None:
        """End the program with this mark if this process ends before `release`; its group is known once it runs."""
        with self._lock, suppress(OSError):
            if self._process is None or self._owner != os.getpid():  # a forked process needs its own helper
                self._process = self._start()
                self._owner = os.getpid()
        self._say(f"{mark} {group}\n")

    def release(self, mark: str) -> None:
        """Forget a program that has ended. Call it before the leader is reaped, while its number is still taken."""
        self._say(f"{mark}\n")

    def _start(self) -> Popen[bytes]:
        command = [sys.executable, "-I", "-S", reaper.__file__]
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


class Tail:
    """The end of a stream, in bounded memory."""

    def __init__(self) -> None:
        self._data = bytearray()
        self.cut = False

    def add(self, chunk: bytes) -> None:
        """Add what was read next."""
        self._data += chunk
        if len(self._data) > 2 * KEPT_OUTPUT:
            del self._data[:-KEPT_OUTPUT]
            self.cut = True

    @property
    def more_lines(self) -> bool:
        """Whether there is more than one line that is not blank."""
        return self.cut or sum(bool(line.strip()) for line in self._data.split(b"\n")) > 1

    def last_line(self) -> bytes:
        """Return the last line that is not blank, stripped; empty if there is none."""
        lines = bytes(self._data).split(b"\n")[self.cut :]  # the end of a cut line could look like a complete one
        return next((line.strip() for line in reversed(lines) if line.strip()), b"")


class Finished(NamedTuple):
    """How a program ended: its return code as `subprocess` gives it, and the end of its output."""

    code: int
    stdout: Tail
    stderr: Tail


class Children:
    """The programs that are running. When one ends, all processes that it started are killed (`reaper.end`).

    All methods are safe to use from any thread.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._running: set[tuple[int, str]] = set()  # process group and mark
        self._stopped = Event()

    def run(self, arguments: Sequence[str], timeout: float | None) -> Finished:
        """Start a program and wait until it ends. In every case, all that it started is killed afterwards.

        Args:
            arguments: The program and its arguments.
            timeout: The largest number of seconds; None for no limit.

        Returns:
            How the program ended.

        Raises:
            OSError: The program cannot be started.
            ValueError: An argument holds a null byte or half a character.
            TimeoutError: The time is over.
            CommandStopped: `stop` was called, before or meanwhile.
        """
        self._check_stopped()
        pipes: Any = {"stdin": DEVNULL, "stdout": PIPE, "stderr": PIPE, "bufsize": 0}
        mark = secrets.token_hex(8)
        WATCHDOG.guard(mark)  # before it starts: this process may be killed while it does
        try:
            inherited = {name: value for name, value in os.environ.items() if name != TOKEN}
            started = Popen(arguments, **pipes, env={**inherited, reaper.MARK: mark}, start_new_session=True)
        except (OSError, ValueError):
            WATCHDOG.release(mark)
            raise
        with started as process:
            program = process.pid, mark
            try:
                with self._lock:
                    self._running.add(program)
                WATCHDOG.guard(mark, process.pid)
                stdout, stderr = self._follow(process, monotonic() + (inf if timeout is None else timeout))
            finally:  # kill the group before its leader is reaped: until then, no other process can get its number
                reaper.end(*program)
                with self._lock:
                    self._running.discard(program)
                WATCHDOG.release(mark)
        self._check_stopped()  # `stop` may have killed it
        return Finished(process.returncode, stdout, stderr)

    def wait(self, seconds: float) -> None:
        """Wait, but no longer than until `stop` is called; then raise CommandStopped."""
        self._stopped.wait(seconds)
        self._check_stopped()

    def stop(self) -> None:
        """Kill all running programs and start no more; every `run` raises CommandStopped."""
        self._stopped.set()
        with self._lock:
            for program in self._running:
                reaper.end(*program)

    def _check_stopped(self) -> None:
        if self._stopped.is_set():
            raise CommandStopped("the command was stopped")

    def _follow(self, process: Popen[bytes], deadline: float) -> tuple[Tail, Tail]:
        """Read both streams until they and the program have ended."""
        tails = Tail(), Tail()
        ended = False
        pause = FIRST_PAUSE
        with selectors.DefaultSelector() as selector:
            for pipe, tail in zip((process.stdout, process.stderr), tails, strict=True):
                assert pipe is not None
                selector.register(pipe, selectors.EVENT_READ, tail)
            while not (ended and not selector.get_map()):
                ready = selector.select(pause)
                for key, _ in ready:
                    if chunk := os.read(key.fd, KEPT_OUTPUT):
                        key.data.add(chunk)
                    else:
                        selector.unregister(key.fileobj)
                pause = FIRST_PAUSE if ready else min(2 * pause, LONGEST_PAUSE)
                if not ended and _has_ended(process):  # a process that it started may keep its pipes open
                    ended = True
                    deadline = monotonic() + GRACE
                self._check_stopped()
                if monotonic() > deadline:
                    if not ended:
                        raise TimeoutError
                    break
        return tails


def _has_ended(process: Popen[bytes]) -> bool:
    """Return whether the program has ended, without reaping it where the system allows that."""
    if not hasattr(os, "waitid"):  # macOS before Python 3.13
        return process.poll() is not None
    try:
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:  # somebody else reaped it
        return True
