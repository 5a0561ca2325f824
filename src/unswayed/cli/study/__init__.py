"""`unswayed study`: a study by hand, over a journal file or on a server."""

from __future__ import annotations

import typer

from unswayed.cli.study.opening import VALUES
from unswayed.cli.study.ask import ask, fail, tell
from unswayed.cli.study.edit import add, change, correct, move, restore, retract
from unswayed.cli.study.export import export, plot
from unswayed.cli.study.new import new
from unswayed.cli.study.status import status
from unswayed.cli.study.webhook import webhook

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


@app.callback()
def command() -> None:
    """Ask, tell and correct a study by hand; see what is known of it.

    \b
    A lab with a sheet of paper, batches of 4:
    unswayed study new lab.jsonl --space space.toml
    unswayed study ask lab.jsonl 4 --out batch-1.xlsx
    unswayed study tell lab.jsonl --sheet batch-1.xlsx
    unswayed study status lab.jsonl

    STUDY is a journal file, which `unswayed run` and unswayed.Optimizer write too; or a study on a server,
    http://HOST:PORT/studies/NAME, with the token in the variable UNSWAYED_TOKEN. Nothing is ever removed from a
    study: what was said is undone by saying something else. Exit codes: 0 done, 2 wrong use, 3 the system's fault,
    130 interrupted.
    """


WITH_VALUES = (tell, correct, add)
for verb in (new, status, ask, tell, fail, correct, move, retract, restore, add, change, export, plot, webhook):
    app.command(context_settings=VALUES if verb in WITH_VALUES else None)(verb)
