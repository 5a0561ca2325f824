"""`unswayed audit`: can I trust this winner?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unswayed.cli.options import Delta, Json, Minimize, Noise, Norm
from unswayed.errors import InvalidInput, SystemFault

if TYPE_CHECKING:
    from unswayed.core.kernels import Kernel
    from unswayed.types import FloatArray


File = Annotated[
    Path, typer.Argument(help="CSV or Parquet: parameters and an objective, one row for each measurement.")
]
Objective = Annotated[str | None, typer.Option(help="The column to maximise.", show_default="the last one")]
Parameters = Annotated[str | None, typer.Option(help="Columns of an option, with commas.", show_default="all others")]
KernelName = Annotated[str | None, typer.Option(help="se, linear or matern-NU.", show_default="matern-2.5, fitted")]
Lengthscale = Annotated[str | None, typer.Option(help="One number, or one for each parameter, with commas.")]
Budget = Annotated[float, typer.Option(help="Total tampering to certify against, in units of the objective.")]
Page = Annotated[Path | None, typer.Option("--html", help="Write a page with plots.", metavar="FILE")]


def command(
    file: File,
    objective: Objective = None,
    parameters: Parameters = None,
    minimize: Minimize = False,
    kernel: KernelName = None,
    lengthscale: Lengthscale = None,
    noise: Noise = None,
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

    names, x, y = _columns(file, objective, parameters)
    if page is not None:
        _check_page(page, file)
    settings: dict[str, Any] = {"minimize": minimize, "threat": budget, "noise_std": noise, "norm_bound": norm}
    found = audit(x, y, names=names, kernel=_kernel(kernel, lengthscale, x), delta=delta, **settings)
    if page is not None:
        from unswayed.plots.audit import audit_page
        from unswayed.storage import write_atomically

        write_atomically(page, audit_page(found, str(file)).encode())
    if as_json:
        print_json(found.to_dict())
    else:
        typer.echo(str(found))


def _columns(file: Path, objective: str | None, parameters: str | None) -> tuple[list[str], FloatArray, FloatArray]:
    """The names of the parameters, their values, and the values of the objective."""
    from unswayed.storage.tables import read_numbers
    from unswayed.text import printable

    names, numbers = read_numbers(file)
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
    return chosen, numbers[:, [columns.index(name) for name in chosen]], numbers[:, columns.index(target)]


def _check_page(page: Path, file: Path) -> None:
    """Refuse a page that cannot be written, before the work is done."""
    try:
        fits = page.parent.is_dir() and page.resolve() != file.resolve() and (not page.exists() or page.is_file())
    except OSError as error:
        raise SystemFault(f"cannot write {str(page)[:100]}: {error.strerror}") from None
    if not fits:
        raise InvalidInput(f"cannot write {page}: give another file, in a folder that exists")


def _kernel(name: str | None, lengthscale: str | None, x: FloatArray) -> Kernel | None:
    """A kernel as it was named; None if it is to be fitted."""
    from unswayed.core.kernels import named_kernel

    if lengthscale is None:
        if name not in (None, "linear"):
            raise InvalidInput("a kernel needs its --lengthscale; leave out both to have them fitted")
        return named_kernel(name, None, x) if name else None
    try:
        lengths = [float(part) for part in lengthscale.split(",")]
    except ValueError:
        raise InvalidInput(f"--lengthscale must be numbers with commas, not {lengthscale!r}") from None
    return named_kernel(name or "matern-2.5", lengths[0] if len(lengths) == 1 else lengths, x)
