"""The gauntlet in Markdown: lost runs, gaps, ranks, paired differences and overhead, at all checkpoints."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import rankdata

from unswayed.text import counted
from unswayed_gauntlet.report.scores import HONEST, FinishedMatch, GameId, Played, Score, finished, score

RIVALS = ("botorch", "tpe")  # the references for gaps and times


class Section(NamedTuple):
    """What a table of the text is about."""

    corruption: str
    plays: int
    checkpoint: int

    @property
    def length(self) -> str:
        """The number of plays in words."""
        return f"{self.plays} plays" if self.checkpoint == self.plays else f"{self.checkpoint} of {self.plays}"


def sections(rows: Iterable[Mapping[str, Any]]) -> dict[Section, Played]:
    """The runs of each section: honest ones at all checkpoints, attacked ones at the end."""
    found: dict[Section, dict[str, dict[GameId, FinishedMatch]]] = defaultdict(lambda: defaultdict(dict))
    for row in rows:
        for place, checkpoint in enumerate(row["checkpoints"]):
            if row["corruption"] == HONEST or checkpoint == row["plays"]:
                run = finished(row, place)
                found[Section(row["corruption"], row["plays"], checkpoint)][run.optimizer][run.game] = run
    order = sorted(found, key=lambda one: (one.corruption != HONEST, one.plays, one.corruption, one.checkpoint))
    return {one: found[one] for one in order}


def ranks(runs: Played) -> tuple[dict[str, float], int]:
    """The mean rank of each optimiser over the games that all have played, and how many these are."""
    shared = sorted(set.intersection(*map(set, runs.values())))
    if not shared:
        return dict.fromkeys(runs, np.nan), 0
    table = rankdata([[own[game].gap for game in shared] for own in runs.values()], axis=0)
    return dict(zip(runs, table.mean(axis=1).tolist(), strict=True)), len(shared)


def markdown(rows: Iterable[Mapping[str, Any]], *, times: bool = True) -> str:
    """The shares of lost runs, then a table for each corruption, number of plays and checkpoint, best rank first.

    Args:
        rows: As `Match.row` gives them.
        times: Whether CPU times are shown: without them, the same runs make the same text.
    """
    found = sections(rows)
    if not found:
        return "No finished runs."
    rivals = [rival for rival in RIVALS if any(rival in runs for runs in found.values())]
    return "\n\n".join([_lost(found), *(_table(one, runs, rivals, times) for one, runs in found.items())])


def _lost(found: Mapping[Section, Played]) -> str:
    """The share of lost runs by each optimiser, and how many runs these are; the smallest of a row is bold."""
    names = sorted({name for runs in found.values() for name in runs})
    lines = ["### Lost runs (in brackets: how many each optimiser has played)", "", *_head(["", *names])]
    for one, runs in found.items():
        lost = {name: score(name, list(own.values())).lost for name, own in runs.items()}
        least = min(share.share for share in lost.values())
        cells = {name: f"{share.share:.0%} ({share.of})" for name, share in lost.items()}
        cells |= {name: f"**{cells[name]}**" for name, share in lost.items() if share.share == least}
        lines.append(_line([f"{one.corruption}, {one.length}", *(cells.get(name, "") for name in names)]))
    return "\n".join(lines)


def _table(one: Section, runs: Played, rivals: Sequence[str], times: bool) -> str:
    place, shared = ranks(runs)
    heads = ["optimizer", "runs", "lost", "median gap (quartiles)", "rank"]
    heads += [f"gap less {rival}'s (95%)" for rival in rivals]
    heads += ["ms/play", *(f"x {rival}" for rival in rivals)] if times else []
    length = one.length if one.checkpoint == one.plays else f"{one.length} plays"
    title = f"### {one.corruption}, {length}; ranks over {counted(shared, 'game')} that all have"
    lines = [title, "", *_head(heads)]
    for name in sorted(runs, key=lambda name: (place[name], name)):
        own = list(runs[name].values())
        against = [_against(name, rival, runs) for rival in rivals]
        cells = [name, *_gaps(score(name, own)), f"{place[name]:.2f}"]
        cells += ["" if rival is None else _difference(rival.less) for rival in against]
        if times:
            cells.append(f"{np.mean([run.milliseconds for run in own]):.1f}")
            cells += ["" if rival is None or rival.times is None else f"{rival.times:.2f}" for rival in against]
        lines.append(_line(cells))
    return "\n".join(lines)


def _against(name: str, rival: str, runs: Played) -> Score | None:
    """How an optimiser did beside another one in the games that both have played; None if there are none."""
    shared = sorted(runs[name].keys() & runs.get(rival, {}).keys()) if rival != name else []
    return score(name, [runs[name][g] for g in shared], [runs[rival][g] for g in shared]) if shared else None


def _gaps(one: Score) -> list[str]:
    """The number of runs, the share of lost ones, and the median gap with its quartiles."""
    low, middle, high = (100 * gap for gap in one.gap)
    return [str(one.lost.of), f"{one.lost.share:.0%}", f"{middle:.2f}% ({low:.2f}..{high:.2f})"]


def _difference(less: tuple[float, float, float] | None) -> str:
    return "{:+.2f}% ({:+.2f}..{:+.2f})".format(*(100 * x for x in less)) if less else ""


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _head(cells: Sequence[str]) -> list[str]:
    return [_line(cells).replace("|  |", "| |", 1), "|---" + "|---:" * (len(cells) - 1) + "|"]
