"""The loop between a study and what it measures, here or on any executor."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from copy import copy
from queue import SimpleQueue
from typing import Any

from unswayed.errors import InvalidInput, UnswayedError
from unswayed.spaces import Point
from unswayed.study.optimizer import Optimizer
from unswayed.study.plays import Play, Ticket, finite
from unswayed.types import whole

Objective = Callable[[Point], float]
Answered = Callable[[Ticket, float | None, str | None], bool]
LONGEST_REASON = 500


def measure(
    optimizer: Optimizer,
    objective: Objective,
    *,
    executor: Executor | None,
    retries: int,
    answered: Callable[[Play], bool],
) -> None:
    """Measure until the plays of `optimizer` are used up, or `answered`, called with each new answer, returns True.

    Tickets left open, by a crash perhaps, come first. A measurement that raises or is not a finite number is tried
    again `retries` times, then the play has failed.
    """
    retries = whole(retries, "retries", least=0)

    def tell(ticket: Ticket, value: float | None, error: str | None) -> bool:
        if value is not None:
            optimizer.tell(ticket, value)
        else:
            optimizer.fail(ticket, error or "no reason was given")
        return answered(optimizer.log[ticket.number])

    if executor is None:
        _here(optimizer, objective, retries, tell)
    else:
        _elsewhere(optimizer, objective, executor, retries, tell)


def _here(optimizer: Optimizer, objective: Objective, retries: int, tell: Answered) -> None:
    waiting = optimizer.open_tickets()
    while waiting or (waiting := optimizer.ask()):
        ticket = waiting.pop(0)
        value = error = None
        for _ in range(retries + 1):
            try:
                value, error = finite(objective(copy(ticket.point))), None
                break
            except Exception as reason:
                error = one_line(reason)
        if tell(ticket, value, error):
            return


def _elsewhere(optimizer: Optimizer, objective: Objective, executor: Executor, retries: int, tell: Answered) -> None:
    """At most `parallel` plays from the oldest open one on are under way: what is asked does not depend on speed."""
    finished: SimpleQueue[tuple[Ticket, Future[Any]]] = SimpleQueue()
    running: dict[int, Future[Any]] = {}
    tries: dict[int, int] = {}

    def submit(ticket: Ticket) -> None:
        tries[ticket.number] = tries.get(ticket.number, 0) + 1
        future = executor.submit(objective, copy(ticket.point))  # it is the objective's own, to change
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
            value, error = _outcome(future)
            if error is not None and tries[ticket.number] <= retries:
                submit(ticket)
                continue
            del running[ticket.number]
            if tell(ticket, value, error):
                return
    except BrokenExecutor as error:  # no play of those under way is to blame more than the others: all stay open
        raise InvalidInput(f"the workers are gone: {one_line(error)}") from None
    finally:
        for future in running.values():
            future.cancel()


def _outcome(future: Future[Any]) -> tuple[float | None, str | None]:
    try:
        return finite(future.result()), None
    except BrokenExecutor:
        raise
    except (Exception, CancelledError) as reason:
        return None, one_line(reason)


def one_line(error: BaseException) -> str:
    """An exception as one line: what the journal and the result say of a failed play."""
    text = " ".join(str(error).split())
    name = type(error).__name__
    return (text if isinstance(error, UnswayedError) and text else f"{name}: {text}" if text else name)[:LONGEST_REASON]
