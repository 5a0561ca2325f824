"""The search of a study, folded from its log as far as a question needs it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unswayed.core.measurement import finite
from unswayed.search.answer import Answer
from unswayed.search.conclude import answer
from unswayed.search.modes import Mode, begin, step
from unswayed.search.play import Play, Status
from unswayed.search.schedule import propose
from unswayed.search.task import Event, Failed, Task, Told
from unswayed.types import FloatArray


class Fold:
    """A cache of `step` over a log that only grows. A log that changes otherwise needs a new one."""

    def __init__(self, task: Task, *, parallel: int, minimize: bool) -> None:
        self._task, self._parallel, self._minimize = task, parallel, minimize
        self._state: tuple[Mode, int] = (begin(task), 0)  # the mode after this many plays
        self._rows = np.empty((0, task.space.columns))  # of the plays so far
        self._answered: tuple[tuple[Play, ...], Answer] | None = None

    def rows(self, n: int, log: Sequence[Play], source: str | None = None) -> FloatArray:
        """The rows of the next `n` plays, each from the answers it may see and the points of all plays before it."""
        number, space = len(log), self._task.space
        known, rows = len(self._rows), np.empty((number + n, space.columns))
        rows[:known] = self._rows
        if known < number:
            rows[known:number] = space.encode([play.point for play in log[known:]])
        for place in range(number, number + n):
            mode, folded = self._fold_for(place, log)
            rows[place] = propose(mode, place, rows[folded:place], source)
        self._rows = rows[:number]
        return rows[number:]

    def answer(self, log: Sequence[Play]) -> Answer:
        """The answer from all plays of `log`. It depends on the log alone, not on past questions."""
        plays = tuple(log)
        if self._answered is None or self._answered[0] != plays:
            mode, folded = self._fold_for(len(plays), plays)
            late = [self._event(play) for play in plays[folded:] if play.status in (Status.TOLD, Status.FAILED)]
            self._answered = (plays, answer(mode, plays, late, minimize=self._minimize))
        return self._answered[1]

    def _fold_for(self, number: int, log: Sequence[Play]) -> tuple[Mode, int]:
        """The mode that play `number` may see: up to the first open play, and never the last parallel - 1 answers."""
        mode, folded = self._state
        while folded < min(number + 1 - self._parallel, len(log)) and log[folded].status is not Status.OPEN:
            play = log[folded]
            mode = mode if play.status is Status.RETRACTED else step(mode, self._event(play))
            folded += 1
            self._state = mode, folded
        return mode, folded

    def _event(self, play: Play) -> Event:
        row = self._task.space.encode([play.point])[0]
        if play.status is Status.FAILED:
            return Failed(row)
        value = finite(play.value)
        value = self._task.given.feared.clipped(-value if self._minimize else value)
        return Told(row, value, play.source, play.noise_std, play.trials)
