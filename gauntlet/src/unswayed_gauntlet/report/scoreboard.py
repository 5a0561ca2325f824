"""What a gauntlet writes and prints: the page, the table without times, and a scoreboard."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from unswayed.experiments.store import RunFolder
from unswayed.experiments.sweep import Failure
from unswayed.storage import write_atomically
from unswayed.text import counted
from unswayed_gauntlet.report.page import page
from unswayed_gauntlet.report.scores import HONEST, FinishedMatch, played, runs_of, score
from unswayed_gauntlet.report.summary import markdown

Row = Mapping[str, Any]
PAGE = "gauntlet.html"
TABLE = "table.md"


def write(folder: RunFolder, rows: Sequence[Row], settings: Mapping[str, Any], failures: Sequence[Failure]) -> None:
    """Write the page, and the table: the same runs and failures make the same table, byte for byte.

    Args:
        folder: Where the runs are kept.
        rows: The finished runs, in the order of the gauntlet.
        settings: For the page: the command, the version, and how it was run.
        failures: The matches that gave no result.
    """
    missing = f"\n{counted(len(failures), 'run')} failed: see {PAGE}.\n" if failures else ""
    write_atomically(folder.path / TABLE, f"{markdown(rows, times=False)}\n{missing}".encode())
    write_atomically(folder.path / PAGE, page(rows, settings=settings, failures=failures).encode())


def scoreboard(rows: Iterable[Row]) -> dict[str, Any]:
    """How each optimiser did at the end of the games that all of them have finished, attacked and honest apart.

    Args:
        rows: Of matches.

    Returns:
        `games`: how many of each kind are compared. `optimizers`: for each name the number of `runs`, and for each kind
        the share of `lost` runs, the `gap` (lower quartile, median, upper quartile), and `lost_ours`: the share that
        would have been lost if Unswayed had recommended from the same measurements. None where there is no game.

    Example:
        >>> from unswayed_gauntlet.match import Match
        >>> scoreboard([Match("random", "branin-2", "none", 20, 0).row()])["games"]
        {'attacked': 0, 'honest': 1}
    """
    runs = played(runs_of(rows))
    shared = sorted(set.intersection(*map(set, runs.values()))) if runs else []
    kinds = {
        "attacked": [game for game in shared if game.corruption != HONEST],
        "honest": [game for game in shared if game.corruption == HONEST],
    }
    lines = {
        name: {
            "runs": len(own),
            **{kind: _figures(name, [own[game] for game in games]) for kind, games in kinds.items()},
        }
        for name, own in runs.items()
    }
    return {"games": {kind: len(games) for kind, games in kinds.items()}, "optimizers": lines}


def _figures(name: str, runs: Sequence[FinishedMatch]) -> dict[str, Any] | None:
    if not runs:
        return None
    one = score(name, runs)
    return {"lost": one.lost.share, "gap": list(one.gap), "lost_ours": one.lost_ours and one.lost_ours.share}


def lines(board: Mapping[str, Any]) -> list[list[str]]:
    """The scoreboard as cells of text, the fewest lost runs first."""
    kinds = [kind for kind, count in board["games"].items() if count]
    heads = [head for kind in kinds for head in (f"{kind}: lost", "median gap (quartiles)", "lost by our rule")]
    ranked = sorted(board["optimizers"].items(), key=lambda one: _order(one[1], kinds))
    body = [[name, f"{score['runs']:,}", *(c for kind in kinds for c in _cells(score[kind]))] for name, score in ranked]
    return [["optimizer", "runs", *heads], *body]


def _order(score: Mapping[str, Any], kinds: Sequence[str]) -> list[float]:
    return [number for kind in kinds for number in (score[kind]["lost"], score[kind]["gap"][1])]


def _cells(score: Mapping[str, Any]) -> list[str]:
    low, middle, high = (f"{100 * gap:.1f}" for gap in score["gap"])
    ours = score["lost_ours"]
    return [f"{score['lost']:.0%}", f"{middle}% ({low}..{high})", "" if ours is None else f"{ours:.0%}"]
