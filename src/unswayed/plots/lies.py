"""How a verdict changes with the number of lies, as a picture."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from unswayed.judgement.findings import Findings
from unswayed.plots.style import BAD, KEPT, NEUTRAL

FEWEST = 5  # lies on the axis, at least
MARKED = 30  # up to this many lies on the axis have a mark each


def draw_lies(axes: Axes, found: Findings) -> None:
    """The lowest possible lead of the winner over its best rival with 0, 1, 2, ... lies: a line for each kind."""
    kinds = [("false measurements", found.lowest_leads, found.breakdown_lies, BAD)]
    if len(found.lowest_leads_sources):
        kinds.append(("lying sources", found.lowest_leads_sources, found.breakdown_sources, KEPT))
    counts = [overturned for _, _, overturned, _ in kinds if overturned is not None]
    most = max(FEWEST, *(2 * one for one in counts)) if counts else len(found.lowest_leads)
    top = float(found.lowest_leads[0])
    bottom = max(-top, min(float(leads[: most + 1].min()) for _, leads, _, _ in kinds)) if top > 0 else -1.0
    for name, leads, overturned, colour in kinds:
        shown = leads[: most + 1]
        marker = "o" if len(shown) <= MARKED else None
        axes.plot(range(len(shown)), shown, color=colour, marker=marker, markersize=4, label=name)
        if overturned is not None:
            where = overturned, max(float(leads[overturned]), bottom)
            axes.plot(*where, marker="o", markersize=10, mfc="none", mec=colour, clip_on=False)
            box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1}
            label = f"from {overturned:,} on"
            axes.annotate(label, where, (9, 7), textcoords="offset points", color=colour, bbox=box)
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_ylim(min(bottom, 0) - 0.05 * abs(top), 1.1 * top or 1.0)
    axes.axhspan(axes.get_ylim()[0], 0, color=NEUTRAL, alpha=0.12, linewidth=0)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set(xlabel="number of lies", ylabel="lowest possible lead")
    axes.legend(frameon=False, fontsize=8)
