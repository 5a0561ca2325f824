"""An audit as a picture and as a page: who leads, by how much, and what it would take to change that."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from unswayed.audits.report import place, summary
from unswayed.audits.result import Audit
from unswayed.audits.verdict import verdict
from unswayed.plots.page import document, escaped, picture, table
from unswayed.plots.style import BAD, GOOD, NEUTRAL, encoded, light
from unswayed.text import number, printable

SHOWN, SUSPECTS = 15, 50


def plot_audit(audit: Audit) -> Figure:
    """Estimates of the leading options with two deviations; and the tampering that makes each rival win."""
    figure = Figure(figsize=(9.0, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    leaders = np.argsort(audit.estimate if audit.minimize else -audit.estimate, kind="stable")[:SHOWN]
    for rank, option in enumerate(leaders):
        colour = GOOD if option == audit.winner else BAD if option == audit.rival else NEUTRAL
        spread = 2 * audit.deviation[option]
        left.errorbar(rank, audit.estimate[option], yerr=spread, color=colour, marker="o", capsize=3)
        left.plot(rank, audit.means[option], marker="x", color=colour, linestyle="none")
    left.set_xticks(range(len(leaders)), [str(option) for option in leaders], fontsize=8)
    left.set(xlabel="option", ylabel="value", title="estimate ± 2 deviations (x: mean measured)")
    rivals = audit.rivals
    right.barh(range(len(rivals)), [rival.budget for rival in rivals], color=[BAD] + [NEUTRAL] * (len(rivals) - 1))
    right.set_yticks(range(len(rivals)), [f"option {rival.option}" for rival in rivals])
    right.invert_yaxis()
    right.set(xlabel="tampering, in units of the value", title="what would make each rival win")
    for axes in (left, right):
        axes.title.set_fontsize(10)
        light(axes)
    return figure


def audit_page(audit: Audit, source: str) -> str:
    """The audit of `source` as a page: words, picture, tables."""
    rows = []
    for rival in audit.rivals:
        point = audit.coordinates(rival.option)
        lead = f"{rival.lead:.4g} ± {rival.deviation:.4g}"
        rows.append([str(rival.option), *point, lead, f"{rival.budget:.4g}", str(rival.pivot)])
    names = [printable(name, limit=200) for name in audit.names]
    words = "\n".join(summary(audit)[1:])  # the first line answers the heading
    legend = "Green: the winner; orange: the rival that tampering would help most cheaply."
    text = "What total tampering would have made each of them win, and on which option's measurements."
    parts = [
        f"<h1>Can this winner be trusted?</h1><p class='soft'>{escaped(printable(source))}</p>",
        f"<p><strong>{escaped(verdict(audit))}</strong></p>",
        f"<pre>{escaped(words)}</pre>",
        picture("Who leads, and by how much", legend, encoded(plot_audit(audit))),
        table("Closest rivals", text, ("option", *names, "lead", "tampering", "pivot"), rows),
    ]
    if audit.suspects:
        noise = audit.assumptions.noise_std
        head = ("measurement", "option", "value", "expected", "standard deviations")
        suspects = [
            [place(audit, s.row), str(s.option), number(s.value, noise), number(s.expected, noise), f"{s.score:.1f}"]
            for s in audit.suspects[:SUSPECTS]
        ]
        parts.append(table("Measurements that the others do not explain", "Worth a second look.", head, suspects))
    return document("Unswayed: audit", parts)
