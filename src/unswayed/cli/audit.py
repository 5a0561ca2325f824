"""`unswayed audit`: can I trust this winner?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from unswayed.core.kernels import Kernel
from unswayed.errors import InvalidInput
from unswayed.types import FloatArray


def command(
    file: Annotated[Path, typer.Argument(help="CSV or Parquet: parameters and an objective, a row a measurement.")],
    objective: Annotated[str | None, typer.Option(help="The column to maximise.", show_default="the last one")] = None,
    parameters: Annotated[
        str | None, typer.Option(help="Columns that make an option, with commas.", show_default="all others")
    ] = None,
    minimize: Annotated[bool, typer.Option("--minimize", help="Smaller values are better.")] = False,
    kernel: Annotated[
        str | None, typer.Option(help="se, linear or matern-NU.", show_default="matern-2.5, fitted")
    ] = None,
    lengthscale: Annotated[
        str | None, typer.Option(help="Of the kernel: one number, or one for each parameter, with commas.")
    ] = None,
    noise: Annotated[
        float | None,
        typer.Option(help="Standard deviation of one measurement.", show_default="from repeats, else fitted"),
    ] = None,
    budget: Annotated[float, typer.Option(help="Total tampering to certify against, in units of the objective.")] = 0.0,
    norm: Annotated[
        float | None, typer.Option(help="Bound B on the RKHS norm.", show_default="twice the estimate's")
    ] = None,
    delta: Annotated[float, typer.Option(help="Probability of failure of the certified sentence.")] = 0.05,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    page: Annotated[Path | None, typer.Option("--html", help="Write a page with plots.", metavar="FILE")] = None,
) -> None:
    """How much tampering with these measurements would have overturned the result, and where?

    For example: [bold]unswayed audit results.csv --objective accuracy --html audit.html[/bold]
    """
    from unswayed.audits.audit import audit
    from unswayed.audits.report import as_record, describe
    from unswayed.storage.tables import read_numbers

    names, numbers = read_numbers(file)
    columns = names or [f"x{i + 1}" for i in range(numbers.shape[1] - 1)] + ["value"]
    if len(columns) < 2:
        raise InvalidInput(f"{file} needs at least two columns: parameters and an objective")
    target = objective or columns[-1]
    chosen = [n.strip() for n in parameters.split(",")] if parameters else [n for n in columns if n != target]
    for name in (target, *chosen):
        if name not in columns:
            raise InvalidInput(f"{file} has no column {name!r}: it has {', '.join(columns)}")
    if target in chosen or len(set(chosen)) < len(chosen):
        raise InvalidInput("a column can be a parameter once, or the objective, not both")
    if page is not None and (not page.parent.is_dir() or page.resolve() == file.resolve()):
        raise InvalidInput(f"cannot write {page}: give another file, in a folder that exists")
    sign = -1.0 if minimize else 1.0
    x = numbers[:, [columns.index(name) for name in chosen]]
    verdict = audit(
        x,
        sign * numbers[:, columns.index(target)],
        kernel=_kernel(kernel, lengthscale, x),
        noise_std=noise,
        budget=budget,
        norm_bound=norm,
        delta=delta,
    )
    if page is not None:
        from unswayed.plots.audit import audit_page
        from unswayed.storage import write_atomically

        write_atomically(page, audit_page(verdict, chosen, str(file), minimized=minimize).encode())
    if as_json:
        typer.echo(json.dumps(as_record(verdict, chosen, minimized=minimize)))
    else:
        typer.echo(describe(verdict, chosen, minimized=minimize))


def _kernel(name: str | None, lengthscale: str | None, x: FloatArray) -> Kernel | None:
    """A kernel as it was named, complete; None if it is to be fitted."""
    from unswayed.core.kernels import named_kernel

    if name is None and lengthscale is None:
        return None
    if lengthscale is None:
        if name != "linear":
            raise InvalidInput("a kernel needs its --lengthscale; leave out both to have them fitted")
        return named_kernel("linear", None, x)
    try:
        lengths = [float(part) for part in lengthscale.split(",")]
    except ValueError:
        raise InvalidInput(f"--lengthscale must be numbers with commas, not {lengthscale!r}") from None
    return named_kernel(name or "matern-2.5", lengths[0] if len(lengths) == 1 else lengths, x)
