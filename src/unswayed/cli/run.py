"""`unswayed run`: the best arguments for any program, when some of the numbers it prints may be wrong."""

from __future__ import annotations

import shlex
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unswayed.cli.options import (
    Budget,
    Delta,
    High,
    Json,
    KernelName,
    Lengthscale,
    LevelText,
    Liars,
    Lies,
    Low,
    Minimize,
    Noise,
    Norm,
    Scale,
    kernel_of,
    level_of,
    threat_of,
)

if TYPE_CHECKING:
    from unswayed.core.kernels import Kernel
    from unswayed.programs.command import Command
    from unswayed.spaces import Space
    from unswayed.study.result import Result

SpaceFile = Annotated[Path, typer.Argument(help="TOML: what may be varied.", metavar="SPACE.toml")]
Program = Annotated[
    list[str], typer.Argument(help="After --: a program, {name} where a parameter goes.", metavar="COMMAND")
]
Plays = Annotated[int, typer.Option(help="How often to run the program in all; more than before continues a study.")]
Jobs = Annotated[int, typer.Option(help="Runs at a time.")]
Timeout = Annotated[float | None, typer.Option(help="Seconds after which a run has failed.")]
Retries = Annotated[int, typer.Option(min=0, help="How often to try a failed run again, at the same point.")]
JournalFile = Annotated[
    str | None, typer.Option(help="Where every answer is kept; none keeps nothing.", show_default="SPACE.jsonl, here")
]
Seed = Annotated[int | None, typer.Option(help="The same seed gives the same plays.", show_default="random")]
Plot = Annotated[
    str | None,
    typer.Option(
        help="Picture (.png, .pdf, .svg); none draws nothing.", metavar="FILE", show_default="beside the journal"
    ),
]


def command(
    space: SpaceFile,
    program: Program,
    plays: Plays,
    budget: Budget = None,
    lies: Lies = 0,
    liars: Liars = 0,
    low: Low = None,
    high: High = None,
    jobs: Jobs = 1,
    kernel: KernelName = None,
    lengthscale: Lengthscale = None,
    noise: Noise = None,
    scale: Scale = None,
    level: LevelText = None,
    norm: Norm = None,
    delta: Delta = 0.05,
    minimize: Minimize = False,
    timeout: Timeout = None,
    retries: Retries = 1,
    journal: JournalFile = None,
    seed: Seed = None,
    as_json: Json = False,
    plot: Plot = None,
) -> int:
    """Find the arguments for which a program prints the largest number, when some of its runs may lie.

    For example, with a file [bold]space.toml[/bold] that says what may be varied:

    \b
    rate = {low = 1e-5, high = 1e-1, log = true}
    kind = {choices = ["rbf", "poly"]}

    [bold]unswayed run space.toml --plays 100 --budget 2 --jobs 4 -- ./train {rate} --kind={kind}[/bold]

    The last line that the program prints is the measurement: a number, or an object such as
    {"value": 0.031, "trials": 2000, "source": "lab-2"}. A run that gives none is tried again, then left out. Every
    answer is on disk before the next play. After a crash or Ctrl-C, the same command continues where it stopped.
    What you give of --kernel, --noise, --scale, --level and --norm is not estimated; only what rests on no estimate is
    certified. Exit codes: 0 done, 1 plays have failed, 2 wrong use, 3 the system's fault, 130 interrupted.
    """
    varied, runs = _prepared(space, program, timeout)
    file = None if journal == "none" else journal or f"{space.stem}.jsonl"
    picture = None if plot == "none" or not (plot or file) else _picture(plot, file)
    settings: dict[str, Any] = {"plays": plays, "threat": threat_of(budget, lies, liars, low, high)}
    settings |= {"noise_std": noise, "norm_bound": norm, "output_scale": scale, "level": level_of(level)}
    settings |= {"kernel": _kernel(kernel, lengthscale, varied), "delta": delta, "note": shlex.join(program)}
    settings |= {"minimize": minimize, "parallel": jobs, "seed": seed}
    found = _run(varied, runs, file, retries, settings)
    return 1 if found is None else _report(*found, file, picture, as_json)


def _prepared(space: Path, program: list[str], timeout: float | None) -> tuple[Space, Command]:
    from unswayed.programs.command import Command
    from unswayed.spaces import read_space

    return read_space(space), Command(program, timeout=timeout)


def _kernel(name: str | None, lengthscale: str | None, varied: Space) -> Kernel | None:
    """A kernel on the unit cube."""
    import numpy as np

    return kernel_of(name, lengthscale, np.ones((1, varied.columns)))


def _picture(plot: str | None, file: str | None) -> Path:
    """Where the picture goes: where the user says, or beside the journal, but never over it."""
    from unswayed.errors import InvalidInput
    from unswayed.plots.style import check_writable

    if plot:
        check_writable(Path(plot))
    if file and Path(file).is_dir():
        raise InvalidInput(f"{file} is a folder: --journal needs the name of a file")
    picture = Path(plot) if plot else Path(file or "").with_suffix(".png")
    if file and picture.resolve() == Path(file).resolve():
        raise InvalidInput(f"the picture would be drawn over the journal {file}: give one of them another name")
    return picture


def _run(varied: Space, runs: Command, file: str | None, retries: int, settings: Any) -> tuple[Result, int] | None:
    """Run what is left to run, and show the progress on standard error.

    Returns:
        The result of the study and its seed; None if no play could be measured.
    """
    from unswayed.cli.run_display import Display
    from unswayed.study.optimizer import Optimizer
    from unswayed.study.run import measure

    runs.check(varied.names)
    with warnings.catch_warnings(record=True) as torn:
        warnings.simplefilter("always")
        study = Optimizer(varied, journal=file, **settings)
    with study:
        display = Display(study, tries=retries + 1)
        for warning in torn:
            display.say(str(warning.message))
        if 0 < display.done < display.plays:
            display.say(f"continuing with {display.done:,} of {display.plays:,} plays")
        try:
            with display.live():
                measure(study, runs, executor=None, retries=retries, answered=display.answered)
        except KeyboardInterrupt:
            kept = f"they are in {file}, and the same command continues from there" if file else "nothing is kept"
            display.say(f"{display.done:,} of {display.plays:,} plays are done: {kept}")
            raise
        if not any(play.measured for play in study.log):
            typer.echo(f"unswayed: none of {len(study.log):,} plays could be measured", err=True)
            return None
        return study.result(), study.seed


def _report(result: Result, seed: int, file: str | None, picture: Path | None, as_json: bool) -> int:
    """Draw and print the result; the exit code."""
    from unswayed.cli.output import print_json

    if picture:
        from unswayed.plots.style import save

        save(result.plot(), picture)
    if as_json:
        print_json({"journal": file, "seed": seed, **result.to_dict()})
    else:
        typer.echo(str(result))
        for name, place in (("journal", file), ("picture", picture)):
            if place is not None:
                typer.echo(f"{name}: {place}")
    return 1 if result.failures else 0
