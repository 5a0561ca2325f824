"""`unswayed verify`: whether an exported study is what a server signed."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unswayed.cli.options import Doubt, High, Json, Low

if TYPE_CHECKING:
    from unswayed.witness.verify import Verified

File = Annotated[Path, typer.Argument(help="The study, exported as jsonl.")]
Program = Annotated[
    list[str] | None,
    typer.Argument(help="After --: the command that witnesses should have run.", metavar="[-- COMMAND]"),
]
Key = Annotated[str, typer.Option(help="The public key that the server prints, or a file with it.")]


def command(
    file: File,
    program: Program = None,
    *,
    key: Key,
    doubt: Doubt = None,
    low: Low = None,
    high: High = None,
    as_json: Json = False,
) -> None:
    """Check an exported study: its chain, its signatures, and what follows from them.

    [bold]unswayed verify alloy.jsonl --key KEY -- ./measure {x} {y}[/bold]

    Every signature is checked, and the trust level of every measurement and the answer are computed again. With a
    command, also whether witnesses ran that one. With [bold]--doubt self-reported --low 0 --high 1[/bold] the answer
    allows for any self-reported measurement to be false, within that range. If anything is wrong, one line says what,
    and the exit code is 2.
    """
    from unswayed.cli.output import print_json
    from unswayed.errors import JournalError
    from unswayed.storage import read_journal
    from unswayed.witness.keys import PublicKey
    from unswayed.witness.running import command_digest
    from unswayed.witness.verify import verify

    found = verify(read_journal(file), PublicKey(key), str(file))
    if program and found.command != (digest := command_digest(program)):
        ran = "no witness ran a command" if found.command is None else f"witnesses ran {found.command}"
        raise JournalError(f"{file}: {ran}, and the command given here is {digest}")
    study = found.doubting(doubt, low, high)
    answer = study.answer() if any(play.measured for play in study.log) else None
    if as_json:
        print_json({**_record(found), "answer": None if answer is None else answer.to_dict()})
        return
    for name, text in _facts(found, bool(program)):
        typer.echo(f"{name:<12}{text}")
    if answer is not None:
        typer.echo(f"\n{answer}")


def _facts(found: Verified, compared: bool) -> list[tuple[str, str]]:
    from unswayed.text import counted, listed

    after = found.records - found.covered
    sealed = None
    if found.sealed is not None:
        sealed = f"exported at {datetime.fromtimestamp(found.sealed, UTC):%Y-%m-%d %H:%M:%S} UTC, unchanged since"
    rest = f"{counted(after, 'record')} after the last signature may have been changed, and others may be missing"
    levels = [f"{found.levels[level]:,} {level}" for level in found.levels]
    same = ", the same as the command given here" if compared else ""
    return [
        ("study", found.name or "nothing in it is signed"),
        ("records", f"{found.records:,}; {counted(found.signatures, 'signature')}, all right"),
        ("complete", sealed or rest),
        ("trust", listed(levels) if levels else "nothing is measured"),
        ("command", f"{found.command}{same}" if found.command else "no witness ran one"),
    ]


def _record(found: Verified) -> dict[str, Any]:
    return {
        "study": found.name,
        "records": found.records,
        "signed": found.signatures,
        "covered": found.covered,
        "sealed": found.sealed,
        "trust": {str(level): count for level, count in found.levels.items()},
        "command": found.command,
    }
