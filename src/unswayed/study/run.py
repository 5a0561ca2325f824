"""The loop between a study and what it measures: a function or a program, here or on any executor."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypedDict

from unswayed.core.data.measurement import Measurement
from unswayed.errors import CannotStart, CommandFailed, InvalidInput, SystemFault, UnswayedError
from unswayed.forwarding import setting
from unswayed.programs.command import Command
from unswayed.programs.starting import StartPatience
from unswayed.search.play import Play
from unswayed.spaces import Point
from unswayed.spaces.space import conditions_of, named_values
from unswayed.study.workers import Objective, Outcome, Tell, measure_elsewhere
from unswayed.text import printable
from unswayed.types import whole

if TYPE_CHECKING:
    from unswayed.study.optimizer import Optimizer

LONGEST_REASON = 500  # characters
FIRST = 5  # failures, and one more for each play measured at a time, after which a study without a value stops
NUMBERS = re.compile(r"[0-9.+-]+")
LOG = logging.getLogger("unswayed")


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """How a study is run."""

    executor: Executor | None = setting(
        "Where to measure: threads, processes, a Dask cluster. None measures here, and runs commands in threads.", None
    )
    retries: int = setting("How often a measurement that raises or is not finite is tried again.", 1)
    give_up: int | None = setting(
        "Stop if this many first plays all fail for the same reason; 0 never does. By default 5 more than are measured "
        "at a time.",
        None,
    )
    record_output: bool = setting("Whether what a failing command prints is kept in the journal.", False)
    callback: Callable[[Optimizer, Play], object] | None = setting(
        "Called with the study and the play after every answer; the run ends early if it returns True.", None
    )
    progress: bool = setting("Whether to show a progress bar on a terminal.", True)

    def __post_init__(self) -> None:
        if self.executor is not None and not hasattr(self.executor, "submit"):
            raise InvalidInput(f"executor must be a concurrent.futures.Executor, not {self.executor!r}")
        if self.callback is not None and not callable(self.callback):
            raise InvalidInput(f"callback must be a function, not {self.callback!r}")
        whole(self.retries, "retries", least=0)
        if self.give_up is not None:
            whole(self.give_up, "give_up", least=0)

    def check(self, objective: object) -> None:
        """Refuse what cannot be measured, before a play is asked for."""
        if not callable(objective):
            raise InvalidInput(f"the objective must be a function or a Command, not {type(objective).__name__}")
        if isinstance(objective, Command) and not isinstance(self.executor, ThreadPoolExecutor | None):
            raise InvalidInput("a Command starts processes by itself: leave the executor out and give parallel=")


class RunArgs(TypedDict, total=False):
    """The fields of `RunOptions` as keywords, for static tools."""

    executor: Executor | None
    retries: int
    give_up: int | None
    record_output: bool
    callback: Callable[[Optimizer, Play], object] | None
    progress: bool


class Watcher(Protocol):
    """Follows a study that is run."""

    def answered(self, play: Play, failure: str | None) -> bool:
        """A play has an answer; `failure` is what to show if it failed. Whether to stop."""

    def retrying(self, play: Play, failure: str) -> None:
        """A play failed and is tried again."""

    def say(self, line: str) -> None:
        """A line for people."""


@dataclass(frozen=True)
class Advance:
    """Moves a progress bar, and calls the user."""

    study: Optimizer
    callback: Callable[[Optimizer, Play], object] | None
    advance: Callable[[int], None]

    def answered(self, play: Play, failure: str | None) -> bool:
        """One more."""
        self.advance(1)
        return self.callback is not None and self.callback(self.study, play) is True

    def retrying(self, play: Play, failure: str) -> None:
        """Only for the log."""
        LOG.info("play %d is tried again: %s", play.number, failure)

    def say(self, line: str) -> None:
        """To the log; Python shows it on standard error if nobody has set up logging."""
        LOG.warning("%s", line)


def measure(study: Optimizer, objective: Objective | Command, how: RunOptions, watcher: Watcher) -> None:
    """Measure until the plays of `study` are used up, or the watcher stops it.

    Open plays, for example those before a crash, come first. A measurement that raises or is not a finite number is
    tried again; then the play has failed. Runs of a command are ended however this ends.

    Raises:
        InvalidInput: The first plays all failed for the same reason, or the program was never there. They stay open.
        SystemFault: The workers, or the program, are gone.
    """
    most = FIRST + (study.settings.parallel or 1) if how.give_up is None else how.give_up
    first = _First(0 if any(play.measured for play in study.log) else most)

    def tell(play: Play, outcome: Outcome, tries: int) -> bool:
        if isinstance(outcome, Measurement):
            study.tell(play, outcome)
            first.most = 0
            return watcher.answered(study.log[play.number], None)
        shown = one_line(outcome)
        if tries <= how.retries:
            watcher.retrying(play, shown)
            return False
        study.fail(play, shown if how.record_output else one_line(outcome, output=False))
        stop = watcher.answered(study.log[play.number], shown)
        first.check(study, play, shown)
        return stop

    if isinstance(objective, Command):
        _run_command(study, objective, how, watcher, tell)
    elif how.executor is None:
        _here(study, objective, how.retries, tell)
    else:
        measure_elsewhere(study, objective, how.executor, how.retries, tell)


class _First:
    """Stops a study whose first plays all fail for the same reason, up to numbers in it."""

    def __init__(self, most: int) -> None:
        self.most, self.failures = most, list[Play]()
        self._reason: str | None = None

    def check(self, study: Optimizer, play: Play, reason: str) -> None:
        """One more failure. At the limit all of them are open again, so that they are measured once it is mended."""
        alike = same_reason(reason)
        if not self.most or self._reason not in (None, alike):
            self.most = 0
            return
        self._reason = alike
        self.failures.append(play)
        if len(self.failures) >= self.most:
            for failed in self.failures:
                study.restore(failed)
            kept = "they do not count, and will be measured first when the study goes on"
            hint = "give_up=0 (--give-up 0) continues anyway"
            raise InvalidInput(f"the first {self.most} plays all failed: {reason}; {kept}; {hint}")


def _run_command(study: Optimizer, command: Command, how: RunOptions, watcher: Watcher, tell: Tell) -> None:
    """Programs run in processes of their own: a thread waits for each of them."""
    names = study.space.names
    command.check(names)
    some = conditions_of(study.space)
    command = Command(command.template, timeout=command.timeout, when=some)  # ended below; the user's can run again
    patience = StartPatience(command, watcher.say, worked=any(play.measured for play in study.log))

    def objective(point: Point) -> float | Measurement:
        return patience.run(named_values(names, point))

    with ThreadPoolExecutor(study.settings.parallel or 1, thread_name_prefix="unswayed") as threads:
        try:
            measure_elsewhere(study, objective, how.executor or threads, how.retries, tell)
        except CannotStart as error:
            if patience.worked:
                raise SystemFault(f"{error}; its plays stay open, and the same call goes on with them") from None
            hint = "nothing was measured, and no play counts: fix the command, and run it again"
            raise InvalidInput(f"{error}; {hint}") from None
        finally:
            command.stop()


def _here(study: Optimizer, objective: Objective, retries: int, tell: Tell) -> None:
    waiting = study.open_plays()
    while waiting or (waiting := study.ask()):
        play = waiting.pop(0)
        for tries in range(1, retries + 2):
            try:
                outcome: Outcome = Measurement.of(objective(copy(play.point)))
            except Exception as reason:
                outcome = reason
            if tell(play, outcome, tries):
                return
            if isinstance(outcome, Measurement):
                break


def same_reason(reason: str) -> str:
    """Equal for reasons that differ only in numbers."""
    return NUMBERS.sub("#", reason)


def one_line(reason: object, *, output: bool = True) -> str:
    """The reason of a failure or a retraction as one line, safe to print: a text or an exception.

    Without `output`, what a command printed is left out: it may be secret.
    """
    said = reason.reason if isinstance(reason, CommandFailed) and not output else reason
    text = printable(" ".join(str(said).split()), limit=LONGEST_REASON)
    name = type(reason).__name__
    named = isinstance(reason, BaseException) and not isinstance(reason, UnswayedError)
    return text if text and not named else f"{name}: {text}" if text else name
