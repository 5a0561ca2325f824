"""`unswayed`: exit code 0 done, 1 done but plays have failed, 2 wrong use (one clear line), 130 interrupted."""

from __future__ import annotations

import sys
from io import TextIOWrapper

import typer

from unswayed.cli import audit, demo, reproduce, run, simulate

app = typer.Typer(
    name="unswayed",
    help="Find the best option when some of the measurements lie.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
app.command("simulate")(simulate.command)
app.command("run")(run.command)
app.command("audit")(audit.command)
app.command("reproduce")(reproduce.command)
app.command("demo")(demo.command)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"unswayed {version('unswayed')}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", help="Print the version and stop.", is_eager=True, callback=_print_version
    ),
) -> None:
    pass


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; errors of the user become one line on standard error."""
    code = 0
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal that lacks a sign shows another, and nothing breaks
            stream.reconfigure(errors="replace")
    try:
        code = app(args=arguments, standalone_mode=False) or 0
    except (KeyboardInterrupt, typer.Abort):
        code = 130
    except Exception as error:
        line = _one_line(error)
        if line is None:
            raise
        if line:
            typer.echo(f"unswayed: {line}", err=True)
        code = 2
    if code == 130:
        typer.echo("unswayed: interrupted", err=True)
    sys.exit(code)


def _one_line(error: Exception) -> str | None:
    """What to say of a mistake of the user's; None for a mistake of ours."""
    from unswayed.errors import UnswayedError

    if isinstance(error, UnswayedError):
        text = str(error)
    elif hasattr(error, "format_message"):  # the parser's errors, whichever package they come from
        text = error.format_message()
    elif isinstance(error, MemoryError):
        text = "out of memory: use fewer points or a shorter horizon"
    else:
        return None
    return " ".join(text.split())
