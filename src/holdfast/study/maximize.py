"""`maximize` and `minimize`: measure an objective, here or on any executor, until the plays are used up."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future
from contextlib import nullcontext
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from holdfast.core.influence import Certificate
from holdfast.core.kernels import Kernel
from holdfast.progress import progress_bar
from holdfast.spaces import Point, Space
from holdfast.storage import Journal
from holdfast.study.answer import Answer
from holdfast.study.optimizer import Optimizer, Play, Ticket, finite
from holdfast.types import HoldfastError, whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Callback = Callable[[Optimizer, Play], object]


@dataclass(frozen=True, eq=False)
class Result:
    """What `maximize` found: print it, plot it, or take its parts."""

    space: Space
    answer: Answer
    log: tuple[Play, ...]
    history: pa.Table
    minimized: bool

    @property
    def point(self) -> Point:
        """The recommended point."""
        return self.answer.point

    @property
    def estimate(self) -> float:
        """The estimated value there."""
        return self.answer.estimate

    @property
    def certificate(self) -> Certificate:
        """How far below the best it can be, if tampering stayed within the budget."""
        return self.answer.certificate

    @property
    def breakdown_budget(self) -> float:
        """The least tampering that would have changed the recommendation."""
        return self.answer.breakdown_budget

    @property
    def failures(self) -> tuple[Play, ...]:
        """Plays that could not be measured, with their reasons."""
        return tuple(play for play in self.log if play.status == "failed")

    def __str__(self) -> str:
        text = self.answer.describe(self.space)
        if self.failures:
            last = self.failures[-1]
            text += f"\n{len(self.failures):,} plays failed; the last one, ticket {last.ticket}: {last.reason}"
        return text

    def plot(self) -> Figure:
        """Every measurement, those set aside, and the recommendation, as a figure."""
        from holdfast.plots.study import plot_study

        return plot_study(self.space, self.answer, self.log, minimized=self.minimized)


def maximize(
    objective: Callable[[Point], float],
    space: Space,
    *,
    plays: int,
    corruption_budget: float,
    noise_std: float | None = None,
    kernel: Kernel | None = None,
    output_scale: float | None = None,
    norm_bound: float | None = None,
    delta: float = 0.05,
    method: str = "auto",
    executor: Executor | None = None,
    parallel: int | None = None,
    retries: int = 1,
    journal: str | os.PathLike[str] | Journal | None = None,
    callback: Callback | None = None,
    progress: bool = True,
    seed: int | None = None,
) -> Result:
    """Find the point of `space` where `objective` is largest, when some of its measurements may lie.

    Measures `plays` times in all, one at a time or, with an `executor` (threads, processes, Dask), `parallel` at a
    time (by default as many as it has workers). `corruption_budget` is the total tampering to be safe against, in
    units of the objective; the other settings are those of `Optimizer`. A measurement that raises or is not a finite
    number is tried again `retries` times, then reported in `Result.failures`. With a `journal` nothing measured is
    lost: the same call goes on where it stopped. `callback(optimizer, play)` is called after every answer; the search
    ends early when it returns True. The same seed gives the same plays whatever the speed of the workers.
    """
    return _optimize(False, **locals())


def minimize(
    objective: Callable[[Point], float],
    space: Space,
    *,
    plays: int,
    corruption_budget: float,
    noise_std: float | None = None,
    kernel: Kernel | None = None,
    output_scale: float | None = None,
    norm_bound: float | None = None,
    delta: float = 0.05,
    method: str = "auto",
    executor: Executor | None = None,
    parallel: int | None = None,
    retries: int = 1,
    journal: str | os.PathLike[str] | Journal | None = None,
    callback: Callback | None = None,
    progress: bool = True,
    seed: int | None = None,
) -> Result:
    """`maximize`, for an objective of which smaller values are better."""
    return _optimize(True, **locals())


def _optimize(
    minimized: bool,
    *,
    objective: Callable[[Point], float],
    space: Space,
    executor: Executor | None,
    parallel: int | None,
    retries: int,
    callback: Callback | None,
    progress: bool,
    **settings: Any,
) -> Result:
    retries = whole(retries, "retries", least=0)
    if parallel is None:
        parallel = 1 if executor is None else getattr(executor, "_max_workers", None) or os.cpu_count() or 1
    with Optimizer(space, minimize=minimized, parallel=parallel, **settings) as optimizer:
        plays = settings["plays"]
        done = sum(play.status != "open" for play in optimizer.log)
        bar = progress_bar("Measuring", plays) if progress else nullcontext(lambda count: None)
        with bar as advance:
            advance(done)

            def answered(ticket: Ticket, value: float | None, error: str | None) -> bool:
                if error is None:
                    assert value is not None
                    optimizer.tell(ticket, value)
                else:
                    optimizer.fail(ticket, error)
                advance(1)
                return callback is not None and callback(optimizer, optimizer.log[ticket.number]) is True

            if executor is None:
                _here(optimizer, objective, retries, answered)
            else:
                _elsewhere(optimizer, objective, executor, retries, answered)
        log = optimizer.log
        if not any(play.status == "told" for play in log):
            reason = next((play.reason for play in reversed(log) if play.reason), "nothing was asked")
            raise HoldfastError(f"no play could be measured; the last reason: {reason}")
        return Result(space, optimizer.answer(), log, optimizer.history(), minimized)


Answered = Callable[[Ticket, float | None, str | None], bool]


def _here(optimizer: Optimizer, objective: Callable[[Point], float], retries: int, answered: Answered) -> None:
    waiting = optimizer.open_tickets()
    while waiting or (waiting := optimizer.ask()):
        ticket = waiting.pop(0)
        value = error = None
        for _ in range(retries + 1):
            try:
                value, error = finite(objective(ticket.point)), None
                break
            except Exception as reason:
                error = one_line(reason)
        if answered(ticket, value, error):
            return


def _elsewhere(
    optimizer: Optimizer, objective: Callable[[Point], float], executor: Executor, retries: int, answered: Answered
) -> None:
    """At most `parallel` plays from the oldest open one on are under way: what is asked does not depend on speed."""
    finished: SimpleQueue[tuple[Ticket, Future[Any]]] = SimpleQueue()
    running: dict[int, Future[Any]] = {}
    tries: dict[int, int] = {}

    def submit(ticket: Ticket) -> None:
        tries[ticket.number] = tries.get(ticket.number, 0) + 1
        future = executor.submit(objective, ticket.point)
        running[ticket.number] = future
        future.add_done_callback(lambda done: finished.put((ticket, done)))

    try:
        for ticket in optimizer.open_tickets():
            submit(ticket)
        while True:
            while len(optimizer.log) - min(running, default=len(optimizer.log)) < optimizer.parallel:
                asked = optimizer.ask()
                if not asked:
                    break
                submit(asked[0])
            if not running:
                return
            ticket, future = finished.get()
            try:
                value, error = finite(future.result()), None
            except (Exception, CancelledError) as reason:
                value, error = None, one_line(reason)
            if error is not None and tries[ticket.number] <= retries:
                submit(ticket)
                continue
            del running[ticket.number]
            if answered(ticket, value, error):
                return
    finally:
        for future in running.values():
            future.cancel()


def one_line(error: BaseException) -> str:
    """An exception as one line: what the journal and the result say of a failed play."""
    text = " ".join(str(error).split())
    name = type(error).__name__
    return (text if isinstance(error, HoldfastError) and text else f"{name}: {text}" if text else name)[:500]
