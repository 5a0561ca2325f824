"""A progress bar on standard error, for people only: nothing is drawn when it is not a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(label: str, plays: int) -> Iterator[Callable[[int], None]]:
    """Show a progress bar until the block ends.

    Args:
        label: The text before the bar.
        plays: The number of plays at which the bar is full.

    Yields:
        A function to call with the number of plays done since its last call.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    if not console.is_terminal:  # a bar that is only disabled prints an empty line before rich 14.3
        yield lambda done: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(label, total=plays)
        yield lambda done: bar.advance(task, done)
