"""`unswayed study export` and `plot`: a study as a file for other programs, or as a picture."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unswayed.cli.study.opening import Name, beside, check_out, read_study, records_of
from unswayed.errors import InvalidInput

if TYPE_CHECKING:
    from unswayed.storage.tables.numbers import Decimal


class Format(StrEnum):
    """What a study can be exported as."""

    CSV = "csv"
    JSONL = "jsonl"
    XLSX = "xlsx"
    PARQUET = "parquet"
    HTML = "html"


Kind = Annotated[
    Format | None, typer.Option("--format", help="What to write.", show_default="as the name of the file ends, or csv")
]
Out = Annotated[Path | None, typer.Option(help="The file.", metavar="FILE", show_default="standard output")]
Mark = Annotated[
    str,
    typer.Option(
        "--decimal", help="The decimal mark of csv: point, or comma with semicolons between the cells.", metavar="MARK"
    ),
]
Picture = Annotated[
    Path | None, typer.Option("--out", help="The file (.png, .pdf, .svg).", metavar="FILE", show_default="STUDY.png")
]


def export(study: Name, kind: Kind = None, out: Out = None, decimal: Mark = "point") -> None:
    """Write all plays as a table (csv, xlsx, parquet), the study as a journal (jsonl), or a page for people (html).

    For example: [bold]unswayed study export lab.jsonl --out lab.csv[/bold]

    The table has a row for each play: number, the parameters, value with all its digits, source, status, and more. A
    journal can be opened again by every command and by unswayed.Optimizer.
    """
    from unswayed.storage import write_atomically
    from unswayed.storage.tables.reading import checked_mark

    kind, mark = _kind(kind, out), checked_mark(decimal)
    if out is None:
        if kind in (Format.PARQUET, Format.XLSX):
            raise InvalidInput(f"{kind} is not text: give a file with --out FILE.{kind}")
        typer.echo(_content(study, kind, mark), nl=False)
        return
    check_out(out, study)
    write_atomically(out, _content(study, kind, mark))
    typer.echo(f"written: {out}")


def plot(study: Name, out: Picture = None) -> None:
    """Draw every measurement, what was set aside, and the recommendation.

    For example: [bold]unswayed study plot lab.jsonl --out lab.png[/bold]
    """
    from unswayed.plots.style import check_writable, is_ours, save

    known = read_study(study)
    out = out or beside(study, ".png")
    check_out(out, study)
    check_writable(out)
    if out.exists() and not is_ours(out):
        raise InvalidInput(f"{out} exists and was not drawn here: give another name with --out")
    save(known.answer().plot(), out)
    typer.echo(f"picture: {out}")


def _kind(kind: Format | None, out: Path | None) -> Format:
    if kind is not None or out is None:
        return kind or Format.CSV
    try:
        return Format(out.suffix[1:].lower())
    except ValueError:
        raise InvalidInput(f"the name {out} does not say what to write: give --format {', '.join(Format)}") from None


def _content(study: str, kind: Format, mark: Decimal) -> bytes:
    """The file."""
    from unswayed.study.tables.export import exported

    known = read_study(study)
    if kind is Format.HTML:
        try:
            from unswayed.service.pages.render import standalone
        except ImportError:
            raise InvalidInput("a page needs the extra `server`: pip install 'unswayed[server]'") from None
        answer = known.answer() if any(play.measured for play in known.log) else None
        return standalone(known, answer, Path(study).stem).encode()
    return exported(known, records_of(study) if kind is Format.JSONL else [], kind, mark)
