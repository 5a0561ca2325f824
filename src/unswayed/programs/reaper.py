"""End all processes of a program: its process group, and those that left the group by a session of their own.

A program is started with a mark of its own in its environment, which the processes that it starts inherit. Where the
system shows the environment of processes (Linux: /proc), those with the mark are found wherever they are; elsewhere,
and for processes that clear their environment, only the group is ended.

This file is also a program, the helper of `children.py`: it reads from a pipe which programs are running. Only the
process that started them holds the other end, so the pipe closes when that process ends for any reason, kill -9
included. The helper then ends the programs that are still running. It uses the standard library only.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from time import sleep

MARK = "UNSWAYED_PROGRAM"
"""The variable that holds the mark."""

SEARCHES = 5  # for processes: one may start another while it is being ended
STARTING_TIME = 1.0  # seconds after which to look again for a program that was about to start


def end(group: int, mark: str) -> None:
    """Kill a process group, if it is known and not 0, and all processes with this mark."""
    with suppress(ProcessLookupError, PermissionError):  # macOS refuses if only zombies are left
        if group:
            os.killpg(group, signal.SIGKILL)
    for _ in range(SEARCHES):
        if not (left := marked(mark)):
            return
        for process in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)


def marked(mark: str) -> list[int]:
    """The processes of this user with this mark in their environment, where the system shows it."""
    wanted = f"{MARK}={mark}".encode()
    found = []
    with suppress(OSError):
        for name in os.listdir("/proc"):
            if name.isdigit():
                with suppress(OSError), open(f"/proc/{name}/environ", "rb") as file:  # gone, or not ours
                    if wanted in file.read().split(b"\0"):
                        found.append(int(name))
    return found


def main() -> None:
    """Read "MARK GROUP" of a program that runs (0: that is about to start) and "MARK" of one that has ended.

    At the end of the input, end those that still run.
    """
    running: dict[str, int] = {}
    for line in sys.stdin:
        mark, *group = line.split()
        running.pop(mark, None)
        if group:
            running[mark] = int(group[0])
    for mark, known in running.items():
        end(known, mark)
    if 0 in running.values():
        sleep(STARTING_TIME)
        for mark in running:
            end(0, mark)


if __name__ == "__main__":
    main()
