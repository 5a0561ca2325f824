"""An audit of votes as a picture and as a page: the tiers, who could lead after forged votes, the voters."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from unswayed.audits.votes.audit import VoteAudit
from unswayed.audits.votes.report import bracket_words, plan_lines, suspect_words
from unswayed.core.votes import Bracket
from unswayed.pages.render import Picture, Table, Words, standalone
from unswayed.plots.labels import short
from unswayed.plots.style import BAD, PALETTE, encoded, light
from unswayed.text import counted

LADDER, CURVE, ROWS = 30, 12, 50  # options in the pictures, and rows of a table, at most
TIERS = ("blue", "orange", "green", "pink", "grey")


def plot_votes(audit: VoteAudit) -> Figure:
    """The scores in tiers, and how many options could lead after how many forged votes."""
    rows = min(len(audit.labels), LADDER)
    figure = Figure(figsize=(9.0, max(3.2, 0.24 * rows + 1.2)), layout="constrained")
    ladder, curve = figure.subplots(1, 2, width_ratios=(3, 2))
    theta, mean = audit.scores.theta, audit.scores.theta.mean()
    order = [option for tier in audit.tiers for option in sorted(tier, key=lambda i: -theta[i])][:rows]
    tier = {option: number for number, members in enumerate(audit.tiers) for option in members}
    for place, option in enumerate(order):
        low, high = audit.scores.interval(option, audit.delta)
        colour = PALETTE[TIERS[tier[option] % len(TIERS)]]
        ladder.plot([low, high], [place, place], color=colour, linewidth=1.5)
        ladder.plot(theta[option] - mean, place, "o", color=colour, markersize=5)
        if place and tier[option] != tier[order[place - 1]]:
            ladder.axhline(place - 0.5, color="black", linewidth=0.6, alpha=0.4)
    ladder.set_yticks(range(rows), [short(audit.labels[option]) for option in order])
    ladder.invert_yaxis()
    ladder.set_xlabel(f"score, with its {1 - audit.delta:.0%} interval")
    ladder.set_title(f"tiers that {counted(audit.withstands, 'forged vote')} cannot change", fontsize=11)
    light(ladder)
    _draw_curve(audit, curve)
    return figure


def _draw_curve(audit: VoteAudit, axes: object) -> None:
    """Who could lead, by the number of forged votes."""
    from matplotlib.axes import Axes

    assert isinstance(axes, Axes)
    needed = np.array(sorted(rival.flipped.least for rival in audit.rivals)[:CURVE])
    axes.step([0, *needed, max(needed[-1] * 1.1, needed[-1] + 1)], [1, *range(2, len(needed) + 2), len(needed) + 1],
              where="post", color=BAD, linewidth=2)  # fmt: skip
    if audit.threat.lies:
        axes.axvline(audit.threat.lies, color="black", linestyle="--", linewidth=1, label="the threat")
        axes.legend(frameon=False, fontsize=9)
    axes.set(xlabel="forged votes, at least", ylim=(0, None), xlim=(0, None))
    axes.set_ylabel("options that could lead")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_title("who could lead", fontsize=11)
    light(axes)


def votes_page(audit: VoteAudit, source: str) -> str:
    """The audit of `source` as a page: the answer, the picture, tables.

    Args:
        audit: The audit.
        source: What was audited.
    """
    legend = (
        "Left: scores with intervals that hold if every vote is honest; colours are tiers. Right: how many options "
        "could be level with the first, or ahead, if so many votes were forged, in the worst way."
    )
    parts: list[Picture | Table | Words] = [Picture("The ranking", legend, encoded(plot_votes(audit)))]
    if plan := plan_lines(audit):
        parts.append(Words("The cheapest plan", [line.strip() for line in plan[1:]]))
    parts.append(_options(audit))
    if audit.suspects:
        parts.append(_voters(audit))
    return standalone(__package__, "audit.html", source=source, decision=audit.paragraphs, facts=[], parts=parts)


def _options(audit: VoteAudit) -> Table:
    theta, mean = audit.scores.theta, audit.scores.theta.mean()
    needs = {rival.option: rival for rival in audit.rivals}
    rows = []
    for option in np.argsort(-theta, kind="stable")[:ROWS].tolist():
        first, last = audit.ranks[option]
        low, high = audit.scores.interval(option, audit.delta)
        score = f"{theta[option] - mean:+.2f} ({low:+.2f} to {high:+.2f})"
        rival = needs.get(option)
        forged, left_out, liars = "", "", ""
        if rival is not None:
            forged = bracket_words(rival.flipped)
            left_out = "" if rival.dropped.most is None else bracket_words(rival.dropped)
            liars = "" if rival.voters is None else bracket_words(Bracket(rival.voters.least, rival.voters.most))
        ranks = f"{first}" if first == last else f"{first} to {last}"
        rows.append([audit.describe(option), score, ranks, forged, left_out, liars])
    heads = ("option", "score", "ranks", "forged votes", "votes left out", "lying voters")
    return Table("Options", "What would bring each of them level with the first.", heads, rows)


def _voters(audit: VoteAudit) -> Table:
    rows = [[audit.voter_name(one.voter), f"{one.votes:,}", suspect_words(audit, one)] for one in audit.suspects[:ROWS]]
    text = f"Without them {audit.describe(audit.winner_without_suspects)} leads."
    return Table("Voters that the others do not explain", text, ("voter", "votes", "what is wrong"), rows)
