"""`unswayed work`: measure for a study on a server."""

from __future__ import annotations

from typing import Annotated

import typer

from unswayed.cli.run import GiveUp, Jobs, Program, Retries, Timeout

Url = Annotated[str, typer.Argument(help="The server, such as http://127.0.0.1:8711.", metavar="URL")]
StudyName = Annotated[str | None, typer.Option(help="The study, if the address is not that of its page.")]
TokenText = Annotated[
    str | None,
    typer.Option("--token", envvar="UNSWAYED_TOKEN", help="From `unswayed token`; better in UNSWAYED_TOKEN."),
]
Patience = Annotated[float, typer.Option(help="Seconds for which the server may be away.")]


def command(
    url: Url,
    program: Program,
    study: StudyName = None,
    jobs: Jobs = 1,
    timeout: Timeout = None,
    retries: Retries = 1,
    give_up: GiveUp = None,
    token: TokenText = None,
    patience: Patience = 300.0,
) -> int:
    """Measure for a study on a server: ask, run a program, report, until the plays are used up.

    [bold]UNSWAYED_TOKEN=... unswayed work http://127.0.0.1:8711 --study alloy --jobs 4 -- ./measure {x} {y}[/bold]

    The last line that the program prints is the measurement, as in [bold]unswayed run[/bold]. The worker keeps its
    plays while the program runs, and goes on after the server was away.
    """
    from unswayed.cli.output import say
    from unswayed.errors import InvalidInput
    from unswayed.programs.command import Command
    from unswayed.service.client import connect
    from unswayed.service.work import work
    from unswayed.types import whole

    if not token:
        raise InvalidInput("a worker needs a token: UNSWAYED_TOKEN=... unswayed work ...")
    runs = Command(program, timeout=timeout)
    with connect(url, token, study, patience=patience) as remote:
        jobs = whole(jobs, "--jobs", least=1)
        done = work(remote, runs, jobs=jobs, retries=retries, give_up=give_up, say=say)
    typer.echo(f"measured {done:,} plays; none is left")
    return 0
