"""The search of a study, folded from its log as far as a question needs it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unswayed.core.measurement import finite
from unswayed.search.answer import Answer
from unswayed.search.conclude import answer
from unswayed.search.modes import Mode, begin, step
from unswayed.search.play import Play, Status, Why
from unswayed.search.schedule import propose
from unswayed.search.task import Event, Failed, Task, Told
from unswayed.spaces import Point


class Fold:
    """A cache of `step` over a log that only grows. A log that changes otherwise needs a new one."""

    def __init__(self, task: Task, *, parallel: int, minimize: bool) -> None:
        self._task, self._parallel, self._minimize = task, parallel, minimize
        self._state: tuple[Mode, int] = (begin(task), 0)  # the mode after this many plays
        self._rows = np.empty((0, task.space.columns))  # of the plays so far
        self._answered: tuple[tuple[Play, ...], Answer] | None = None

    def choose(self, n: int, log: Sequence[Play], source: str | None = None) -> list[tuple[Point, Why]]:
        """The next `n` points, each from the answers it may see and the points of all plays before it; and why."""
        number, space = len(log), self._task.space
        self._encode(log)
        rows = np.vstack([self._rows, np.empty((n, space.columns))])
        whys = []
        for place in range(number, number + n):
            mode, folded = self._fold_for(place, log)
            row, why = propose(mode, place, rows[folded:place], source)
            repeated = place > folded and np.array_equal(row, rows[place - 1])
            rows[place] = row if repeated else space.encode(space.decode(row[None]))[0]  # as it is read from the log
            whys.append(why)
        return list(zip(space.decode(rows[number:]), whys, strict=True))

    def _encode(self, log: Sequence[Play]) -> None:
        """Keep the rows of all plays of the log."""
        known = min(len(self._rows), len(log))
        new = [play.point for play in log[known:]]
        self._rows = np.vstack([self._rows[:known], self._task.space.encode(new)]) if new else self._rows[:known]

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
        self._encode(log)
        mode, folded = self._state
        while folded < min(number + 1 - self._parallel, len(log)) and log[folded].status is not Status.OPEN:
            play = log[folded]
            mode = mode if play.status is Status.RETRACTED else step(mode, self._event(play))
            folded += 1
            self._state = mode, folded
        return mode, folded

    def _event(self, play: Play) -> Event:
        row = self._rows[play.number]
        if play.status is Status.FAILED:
            return Failed(row)
        value = finite(play.value)
        value = self._task.given.feared.clipped(-value if self._minimize else value)
        return Told(row, value, play.source, play.noise_std, play.trials)
