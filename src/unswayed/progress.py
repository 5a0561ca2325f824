"""A progress bar on standard error, for people only: nothing is drawn when it is not a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(label: str, plays: int) -> Iterator[Callable[[int], None]]:
    """Draw a progress bar while the block runs.

    Args:
        label: What is being done.
        plays: How many plays there are.

    Yields:
        A function to be called with the number of plays done since its last call.
    """
    from rich.console import Console  # slow to import, and not needed by those who draw no bar
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(label, total=plays)
        yield lambda done: bar.advance(task, done)
