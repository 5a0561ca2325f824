"""The command line: parsing, progress, exit codes. The work itself is done elsewhere.

This file imports almost nothing, so that Ctrl-C is handled from the first moment on.
"""

from __future__ import annotations

import os
import sys


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit.

    Args:
        arguments: The words after `unswayed`; None for those that this process was started with.

    Raises:
        SystemExit: Always. Its code is 0 done, 1 finished with failures, 2 wrong use, 3 the system's fault, or
            130 interrupted.
    """
    try:
        _import_app()
        from unswayed.cli.app import run

        run(arguments)
    except KeyboardInterrupt:
        _say_interrupted()
        sys.exit(130)


def _import_app() -> None:
    import signal
    import threading

    # While it imports, Python loses an interrupt that hits an import lock, and prints a traceback instead. There is
    # nothing to clean up yet, so leave at once.
    main_thread = threading.current_thread() is threading.main_thread()
    guarded = main_thread and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if guarded:
        signal.signal(signal.SIGINT, _leave)
    try:
        import unswayed.cli.app  # noqa: F401
    finally:
        if guarded:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def _leave(*_: object) -> None:
    _say_interrupted()
    os._exit(130)


def _say_interrupted() -> None:
    try:  # noqa: SIM105  # importing contextlib takes longer than this
        os.write(2, b"unswayed: interrupted\n")
    except OSError:  # nobody can read it
        pass
