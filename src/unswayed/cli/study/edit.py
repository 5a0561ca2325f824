"""`unswayed study correct`, `move`, `retract`, `restore`, `add` and `change`: what is said about a study afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unswayed.cli.options import DecimalMark, High, Low
from unswayed.cli.study.opening import Name, NoiseStd, Number, Reason, Source, Trials, counts, open_study
from unswayed.errors import InvalidInput
from unswayed.text import counted, listed, printable

if TYPE_CHECKING:
    from unswayed.core.data.measurement import Measurement
    from unswayed.search.play import Play
    from unswayed.spaces import Point, Space
    from unswayed.study.study import Study

Right = Annotated[str, typer.Argument(help="The right value.", metavar="VALUE")]
Numbers = Annotated[list[int] | None, typer.Argument(help="The numbers of the plays.", metavar="NUMBER...")]
AllOf = Annotated[str | None, typer.Option("--source", help="All measurements of this source.", metavar="NAME")]
Words = Annotated[list[str] | None, typer.Argument(help="One point and its value.", metavar="NAME=... VALUE")]
Table = Annotated[Path | None, typer.Option("--csv", help="A table of old measurements.", metavar="FILE")]
ValueColumn = Annotated[str, typer.Option("--value", help="Its column of the values.", metavar="COLUMN")]
SourceColumn = Annotated[str | None, typer.Option(help="Its column with who measured it.", metavar="COLUMN")]
NoiseColumn = Annotated[str | None, typer.Option(help="Its column with the standard error.", metavar="COLUMN")]
TrialsColumn = Annotated[str | None, typer.Option(help="Its column with the trials of each rate.", metavar="COLUMN")]
Nearest = Annotated[bool, typer.Option("--nearest", help="Numbers between two steps count at the nearest one.")]
Settings = Annotated[list[str], typer.Argument(help="What was really set.", metavar="NAME=...")]
NearestSet = Annotated[bool, typer.Option("--nearest", help="A number between two steps counts at the nearest one.")]
Again = Annotated[bool, typer.Option("--again", help="Add it although its measurements are in the study already.")]
Total = Annotated[
    str | None, typer.Option("--budget", help="Total tampering to be safe against; or unknown.", metavar="C")
]
Lies = Annotated[int | None, typer.Option(help="How many measurements may be false.", min=0)]
Liars = Annotated[int | None, typer.Option(help="How many sources may lie, as often as they like.", min=0)]
Doubt = Annotated[
    str | None,
    typer.Option(help="What may be false: self-reported; witnessed, all that no other one repeated; or nothing."),
]
Plays = Annotated[str | None, typer.Option(help="How often to measure in all; or any.", metavar="N")]
Parallel = Annotated[str | None, typer.Option(help="How many plays will be open at a time; or any.", metavar="N")]
Note = Annotated[str | None, typer.Option(help="What is measured, for people.")]
Quarantine = Annotated[
    list[str] | None, typer.Option(help="This source does not count for now; may be repeated.", metavar="NAME")
]
Release = Annotated[list[str] | None, typer.Option(help="This source counts again; may be repeated.", metavar="NAME")]


def correct(
    study: Name,
    number: Number,
    value: Right,
    reason: Reason,
    source: Source = None,
    noise_std: NoiseStd = None,
    trials: Trials = None,
) -> None:
    """Replace a value that was told, or give one to a play that has failed. The old value stays in the journal.

    For example: [bold]unswayed study correct lab.jsonl 3 0.28 --reason "a typo: it was 0.28"[/bold]
    """
    from unswayed.study.tables.cells import told_of

    about = {"source": source, "noise_std": noise_std, "trials": trials}
    given = {name: one for name, one in about.items() if one is not None}
    with open_study(study) as opened:
        right = told_of(opened.space, value)
        opened.correct(number, right, reason, **given)
        before = opened.log[number].before
        typer.echo(f"corrected play {number}: {right!r}" + (f", before {before[-1]!r}" if before else ""))
        typer.echo(f"{study}: {counts(opened)}")


def move(study: Name, number: Number, words: Settings, nearest: NearestSet = False) -> None:
    """Say that a play is measured at another point than the proposed one, before or after its value is told.

    For example, if 71 was set instead of 70.5: [bold]unswayed study move lab.jsonl 3 temperature=71[/bold]

    Name what differs. The measurement counts where it was made, and the proposal is answered by it; the journal keeps
    both.
    """
    from unswayed.study.tables.cells import values_of

    with open_study(study) as opened:
        cells, rest = _cells(opened.space, words)
        if rest or not cells:
            raise InvalidInput(f"say what was really set, such as {opened.space.names[0]}=..., and no value")
        opened.move(number, values_of(opened.space, cells), nearest=nearest)
        where = listed([printable(word, limit=60) for word in words])
        typer.echo(f"moved play {number} to {where}{' (the nearest step)' if nearest else ''}")
        typer.echo(f"{study}: {counts(opened)}")


def retract(study: Name, reason: Reason, numbers: Numbers = None, source: AllOf = None) -> None:
    """Leave measurements out from now on. They stay in the journal, and can be restored.

    For example: [bold]unswayed study retract lab.jsonl 3 7 --reason "the door was open"[/bold]

    All of a sensor: [bold]unswayed study retract lab.jsonl --source sensor-2 --reason "it was not calibrated"[/bold]
    """
    from unswayed.search.play import Status

    with open_study(study) as opened:
        plays = _chosen(opened, numbers, source, (Status.TOLD, Status.QUARANTINED), "retract")
        for play in plays:
            opened.retract(play.number, reason)
        typer.echo(f"retracted {counted(len(plays), 'measurement')}")
        typer.echo(f"{study}: {counts(opened)}")


def restore(study: Name, numbers: Numbers = None, source: AllOf = None) -> None:
    """Undo retractions. A play that has failed is open again.

    For example: [bold]unswayed study restore lab.jsonl 3[/bold]
    """
    from unswayed.search.play import Status

    with open_study(study) as opened:
        plays = _chosen(opened, numbers, source, (Status.RETRACTED, *[Status.FAILED] * (source is None)), "restore")
        for play in plays:
            opened.restore(play.number)
        typer.echo(f"restored {counted(len(plays), 'play')}")
        typer.echo(f"{study}: {counts(opened)}")


def _chosen(study: Study, numbers: list[int] | None, source: str | None, those: Sequence[str], verb: str) -> list[Play]:
    """The plays to change, chosen by number or by source; a number must be that of a play that can be changed."""
    if bool(numbers) == (source is not None):
        raise InvalidInput("give the numbers of plays, or --source NAME" + (", not both" if numbers else ""))
    log = study.log
    if source is None:
        for number in numbers or []:
            if not 0 <= number < len(log):
                raise InvalidInput(f"there is no play {number}: the study has {counted(len(log), 'play')}")
            if log[number].status not in those:
                raise InvalidInput(
                    f"play {number} is {log[number].status}: there is nothing to {verb}; no play was changed"
                )
        return [log[number] for number in dict.fromkeys(numbers or [])]
    if not any(play.source == source for play in log):
        names = [printable(name, limit=60) for name in dict.fromkeys(play.source for play in log) if name is not None]
        has = f"the sources are {listed(names)}" if names else "no play names a source"
        raise InvalidInput(f"there is no play of {printable(source, limit=60)!r}: {has}")
    return [play for play in log if play.source == source and play.status in those]


def add(
    study: Name,
    words: Words = None,
    table: Table = None,
    value: ValueColumn = "value",
    source_column: SourceColumn = None,
    noise_column: NoiseColumn = None,
    trials_column: TrialsColumn = None,
    decimal: DecimalMark = None,
    nearest: Nearest = False,
    again: Again = False,
    source: Source = None,
    noise_std: NoiseStd = None,
    trials: Trials = None,
) -> None:
    """Add measurements that nobody asked for, such as old data. They teach the study and are none of its plays.

    For example: [bold]unswayed study add lab.jsonl temperature=70 solvent=water 0.61 --source sensor-1[/bold]

    A table with a column for each parameter: [bold]unswayed study add lab.jsonl --csv old.csv --value yield[/bold]. It
    may be a spreadsheet. If a cell is wrong, nothing is added; rows with an empty cell are left out.
    """
    from unswayed.core.data.measurement import Measurement

    if bool(words) == (table is not None):
        raise InvalidInput("give one point as NAME=... and its VALUE, or --csv FILE" + (", not both" if words else ""))
    about: Any = {"source": source, "noise_std": noise_std, "trials": trials}
    with open_study(study) as opened:
        if table is None:
            point, number = _written(opened.space, words or [])
            rows: list[tuple[Point, Measurement]] = [(point, Measurement.of(number, **about))]
        else:
            columns = {"source": source_column, "noise_std": noise_column, "trials": trials_column}
            found = _old(opened, table, again, value=value, decimal=decimal, nearest=nearest, **columns)
            known = [{name: one for name, one in about.items() if getattr(told, name) is None} for _, told in found]
            rows = [(point, Measurement.of(told, **own)) for (point, told), own in zip(found, known, strict=True)]
        new = opened.add(rows)
        typer.echo(f"added {counted(len(new), 'measurement')}")
        typer.echo(f"{study}: {counts(opened)}")


def _old(study: Any, table: Path, again: bool, **columns: Any) -> list[tuple[Point, Measurement]]:
    """The measurements of a file, which are not in the study already."""
    from unswayed.cli.output import warnings_said
    from unswayed.service.requests import NotAllowed
    from unswayed.study.tables.importing import read_measurements, refuse_again

    with warnings_said():
        found = read_measurements(table, study.space, **columns)
    with suppress(NotAllowed):  # what others have measured is not shown to a source
        if not again:
            refuse_again(table, found, study.log)
    return found


def _written(space: Space, words: list[str]) -> tuple[Point, float]:
    """A point and its value as they stand on the command line."""
    from unswayed.spaces import Box, Duels
    from unswayed.study.tables.cells import number_of, point_of

    cells, values = _cells(space, words)
    some = isinstance(space, Box) and space.conditions is not None  # some points lack a parameter
    missing = [name for name in space.names if name not in cells and not some]
    if missing or len(values) != 1:
        want = f"{missing[0]}=..." if missing else "one VALUE"
        raise InvalidInput(f"{want} is missing: give {' '.join(f'{name}=...' for name in space.names)} VALUE")
    point = point_of(space, cells)
    return point, space.value(point, values[0]) if isinstance(space, Duels) else number_of(values[0])


def _cells(space: Space, words: list[str]) -> tuple[dict[str, str], list[str]]:
    """What words such as temperature=71 say of each parameter, and the other words."""
    cells: dict[str, str] = {}
    rest = []
    for word in words:
        named = [name for name in space.names if word.startswith(f"{name}=")]
        if named:
            name = max(named, key=len)
            cells[name] = word[len(name) + 1 :]
        elif "=" in word or word.startswith("--"):
            what = "option" if word.startswith("--") else "parameter"
            raise InvalidInput(f"no such {what}: {printable(word, limit=60)}; the parameters are {listed(space.names)}")
        else:
            rest.append(word)
    return cells, rest


def change(
    study: Name,
    budget: Total = None,
    lies: Lies = None,
    liars: Liars = None,
    low: Low = None,
    high: High = None,
    doubt: Doubt = None,
    plays: Plays = None,
    parallel: Parallel = None,
    note: Note = None,
    quarantine: Quarantine = None,
    release: Release = None,
) -> None:
    """Change the threat, the number of plays, or whom to believe. What is not named stays as it is.

    For example: [bold]unswayed study change lab.jsonl --lies 2 --plays 60[/bold]

    [bold]--budget unknown[/bold] forgets the threat: the answer then says what each kind would mean. A quarantined
    source may go on measuring; its values count once it is released.
    """
    from unswayed.cli.output import say

    with open_study(study) as opened:
        changes: dict[str, Any] = {}
        threat = {"total": budget, "lies": lies, "liars": liars, "low": low, "high": high, "doubt": doubt}
        if any(one is not None for one in threat.values()):
            changes["threat"] = _threat(opened, threat)
        changes |= {"plays": _count(plays, "--plays")} if plays is not None else {}
        changes |= {"parallel": _count(parallel, "--parallel")} if parallel is not None else {}
        changes |= {"note": note} if note is not None else {}
        if quarantine or release:
            changes["quarantined"] = _quarantined(opened, quarantine or [], release or [])
        if not changes:
            raise InvalidInput("say what to change, such as --plays 60; `unswayed study change --help` lists it all")
        opened.change(**changes)
        for name, one in changes.items():
            unknown = "not known" if name == "threat" else "any number"
            shown = (", ".join(one) or "nobody") if isinstance(one, list) else unknown if one is None else one
            typer.echo(f"{name} is now {shown}")
        for name in quarantine or []:
            if not any(play.source == name for play in opened.log):
                say(f"note: {printable(name, limit=60)!r} has measured nothing so far")


def _threat(study: Any, given: dict[str, Any]) -> Any:
    """The threat with what was given in place of what it was; None if it is unknown."""
    from unswayed.core.tampering.threat import Threat
    from unswayed.study.tables.cells import number_of

    given = {name: one for name, one in given.items() if one is not None}
    if given.get("total") == "unknown":
        if len(given) > 1:
            raise InvalidInput("--budget unknown forgets the whole threat: give it alone")
        return None
    given |= {"total": number_of(given["total"])} if "total" in given else {}
    given |= {"doubt": None} if given.get("doubt") == "nothing" else {}
    before = Threat.of(study.settings.threat)
    if before is None and not given.keys() - {"low", "high"}:
        raise InvalidInput("--low and --high say what lies may be: add --budget, --lies or --liars, how many")
    return replace(before or Threat(), **given)


def _count(text: str, option: str) -> int | None:
    """A whole number, or None for any."""
    if text == "any":
        return None
    try:
        return int(text)
    except ValueError:
        raise InvalidInput(f"{option} must be a whole number or any, not {text!r}") from None


def _quarantined(study: Any, more: list[str], fewer: list[str]) -> list[str]:
    names = list(study.settings.quarantined)
    if unknown := [name for name in fewer if name not in names]:
        has = f"in quarantine: {listed(names)}" if names else "nobody is in quarantine"
        raise InvalidInput(f"{unknown[0]!r} cannot be released; {has}")
    return [name for name in dict.fromkeys([*names, *more]) if name not in fewer]
