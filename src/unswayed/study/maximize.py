"""`maximize` and `minimize`: a whole study in one call."""

from __future__ import annotations

import os
from dataclasses import MISSING
from typing import Any, Unpack

from unswayed.errors import InvalidInput
from unswayed.forwarding import forwards
from unswayed.programs.command import Command
from unswayed.search.answer import Answer
from unswayed.spaces import Space
from unswayed.storage import Journal
from unswayed.study.optimizer import Optimizer
from unswayed.study.run import RunArgs, RunOptions
from unswayed.study.settings import Settings, StudyArgs
from unswayed.study.workers import Objective

PLAYS = "How many measurements to make in all."
PARALLEL = "How many plays are under way at a time; by default as many as the executor has workers."
DEFAULTS = {"plays": MISSING, "parallel": None}
shown = forwards(Settings, RunOptions, without=("minimize",), defaults=DEFAULTS, plays=PLAYS, parallel=PARALLEL)


class Args(StudyArgs, RunArgs):
    """All keywords but the journal, for static tools."""


@shown
def maximize(
    objective: Objective | Command,
    space: Space,
    *,
    journal: str | os.PathLike[str] | Journal | None = None,
    **settings: Unpack[Args],
) -> Answer:
    """Find the point of `space` where `objective` is largest, when some of its measurements may lie.

    The same seed and answers give the same plays, whatever the speed of the workers.

    Args:
        objective: A function of a point, or a `Command`.
        space: What may be varied: a `Box` or `Options`.
        journal: A file that keeps every answer; the same call continues where it stopped. None keeps nothing.
        {settings}

    Returns:
        The recommended point, and how far to trust it.

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
    return _optimize(objective, space, False, journal, settings)


@shown
def minimize(
    objective: Objective | Command,
    space: Space,
    *,
    journal: str | os.PathLike[str] | Journal | None = None,
    **settings: Unpack[Args],
) -> Answer:
    """Find the point of `space` where `objective` is smallest, when some of its measurements may lie.

    Args:
        objective: A function of a point, or a `Command`.
        space: What may be varied: a `Box` or `Options`.
        journal: As in `maximize`.
        {settings}

    Returns:
        The answer, in the units of the objective.

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
    return _optimize(objective, space, True, journal, settings)


def _optimize(
    objective: Objective | Command,
    space: Space,
    minimize: bool,
    journal: str | os.PathLike[str] | Journal | None,
    given: Any,
) -> Answer:
    run: RunArgs = {name: given[name] for name in RunArgs.__annotations__ if name in given}  # type: ignore[assignment]
    settings = {name: value for name, value in given.items() if name not in run}
    RunOptions(**run).check(objective)
    if settings.get("plays") is None:
        raise InvalidInput("say how often to measure in all: plays=")
    if settings.get("parallel") is None:
        executor = run.get("executor")
        workers = 1 if executor is None else getattr(executor, "_max_workers", None) or os.cpu_count() or 1
        settings["parallel"] = workers
    with Optimizer(space, journal=journal, minimize=minimize, **settings) as optimizer:
        return optimizer.run(objective, **run)
