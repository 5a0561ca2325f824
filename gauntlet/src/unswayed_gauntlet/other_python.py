"""Matches in another environment: another Python, with packages that are not installed here."""

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
LONGEST = 300  # characters of the last line that a process printed


@dataclass(frozen=True)
class Away(Match):
    """A match that is played by another Python.

    Attributes:
        python: Its path.
        key: The fingerprint of the match there.
    """

    python: str
    key: str

    def __str__(self) -> str:
        return super().__str__()

    def fingerprint(self) -> str:
        """The name under which the run is kept; the versions in that environment are part of it."""
        return self.key

    def row(self) -> Reply:
        """Play it there."""
        row: Reply = asked(self.python, {"row": fields_of(self)})["row"]
        return row


def python_of(environment: Path) -> str:
    """The Python of an environment, given as its folder or as the program itself.

    Args:
        environment: Such as `.venv-peers`, or `.venv-peers/bin/python`.

    Returns:
        The path of the program. Links are not followed, because they lead out of the environment.

    Raises:
        InvalidInput: There is none.
    """
    for place in (environment, environment / "bin" / "python", environment / "Scripts" / "python.exe"):
        if place.is_file():
            return os.path.abspath(place)
    raise InvalidInput(f"{environment} is neither a Python nor the folder of an environment with one")


def assigned(matches: Sequence[Match], python: str | None) -> tuple[list[Match], dict[str, str]]:
    """Decide where each match is played: here if possible, else by `python`.

    Args:
        matches: All matches.
        python: The Python of another environment; None if there is none.

    Returns:
        The matches that can be played, and the names that cannot be played in either place, each with the reason.

    Raises:
        InvalidInput: The other environment cannot be used.
    """
    unavailable = missing(matches)
    left_out = [one for one in matches if {one.optimizer, one.problem} & unavailable.keys()]
    if not left_out or python is None:
        return [one for one in matches if one not in left_out], unavailable
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
    """The answer of the other environment to a request.

    Args:
        python: Its Python.
        request: In the form that `unswayed_gauntlet.worker` reads.

    Returns:
        The answer.

    Raises:
        CommandFailed: It cannot be started, crashed, or reports an error.
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
            text = "".join(process.stdout or ())  # the input stays open until then, because closing it ends the process
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
