"""An audit of votes in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from unswayed.audits.votes.voters import Suspect
from unswayed.core.votes import Bracket, Move
from unswayed.text import counted

if TYPE_CHECKING:
    from unswayed.audits.votes.audit import VoteAudit

RANKED, NAMED = 20, 10  # options, and voters, that are listed
FAR = 4.0  # standard deviations: one side is preferred more often than chance explains
WHY = {
    "contrary": "agrees with nobody: {seen:,.0f} of {among:,} votes against the odds, {expected:,.0f} expected",
    "promotes": "prefers {option} in {seen:,.0f} of {among:,} votes, {expected:,.0f} expected",
    "attacks": "votes against {option} in {seen:,.0f} of {among:,} votes, {expected:,.0f} expected",
    "left": "prefers the left one in {seen:,.0f} of {among:,} votes, {expected:,.0f} expected",
    "right": "prefers the right one in {seen:,.0f} of {among:,} votes, {expected:,.0f} expected",
}


def headline(audit: VoteAudit) -> str:
    """The leader, and how often it is preferred."""
    second = audit.rivals[0].option
    p = 1 / (1 + np.exp(audit.scores.theta[second] - audit.scores.theta[audit.winner]))
    votes = f"{audit.data.total:,} {'vote' if audit.data.total == 1 else 'votes'}"
    first, other = (audit.data.names[option] for option in (audit.winner, second))
    if audit.rivals[0].flipped.least == 0:
        more = sum(rival.flipped.least == 0 for rival in audit.rivals) - 1
        others = f", as {'is' if more == 1 else 'are'} {counted(more, 'other')}" if more else ""
        return f"{first} and {other} are level (from {votes}){others}."
    among = f"first of {len(audit.labels):,}" if len(audit.labels) > 2 else "ahead"
    return f"{first} is {among} (from {votes}), expected to win {p:.0%} against {other}."


def details(audit: VoteAudit) -> list[str]:
    """Everything else that was found."""
    return [
        *part_lines(audit),
        *ranking(audit),
        *tier_lines(audit),
        *rival_lines(audit),
        *plan_lines(audit),
        *voter_lines(audit),
    ]


def part_lines(audit: VoteAudit) -> list[str]:
    """Options that cannot be ranked against each other."""
    parts = int(audit.scores.part.max()) + 1
    return [] if parts == 1 else [f"{parts:,} groups of options were never compared with each other."]


def ranking(audit: VoteAudit) -> list[str]:
    """The scores with intervals and ranks."""
    theta, mean = audit.scores.theta, audit.scores.theta.mean()
    lines = [f"Ranking (score, its {1 - audit.delta:.0%} interval, ranks that are possible if all is honest):"]
    for a in np.argsort(-theta, kind="stable")[:RANKED].tolist():
        low, high = audit.scores.interval(a, audit.delta)
        first, last = audit.ranks[a]
        ranks = f"rank {first}" if first == last else f"ranks {first} to {last}"
        lines.append(f"  {audit.describe(a)}: {theta[a] - mean:+.2f} ({low:+.2f} to {high:+.2f}), {ranks}")
    return lines + _more(len(theta), RANKED)


def tier_lines(audit: VoteAudit) -> list[str]:
    """Tiers that withstand forged votes."""
    lines = [f"Tiers that {counted(audit.withstands, 'forged vote')} cannot change:"]
    for number, tier in enumerate(audit.tiers, 1):
        names = ", ".join(audit.describe(i) for i in tier[:NAMED])
        lines.append(f"  {number}: {names}" + (f" and {len(tier) - NAMED:,} more" if len(tier) > NAMED else ""))
    return lines


def rival_lines(audit: VoteAudit) -> list[str]:
    """What would bring each rival level."""
    lines = ["Who could be level, and what it takes:"]
    for rival in audit.rivals[:NAMED]:
        parts = [f"forged votes: {bracket_words(rival.flipped)}"]
        if rival.dropped.most is not None:
            parts.append(f"votes left out: {bracket_words(rival.dropped)}")
        if rival.voters is not None:
            liars = rival.voters
            parts.append(f"lying voters: {bracket_words(Bracket(liars.least, liars.most))}")
        lines.append(f"  {audit.describe(rival.option)}: " + "; ".join(parts))
    return lines + _more(len(audit.rivals), NAMED)


def bracket_words(found: Bracket) -> str:
    """A number, or between which numbers it is."""
    if found.exact:
        return f"{found.least:,}"
    return f"at least {found.least:,}" if found.most is None else f"{found.least:,} to {found.most:,}"


def plan_lines(audit: VoteAudit) -> list[str]:
    """The cheapest way to change who leads."""
    plan = audit.rivals[0].flipped.plan
    if not plan:
        return []
    return ["The cheapest plan:", *(f"  {move_words(audit, move)}" for move in plan[:NAMED]), *_more(len(plan), NAMED)]


def move_words(audit: VoteAudit, move: Move) -> str:
    """Votes that would be forged, in words."""
    over, under = audit.describe(move.over), audit.describe(move.under)
    if move.tie:
        return f"{counted(move.number, 'tie')} of {over} and {under} would prefer {under}"
    return f"{counted(move.number, 'vote')} for {over} over {under} would say the opposite"


def voter_lines(audit: VoteAudit) -> list[str]:
    """Voters who look wrong, who vote very often, and whether one side is preferred."""
    lines: list[str] = []
    if audit.suspects:
        lines.append("Voters that the others do not explain:")
        lines += [f"  {audit.voter_name(one.voter)} {suspect_words(audit, one)}" for one in audit.suspects[:NAMED]]
        lines += _more(len(audit.suspects), NAMED)
    if audit.often:
        names = ", ".join(audit.voter_name(voter) for voter in audit.often[:NAMED])
        lines.append(f"Far more votes than nine in ten voters: {names}" + ("..." if len(audit.often) > NAMED else ""))
    if audit.left is not None and abs(audit.left[2]) > FAR:
        share, expected, _ = audit.left
        lines.append(f"The left one is preferred in {share:.1%} of the votes, where {expected:.1%} would be expected.")
    return lines


def suspect_words(audit: VoteAudit, one: Suspect) -> str:
    """Why a voter is suspected."""
    option = "" if one.option is None else audit.describe(one.option)
    return WHY[one.why].format(option=option, seen=one.seen, among=one.among, expected=one.expected)


def _more(count: int, most: int) -> list[str]:
    return [f"  and {count - most:,} more"] if count > most else []
