"""`unswayed simulate`: one policy against one attack on one problem, over some trials."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from unswayed.errors import InvalidInput


def command(
    problem: Annotated[
        str, typer.Option(help="f1, robot3d, linear, or FILE.csv with coordinates and the true value last.")
    ] = "f1",
    policy: Annotated[
        str,
        typer.Option(
            help="rgp-pe, gp-ucb, rgp-ucb, linear-pe; certified: influence-ucb, influence-pe; few plays: vigilant-ucb."
        ),
    ] = "rgp-pe",
    attack: Annotated[
        str, typer.Option(help="none, clipping, aggsub, top-3, top-5, flip, or strongest: it knows the posterior.")
    ] = "none",
    budget: Annotated[
        str, typer.Option(help="Total corruption that the policy believes in, in units of the reward; or unknown.")
    ] = "50",
    attack_budget: Annotated[
        float | None, typer.Option(help="What the adversary really has.", show_default="the same")
    ] = None,
    attack_start: Annotated[
        str, typer.Option(help="immediate, or later: once the policy begins to rule arms out.")
    ] = "immediate",
    horizon: Annotated[int, typer.Option(help="Plays in a trial.")] = 50_000,
    trials: Annotated[int, typer.Option(help="Trials; trial k has seed S + k.")] = 1,
    seed: Annotated[int, typer.Option(help="S, the seed of the first trial.")] = 0,
    draw: Annotated[
        int | None,
        typer.Option(help="Which random instance of the problem.", show_default="10 for f1, else 0"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    curves: Annotated[bool, typer.Option(help="With --json: regret at 501 rounds from 0 to T.")] = False,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the regret to FILE (.png, .pdf, .svg).", metavar="FILE")
    ] = None,
    beta: Annotated[
        float | None,
        typer.Option(
            help="beta_h of rgp-pe; for gp-ucb and rgp-ucb the factor before sqrt(ln t).",
            show_default="the paper's",
        ),
    ] = None,
    b: Annotated[float, typer.Option(help="Share of the corruption width that is used.")] = 0.1,
    lam: Annotated[
        float | None,
        typer.Option(help="Regularisation lambda.", show_default="1; the noise variance for influence-*"),
    ] = None,
    eta: Annotated[float, typer.Option(help="Switching parameter of rgp-pe.")] = 2.0,
    psi: Annotated[str, typer.Option(help="Truncation of rgp-pe: a number in [0, 1], or theorem.")] = "0.5",
    delta: Annotated[float, typer.Option(help="Probability of failure, where a guarantee is used.")] = 0.05,
    norm: Annotated[float | None, typer.Option(help="Bound B on the RKHS norm.", show_default="the true norm")] = None,
    width: Annotated[
        str,
        typer.Option(help="experiments (Section 4), or theory: guaranteed, wide, ignores --beta and --b."),
    ] = "experiments",
    error: Annotated[
        str, typer.Option(help="Delta of linear-pe: balanced, 1/sqrt(T), or matern, T^(-nu/(d+nu)).")
    ] = "balanced",
    kernel: Annotated[
        str | None,
        typer.Option(help="se, linear or matern-NU.", show_default="the problem's; se for a table"),
    ] = None,
    lengthscale: Annotated[
        float | None, typer.Option(help="Of the kernel.", show_default="the problem's, else fitted")
    ] = None,
    noise: Annotated[float | None, typer.Option(help="Standard deviation of the noise.", show_default="0.02")] = None,
) -> None:
    """Play a policy against an attack and report its regret.

    For example: [bold]unswayed simulate --policy gp-ucb --attack top-5 --trials 10[/bold]
    """
    from unswayed.core.bounds import theorem_psi
    from unswayed.experiments import registry
    from unswayed.simulation.simulate import simulate

    if trials < 1:
        raise InvalidInput(f"the number of trials must be at least 1, not {trials}")
    if curves and not as_json:
        raise InvalidInput("--curves goes with --json")
    if plot:
        from unswayed.plots import regret

        regret.check_writable(plot)
    if budget == "unknown" and attack_budget is None:
        raise InvalidInput("with --budget unknown, say what the adversary has: --attack-budget")
    believed = None if budget == "unknown" else _number(budget, "the budget")
    share = 0.5 if psi == "theorem" else _number(psi, "psi (a number in [0, 1], or theorem)")
    settings = registry.Settings(beta, b, lam, eta, share, delta, norm, width, error)
    if attack_start not in registry.STARTS:
        raise registry.unknown("attack start", attack_start, registry.STARTS)
    instance = registry.make_problem(problem, draw, noise_std=noise, kernel=kernel, lengthscale=lengthscale)
    about: dict[str, Any] = {"kernel": repr(instance.kernel), "noise_std": instance.noise_std}
    if psi == "theorem" and policy == "rgp-pe":
        about["gamma_T"], about["gamma_T_is"] = registry.gamma_bound(instance, 1.0 if lam is None else lam, horizon)
        settings = replace(settings, psi=theorem_psi(eta, about["gamma_T"]))
    if believed is None:
        about["guard"] = registry.guard(policy, instance, horizon, settings)
    trusted = about["guard"] if believed is None else believed
    learner = registry.make_policy(policy, instance, trusted, horizon, settings)
    adversary = registry.make_attack(attack, instance)
    power = trusted if attack_budget is None else attack_budget

    from unswayed.progress import progress_bar

    with progress_bar(f"{policy} on {instance.name}", trials * horizon) as advance:
        runs = [
            simulate(
                instance,
                learner,
                adversary,
                budget=power,
                horizon=horizon,
                seed=seed + k,
                start=registry.STARTS[attack_start],
                progress=advance,
            )
            for k in range(trials)
        ]
    if plot:
        regret.save(regret.regret_figure({f"{policy} on {problem}, C = {power:g}": {attack: runs}}), plot)
    head = {
        "problem": problem,
        "draw": instance.draw,
        "policy": policy,
        "attack": attack,
        "attack_start": attack_start,
        "budget": "unknown" if believed is None else believed,
        "attack_budget": power,
        "horizon": horizon,
        "seed": seed,
    }
    if as_json:
        records = [run.summary(curve=curves) for run in runs]
        typer.echo(json.dumps({**head, "settings": {**asdict(settings), **about}, "trials": records}))
    else:
        _print_table(head, runs)
        if believed is None:
            promise = (
                "up to there its guarantee holds as if that were known; beyond it nothing is promised, by this or any "
                "other method."
                if policy in registry.CERTIFIED
                else "but it has no guarantee to begin with; influence-ucb and influence-pe have one."
            )
            console = Console()
            console.print(
                f"The budget is unknown, so {policy} is told C = {trusted:.4g} = sqrt(T / gamma_T): {promise}"
            )


def _number(text: str, name: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InvalidInput(f"{name} must be a number, not {text!r}") from None


def _print_table(head: dict[str, Any], runs: list[Any]) -> None:
    title = "{policy} on {problem}, attack {attack} ({attack_start}), C = {attack_budget:g}, T = {horizon:,}"
    table = Table(title=escape(title.format(**head)), title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for name in ("seed", "regret", "rate", "spent", "active", "epochs", "switches", "gap", "outcome"):
        table.add_column(name, justify="left" if name == "outcome" else "right", no_wrap=True)
    for run in runs:
        table.add_row(
            str(run.seed),
            f"{run.regret:,.0f}",
            f"{run.final_regret_rate:.4f}",
            f"{run.corruption_spent:.4g}",
            "-" if run.epochs is None else str(len(run.active)),
            "-" if run.epochs is None else str(run.completed_epochs),
            f"{run.switches:,}",
            f"{run.recommended_gap:.4f}",
            run.outcome,
        )
    console = Console()
    console.print(table)
    if len(runs) > 1:
        import numpy as np

        regret = np.array([run.regret for run in runs])
        console.print(f"regret {regret.mean():,.1f} ± {regret.std():,.1f} over {len(runs)} trials")
    console.print(
        "rate: mean regret of the last 1,000 rounds; gap: from the recommended arm to the best",
        style="dim",
    )
