"""`unswayed serve`: studies that many people and machines measure together."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unswayed.service.running.log import Level

if TYPE_CHECKING:
    from unswayed.service.host import Host
    from unswayed.storage.database import Database

DATABASE = "sqlite:///unswayed.db"
DatabaseUrl = Annotated[str, typer.Option(help="sqlite:///FILE or postgresql://USER@HOST/NAME.", metavar="URL")]
Address = Annotated[str, typer.Option("--host", help="Where to listen; another than 127.0.0.1 is open to the network.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="0 for any that is free.")]
AllowHost = Annotated[
    list[str] | None, typer.Option(help="A further name of this server, as behind a proxy.", metavar="NAME")
]
Lease = Annotated[float, typer.Option(help="Seconds a play stays reserved without a heartbeat.")]
Key = Annotated[Path | None, typer.Option(help="Signs what witnesses measure; made if there is none.", metavar="FILE")]
LogLevel = Annotated[
    Level, typer.Option(help="info: a line for each request; warning: those that were refused; error: faults.")
]
OPEN = (
    "anyone in the network who has a token can reach it, and tokens travel unencrypted: put a proxy with TLS before it"
)


def command(
    database: DatabaseUrl = DATABASE,
    host: Address = "127.0.0.1",
    port: Port = 8711,
    allow_host: AllowHost = None,
    lease: Lease = 300.0,
    log_level: LogLevel = Level.INFO,
    key: Key = None,
) -> int:
    """Serve studies that many people and machines measure together, and their pages.

    [bold]unswayed serve --database sqlite:///lab.db[/bold]

    The first start prints a token for the owner, who begins studies, makes tokens for others with
    [bold]unswayed token[/bold], and reads the pages. Every answer is in the database before it is acknowledged, so the
    server may be killed and started again at any time. After SIGTERM it finishes the requests under way, for 8 seconds
    at most, and exits with 0. With [bold]--key lab.key[/bold] it signs what witnesses measure, and prints the public
    key for [bold]unswayed verify[/bold].
    """
    from unswayed.cli.output import say
    from unswayed.types import positive
    from unswayed.witness.keys import SigningKey

    lease = positive(lease, "--lease")
    listening = _listen(host, port)
    with opened(database, serving=True) as studies:
        if host not in ("127.0.0.1", "localhost", "::1"):
            say(f"listening on {host}: {OPEN}")
        from unswayed.service.host import Host  # needs what `opened` has looked for

        signing = None if key is None else SigningKey.open(key)
        _serve(Host(studies, lease, signing), listening, host, frozenset(allow_host or ()), log_level)
    return 0


@contextmanager
def opened(url: str, *, serving: bool = False) -> Iterator[Database]:
    """A database. While it is served, a lock keeps a second server from a SQLite file; others may have several.

    Only a server upgrades it: one of the version before may be running, and its owner may not have made a backup.
    """
    from unswayed.cli.output import say
    from unswayed.errors import InvalidInput, JournalError
    from unswayed.storage.files import try_lock

    try:
        from unswayed.storage.database import Database
        from unswayed.storage.upgrades import VERSION
    except ModuleNotFoundError as error:
        raise InvalidInput(f"serving needs more packages ({error.name}): pip install 'unswayed[server]'") from None
    database = Database(url, upgrade=serving)
    with ExitStack() as held, closing(database):
        if serving and database.sqlite:
            lock = held.enter_context(Path(f"{database.name}-server").open("ab"))
            if not try_lock(lock):
                raise JournalError(f"another server has {database.name} open: end it first, or give another --database")
        if database.opened_version < VERSION:
            say(f"{database.name} was of version {database.opened_version}; it is now of version {VERSION}")
        yield database


def _listen(host: str, port: int) -> socket.socket:
    from unswayed.errors import SystemFault

    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.create_server((host, port), family=family, backlog=2048)
        # asyncio does this only for sockets that name TCP; without it the body of a reply waits 40 ms for its headers.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listening
    except OSError as error:
        raise SystemFault(f"cannot listen on {host}:{port}: {error.strerror or error}; give another --port") from None


def _serve(studies: Host, listening: socket.socket, host: str, allowed: frozenset[str], level: Level) -> None:
    import signal
    import sys

    from unswayed.service.app import LOCAL, App
    from unswayed.service.running.log import begin_log
    from unswayed.service.running.server import Server, end, keep_tidy, say_ready
    from unswayed.service.webhooks.watching import Watcher

    begin_log(level)
    signal.signal(signal.SIGTERM, end)
    known = studies.tokens.rows()
    if not any(row["role"] == "owner" for row in known):
        names = {row["name"] for row in known}
        name = next(one for one in ("owner", *(f"owner-{n}" for n in range(2, 1000))) if one not in names)
        typer.echo(f"owner token: {studies.tokens.make(name, 'owner')}")
    if studies.key is not None:
        typer.echo(f"public key: {studies.key.public.text}")
    shown = f"[{host}]" if ":" in host else host
    typer.echo(f"listening on http://{shown}:{listening.getsockname()[1]}")
    sys.stdout.flush()
    say_ready()
    keep_tidy(studies.database)
    Watcher(studies).start()
    sys.setswitchinterval(0.001)  # a search must not keep a short request waiting
    Server(App(studies, LOCAL | {host} | allowed)).run([listening])
