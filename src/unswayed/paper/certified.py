"""The certified policies in the paper's experiments: every panel, the price of a guarantee, unknown budgets."""

from __future__ import annotations

from itertools import product

import numpy as np
from matplotlib.figure import Figure

from unswayed.experiments.experiment import Experiment
from unswayed.experiments.registry import CERTIFIED, PAPER_ATTACKS, STARTS
from unswayed.experiments.settings import PolicySettings
from unswayed.pages.render import Table
from unswayed.paper.beyond import TRIALS, spread
from unswayed.paper.figures import attack_lines
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
BUDGETS = (50.0, 100.0)
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
    shown = product(FIGURES, CERTIFIED, PAPER_ATTACKS, STARTS)
    return [
        *(line(*setting, horizon=horizon) for setting in shown),
        *(priced(*setting, horizon) for setting in product(CONTENDERS, DRAWS, BUDGETS, PAPER_ATTACKS)),
        *(guarded(p, horizon, C, known=known) for p, C, known in product(CERTIFIED, TRUE_BUDGETS, (True, False))),
    ]


def panels(results: Results, figure: int) -> Figure:
    """The certified policies under the attacks of one figure, immediate above, later below."""
    drawn = Figure(figsize=(8.4, 5.6), layout="constrained")
    for row, start in zip(drawn.subplots(2, 2), STARTS, strict=True):
        for axes, policy in zip(row, CERTIFIED, strict=True):
            attack_lines(axes, results, figure, policy, start, trials=TRIALS)
            axes.set_ylim(bottom=0)
        row[0].set_ylabel("cumulative regret")
    drawn.axes[0].legend(frameon=False, fontsize=8)
    return drawn


def price_table(results: Results) -> Table:
    """Regret of every contender, without attack and under the worst of the five, against (N - 1) C."""
    rows = []
    T = results.scale.horizon
    for budget, name in product(BUDGETS, CONTENDERS):
        by_attack = {
            attack: np.concatenate(
                [results.column(priced(name, d, budget, attack, T), "regret", TRIALS) for d in DRAWS]
            )
            for attack in PAPER_ATTACKS
        }
        worst = max(by_attack, key=lambda attack: by_attack[attack].max())
        largest = by_attack[worst].max()
        guarantee = "no" if "0.1" in name else "yes"
        honest, attacked = spread(by_attack["none"]), f"{spread(by_attack[worst])} ({label(worst)})"
        price = f"{largest / (99 * budget):.2f}"
        rows.append((f"{budget:g}", name, guarantee, honest, attacked, f"{largest:,.0f}", price))
    return Table(
        "The price of a guarantee",
        f"f1, draws {DRAWS[0]} to {DRAWS[-1]}, {TRIALS} trials each, T = {T:,}, true B, "
        "delta = 0.05 and the full C. A rule that guarantees a small regret against every adversary of budget C, for "
        "every function of a norm a little above that of f, pays almost (N - 1) C = 99 C on f1 even when there is no "
        "attack. The last column is the largest regret of all runs over 99 C.",
        ("C", "policy", "guarantee", "no attack", "worst attack", "largest", "largest / 99 C"),
        rows,
    )


def guard_table(results: Results) -> Table:
    """With the budget known, and with the guard sqrt(T / gamma_T)."""
    rows = []
    for policy, C in product(CERTIFIED, TRUE_BUDGETS):
        known, blind = (guarded(policy, results.scale.horizon, C, known=k) for k in (True, False))
        regrets = (spread(results.column(e, "regret", TRIALS)) for e in (known, blind))
        gaps = results.column(blind, "recommended_gap", TRIALS)
        found = f"{(gaps == 0).sum()} of {len(gaps)}"
        rows.append((label(policy), f"{C:g}", f"{blind.believed:.3g}", *regrets, found))
    return Table(
        "Unknown budget: the guard",
        "f1 under Top-5. The guard is sqrt(T / gamma_T). Up to it the guarantee holds as if it were known; beyond it "
        "nothing is promised, and nothing can be: a rule with small regret without corruption fails at some budget of "
        "that size.",
        ("policy", "true C", "guard", "regret, C known", "regret, guard", "best arm recommended"),
        rows,
    )
