"""Figures 1 to 6 of the paper, and those that go beyond it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from unswayed.experiments.registry import PAPER_ATTACKS
from unswayed.paper.grid import ATTACKED, FIGURES, PANELS, Results, line
from unswayed.plots.style import finish_axes, label, line_style
from unswayed.problems import Problem
from unswayed.types import FloatArray

# Title of a panel -> name of a line -> its places and the regrets of its trials.
Panels = dict[str, dict[str, tuple[Sequence[float], FloatArray]]]


def attack_lines(
    axes: Axes,
    results: Results,
    figure: int,
    policy: str,
    start: str = "immediate",
    attacks: Sequence[str] = PAPER_ATTACKS,
    trials: int | None = None,
) -> None:
    """A panel with one line for each attack: the mean of its curves, with bars of one standard deviation."""
    horizon = results.scale.horizon
    for number, attack in enumerate(attacks):
        curves = results.curves(line(figure, policy, attack, start, horizon=horizon), trials)
        rounds = np.linspace(0, horizon, curves.shape[1])
        every = (20 + 8 * number, 60)
        bars = {"yerr": curves.std(axis=0), "errorevery": every, "capsize": 2, "elinewidth": 0.9}
        look = {"linewidth": 1.4, "markersize": 3.5, "markevery": every, **line_style(attack, number)}
        axes.errorbar(rounds, curves.mean(axis=0), **bars, **look)
    finish_axes(axes)
    axes.set_title(f"{label(policy)}{', later attack' if start == 'later' else ''}", fontsize=11)


def regret_panels(results: Results, number: int) -> Figure:
    """Figure 3, 4, 5 or 6: one panel for each algorithm and start, one line for each attack."""
    problem, budget = FIGURES[number]
    figure = Figure(figsize=(10.5, 6.4), layout=ConstrainedLayoutEngine(h_pad=0.1, w_pad=0.06))
    grid = figure.add_gridspec(2, 6)
    for place, (policy, start) in enumerate(PANELS):
        axes = figure.add_subplot(grid[place // 3, 2 * (place % 3) : 2 * (place % 3) + 2])
        attack_lines(axes, results, number, policy, start)
        axes.set_ylim(bottom=0)
        axes.set_ylabel("cumulative regret")
    legend = figure.add_subplot(grid[1, 4:6])
    legend.axis("off")
    handles, labels = figure.axes[0].get_legend_handles_labels()
    legend.legend(handles, labels, loc="center", frameon=False, title=f"{label(problem)}, C = {budget:g}")
    return figure


def figure_1(results: Results) -> Figure:
    """Robot3D: GP-UCB and RGP-PE without attack, and under the two that hurt GP-UCB most."""
    horizon = results.scale.horizon
    harm = {a: results.curves(line(4, "gp-ucb", a, horizon=horizon))[:, -1].mean() for a in ATTACKED}
    worst = sorted(harm, key=lambda a: -harm[a])[:2]
    figure = Figure(figsize=(8.4, 3.1), layout="constrained")
    for axes, policy in zip(figure.subplots(1, 2, sharey=True), ("gp-ucb", "rgp-pe"), strict=True):
        attack_lines(axes, results, 4, policy, attacks=("none", *sorted(worst)))
    figure.axes[0].set_ylabel("cumulative regret")
    figure.axes[0].set_ylim(bottom=0)
    figure.axes[0].legend(frameon=False)
    return figure


def figure_2(problem: Problem) -> Figure:
    """f1 as a surface and as a map, with the best arm and the attacks' target region."""
    side = round(problem.n_arms**0.5)
    x, y = (problem.domain[:, i].reshape(side, side) for i in (0, 1))
    f = problem.f.reshape(side, side)
    figure = Figure(figsize=(8.4, 3.4), layout="constrained")
    surface = figure.add_subplot(1, 2, 1, projection="3d")
    surface.plot_surface(x, y, f, cmap="viridis", rstride=1, cstride=1, linewidth=0.2, edgecolor="0.3")
    surface.set(xlabel="$x_1$", ylabel="$x_2$", zlabel="$f_1$")
    flat = figure.add_subplot(1, 2, 2)
    image = flat.pcolormesh(x, y, f, cmap="viridis", shading="nearest")
    best = problem.domain[problem.best_arm]
    flat.plot(*best, marker="*", markersize=15, color="white", markeredgecolor="black", linestyle="none")
    inside = problem.domain[problem.target]
    flat.plot(inside[:, 0], inside[:, 1], marker=".", markersize=3, color="white", alpha=0.7, linestyle="none")
    flat.set(xlabel="$x_1$", ylabel="$x_2$", title="star: best arm; dots: target region")
    flat.title.set_fontsize(9)
    figure.colorbar(image, ax=flat, label="$f_1$")
    return figure


def lines_against(panels: Panels, *, xlabel: str, log: bool = False) -> Figure:
    """Final regret against a parameter: one line for each policy, mean with one standard deviation."""
    rows = -(-len(panels) // 2)
    figure = Figure(figsize=(9.0, 0.4 + 3.0 * rows), layout="constrained")
    grid = figure.subplots(rows, 2, squeeze=False)
    for axes, (title, lines) in zip(grid.flat, panels.items(), strict=True):
        for number, (name, (values, regrets)) in enumerate(lines.items()):
            look = {"markersize": 4, "capsize": 2, "linewidth": 1.4, **line_style(name, number)}
            axes.errorbar(values, regrets.mean(axis=1), yerr=regrets.std(axis=1), **look)
        finish_axes(axes, xlabel=xlabel)
        axes.set_title(title, fontsize=11)
        if log:
            axes.set(xscale="log", yscale="log")
        else:
            axes.set_ylim(bottom=0)
    for axes in grid[:, 0]:
        axes.set_ylabel("final regret")
    figure.axes[0].legend(frameon=False, fontsize=8)
    return figure
