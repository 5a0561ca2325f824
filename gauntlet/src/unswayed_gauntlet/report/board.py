"""Comparisons of optimisers as a page shows them: the lines of a table, what was compared, and the command for it.

All gaps of a line are drawn as dots, WIDE x HIGH pixels, on a square-root scale: 1% and 50% can both be seen.
"""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import sqrt
from typing import NamedTuple

from unswayed.text import counted, listed, printable
from unswayed_gauntlet.report.scores import (
    HONEST,
    LOST,
    Comparison,
    GameId,
    Played,
    Score,
    comparisons,
    in_order,
    score,
    scores,
)

WIDE = 300  # pixels of a picture of gaps
HIGH = 44  # pixels
EDGE = 14  # pixels left and right of the scale
TICKS = (0, 0.01, 0.04, 0.1, 0.25, 0.5, 1)  # gaps
GOLDEN = 0.6180339887498949  # the golden ratio: the fractional parts of its multiples fill an interval evenly
Names = tuple[str, ...]


class Board(NamedTuple):
    """A table with a line for each optimiser.

    Attributes:
        title: Of a table that is folded up; empty if it is not.
        about: What is compared.
        lines: The scores.
        usual: The reference for gaps and times; None if nothing can be compared.
        commands: They play these games again.
    """

    title: str
    about: str
    lines: Sequence[Score]
    usual: str | None
    commands: Sequence[str]


class Boards(NamedTuple):
    """All comparisons of some runs: of all optimisers, then of fewer optimisers over more games.

    Attributes:
        compared: The comparisons; the first one is open.
        every: Every run of each optimiser, which cannot be compared; None if the comparisons show all runs.
    """

    compared: Sequence[Board]
    every: Board | None


def boards(runs: Played) -> Boards:
    """All comparisons of some runs."""
    found = comparisons(runs)
    compared = [_compared(runs, one, folded=place > 0) for place, one in enumerate(found)]
    games = set(found[0].games if found else ())
    return Boards(compared, _every(runs) if any(set(own) != games for own in runs.values()) else None)


def _compared(runs: Played, one: Comparison, *, folded: bool) -> Board:
    left_out = sorted(set(runs).difference(one.optimizers))
    lines, usual = scores(runs, one)
    title = f"without {listed(left_out)}: {counted(len(one.games), 'game')}" if folded else ""
    return Board(title, _about(one, left_out), lines, usual if len(lines) > 1 else None, command(*one))


def _about(one: Comparison, left_out: Sequence[str]) -> str:
    honest = sum(game.corruption == HONEST for game in one.games)
    mixed = f" ({honest:,} honest, {len(one.games) - honest:,} attacked)" if 0 < honest < len(one.games) else ""
    n = len(one.optimizers)
    everybody = "both" if n == 2 else f"all {n}"
    who = "it" if n == 1 else f"these {n} optimisers" if left_out else f"{everybody} optimisers"
    missing = f" Not here: {listed(left_out)}." if left_out else ""
    return f"Over the {counted(len(one.games), 'game')}{mixed} that {who} played: {described(one.games)}.{missing}"


def _every(runs: Played) -> Board:
    """Every run of each optimiser, whatever the others have played."""
    about = (
        "Each line is over games of its own, which may be easier or harder than those of the others: do not compare "
        "the lines."
    )
    own = in_order(score(name, list(games.values())) for name, games in runs.items())
    lines = [line for name, games in sorted(runs.items()) for line in command([name], games)]
    total = sum(map(len, runs.values()))
    return Board(f"every run of each, not comparable: {total:,}", about, own, None, lines)


def command(optimizers: Iterable[str], games: Iterable[GameId]) -> list[str]:
    """The commands that play these games again; each makes a full product, with all seeds from 0.

    Example:
        >>> command(["random"], [GameId("branin-2", "none", 20, 0), GameId("branin-2", "none", 20, 1)])
        ['unswayed gauntlet --optimizers random --problems branin-2 --corruptions none --plays 20 --seeds 2']
    """
    seeds: dict[tuple[str, str, int], int] = defaultdict(int)
    for problem, corruption, plays, seed in games:
        seeds[problem, corruption, plays] = max(seeds[problem, corruption, plays], seed + 1)
    problems: dict[tuple[str, int, int], list[str]] = defaultdict(list)
    for (problem, corruption, plays), count in sorted(seeds.items()):
        problems[corruption, plays, count].append(problem)
    corruptions: dict[tuple[Names, int, int], list[str]] = defaultdict(list)
    for (corruption, plays, count), some in sorted(problems.items()):
        corruptions[tuple(some), plays, count].append(corruption)
    lengths: dict[tuple[Names, Names, int], list[str]] = defaultdict(list)
    for (where, plays, count), kinds in sorted(corruptions.items()):
        lengths[where, tuple(kinds), count].append(str(plays))
    who = _words(sorted(optimizers))
    return [
        f"unswayed gauntlet --optimizers {who} --problems {_words(where)} --corruptions {_words(named)} "
        f"--plays {_words(numbers)} --seeds {count}"
        for (where, named, count), numbers in lengths.items()
    ]


def _words(names: Sequence[str]) -> str:
    return printable(shlex.quote(",".join(names)))


def described(games: Sequence[GameId]) -> str:
    """Which games these are, in words.

    Example:
        >>> described([GameId("branin-2", "hide", 20, 0), GameId("branin-2", "none", 20, 0)])
        'branin-2; hide and none; 20 plays; 1 seed'
    """
    problems, corruptions, plays, seeds = (sorted({game[place] for game in games}) for place in range(4))
    first = listed([str(name) for name in problems]) if len(problems) <= 3 else counted(len(problems), "problem")
    kinds = listed([str(name) for name in corruptions])
    lengths = listed([str(number) for number in plays]).replace(" and ", " or ")
    return f"{first}; {kinds}; {lengths} plays; {counted(len(seeds), 'seed')}"


def percent(value: float) -> str:
    """A share with two digits or so.

    Example:
        >>> percent(0.00123), percent(0.0234), percent(0.345)
        ('0.12%', '2.3%', '34%')
    """
    size = abs(100 * value)
    return f"{100 * value:z.{0 if size >= 9.95 or not size else 1 if size >= 0.995 else 2}f}%"


def between(ends: tuple[float, float]) -> str:
    """A range of shares."""
    return f"{percent(ends[0]).removesuffix('%')}–{percent(ends[1])}"  # noqa: RUF001


def signed(value: float) -> str:
    """A difference of shares."""
    return f"{'+' if value > 0 else ''}{percent(value)}"


def time(value: float) -> str:
    """Milliseconds, or a ratio of times."""
    return f"{value:,.0f}" if value >= 99.5 else f"{value:.2g}"


def place(gap: float) -> int:
    """Where a gap is on the scale, in pixels."""
    return round(EDGE + (WIDE - 2 * EDGE) * sqrt(min(max(gap, 0.0), 1.0)))


def dots(one: Score) -> str:
    """All gaps as the path of dots, spread over the height in order of size."""
    places = {(place(gap), 4 + round((HIGH - 8) * (k * GOLDEN % 1))) for k, gap in enumerate(one.gaps)}
    return "".join(f"M{x} {y}h0" for x, y in sorted(places))


DRAWN = {"WIDE": WIDE, "HIGH": HIGH, "TICKS": TICKS, "LOST": LOST, "place": place, "dots": dots}
FORMATS = {"percent": percent, "between": between, "signed": signed, "time": time}
