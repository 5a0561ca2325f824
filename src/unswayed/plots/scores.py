"""An audit of scores as a picture and as a page: the tiers, who could lead after re-graded items, which items."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from unswayed.audits.scores.answers import in_units, lead_words, number_words
from unswayed.audits.scores.audit import ScoreAudit
from unswayed.audits.scores.report import item_lines, note_lines, suspect_words
from unswayed.core.scores import difference
from unswayed.pages.render import Picture, Table, Words, standalone
from unswayed.plots.labels import short
from unswayed.plots.style import BAD, PALETTE, encoded, light
from unswayed.text import counted, printable

LADDER, CURVE, ROWS = 30, 12, 50  # options in the pictures, and rows of a table, at most
TIERS = ("blue", "orange", "green", "pink", "grey")


def plot_scores(audit: ScoreAudit) -> Figure:
    """The means in tiers, and how many options could lead after how many re-graded items."""
    rows = min(len(audit.labels), LADDER)
    figure = Figure(figsize=(9.0, max(3.2, 0.24 * rows + 1.2)), layout="constrained")
    ladder, curve = figure.subplots(1, 2, width_ratios=(3, 2))
    means, data = audit.means, audit.data
    order = [option for tier in audit.tiers for option in tier][:rows]
    tier = {option: number for number, members in enumerate(audit.tiers) for option in members}
    for place, option in enumerate(order):
        own = difference(data.cells[option] - data.cells.mean(axis=0), data.width, audit.delta)
        ends = data.sign * (means[option] + np.array([own.low, own.high]) - own.mean)
        colour = PALETTE[TIERS[tier[option] % len(TIERS)]]
        ladder.plot(ends, [place, place], color=colour, linewidth=1.5)
        ladder.plot(data.sign * means[option], place, "o", color=colour, markersize=5)
        if place and tier[option] != tier[order[place - 1]]:
            ladder.axhline(place - 0.5, color="black", linewidth=0.6, alpha=0.4)
    ladder.set_yticks(range(rows), [short(audit.labels[option]) for option in order])
    ladder.invert_yaxis()
    ladder.set_xlabel(f"mean score, with its {1 - audit.delta:.0%} interval beside the others")
    ladder.set_title(f"tiers that {counted(audit.withstands, 're-graded item')} cannot change", fontsize=11)
    light(ladder)
    _draw_curve(audit, curve)
    return figure


def _draw_curve(audit: ScoreAudit, axes: Axes) -> None:
    """Who could lead, by the number of re-graded items."""
    needed = np.array(sorted(rival.regraded.most or 0 for rival in audit.rivals)[:CURVE])
    axes.step([0, *needed, max(needed[-1] * 1.1, needed[-1] + 1)], [1, *range(2, len(needed) + 2), len(needed) + 1],
              where="post", color=BAD, linewidth=2)  # fmt: skip
    axes.set(xlabel="re-graded items", ylabel="options that could lead", ylim=(0, None), xlim=(0, None))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_title("who could lead", fontsize=11)
    light(axes)


def scores_page(audit: ScoreAudit, source: str) -> str:
    """The audit of `source` as a page: the answer, the picture, tables.

    Args:
        audit: The audit.
        source: What was audited.
    """
    legend = (
        "Left: means with intervals that hold if every score is honest; colours are tiers. Right: how many options "
        "could be level with the first, or ahead, if so many items were re-graded, in the worst way."
    )
    parts: list[Picture | Table | Words] = [
        Picture("The ranking", legend, encoded(plot_scores(audit))),
        _options(audit),
        _items(audit),
        Words("What decides", [*item_lines(audit), *note_lines(audit)]),
    ]
    if audit.suspects:
        parts.append(_sources(audit))
    return standalone(__package__, "audit.html", source=source, decision=audit.paragraphs, facts=[], parts=parts)


def _options(audit: ScoreAudit) -> Table:
    needs = {rival.option: rival for rival in audit.rivals}
    rows = []
    for option in np.argsort(-audit.means, kind="stable")[:ROWS].tolist():
        first, last = audit.ranks[option]
        rival = needs.get(option)
        numbers = ["", "", "", "", ""]
        if rival is not None:
            found = (rival.scores, rival.regraded, rival.removed, rival.lying)
            numbers = [lead_words(audit.data, rival.lead), *(number_words(one) for one in found)]
        ranks = f"{first}" if first == last else f"{first} to {last}"
        mean = in_units(audit.data, audit.means[option] * audit.data.sign)
        rows.append([audit.describe(option), mean, ranks, *numbers])
    heads = ("option", "mean", "ranks", "behind", "false scores", "re-graded items", "removed items", "lying sources")
    return Table("Options", "The fewest of each that would bring it level with the first.", heads, rows)


def _items(audit: ScoreAudit) -> Table:
    """The items that would have to be re-graded, with the scores of the two."""
    rival, data = audit.rivals[0], audit.data
    pair = (audit.winner, rival.option)
    rows = [
        [printable(data.items[i], limit=60), *(f"{data.sign * data.cells[option, i]:.4g}" for option in pair)]
        for i in rival.regraded.which[:ROWS]
    ]
    text = f"Enough of them re-graded would bring {audit.describe(rival.option)} level; the first ones tell most."
    return Table("Items to check first", text, ("item", *(audit.describe(option) for option in pair)), rows)


def _sources(audit: ScoreAudit) -> Table:
    rows = [
        [
            printable((audit.data.sources or ())[one.source], limit=40),
            suspect_words(audit, one.option, one.effect, one.units),
        ]
        for one in audit.suspects[:ROWS]
    ]
    return Table(
        "Sources that favour or harm one option", "As no other source does.", ("source", "what is wrong"), rows
    )
