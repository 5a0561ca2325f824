"""`unswayed study status`: what is known of a study."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import typer

from unswayed.cli.options import Details, Json
from unswayed.cli.study.opening import Name, cells, connected, counts, is_url, read_study
from unswayed.text import counted

if TYPE_CHECKING:
    from unswayed.search.answer import Answer
    from unswayed.study.duel_answer import DuelAnswer
    from unswayed.study.study import Study

LISTED = 20  # open plays that are shown


def status(study: Name, details: Details = False, as_json: Json = False) -> None:
    """Print settings, plays and the answer so far; also while another process measures, and without writing.

    For example: [bold]unswayed study status lab.jsonl[/bold]
    """
    from unswayed.cli.output import print_json
    from unswayed.study.study import why_no_answer

    known = read_study(study)
    answer = known.answer() if any(play.measured for play in known.log) else None
    if as_json:
        print_json(_record(study, known, answer))
        return
    for name, text in _facts(study, known, answer):
        typer.echo(f"{name:<12}{text}")
    typer.echo("")
    if answer is None:
        typer.echo(why_no_answer(known.log))
    else:
        typer.echo(answer.explain() if details else str(answer))
    if shown := known.open_plays()[:LISTED]:
        typer.echo("\nOpen plays, to be measured:")
        print_plays(known, shown)


def print_plays(study: Study, plays: list[Any]) -> None:
    """A small table of plays."""
    from unswayed.cli.output import print_columns

    sources = [play.source or "" for play in plays]
    more = ["source"] if any(sources) else []
    rows = [
        [str(play.number), *cells(study, play), *[source for _ in more]]
        for play, source in zip(plays, sources, strict=True)
    ]
    print_columns([["play", *study.space.names, *more], *rows])


def _facts(name: str, study: Study, answer: Answer | DuelAnswer | None) -> list[tuple[str, str]]:
    """The lines above the answer."""
    from unswayed.core.tampering.threat import Threat
    from unswayed.search.answer import Answer
    from unswayed.spaces import Duels
    from unswayed.text import at_least, printable

    settings = study.settings
    limit = "no limit" if settings.plays is None else f"{study.plays_left:,} of {settings.plays:,} left to ask"
    threat = Threat.of(settings.threat)
    facts = [("study", name)]
    note = [("note", printable(settings.note))] if settings.note else []
    if isinstance(study.space, Duels):
        facts += [*note, ("compared", printable(", ".join(study.space.labels), limit=80))]
    else:
        facts += [("goal", "minimize" if settings.minimize else "maximize"), *note]
        facts += [("varied", ", ".join(study.space.names)), ("seed", str(study.seed))]
    facts += [("plays", f"{counts(study)}; {limit}")]
    facts += _trust(name, study)
    facts += [("quarantined", printable(", ".join(settings.quarantined)))] if settings.quarantined else []
    facts += [("threat", "not known" if threat is None else str(threat))]
    if isinstance(answer, Answer) and answer.weighed:
        b = answer.breakdown
        kinds = [f"{at_least(b.budget)} in all"]
        kinds += [counted(b.lies, "false measurement")] if b.lies is not None else []
        kinds += [counted(b.liars, "lying source")] if b.liars is not None and len(answer.sources) > 1 else []
        facts += [("breakdown", f"{', or '.join(kinds)} could have changed the answer")]
    return facts


def _trust(name: str, study: Study) -> list[tuple[str, str]]:
    """What is known of witnesses: by the server, which checks its signatures; nobody has checked those of a file."""
    if is_url(name):
        levels: dict[str, int] = connected(name).about().get("trust", {})
        shown = ", ".join(f"{count:,} {level}" for level, count in levels.items())
        return [("trust", shown)] if levels.keys() - {"self-reported"} else []
    claimed = study._state.claimed
    said = f"{counted(claimed, 'measurement')} said to be witnessed: `unswayed verify` checks that"
    return [("trust", said)] if claimed else []


def _record(name: str, study: Study, answer: Answer | DuelAnswer | None) -> dict[str, Any]:
    """The same for scripts."""
    opened = [{"number": play.number, "point": play.point, "source": play.source} for play in study.open_plays()]
    return {
        "study": name,
        "parameters": list(study.space.names),
        "settings": study.settings.record(),
        "counts": dict(Counter(str(play.status) for play in study.log)),
        "plays": len(study.log),
        "plays_left": study.plays_left,
        "finished": study.plays_left == 0 and not opened,
        "open": opened,
        "answer": None if answer is None else answer.to_dict(),
    }
