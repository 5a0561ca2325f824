"""`unswayed audit`: can I trust this winner?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unswayed.cli.options import (
    Budget,
    DecimalMark,
    Delta,
    High,
    Json,
    KernelName,
    Lengthscale,
    LevelText,
    Liars,
    Lies,
    Low,
    Minimize,
    Noise,
    Norm,
    Scale,
    kernel_of,
    level_of,
    threat_of,
)
from unswayed.errors import InvalidInput, SystemFault

if TYPE_CHECKING:
    from unswayed.audits.labels.audit import LabelAudit
    from unswayed.audits.result import Audit
    from unswayed.cli.audit_columns import Columns


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
Page = Annotated[Path | None, typer.Option("--html", help="Write a page with plots.", metavar="FILE")]


def command(
    file: File,
    objective: Objective = None,
    parameters: Parameters = None,
    option: Option = None,
    source: SourceColumn = None,
    noise_column: NoiseColumn = None,
    successes: Successes = None,
    trials: Trials = None,
    decimal: DecimalMark = None,
    low: Low = None,
    high: High = None,
    minimize: Minimize = False,
    kernel: KernelName = None,
    lengthscale: Lengthscale = None,
    noise: Noise = None,
    scale: Scale = None,
    level: LevelText = None,
    budget: Budget = None,
    lies: Lies = 0,
    liars: Liars = 0,
    norm: Norm = None,
    delta: Delta = 0.05,
    as_json: Json = False,
    page: Page = None,
) -> None:
    """How much tampering with these measurements would have overturned the result, and where?

    For example: [bold]unswayed audit results.csv --objective accuracy --html audit.html[/bold]

    Options by label: [bold]unswayed audit daily.csv --option variant --successes buyers --trials visitors[/bold]
    """
    from unswayed.cli.audit_columns import read_columns
    from unswayed.cli.output import print_json, say

    named = {"objective": objective, "parameters": parameters, "option": option, "source": source}
    data = read_columns(file, **named, noise=noise_column, successes=successes, trials=trials, decimal=decimal)
    if page is not None:
        _check_page(page, file)
    settings: dict[str, Any] = {"threat": threat_of(budget, lies, liars, low, high), "minimize": minimize}
    settings |= {"delta": delta, "noise_std": noise, "low": low, "high": high}
    model = {"kernel": kernel, "lengthscale": lengthscale, "scale": scale, "level": level, "norm": norm}
    found = _by_parameters(data, settings, model) if data.options is None else _by_label(data, settings, model)
    for note in data.notes:
        say(note)
    if page is not None:
        _write_page(found, page, str(file))
    if as_json:
        print_json(found.to_dict())
    else:
        typer.echo(str(found))


def _by_label(data: Columns, settings: dict[str, Any], model: dict[str, Any]) -> LabelAudit:
    from unswayed.audits.labels.audit import audit_labels

    for name, value in model.items():
        if value is not None:
            raise InvalidInput(f"--{name} is for parameters that are numbers: options by label have no model")
    if data.noise is not None:
        settings["noise_std"] = data.noise
    with data.errors():
        return audit_labels(
            data.options or (), data.y, trials=data.trials, sources=data.sources, lines=data.lines, **settings
        )


def _by_parameters(data: Columns, settings: dict[str, Any], model: dict[str, Any]) -> Audit:
    from unswayed.audits.audit import audit_points

    if data.sources is not None:
        settings["sources"] = data.sources
    if data.noise is not None:
        settings["noise_stds"] = data.noise
    settings |= {"kernel": kernel_of(model["kernel"], model["lengthscale"], data.x), "level": level_of(model["level"])}
    settings |= {"output_scale": model["scale"], "norm_bound": model["norm"]}
    with data.errors():
        return audit_points(data.x, data.y, names=data.names, lines=data.lines, **settings)


def _write_page(found: Audit | LabelAudit, page: Path, source: str) -> None:
    from unswayed.audits.labels.audit import LabelAudit
    from unswayed.storage import write_atomically

    if isinstance(found, LabelAudit):
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
