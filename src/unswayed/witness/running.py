"""What a witness does: it runs the command of a study where those who gain by the result cannot reach it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import file_digest, sha256
from time import monotonic
from typing import Any

from unswayed.core.data.measurement import Measurement
from unswayed.errors import CannotStart
from unswayed.programs.command import Command
from unswayed.storage.files import explaining


def command_digest(words: Sequence[str]) -> str:
    """What stands for a command: the SHA-256 of its words, in which a word that names a file is the file's content.

    So the same program is the same command wherever it is. What it loads, and programs found by the search path, are
    named and not read.

    Args:
        words: The program and its arguments, with placeholders.

    Raises:
        SystemFault: A file cannot be read.
    """
    return sha256(json.dumps([_content(word) for word in words]).encode()).hexdigest()


def _content(word: str) -> str | dict[str, str]:
    if not os.path.isfile(word):
        return word
    with explaining(f"cannot read {word}"), open(word, "rb") as file:
        return {"file": file_digest(file, "sha256").hexdigest()}


class Witness:
    """Runs one command, and says of each run what it was.

    The measurement must be the only line that the command prints, so that nothing that it started can add another one.

    Args:
        command: What measures.
    """

    def __init__(self, command: Command) -> None:
        self.command = replace(command, alone=True)
        self.digest = command_digest(command.template)

    def __call__(self, point: Mapping[str, Any], recorded: Any) -> tuple[Measurement, dict[str, Any]]:
        """Measure a point.

        Args:
            point: The value of each parameter, by name.
            recorded: The point as records have it.

        Returns:
            The measurement, and what is said of the run.

        Raises:
            CannotStart: The command is another one than when this witness began.
            CommandFailed: There is no measurement.
        """
        self._check()
        began = monotonic()
        told = Measurement.of(self.command(point))
        seconds = round(monotonic() - began, 3)
        self._check()
        return told, {"point": recorded, "command": self.digest, "exit": 0, "seconds": seconds}

    def _check(self) -> None:
        if command_digest(self.command.template) != self.digest:
            raise CannotStart("a file of the command was changed while this witness ran: nothing of it is reported")
