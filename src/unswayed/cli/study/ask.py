"""`unswayed study ask`, `tell` and `fail`: the plays of a study, by hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unswayed.cli.options import DecimalMark, Json
from unswayed.cli.study.opening import Name, NoiseStd, Number, Reason, Source, Trials, counts, open_study, read_study
from unswayed.errors import InvalidInput
from unswayed.text import counted, listed, printable

if TYPE_CHECKING:
    from unswayed.search.play import Play
    from unswayed.study.study import Study

Wanted = Annotated[int, typer.Argument(help="How many plays.", metavar="N", min=1)]
For = Annotated[str | None, typer.Option("--source", help="Who will measure them.")]
Again = Annotated[bool, typer.Option("--open", help="Ask for none: print again what is open.")]
Csv = Annotated[bool, typer.Option("--csv", help="Print a sheet with an empty column for the values.")]
Sheet = Annotated[Path | None, typer.Option(help="Write that sheet to a new file.", metavar="FILE.csv")]
TellNumber = Annotated[str | None, typer.Argument(help="The number of the play.", metavar="NUMBER")]
Value = Annotated[str | None, typer.Argument(help="What was measured.", metavar="VALUE")]
Filled = Annotated[Path | None, typer.Option("--csv", help="A sheet that was filled in.", metavar="FILE")]
JSON = ("number", "point", "why", "source")  # of a play that is open


def ask(
    study: Name,
    n: Wanted = 1,
    source: For = None,
    again: Again = False,
    as_json: Json = False,
    as_csv: Csv = False,
    out: Sheet = None,
) -> None:
    """Ask for the next plays: where to measure.

    For example: [bold]unswayed study ask lab.jsonl 4 --out batch-1.csv[/bold]

    Fill in the column [bold]value[/bold] of the sheet, and give it back with
    [bold]unswayed study tell lab.jsonl --csv batch-1.csv[/bold]; or tell one by one. Plays stay open until they are
    told or have failed; --open prints them again.
    """
    if as_json and as_csv:
        raise InvalidInput("give --json or --csv, not both")
    if out is not None and (out.exists() or not out.parent.is_dir()):
        why = "exists already, and may hold values" if out.exists() else "is in a folder that does not exist"
        raise InvalidInput(f"{out} {why}: give another name")
    if again:
        known = read_study(study)
        _show(study, known, known.open_plays(), as_json, as_csv, out)
        return
    with open_study(study) as opened:
        plays = opened.ask(n, source=source)
        _show(study, opened, plays, as_json, as_csv, out)
    if len(plays) < n:
        from unswayed.cli.output import say

        more = f"`unswayed study change {study} --plays NUMBER` allows more"
        say(f"{len(plays)} of {n}: the plays of this study are used up; {more}")


def _show(name: str, study: Study, plays: list[Play], as_json: bool, as_csv: bool, out: Path | None) -> None:
    """Print plays in the form that is wanted."""
    from unswayed.cli.output import print_json
    from unswayed.cli.study.status import print_plays
    from unswayed.storage import write_atomically
    from unswayed.study.tables.sheets import sheet

    if out is not None:
        write_atomically(out, sheet(plays, study.space.names).encode())
    if as_json:
        print_json({"plays": [{name: play.to_dict()[name] for name in JSON} for play in plays]})
    elif as_csv:
        typer.echo(sheet(plays, study.space.names), nl=False)
    elif plays:
        print_plays(study, plays)
        if out is not None:
            typer.echo(f"sheet: {out}: fill in its values, then `unswayed study tell {name} --csv {out}`")
    else:
        typer.echo("no play is open")


def tell(
    study: Name,
    number: TellNumber = None,
    value: Value = None,
    source: Source = None,
    noise_std: NoiseStd = None,
    trials: Trials = None,
    filled: Filled = None,
    decimal: DecimalMark = None,
) -> None:
    """Tell what was measured: one value, or a sheet of them.

    For example: [bold]unswayed study tell lab.jsonl 3 0.82 --source sensor-2[/bold]

    A sheet: [bold]unswayed study tell lab.jsonl --csv batch-1.csv[/bold]. It needs the columns number and value, and
    may have source, noise_std and trials. Rows without a value are left open, rows that were told before are harmless.
    If a row is wrong, nothing of the file is told.
    """
    from unswayed.study.tables.cells import number_of

    with open_study(study) as opened:
        if filled is not None:
            if number is not None or source is not None or noise_std is not None or trials is not None:
                raise InvalidInput("a sheet says itself what was measured: give --csv alone")
            typer.echo(_tell_sheet(opened, filled, decimal))
        elif number is None or (value is None and number.isdecimal()):
            raise InvalidInput("give the NUMBER of a play and its VALUE, or --csv FILE")
        elif value is None or not number.lstrip("-").isdecimal():
            raise InvalidInput(f"{number!r} is not the number of a play; a sheet is told with --csv FILE")
        else:
            measured = number_of(value)
            opened.tell(int(number), measured, source=source, noise_std=noise_std, trials=trials)
            typer.echo(f"told play {int(number)}: {measured!r}")
        typer.echo(f"{study}: {counts(opened)}")


def _tell_sheet(study: Any, path: Path, decimal: str | None) -> str:
    """Tell all of a sheet, which was checked as a whole; what was done."""
    from unswayed.cli.output import say
    from unswayed.study.tables.sheets import read_sheet

    filled = read_sheet(path, study.log, study.space, decimal=decimal)
    if filled.sentence is not None:
        say(filled.sentence)
    for number, measured in filled.told.items():
        study.tell(number, measured)
    parts = [f"told {counted(len(filled.told), 'play')}"]
    parts += [f"{counted(filled.known, 'row')} told before"] if filled.known else []
    parts += [f"{counted(filled.blank, 'row')} without a value"] if filled.blank else []
    columns = listed([printable(name, limit=60) for name in filled.ignored]) if filled.ignored else ""
    parts += [f"ignored the column{'s' * (len(filled.ignored) > 1)} {columns}"] if columns else []
    return "; ".join(parts)


def fail(study: Name, number: Number, reason: Reason) -> None:
    """Say that a play could not be measured. It is not asked again, and its surroundings are avoided.

    For example: [bold]unswayed study fail lab.jsonl 5 --reason "the flask broke"[/bold]

    If the point has nothing to do with it, measure it again instead: the play stays open until then.
    """
    with open_study(study) as opened:
        opened.fail(number, reason)
        typer.echo(f"play {number} has failed: {printable(' '.join(reason.split()))}")
        typer.echo(f"{study}: {counts(opened)}")
