"""`unswayed study webhook`: who is told when the verdict of a study changes."""

from __future__ import annotations

from typing import Annotated

import typer

from unswayed.cli.study.opening import Name, connected, is_url
from unswayed.errors import InvalidInput

Url = Annotated[str | None, typer.Argument(help="Where messages are sent; left out: say where.", metavar="URL")]
Remove = Annotated[bool, typer.Option("--remove", help="Send nothing any more.")]


def webhook(study: Name, url: Url = None, remove: Remove = False) -> None:
    """Send a message when the verdict of a study on a server changes. For its owner.

    For example: [bold]unswayed study webhook http://HOST:PORT/studies/alloy https://chat.example/hook[/bold]

    The last line is the secret that signs the messages: it is shown now and never again. A message says whether the
    leader withstands the threat, and what it was before.
    """
    if not is_url(study):
        raise InvalidInput("a webhook needs a study on a server: http://HOST:PORT/studies/NAME")
    if url is not None and remove:
        raise InvalidInput("give an address or --remove, not both")
    remote = connected(study)
    if url is not None:
        typer.echo(remote.set_webhook(url))
        return
    if remove:
        typer.echo(f"removed: {remote.remove_webhook()}")
        return
    found = remote.webhook()
    verdict = found["verdict"] or "no verdict so far"
    last = "" if found["error"] is None else f"; the last try failed: {found['error']}"
    typer.echo(f"{found['url']}: {verdict}; {found['waiting']} waiting{last}")
