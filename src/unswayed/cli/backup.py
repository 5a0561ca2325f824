"""`unswayed backup`: a copy of a SQLite database that a server may be writing to."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unswayed.cli.serve import DATABASE, DatabaseUrl

Copy = Annotated[Path, typer.Argument(help="Where to; there must be no such file.", dir_okay=False)]
KIND = "sqlite:///"


def command(copy: Copy, database: DatabaseUrl = DATABASE) -> int:
    """Copy a SQLite database while a server writes to it, and check the copy.

    [bold]unswayed backup monday.db --database sqlite:///lab.db[/bold]

    The copy has everything that was acknowledged before. It is a database of its own: put it in the place of a lost
    one, or serve it to look into it. For PostgreSQL use pg_dump.
    """
    from unswayed.errors import InvalidInput
    from unswayed.storage.backup import back_up

    if not database.startswith(KIND):
        raise InvalidInput("this copies sqlite:///FILE; for PostgreSQL use pg_dump --format custom --file COPY URL")
    counts = back_up(Path(database.removeprefix(KIND)), copy)
    typer.echo(f"{copy}: {sum(counts.values()):,} records of {len(counts)} studies, each with the right checksum")
    return 0
