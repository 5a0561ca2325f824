"""A worker: asks a server for plays, measures them, reports, and survives a server that restarts."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from time import monotonic
from typing import Any

from unswayed.core.measurement import Measurement
from unswayed.errors import CannotStart, CommandFailed, CommandStopped, JournalError, UnswayedError
from unswayed.programs.command import Command
from unswayed.search.play import Play
from unswayed.service.client import Remote
from unswayed.spaces import space_from_record
from unswayed.spaces.space import named_values
from unswayed.study.run import one_line

BEAT = 30.0  # seconds between two signs of life of a play, or a third of its lease
IDLE = 2.0  # seconds between two questions when all plays are handed out
Running = dict[int, tuple[Play, Future[Measurement], float]]  # with the time of the last sign of life


def work(
    study: Remote,
    command: Command,
    *,
    jobs: int = 1,
    retries: int = 1,
    idle: float = IDLE,
    say: Callable[[str], None] = lambda line: None,
) -> int:
    """Measure until the plays of a study are used up.

    Args:
        study: The study on a server.
        command: What measures.
        jobs: Plays at a time.
        retries: How often to try a failed play again.
        idle: Seconds to wait when all plays are handed out.
        say: Is told in one line what happens.

    Returns:
        How many plays were measured.

    Raises:
        CannotStart: The program cannot be started; its play stays open.
        UnswayedError: The server refuses, or is away for too long.
    """
    about = study.about()
    names, beat = space_from_record(about["space"]).names, min(BEAT, about["lease"] / 3)
    command.check(names)
    running: Running = {}
    done = 0
    with ThreadPoolExecutor(jobs) as pool:
        try:
            while True:
                for play in study.ask(jobs) if len(running) < jobs else ():
                    if play.number not in running and len(running) < jobs:
                        point = named_values(names, play.point)
                        running[play.number] = play, pool.submit(_tried, command, point, retries), monotonic()
                if not running:
                    if study.about()["state"] == "finished":
                        return done
                    command.wait(idle)  # others have the last plays, and may lose them
                    continue
                done += _followed(study, running, beat, say)
        finally:
            command.stop()


def _followed(study: Remote, running: Running, beat: float, say: Callable[[str], None]) -> int:
    """Wait a little, report what has ended and give signs of life of the rest; how many were measured."""
    wait([future for _, future, _ in running.values()], timeout=beat / 3, return_when=FIRST_COMPLETED)
    done = 0
    for number, (play, future, last) in list(running.items()):
        if future.done():
            del running[number]
            done += _report(study, play, future, say)
        elif monotonic() - last > beat:
            with suppress(UnswayedError):  # it was handed on: the answer is reported all the same
                study.heartbeat(play)
            running[number] = play, future, monotonic()
    return done


def _tried(command: Command, point: dict[str, Any], retries: int) -> Measurement:
    try:
        return Measurement.of(command(point))
    except (CannotStart, CommandStopped):
        raise
    except CommandFailed:
        if not retries:
            raise
        return _tried(command, point, retries - 1)


def _report(study: Remote, play: Play, future: Future[Measurement], say: Callable[[str], None]) -> int:
    """Tell what came of a play; how many measurements that is."""
    try:
        told = future.result()
        study.tell(play, told)
        say(f"play {play.number}: {told.value!r}")
        return 1
    except CommandFailed as error:
        if isinstance(error, CannotStart):
            raise
        reason = one_line(error, output=False)
        say(f"play {play.number} failed: {reason}")
        with suppress(JournalError):  # another source has answered it
            study.fail(play, reason)
    except JournalError as error:
        say(str(error))  # another source has answered it: this value is kept in the log
    return 0
