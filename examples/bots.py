"""An A/B/n test of 20 pages when bots click.

    python examples/bots.py           # a few minutes; --quick for a short run

One play shows a page to 500 visitors and counts the buyers: the conversion rate of the batch. The true rates are evenly
spaced between 3% and 6%, and the noise of a batch is about 0.9 points. In 500 batches about 11,000 visitors buy. Bots
can forge 500 conversions in all, in any batches. In units of the rate that is C = 500/500 = 1. Until it is spent:

    promoted   20 false conversions in every batch of the worst page
    avoided    15 fewer conversions in every batch of the best page
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import optuna
from comparison import DOCS, Cells, Game, Objective, honest, play, report, start

import unswayed as uw

VISITORS = 500
PAGES = [f"page {number:02}" for number in range(1, 21)]
RATES = dict(zip(PAGES, np.random.default_rng(0).permutation(np.linspace(0.03, 0.06, 20)).tolist(), strict=True))
BEST, WORST = max(RATES, key=RATES.__getitem__), min(RATES, key=RATES.__getitem__)


def visitors(seed: int) -> Callable[[str], float]:
    """The share of a batch that buys, without bots."""
    rng = np.random.default_rng(seed)
    return lambda page: rng.binomial(VISITORS, RATES[page]) / VISITORS


def promoted(page: str, rate: float) -> float:
    """What is added to a measured rate: bots buy on the worst page."""
    return 20 / VISITORS if page == WORST else 0.0


def avoided(page: str, rate: float) -> float:
    """What is added to a measured rate: conversions of the best page disappear, never more than there were."""
    return -min(15 / VISITORS, rate) if page == BEST else 0.0


def best_average(seen: dict[str, list[float]]) -> str:
    """The page with the largest mean rate."""
    return max(seen, key=lambda page: np.mean(seen[page]))


def even_split(objective: Objective, plays: int, budget: float, seed: int) -> str:
    """The usual test: every page is shown equally often, and the best average wins."""
    seen: dict[str, list[float]] = {page: [] for page in PAGES}
    for number in range(plays):
        page = PAGES[number % len(PAGES)]
        seen[page].append(objective(page))
    return best_average(seen)


def tpe_study(objective: Objective, plays: int, seed: int) -> optuna.Study:
    """Optuna's TPE sampler with its defaults, over one categorical parameter."""
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
    study.optimize(lambda trial: objective(trial.suggest_categorical("page", PAGES)), n_trials=plays)
    return study


def tpe(objective: Objective, plays: int, budget: float, seed: int) -> str:
    """Optuna's `best_params`: the page of the best single batch."""
    return tpe_study(objective, plays, seed).best_params["page"]


def tpe_average(objective: Objective, plays: int, budget: float, seed: int) -> str:
    """The same study, but the page with the best average over its batches."""
    seen: dict[str, list[float]] = {}
    for trial in tpe_study(objective, plays, seed).trials:
        seen.setdefault(trial.params["page"], []).append(trial.value)
    return best_average(seen)


def unswayed(objective: Objective, plays: int, budget: float, seed: int) -> str:
    """Unswayed. It is told C, also if there are no bots."""
    space = uw.Options(PAGES)
    return uw.maximize(objective, space, plays=plays, threat=budget, seed=seed, progress=False).point


def main(quick: bool = False, out: Path = DOCS) -> Cells:
    """Compare four ways to choose a page, with bots and without."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    plays = 60 if quick else 500
    budget = plays / VISITORS
    game = Game(
        title=f"20 pages, {plays} batches of 500 (noise 0.9 points), up to {plays} forged conversions: C = {budget:g}",
        unit="conversion lost, in percentage points",
        plays=plays,
        budget=budget,
        objective=visitors,
        attacks={"no bots": honest, "bots buy on the worst page": promoted, "bots avoid the best page": avoided},
        score=lambda page: 100 * RATES[page],
        best=100 * RATES[BEST],
    )
    methods = {
        "even split, best average": even_split,
        "Optuna TPE": tpe,
        "TPE, best average": tpe_average,
        "Unswayed": unswayed,
    }
    cells = play(game, methods, seeds=range(1 if quick else 5))
    return report("bots", game, cells, out, quick=quick)


if __name__ == "__main__":
    start(main, __doc__)
