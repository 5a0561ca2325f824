"""`maximize` and `minimize`: a whole study in one call."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any, Unpack

from unswayed.errors import InvalidInput
from unswayed.forwarding import forwards
from unswayed.programs.command import Command
from unswayed.search.play import Play
from unswayed.spaces import Point, Space
from unswayed.storage import Journal
from unswayed.study.optimizer import Optimizer
from unswayed.study.result import Result
from unswayed.study.settings import Settings, StudyArgs

PARALLEL = "How many plays are under way at a time; by default as many as the executor has workers."


@forwards(Settings, without=("minimize",), required=("plays",), parallel=PARALLEL)
def maximize(
    objective: Callable[[Point], float] | Command,
    space: Space,
    *,
    journal: str | os.PathLike[str] | Journal | None = None,
    executor: Executor | None = None,
    retries: int = 1,
    callback: Callable[[Optimizer, Play], object] | None = None,
    progress: bool = True,
    **settings: Unpack[StudyArgs],
) -> Result:
    """Find the point of `space` where `objective` is largest, when some of its measurements may lie.

    The same seed and answers give the same plays, whatever the speed of the workers.

    Args:
        objective: A function of a point, or a `Command`.
        space: What may be varied: a `Box` or `Options`.
        {settings}
        journal: A file that keeps every answer; the same call continues where it stopped. None keeps nothing.
        executor: Where to measure: threads, processes, a Dask cluster. None measures here, one play at a time.
        retries: How often a measurement that raises or is not a finite number is tried again before it has failed.
        callback: Called with the optimizer and the play after every answer; the search ends early if it returns True.
        progress: Whether to show a progress bar on a terminal.

    Returns:
        The result: the recommended point, and how far to trust it.

    Raises:
        InvalidInput: An argument is wrong, or no play could be measured.
        JournalError: The journal is damaged or belongs to another study.
        SystemFault: The journal cannot be written, or the workers are gone.

    Example:
        >>> import unswayed as uw
        >>> space = uw.Box({"x": uw.Real(-5, 5)})
        >>> result = uw.maximize(lambda p: -(p["x"] - 2) ** 2, space, plays=40, threat=1, seed=0)
        >>> round(result.point["x"], 1)
        2.0
    """
    return _optimize(objective, space, False, journal, executor, retries, callback, progress, settings)


@forwards(Settings, without=("minimize",), required=("plays",), parallel=PARALLEL)
def minimize(
    objective: Callable[[Point], float] | Command,
    space: Space,
    *,
    journal: str | os.PathLike[str] | Journal | None = None,
    executor: Executor | None = None,
    retries: int = 1,
    callback: Callable[[Optimizer, Play], object] | None = None,
    progress: bool = True,
    **settings: Unpack[StudyArgs],
) -> Result:
    """Find the point of `space` where `objective` is smallest, when some of its measurements may lie.

    Args:
        objective: A function of a point, or a `Command`.
        space: What may be varied: a `Box` or `Options`.
        {settings}
        journal: As in `maximize`.
        executor: As in `maximize`.
        retries: As in `maximize`.
        callback: As in `maximize`.
        progress: As in `maximize`.

    Returns:
        The result, in the units of the objective.

    Raises:
        InvalidInput: An argument is wrong, or no play could be measured.
        JournalError: The journal is damaged or belongs to another study.
        SystemFault: The journal cannot be written, or the workers are gone.

    Example:
        >>> import unswayed as uw
        >>> space = uw.Options(["a", "b", "c"])
        >>> uw.minimize({"a": 2.0, "b": 0.5, "c": 1.0}.get, space, plays=30, threat=0.1, seed=0).point
        'b'
    """
    return _optimize(objective, space, True, journal, executor, retries, callback, progress, settings)


def _optimize(
    objective: Callable[[Point], float] | Command,
    space: Space,
    minimize: bool,
    journal: str | os.PathLike[str] | Journal | None,
    executor: Executor | None,
    retries: int,
    callback: Callable[[Optimizer, Play], object] | None,
    progress: bool,
    settings: Any,
) -> Result:
    if "minimize" in settings:
        raise InvalidInput("call maximize or minimize instead of giving minimize=")
    if settings.get("plays") is None:
        raise InvalidInput("say how often to measure in all: plays=")
    if settings.get("parallel") is None:
        workers = 1 if executor is None else getattr(executor, "_max_workers", None) or os.cpu_count() or 1
        settings = {**settings, "parallel": workers}
    with Optimizer(space, journal=journal, minimize=minimize, **settings) as optimizer:
        return optimizer.run(objective, executor=executor, retries=retries, callback=callback, progress=progress)
