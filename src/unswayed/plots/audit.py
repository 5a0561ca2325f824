"""An audit as a picture and as a page: who leads, by how much, and what it would take to change that."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from unswayed.audits.report import limit_text, ranked, source_row, summary
from unswayed.audits.result import Audit
from unswayed.pages.render import Picture, Table, Words, standalone
from unswayed.plots.lies import draw_lies
from unswayed.plots.style import BAD, GOOD, NEUTRAL, encoded, light
from unswayed.text import number

LEADERS = 15  # options in the picture
SUSPECTS = 50  # rows of the table
SOURCES = 100  # rows of the table


def plot_audit(audit: Audit) -> Figure:
    """Estimates of the leading options with two deviations; and what is left of the lead after each lie."""
    figure = Figure(figsize=(9.0, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    draw_leaders(left, audit)
    _lies(right, audit)
    return figure


def _lies(axes: Axes, audit: Audit) -> None:
    draw_lies(axes, audit)
    axes.set_title("below 0 another option could have won")
    _finish(axes)


def draw_leaders(axes: Axes, audit: Audit) -> None:
    """Estimates of the leading options with two deviations."""
    leaders = np.argsort(audit.estimate if audit.minimize else -audit.estimate, kind="stable")[:LEADERS]
    for rank, option in enumerate(leaders):
        colour = GOOD if option == audit.winner else BAD if option == audit.rival else NEUTRAL
        spread = 2 * audit.deviation[option]
        axes.errorbar(rank, audit.estimate[option], yerr=spread, color=colour, marker="o", capsize=3)
        axes.plot(rank, audit.means[option], marker="x", color=colour, linestyle="none")
    axes.set_xticks(range(len(leaders)), [str(option) for option in leaders], fontsize=8)
    axes.set(xlabel="option", ylabel="value", title="estimate ± 2 deviations (x: mean measured)")
    _finish(axes)


def _finish(axes: Axes) -> None:
    axes.title.set_fontsize(10)
    light(axes)


def audit_page(audit: Audit, source: str) -> str:
    """The audit of `source` as a page: the answer, pictures, words, tables."""
    fixed = f"With the model held fixed and values {audit.span}."
    lies = f"The lowest possible lead of option {audit.winner} over its best rival. {fixed}"
    legend = "Green: the winner; orange: the rival that tampering would help most cheaply."
    parts = [
        Picture("How many lies it takes", lies, encoded(_drawn(_lies, audit))),
        *_source_table(audit),
        Picture("Who leads, and by how much", legend, encoded(_drawn(draw_leaders, audit))),
        Words("In words", [*audit.notes, *summary(audit)]),
        _rival_table(audit),
        *_suspect_table(audit),
    ]
    facts = [limit_text(audit, limit) for limit in audit.limits]
    return standalone(__package__, "audit.html", source=source, decision=audit.paragraphs, facts=facts, parts=parts)


def _drawn(draw: Callable[[Axes, Audit], None], audit: Audit) -> Figure:
    """One picture alone, readable on a telephone."""
    figure = Figure(figsize=(5.6, 3.6), layout="constrained")
    draw(figure.subplots(), audit)
    return figure


def _source_table(audit: Audit) -> list[Table]:
    if not audit.sources:
        return []
    head = ("source", "measured", "offset", "alone", "wins without")
    rows = []
    for one in ranked(audit.sources)[:SOURCES]:
        name, _, offset, _, _ = source_row(one)
        alone = "yes" if one.alone else "no"
        wins = "" if one.without is None else str(one.without)
        rows.append([name, f"{one.measurements:,}", offset, alone, wins])
    text = (
        "How often each measured, how far it reads above the others, whether its lies alone could have overturned the "
        "result, and which option wins without it. Suspicious: the others do not explain it."
    )
    return [Table("Sources", text, head, rows)]


def _rival_table(audit: Audit) -> Table:
    rows = []
    for rival in audit.rivals:
        lead = f"{rival.lead:.4g} ± {rival.deviation:.4g}"
        rows.append([str(rival.option), audit.labels[rival.option], lead, f"{rival.budget:.4g}", str(rival.pivot)])
    text = "What total tampering would have made each of them win, and on which option's measurements."
    return Table("Closest rivals", text, ("option", "parameters", "lead", "tampering", "pivot"), rows)


def _suspect_table(audit: Audit) -> list[Table]:
    if not audit.suspects:
        return []
    noise = audit.assumptions.noise_std
    head = ("measurement", "option", "value", "expected", "standard deviations")
    suspects = [
        [audit.place(s.row), str(s.option), number(s.value, noise), number(s.expected, noise), f"{s.score:.1f}"]
        for s in audit.suspects[:SUSPECTS]
    ]
    return [Table("Measurements that the others do not explain", "Worth a second look.", head, suspects)]
