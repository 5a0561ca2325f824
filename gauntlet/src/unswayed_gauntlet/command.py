"""`unswayed gauntlet`: any optimiser under attack."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from typer import Option

from unswayed import __version__
from unswayed.cli.options import Json
from unswayed.cli.output import print_columns, print_json, say
from unswayed.cli.sweeps import DaskAddress, ExecutorName, Jobs, TimeLimit, display, exit_with_failures, pool, workers
from unswayed.errors import InvalidInput
from unswayed.text import counted, listed
from unswayed_gauntlet.liars import CORRUPTIONS
from unswayed_gauntlet.optimizers import OPTIMIZERS
from unswayed_gauntlet.problems import GROUPS
from unswayed_gauntlet.standard import QUICK, STANDARD, MatchPlan

if TYPE_CHECKING:
    from unswayed.experiments.store import RunFolder
    from unswayed.experiments.sweep import Failure
    from unswayed_gauntlet.match import Match

MEMORY = 16 << 30  # bytes of address space of one match: torch maps much more than it uses
WHO = f"Who plays, with commas: {', '.join(OPTIMIZERS)}, or module:factory of your own."
WHERE = f"Problems, with commas, such as hartmann-6, or groups of them: {', '.join(GROUPS)}."
LIES = f"What is done to the measurements, with commas: {', '.join(CORRUPTIONS)}."
PEERS = "Another environment, for what is not installed here: its folder or its Python."
SMALL = f"{len(QUICK.matches())} short matches that need no package but optuna: about a minute."
THE_STANDARD = "the standard"
ASKED = ("optimizers", "problems", "corruptions", "plays", "seeds")
Optimizers = Annotated[str | None, Option(help=WHO, show_default=THE_STANDARD)]
Problems = Annotated[str | None, Option(help=WHERE, show_default=THE_STANDARD)]
Corruptions = Annotated[str | None, Option(help=LIES, show_default=THE_STANDARD)]
Plays = Annotated[str | None, Option(help="Plays of a match; several numbers with commas.", show_default="60")]
Seeds = Annotated[int | None, Option(help="Matches of each kind; their seeds count from 0.", show_default="3")]


def command(
    optimizers: Optimizers = None,
    problems: Problems = None,
    corruptions: Corruptions = None,
    plays: Plays = None,
    seeds: Seeds = None,
    quick: Annotated[bool, Option("--quick", help=SMALL)] = False,
    out: Annotated[Path, Option(help="Folder for runs, page and table.")] = Path("gauntlet-runs"),
    peers: Annotated[Path | None, Option(help=PEERS)] = None,
    jobs: Jobs = 0,
    executor: ExecutorName = "processes",
    dask_address: DaskAddress = None,
    time_limit: TimeLimit = 3600.0,
    as_json: Json = False,
) -> None:
    """Play optimisers against liars with few measurements, and write a page that compares them.

    [bold]unswayed gauntlet --quick --optimizers mine:Climber,unswayed,random[/bold]

    It plays what [bold]Climber(space, seed)[/bold] in mine.py makes; that has the methods
    ask, tell and recommend. Without any option: the standard gauntlet, as far
    as its packages are installed. With slow optimisers that takes days.

    A match is an optimiser, a problem, a corruption, a number of plays and a
    seed. All optimisers of a game meet the same noise and the same liar. A run
    is lost if what the optimiser recommends at the end is more than 10% of the
    range below the best. Interrupt it at any time: the next call continues
    where this one ended.
    """
    from unswayed.experiments.sweep import sweep
    from unswayed_gauntlet.worker import ENVIRONMENT, quietly

    given = dict(zip(ASKED, (optimizers, problems, corruptions, plays, seeds), strict=True))
    processes = workers(jobs, executor, time_limit)
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.append(here)  # for module:factory
    matches, missing = _matches(_plan(QUICK if quick else STANDARD, given), given, peers)
    settings, keys = _settings(given, quick, peers, missing), [match.fingerprint() for match in matches]
    os.environ.update(ENVIRONMENT)
    with _folder(out).opened() as folder:
        folder.describe(keys, settings)
        with display(len(matches)) as report, pool(executor, processes, dask_address, time_limit, MEMORY) as workshop:
            how: dict[str, Any] = {"task": quietly, "report": report, "retries": 0, "patience": 2 * time_limit + 60}
            failures = sweep(matches, folder, workshop, **how)
        _finish(folder, keys, settings, failures, missing, as_json)
    exit_with_failures(failures, shown=None)


def _plan(base: MatchPlan, given: Mapping[str, Any]) -> MatchPlan:
    """The plan with the changes of the user. Problems that the user names are for slow optimisers too."""
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    for name, text in changes.items():
        changes[name] = text if name == "seeds" else tuple(part.strip() for part in text.split(","))
    if "problems" in changes:
        changes["problems"] = tuple(name for part in changes["problems"] for name in GROUPS.get(part, (part,)))
    try:
        changes["plays"] = tuple(map(int, changes.get("plays", base.plays)))
    except ValueError:
        raise InvalidInput(f"--plays must be whole numbers with commas, not {given['plays']!r}") from None
    return replace(base, **changes, slow=None if "problems" in changes else base.slow)


def _matches(plan: MatchPlan, given: Mapping[str, Any], peers: Path | None) -> tuple[list[Match], dict[str, str]]:
    """The matches that can be played, and what is missing for the others; an error if the user has named it."""
    from unswayed_gauntlet.other_python import assigned, python_of

    python = None if peers is None else python_of(peers)
    with Console(stderr=True).status("preparing the problems"):
        matches, missing = assigned(plan.matches(), python)
    named = {part.strip() for text in (given["optimizers"], given["problems"]) for part in (text or "").split(",")}
    for name, reason in missing.items():
        if name in named:
            raise InvalidInput(f"{reason}, or name an environment that has it with --peers")
        say(f"left out: {reason}")
    if not matches:
        raise InvalidInput("none of these matches can be played here")
    return matches, missing


def _settings(given: Mapping[str, Any], quick: bool, peers: Path | None, missing: Mapping[str, str]) -> dict[str, Any]:
    """For the page and the folder: the command, without options that do not change the numbers."""
    options = {**given, "peers": peers}
    words = [word for name, value in options.items() if value is not None for word in (f"--{name}", str(value))]
    command = shlex.join(["unswayed", "gauntlet", *(["--quick"] if quick else []), *words])
    left_out = {"left out": "; ".join(missing.values())} if missing else {}
    return {"command": command, "version": __version__, **left_out}


def _folder(out: Path) -> RunFolder:
    from unswayed.experiments.store import RunFolder
    from unswayed_gauntlet.match import COLUMNS, FORMAT

    folder = RunFolder(out, COLUMNS, FORMAT)
    if (out / "sweep.json").exists():
        folder.about()  # an error if the runs are not ours
    return folder


def _finish(
    folder: RunFolder,
    keys: Sequence[str],
    settings: Mapping[str, Any],
    failures: Sequence[Failure],
    missing: Mapping[str, str],
    as_json: bool,
) -> None:
    """Write the page and the table of the finished runs, and print the scoreboard."""
    from unswayed_gauntlet.match import Match, recommender
    from unswayed_gauntlet.report.scoreboard import PAGE, TABLE, lines, scoreboard, write

    table = folder.read(keys)
    rows = table.to_pylist()
    if failures:
        (folder.path / "runs.parquet").unlink(missing_ok=True)  # of an earlier sweep that was complete
    else:
        folder.finish(table)
    write(folder, rows, settings, failures)
    board = scoreboard(rows)
    lost = {one.trial.optimizer for one in failures if isinstance(one.trial, Match)}
    if absent := sorted(lost.difference(board["optimizers"])):
        say(f"not compared, without a finished match: {listed(absent)}")
    if older := sum(row["code"] != recommender() for row in rows):
        say(f"in {counted(older, 'run')}, gap_ours is by the rule of another version: another --out plays them again")
    paths = {"page": str(folder.path / PAGE), "table": str(folder.path / TABLE)}
    if as_json:
        print_json({**settings, **board, **paths, "missing": missing, "failures": [str(one) for one in failures]})
        return
    kinds = [counted(count, f"{kind} game") for kind, count in board["games"].items() if count]
    if kinds:
        print_columns(lines(board))
        typer.echo(f"{listed(kinds)} that {_they(board)} finished; lost: more than 10% of the range below the best")
    typer.echo(f"{counted(len(rows), 'run')}; page: {paths['page']}; table: {paths['table']}")


def _they(board: Mapping[str, Any]) -> str:
    """The optimisers that have finished the games that are compared, in words."""
    n = len(board["optimizers"])
    return {1: "it has", 2: "both have"}.get(n, f"all {n} of them have")
