"""A study whose measurements are runs of a program."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from unswayed.programs.command import Command
from unswayed.spaces import Point, Space
from unswayed.study.measuring import measure
from unswayed.study.optimizer import Optimizer
from unswayed.study.plays import Play, by_name


def command_study(command: Command, space: Space, *, jobs: int, **settings: Any) -> Optimizer:
    """The study, new or from its journal, with the command as its note: another command is another study.

    `settings` are those of `Optimizer`. How long a run may take and how often it is tried again are none of them.
    """
    command.check(space.names)
    return Optimizer(space, parallel=jobs, note=shlex.join(command.template), **settings)


def run_command(optimizer: Optimizer, command: Command, *, retries: int, answered: Callable[[Play], bool]) -> None:
    """Measure until the plays are used up, as many at a time as the study's `parallel` says.

    However this ends, an interrupt included, no run of the program is left behind, and every answer that was told is
    in the journal. The search itself stays in the calling thread.
    """

    def objective(point: Point) -> float:
        return command(by_name(optimizer.space, point))

    with ThreadPoolExecutor(optimizer.parallel, thread_name_prefix="unswayed") as executor:
        try:
            measure(optimizer, objective, executor=executor, retries=retries, answered=answered)
        finally:
            command.stop()
