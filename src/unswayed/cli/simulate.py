"""`unswayed simulate`: one policy against one attack on one problem, over some trials."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from unswayed.cli.output import print_json
from unswayed.errors import InvalidInput
from unswayed.experiments.own import is_own
from unswayed.experiments.registry import POLICIES, STARTS, entry, listed

if TYPE_CHECKING:
    from unswayed.experiments.experiment import Experiment
    from unswayed.simulation.run import Run

OWN = "module:attribute for your own"
TABLE = "FILE.csv with coordinates and the true value last"
BUDGET = "Total corruption that the policy believes in, in units of the reward; or unknown."
LATER = "once the policy begins to rule arms out"
CLIPS = "trimmed-pe trims and rcgp-ucb weighs them; for the others, rewards are clipped, so that lies are a budget."
VOTES = "trimmed-pe outvotes them; the others believe in their --budget."
BETA = "for gp-ucb and rgp-ucb the factor before sqrt(ln t)"
THEORY = "guaranteed and wide, without --beta and --b: theory (Corollary 1), log-det (Corollary 2, exact)"
PRINTED = "gain (Corollary 2 as printed, for rgp-pe with lambda >= 1)"
PLATEAU = "rcgp-ucb and a2-rcgp-ucb: rewards within this distance of the expected count in full."
DRAW, KERNEL = "10 for f1, else 0", "the problem's; se for a table"
LAM = f"1; the noise variance for {', '.join(name for name, entry in POLICIES.items() if entry.noise_lam)}"
FIELDS = (  # of the JSON
    "problem", "draw", "policy", "attack", "attack_start", "budget", "attack_budget",
    "lies", "sources", "liars", "low", "high", "clip", "horizon",
)  # fmt: skip
COLUMNS = {  # of the table
    "seed": "{0.seed}", "regret": "{0.regret:,.0f}", "rate": "{0.final_regret_rate:.4f}",
    "spent": "{0.corruption_spent:.4g}", "active": "{1}", "epochs": "{2}", "switches": "{0.switches:,}",
    "gap": "{0.recommended_gap:.4f}", "outcome": "{0.outcome}",
}  # fmt: skip


def _option(text: str, *names: str, default: str | None = None, metavar: str | None = None) -> Any:
    return typer.Option(*names, help=text, show_default=default or True, metavar=metavar)


def command(
    problem: Annotated[str, _option(f"{listed('problem')}, {TABLE}, or {OWN}.")] = "f1",
    policy: Annotated[str, _option(f"{listed('policy')}, or {OWN}.")] = "rgp-pe",
    attack: Annotated[str, _option(f"{listed('attack')}, or {OWN}.")] = "none",
    budget: Annotated[str | None, _option(BUDGET, default="50")] = None,
    attack_budget: Annotated[float | None, _option("What the adversary really has.", default="the same")] = None,
    lies: Annotated[int | None, _option(f"In place of a budget: this many plays may be anything. {CLIPS}")] = None,
    sources: Annotated[int | None, _option("Sources that make the plays in turn.", default="1")] = None,
    liars: Annotated[int | None, _option(f"How many of the sources lie, for ever. {VOTES}")] = None,
    low: Annotated[float | None, _option("Known lower bound of f, with --lies.", default="-B")] = None,
    high: Annotated[float | None, _option("Known upper bound of f, with --lies.", default="B")] = None,
    clip: Annotated[bool, _option("With --lies: whether rewards are clipped before the policy sees them.")] = True,
    attack_start: Annotated[str, _option(f"{', or '.join(STARTS)}: {LATER}.")] = "immediate",
    horizon: Annotated[int, _option("Plays in a trial.")] = 50_000,
    trials: Annotated[int, _option("Trials; trial k has seed S + k.")] = 1,
    seed: Annotated[int, _option("S, the seed of the first trial.")] = 0,
    draw: Annotated[int | None, _option("Which random instance of the problem.", default=DRAW)] = None,
    as_json: Annotated[bool, _option("Print one JSON object.", "--json")] = False,
    curves: Annotated[bool, _option("With --json: regret at 501 rounds from 0 to T.")] = False,
    plot: Annotated[Path | None, _option("Draw the regret to FILE (.png, .pdf, .svg).", metavar="FILE")] = None,
    beta: Annotated[float | None, _option(f"beta_h of rgp-pe; {BETA}.", default="the paper's")] = None,
    b: Annotated[float, _option("Share of the corruption width that is used.")] = 0.1,
    lam: Annotated[float | None, _option("Regularisation lambda.", default=LAM)] = None,
    eta: Annotated[float, _option("Switching parameter of rgp-pe.")] = 2.0,
    psi: Annotated[str, _option("Truncation of rgp-pe: a number in [0, 1], or theorem.")] = "0.5",
    delta: Annotated[float, _option("Probability of failure, where a guarantee is used.")] = 0.05,
    norm: Annotated[float | None, _option("Bound B on the RKHS norm.", default="the true norm")] = None,
    width: Annotated[str, _option(f"experiments (Section 4); {THEORY}, {PRINTED}.")] = "experiments",
    error: Annotated[str, _option("Delta of linear-pe: balanced, 1/sqrt(T), or matern, T^(-nu/(d+nu)).")] = "balanced",
    alpha: Annotated[float | None, _option("Truncation of linear-pe: a number below 1.", default="1/m_0")] = None,
    plateau: Annotated[float | None, _option(PLATEAU, default="all that honest rewards need")] = None,
    kernel: Annotated[str | None, _option(f"se, linear, matern-NU, or {OWN}.", default=KERNEL)] = None,
    lengthscale: Annotated[float | None, _option("Of the kernel.", default="the problem's, else fitted")] = None,
    noise: Annotated[float | None, _option("Standard deviation of the noise.", default="0.02")] = None,
) -> None:
    """Play a policy against an attack and report its regret.

    For example: [bold]unswayed simulate --policy gp-ucb --attack top-5 --trials 10[/bold]
    """
    from unswayed.experiments.experiment import Experiment
    from unswayed.experiments.settings import PolicySettings

    _prepare(trials, curves and not as_json, plot)
    settings = PolicySettings(beta, b, lam, eta, _psi(psi, policy), delta, norm, width, error, alpha, plateau)
    experiment = Experiment(
        problem, policy, attack, _budget(budget, policy, lies), attack_budget=attack_budget, lies=lies,
        **_sources(sources, liars), low=low, high=high, clip=clip, attack_start=attack_start, draw=draw,
        horizon=horizon, kernel=kernel, lengthscale=lengthscale, noise_std=noise, settings=settings,
    )  # fmt: skip
    _report(experiment, _play(experiment, trials, seed), as_json=as_json, curves=curves, plot=plot)


def _prepare(trials: int, lone_curves: bool, plot: Path | None) -> None:
    """Refuse what can be refused before the work, and make modules of the current folder importable."""
    if trials < 1:
        raise InvalidInput(f"the number of trials must be at least 1, not {trials}")
    if lone_curves:
        raise InvalidInput("--curves needs --json")
    if plot:
        from unswayed.plots.style import check_writable

        check_writable(plot)
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.append(here)


def _budget(text: str | None, policy: str, lies: int | None) -> float | None:
    """The budget as it was written; 50 where none is needed or given."""
    if text is None:
        return None if lies is not None or entry("policy", policy).trims else 50.0
    return None if text == "unknown" else _number(text, "the budget")


def _sources(sources: int | None, liars: int | None) -> dict[str, int]:
    """Both numbers or neither."""
    if (sources is None) != (liars is None):
        raise InvalidInput("--sources and --liars go together: how many sources there are, and how many of them lie")
    return {} if sources is None or liars is None else {"sources": sources, "liars": liars}


def _number(text: str, name: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InvalidInput(f"{name} must be a number, not {text!r}") from None


def _psi(text: str, policy: str) -> float | Literal["theorem"]:
    """Of our policies, psi is a setting of rgp-pe alone: for the others the theorem's value is not computed."""
    if text == "theorem":
        return "theorem" if policy == "rgp-pe" or is_own(policy) else 0.5
    return _number(text, "psi (a number in [0, 1], or theorem)")


def _play(experiment: Experiment, trials: int, seed: int) -> list[Run]:
    from unswayed.progress import progress_bar

    with progress_bar(f"{experiment.policy} on {experiment.instance.name}", trials * experiment.horizon) as advance:
        return [experiment.run(seed + k, advance) for k in range(trials)]


def _report(experiment: Experiment, runs: list[Run], *, as_json: bool, curves: bool, plot: Path | None) -> None:
    """Print the runs of an experiment, as one JSON object or as a table, and draw them."""
    if plot:
        from unswayed.plots.regret import regret_figure
        from unswayed.plots.style import save

        title = f"{experiment.policy} on {experiment.problem}, {_threat(experiment)}"
        save(regret_figure({title: {experiment.attack: runs}}), plot)
    if as_json:
        trials = [run.summary(curve=curves) for run in runs]
        print_json({**_head(experiment, runs[0].seed), "settings": _settings(experiment), "trials": trials})
        return
    _print_table(experiment, runs)
    if experiment.trims and experiment.liars and 2 * (experiment.liars + (experiment.lies or 0)) >= experiment.sources:
        Console().print("With this many liars among the sources no arm can be ruled out: all are kept.")
    elif experiment.lies is not None and not experiment.trims:
        low, high = experiment.honest.ends
        clipped = f"clipped to [{low:.4g}, {high:.4g}]" if experiment.clipped else "not clipped"
        told = f"is told C = {experiment.believed:.4g}"
        if entry("policy", experiment.policy).weighs:
            told = "weighs them by itself"
        Console().print(escape(f"Rewards are {clipped}; {experiment.policy} {told}."))
    elif experiment.guarded:
        _print_guard(experiment)


def _threat(experiment: Experiment) -> str:
    return experiment.threat if experiment.power is None else f"C = {experiment.power:g}"


def _head(experiment: Experiment, seed: int) -> dict[str, Any]:
    used = experiment.identity(seed)
    if experiment.guarded:
        used["budget"] = "unknown"
    return {name: used[name] for name in (*FIELDS, "seed")}


def _settings(experiment: Experiment) -> dict[str, Any]:
    """The settings, with the kernel, the noise, and the numbers that psi and an unknown budget stand for."""
    from unswayed.core.theory.bounds import theorem_psi
    from unswayed.experiments.registry import gamma_bound

    problem, settings = experiment.instance, experiment.settings
    used = {**asdict(settings), "kernel": repr(problem.kernel), "noise_std": problem.noise_std}
    if settings.psi == "theorem" or settings.width == "gain":
        gamma, name = gamma_bound(problem, settings.regularisation(), experiment.horizon)
        used |= {"gamma_T": gamma, "gamma_T_is": name}
        if settings.psi == "theorem":
            used["psi"] = theorem_psi(settings.eta, gamma)
    if experiment.guarded:
        used["guard"] = experiment.believed
    if experiment.clipped:
        used["clipped_to"] = experiment.honest.ends
    return used


def _print_table(experiment: Experiment, runs: list[Run]) -> None:
    title = "{policy} on {problem}, attack {attack} ({attack_start}), {threat}, T = {horizon:,}"
    heading = escape(title.format(**_head(experiment, runs[0].seed), threat=_threat(experiment)))
    table = Table(title=heading, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for name in COLUMNS:
        table.add_column(name, justify="left" if name == "outcome" else "right", no_wrap=True)
    for run in runs:
        phased = ("-", "-") if run.epochs is None else (len(run.active), run.completed_epochs)
        table.add_row(*(text.format(run, *phased) for text in COLUMNS.values()))
    console = Console()
    console.print(table)
    if len(runs) > 1:
        regrets = [run.regret for run in runs]
        console.print(f"regret {fmean(regrets):,.1f} ± {pstdev(regrets):,.1f} over {len(runs)} trials")
    console.print("rate: mean regret of the last 1,000 rounds; gap: from the recommended arm to the best", style="dim")


def _print_guard(experiment: Experiment) -> None:
    """What the policy was told in place of an unknown budget, and what that is worth."""
    from unswayed.experiments.registry import entry

    promise = "but no guarantee of it is known to us; influence-ucb and influence-pe have one."
    if entry("policy", experiment.policy).certified:
        promise = "up to there its guarantee holds as if that were known; "
        promise += "beyond it nothing is promised, by this or any other method."
    told = f"{experiment.policy} is told C = {experiment.believed:.4g} = sqrt(T / gamma_T)"
    Console().print(escape(f"The budget is unknown, so {told}: {promise}"))
