"""`unswayed token`: who may do what on a server."""

from __future__ import annotations

from typing import Annotated

import typer

from unswayed.cli.serve import DATABASE, DatabaseUrl, opened

Name = Annotated[str, typer.Argument(help="Who gets it; what a source tells carries this name.")]
RoleName = Annotated[
    str, typer.Option("--role", help="owner: all; source: measures; reader: looks; witness: measures by a command.")
]
StudyName = Annotated[str | None, typer.Option(help="The only study it is for.", show_default="all")]
Revoke = Annotated[bool, typer.Option("--revoke", help="Revoke the token of that name.")]


def command(
    name: Name,
    role: RoleName = "source",
    study: StudyName = None,
    revoke: Revoke = False,
    database: DatabaseUrl = DATABASE,
) -> int:
    """Make a token for a source, a witness, a reader or another owner, or revoke one.

    [bold]unswayed token lab-2 --role source --study alloy --database sqlite:///lab.db[/bold]

    The token is the last line that is printed. It is shown now and never again: only its hash is kept. This works while
    a server runs, and before the study exists.
    """
    from unswayed.service.tokens import Tokens

    with opened(database) as studies:
        tokens = Tokens(studies)
        if revoke:
            tokens.revoke(name)
            typer.echo(f"revoked: {name}")
        else:
            typer.echo(tokens.make(name, role, study))
    return 0
