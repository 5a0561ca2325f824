"""Matches that an environment of its own plays: another Python, with packages that are not installed here."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE
from tempfile import TemporaryFile

from unswayed.errors import CommandFailed, InvalidInput
from unswayed.text import printable
from unswayed_gauntlet.match import Match
from unswayed_gauntlet.worker import Reply, fields_of, missing, package_version

PROGRAM = ("-m", "unswayed_gauntlet.worker")
LONGEST = 300  # characters of what a process said last


@dataclass(frozen=True)
class Away(Match):
    """A match that another Python plays.

    Attributes:
        python: Its path.
        key: The fingerprint of the match there.
    """

    python: str
    key: str

    def __str__(self) -> str:
        return super().__str__()

    def fingerprint(self) -> str:
        """Under this name the run is kept: the versions of that environment are part of it."""
        return self.key

    def row(self) -> Reply:
        """Let it be played."""
        row: Reply = asked(self.python, {"row": fields_of(self)})["row"]
        return row


def python_of(environment: Path) -> str:
    """The Python of an environment, given as its folder or as the program itself.

    Args:
        environment: Such as `.venv-peers`, or `.venv-peers/bin/python`.

    Returns:
        The path of the program; links are not followed, because that would leave the environment.

    Raises:
        InvalidInput: There is none.
    """
    for place in (environment, environment / "bin" / "python", environment / "Scripts" / "python.exe"):
        if place.is_file():
            return os.path.abspath(place)
    raise InvalidInput(f"{environment} is neither a Python nor the folder of an environment with one")


def assigned(matches: Sequence[Match], python: str | None) -> tuple[list[Match], dict[str, str]]:
    """Say where each match is played: here if that is possible, else by `python`.

    Args:
        matches: What is wanted.
        python: The Python of another environment; None if there is none.

    Returns:
        The matches that can be played, and what is missing in both places, each with the reason.

    Raises:
        InvalidInput: The other environment cannot be used.
    """
    lost = missing(matches)
    left_out = [one for one in matches if {one.optimizer, one.problem} & lost.keys()]
    if not left_out or python is None:
        return [one for one in matches if one not in left_out], lost
    try:
        found = asked(python, {"fingerprints": [fields_of(one) for one in left_out]})
    except CommandFailed as error:
        raise InvalidInput(f"--peers: {error}; it needs the same unswayed as here") from None
    if found["code"] != package_version():
        raise InvalidInput(f"--peers: {python} has another version of unswayed; install the one of here there")
    keys = dict(zip(left_out, found["fingerprints"], strict=True))
    away = {one: Away(**fields_of(one), python=python, key=key) for one, key in keys.items() if key}
    return [away.get(one, one) for one in matches if one in away or one not in keys], found["missing"]


def asked(python: str, request: Reply) -> Reply:
    """What the other environment answers.

    Args:
        python: Its Python.
        request: As `unswayed_gauntlet.worker` reads it.

    Returns:
        The answer.

    Raises:
        CommandFailed: It crashed, cannot be started, or says that something failed.
    """
    with TemporaryFile() as said:
        try:
            process = subprocess.Popen([python, *PROGRAM], stdin=PIPE, stdout=PIPE, stderr=said, text=True)
        except OSError as error:
            raise CommandFailed(f"cannot start {python}: {error.strerror}") from None
        text = ""
        with suppress(BrokenPipeError), process:
            with suppress(BrokenPipeError):  # it has ended already
                print(json.dumps(request), file=process.stdin, flush=True)
            text = "".join(process.stdout or ())  # its input stays open until then: it ends when that is closed
        said.seek(0)
        last = said.read().decode(errors="replace").strip().splitlines()[-1:]
    try:
        answer: Reply = json.loads(text)
    except ValueError:
        reason = "".join(f": {printable(line, limit=LONGEST)}" for line in last)
        raise CommandFailed(f"{python} ended with code {process.returncode} and no answer{reason}") from None
    if "error" in answer:
        raise CommandFailed(answer["error"])
    return answer
