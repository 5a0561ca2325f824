"""`unswayed reproduce`: every experiment and figure of the paper, and what became of its claims."""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from unswayed.errors import InvalidInput


def command(
    out: Annotated[Path, typer.Option(help="Folder for runs, figures and the page.")] = Path("reproduction"),
    only: Annotated[
        list[str] | None, typer.Option(help="Only this figure (figure-1 to figure-6); may be repeated.")
    ] = None,
    trials: Annotated[int, typer.Option(help="Trials of each setting.")] = 10,
    horizon: Annotated[int, typer.Option(help="Plays of each trial.")] = 50_000,
    jobs: Annotated[int, typer.Option(help="Processes.", show_default="one for each core")] = 0,
    executor: Annotated[str, typer.Option(help="processes or dask.")] = "processes",
    dask_address: Annotated[
        str | None, typer.Option(help="Scheduler of a Dask cluster.", show_default="a local cluster")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="2 trials of 5,000 plays: a few seconds.")] = False,
    beyond: Annotated[
        bool,
        typer.Option("--beyond", help="Also what the paper does not run: other draws, C, T, parameters."),
    ] = False,
    render_only: Annotated[
        bool, typer.Option("--render-only", help="Figures and page from the finished runs; run nothing.")
    ] = False,
    time_limit: Annotated[float, typer.Option(help="Seconds after which a run is ended.")] = 600.0,
) -> None:
    """Run all experiments of the paper, draw its figures, check its claims, write report.html.

    About a minute on two cores. Interrupt it at any time: the next call goes on where this one ended.
    """
    import os

    from unswayed.experiments.store import RunFolder
    from unswayed.experiments.sweep import sweep
    from unswayed.paper import reproduce
    from unswayed.paper.grid import Scale

    if executor not in ("processes", "dask"):
        raise InvalidInput(f"unknown executor {executor!r}: choose one of processes, dask")
    for name, value, least in (("trials", trials, 1), ("horizon", horizon, 1), ("jobs", jobs, 0)):
        if value < least:
            raise InvalidInput(f"{name} must be at least {least}, not {value}")
    if not 0 < time_limit < 1e6:
        raise InvalidInput(f"time-limit must be positive and below a million seconds, not {time_limit:g}")
    workers = jobs or os.cpu_count() or 1
    scale = Scale(2, 5_000, beyond) if quick else Scale(trials, horizon, beyond)
    chosen = tuple(only or ())
    console = Console(stderr=True)

    cells = reproduce.cells_for(scale, chosen)
    if render_only:
        RunFolder(out).about()  # refuses what is not a folder of runs, and creates nothing
    with RunFolder(out).opened() as folder:
        if render_only:
            _, about = folder.about()
            scale = Scale(**about["scale"])
            failures: list[Any] = []
        else:
            keys = list(dict.fromkeys(cell.fingerprint() for cell in cells))
            about = {
                "unswayed": version("unswayed"),
                "runs": len(keys),
                "scale": {"trials": scale.trials, "horizon": scale.horizon, "beyond": scale.beyond},
                "executor": executor,
                "jobs": workers,
                "seconds": 0.0,
                "failures": [],
            }
            before = _about_before(folder, keys)
            folder.describe(keys, about)
            begun = time.monotonic()
            with (
                _display(console, len(keys)) as report,
                _executor(executor, workers, dask_address, time_limit) as pool,
            ):
                failures = sweep(cells, folder, pool, report=report, patience=2 * time_limit + 60)
            about["seconds"] = round(time.monotonic() - begun + before, 1)
            about["failures"] = [f"{failure.cell}: {failure.reason}" for failure in failures]
            folder.describe(keys, about)
            if not failures:
                folder.finish(folder.read(keys))
        about["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        with console.status("drawing"):
            entries = reproduce.render(folder, scale, about, chosen)
    _print(entries, out, about)
    if failures:
        for failure in failures[:5]:
            typer.echo(f"unswayed: failed: {failure.cell}: {failure.reason}", err=True)
        typer.echo(f"unswayed: {len(failures)} run(s) failed; run the command again to retry them", err=True)
        raise typer.Exit(1)


def _about_before(folder: Any, keys: list[str]) -> float:
    """Seconds already spent on these very runs by an earlier call."""
    known, about = folder.about()
    return float(about.get("seconds", 0.0)) if known == keys else 0.0


@contextmanager
def _executor(kind: str, jobs: int, address: str | None, time_limit: float) -> Iterator[Executor]:
    if kind == "dask":
        from unswayed.integrations.dask import dask_executor

        with dask_executor(address, jobs) as pool:
            yield pool
    else:
        from unswayed.experiments.pool import GuardedPool

        with GuardedPool(jobs, time_limit=time_limit) as guarded:
            yield guarded


@contextmanager
def _display(console: Console, total: int) -> Iterator[Any]:
    """Runs done, rate, time left and failures; nothing is drawn when standard error is not a terminal."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("runs"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        TextColumn("[red]{task.fields[failed]}"),
    )
    begun, done, failed = time.monotonic(), 0, 0
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("runs", total=total, rate="", failed="")

        def report(new: int, lost: int) -> None:
            nonlocal done, failed
            done, failed = done + new, failed + lost
            rate = done / max(time.monotonic() - begun, 1e-9)
            bar.update(
                task,
                advance=new + lost,
                rate=f"{rate:.0f}/s",
                failed=f"{failed} failed" if failed else "",
            )

        yield report


def _print(entries: list[Any], out: Path, about: dict[str, Any]) -> None:
    from rich import box

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
    console.print(f"{about['runs']} runs in {about['seconds']} s; page: {out / 'report.html'}")
