"""Cumulative regret against rounds: mean over trials, with a band of one standard deviation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from unswayed.plots.style import colour, finish_axes, line_style
from unswayed.simulation.run import Run


def regret_curves(axes: Axes, groups: Mapping[str, Sequence[Run]]) -> None:
    """One line for each group of runs, which are the trials of one setting."""
    for number, (name, runs) in enumerate(groups.items()):
        rounds = runs[0].curve()[0]
        curves = np.array([run.curve()[1] for run in runs])
        mean, spread = curves.mean(axis=0), curves.std(axis=0)
        points = (40 + 12 * number, 100)
        axes.plot(rounds, mean, linewidth=1.8, markersize=5, markevery=points, **line_style(name, number))
        axes.fill_between(rounds, mean - spread, mean + spread, color=colour(name, number), alpha=0.18, linewidth=0)
    finish_axes(axes)


def regret_figure(panels: Mapping[str, Mapping[str, Sequence[Run]]]) -> Figure:
    """Panels side by side on one scale, each with its own groups of runs."""
    figure = Figure(figsize=(1.2 + 4.2 * len(panels), 3.6), layout="constrained")
    row = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for axes, (name, groups) in zip(row, panels.items(), strict=True):
        regret_curves(axes, groups)
        axes.set_title(name, fontsize=11, parse_math=False)
    row[0].set_ylabel("cumulative regret")
    row[0].set_ylim(bottom=0)
    row[0].legend(frameon=False)
    return figure
