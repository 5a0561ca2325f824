"""`unswayed run`: the best arguments for any program, when some of the numbers it prints may be wrong."""

from __future__ import annotations

import json
import warnings
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unswayed.errors import InvalidInput

if TYPE_CHECKING:
    from unswayed.study import Command, Optimizer, Result


def command(
    space: Annotated[Path, typer.Argument(help="TOML: what may be varied.", metavar="SPACE.toml")],
    program: Annotated[
        list[str],
        typer.Argument(help="After --: a program and its arguments, {name} where a parameter goes.", metavar="COMMAND"),
    ],
    plays: Annotated[int, typer.Option(help="How often to run the program in all; more than before goes further.")],
    budget: Annotated[float, typer.Option(help="Total tampering to be safe against, in units of the measurement.")],
    jobs: Annotated[int, typer.Option(help="Runs at a time.")] = 1,
    noise: Annotated[
        float | None, typer.Option(help="Standard deviation of one measurement.", show_default="estimated")
    ] = None,
    minimize: Annotated[bool, typer.Option("--minimize", help="Smaller values are better.")] = False,
    timeout: Annotated[float | None, typer.Option(help="Seconds after which a run has failed.")] = None,
    retries: Annotated[int, typer.Option(min=0, help="How often to try a failed run again, at the same point.")] = 1,
    journal: Annotated[
        str | None,
        typer.Option(help="Where every answer is kept; none keeps nothing.", show_default="SPACE.jsonl, here"),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="The same seed gives the same plays.", show_default="random")] = None,
    delta: Annotated[float, typer.Option(help="Probability of failure of the certified sentence.")] = 0.05,
    norm: Annotated[
        float | None, typer.Option(help="Bound B on the RKHS norm.", show_default="twice the estimate's")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    plot: Annotated[
        str | None,
        typer.Option(
            help="The picture of the study (.png, .pdf, .svg); none draws nothing.",
            metavar="FILE",
            show_default="beside the journal",
        ),
    ] = None,
) -> int:
    """Find the arguments for which a program prints the largest number, when some of its runs may lie.

    For example, with a file [bold]space.toml[/bold] that says what may be varied:

    \b
    rate = {low = 1e-5, high = 1e-1, log = true}
    layers = {type = "integer", low = 1, high = 8}
    kind = {choices = ["rbf", "poly"]}

    [bold]unswayed run space.toml --plays 100 --budget 2 --jobs 4 -- ./train {rate} {layers} --kind={kind}[/bold]

    The last line that the program prints is the measurement; a run that gives none is tried again, then left out.

    Every answer is on disk before the next play: after a crash or Ctrl-C, the same command goes on where it stopped.

    The same command with more --plays goes on beyond its end.

    Exit codes: 0 done, 1 done but plays have failed, 2 wrong use, 130 interrupted.
    """
    from unswayed.programs.command import Command
    from unswayed.spaces import read_space
    from unswayed.study.maximize import result_of
    from unswayed.study.run_command import command_study

    runs = Command(program, timeout=timeout)
    file = None if journal == "none" else journal or f"{space.stem}.jsonl"
    picture = None if plot == "none" or not (plot or file) else _picture(plot, file)
    settings = {"plays": plays, "corruption_budget": budget, "noise_std": noise, "norm_bound": norm, "delta": delta}
    with warnings.catch_warnings(record=True) as torn:
        warnings.simplefilter("always")
        study = command_study(
            runs, read_space(space), jobs=jobs, minimize=minimize, seed=seed, journal=file, **settings
        )
    with study:
        _measure(study, runs, retries, file, [str(warning.message) for warning in torn])
        failed = [play for play in study.log if play.status == "failed"]
        if not any(play.status == "told" for play in study.log):
            typer.echo(f"unswayed: none of {len(study.log):,} plays could be measured", err=True)
            return 1
        result = result_of(study)
    if picture:
        from unswayed.plots.regret import save

        save(result.plot(), picture)
    if as_json:
        typer.echo(json.dumps(_record(result, file, study.seed), allow_nan=False))
    else:
        typer.echo(str(result))
        for name, place in (("journal", file), ("picture", picture)):
            if place is not None:
                typer.echo(f"{name}: {place}")
    return 1 if failed else 0


def _picture(plot: str | None, file: str | None) -> Path:
    """Where the picture goes: where the user says, or beside the journal, but never over it."""
    from unswayed.plots.regret import check_writable

    if plot:
        check_writable(Path(plot))
    if file and Path(file).is_dir():
        raise InvalidInput(f"{file} is a folder: --journal needs the name of a file")
    picture = Path(plot) if plot else Path(file or "").with_suffix(".png")
    if file and picture.resolve() == Path(file).resolve():
        raise InvalidInput(f"the picture would be drawn over the journal {file}: give one of them another name")
    return picture


def _measure(study: Optimizer, runs: Command, retries: int, file: str | None, news: list[str]) -> None:
    """Run what is left to run, and say on standard error how it goes."""
    from unswayed.cli.run_display import Display
    from unswayed.study.run_command import run_command

    display = Display(study, tries=retries + 1)
    for line in news:
        display.say(line)
    if 0 < display.done < display.plays:
        display.say(f"going on with {display.done:,} of {display.plays:,} plays")
    try:
        with display.live():
            run_command(study, runs, retries=retries, answered=display.answered)
    except KeyboardInterrupt:
        kept = "nothing is kept" if file is None else f"they are in {file}, and the same command goes on from there"
        display.say(f"{display.done:,} of {display.plays:,} plays are done: {kept}")
        raise


def _record(result: Result, file: str | None, seed: int) -> dict[str, Any]:
    """The result for scripts; what is not finite is null there."""
    failures = [{"ticket": play.ticket, "point": play.point, "reason": play.reason} for play in result.failures]
    about = {"journal": file, "seed": seed, "minimize": result.minimized, "plays": len(result.log)}
    record = {**about, "failed": len(failures), **result.answer.record(), "failures": failures}
    return {name: None if isinstance(one, float) and not isfinite(one) else one for name, one in record.items()}
