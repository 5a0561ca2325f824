"""What the commands that run many things share: where they run, their progress, and how they end with failures."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from typer import Option

from unswayed.errors import InvalidInput

if TYPE_CHECKING:
    from concurrent.futures import Executor

SHOWN_FAILURES = 5  # failures on the terminal
Jobs = Annotated[int, Option(help="Processes.", show_default="one for each core")]
ExecutorName = Annotated[str, Option(help="processes or dask.")]
DaskAddress = Annotated[str | None, Option(help="Scheduler of a Dask cluster.", show_default="a local cluster")]
TimeLimit = Annotated[float, Option(help="Seconds after which a run is ended.")]


def workers(jobs: int, executor: str, time_limit: float) -> int:
    """The number of processes; refuses settings that cannot be meant."""
    if executor not in ("processes", "dask"):
        raise InvalidInput(f"unknown executor {executor!r}: choose one of processes, dask")
    if jobs < 0:
        raise InvalidInput(f"jobs must be at least 0, not {jobs}")
    if not 0 < time_limit < 1e6:
        raise InvalidInput(f"time-limit must be positive and below a million seconds, not {time_limit:g}")
    return jobs or os.cpu_count() or 1


def pool(
    kind: str, jobs: int, address: str | None, time_limit: float, memory_limit: int = 4 << 30
) -> AbstractContextManager[Executor]:
    """Where the runs happen: processes here, or a Dask cluster."""
    if kind == "dask":
        from unswayed.integrations.dask import dask_executor

        return dask_executor(address, jobs)
    from unswayed.experiments.pool import GuardedPool

    return GuardedPool(jobs, time_limit=time_limit, memory_limit=memory_limit)


@contextmanager
def display(total: int) -> Iterator[Any]:
    """Runs done, rate, time left and failures; nothing is drawn when standard error is not a terminal."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns: list[ProgressColumn] = [TextColumn("runs"), BarColumn(), MofNCompleteColumn()]
    columns += [TextColumn("{task.fields[rate]}"), TimeRemainingColumn(), TextColumn("[red]{task.fields[failed]}")]
    begun, done, failed = time.monotonic(), 0, 0
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("runs", total=total, rate="", failed="")

        def report(new: int, lost: int) -> None:
            nonlocal done, failed
            done, failed = done + new, failed + lost
            rate = done / max(time.monotonic() - begun, 1e-9)
            told = f"{failed} failed" if failed else ""
            bar.update(task, advance=new + lost, rate=f"{rate:.0f}/s", failed=told)

        yield report


def exit_with_failures(failures: Sequence[object], shown: int | None = SHOWN_FAILURES) -> None:
    """Exit code 1 if runs have failed.

    Args:
        failures: What failed, each a line.
        shown: How many of them are printed; None for all.
    """
    for failure in failures[:shown]:
        typer.echo(f"unswayed: failed: {failure}", err=True)
    if failures:
        typer.echo(f"unswayed: {len(failures)} run(s) failed; run the command again to retry them", err=True)
        raise typer.Exit(1)
