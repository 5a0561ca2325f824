"""An audit of named options as a picture and as a page: how the result changes with the number of lies."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from unswayed.audits.labels.audit import LabelAudit
from unswayed.audits.labels.data import named
from unswayed.audits.labels.lies import false_outcomes, given_up
from unswayed.audits.labels.report import could_win, percent, results, suspect_words
from unswayed.judgement.findings import Source
from unswayed.pages.render import Picture, Table, Words, standalone
from unswayed.plots.style import BAD, GOOD, PALETTE, encoded, light
from unswayed.text import counted, printable
from unswayed.types import FloatArray

RIVALS, ROWS, NAME = 5, 50, 24
TICKS, LARGEST = 10, 200  # sources that are named below a picture; and that are drawn at most
RING: dict[str, Any] = {"marker": "o", "markersize": 11, "markerfacecolor": "none", "color": "black", "linestyle": ""}
ABOVE = 0.06  # of the height of a picture: room for a ring around its highest point
DATE = re.compile(r"\d{4}-\d\d-\d\d")
COLOURS = ("vermilion", "blue", "orange", "pink", "grey")


def plot_labels(audit: LabelAudit) -> Figure:
    """The lead of the winner over each close rival that is left after the worst lies, by their number."""
    figure = Figure(figsize=(4.8, 4.0), layout="constrained")
    axes = figure.subplots()
    (first, _), *_, (last, _) = [*could_win(audit)[:1], *could_win(audit)[:RIVALS]]
    right = max(min(last, 4 * max(first, 1)) * 1.08, 1.0)
    style = "default" if audit.data.counts else "steps-post"  # a false measurement is one step
    for rival, colour in zip(audit.rivals[:RIVALS], COLOURS, strict=False):
        k, lead = lead_left(audit, rival.option)
        axes.plot(k, lead, color=PALETTE[colour], linewidth=2, drawstyle=style, label=short(audit.labels[rival.option]))
    top = max(rival.lead for rival in audit.rivals[:RIVALS]) * 1.1 or 1.0
    axes.axhspan(-top / 6, 0, color=BAD, alpha=0.12, linewidth=0)
    axes.text(right * 0.98, -top / 12, "another option could have won", ha="right", va="center", color=BAD)
    certified = -1 if audit.certificate is None else audit.certificate.lies
    if certified > 0:
        axes.axvspan(0, min(certified, right), color=GOOD, alpha=0.12, linewidth=0)
        note = f"proved up to {certified:,}"
        axes.text(right * 0.01, top * 0.97, note, ha="left", va="top", color=GOOD)
    axes.axvline(first, color=BAD, linestyle="--", linewidth=1)
    axes.set(xlim=(0, right), ylim=(-top / 6, top), xlabel=f"number of {audit.lie}s")
    axes.set_ylabel("lead that is left")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
    axes.set_title(f"lead of {short(audit.labels[audit.winner])}, by the number of lies", fontsize=11)
    axes.legend(title="over", frameon=False, fontsize=9, loc="upper right")
    light(axes)
    return figure


def plot_sources(audit: LabelAudit) -> Figure:
    """What each source says of the winner and its closest rivals, such as rates by day; suspects are marked."""
    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    axes = figure.subplots()
    data, cells = audit.data, audit.data.cells
    weight = np.bincount(cells.cell, data.weights)
    mean = np.bincount(cells.cell, data.weights * data.values) / weight
    shown = np.array([data.shown(value) for value in mean]) * (100 if data.counts else 1)
    names = list(data.sources or ())
    order = sorted(range(len(names)), key=names.__getitem__) if all(map(DATE.match, names)) else range(len(names))
    at = np.argsort(np.array(order, dtype=np.int64))
    options = [audit.winner, *(rival.option for rival in audit.rivals)][:RIVALS]
    wrong = {(s.option, s.source) for s in audit.suspects}
    options += [i for i in dict.fromkeys(s.option for s in audit.suspects) if i not in options][: len(COLOURS) - RIVALS]
    for option, colour in zip(options, COLOURS, strict=False):
        mine = np.flatnonzero(cells.option == option)
        mine = mine[np.argsort(at[cells.source[mine]])]
        x, y = at[cells.source[mine]], shown[mine]
        axes.plot(x, y, ".-", color=PALETTE[colour], linewidth=1.2, label=short(audit.labels[option]))
        off = np.array([(option, names[s]) in wrong for s in cells.source[mine]], dtype=np.bool_)
        axes.plot(x[off], y[off], **RING)
    ticks = range(0, len(names), -(-len(names) // TICKS))
    axes.set_xticks(ticks, [short(names[order[i]]) for i in ticks], rotation=30, ha="right")
    axes.set_ylabel("rate in %" if data.counts else "mean")
    axes.set_ymargin(ABOVE)
    axes.autoscale()
    axes.set_ylim(bottom=0 if data.counts else None)
    if wrong:
        axes.plot([], [], **RING, label="looks wrong")
    axes.legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1, 1))
    light(axes)
    return figure


def lead_left(audit: LabelAudit, rival: int) -> tuple[FloatArray, FloatArray]:
    """Numbers of lies, and the least lead over the rival that each of them leaves."""
    data, winner = audit.data, audit.winner
    lead = data.estimate[winner] - data.estimate[rival]
    if data.counts:
        taken, given = (int(k[rival]) for k in false_outcomes(data, winner))
        steps = [(taken, 1 / data.total[winner]), (given, 1 / data.total[rival])]
        k, moved = np.cumsum([(0, 0.0), *((n, n * step) for n, step in sorted(steps, key=lambda s: -s[1]))], axis=0).T
        return k, lead - moved
    amount = given_up(data, winner) / data.total[data.option]
    both = np.sort(amount[(data.option == winner) | (data.option == rival)])[::-1]
    moved = np.append(0.0, np.cumsum(both))
    return np.arange(len(moved), dtype=np.float64), np.asarray(lead - moved)


def short(label: str) -> str:
    """A label for a picture: a dollar sign would begin a formula, and an underscore would hide it from the legend."""
    text = printable(label, limit=NAME).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def labels_page(audit: LabelAudit, source: str) -> str:
    """The audit of `source` as a page: the answer, words, the picture, tables."""
    legend = (
        f"How much of the lead is left after the worst {audit.lie}s. Where a line meets zero, that option could have "
        f"won: from {counted(audit.breakdown_lies, audit.lie)} on."
    )
    parts: list[Picture | Table | Words] = [
        *_by_source(audit),
        Words("In detail", results(audit)),
        Picture("How many lies would change the result", legend, encoded(plot_labels(audit))),
    ]
    if audit.suspects:
        rows = [[named(audit.labels[s.option]), suspect_words(audit, s)] for s in audit.suspects[:ROWS]]
        title = "What the others do not explain"
        wins, left = audit.winner_without_suspects, "it" if len(audit.suspects) == 1 else "them"
        text = "Worth a second look." if wins is None else f"Without {left} {audit.describe(wins)} wins."
        parts.append(Table(title, text, ("option", "recorded"), rows))
    parts.append(_options(audit))
    if audit.sources:
        parts.append(_sources(audit))
    return standalone(__package__, "audit.html", source=source, decision=audit.paragraphs, facts=[], parts=parts)


def _by_source(audit: LabelAudit) -> list[Picture]:
    """The picture of the sources, if there are several and not too many."""
    if audit.data.sources is None or not 1 < len(audit.data.sources) <= LARGEST:
        return []
    what = "Rates" if audit.data.counts else "Means"
    legend = f"{what} by source, of the winner and the options closest to it; what looks wrong is circled."
    return [Picture("Source by source", legend, encoded(plot_sources(audit)))]


def _options(audit: LabelAudit) -> Table:
    rows = [[audit.describe(audit.winner), _value(audit, audit.winner), "the winner", ""]]
    for rival in audit.rivals:
        lead = percent(rival.lead) if audit.data.counts else f"{rival.lead:.4g}"
        rows.append([audit.describe(rival.option), _value(audit, rival.option), lead, f"{rival.lies or 0:,}"])
    kind = "rate" if audit.data.counts else "mean"
    text = f"How many {audit.lie}s would have brought each of them level with the winner."
    return Table("Who could have won", text, ("option", kind, "behind by", f"{audit.lie}s"), rows)


def _value(audit: LabelAudit, option: int) -> str:
    return percent(audit.estimate[option]) if audit.data.counts else f"{audit.estimate[option]:.4g}"


def _sources(audit: LabelAudit) -> Table:
    def rank(source: Source) -> tuple[bool, ...]:
        return not source.suspicious, source.without == audit.winner

    ranked = sorted(audit.sources, key=rank)
    rows = []
    for source in ranked[:ROWS]:
        without = "too little is left to compare" if source.without is None else audit.describe(source.without)
        rows.append([named(source.name), f"{source.measurements:,}", without])
    more = len(ranked) - len(rows)
    text = "Who wins without each of them." + (f" {more:,} more sources are not shown." if more > 0 else "")
    return Table("Sources", text, ("source", "rows", "winner without it"), rows)
