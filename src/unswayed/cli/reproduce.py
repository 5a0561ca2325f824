"""`unswayed reproduce`: every experiment and figure of the paper, and the verdicts on its claims."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rich import box
from rich.console import Console
from rich.table import Table
from typer import Option

from unswayed import __version__
from unswayed.cli.sweeps import DaskAddress, ExecutorName, Jobs, TimeLimit, display, exit_with_failures, pool, workers

if TYPE_CHECKING:
    from unswayed.paper.grid import About

RENDER = "Figures and page from the finished runs; run nothing."
BEYOND = "Also what the paper does not run: other draws, C, T, parameters."


def command(
    out: Annotated[Path, Option(help="Folder for runs, figures and the page.")] = Path("reproduction"),
    only: Annotated[list[str] | None, Option(help="Only this figure (figure-1 to figure-6); may be repeated.")] = None,
    trials: Annotated[int, Option(help="Trials of each experiment.")] = 10,
    horizon: Annotated[int, Option(help="Plays of each trial.")] = 50_000,
    jobs: Jobs = 0,
    executor: ExecutorName = "processes",
    dask_address: DaskAddress = None,
    quick: Annotated[bool, Option("--quick", help="2 trials of 5,000 plays: a few seconds.")] = False,
    beyond: Annotated[bool, Option("--beyond", help=BEYOND)] = False,
    render_only: Annotated[bool, Option("--render-only", help=RENDER)] = False,
    time_limit: TimeLimit = 600.0,
) -> None:
    """Run all experiments of the paper, draw its figures, check its claims, write report.html.

    About a minute on two cores. Interrupt it at any time: the next call continues where this one ended.
    """
    from unswayed.experiments.store import RunFolder
    from unswayed.paper import reproduce
    from unswayed.paper.grid import About, Scale

    processes = workers(jobs, executor, time_limit)
    chosen = tuple(only or ())
    scale = Scale(2, 5_000, beyond) if quick else Scale(trials, horizon, beyond)
    wanted = reproduce.trials_for(scale, chosen)
    if render_only:
        About.of(RunFolder(out))  # refuses what is not a reproduction, and creates nothing
    with RunFolder(out).opened() as folder:
        if render_only:
            about = About.of(folder)
        else:
            about = About(__version__, len(wanted), scale, executor, processes)
            with display(about.runs) as report, pool(executor, processes, dask_address, time_limit) as workshop:
                patience = 2 * time_limit + 60
                about = reproduce.complete(folder, wanted, about, workshop, report=report, patience=patience)
        with Console(stderr=True).status("drawing"):
            entries = reproduce.render(folder, about, chosen)
    _print(entries, out, about)
    if not render_only:
        exit_with_failures(about.failures)


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
