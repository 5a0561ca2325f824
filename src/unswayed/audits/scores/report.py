"""An audit of scores in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from unswayed.audits.scores.answers import in_units, lead_words, number_words
from unswayed.core.scores import Fewest
from unswayed.text import counted, printable

if TYPE_CHECKING:
    from unswayed.audits.scores.audit import ScoreAudit
    from unswayed.audits.scores.rivals import Rival

RANKED, NAMED = 20, 10  # options, and items or sources, that are listed


def headline(audit: ScoreAudit) -> str:
    """The leader, its mean, and its lead."""
    data, second = audit.data, max(audit.rivals, key=lambda one: audit.means[one.option])
    first, other = (audit.data.names[option] for option in (audit.winner, second.option))
    among = f"first of {len(audit.labels):,} on" if len(audit.labels) > 2 else "ahead on"
    mean = in_units(data, audit.means[audit.winner] * data.sign)
    items = counted(len(data.items), "item")
    if second.regraded.most == 0:
        return f"{first} and {other} are level on {items}, with {mean} each."
    return f"{first} is {among} {items}, with {mean}: ahead of {other} by {lead_words(data, second.lead)}."


def details(audit: ScoreAudit) -> list[str]:
    """Everything else that was found."""
    return [
        *ranking(audit),
        *tier_lines(audit),
        *rival_lines(audit),
        *item_lines(audit),
        *group_lines(audit),
        *source_lines(audit),
        *note_lines(audit),
    ]


def ranking(audit: ScoreAudit) -> list[str]:
    """The means, how far each is behind, and the ranks that are possible."""
    lines = [f"Ranking (mean, how far behind with its {1 - audit.delta:.0%} interval, ranks if all is honest):"]
    behind = {one.option: one.lead for one in audit.rivals}
    for a in np.argsort(-audit.means, kind="stable")[:RANKED].tolist():
        first, last = audit.ranks[a]
        ranks = f"rank {first}" if first == last else f"ranks {first} to {last}"
        gap = f", {lead_words(audit.data, behind[a])} behind" if a in behind else ""
        lines.append(f"  {audit.describe(a)}: {in_units(audit.data, audit.means[a] * audit.data.sign)}{gap}, {ranks}")
    return lines + _more(len(audit.means), RANKED)


def tier_lines(audit: ScoreAudit) -> list[str]:
    """Tiers that withstand changed items."""
    lines = []
    for what, found in (("re-graded", audit.tiers), ("removed", audit.tiers_removed)):
        lines.append(f"Tiers that {counted(audit.withstands, f'{what} item')} cannot change:")
        for number, tier in enumerate(found, 1):
            names = ", ".join(audit.describe(i) for i in tier[:NAMED])
            lines.append(f"  {number}: {names}" + (f" and {len(tier) - NAMED:,} more" if len(tier) > NAMED else ""))
    return lines


def rival_lines(audit: ScoreAudit) -> list[str]:
    """What would bring each rival level."""
    lines = ["Who could be level, and the fewest that takes (all are exact where one number stands):"]
    lines += [f"  {audit.describe(rival.option)}: {'; '.join(needs(rival))}" for rival in audit.rivals[:NAMED]]
    return lines + _more(len(audit.rivals), NAMED)


def needs(rival: Rival) -> list[str]:
    """What would bring a rival level, in words."""
    kinds = (
        (rival.scores, "false score"),
        (rival.regraded, "re-graded item"),
        (rival.removed, "removed item"),
        (rival.lying, "lying source"),
        (rival.unheard, "left out source"),
        (rival.groups_regraded, "re-graded group"),
        (rival.groups_removed, "removed group"),
    )
    return [_number(found, what) for found, what in kinds if found is not None]


def _number(found: Fewest, what: str) -> str:
    if found.least is None:
        return f"no number of {what}s"
    return counted(found.least, what) if found.exact else f"{number_words(found)} {what}s"


def item_lines(audit: ScoreAudit) -> list[str]:
    """Which items, groups and sources would be enough for the first rival."""
    rival, data = audit.rivals[0], audit.data
    kinds: tuple[tuple[str, Fewest | None, tuple[str, ...] | None], ...] = (
        ("Items to re-grade", rival.regraded, data.items),
        ("Items to remove", rival.removed, data.items),
        ("Sources that would have to lie", rival.lying, data.sources),
        ("Sources to leave out", rival.unheard, data.sources),
        ("Groups to re-grade", rival.groups_regraded, data.groups),
        ("Groups to remove", rival.groups_removed, data.groups),
    )
    return [
        f"{what}, for {audit.describe(rival.option)}: {_named(names, found.which)}{any_of(found)}"
        for what, found, names in kinds
        if found is not None and names is not None and len(found.which)
    ]


def any_of(found: Fewest) -> str:
    """Whether others would do as well, in words."""
    return f" (any {len(found.which):,} of {found.alike:,} like them)" if found.alike > len(found.which) else ""


def group_lines(audit: ScoreAudit) -> list[str]:
    """Groups without which another option leads."""
    return _without("group", audit.data.groups, audit.leaders_without_group, audit)


def source_lines(audit: ScoreAudit) -> list[str]:
    """Sources without which another option leads, and those that look wrong."""
    lines = _without("source", audit.data.sources, audit.leaders_without_source, audit)
    if audit.suspects:
        lines.append("Sources that favour or harm one option as no other does:")
    for one in audit.suspects[:NAMED]:
        name = printable((audit.data.sources or ())[one.source], limit=40)
        lines.append(f"  {name}: {suspect_words(audit, one.option, one.effect, one.units)}")
    lines += _more(len(audit.suspects), NAMED)
    if audit.copies:
        lines.append("Items with the scores of another item:")
        pairs = [(audit.data.items[one.item], audit.data.items[one.first]) for one in audit.copies[:NAMED]]
        lines += [f"  {printable(item, limit=40)}: those of {printable(first, limit=40)}" for item, first in pairs]
        lines += _more(len(audit.copies), NAMED)
    return lines


def suspect_words(audit: ScoreAudit, option: int, effect: float, units: int) -> str:
    """By how much a source favours an option."""
    more = "more" if effect * audit.data.sign > 0 else "less"
    points = f"{100 * abs(effect):.3g} points" if in_units(audit.data, 1.0) == "100.0%" else f"{abs(effect):.3g}"
    return f"gave {audit.describe(option)} {points} {more} than the others did, on {counted(units, 'item')}"


def note_lines(audit: ScoreAudit) -> list[str]:
    """What was left out or supposed, and items that tell nothing."""
    data = audit.data
    low, high = sorted((data.low * data.sign, data.high * data.sign))
    same = int((np.ptp(data.cells, axis=0) == 0).sum())
    lines = [f"A score may be anything from {low:g} to {high:g}."]
    if same:
        which = _extreme(data.cells, data.low, data.high)
        lines.append(f"{counted(same, 'item')} of {len(data.items):,} gave all options the same score{which}.")
    return lines + [f"{note[0].upper()}{note[1:]}." for note in data.notes]


def _extreme(cells: np.ndarray, low: float, high: float) -> str:
    best, worst = int((cells == high).all(axis=0).sum()), int((cells == low).all(axis=0).sum())
    return f", the best one in {best:,} and the worst one in {worst:,}" if best or worst else ""


def _without(
    what: str, names: tuple[str, ...] | None, leaders: list[tuple[int, int | None]], audit: ScoreAudit
) -> list[str]:
    """Who leads without each part, where it is another option."""
    if names is None:
        return []
    others = [(names[part], leader) for part, leader in leaders if leader not in (None, audit.winner)]
    if not others:
        return [f"The leader is the same without any one {what}."]
    lines = [f"Another option leads without one {what}:"]
    lines += [
        f"  without {printable(name, limit=40)}: {audit.describe(leader or 0)}" for name, leader in others[:NAMED]
    ]
    return lines + _more(len(others), NAMED)


def _named(names: tuple[str, ...], which: np.ndarray) -> str:
    shown = ", ".join(printable(names[i], limit=40) for i in which[:NAMED])
    return shown + (f" and {len(which) - NAMED:,} more" if len(which) > NAMED else "")


def _more(count: int, most: int) -> list[str]:
    return [f"  and {count - most:,} more"] if count > most else []
