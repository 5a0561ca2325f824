"""`unswayed study new`: begin a study, to be asked by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unswayed.cli.options import Doubt, Known, Seed, with_known
from unswayed.cli.study.opening import Name, connected, is_url
from unswayed.errors import InvalidInput

SpaceFile = Annotated[Path, typer.Option("--space", help="TOML: what may be varied.", metavar="SPACE.toml")]
Plays = Annotated[int | None, typer.Option(help="How often to measure in all.", show_default="no limit")]
Parallel = Annotated[
    int | None,
    typer.Option(
        help="Choose play k from the answers up to k - PARALLEL, however late they come.",
        show_default="all answers so far",
    ),
]
Pairs = Annotated[
    bool, typer.Option("--duels", help="Options are compared in pairs: who measures says which of two is better.")
]
Note = Annotated[str | None, typer.Option(help="What is measured, for people.")]


@with_known
def new(
    study: Name,
    space: SpaceFile,
    known: Known,
    doubt: Doubt = None,
    plays: Plays = None,
    parallel: Parallel = None,
    seed: Seed = None,
    note: Note = None,
    duels: Pairs = False,
) -> None:
    """Begin a study that people or scripts ask and tell.

    For example, with a file [bold]space.toml[/bold] that says what may be varied:

    \b
    temperature = {type = "integer", low = 60, high = 90, unit = "°C"}
    solvent = {choices = ["water", "ethanol"]}

    [bold]unswayed study new lab.jsonl --space space.toml --plays 40[/bold]

    Of options that people or models compare in pairs, [bold]options = ["tea", "coffee", "milk"][/bold]:

    [bold]unswayed study new taste.jsonl --space space.toml --duels --lies 5[/bold]

    Then ask for the first plays: [bold]unswayed study ask lab.jsonl 4 --out batch-1.csv[/bold]

    Without --budget, --lies, --liars or --doubt the threat is not known: the answer then says how much tampering of
    each kind would have changed it. The threat and the number of plays can change later; all else is fixed.
    """
    from unswayed.spaces import Duels, Options, read_space
    from unswayed.study.header import LARGEST_RECORD
    from unswayed.study.optimizer import Optimizer

    varied = Duels.of(read_space(space)) if duels else read_space(space)
    settings = {"plays": plays, "parallel": parallel, "seed": seed, "note": note, **known.settings(varied, doubt)}
    if is_url(study):
        about = connected(study).begin(varied, **settings)
        typer.echo(f"{study}: a study over {', '.join(varied.names)}; its seed is {about['settings']['seed']}")
        return
    if Path(study).exists() and (not Path(study).is_file() or Path(study).stat().st_size > 0):
        raise InvalidInput(f"{study} exists already: `unswayed study status {study}` shows it; or give another name")
    if isinstance(varied, Options) and varied.size > LARGEST_RECORD:
        most = f"a journal holds at most {LARGEST_RECORD:,} options, and this space has {varied.size:,}"
        raise InvalidInput(f"{most}: use `unswayed run`, or unswayed.Optimizer, which are given the space each time")
    with Optimizer(varied, journal=study, **settings) as begun:
        typer.echo(f"{study}: a new study over {', '.join(varied.names)}; its seed is {begun.seed}")
