"""Comparisons as HTML: a sortable table with a picture of all gaps, what was compared, and the command for it.

Pictures are SVG, WIDE x HIGH pixels, with the gap on a square-root scale: 1% and 50% can both be seen.
"""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import sqrt

from unswayed.plots.page import escaped
from unswayed.text import counted, listed, printable
from unswayed_gauntlet.report.scores import (
    HONEST,
    Comparison,
    GameId,
    Played,
    Score,
    Share,
    comparisons,
    in_order,
    score,
    scores,
)
from unswayed_gauntlet.report.summary import LOST

WIDE, HIGH, EDGE = 300, 44, 14  # pixels; the margin left and right of the scale
TICKS = (0, 0.01, 0.04, 0.1, 0.25, 0.5, 1)
GOLDEN = 0.6180339887498949  # multiples of it, less their whole part, fill the height of a picture evenly
Names = tuple[str, ...]


def shown(text: object, limit: int | None = None) -> str:
    """Text of others, as HTML on one line."""
    return escaped(printable(str(text), limit=limit))


def percent(value: float) -> str:
    """A share with two digits or so.

    Example:
        >>> percent(0.00123), percent(0.0234), percent(0.345)
        ('0.12%', '2.3%', '34%')
    """
    size = abs(100 * value)
    return f"{100 * value:z.{0 if size >= 9.95 or not size else 1 if size >= 0.995 else 2}f}%"


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


def commands(lines: Sequence[str]) -> str:
    """Commands as HTML, out of the way until they are asked for."""
    title = "the command" if len(lines) == 1 else f"the {len(lines)} commands"
    code = "".join(f"<code class='command'>{escaped(line)}</code>" for line in lines)
    return f"<details><summary>{title} for these numbers</summary>{code}</details>"


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


def boards(runs: Played) -> str:
    """All comparisons of some runs: that of all optimisers, then fewer of them over more games, then every run."""
    found, parts = comparisons(runs), []
    for place, one in enumerate(found):
        left = sorted(set(runs).difference(one.optimizers))
        whole = f"<p class='soft'>{_about(one, left)}</p>{_compared_board(runs, one)}{commands(command(*one))}"
        more = f"without {shown(listed(left))}: {counted(len(one.games), 'game')}" if left else ""
        parts.append(f"<details><summary>{more}</summary>{whole}</details>" if place else whole)
    if not found:
        parts.append("<p class='note bad'>No two optimisers have played the same game, so none can be compared.</p>")
    if any(set(own) != set(found[0].games if found else ()) for own in runs.values()):
        parts.append(_every(runs, bool(found)))
    return "".join(parts)


def _compared_board(runs: Played, one: Comparison) -> str:
    found, usual = scores(runs, one)
    return board(found, usual if len(found) > 1 else None)


def _about(one: Comparison, left: Sequence[str]) -> str:
    honest = sum(game.corruption == HONEST for game in one.games)
    mixed = f" ({honest:,} honest, {len(one.games) - honest:,} attacked)" if 0 < honest < len(one.games) else ""
    n = len(one.optimizers)
    everybody = "both" if n == 2 else f"all {n}"
    who = "it" if n == 1 else f"these {n} optimisers" if left else f"{everybody} optimisers"
    missing = f" Not here: {shown(listed(left))}." if left else ""
    games = f"{counted(len(one.games), 'game')}{mixed}"
    return f"Over the {games} that {who} played: {shown(described(one.games))}.{missing}"


def _every(runs: Played, closed: bool) -> str:
    """Every run of each optimiser, whatever the others have played."""
    own = in_order(score(name, list(games.values())) for name, games in runs.items())
    text = (
        "<p class='note'>Each line is over games of its own, which may be easier or harder than those of the others: "
        "do not compare the lines.</p>"
    )
    lines = [line for name, games in sorted(runs.items()) for line in command([name], games)]
    total = sum(map(len, runs.values()))
    return (
        f"<details{'' if closed else ' open'}><summary>every run of each, not comparable: {total:,}</summary>"
        f"{text}{board(own)}{commands(lines)}</details>"
    )


def board(found: Sequence[Score], usual: str | None = None) -> str:
    """A table with a line for each optimiser.

    Args:
        found: The lines.
        usual: Whom gaps and times are compared with; None if nothing can be compared.

    Returns:
        HTML.
    """
    than = shown(usual, 30)
    heads = ["optimiser", "lost", "median gap", "", "lost by our rule", "claims true", "CPU ms a play"]
    heads += [] if usual is None else [f"CPU / {than}'s", f"mean gap less {than}'s"]
    top = "".join(_head(head, head == "lost") for head in heads)
    lines = "".join(f"<tr>{_line(one)}{'' if usual is None else _compared(one)}</tr>" for one in found)
    return (
        f"<div class='scroll' tabindex='0' role='group' aria-label='scores'><table class='sortable'><thead><tr>{top}"
        f"</tr></thead><tbody>{lines}</tbody></table></div>"
    )


def _head(text: str, first: bool) -> str:
    if not text:
        return f"<th scope='col'>all gaps{_axis()}</th>"
    look = "" if text == "optimiser" else " class='n'"
    return f"<th scope='col'{look}{' aria-sort=ascending' if first else ''}><span class='by'>{text}</span></th>"


def _line(one: Score) -> str:
    gap = cell(one.gap.middle, percent(one.gap.middle), between(one.gap.low, one.gap.high))
    parts = [f"<th scope='row'>{shown(one.optimizer, 60)}</th>{_share(one.lost)}{gap}<td>{_strip(one)}</td>"]
    if one.lost_ours is None or one.ours is None:
        parts.append(cell(None))
    else:
        parts.append(_share(one.lost_ours, f"{one.saved} saved, {one.spoilt} spoilt"))
    parts.append(cell(None) if one.width is None else _share(one.claims, f"width {percent(one.width.middle)}"))
    low, middle, high = one.milliseconds
    parts.append(cell(middle, _time(middle), f"{_time(low)}&ndash;{_time(high)}"))
    return "".join(parts)


def _compared(one: Score) -> str:
    """What an optimiser has over the reference."""
    times = cell(one.times, "" if one.times is None else f"{_time(one.times)}")
    if one.less is None:
        return times + cell(None)
    mean, low, high = one.less
    return times + cell(mean, _signed(mean), f"{_signed(low)} to {_signed(high)}")


def cell(value: float | None, text: str = "", *more: str, look: str = "n") -> str:
    """A cell that is sorted by its value; without one it comes last."""
    if value is None:
        return f"<td class='{look}'>&ndash;</td>"
    below = "".join(f"<span class='soft'>{line}</span>" for line in more)
    return f"<td class='{look}' data-v='{value:.6g}'>{text}{below}</td>"


def _share(one: Share | None, *more: str) -> str:
    if one is None:
        return cell(None)
    counts = f"<span class='soft of'>{one.count}/{one.of}</span> "
    return cell(one.share, f"{counts}{one.share:.0%}", f"{100 * one.low:.0f}&ndash;{one.high:.0%}", *more)


def between(low: float, high: float) -> str:
    """A range of shares."""
    return f"{percent(low).removesuffix('%')}&ndash;{percent(high)}"


def _signed(value: float) -> str:
    return f"{'+' if value > 0 else ''}{percent(value)}"


def _time(value: float) -> str:
    return f"{value:,.0f}" if value >= 99.5 else f"{value:.2g}"


def _place(gap: float) -> int:
    """Where a gap is on the scale, in pixels."""
    return round(EDGE + (WIDE - 2 * EDGE) * sqrt(min(max(gap, 0.0), 1.0)))


def _axis() -> str:
    ticks = "".join(
        f"<text x='{_place(tick)}' y='11'{' class=out' if tick > LOST else ''}>{tick:.0%}</text>" for tick in TICKS
    )
    return f"<svg class='axis' viewBox='0 0 {WIDE} 15' aria-hidden='true'>{ticks}</svg>"


def _strip(one: Score) -> str:
    """All gaps as dots, spread over the height in order of size; a box from quartile to quartile, and the median."""
    places = {(_place(gap), 4 + round((HIGH - 8) * (k * GOLDEN % 1))) for k, gap in enumerate(one.gaps)}
    dots = "".join(f"M{x} {y}h0" for x, y in sorted(places))
    low, middle, high = map(_place, one.gap)
    grid = "".join(f"M{_place(tick)} 0v{HIGH}" for tick in TICKS)
    lost = _place(LOST)
    return (
        f"<svg class='strip' viewBox='0 0 {WIDE} {HIGH}' aria-hidden='true'>"
        f"<rect class='lost' x='{lost}' y='0' width='{_place(1) - lost}' height='{HIGH}'/>"
        f"<path class='grid' d='{grid}'/>"
        f"<path class='dots' d='{dots}'/><rect class='box' x='{low}' y='13' width='{max(high - low, 1)}' height='18'/>"
        f"<path class='median' d='M{middle} 9v26'/></svg>"
    )
