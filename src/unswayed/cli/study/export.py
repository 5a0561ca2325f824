"""`unswayed study export` and `plot`: a study as a file for other programs, or as a picture."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from unswayed.cli.study.opening import Name, beside, check_out, read_study, records_of
from unswayed.errors import InvalidInput


class Format(StrEnum):
    """What a study can be exported as."""

    CSV = "csv"
    JSONL = "jsonl"
    PARQUET = "parquet"
    HTML = "html"


Kind = Annotated[
    Format | None, typer.Option("--format", help="What to write.", show_default="as the name of the file ends, or csv")
]
Out = Annotated[Path | None, typer.Option(help="The file.", metavar="FILE", show_default="standard output")]
Picture = Annotated[
    Path | None, typer.Option("--out", help="The file (.png, .pdf, .svg).", metavar="FILE", show_default="STUDY.png")
]


def export(study: Name, kind: Kind = None, out: Out = None) -> None:
    """Write all plays as a table (csv, parquet), the study as a journal (jsonl), or a page for people (html).

    For example: [bold]unswayed study export lab.jsonl --out lab.csv[/bold]

    The table has a row for each play: number, the parameters, value with all its digits, source, status, and more. A
    journal can be opened again by every command and by unswayed.Optimizer.
    """
    from unswayed.storage import write_atomically

    kind = _kind(kind, out)
    if out is None:
        if kind is Format.PARQUET:
            raise InvalidInput("parquet is not text: give a file with --out FILE.parquet")
        typer.echo(_content(study, kind), nl=False)
        return
    check_out(out, study)
    write_atomically(out, _content(study, kind))
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


def _content(study: str, kind: Format) -> bytes:
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
    return exported(known, records_of(study) if kind is Format.JSONL else [], kind)
