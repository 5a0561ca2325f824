"""The commands of `unswayed`, and what its errors look like.

Exit codes: 0 done, 1 finished with failures, 2 wrong use, 3 the system's fault, 130 interrupted. An error of the user
or of the system is one line on standard error; only a mistake of ours is a traceback.
"""

from __future__ import annotations

import _thread
import sys
import threading
from importlib import import_module
from importlib.metadata import entry_points
from io import TextIOWrapper
from types import ModuleType
from typing import Any

import typer
import typer.main
from typer.core import TyperCommand, TyperGroup

from unswayed import __version__
from unswayed.cli.output import drop_output, say
from unswayed.errors import InvalidInput, SystemFault, UnswayedError
from unswayed.text import printable

WRONG_USE, SYSTEM_FAULT, INTERRUPTED = 2, 3, 130

# The first line of the docstring of each command; a test compares them. They are repeated here so that the list of
# commands can be shown without importing any command.
COMMANDS = {
    "simulate": "Play a policy against an attack and report its regret.",
    "run": "Find the arguments for which a program prints the largest number, when some of its runs may lie.",
    "study": "Ask, tell and correct a study by hand; see what is known of it.",
    "serve": "Serve studies that many people and machines measure together, and their pages.",
    "token": "Make a token for a source, a witness, a reader or another owner, or revoke one.",
    "backup": "Copy a SQLite database while a server writes to it, and check the copy.",
    "work": "Measure for a study on a server: ask, run a program, report, until the plays are used up.",
    "verify": "Check an exported study: its chain, its signatures, and what follows from them.",
    "mcp": "Let agents audit files and measure for studies, by the Model Context Protocol.",
    "audit": "How much tampering with these measurements would have overturned the result, and where?",
    "compare": "Is B better than A on the same items, and how few other items would change that?",
    "gauntlet": "Play optimisers against liars with few measurements, and write a page that compares them.",
    "reproduce": "Run all experiments of the paper, draw its figures, check its claims, write report.html.",
    "demo": "GP-UCB, RGP-UCB and RGP-PE on the paper's synthetic function, honest and attacked: a few seconds.",
}
# Commands of other distributions, with their folders in the repository. Each is a module that its distribution names in
# this group of entry points.
ELSEWHERE = {"gauntlet": "gauntlet"}
GROUP = "unswayed.commands"


def module_of(name: str) -> ModuleType:
    """The module of a command.

    Args:
        name: The command.

    Raises:
        InvalidInput: It belongs to a package that is not installed.
    """
    if name not in ELSEWHERE:
        return import_module(f"unswayed.cli.{name}")
    for found in entry_points(group=GROUP, name=name):
        module: ModuleType = found.load()
        return module
    folder = ELSEWHERE[name]
    raise InvalidInput(f"`unswayed {name}` is a package of its own: pip install ./{folder} in a copy of the repository")


class Commands(TyperGroup):
    """The commands by name and first line; the module of a command is imported when the command is called."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands.update({name: TyperCommand(name, help=line) for name, line in COMMANDS.items()})

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Find the command that was asked for, complete with its options."""
        name, command, rest = super().resolve_command(ctx, args)
        if name in COMMANDS:
            module = module_of(name)
            alone = getattr(module, "app", None) or typer.Typer(add_completion=False)
            if not alone.registered_commands:  # else it has commands of its own
                alone.command(name)(module.command)
            command = typer.main.get_command(alone)
        return name, command, rest


ABOUT = "Find the best option when some of the measurements lie."
app = typer.Typer(cls=Commands, help=ABOUT, no_args_is_help=True, pretty_exceptions_enable=False)


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
        sys.exit(_code(arguments))
    finally:
        sys.unraisablehook = hook
        drop_output()


def _code(arguments: list[str] | None) -> int:
    """Run a command and return the exit code; errors become one line."""
    try:
        code = int(app(args=arguments, prog_name="unswayed", standalone_mode=False) or 0)  # Typer: 130 after Ctrl-C
        if sys.stdout is not None:
            sys.stdout.flush()
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except (SystemExit, BrokenPipeError) as stop:
        # Typer and rich exit when the reader of a pipe has gone, as in `unswayed ... | head -1`.
        if not isinstance(stop, BrokenPipeError) and not isinstance(stop.__context__, BrokenPipeError):
            raise
        return SYSTEM_FAULT
    except Exception as error:
        code, text = _explain(error)
        if text:
            say(printable(" ".join(text.split())))
    if code == INTERRUPTED:
        say("interrupted")
    return code


def _explain(error: Exception) -> tuple[int, str]:
    """Return the exit code and the text for an error of the user or the system; raise a mistake of ours."""
    if isinstance(error, UnswayedError):
        return SYSTEM_FAULT if isinstance(error, SystemFault) else WRONG_USE, str(error)
    if isinstance(error, OSError):
        where = "" if error.filename is None else f"{error.filename}: "
        return SYSTEM_FAULT, f"the system refused: {where}{error.strerror or error}"
    if isinstance(error, MemoryError):
        return SYSTEM_FAULT, "out of memory: use fewer points or a shorter horizon"
    if hasattr(error, "format_message"):  # the errors of the parser, whichever package they come from
        return WRONG_USE, error.format_message()
    raise error


def _interrupt_again(lost: sys.UnraisableHookArgs) -> None:
    """Repeat an interrupt that Python would lose because it hit a destructor or an import lock."""
    if lost.exc_type is KeyboardInterrupt:
        threading.Timer(0.01, _thread.interrupt_main).start()
    else:
        sys.__unraisablehook__(lost)
