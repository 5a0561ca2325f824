"""The page of the gauntlet: one HTML file that loads nothing, the same bytes for the same runs."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from unswayed.pages.render import environment, file_text, standalone
from unswayed.text import counted, listed, printable
from unswayed_gauntlet.liars import CORRUPTIONS, LIARS
from unswayed_gauntlet.report.board import DRAWN, FORMATS, Boards, boards, command
from unswayed_gauntlet.report.scores import HONEST, LOST, FinishedMatch, GameId, played, runs_of

HEAT = (0.01, 0.03, LOST, 0.25, 0.5)  # gaps at which the colour of a table of medians changes
LONGEST = 500  # characters of a reason
MOST_REASONS = 200  # reasons that are listed
environment(__package__).filters |= FORMATS
environment(__package__).globals |= DRAWN


class Panel(NamedTuple):
    """A part of the page with comparisons: its address in the page, its title, what it is about, and a note."""

    anchor: str
    title: str
    about: str
    note: str
    found: Boards | None


def page(rows: Iterable[Mapping[str, Any]], *, settings: Mapping[str, Any], failures: Sequence[object] = ()) -> str:
    """The page as HTML.

    Args:
        rows: Finished runs, as `Match.row` gives them.
        settings: For the reader: `command` makes the whole page, `version` is that of Unswayed; others are listed.
        failures: Runs that failed, with their reasons.

    Returns:
        One file that needs no network.

    Raises:
        InvalidInput: A gap is not a finite number, or one optimiser has two runs of one game.

    Example:
        >>> from unswayed_gauntlet.match import Match
        >>> text = page([Match("random", "branin-2", "none", 20, 0).row()], settings={"command": "x", "version": "1"})
        >>> text.startswith("<!doctype html>")
        True
    """
    runs = runs_of(rows)
    reasons = sorted(printable(str(failure), limit=LONGEST) for failure in failures)
    contents = json.dumps([[run.fingerprint, run.gap] for run in runs])
    return standalone(
        __package__,
        "page.html",
        style=file_text(__package__, "page.css"),
        script=file_text(__package__, "page.js"),
        runs=len(runs),
        kinds=listed(_kinds(runs)),
        settings=settings,
        failures=len(failures),
        failed=_failed(failures),
        reasons=[
            *reasons[:MOST_REASONS],
            *([f"and {len(reasons) - MOST_REASONS:,} more"] if len(reasons) > MOST_REASONS else []),
        ],
        views=list(_views(runs)),
        corruptions=list(_corruptions(runs)),
        problems=list(_problems(runs)),
        heat=[f"to {edge:.0%}" for edge in HEAT] + [f"above {HEAT[-1]:.0%}"],
        players=sorted(Counter((run.optimizer, run.versions) for run in runs).items()),
        results=sha256(contents.encode()).hexdigest()[:16],
    )


def _kinds(runs: Sequence[FinishedMatch]) -> list[str]:
    names = {
        "optimiser": {run.optimizer for run in runs},
        "problem": {run.game.problem for run in runs},
        "corruption": {run.game.corruption for run in runs} - {HONEST},
    }
    return [counted(len(found), noun) for noun, found in names.items()]


def _failed(failures: Sequence[object]) -> str:
    """Who failed how often."""
    names = Counter(getattr(getattr(failure, "trial", None), "optimizer", "") for failure in failures)
    return ", ".join(f"{name} {count:,}" for name, count in sorted(names.items()) if name)


def _anchors(kind: str, names: Iterable[str]) -> dict[str, str]:
    """An address in the page for each name: readable if that is unique."""
    found: dict[str, str] = {}
    for name in names:
        plain = f"{kind}-{re.sub('[^a-z0-9]+', '-', name.lower()).strip('-')}"
        found[name] = plain if plain not in found.values() else f"{plain}--{len(found)}"
    return found


def _views(runs: Sequence[FinishedMatch]) -> Iterator[Panel]:
    """Attacked, honest, and both together."""
    attacked, honest = (
        played(run for run in runs if (run.game.corruption == HONEST) is kind) for kind in (False, True)
    )
    both = played(run for run in runs if run.optimizer in attacked and run.optimizer in honest)
    views = {
        "Attacked": (attacked, "Somebody may tamper with the measurements."),
        "Honest": (honest, "Nobody lies; there is noise."),
        "Both together": (both, "Honest and attacked games in one table."),
    }
    everybody = {run.optimizer for run in runs}
    for title, (some, about) in views.items():
        missing = sorted(everybody.difference(some))
        absent = f" Not here, without such runs: {listed(missing)}." if some and missing else ""
        yield Panel(title.split()[0].lower(), title, about + absent, "", boards(some) if some else None)


def _corruptions(runs: Sequence[FinishedMatch]) -> Iterator[Panel]:
    """A panel for each corruption, in our order; unknown ones come last."""
    known = [name for name in CORRUPTIONS if name != HONEST]
    present = {run.game.corruption for run in runs} - {HONEST}
    ordered = [name for name in known if name in present] + sorted(present.difference(known))
    for name, anchor in _anchors("corruption", ordered).items():
        some = [run for run in runs if run.game.corruption == name]
        about = CORRUPTIONS[name].about if name in CORRUPTIONS else ""
        yield Panel(anchor, name, about, _ledger(name, some), boards(played(some)))


def _ledger(name: str, runs: Sequence[FinishedMatch]) -> str:
    """The most that the liar did in one run."""
    spent = max(run.spent for run in runs)
    lies = max(run.lies for run in runs)
    workers = name in CORRUPTIONS and CORRUPTIONS[name].bound == LIARS
    liars = max((run.liars or 0 for run in runs), default=0) if workers else 0
    sources = f"{counted(liars, 'lying source')}, " if liars else ""
    idle = sum(not run.lies for run in runs)
    text = f"In one run at most: {counted(lies, 'lie')}, {sources}changes that add up to {spent:.3g} ranges."
    if idle:
        text += f" In {idle:,} of {counted(len(runs), 'run')} nothing was changed: no play was where the liar lies."
    return text


def _problems(runs: Sequence[FinishedMatch]) -> Iterator[dict[str, Any]]:
    """Median gaps on each problem: a line for each corruption and number of plays, a column for each optimiser."""
    for problem, anchor in _anchors("problem", sorted({run.game.problem for run in runs})).items():
        mine = [run for run in runs if run.game.problem == problem]
        names = sorted({run.optimizer for run in mine})
        lines = []
        games: set[GameId] = set()
        for corruption, plays in sorted({run.game[1:3] for run in mine}, key=lambda key: (key[0] != HONEST, *key)):
            some = played(run for run in mine if run.game[1:3] == (corruption, plays))
            shared = set.intersection(*(set(own) for own in some.values()))  # the seeds that all in this line have
            games |= shared
            about = f"{plays} plays, {counted(len(shared), 'seed')}"
            cells = [_heat(sorted(some[name][game].gap for game in shared) if name in some else []) for name in names]
            lines.append({"corruption": corruption, "about": about, "cells": cells})
        yield {
            "anchor": anchor,
            "title": problem,
            "optimizers": names,
            "lines": lines,
            "commands": command(names, games),
        }


def _heat(gaps: Sequence[float]) -> dict[str, Any] | None:
    """The median, the smallest and the largest of some gaps, and the number of the colour; None without gaps."""
    if not gaps:
        return None
    middle = (gaps[(len(gaps) - 1) // 2] + gaps[len(gaps) // 2]) / 2
    ends = (gaps[0], gaps[-1]) if len(gaps) > 1 else None
    return {"middle": middle, "ends": ends, "colour": sum(middle > edge for edge in HEAT)}
