"""`unswayed compare`: is B better than A?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from unswayed.cli.options import DecimalMark, Delta, Details, High, Json, Lies, Low, Minimize
from unswayed.errors import InvalidInput

First = Annotated[Path, typer.Argument(help="The scores of the one: a row for each item.", metavar="A")]
Second = Annotated[Path, typer.Argument(help="The scores of the other, on the same items.", metavar="B")]
Item = Annotated[str | None, typer.Option(help="The column with the item.", show_default="by its name")]
Score = Annotated[str | None, typer.Option(help="The column with the score.", show_default="by its name")]


def command(
    a: First,
    b: Second,
    item: Item = None,
    score: Score = None,
    decimal: DecimalMark = None,
    lies: Lies = 0,
    low: Low = None,
    high: High = None,
    delta: Delta = 0.05,
    minimize: Minimize = False,
    details: Details = False,
    as_json: Json = False,
) -> None:
    """Is B better than A on the same items, and how few other items would change that?

    For example: [bold]unswayed compare before.jsonl after.jsonl --item question --score correct[/bold]
    """
    from unswayed.audits.scores.comparison import compare
    from unswayed.cli.audit.scores import read_log
    from unswayed.cli.output import print_json, say

    if a.resolve() == b.resolve():
        raise InvalidInput(f"{a} is given twice: name two files")
    logs = [read_log(file, item, score, decimal) for file in (a, b)]
    pairs = [list(zip(one.items, one.scores.tolist(), strict=True)) for one in logs]
    names = (a.stem, b.stem) if a.stem != b.stem else (str(a), str(b))
    about: dict[str, Any] = {"low": low, "high": high, "minimize": minimize, "delta": delta}
    lines = None if logs[0].lines is None or logs[1].lines is None else (logs[0].lines, logs[1].lines)
    found = compare(*pairs, names=names, threat=lies or None, lines=lines, **about)
    files = (a.name, b.name) if a.name != b.name else (str(a), str(b))
    for note in [
        *(f"{file}: {note}" for file, one in zip(files, logs, strict=True) for note in one.notes),
        *found.audit.data.notes,
    ]:
        say(note)
    if as_json:
        print_json(found.to_dict())
    else:
        typer.echo(found.explain() if details else str(found))
