"""Measure on any executor: as many plays at a time as the study allows, whatever becomes of the workers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor
from copy import copy
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from unswayed.core.data.measurement import Measurement
from unswayed.errors import CannotStart, CommandStopped, SystemFault
from unswayed.search.play import Play
from unswayed.spaces import Point

if TYPE_CHECKING:
    from unswayed.study.optimizer import Optimizer

Objective = Callable[[Point], float | Measurement]
Outcome = Measurement | BaseException
Tell = Callable[[Play, Outcome, int], bool]  # a play, what came of it, at which try; whether to stop
DIED = "the process that measured it died"


class Workers:
    """Plays under way on an executor. A process pool that breaks is made again."""

    def __init__(self, executor: Executor, objective: Objective) -> None:
        self._executor, self._objective = executor, objective
        self._own: Executor | None = None  # in place of a broken one
        self._finished: SimpleQueue[tuple[Play, Future[Any]]] = SimpleQueue()
        self._running: dict[int, tuple[Play, Future[Any]]] = {}
        self._suspects: deque[Play] = deque()  # were under way when the pool broke: each is measured alone

    @property
    def oldest(self) -> int | None:
        """The first play that is under way or waits for its turn."""
        return min([*self._running, *(play.number for play in self._suspects)], default=None)

    @property
    def free(self) -> bool:
        """Whether new plays may be submitted."""
        return not self._suspects

    def submit(self, play: Play) -> None:
        """Measure a play, as soon as possible."""
        try:
            future = self._executor.submit(self._objective, copy(play.point))  # a copy: the objective may change it
        except BrokenExecutor as error:
            self._suspects.append(play)
            if not self._running:  # else a play under way will say so
                self._renew(error)
                self._next_suspect()
            return
        self._running[play.number] = play, future
        future.add_done_callback(lambda done: self._finished.put((play, done)))

    def next(self) -> tuple[Play, Outcome] | None:
        """The next play that is finished and its measurement, or what went wrong; None if none is under way."""
        while self._running:
            play, future = self._finished.get()
            if self._running.get(play.number, (None, None))[1] is not future:
                continue  # of a pool that is gone
            try:
                outcome: Outcome = Measurement.of(future.result())
            except BrokenExecutor as error:
                self._renew(error)
                under_way = [one for one, _ in self._running.values()]
                self._running.clear()
                if len(under_way) > 1:
                    self._suspects.extendleft(reversed(under_way))
                    self._next_suspect()
                    continue
                outcome = SystemFault(DIED)
            except (Exception, CancelledError) as error:
                outcome = error
            self._running.pop(play.number, None)
            self._next_suspect()
            return play, outcome
        return None

    def close(self) -> None:
        """Start nothing more."""
        for _, future in self._running.values():
            future.cancel()
        if self._own is not None:
            self._own.shutdown(wait=False, cancel_futures=True)

    def _next_suspect(self) -> None:
        if self._suspects and not self._running:
            self.submit(self._suspects.popleft())

    def _renew(self, error: BrokenExecutor) -> None:
        """Another pool like the one that broke."""
        if not isinstance(self._executor, ProcessPoolExecutor):
            raise SystemFault(f"the workers are gone: {type(error).__name__}: {error}") from None
        how = vars(self._executor)
        names = "max_workers", "mp_context", "initializer", "initargs", "max_tasks_per_child"
        self._executor = self._own = ProcessPoolExecutor(**{name: how[f"_{name}"] for name in names})


def measure_elsewhere(study: Optimizer, objective: Objective, executor: Executor, retries: int, tell: Tell) -> None:
    """Keep at most `parallel` plays under way, counted from the oldest open one.

    So what is asked does not depend on the speed of the workers.
    """
    tries: dict[int, int] = {}
    workers = Workers(executor, objective)
    try:
        for play in study.open_plays():
            workers.submit(play)
        while True:
            while workers.free and len(study.log) - _oldest(workers, study) < (study.settings.parallel or 1):
                asked = study.ask()
                if not asked:
                    break
                workers.submit(asked[0])
            finished = workers.next()
            if finished is None:
                return
            play, outcome = finished
            if isinstance(outcome, CommandStopped | CannotStart):  # nothing is known about the point
                raise outcome
            tries[play.number] = tries.get(play.number, 0) + 1
            if tell(play, outcome, tries[play.number]):
                return
            if not isinstance(outcome, Measurement) and tries[play.number] <= retries:
                workers.submit(play)
    finally:
        workers.close()


def _oldest(workers: Workers, study: Optimizer) -> int:
    oldest = workers.oldest
    return len(study.log) if oldest is None else oldest
