"""The loop between a study and what it measures: a function or a program, here or on any executor."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypedDict

from unswayed.core.measurement import Measurement
from unswayed.errors import CommandStopped, InvalidInput, SystemFault, UnswayedError
from unswayed.forwarding import setting
from unswayed.programs.command import Command
from unswayed.search.play import Play
from unswayed.spaces import Point
from unswayed.spaces.space import named_values
from unswayed.text import printable
from unswayed.types import whole

if TYPE_CHECKING:
    from unswayed.study.optimizer import Optimizer

Objective = Callable[[Point], float | Measurement]
Answered = Callable[[Play], bool]
Tell = Callable[[Play, Measurement | None, str | None], bool]
LONGEST_REASON = 500


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """How a study is run."""

    executor: Executor | None = setting(
        "Where to measure: threads, processes, a Dask cluster. None measures here, and runs commands in threads.", None
    )
    retries: int = setting("How often a measurement that raises or is not finite is tried again.", 1)
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
    callback: Callable[[Optimizer, Play], object] | None
    progress: bool


def measure(
    optimizer: Optimizer, objective: Objective | Command, *, executor: Executor | None, retries: int, answered: Answered
) -> None:
    """Measure until the plays of `optimizer` are used up, or `answered`, called with each new answer, returns True.

    Open plays, for example those before a crash, come first. A measurement that raises or is not a finite number is
    tried again `retries` times; then the play has failed. Runs of a command are ended however this ends.
    """
    retries = whole(retries, "retries", least=0)

    def tell(play: Play, value: Measurement | None, error: str | None) -> bool:
        if value is not None:
            optimizer.tell(play, value)
        else:
            optimizer.fail(play, error or "no reason was given")
        return answered(optimizer.log[play.number])

    if isinstance(objective, Command):
        _run_command(optimizer, objective, executor, retries, tell)
    elif executor is None:
        _here(optimizer, objective, retries, tell)
    else:
        _elsewhere(optimizer, objective, executor, retries, tell)


def _run_command(optimizer: Optimizer, command: Command, executor: Executor | None, retries: int, tell: Tell) -> None:
    """Programs run in processes of their own: a thread waits for each of them."""
    names = optimizer.space.names
    command.check(names)
    command = Command(command.template, timeout=command.timeout)  # ended below, while the user's can be run again

    def objective(point: Point) -> float | Measurement:
        return command(named_values(names, point))

    with ThreadPoolExecutor(optimizer.settings.parallel, thread_name_prefix="unswayed") as threads:
        try:
            _elsewhere(optimizer, objective, executor or threads, retries, tell)
        finally:
            command.stop()


def _here(optimizer: Optimizer, objective: Objective, retries: int, tell: Tell) -> None:
    waiting = optimizer.open_plays()
    while waiting or (waiting := optimizer.ask()):
        play = waiting.pop(0)
        value = error = None
        for _ in range(retries + 1):
            try:
                value, error = Measurement.of(objective(copy(play.point))), None
                break
            except Exception as reason:
                error = one_line(reason)
        if tell(play, value, error):
            return


def _elsewhere(optimizer: Optimizer, objective: Objective, executor: Executor, retries: int, tell: Tell) -> None:
    """Keep at most `parallel` plays under way, counted from the oldest open one.

    So what is asked does not depend on the speed of the workers.
    """
    finished: SimpleQueue[tuple[Play, Future[Any]]] = SimpleQueue()
    running: dict[int, Future[Any]] = {}
    tries: dict[int, int] = {}

    def submit(play: Play) -> None:
        tries[play.number] = tries.get(play.number, 0) + 1
        future = executor.submit(objective, copy(play.point))  # a copy: the objective may change its point
        running[play.number] = future
        future.add_done_callback(lambda done: finished.put((play, done)))

    try:
        for play in optimizer.open_plays():
            submit(play)
        while True:
            while len(optimizer.log) - min(running, default=len(optimizer.log)) < optimizer.settings.parallel:
                asked = optimizer.ask()
                if not asked:
                    break
                submit(asked[0])
            if not running:
                return
            play, future = finished.get()
            value, error = _outcome(future)
            if error is not None and tries[play.number] <= retries:
                submit(play)
                continue
            del running[play.number]
            if tell(play, value, error):
                return
    except BrokenExecutor as error:  # which of the plays under way broke it is not known: all stay open
        raise SystemFault(f"the workers are gone: {one_line(error)}") from None
    finally:
        for future in running.values():
            future.cancel()


def _outcome(future: Future[Any]) -> tuple[Measurement | None, str | None]:
    try:
        return Measurement.of(future.result()), None
    except (BrokenExecutor, CommandStopped):  # nothing is known about the point: the play stays open
        raise
    except (Exception, CancelledError) as reason:
        return None, one_line(reason)


def one_line(reason: object) -> str:
    """The reason of a failure or a retraction as one line, safe to print: a text or an exception."""
    text = printable(" ".join(str(reason).split()), limit=LONGEST_REASON)
    name = type(reason).__name__
    named = isinstance(reason, BaseException) and not isinstance(reason, UnswayedError)
    return text if text and not named else f"{name}: {text}" if text else name
