"""The commands of `unswayed`, and what its errors look like.

Exit codes: 0 done, 1 finished with failures, 2 wrong use, 3 the system's fault, 130 interrupted. An error of the user
or of the system is one line on standard error; only a mistake of ours is a traceback.
"""

from __future__ import annotations

import _thread
import sys
import threading
from io import TextIOWrapper

import typer

from unswayed import __version__
from unswayed.cli import audit, demo, reproduce, simulate
from unswayed.cli import run as run_command
from unswayed.cli.output import drop_output, finish_output, say
from unswayed.errors import SystemFault, UnswayedError
from unswayed.text import printable

WRONG_USE, SYSTEM_FAULT, INTERRUPTED = 2, 3, 130

app = typer.Typer(
    name="unswayed",
    help="Find the best option when some of the measurements lie.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
app.command("simulate")(simulate.command)
app.command("run")(run_command.command)
app.command("audit")(audit.command)
app.command("reproduce")(reproduce.command)
app.command("demo")(demo.command)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"unswayed {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", help="Print the version and stop.", is_eager=True, callback=_print_version
    ),
) -> None:
    pass


def run(arguments: list[str] | None = None) -> None:
    """Run the command line and exit; see `unswayed.cli.main`.

    Args:
        arguments: The words after `unswayed`; None for those that this process was started with.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal that lacks a character shows another, and nothing breaks
            stream.reconfigure(errors="replace")
    hook, sys.unraisablehook = sys.unraisablehook, _interrupt_again
    try:
        code = _code(arguments)
    finally:
        sys.unraisablehook = hook
        drop_output()
    sys.exit(code)


def _code(arguments: list[str] | None) -> int:
    """Run a command and return the exit code; errors become one line."""
    try:
        code = int(app(args=arguments, standalone_mode=False) or 0)  # Typer returns 130 after Ctrl-C
        refused = finish_output()
        if refused is not None:
            raise refused
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except SystemExit as stop:
        # Typer and rich exit when the reader of a pipe has gone, as in `unswayed ... | head -1`.
        if not isinstance(stop.__context__, BrokenPipeError):
            raise
        return SYSTEM_FAULT
    except BrokenPipeError:
        return SYSTEM_FAULT
    except Exception as error:
        found = _explain(error)
        if found is None:
            raise
        code, line = found
        if line:
            say(line)
    if code == INTERRUPTED:
        say("interrupted")
    return code


def _explain(error: Exception) -> tuple[int, str] | None:
    """Return the exit code and the line for an error of the user or the system; None for a mistake of ours."""
    if isinstance(error, UnswayedError):
        code, text = SYSTEM_FAULT if isinstance(error, SystemFault) else WRONG_USE, str(error)
    elif isinstance(error, OSError):
        where = "" if error.filename is None else f"{error.filename}: "
        code, text = SYSTEM_FAULT, f"the system refused: {where}{error.strerror or error}"
    elif isinstance(error, MemoryError):
        code, text = SYSTEM_FAULT, "out of memory: use fewer points or a shorter horizon"
    elif hasattr(error, "format_message"):  # the errors of the parser, whichever package they come from
        code, text = WRONG_USE, error.format_message()
    else:
        return None
    return code, printable(" ".join(text.split()))


def _interrupt_again(lost: sys.UnraisableHookArgs) -> None:
    """Repeat an interrupt that Python would lose because it hit a destructor or an import lock."""
    if lost.exc_type is KeyboardInterrupt:
        threading.Timer(0.01, _thread.interrupt_main).start()
    else:
        sys.__unraisablehook__(lost)
