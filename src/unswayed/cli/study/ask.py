"""`unswayed study ask`, `tell` and `fail`: the plays of a study, by hand."""

from __future__ import annotations

import locale
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unswayed.cli.options import DecimalMark, Json
from unswayed.cli.study.opening import (
    Name,
    NoiseStd,
    Number,
    Reason,
    Source,
    Trials,
    connected,
    counts,
    is_url,
    open_study,
    read_study,
    visible,
)
from unswayed.errors import InvalidInput
from unswayed.text import counted, listed, printable

if TYPE_CHECKING:
    from unswayed.search.play import Play
    from unswayed.storage.tables.numbers import Decimal
    from unswayed.study.study import Study

Wanted = Annotated[int, typer.Argument(help="How many plays.", metavar="N", min=1)]
For = Annotated[str | None, typer.Option("--source", help="Who will measure them.")]
Again = Annotated[bool, typer.Option("--open", help="Ask for none: print again what is open.")]
Csv = Annotated[bool, typer.Option("--csv", help="Print a sheet with an empty column for the values.")]
Sheet = Annotated[Path | None, typer.Option(help="Write that sheet to a new file.", metavar="FILE.xlsx or .csv")]
TellNumber = Annotated[str | None, typer.Argument(help="The number of the play.", metavar="NUMBER")]
Value = Annotated[str | None, typer.Argument(help="What was measured.", metavar="VALUE")]
Filled = Annotated[Path | None, typer.Option("--sheet", "--csv", help="A sheet that was filled in.", metavar="FILE")]
Nearest = Annotated[bool, typer.Option("--nearest", help="What was set between two steps counts at the nearest one.")]
Mark = Annotated[
    str | None,
    typer.Option(
        "--decimal",
        help="The decimal mark of a CSV: point, or comma with semicolons between the cells.",
        metavar="MARK",
        show_default="in a file as this system writes numbers, else point",
    ),
]
JSON = ("number", "point", "why", "source")  # of a play that is open


def ask(
    study: Name,
    n: Wanted = 1,
    source: For = None,
    again: Again = False,
    as_json: Json = False,
    as_csv: Csv = False,
    out: Sheet = None,
    decimal: Mark = None,
) -> None:
    """Ask for the next plays: where to measure.

    For example: [bold]unswayed study ask lab.jsonl 4 --out batch-1.xlsx[/bold]

    Fill in the column [bold]value[/bold] of the sheet, and give it back with
    [bold]unswayed study tell lab.jsonl --sheet batch-1.xlsx[/bold]; or tell one by one. If another setting was really
    used, write it over the proposed one, and yes into the column [bold]moved[/bold]. Plays stay open until they are
    told or have failed; --open prints them again.
    """
    from unswayed.storage.tables.reading import checked_mark

    if as_json and as_csv:
        raise InvalidInput("give --json or --csv, not both")
    if out is not None:
        _check_sheet(out)
    mark = checked_mark(decimal) if decimal is not None else _own_mark() if out is not None else "point"
    if again:
        known: Any = connected(study) if is_url(study) else read_study(study)
        plays, every = visible(known)
        waiting = [play for play in plays if play.status == "open" and (every or play.source is not None)]
        _show(study, known, waiting, as_json, as_csv, out, mark)
        return
    with open_study(study) as opened:
        plays = opened.ask(n, source=source)
        _show(study, opened, plays, as_json, as_csv, out, mark)
    from unswayed.cli.output import say

    for same in _repeats(plays):
        say(f"note: plays {listed(same)} are the same setting, to be measured {len(same)} times")
    if len(plays) < n:
        more = f"`unswayed study change {study} --plays NUMBER` allows more"
        say(f"{len(plays)} of {n}: the plays of this study are used up; {more}")


def _repeats(plays: list[Play]) -> list[list[str]]:
    """The numbers of the plays that are at one point, for each point that comes more than once."""
    numbers: dict[str, list[str]] = {}
    for play in plays:
        numbers.setdefault(repr(play.point), []).append(str(play.number))
    return [some for some in numbers.values() if len(some) > 1]


def _check_sheet(out: Path) -> None:
    """Refuse the name of a sheet that could not be written, or not as what it is called."""
    if out.exists() or not out.parent.is_dir():
        why = "exists already, and may hold values" if out.exists() else "is in a folder that does not exist"
        raise InvalidInput(f"{out} {why}: give another name")
    if out.suffix.lower() in (".xls", ".xlsb", ".xlsm", ".ods"):
        raise InvalidInput(f"a sheet is .xlsx or .csv, which open in every spreadsheet program: not {out.suffix}")


def _own_mark() -> Decimal:
    """The decimal mark of this system's locale, which its spreadsheet program expects in a CSV."""
    before = locale.setlocale(locale.LC_NUMERIC)
    try:
        locale.setlocale(locale.LC_NUMERIC, "")
        return "comma" if locale.localeconv()["decimal_point"] == "," else "point"
    except locale.Error:  # its name is not installed
        return "point"
    finally:
        locale.setlocale(locale.LC_NUMERIC, before)


def _show(
    name: str, study: Study, plays: list[Play], as_json: bool, as_csv: bool, out: Path | None, mark: Decimal
) -> None:
    """Print plays in the form that is wanted."""
    from unswayed.cli.output import print_json
    from unswayed.cli.study.status import print_plays
    from unswayed.storage import write_atomically
    from unswayed.study.tables.sheets import sheet, sheet_file

    if out is not None:
        write_atomically(out, sheet_file(plays, study.space, out.suffix[1:].lower(), mark))
    if as_json:
        print_json({"plays": [{name: play.to_dict()[name] for name in JSON} for play in plays]})
    elif as_csv:
        typer.echo(sheet(plays, study.space, mark), nl=False)
    elif plays:
        print_plays(study, plays)
        if out is not None:
            typer.echo(f"sheet: {out}: fill in its values, then `unswayed study tell {name} --sheet {out}`")
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
    nearest: Nearest = False,
) -> None:
    """Tell what was measured: one value, or a sheet of them.

    For example: [bold]unswayed study tell lab.jsonl 3 0.82 --source sensor-2[/bold]

    Of a duel, which is better: [bold]unswayed study tell taste.jsonl 3 tea[/bold]; or left, right or tie.

    A sheet: [bold]unswayed study tell lab.jsonl --sheet batch-1.xlsx[/bold]. It needs the columns number and value, and
    may have source, noise_std and trials. Rows without a value are left open, rows that were told before are harmless.
    Where the column moved says yes, the parameters in the row are what was really set. If a row is wrong, nothing of
    the file is told.
    """
    from unswayed.study.tables.cells import told_of

    with open_study(study) as opened:
        if filled is not None:
            if number is not None or source is not None or noise_std is not None or trials is not None:
                raise InvalidInput("a sheet says itself what was measured: give --sheet alone")
            typer.echo(_tell_sheet(opened, filled, decimal, nearest))
        elif number is None or (value is None and number.isdecimal()):
            raise InvalidInput("give the NUMBER of a play and its VALUE, or --sheet FILE")
        elif value is None or not number.lstrip("-").isdecimal():
            raise InvalidInput(f"{number!r} is not the number of a play; a sheet is told with --sheet FILE")
        else:
            measured = told_of(opened.space, value)
            opened.tell(int(number), measured, source=source, noise_std=noise_std, trials=trials)
            typer.echo(f"told play {int(number)}: {measured!r}")
        typer.echo(f"{study}: {counts(opened)}")


def _tell_sheet(study: Any, path: Path, decimal: str | None, nearest: bool) -> str:
    """Tell all of a sheet, which was checked as a whole; what was done."""
    from unswayed.cli.output import say
    from unswayed.service.requests import Conflict
    from unswayed.study.tables.sheets import read_sheet

    filled = read_sheet(path, visible(study)[0], study.space, decimal=decimal, nearest=nearest)
    if filled.sentence is not None:
        say(filled.sentence)
    for number in filled.elsewhere:
        say(f"note: play {number} was moved before: it counts there, and not where the sheet says")
    for number, point in filled.moved.items():
        study.move(number, point, nearest=nearest)
    late = 0
    for number, measured in filled.told.items():
        try:
            study.tell(number, measured)
        except Conflict as error:
            late += 1
            say(str(error))
    parts = [f"told {counted(len(filled.told) - late, 'play')}"]
    parts += [f"{counted(len(filled.moved), 'play')} moved to what was really set"] if filled.moved else []
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
