"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

Minimize = Annotated[bool, typer.Option("--minimize", help="Smaller values are better.")]
Noise = Annotated[float | None, typer.Option(help="Standard deviation of one measurement.", show_default="estimated")]
Norm = Annotated[float | None, typer.Option(help="Bound B on the RKHS norm.", show_default="twice the estimate's")]
Delta = Annotated[float, typer.Option(help="Probability that the certified sentence fails.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
