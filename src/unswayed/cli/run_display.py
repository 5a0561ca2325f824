"""What `unswayed run` shows on standard error: a line for each failure, and its progress.

On a terminal the progress is a table that is updated; elsewhere it is a line now and then.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext, suppress
from math import isfinite
from time import monotonic
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.progress_bar import ProgressBar
from rich.table import Table

from unswayed.errors import UnswayedError
from unswayed.search.answer import Answer
from unswayed.search.play import Play, Status
from unswayed.study.optimizer import Optimizer

PAUSE, SHARE = 3.0, 0.05  # least seconds between two looks at the leader, and the largest share of time for them
LINES = 60.0  # seconds between two lines of progress where there is no terminal


class Display:
    """Follows a study. Computing the leader takes time, so `answered` does it only now and then."""

    def __init__(self, optimizer: Optimizer, tries: int, console: Console | None = None) -> None:
        self._optimizer, self._tries = optimizer, tries
        self._console = console or Console(stderr=True, highlight=False)
        self.done = sum(play.status is not Status.OPEN for play in optimizer.log)
        self._failed = sum(play.status is Status.FAILED for play in optimizer.log)
        self.plays = optimizer.settings.plays or self.done
        self._begun = monotonic()
        self._look_at = self._begun + PAUSE
        self._line_at = self._begun + LINES
        self._answer: Answer | None = None

    def live(self) -> AbstractContextManager[Any]:
        """The table: updated on a terminal and removed at the end; elsewhere nothing."""
        if not self._console.is_terminal:
            return nullcontext()
        return Live(self, console=self._console, transient=True, refresh_per_second=2)

    def say(self, line: str) -> None:
        """One line that stays."""
        self._console.print(escape(line), soft_wrap=True)

    def answered(self, play: Play, failure: str | None) -> bool:
        """Show a new answer; never ends the study."""
        self.done += 1
        if failure is not None:
            self._failed += 1
            tries = "" if self._tries == 1 else f" after {self._tries} tries"
            self.say(f"play {play.number} failed{tries}: {failure}")
        if not self._console.is_terminal:
            if monotonic() >= self._line_at:
                self._line_at = monotonic() + LINES
                failed = f", {self._failed:,} failed" if self._failed else ""
                self.say(f"{self.done:,} of {self.plays:,} plays{failed}, {self._clock()}")
        elif monotonic() >= self._look_at:
            start = monotonic()
            with suppress(UnswayedError):  # nothing was measured so far
                found = self._optimizer.answer()
                self._answer = found if isinstance(found, Answer) else None
            end = monotonic()
            self._look_at = end + max(PAUSE, (end - start) / SHARE)
        return False

    def retrying(self, play: Play, failure: str) -> None:
        """Say that a play is tried again."""
        self.say(f"play {play.number} is tried again: {failure}")

    def _clock(self) -> str:
        seconds = int(monotonic() - self._begun)
        return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"

    def __rich__(self) -> Table:
        table = Table.grid(padding=(0, 2))
        table.add_column(style="dim", justify="right")
        table.add_column()
        failed = f", [red]{self._failed:,} failed[/red]" if self._failed else ""
        table.add_row("plays", f"{self.done:,} of {self.plays:,}{failed}, {self._clock()}")
        table.add_row("", ProgressBar(total=self.plays, completed=self.done, width=40))
        if (answer := self._answer) is not None:
            table.add_row("leader", escape(self._optimizer.space.describe(answer.point)))
            table.add_row("estimate", answer.shown_estimate)
            bound = answer.certificate or answer.credible
            if bound is not None and isfinite(bound.largest_gap):
                kind = "certified" if answer.certificate else "probably"
                far = f"at most {bound.largest_gap:.4g} {answer.worse} the best, if {bound.threat.condition}"
                table.add_row(kind, far)
            if answer.weighed:
                table.add_row("breakdown", f"{answer.breakdown.budget:.4g}")
            if answer.set_aside:
                table.add_row("set aside", f"{len(answer.set_aside):,} of {answer.measured:,} measurements")
        return table
