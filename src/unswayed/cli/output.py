"""What the command line prints for scripts and says when its output cannot be written."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import typer

from unswayed.text import json_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Drawn(Protocol):
    """A result that can be drawn."""

    def plot(self) -> Figure:
        """The figure."""


def print_json(record: Mapping[str, Any]) -> None:
    """Print one JSON object on one line; numbers that are not finite become null, because JSON has none.

    Args:
        record: The object, made of dicts, lists, tuples, text, numbers, bools and None.
    """
    typer.echo(json_text(record))


def print_columns(rows: Sequence[Sequence[str]]) -> None:
    """Print a small table: each column as wide as its widest cell.

    Args:
        rows: The cells, the header first.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        typer.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def draw(result: Drawn, path: Path) -> bool:
    """Draw a result to a file; if that is not possible, say so in one line: the result itself is known.

    Args:
        result: What has a `plot`.
        path: The file. One that is not a picture of ours is not replaced.

    Returns:
        Whether it was drawn.
    """
    from unswayed.plots.style import is_ours, save

    try:
        if path.exists() and not is_ours(path):
            say(f"no picture was drawn: {path} is not one of ours; give another name with --plot")
            return False
        save(result.plot(), path)
    except Exception as error:
        say(f"no picture was drawn: {' '.join(str(error).split()) or type(error).__name__}")
        return False
    return True


def say(line: str) -> None:
    """Print one line about this program on standard error, if anybody can read it.

    Args:
        line: The line, without the name of the program.
    """
    with suppress(OSError):
        typer.echo(f"unswayed: {line}", err=True)


@contextmanager
def warnings_said() -> Iterator[None]:
    """Say what the library warns of, a line for each warning."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught:
        say(str(warning.message))


def drop_output() -> None:
    """Drop what is left in the buffers: otherwise Python tries to write it at its end, and reports that this fails."""
    for stream in filter(None, (sys.stdout, sys.stderr)):
        try:
            stream.flush()
        except OSError:
            with suppress(OSError):  # a stream that is not a file has nothing to drop
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
