"""`unswayed mcp`: audits and studies for agents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Studies = Annotated[
    list[str] | None,
    typer.Argument(help="Journal files, or http://HOST:PORT/studies/NAME, that agents may write to.", metavar="STUDY"),
]
Folder = Annotated[Path, typer.Option(help="Files in it may be read.")]
SourceName = Annotated[str, typer.Option("--source", help="Whose measurements agents tell to a journal file.")]


def command(studies: Studies = None, folder: Folder = Path("."), source: SourceName = "agent") -> int:
    """Let agents audit files and measure for studies, by the Model Context Protocol.

    [bold]unswayed mcp lab.jsonl[/bold]

    The server speaks over standard input and output, and agents start it by that command. They may read the files of
    one folder, and write to the studies that are named here and to no others. A study on a server needs its token in
    UNSWAYED_TOKEN, and what is told there carries the name of that token.
    """
    from unswayed.cli.mcp.server import serve
    from unswayed.cli.mcp.tools import Tools

    serve(Tools(tuple(studies or ()), folder, source))
    return 0
