"""`unswayed run`: the best arguments for any program, when some of the numbers it prints may be wrong."""

from __future__ import annotations

import shlex
import warnings
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from zlib import crc32

import typer

from unswayed.cli.options import Json, Known, Seed, with_known

if TYPE_CHECKING:
    from unswayed.programs.command import Command
    from unswayed.search.answer import Answer
    from unswayed.spaces import Space
    from unswayed.study.run import RunOptions

SpaceFile = Annotated[Path, typer.Argument(help="TOML: what may be varied.", metavar="SPACE.toml")]
Program = Annotated[
    list[str],
    typer.Argument(
        help="After --: a program, {name} where a parameter goes. A word with a parameter that a point does not have, "
        "by its `when`, is left out: write --C={C} as one word.",
        metavar="COMMAND",
    ),
]
Plays = Annotated[int, typer.Option(help="How often to run the program in all; more than before continues a study.")]
Jobs = Annotated[int, typer.Option(help="Runs at a time.")]
Timeout = Annotated[float | None, typer.Option(help="Seconds after which a run has failed.")]
Retries = Annotated[int, typer.Option(min=0, help="How often to try a failed run again, at the same point.")]
GiveUp = Annotated[
    int | None,
    typer.Option(
        min=0, help="Stop if the first plays all fail for one reason, this many; 0: never.", show_default="JOBS + 5"
    ),
]
RecordOutput = Annotated[
    bool,
    typer.Option(
        "--record-output", help="Keep the command line and what failing runs print in the journal: not if it is secret."
    ),
]
JournalFile = Annotated[
    str | None, typer.Option(help="Where every answer is kept; none keeps nothing.", show_default="SPACE.jsonl, here")
]
Plot = Annotated[
    str | None,
    typer.Option(
        help="Picture (.png, .pdf, .svg); none draws nothing.", metavar="FILE", show_default="beside the journal"
    ),
]


@with_known
def command(
    space: SpaceFile,
    program: Program,
    plays: Plays,
    known: Known,
    jobs: Jobs = 1,
    timeout: Timeout = None,
    retries: Retries = 1,
    give_up: GiveUp = None,
    record_output: RecordOutput = False,
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
    answer is on disk before the next play. After a crash or Ctrl-C, the same command continues where it stopped; --jobs
    may differ. While the program cannot be started, the study waits.
    What you give of --kernel, --noise, --scale, --level and --norm is not estimated; only what rests on no estimate is
    certified. Exit codes: 0 done, 1 plays have failed, 2 wrong use, 3 the system's fault, 130 interrupted.
    """
    from unswayed.study.run import RunOptions

    varied, runs = _prepared(space, program, timeout)
    file = None if journal == "none" else journal or f"{space.stem}.jsonl"
    picture = None if plot == "none" or not (plot or file) else _picture(plot, file)
    settings = {**known.settings(varied), "plays": plays, "parallel": jobs, "seed": seed}
    settings |= {"note": _note(program, file, full=record_output)}
    how = RunOptions(retries=retries, give_up=give_up, record_output=record_output)
    found = _run(varied, runs, file, how, settings)
    return 1 if found is None else _report(*found, file, picture, as_json)


def _prepared(space: Path, program: list[str], timeout: float | None) -> tuple[Space, Command]:
    from unswayed.programs.command import Command
    from unswayed.spaces import read_space
    from unswayed.spaces.space import conditions_of

    varied = read_space(space)
    return varied, Command(program, timeout=timeout, when=conditions_of(varied))


def _note(program: list[str], file: str | None, *, full: bool) -> str:
    """What the journal records of the command: its program and a mark of the rest, because arguments may be secret.

    The mark is too short to guess arguments by it. A journal that records more, or less, continues as it began.
    """
    from unswayed.errors import UnswayedError
    from unswayed.storage import read_journal

    whole = shlex.join(program)
    brief = f"{shlex.quote(program[0])} ... ({crc32(whole.encode(errors='replace')):08x})"
    notes = []
    if file and Path(file).exists():
        with suppress(UnswayedError, LookupError, TypeError):  # what is wrong with the file is said when it is opened
            records = read_journal(file)
            notes = [records[0]["settings"]["note"], *(record["note"] for record in records if "note" in record)]
    return next((note for note in (whole, brief) if note in notes), whole if full else brief)


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


def _run(varied: Space, runs: Command, file: str | None, how: RunOptions, settings: Any) -> tuple[Answer, int] | None:
    """Run what is left to run, and show the progress on standard error.

    Returns:
        The answer of the study and its seed; None if no play could be measured.
    """
    from unswayed.cli.run_display import Display
    from unswayed.search.answer import Answer
    from unswayed.study.optimizer import Optimizer
    from unswayed.study.run import measure

    runs.check(varied.names)
    with warnings.catch_warnings(record=True) as torn:
        warnings.simplefilter("always")
        study = Optimizer(varied, journal=file, **settings)
    with study:
        if study.settings.parallel != settings["parallel"]:  # the number that it began with is given again
            study.change(parallel=settings["parallel"])
        display = Display(study, tries=how.retries + 1)
        for warning in torn:
            display.say(str(warning.message))
        if 0 < display.done < display.plays:
            display.say(f"continuing with {display.done:,} of {display.plays:,} plays")
        try:
            with display.live():
                measure(study, runs, how, display)
        except KeyboardInterrupt:
            kept = f"they are in {file}, and the same command continues from there" if file else "nothing is kept"
            display.say(f"{display.done:,} of {display.plays:,} plays are done: {kept}")
            raise
        if not any(play.measured for play in study.log):
            typer.echo(f"unswayed: none of {len(study.log):,} plays could be measured", err=True)
            return None
        found = study.answer()
        assert isinstance(found, Answer)  # no command is run for duels
        return found, study.seed


def _report(result: Answer, seed: int, file: str | None, picture: Path | None, as_json: bool) -> int:
    """Print the result, then draw it; the exit code."""
    from unswayed.cli.output import draw, print_json

    if as_json:
        print_json({"journal": file, "seed": seed, **result.to_dict()})
    else:
        typer.echo(str(result))
        if file is not None:
            typer.echo(f"journal: {file}")
    if picture is not None:
        drawn = draw(result, picture)
        if drawn and not as_json:
            typer.echo(f"picture: {picture}")
    return 1 if result.failures else 0
