"""A worker: asks a server for plays, measures them, reports, and survives a server that restarts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from time import monotonic
from typing import Any

from unswayed.core.data.measurement import Measurement
from unswayed.errors import CannotStart, CommandFailed, CommandStopped, InvalidInput, JournalError, UnswayedError
from unswayed.programs.command import Command
from unswayed.search.play import Play
from unswayed.service.client import Remote
from unswayed.service.tokens import Role
from unswayed.spaces import Space, space_from_record
from unswayed.spaces.space import conditions_of, named_values
from unswayed.study.run import FIRST, one_line, same_reason
from unswayed.study.state import plain
from unswayed.witness.running import Witness

BEAT = 30.0  # seconds between two signs of life of a play, or a third of its lease
IDLE = 2.0  # seconds between two questions when all plays are handed out
Result = tuple[Measurement, dict[str, Any] | None]  # with what a witness says of its run
Measure = Callable[[Mapping[str, Any], Any], Result]  # of the values by name, and the point as records have it
Running = dict[int, tuple[Play, Future[Result], float]]  # with the time of the last sign of life


def work(
    study: Remote,
    command: Command,
    *,
    jobs: int = 1,
    retries: int = 1,
    give_up: int | None = None,
    idle: float = IDLE,
    say: Callable[[str], None] = lambda line: None,
) -> int:
    """Measure until the plays of a study are used up. With the token of a witness, say of each run what it was.

    Args:
        study: The study on a server.
        command: What measures.
        jobs: Plays at a time.
        retries: How often to try a failed play again.
        give_up: Stop if the first plays all fail for one reason, this many; 0: never. By default 5 more than `jobs`.
        idle: Seconds to wait when all plays are handed out.
        say: Is told in one line what happens.

    Returns:
        How many plays were measured.

    Raises:
        CannotStart: The program cannot be started; its play stays open.
        InvalidInput: The first plays all failed for the same reason. They stay open.
        UnswayedError: The server refuses, or is away for too long.
    """
    about = study.about()
    space, beat = space_from_record(about["space"]), min(BEAT, about["lease"] / 3)
    measure, command = _measuring(command, space, about.get("role"))
    running: Running = {}
    reports = _Reports(study, FIRST + jobs if give_up is None else give_up, say)
    with ThreadPoolExecutor(jobs) as pool:
        try:
            while True:
                for play in _next(study, running, reports, jobs):
                    tried = pool.submit(_tried, measure, space.names, play, retries)
                    running[play.number] = play, tried, monotonic()
                if not running:
                    reports.send()
                    if study.about()["state"] == "finished":
                        return reports.measured
                    command.wait(idle)  # others have the last plays, and may lose them
                    continue
                _follow(study, running, beat, reports)
        finally:
            command.stop()


def _measuring(command: Command, space: Space, role: str | None) -> tuple[Measure, Command]:
    """How to measure at points of a space, and the command that then runs."""
    command = Command(command.template, timeout=command.timeout, when=conditions_of(space))
    command.check(space.names)
    if role == Role.WITNESS:
        witness = Witness(command)
        return witness, witness.command
    return _Plain(command), command


def _next(study: Remote, running: Running, reports: _Reports, jobs: int) -> list[Play]:
    """The plays to begin now. The own open ones come first, and with them those whose failures are held back."""
    free = jobs - len(running)
    asked = study.ask(jobs + len(reports.held)) if free > 0 else []
    return [play for play in asked if play.number not in running | reports.held][: max(free, 0)]


def _follow(study: Remote, running: Running, beat: float, reports: _Reports) -> None:
    """Wait a little, report what has ended and give signs of life of the rest."""
    wait([future for _, future, _ in running.values()], timeout=beat / 3, return_when=FIRST_COMPLETED)
    for number, (play, future, last) in list(running.items()):
        if future.done():
            del running[number]
            reports.take(play, future)
        elif monotonic() - last > beat:
            with suppress(UnswayedError):  # it was handed on: the answer is reported all the same
                study.heartbeat(play)
            running[number] = play, future, monotonic()


class _Plain:
    """Runs a command, of which nothing is said."""

    def __init__(self, command: Command) -> None:
        self._command = command

    def __call__(self, point: Mapping[str, Any], _: Any) -> Result:
        return Measurement.of(self._command(point)), None


def _tried(measure: Measure, names: Sequence[str], play: Play, retries: int) -> Result:
    try:
        return measure(named_values(names, play.point), plain(play.point))
    except (CannotStart, CommandStopped):
        raise
    except CommandFailed:
        if not retries:
            raise
        return _tried(measure, names, play, retries - 1)


class _Reports:
    """Tells what came of plays.

    The first failures are held back as long as they are all alike: then the program is to blame, and not the points.

    Attributes:
        measured: How many plays were told.
        held: The plays whose failure is not told yet, each with its reason.
    """

    def __init__(self, study: Remote, most: int, say: Callable[[str], None]) -> None:
        self._study, self._most, self._say = study, most, say
        self.measured, self.held = 0, dict[int, tuple[Play, str]]()

    def take(self, play: Play, future: Future[Result]) -> None:
        """Report a play that has ended, or hold it back."""
        try:
            told, said = future.result()
        except CannotStart:
            raise
        except CommandFailed as error:
            self._failed(play, one_line(error), one_line(error, output=False))
            return
        self._most = 0
        self.send()
        try:
            self._study.tell(play, told, witness=said)
            self.measured += 1
            self._say(f"play {play.number}: {told.value!r}")
        except JournalError as error:
            self._say(str(error))  # another source has answered it: this value is kept in the log

    def _failed(self, play: Play, shown: str, reason: str) -> None:
        self._say(f"play {play.number} failed: {shown}")
        alike = {same_reason(one) for _, one in self.held.values()} <= {same_reason(reason)}
        self.held[play.number] = play, reason
        if not alike or not self._most:
            self.send()
        elif len(self.held) >= self._most:
            kept = "they stay open, and others get them when their leases end"
            hint = "fix the program; --give-up 0 continues anyway"
            raise InvalidInput(f"the first {len(self.held)} plays all failed: {shown}; {kept}; {hint}")

    def send(self) -> None:
        """Tell the failures that are held back; from now on, none is."""
        self._most = 0 if self.held else self._most
        for play, reason in self.held.values():
            with suppress(JournalError):  # another source has answered it
                self._study.fail(play, reason)
        self.held.clear()
