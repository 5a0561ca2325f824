"""`maximize` and `minimize`: measure an objective, here or on any executor, until the plays are used up."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from unswayed.core.influence import Certificate
from unswayed.core.kernels import Kernel
from unswayed.errors import InvalidInput
from unswayed.progress import progress_bar
from unswayed.search.answer import Answer
from unswayed.spaces import Point, Space
from unswayed.storage import Journal
from unswayed.study.measuring import measure
from unswayed.study.optimizer import Optimizer
from unswayed.study.plays import Play

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
            last, count = self.failures[-1], len(self.failures)
            failed = "1 play failed" if count == 1 else f"{count:,} plays failed; the last"
            text += f"\n{failed}, ticket {last.ticket}: {last.reason}"
        return text

    def plot(self) -> Figure:
        """Every measurement, those set aside, and the recommendation, as a figure."""
        from unswayed.plots.study import plot_study

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
    if parallel is None:
        parallel = 1 if executor is None else getattr(executor, "_max_workers", None) or os.cpu_count() or 1
    with Optimizer(space, minimize=minimized, parallel=parallel, **settings) as optimizer:
        bar = progress_bar("Measuring", settings["plays"]) if progress else nullcontext(lambda count: None)
        with bar as advance:
            advance(sum(play.status != "open" for play in optimizer.log))

            def answered(play: Play) -> bool:
                advance(1)
                return callback is not None and callback(optimizer, play) is True

            measure(optimizer, objective, executor=executor, retries=retries, answered=answered)
        return result_of(optimizer)


def result_of(optimizer: Optimizer) -> Result:
    """What a study has found so far."""
    log = optimizer.log
    if not any(play.status == "told" for play in log):
        reason = next((play.reason for play in reversed(log) if play.reason), "nothing was asked")
        raise InvalidInput(f"no play could be measured; the last reason: {reason}")
    return Result(optimizer.space, optimizer.answer(), log, optimizer.history(), optimizer.minimize)
