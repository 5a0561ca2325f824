"""`unswayed reproduce`: every experiment and figure of the paper, and the verdicts on its claims."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from typer import Option

from unswayed import __version__
from unswayed.errors import InvalidInput

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from unswayed.paper.grid import About

SHOWN = 5  # failures on the terminal
RENDER = "Figures and page from the finished runs; run nothing."
BEYOND = "Also what the paper does not run: other draws, C, T, parameters."


def command(
    out: Annotated[Path, Option(help="Folder for runs, figures and the page.")] = Path("reproduction"),
    only: Annotated[list[str] | None, Option(help="Only this figure (figure-1 to figure-6); may be repeated.")] = None,
    trials: Annotated[int, Option(help="Trials of each experiment.")] = 10,
    horizon: Annotated[int, Option(help="Plays of each trial.")] = 50_000,
    jobs: Annotated[int, Option(help="Processes.", show_default="one for each core")] = 0,
    executor: Annotated[str, Option(help="processes or dask.")] = "processes",
    dask_address: Annotated[
        str | None, Option(help="Scheduler of a Dask cluster.", show_default="a local cluster")
    ] = None,
    quick: Annotated[bool, Option("--quick", help="2 trials of 5,000 plays: a few seconds.")] = False,
    beyond: Annotated[bool, Option("--beyond", help=BEYOND)] = False,
    render_only: Annotated[bool, Option("--render-only", help=RENDER)] = False,
    time_limit: Annotated[float, Option(help="Seconds after which a run is ended.")] = 600.0,
) -> None:
    """Run all experiments of the paper, draw its figures, check its claims, write report.html.

    About a minute on two cores. Interrupt it at any time: the next call continues where this one ended.
    """
    from unswayed.experiments.store import RunFolder
    from unswayed.paper import reproduce
    from unswayed.paper.grid import About, Scale

    workers = _workers(jobs, executor, time_limit)
    chosen = tuple(only or ())
    scale = Scale(2, 5_000, beyond) if quick else Scale(trials, horizon, beyond)
    wanted = reproduce.trials_for(scale, chosen)
    if render_only:
        About.of(RunFolder(out))  # refuses what is not a reproduction, and creates nothing
    with RunFolder(out).opened() as folder:
        if render_only:
            about = About.of(folder)
        else:
            about = About(__version__, len(wanted), scale, executor, workers)
            with _display(about.runs) as report, _pool(executor, workers, dask_address, time_limit) as pool:
                patience = 2 * time_limit + 60
                about = reproduce.complete(folder, wanted, about, pool, report=report, patience=patience)
        with Console(stderr=True).status("drawing"):
            entries = reproduce.render(folder, about, chosen)
    _print(entries, out, about)
    if not render_only:
        _exit_with_failures(about.failures)


def _workers(jobs: int, executor: str, time_limit: float) -> int:
    """The number of processes; refuses settings that cannot be meant."""
    if executor not in ("processes", "dask"):
        raise InvalidInput(f"unknown executor {executor!r}: choose one of processes, dask")
    if jobs < 0:
        raise InvalidInput(f"jobs must be at least 0, not {jobs}")
    if not 0 < time_limit < 1e6:
        raise InvalidInput(f"time-limit must be positive and below a million seconds, not {time_limit:g}")
    return jobs or os.cpu_count() or 1


def _pool(kind: str, jobs: int, address: str | None, time_limit: float) -> AbstractContextManager[Executor]:
    if kind == "dask":
        from unswayed.integrations.dask import dask_executor

        return dask_executor(address, jobs)
    from unswayed.experiments.pool import GuardedPool

    return GuardedPool(jobs, time_limit=time_limit)


@contextmanager
def _display(total: int) -> Iterator[Any]:
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


def _print(entries: Sequence[Any], out: Path, about: About) -> None:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("section")
    table.add_column("claim")
    table.add_column("verdict", no_wrap=True)
    colour = {"holds": "green", "holds partly": "yellow", "does not hold": "red"}
    for entry in entries:
        verdict = entry.evidence.verdict
        table.add_row(entry.claim.section, entry.claim.sentence, f"[{colour[verdict]}]{verdict}[/]")
    console = Console()
    if entries:
        console.print(table)
    console.print(f"{about.runs} runs in {about.seconds} s; page: {out / 'report.html'}")


def _exit_with_failures(failures: Sequence[str]) -> None:
    """Exit code 1 if runs have failed."""
    for failure in failures[:SHOWN]:
        typer.echo(f"unswayed: failed: {failure}", err=True)
    if failures:
        typer.echo(f"unswayed: {len(failures)} run(s) failed; run the command again to retry them", err=True)
        raise typer.Exit(1)
