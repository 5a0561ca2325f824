"""The study that a command line names: a journal file, or a study on a server."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from unswayed.errors import InvalidInput

if TYPE_CHECKING:
    from unswayed.search.play import Play
    from unswayed.service.client import Remote
    from unswayed.storage import Record
    from unswayed.study.study import Study

Name = Annotated[str, typer.Argument(help="A journal file, or http://HOST:PORT/studies/NAME.", metavar="STUDY")]
Number = Annotated[int, typer.Argument(help="The number of the play.", metavar="NUMBER")]
Reason = Annotated[str, typer.Option(help="Why, in one line; it is kept.")]
Source = Annotated[str | None, typer.Option(help="Who or what measured it.")]
NoiseStd = Annotated[float | None, typer.Option(help="The standard error of this value.")]
Trials = Annotated[int | None, typer.Option(help="The value is the mean of this many yes-or-no outcomes.")]

VALUES = {"ignore_unknown_options": True}  # so that -0.5 is a value, and not an option


def is_url(study: str) -> bool:
    """Whether a study is on a server."""
    return study.startswith(("http://", "https://"))


def open_study(study: str) -> Any:
    """The study to write to; a context manager. One line says what was repaired in its journal."""
    if is_url(study):
        return connected(study)
    from unswayed.cli.output import warnings_said
    from unswayed.study.optimizer import Optimizer

    _check_file(study)
    with warnings_said():
        return Optimizer.open(study)


def read_study(study: str) -> Study:
    """The study as it is now. A file needs no lock and no permission to write."""
    if is_url(study):
        found: Study = connected(study).read()
        return found
    from unswayed.study.study import Study

    _check_file(study)
    return Study.read(study)


def records_of(study: str) -> list[Record]:
    """All records of a study, the header first."""
    if is_url(study):
        records: list[Record] = connected(study).records()
        return records
    from unswayed.storage import read_journal

    read_study(study)  # refuses what is no study
    return read_journal(study)


def beside(study: str, suffix: str) -> Path:
    """The file of another kind beside a journal; for a study on a server, in this folder."""
    return Path(study.rstrip("/").rsplit("/", 1)[-1] + suffix) if is_url(study) else Path(study).with_suffix(suffix)


def check_out(out: Path, study: str) -> None:
    """Refuse to write over the journal."""
    if not is_url(study) and out.resolve() == Path(study).resolve():
        raise InvalidInput(f"{out} is the journal itself: give another name")


def counts(study: Study | Remote) -> str:
    """How many plays there are of each status, as text."""
    from collections import Counter

    plays, every = visible(study)
    found = Counter(str(play.status) for play in plays)
    text = ", ".join(f"{count:,} {status}" for status, count in found.items()) or "no plays so far"
    return text if every else f"your plays: {text}"


def visible(study: Study | Remote) -> tuple[Sequence[Play], bool]:
    """The plays that the caller may see, and whether these are all: a source sees its own."""
    from unswayed.service.requests import NotAllowed

    try:
        return study.log, True
    except NotAllowed:
        return cast("Remote", study).given(), False


def cells(study: Study, play: Play) -> list[str]:
    """The values of a play for people: few digits, with units."""
    from unswayed.spaces import Box
    from unswayed.spaces.space import named_values
    from unswayed.text import printable

    values = named_values(study.space.names, play.point)
    if isinstance(study.space, Box):
        described = {name: study.space.parameters[name].describe(value) for name, value in values.items()}
        return [printable(described.get(name, "")) for name in study.space.names]  # some points lack a parameter
    return [f"{value:.6g}" if isinstance(value, float) else printable(str(value)) for value in values.values()]


def _check_file(study: str) -> None:
    if not Path(study).exists():
        begins = f"`unswayed study new {study} --space SPACE.toml` begins one"
        raise InvalidInput(f"there is no journal {study}: {begins}")


def connected(study: str) -> Remote:
    """A study on a server, which has the verbs of `Optimizer`."""
    from unswayed.service.client import connect

    token = os.environ.get("UNSWAYED_TOKEN")
    if not token:
        raise InvalidInput("a study on a server needs a token: UNSWAYED_TOKEN=... unswayed study ...")
    return connect(study, token)
