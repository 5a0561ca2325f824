"""A process pool that survives its tasks: one that hangs, crashes or uses too much memory is ended alone."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from typing import Any

from pebble import ProcessPool

ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


class GuardedPool(Executor):
    """`jobs` worker processes, each with one BLAS thread.

    A task that fails does not disturb the others.

    Args:
        jobs: Number of processes.
        time_limit: Seconds after which a task is ended with TimeoutError.
        memory_limit: Bytes beyond which a task is ended with MemoryError (not on Windows).

    A task that kills its process raises `pebble.ProcessExpired`.
    """

    def __init__(self, jobs: int, *, time_limit: float = 600.0, memory_limit: int = 4 << 30) -> None:
        for name in ONE_THREAD:  # read by the workers when they import their libraries
            os.environ[name] = "1"
        self.time_limit = time_limit
        self._pool = ProcessPool(
            max_workers=jobs,
            initializer=_limit_memory,
            initargs=(memory_limit,),
            context=multiprocessing.get_context("spawn"),  # a fork would inherit threads and locks
        )

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run fn(*args, **kwargs) in a worker."""
        future: Future[Any] = self._pool.schedule(fn, args=args, kwargs=kwargs, timeout=self.time_limit)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Wait for the tasks under way, or with `cancel_futures` end them."""
        if cancel_futures:
            self._pool.stop()
            with suppress(TimeoutError):  # its threads are daemons: they do not keep the process
                self._pool.join(timeout=10)
        else:
            self._pool.close()
            if wait:
                self._pool.join()

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self.shutdown(cancel_futures=kind is not None)


def _limit_memory(limit: int) -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
