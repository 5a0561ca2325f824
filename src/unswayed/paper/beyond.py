"""What the paper does not run: Appendix E, regret against C and T, sensitivity, and other draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from unswayed.experiments.experiment import Experiment
from unswayed.experiments.instances import instance
from unswayed.experiments.registry import PAPER_ATTACKS, gamma_bound
from unswayed.experiments.settings import PolicySettings
from unswayed.paper.figures import lines_against
from unswayed.paper.grid import Results
from unswayed.plots.style import label
from unswayed.types import FloatArray

PROBLEMS = ("f1", "robot3d")
POLICIES = ("gp-ucb", "rgp-ucb", "rgp-pe", "linear-pe")
TRIALS = 3
BUDGETS = (0.0, 25.0, 50.0, 100.0, 200.0, 400.0)
HORIZONS = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
MOVED: dict[str, Callable[[float], PolicySettings]] = {
    "b": lambda value: PolicySettings(b=value),
    "psi": lambda value: PolicySettings(psi=value),
    "eta": lambda value: PolicySettings(eta=value),
}
SWEPT = {"b": (0.0, 0.03, 0.1, 0.3, 1.0), "psi": (0.0, 0.1, 0.25, 0.5, 1.0), "eta": (1.2, 1.5, 2.0, 4.0, 8.0)}


@dataclass(frozen=True)
class Table:
    """A small table of a report: a title, a sentence that says how to read it, a head and rows of cells."""

    title: str
    text: str
    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def appendix_e(problem: str, attack: str, horizon: int) -> Experiment:
    """The reduction to linear bandits."""
    return Experiment(problem, "linear-pe", attack, 50.0, horizon=horizon)


def against_budget(problem: str, policy: str, budget: float, horizon: int) -> Experiment:
    """Top-5 with a budget that the policy knows."""
    return Experiment(problem, policy, "top-5", budget, horizon=horizon)


def against_horizon(problem: str, policy: str, attack: str, horizon: int) -> Experiment:
    """C = 50, with and without attack."""
    return Experiment(problem, policy, attack, 50.0, horizon=horizon)


def sensitivity(problem: str, attack: str, parameter: str, value: float, horizon: int) -> Experiment:
    """RGP-PE with one parameter moved away from Section 4's."""
    return Experiment(problem, "rgp-pe", attack, 50.0, horizon=horizon, settings=MOVED[parameter](value))


def experiments(horizon: int) -> list[Experiment]:
    """Everything that the sections below need."""
    wanted = [appendix_e(p, a, horizon) for p in PROBLEMS for a in PAPER_ATTACKS]
    wanted += [against_budget(p, policy, C, horizon) for p in PROBLEMS for policy in POLICIES for C in BUDGETS]
    wanted += [
        against_horizon(p, policy, a, T)
        for p in PROBLEMS
        for policy in POLICIES
        for a in ("none", "top-5")
        for T in HORIZONS
    ]
    wanted += [
        sensitivity(p, a, parameter, value, horizon)
        for p in PROBLEMS
        for a in ("none", "top-5")
        for parameter, values in SWEPT.items()
        for value in values
    ]
    return wanted


def _regret(results: Results, wanted: list[Experiment]) -> FloatArray:
    return np.array([results.column(experiment, "regret", TRIALS) for experiment in wanted])


def spread(values: FloatArray) -> str:
    """Mean and standard deviation."""
    return f"{values.mean():,.0f} ± {values.std():,.0f}"


def appendix_e_table(results: Results) -> Table:
    """Regret and arms left, next to the other policies."""
    rows = []
    for problem in PROBLEMS:
        for attack in PAPER_ATTACKS:
            trials = results.trials(appendix_e(problem, attack, results.scale.horizon), TRIALS)
            rows.append(
                (
                    label(problem),
                    label(attack),
                    spread(np.array([row["regret"] for row in trials])),
                    str(sorted({row["active_arms"] for row in trials}))[1:-1],
                    str(sorted({row["epochs"] for row in trials}))[1:-1],
                )
            )
    return Table(
        "The reduction to linear bandits (Appendix E)",
        "The paper derives this method and does not run it. Its constants are large: the first epoch alone takes "
        "m_0 = 4 D (log log D + 18) plays, with D close to 100 on both functions, so within this horizon nothing is "
        "eliminated and the regret is that of playing all arms alike.",
        ("function", "attack", "regret", "arms left", "completed epochs"),
        rows,
    )


def against_budget_section(results: Results) -> tuple[Figure, Table]:
    """Regret against C, with the slope of a straight line beside what the theory says."""
    panels, rows, T = {}, [], results.scale.horizon
    for problem in PROBLEMS:
        made = instance(problem)
        gamma, _ = gamma_bound(made, 1.0, T)
        theory = {
            "gp-ucb": "none",
            "rgp-ucb": f"sqrt(T gamma) = {np.sqrt(T * gamma):,.0f}",
            "rgp-pe": f"gamma^1.5 = {gamma**1.5:,.0f}",
            "linear-pe": f"D^1.5 = {made.n_arms**1.5:,.0f} (D <= N)",
        }
        lines = {}
        for policy in POLICIES:
            regret = _regret(results, [against_budget(problem, policy, C, T) for C in BUDGETS])
            lines[policy] = (BUDGETS, regret)
            slope = np.polyfit(BUDGETS, regret.mean(axis=1), 1)[0]
            cells = tuple(spread(values) for values in regret)
            rows.append((label(problem), label(policy), *cells, f"{slope:,.1f}", theory[policy]))
        panels[label(problem)] = lines
    table = Table(
        "Regret against the budget C, Top-5 attack",
        "The slope is that of a least-squares line through all budgets; the theory's column is what multiplies C in "
        "its bound, without constants and logarithms (gamma from the convex relaxation). The paper's b = 0.1 takes "
        "a tenth of RGP-UCB's width and far less of RGP-PE's, so the slopes measured are much smaller.",
        ("function", "policy", *(f"C = {C:g}" for C in BUDGETS), "slope", "theory"),
        rows,
    )
    return lines_against(panels, xlabel="budget C"), table


def against_horizon_section(results: Results) -> tuple[Figure, Table]:
    """Regret against T, with the exponent over the last decade."""
    panels, rows = {}, []
    for problem in PROBLEMS:
        for attack in ("none", "top-5"):
            lines = {}
            for policy in POLICIES:
                regret = _regret(results, [against_horizon(problem, policy, attack, T) for T in HORIZONS])
                lines[policy] = (HORIZONS, regret)
                late = slice(-3, None)
                exponent = np.polyfit(np.log(HORIZONS[late]), np.log(regret.mean(axis=1)[late]), 1)[0]
                ends = tuple(spread(regret[i]) for i in (0, 2, 4, 6))
                rows.append(
                    (
                        label(problem),
                        label(attack),
                        label(policy),
                        *ends,
                        f"{abs(exponent) if abs(exponent) < 0.005 else exponent:.2f}",
                    )
                )
            panels[f"{label(problem)}, {label(attack)}"] = lines
    table = Table(
        "Regret against the horizon T, C = 50",
        "The exponent is the slope of log regret against log T over the last decade: 1 is linear regret, the "
        "theory allows 0.5 for policies that have a guarantee, 0 is a policy that has settled.",
        ("function", "attack", "policy", "T = 10^3", "T = 10^4", "T = 10^5", "T = 10^6", "exponent"),
        rows,
    )
    return lines_against(panels, xlabel="horizon T", log=True), table


def sensitivity_table(results: Results) -> Table:
    """RGP-PE when b, psi or eta is another."""
    rows = []
    for problem in PROBLEMS:
        for parameter, values in SWEPT.items():
            for value in values:
                cells = []
                for attack in ("none", "top-5"):
                    moved = sensitivity(problem, attack, parameter, value, results.scale.horizon)
                    trials = results.trials(moved, TRIALS)
                    kept = sum(row["best_arm_kept"] for row in trials)
                    regret = spread(np.array([row["regret"] for row in trials]))
                    cells += [regret, f"{kept} of {len(trials)}"]
                rows.append((label(problem), f"{parameter} = {value:g}", *cells))
    return Table(
        "Sensitivity of RGP-PE to b, psi and eta, C = 50",
        "One parameter moved at a time; Section 4 uses b = 0.1, psi = 0.5 and eta = 2.",
        ("function", "parameter", "regret, no attack", "best arm kept", "regret, Top-5", "best arm kept"),
        rows,
    )
