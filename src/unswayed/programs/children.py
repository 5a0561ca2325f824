"""Running programs that may hang, flood, fork or crash, from several threads, without being taken along."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from threading import Event, Lock
from time import monotonic

from unswayed.programs.watchdog import WATCHDOG

KEPT = 1 << 16
"""How many bytes of the end of an output are kept at least (twice as many at most)."""

GRACE = 1.0
"""Seconds that others may still write after the program itself has ended, as `tee` may in a script."""

PAUSES = 0.0005, 0.05


class Stopped(Exception):  # noqa: N818  # no error: `stop` was called
    """The program was ended by `stop`, or not started after it."""


class Tail:
    """The end of a stream, in bounded memory."""

    def __init__(self) -> None:
        self._data = bytearray()
        self.cut = False

    def add(self, chunk: bytes) -> None:
        """Take what was read next."""
        self._data += chunk
        if len(self._data) > 2 * KEPT:
            del self._data[:-KEPT]
            self.cut = True

    def last_line(self) -> bytes:
        """The last line that is not blank, without its surrounding blanks; empty if there is none."""
        lines = bytes(self._data).split(b"\n")[self.cut :]  # the rest of a cut line could look like a whole one
        return next((line.strip() for line in reversed(lines) if line.strip()), b"")


@dataclass(frozen=True)
class Finished:
    """How a program ended: its return code as of `subprocess`, and the end of what it wrote."""

    code: int
    stdout: Tail
    stderr: Tail


class Children:
    """Programs under way, each the leader of a process group that ends with it. Safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._groups: set[int] = set()
        self._stopped = Event()

    def run(self, arguments: Sequence[str], timeout: float | None) -> Finished:
        """Start a program and wait for it; raises OSError, ValueError, TimeoutError or Stopped.

        However this ends, the whole group is killed and the program reaped.
        """
        if self._stopped.is_set():
            raise Stopped
        process = subprocess.Popen(
            arguments,
            bufsize=0,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            with self._lock:
                self._groups.add(process.pid)
            WATCHDOG.guard(process.pid)
            stdout, stderr = self._follow(process, monotonic() + (inf if timeout is None else timeout))
        finally:
            self._end(process)
        if self._stopped.is_set():  # then its end may be our doing
            raise Stopped
        return Finished(process.returncode, stdout, stderr)

    def stop(self) -> None:
        """End all that run, and start no more; every `run` under way raises Stopped."""
        self._stopped.set()
        with self._lock:
            for group in self._groups:
                _kill(group)

    def _follow(self, process: subprocess.Popen[bytes], deadline: float) -> tuple[Tail, Tail]:
        """Read both streams until they and the program have ended."""
        tails = Tail(), Tail()
        ended, pause = False, PAUSES[0]
        with selectors.DefaultSelector() as selector:
            for pipe, tail in zip((process.stdout, process.stderr), tails, strict=True):
                assert pipe is not None
                selector.register(pipe, selectors.EVENT_READ, tail)
            while not (ended and not selector.get_map()):
                ready = selector.select(pause)
                for key, _ in ready:
                    if chunk := os.read(key.fd, KEPT):
                        key.data.add(chunk)
                    else:
                        selector.unregister(key.fileobj)
                pause = PAUSES[0] if ready else min(2 * pause, PAUSES[1])
                if not ended and _has_ended(process):  # a program it has started may keep its pipes open
                    ended, deadline = True, monotonic() + GRACE
                if self._stopped.is_set():
                    raise Stopped
                if monotonic() > deadline:
                    if not ended:
                        raise TimeoutError
                    break
        return tails

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        """Kill what is left of the group; only then reap its leader, for until then no other can have its number."""
        _kill(process.pid)
        with self._lock:
            self._groups.discard(process.pid)
        WATCHDOG.release(process.pid)
        process.wait()
        for pipe in (process.stdout, process.stderr):
            assert pipe is not None
            pipe.close()


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether the program has ended, without reaping it where the system can tell."""
    if not hasattr(os, "waitid"):  # macOS before Python 3.13
        return process.poll() is not None
    try:
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:  # reaped by someone else
        return True


def _kill(group: int) -> None:
    with suppress(ProcessLookupError, PermissionError):  # macOS: no permission if only zombies are left
        os.killpg(group, signal.SIGKILL)
