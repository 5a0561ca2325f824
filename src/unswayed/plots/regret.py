"""Cumulative regret against rounds: mean over trials, with a band of one standard deviation."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from unswayed.errors import InvalidInput
from unswayed.simulation.run import Run
from unswayed.storage import write_atomically

FORMATS = (".png", ".pdf", ".svg")
# Okabe and Ito's palette: told apart by colour-blind readers too. One colour for one name, everywhere.
GOOD, BAD, NEUTRAL = "#009E73", "#D55E00", "#7F8C8D"
COLOURS = {
    "gp-ucb": "#D55E00",
    "rgp-ucb": "#0072B2",
    "rgp-pe": "#009E73",
    "linear-pe": "#CC79A7",
    "influence-ucb": "#56B4E9",
    "influence-pe": "#E69F00",
    "none": "#000000",
    "clipping": "#E69F00",
    "aggsub": "#56B4E9",
    "top-3": "#009E73",
    "top-5": "#D55E00",
    "flip": "#0072B2",
}
LABELS = {
    "gp-ucb": "GP-UCB",
    "rgp-ucb": "RGP-UCB",
    "rgp-pe": "RGP-PE",
    "linear-pe": "linear PE",
    "influence-ucb": "influence-UCB",
    "influence-pe": "influence-PE",
    "none": "no attack",
    "clipping": "Clipping",
    "aggsub": "AggSub",
    "top-3": "Top-3",
    "top-5": "Top-5",
    "flip": "Flip",
    "f1": "f1",
    "robot3d": "Robot3D",
}
MARKERS = ("o", "s", "^", "D", "v", "P")


def regret_curves(axes: Axes, groups: Mapping[str, Sequence[Run]]) -> None:
    """One line for each group of runs, which are the trials of one setting."""
    for number, (name, runs) in enumerate(groups.items()):
        rounds = runs[0].curve()[0]
        curves = np.array([run.curve()[1] for run in runs])
        mean, spread = curves.mean(axis=0), curves.std(axis=0)
        colour = COLOURS.get(name, f"C{number}")
        axes.plot(
            rounds,
            mean,
            label=LABELS.get(name, name),
            color=colour,
            linewidth=1.8,
            marker=MARKERS[number % len(MARKERS)],
            markersize=5,
            markevery=(40 + 12 * number, 100),
        )
        axes.fill_between(rounds, mean - spread, mean + spread, color=colour, alpha=0.18, linewidth=0)
    finish_axes(axes)


def finish_axes(axes: Axes, *, xlabel: str = "round $t$") -> None:
    """Labels in thousands, a light grid, no box."""
    axes.set_xlabel(xlabel)
    axes.margins(x=0.02)
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.yaxis.set_major_formatter(EngFormatter(sep=""))
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)


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


def check_writable(path: Path) -> None:
    """Refuse a file that could not be written later, before the work is done."""
    if path.suffix.lower() not in FORMATS:
        raise InvalidInput(f"cannot draw {path}: the name must end in {', '.join(FORMATS)}")
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise InvalidInput(f"cannot write {path}: {path.parent} is not a folder that can be written to")


def save(figure: Figure, path: Path) -> None:
    """Write the figure in the format of its name; the file is whole or not there."""
    check_writable(path)
    buffer = BytesIO()
    figure.savefig(buffer, format=path.suffix[1:].lower(), dpi=160, metadata=_undated(path))
    write_atomically(path, buffer.getvalue())


def _undated(path: Path) -> dict[str, None]:
    """Metadata without the time of writing: the same runs give the same file."""
    return {".pdf": {"CreationDate": None}, ".svg": {"Date": None}}.get(path.suffix.lower(), {})
