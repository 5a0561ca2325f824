"""Shared by the examples: every method plays the same games; their recommendations become a table and a figure.

game   an objective with noise; forgers change its values until their budget C is spent
gap    the best score minus the true score at the recommended point: smaller is better
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from unswayed import Corrupted
from unswayed.plots.style import BAD, GOOD, KEPT, NEUTRAL, save
from unswayed.progress import progress_bar

DOCS = Path(__file__).parents[1] / "docs"
PALETTE = {"Unswayed": GOOD, "Optuna TPE": BAD}
OTHERS = (KEPT, NEUTRAL)

Objective = Callable[[Any], float]
Attack = Callable[[Any, float], float]
Method = Callable[[Objective, int, float, int], Any]  # objective, plays, C, seed -> the recommended point


def honest(point: Any, value: float) -> float:
    """No attack: nothing is added to the measured value."""
    return 0.0


@dataclass(frozen=True)
class Game:
    """The settings of an example. `objective(seed)` has the same noise for every method."""

    title: str
    unit: str
    plays: int
    budget: float
    objective: Callable[[int], Objective]
    attacks: Mapping[str, Attack]
    score: Callable[[Any], float]  # the truth at a point, in units of `unit`
    best: float  # the best score that is known from elsewhere


@dataclass(frozen=True)
class Cell:
    """One method under one attack: for each seed the gap and the corruption spent."""

    gaps: list[float]
    spent: list[float]


Cells = dict[tuple[str, str], Cell]


def play(game: Game, methods: Mapping[str, Method], seeds: Sequence[int]) -> Cells:
    """Run every method under every attack, for all seeds."""
    runs: dict[tuple[str, str], list[tuple[float, float]]] = {(a, m): [] for a in game.attacks for m in methods}
    with progress_bar("Comparing", len(runs) * len(seeds)) as advance:
        for (attack, method), run in runs.items():
            for seed in seeds:
                objective = Corrupted(game.objective(seed), game.attacks[attack], game.budget)
                point = methods[method](objective, game.plays, game.budget, seed)
                run.append((game.score(point), objective.spent))
                advance(1)
    best = max(game.best, *(score for run in runs.values() for score, _ in run))
    return {key: Cell([best - score for score, _ in run], [spent for _, spent in run]) for key, run in runs.items()}


def table(game: Game, cells: Cells) -> str:
    """A line for each attack and method: median and range of the gaps, and how much of C the forgers spent."""
    seeds = len(next(iter(cells.values())).gaps)
    over = f"{seeds} seeds" if seeds > 1 else "one seed"
    lines = [
        game.title,
        f"Gap: {game.unit}. Median and range over {over}. Spent: median, of C = {game.budget:g}.",
        "",
        "| measurements | method | gap | range | spent |",
        "|---|---|---:|---:|---:|",
    ]
    for (attack, method), cell in cells.items():
        spread = f"{min(cell.gaps):.2f} to {max(cell.gaps):.2f}"
        lines.append(f"| {attack} | {method} | {median(cell.gaps):.2f} | {spread} | {median(cell.spent):.3g} |")
    return "\n".join(lines)


def figure(game: Game, cells: Cells) -> Figure:
    """Medians as bars, seeds as dots."""
    attacks, methods = list(game.attacks), list(dict.fromkeys(method for _, method in cells))
    drawing = Figure(figsize=(8.4, 3.8), layout="constrained")
    axes = drawing.subplots()
    width = 0.8 / len(methods)
    top = max(max(cell.gaps) for cell in cells.values())
    others = iter(OTHERS)
    for number, method in enumerate(methods):
        colour = PALETTE.get(method) or next(others)
        places = np.arange(len(attacks)) + (number - (len(methods) - 1) / 2) * width
        for place, attack in zip(places, attacks, strict=True):
            gaps = cells[attack, method].gaps
            axes.bar(place, median(gaps), 0.92 * width, color=colour, alpha=0.35, linewidth=0)
            axes.hlines(median(gaps), place - 0.46 * width, place + 0.46 * width, color=colour, linewidth=2)
            sideways = np.linspace(-0.25, 0.25, len(gaps)) * width if len(gaps) > 1 else [0.0]
            axes.scatter(
                place + sideways, gaps, s=18, color=colour, edgecolor="white", linewidth=0.5, zorder=3, clip_on=False
            )
            below = {"transform": axes.get_xaxis_transform(), "ha": "center", "va": "top", "fontsize": 9}
            axes.text(place, -0.025, f"{median(gaps):.2f}", color=colour, **below)
        axes.bar(0, 0, color=colour, alpha=0.6, label=method)  # for the legend
    axes.set_xticks(range(len(attacks)), attacks)
    axes.tick_params(axis="x", length=0, pad=17)
    axes.set_ylabel(f"{game.unit}\n(bars and numbers: medians)", parse_math=False)
    axes.set_title(game.title, fontsize=10, loc="left", parse_math=False)
    axes.set_ylim(0, 1.12 * top or 1)
    axes.grid(axis="y", alpha=0.25)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="upper left")
    return drawing


def report(name: str, game: Game, cells: Cells, out: Path, *, quick: bool) -> Cells:
    """Print the table and draw the figure. A quick run does not replace the figure of the documentation."""
    print(table(game, cells))
    path = out / f"example-{name}{'-quick' * quick}.png"
    save(figure(game, cells), path)
    print(f"\nFigure: {path}")
    return cells


def start(main: Callable[[bool, Path], Cells], description: str | None) -> None:
    """The command line of an example."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one seed and few plays; this compares nothing")
    parser.add_argument("--out", type=Path, default=DOCS, help="folder of the figure (default: docs)")
    options = parser.parse_args()
    main(options.quick, options.out)
