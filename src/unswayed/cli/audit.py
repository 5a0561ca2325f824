"""`unswayed audit`: can I trust this winner?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unswayed.cli.options import (
    Delta,
    Json,
    KernelName,
    Lengthscale,
    LevelText,
    Minimize,
    Noise,
    Norm,
    Scale,
    kernel_of,
    level_of,
)
from unswayed.errors import InvalidInput, SystemFault

if TYPE_CHECKING:
    from unswayed.types import FloatArray


File = Annotated[
    Path, typer.Argument(help="CSV or Parquet: parameters and an objective, one row for each measurement.")
]
Objective = Annotated[str | None, typer.Option(help="The column to maximise.", show_default="the last one")]
Parameters = Annotated[str | None, typer.Option(help="Columns of an option, with commas.", show_default="all others")]
Budget = Annotated[float, typer.Option(help="Total tampering to be safe against, in units of the objective.")]
Page = Annotated[Path | None, typer.Option("--html", help="Write a page with plots.", metavar="FILE")]


def command(
    file: File,
    objective: Objective = None,
    parameters: Parameters = None,
    minimize: Minimize = False,
    kernel: KernelName = None,
    lengthscale: Lengthscale = None,
    noise: Noise = None,
    scale: Scale = None,
    level: LevelText = None,
    budget: Budget = 0.0,
    norm: Norm = None,
    delta: Delta = 0.05,
    as_json: Json = False,
    page: Page = None,
) -> None:
    """How much tampering with these measurements would have overturned the result, and where?

    For example: [bold]unswayed audit results.csv --objective accuracy --html audit.html[/bold]
    """
    from unswayed.audits.audit import audit
    from unswayed.cli.output import print_json

    names, x, y, lines = _columns(file, objective, parameters)
    if page is not None:
        _check_page(page, file)
    model: dict[str, Any] = {"kernel": kernel_of(kernel, lengthscale, x), "noise_std": noise, "output_scale": scale}
    model |= {"level": level_of(level), "norm_bound": norm, "delta": delta}
    found = audit(x, y, names=names, minimize=minimize, threat=budget, lines=lines, **model)
    if page is not None:
        from unswayed.plots.audit import audit_page
        from unswayed.storage import write_atomically

        write_atomically(page, audit_page(found, str(file)).encode())
    if as_json:
        print_json(found.to_dict())
    else:
        typer.echo(str(found))


def _columns(
    file: Path, objective: str | None, parameters: str | None
) -> tuple[list[str], FloatArray, FloatArray, list[int] | None]:
    """The names of the parameters, their values, the values of the objective, and the line of each row."""
    from unswayed.storage.tables import read_numbers
    from unswayed.text import printable

    names, numbers, lines = read_numbers(file)
    columns = names or [f"x{i + 1}" for i in range(numbers.shape[1] - 1)] + ["value"]
    if len(columns) < 2:
        raise InvalidInput(f"{file} needs at least two columns: parameters and an objective")
    target = objective or columns[-1]
    chosen = [n.strip() for n in parameters.split(",")] if parameters else [n for n in columns if n != target]
    for name in (target, *chosen):
        if name not in columns:
            known = ", ".join(printable(column, limit=200) for column in columns)
            raise InvalidInput(f"{file} has no column {name!r}: it has {known}")
    if target in chosen or len(set(chosen)) < len(chosen):
        raise InvalidInput("a column can be a parameter once, or the objective, not both")
    return chosen, numbers[:, [columns.index(name) for name in chosen]], numbers[:, columns.index(target)], lines


def _check_page(page: Path, file: Path) -> None:
    """Refuse a page that cannot be written, before the work is done."""
    try:
        fits = page.parent.is_dir() and page.resolve() != file.resolve() and (not page.exists() or page.is_file())
    except OSError as error:
        raise SystemFault(f"cannot write {str(page)[:100]}: {error.strerror}") from None
    if not fits:
        raise InvalidInput(f"cannot write {page}: give another file, in a folder that exists")
