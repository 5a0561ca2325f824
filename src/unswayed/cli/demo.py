"""`unswayed demo`: the paper in one picture."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

POLICIES = ("gp-ucb", "rgp-ucb", "rgp-pe")
ATTACKS = {"none": "honest", "top-5": "Top-5, C = 50"}
TRIALS, HORIZON, BUDGET = 5, 50_000, 50.0
Panels = dict[str, dict[str, list[Any]]]


def command(
    plot: Annotated[Path, typer.Option(help="Where to draw the picture (.png, .pdf, .svg).")] = Path(
        "unswayed-demo.png"
    ),
) -> None:
    """GP-UCB, RGP-UCB and RGP-PE on the paper's synthetic function, honest and attacked: a few seconds."""
    from unswayed.plots.regret import regret_figure
    from unswayed.plots.style import check_writable, save

    check_writable(plot)
    panels = _play()
    save(regret_figure(panels), plot)
    _print(panels)
    Console().print(f"picture: {plot}")


def _play() -> Panels:
    """The runs by title and policy."""
    from unswayed.experiments.experiment import Experiment
    from unswayed.progress import progress_bar

    experiment = partial(Experiment, "f1", budget=BUDGET, horizon=HORIZON)
    with progress_bar("demo", TRIALS * HORIZON * len(POLICIES) * len(ATTACKS)) as advance:
        return {
            title: {
                policy: [experiment(policy, attack).run(seed, advance) for seed in range(TRIALS)] for policy in POLICIES
            }
            for attack, title in ATTACKS.items()
        }


def _print(panels: Panels) -> None:
    import numpy as np

    table = Table(title=f"f1, 100 arms, T = {HORIZON:,}, {TRIALS} trials: regret (mean ± sd)", title_justify="left")
    table.add_column("policy")
    for title in panels:
        table.add_column(title, justify="right")
        table.add_column("outcome")
    for policy in POLICIES:
        cells = []
        for runs in (groups[policy] for groups in panels.values()):
            totals = np.array([run.regret for run in runs])
            cells += [f"{totals.mean():,.0f} ± {totals.std():,.0f}", " / ".join(sorted({run.outcome for run in runs}))]
        table.add_row(policy, *cells)
    Console().print(table)
