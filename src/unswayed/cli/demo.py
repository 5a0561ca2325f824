"""`unswayed demo`: the paper in one picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

POLICIES = ("gp-ucb", "rgp-ucb", "rgp-pe")
ATTACKS = {"none": "honest", "top-5": "Top-5, C = 50"}
TRIALS, HORIZON, BUDGET = 5, 50_000, 50.0


def command(
    plot: Annotated[Path, typer.Option(help="Where to draw the picture (.png, .pdf, .svg).")] = Path(
        "unswayed-demo.png"
    ),
) -> None:
    """GP-UCB, RGP-UCB and RGP-PE on the paper's synthetic function, honest and attacked: a few seconds."""
    from unswayed.experiments import registry
    from unswayed.plots import regret
    from unswayed.problems import f1
    from unswayed.progress import progress_bar
    from unswayed.simulation.simulate import simulate

    regret.check_writable(plot)
    problem = f1()
    panels: dict[str, dict[str, Any]] = {title: {} for title in ATTACKS.values()}
    with progress_bar("demo", TRIALS * HORIZON * len(POLICIES) * len(ATTACKS)) as advance:
        for attack, title in ATTACKS.items():
            for policy in POLICIES:
                learner = registry.make_policy(policy, problem, BUDGET, HORIZON)
                adversary = registry.make_attack(attack, problem)
                panels[title][policy] = [
                    simulate(problem, learner, adversary, budget=BUDGET, horizon=HORIZON, seed=k, progress=advance)
                    for k in range(TRIALS)
                ]
    regret.save(regret.regret_figure(panels), plot)
    _print(panels)
    Console().print(f"picture: {plot}")


def _print(panels: dict[str, dict[str, Any]]) -> None:
    import numpy as np

    table = Table(title=f"f1, 100 arms, T = {HORIZON:,}, {TRIALS} trials: regret (mean ± sd)", title_justify="left")
    table.add_column("policy")
    for title in panels:
        table.add_column(title, justify="right")
        table.add_column("outcome")
    for policy in POLICIES:
        cells = []
        for groups in panels.values():
            runs = groups[policy]
            totals = np.array([run.regret for run in runs])
            outcomes = sorted({run.outcome for run in runs})
            cells += [f"{totals.mean():,.0f} ± {totals.std():,.0f}", " / ".join(outcomes)]
        table.add_row(policy, *cells)
    Console().print(table)
