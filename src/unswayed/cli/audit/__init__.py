"""`unswayed audit`: can I trust this winner?"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unswayed.cli.options import DecimalMark, Details, Json, Known, Tie, kernel_of, level_of, threat_of, with_known
from unswayed.errors import InvalidInput, SystemFault

if TYPE_CHECKING:
    from unswayed.audits.labels.audit import LabelAudit
    from unswayed.audits.result import Audit
    from unswayed.audits.scores.audit import ScoreAudit
    from unswayed.audits.votes.audit import VoteAudit
    from unswayed.cli.audit.columns import Columns

    AnyAudit = Audit | LabelAudit | VoteAudit | ScoreAudit

Name = str | None
File = Annotated[
    Path,
    typer.Argument(help="CSV, .xlsx, .ods, Parquet or JSON lines: one row for each measurement, or for each count."),
]
Objective = Annotated[str | None, typer.Option(help="The column to maximise.", show_default="the last one")]
Parameters = Annotated[
    str | None, typer.Option(help="Columns of parameters, with commas; text is a category.", show_default="all others")
]
Option = Annotated[str | None, typer.Option(help="The column with the label of the option, such as a variant.")]
SourceColumn = Annotated[str | None, typer.Option("--source", help="The column with who, or when, it was measured.")]
NoiseColumn = Annotated[str | None, typer.Option(help="The column with the standard error of each value.")]
Successes = Annotated[str | None, typer.Option(help="The column with numbers of successes; needs --trials.")]
Trials = Annotated[str | None, typer.Option(help="The column with numbers of trials.")]
Left = Annotated[str | None, typer.Option(help="Votes: the column with the option that was shown first.")]
Right = Annotated[str | None, typer.Option(help="Votes: the column with the other option.")]
WinnerColumn = Annotated[
    str | None, typer.Option("--winner", help="Votes: which was preferred: a name, left, right, 1, 0 or tie.")
]
Voter = Annotated[str | None, typer.Option(help="Votes: the column with who voted.")]
Number = Annotated[str | None, typer.Option(help="Votes: the column with how many votes a row stands for.")]
Wins = Annotated[bool, typer.Option("--wins", help="The file is a table of wins: options in rows and in columns.")]
Item = Annotated[
    str | None,
    typer.Option(help="Scores on items: the column with the question, the task, the patient; needs --option."),
]
Score = Annotated[str | None, typer.Option(help="Scores on items: the column with the score.")]
Group = Annotated[str | None, typer.Option(help="Scores on items: the column with the group of the item.")]
Page = Annotated[Path | None, typer.Option("--html", help="Write a page with plots.", metavar="FILE")]


@with_known
def command(
    file: File,
    objective: Objective = None,
    parameters: Parameters = None,
    option: Option = None,
    source: SourceColumn = None,
    noise_column: NoiseColumn = None,
    successes: Successes = None,
    trials: Trials = None,
    left: Left = None,
    right: Right = None,
    winner: WinnerColumn = None,
    voter: Voter = None,
    number: Number = None,
    wins: Wins = False,
    item: Item = None,
    score: Score = None,
    group: Group = None,
    decimal: DecimalMark = None,
    *,
    known: Known,
    tie: Tie = None,
    details: Details = False,
    as_json: Json = False,
    page: Page = None,
) -> None:
    """How much tampering with these measurements would have overturned the result, and where?

    For example: [bold]unswayed audit results.csv --objective accuracy --html audit.html[/bold]

    Options by label: [bold]unswayed audit daily.csv --option variant --successes buyers --trials visitors[/bold]

    Votes: [bold]unswayed audit votes.csv --left model_a --right model_b --winner winner --voter judge[/bold]

    Scores on items: [bold]unswayed audit scores.csv --item question --option model --score correct[/bold]
    """
    votes = {"left": left, "right": right, "winner": winner, "voter": voter, "number": number}
    items = {"item": item, "score": score, "group": group}
    by = {"objective": objective, "parameters": parameters, "option": option, "source": source}
    table = {"noise-column": noise_column, "successes": successes, "trials": trials}
    if page is not None:
        _check_page(page, file)
    found: tuple[AnyAudit, dict[str, Any]]
    if wins or any(votes.values()):
        found = _by_votes(file, votes, by | table | items, known, tie, decimal, wins=wins), {}
    elif any(items.values()):
        found = _by_items(file, items, by, table, known, tie, decimal), {}
    else:
        found = _by_columns(file, by, table, known, tie, decimal)
    _show(found, page, file, details, as_json=as_json)


def _by_columns(
    file: Path, by: dict[str, Name], table: dict[str, Name], known: Known, tie: float | None, decimal: str | None
) -> tuple[Audit | LabelAudit, dict[str, Any]]:
    """The audit of measurements, and what more its record has."""
    from unswayed.cli.audit.columns import read_columns
    from unswayed.cli.output import say

    roles = {"noise": table["noise-column"], "successes": table["successes"], "trials": table["trials"]}
    data = read_columns(file, **by, **roles, decimal=decimal)
    found = audited(data, known, tie)
    for note in data.notes:
        say(note)
    return found, own_point(found, data)


def _show(
    audit: tuple[AnyAudit, dict[str, Any]], page: Path | None, file: Path, details: bool, *, as_json: bool
) -> None:
    """Write the page, and print the audit, or its record and more."""
    from unswayed.cli.output import print_json

    found, more = audit
    if page is not None:
        _write_page(found, page, str(file))
    if as_json:
        print_json(found.to_dict() | more)
    else:
        typer.echo(found.explain() if details else str(found))


def audited(data: Columns, known: Known, tie: float | None = None) -> Audit | LabelAudit:
    """The audit of a table: of options by label if it has them, else of points."""
    return _by_parameters(data, known, tie) if data.options is None else _by_label(data, known, tie)


def _refuse_beside(what: str, others: dict[str, Any], known: Known, allowed: tuple[str, ...]) -> None:
    """Refuse whatever is not about votes, or about items."""
    beside = [name for name, value in others.items() if value is not None]
    unknown = Known(**{name: getattr(known, name) for name in allowed})
    beside += [one.name for one in fields(Known) if getattr(known, one.name) != getattr(unknown, one.name)]
    if beside:
        raise InvalidInput(f"--{beside[0]} is not about {what}: leave it out")


def _by_votes(
    file: Path,
    votes: dict[str, Name],
    others: dict[str, Name],
    known: Known,
    tie: float | None,
    decimal: str | None,
    *,
    wins: bool,
) -> VoteAudit:
    """The audit of votes."""
    from unswayed.cli.audit.votes import audit_file, audit_wins_file
    from unswayed.cli.output import say

    _refuse_beside("votes", {**others, "tie": tie}, known, ("lies", "liars", "delta"))
    threat = threat_of(None, known.lies, known.liars, None, None)
    if wins:
        if any(votes.values()):
            raise InvalidInput("give --wins, or --left, --right and --winner, not both")
        return audit_wins_file(file, decimal=decimal, threat=threat, delta=known.delta)
    found, notes = audit_file(file, votes, decimal=decimal, threat=threat, delta=known.delta)
    for note in notes:
        say(note)
    return found


def _by_items(
    file: Path,
    items: dict[str, Name],
    by: dict[str, Name],
    table: dict[str, Name],
    known: Known,
    tie: float | None,
    decimal: str | None,
) -> ScoreAudit:
    """The audit of scores on items."""
    from unswayed.cli.audit.scores import audit_file
    from unswayed.cli.output import say

    others = {**table, "objective": by["objective"], "parameters": by["parameters"], "tie": tie}
    _refuse_beside("scores on items", others, known, ("lies", "liars", "low", "high", "delta", "minimize"))
    names = {**items, "option": by["option"], "source": by["source"]}
    found, notes = audit_file(file, names, decimal=decimal, settings=_settings(known))
    for note in notes:
        say(note)
    return found


def _settings(known: Known) -> dict[str, Any]:
    """What both kinds of audits know."""
    threat = threat_of(known.budget, known.lies, known.liars, known.low, known.high)
    return {"threat": threat, **{name: getattr(known, name) for name in ("minimize", "delta", "low", "high")}}


def _by_label(data: Columns, known: Known, tie: float | None) -> LabelAudit:
    from unswayed.audits.labels.audit import audit_labels

    for name in ("kernel", "lengthscale", "scale", "level", "norm"):
        if getattr(known, name) is not None:
            raise InvalidInput(f"--{name} is for parameters that are numbers: options by label have no model")
    if tie is not None:
        raise InvalidInput("--tie is for parameters that are numbers: options by label have an interval of the lead")
    noise = known.noise if data.noise is None else data.noise
    about: dict[str, Any] = {"trials": data.trials, "sources": data.sources, "lines": data.lines, "noise_std": noise}
    with data.errors():
        return audit_labels(data.options or (), data.y, **about, **_settings(known))


def _by_parameters(data: Columns, known: Known, tie: float | None) -> Audit:
    from unswayed.audits.audit import audit_points

    kernel, level = kernel_of(known.kernel, known.lengthscale, data.x), level_of(known.level)
    model: dict[str, Any] = {"kernel": kernel, "level": level, "output_scale": known.scale, "norm_bound": known.norm}
    about: dict[str, Any] = {"sources": data.sources, "noise_stds": data.noise, "noise_std": known.noise, "tie": tie}
    about |= {"names": data.names, "lines": data.lines, "describe": data.describe}
    with data.errors():
        return audit_points(data.x, data.y, **about, **model, **_settings(known))


def own_point(found: Audit | LabelAudit, data: Columns) -> dict[str, Any]:
    """What scripts are told about parameters in the columns of the file, where categories became numbers."""
    from unswayed.audits.result import Audit

    if not data.own or not isinstance(found, Audit):
        return {}
    return {"parameters": list(data.own), "winner_point": data.point(found.points[found.winner])}


def _write_page(found: AnyAudit, page: Path, source: str) -> None:
    from unswayed.audits.labels.audit import LabelAudit
    from unswayed.audits.scores.audit import ScoreAudit
    from unswayed.audits.votes.audit import VoteAudit
    from unswayed.storage import write_atomically

    if isinstance(found, VoteAudit):
        from unswayed.plots.votes import votes_page

        text = votes_page(found, source)
    elif isinstance(found, ScoreAudit):
        from unswayed.plots.scores import scores_page

        text = scores_page(found, source)
    elif isinstance(found, LabelAudit):
        from unswayed.plots.labels import labels_page

        text = labels_page(found, source)
    else:
        from unswayed.plots.audit import audit_page

        text = audit_page(found, source)
    write_atomically(page, text.encode())


def _check_page(page: Path, file: Path) -> None:
    """Refuse a page that cannot be written, before the work is done."""
    try:
        fits = page.parent.is_dir() and page.resolve() != file.resolve() and (not page.exists() or page.is_file())
    except OSError as error:
        raise SystemFault(f"cannot write {str(page)[:100]}: {error.strerror}") from None
    if not fits:
        raise InvalidInput(f"cannot write {page}: give another file, in a folder that exists")
