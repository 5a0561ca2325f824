"""The page of the gauntlet: one HTML file that loads nothing, the same bytes for the same runs."""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import Any

from unswayed.plots.page import document
from unswayed.text import counted, listed
from unswayed_gauntlet.liars import CORRUPTIONS, LIARS
from unswayed_gauntlet.report.board import between, boards, cell, command, commands, percent, shown
from unswayed_gauntlet.report.scores import HONEST, FinishedMatch, GameId, Played, played, runs_of
from unswayed_gauntlet.report.summary import LOST

HEAT = (0.01, 0.03, LOST, 0.25, 0.5)  # gaps at which the colour of a table of medians changes
LONGEST, MOST = 500, 200  # characters of a reason, and reasons that are listed
PAPER = (
    "Bogunovic, Li, Krause, Scarlett: A Robust Phased Elimination Algorithm for Corruption-Tolerant Gaussian Process "
    "Bandits. Advances in Neural Information Processing Systems, 2022. arXiv:2202.01850"
)
READ = f"""<details><summary>How to read the tables</summary><ul>
<li>A <b>game</b> is a problem, a corruption, a number of plays and a seed. All optimisers of a game meet the same noise
and the same liar. A table compares them only over games that all of them played, and every game counts the same.</li>
<li>The <b>gap</b> is the best value less the true value of what an optimiser recommends after its last play, as a
share of the best less the worst value. 0 is best. The table shows the median and the quartiles, and a dot for each run,
on a square-root scale.</li>
<li>A run is <b>lost</b> if its gap is above {LOST:.0%}. The table shows how many of how many runs, the share, and
Wilson's 95% interval. That interval takes the runs as independent. Runs on one problem are alike, so the true
uncertainty is larger.</li>
<li><b>Lost by our rule</b>: Unswayed recommends a point from the measurements that the optimiser made. Compare this
column with <i>lost</i> for the effect of the recommendation, and its lines with each other for the effect of the
search. For <code>unswayed</code> and <code>unswayed-wary</code> it is their own answer. <i>Saved</i>: lost by the
optimiser's own rule only. <i>Spoilt</i>: lost by ours only.</li>
<li><b>Claims true</b>: some optimisers claim a 95% interval for the true value of what they recommend. This is the
share of these claims that are true; it should be 95%. <i>Width</i>: the median width of the intervals, as a share of
the best less the worst value. Wide intervals are easily true.</li>
<li><b>CPU</b>: milliseconds of <code>ask</code> and <code>tell</code> for each play: the median and the quartiles; and
the total over that of another optimiser. Compare times of one machine only.</li>
<li><b>Mean gap less another's</b>: the mean difference in the same games, and Student's 95% interval over problems. An
interval that holds 0 can be chance, and with few problems it is wide.</li>
<li><code>unswayed</code> is told the limit that the liar keeps, <code>unswayed-wary</code> 5% of plays x range, whoever
lies. Optimisers of your own are told the limit if their factory has a parameter <code>threat</code>; the other tools
have no setting for it.</li></ul></details>"""


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
    style = _file("unswayed.service.pages", "static/style.css") + _file(__package__, "page.css")
    script = _file(__package__, "page.js")
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; base-uri 'none'; "
        "form-action 'none'"
    )
    head = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    body = _panels(runs) if runs else ["<p>No finished runs.</p>"]
    parts = ["<main>", *_top(runs, settings, failures), *body, *_end(runs, settings, failures), "</main>"]
    return document("The gauntlet of Unswayed", [*parts, f"<script>{script}</script>"], style=style, head=head)


@cache
def _file(package: str, name: str) -> str:
    return resources.files(package).joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}"


def _top(runs: Sequence[FinishedMatch], settings: Mapping[str, Any], failures: Sequence[object]) -> list[str]:
    kinds = {
        "optimiser": {run.optimizer for run in runs},
        "problem": {run.game.problem for run in runs},
        "corruption": {run.game.corruption for run in runs} - {HONEST},
    }
    many = [counted(len(names), noun) for noun, names in kinds.items()]
    return [
        "<h1>The gauntlet: optimisers when some of the measurements lie</h1>",
        f"<p class='lead'>{counted(len(runs), 'run')}: {listed(many)}.</p>",
        f"<p class='soft'>Made by Unswayed {shown(settings['version'])} with this command:</p>",
        f"<code class='command'>{shown(settings['command'])}</code>",
        _warning(failures) if failures else "",
    ]


def _warning(failures: Sequence[object]) -> str:
    """Who failed how often, and what that means for the numbers."""
    names = Counter(getattr(getattr(failure, "trial", None), "optimizer", "") for failure in failures)
    who = ", ".join(f"{name} {count:,}" for name, count in sorted(names.items()) if name)
    return (
        f"<p class='note bad'><b>{counted(len(failures), 'run')} failed{f' ({shown(who)})' if who else ''}.</b> They "
        "are in no table, so an optimiser that fails where it would lose looks better than it is. "
        "<a href='#failures'>The reasons</a></p>"
    )


def _panels(runs: Sequence[FinishedMatch]) -> list[str]:
    attacks = [name for name in CORRUPTIONS if name != HONEST]
    present = {run.game.corruption for run in runs} - {HONEST}
    ordered = [name for name in attacks if name in present] + sorted(present.difference(attacks))
    problems = sorted({run.game.problem for run in runs})
    kinds, places = _anchors("corruption", ordered), _anchors("problem", problems)
    parts = [
        "<nav aria-label='contents'><ul><li><a href='#scoreboard'>Scoreboard</a></li>",
        _links("Corruptions", kinds),
        _links("Problems", places),
        "</ul></nav>",
        "<h2 id='scoreboard'>Scoreboard</h2>",
        READ,
        *_views(runs),
    ]
    if ordered:
        parts.append("<h2>Corruptions</h2>")
    parts += [_corruption(kinds[name], name, [r for r in runs if r.game.corruption == name]) for name in ordered]
    parts += ["<h2>Problems</h2>", _key()]
    parts += [_problem(places[name], name, [r for r in runs if r.game.problem == name]) for name in problems]
    return parts


def _anchors(kind: str, names: Iterable[str]) -> dict[str, str]:
    """An address in the page for each name: readable if that is unique."""
    found: dict[str, str] = {}
    for name in names:
        plain = f"{kind}-{re.sub('[^a-z0-9]+', '-', name.lower()).strip('-')}"
        found[name] = plain if plain not in found.values() else f"{plain}--{len(found)}"
    return found


def _links(title: str, anchors: Mapping[str, str]) -> str:
    links = ", ".join(f"<a href='#{anchor}'>{shown(name, 40)}</a>" for name, anchor in anchors.items())
    return f"<li>{title}: {links}</li>" if anchors else ""


def _views(runs: Sequence[FinishedMatch]) -> Iterable[str]:
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
        absent = f" Not here, without such runs: {shown(listed(missing))}." if some and missing else ""
        anchor = title.split()[0].lower()
        body = boards(some) if some else "<p>No such runs.</p>"
        yield f"<section class='panel' id='{anchor}'><h3>{title}</h3><p>{about}{absent}</p>{body}</section>"


def _corruption(anchor: str, name: str, runs: Sequence[FinishedMatch]) -> str:
    about = about_corruption(name)
    text = f"<p>{shown(about)}</p>" if about else ""
    return (
        f"<section class='panel' id='{anchor}'><h3>{shown(name)}</h3>{text}<p class='soft'>{_ledger(runs)}</p>"
        f"{boards(played(runs))}</section>"
    )


def about_corruption(name: str) -> str:
    """What a corruption does, in one line; nothing for one that is not ours."""
    return str(getattr(CORRUPTIONS.get(name), "about", ""))


def _ledger(runs: Sequence[FinishedMatch]) -> str:
    """What the liar did at the most in one run."""
    spent, lies = max(run.spent for run in runs), max(run.lies for run in runs)
    workers = getattr(CORRUPTIONS.get(runs[0].game.corruption), "bound", None) == LIARS
    liars = max((run.liars or 0 for run in runs), default=0) if workers else 0
    sources = f"{counted(liars, 'lying source')}, " if liars else ""
    idle = sum(not run.lies for run in runs)
    never = (
        f" In {idle:,} of {counted(len(runs), 'run')} nothing was changed: no play was where the liar lies."
        if idle
        else ""
    )
    return f"In one run at most: {counted(lies, 'lie')}, {sources}changes that add up to {spent:.3g} ranges.{never}"


def _problem(anchor: str, name: str, runs: Sequence[FinishedMatch]) -> str:
    """Median gaps: a line for each corruption and number of plays, over the seeds that all in this line have."""
    names = sorted({run.optimizer for run in runs})
    lines, games = [], set[GameId]()
    for corruption, plays in sorted({run.game[1:3] for run in runs}, key=lambda key: (key[0] != HONEST, *key)):
        some = played(run for run in runs if run.game[1:3] == (corruption, plays))
        shared = set.intersection(*(set(own) for own in some.values()))
        games |= shared
        title = f"<th scope='row'>{shown(corruption)}<span class='soft'>{plays} plays, {counted(len(shared), 'seed')}"
        lines.append(f"<tr>{title}</span></th>{''.join(_heat(some, name, shared) for name in names)}</tr>")
    heads = "".join(
        f"<th scope='col'><span class='by'>{shown(head, 60)}</span></th>" for head in ("corruption", *names)
    )
    return (
        f"<section class='panel' id='{anchor}'><h3>{shown(name)}</h3><div class='scroll' tabindex='0' role='group' "
        f"aria-label='median gaps'><table class='sortable heat'><thead><tr>{heads}</tr></thead><tbody>{''.join(lines)}"
        f"</tbody></table></div>{commands(command(names, games))}</section>"
    )


def _heat(some: Played, name: str, shared: Iterable[GameId]) -> str:
    gaps = sorted(some[name][game].gap for game in shared) if name in some else []
    if not gaps:
        return cell(None)
    middle = (gaps[(len(gaps) - 1) // 2] + gaps[len(gaps) // 2]) / 2
    spread = [between(gaps[0], gaps[-1])] if len(gaps) > 1 else []
    return cell(middle, percent(middle), *spread, look=f"h{sum(middle > edge for edge in HEAT)}")


def _key() -> str:
    ends = [f"to {edge:.0%}" for edge in HEAT] + [f"above {HEAT[-1]:.0%}"]
    items = "".join(f"<li class='h{place}'>{text}</li>" for place, text in enumerate(ends))
    return (
        "<p>The median gap, and below it the smallest and the largest, over the seeds that all optimisers of a line "
        f"played. A dash: not played.</p><ul class='key' aria-label='colours'>{items}</ul>"
    )


def _end(runs: Sequence[FinishedMatch], settings: Mapping[str, Any], failures: Sequence[object]) -> list[str]:
    """Failures, who played, settings, and how to cite."""
    reasons = sorted(shown(failure, LONGEST) for failure in failures)
    more = [f"and {len(reasons) - MOST:,} more"] if len(reasons) > MOST else []
    lost = "".join(f"<li>{reason}</li>" for reason in [*reasons[:MOST], *more])
    parts = [f"<h2 id='failures'>Runs that failed</h2><ul>{lost}</ul>"] if failures else []
    versions = Counter((run.optimizer, run.versions) for run in runs)
    who = "".join(
        f"<tr><th scope='row'>{shown(name)}</th><td class='n'>{count:,}</td><td>{shown(text) or '&ndash;'}</td></tr>"
        for (name, text), count in sorted(versions.items())
    )
    heads = "<th scope='col'>optimiser</th><th scope='col' class='n'>runs</th><th scope='col'>packages</th>"
    table = f"<div class='scroll'><table><thead><tr>{heads}</tr></thead><tbody>{who}</tbody></table></div>"
    others = [(name, value) for name, value in settings.items() if name != "command"]
    lines = "".join(f"<li>{shown(name)}: {shown(value)}</li>" for name, value in others)
    contents = json.dumps([[run.fingerprint, run.gap] for run in runs])
    return [
        *parts,
        f"<h2>Who played, and settings</h2>{table if runs else ''}<ul>{lines}</ul>",
        "<h2>How to cite</h2><p>The Unswayed developers: Unswayed: corruption-tolerant Gaussian process bandits. "
        f"Version {shown(settings['version'])}. The gauntlet, {counted(len(runs), 'run')}, results "
        f"<code>{sha256(contents.encode()).hexdigest()[:16]}</code>.</p><p>{PAPER}</p>"
        "<p class='soft'>The code after <i>results</i> is a digest of the fingerprints and gaps of all runs: pages "
        "with the same code show the same runs.</p>",
    ]
