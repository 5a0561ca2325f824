"""The certified policies in the paper's experiments: every panel, the price of a guarantee, unknown budgets."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from unswayed.experiments.experiment import Experiment
from unswayed.experiments.registry import CERTIFIED, PAPER_ATTACKS
from unswayed.experiments.settings import PolicySettings
from unswayed.paper.beyond import TRIALS, Table, spread
from unswayed.paper.figures import lines_with_bars
from unswayed.paper.grid import FIGURES, Results, line
from unswayed.plots.style import label

THEORY = PolicySettings(width="theory", psi="theorem")
DRAWS = (10, 11, 12, 13, 14)
CONTENDERS = {
    "influence-UCB": ("influence-ucb", PolicySettings()),
    "influence-PE": ("influence-pe", PolicySettings()),
    "RGP-UCB, theory": ("rgp-ucb", THEORY),
    "RGP-PE, theory": ("rgp-pe", THEORY),
    "RGP-UCB, b = 0.1": ("rgp-ucb", PolicySettings()),
    "RGP-PE, b = 0.1": ("rgp-pe", PolicySettings()),
}
TRUE_BUDGETS = (0.0, 10.0, 50.0, 200.0)


def priced(name: str, draw: int, budget: float, attack: str, horizon: int) -> Experiment:
    """A policy of the table of prices, on one draw of f1."""
    policy, settings = CONTENDERS[name]
    return Experiment("f1", policy, attack, budget, draw=draw, horizon=horizon, settings=settings)


def guarded(policy: str, horizon: int, true_budget: float, *, known: bool) -> Experiment:
    """Top-5 on f1 with a budget that the policy knows, or guards against."""
    budget = true_budget if known else None
    return Experiment("f1", policy, "top-5", budget, attack_budget=true_budget, horizon=horizon)


def experiments(horizon: int) -> list[Experiment]:
    """Everything that the sections below need."""
    wanted = [
        line(figure, policy, attack, start, horizon=horizon)
        for figure in FIGURES
        for policy in CERTIFIED
        for attack in PAPER_ATTACKS
        for start in ("immediate", "later")
    ]
    wanted += [
        priced(name, draw, budget, attack, horizon)
        for name in CONTENDERS
        for draw in DRAWS
        for budget in (50.0, 100.0)
        for attack in PAPER_ATTACKS
    ]
    wanted += [
        guarded(policy, horizon, C, known=known)
        for policy in CERTIFIED
        for C in TRUE_BUDGETS
        for known in (True, False)
    ]
    return wanted


def panels(results: Results, figure: int) -> Figure:
    """The certified policies under the attacks of one figure, immediate above, later below."""
    drawn, horizon = Figure(figsize=(8.4, 5.6), layout="constrained"), results.scale.horizon
    for row, start in zip(drawn.subplots(2, 2), ("immediate", "later"), strict=True):
        for axes, policy in zip(row, CERTIFIED, strict=True):
            lines = {
                attack: results.curves(line(figure, policy, attack, start, horizon=horizon), TRIALS)
                for attack in PAPER_ATTACKS
            }
            lines_with_bars(axes, lines, horizon)
            axes.set_ylim(bottom=0)
            axes.set_title(f"{label(policy)}{', later attack' if start == 'later' else ''}", fontsize=11)
        row[0].set_ylabel("cumulative regret")
    drawn.axes[0].legend(frameon=False, fontsize=8)
    return drawn


def price_table(results: Results) -> Table:
    """Regret of every contender, without attack and under the worst of the five, against (N - 1) C."""
    rows, T = [], results.scale.horizon
    for budget in (50.0, 100.0):
        unit = 99 * budget
        for name in CONTENDERS:
            by_attack = {
                attack: np.concatenate(
                    [results.column(priced(name, draw, budget, attack, T), "regret", TRIALS) for draw in DRAWS]
                )
                for attack in PAPER_ATTACKS
            }
            worst = max(by_attack, key=lambda a: by_attack[a].max())
            largest = by_attack[worst].max()
            guarantee = "no" if "0.1" in name else "yes"
            rows.append(
                (
                    f"{budget:g}",
                    name,
                    guarantee,
                    spread(by_attack["none"]),
                    f"{spread(by_attack[worst])} ({label(worst)})",
                    f"{largest:,.0f}",
                    f"{largest / unit:.2f}",
                )
            )
    return Table(
        "The price of a guarantee",
        f"f1, draws {DRAWS[0]} to {DRAWS[-1]}, {TRIALS} trials each, T = {T:,}, true B, "
        "delta = 0.05 and the full C. A rule that withstands every adversary of budget C, for every function of a norm "
        "a little above that of f, pays almost (N - 1) C = 99 C on f1 even when there is no attack. The last column is "
        "the largest regret of all runs over 99 C.",
        ("C", "policy", "guarantee", "no attack", "worst attack", "largest", "largest / 99 C"),
        rows,
    )


def guard_table(results: Results) -> Table:
    """With the budget known, and with the guard sqrt(T / gamma_T)."""
    rows = []
    for policy in CERTIFIED:
        for C in TRUE_BUDGETS:
            known, blind = (guarded(policy, results.scale.horizon, C, known=k) for k in (True, False))
            trials = results.trials(blind, TRIALS)
            kept = sum(row["recommended_gap"] == 0 for row in trials)
            rows.append(
                (
                    label(policy),
                    f"{C:g}",
                    f"{blind.believed:.3g}",
                    spread(results.column(known, "regret", TRIALS)),
                    spread(results.column(blind, "regret", TRIALS)),
                    f"{kept} of {len(trials)}",
                )
            )
    return Table(
        "Unknown budget: the guard",
        "f1 under Top-5. The guard is sqrt(T / gamma_T). Up to it the guarantee holds as if it were known; beyond it "
        "nothing is promised, and nothing can be: a rule with small regret without corruption fails at some budget of "
        "that size.",
        ("policy", "true C", "guard", "regret, C known", "regret, guard", "best arm recommended"),
        rows,
    )
