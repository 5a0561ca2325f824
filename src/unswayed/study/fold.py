"""The search of a study, folded from its answers as far as a question needs it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unswayed.core.data.measurement import finite
from unswayed.search.answer import Answer
from unswayed.search.conclude import answer
from unswayed.search.modes import Mode, begin, step
from unswayed.search.play import Play, Status, Why
from unswayed.search.schedule import propose
from unswayed.search.task import Event, Failed, Told
from unswayed.spaces import Point
from unswayed.study.state import State
from unswayed.types import FloatArray

COUNTED = (Status.TOLD, Status.FAILED)


class Fold:
    """A cache of `step` over the answers of a state, which only become more. If they change otherwise, make a new one.

    With a number of plays in `parallel`, answers enter in the order of their plays: play k sees those up to
    k - parallel. Without one they enter in the order in which they came, and each play sees all of them.
    """

    def __init__(self, state: State) -> None:
        self._state, self._task = state, state.task
        self._parallel, self._minimize = state.settings.parallel, state.settings.minimize
        self._mode: tuple[Mode, int] = (begin(self._task), 0)  # the mode after this many answers
        self._rows = np.empty((0, self._task.space.columns))  # of the plays so far
        self._answered: tuple[tuple[Play, ...], Answer] | None = None

    def follow(self, state: State) -> None:
        """Go on with a state that has only more answers than the one before."""
        self._state = state

    def choose(self, n: int, source: str | None = None) -> list[tuple[Point, Why]]:
        """The next `n` points, each from the answers it may see and the points of all plays before it; and why."""
        number, space, asked = len(self._state.log), self._task.space, self._state.asked
        self._encode()
        rows = np.vstack([self._rows, np.empty((n, space.columns))])
        whys = []
        for place in range(number, number + n):
            mode, pending = self._seen_by(place, rows)
            row, why, _ = propose(mode, asked + place - number, pending, source)
            repeated = len(pending) > 0 and np.array_equal(row, rows[place - 1])
            rows[place] = row if repeated else space.encode(space.decode(row[None]))[0]  # as it is read from the log
            whys.append(why)
        return list(zip(space.decode(rows[number:]), whys, strict=True))

    def _encode(self) -> None:
        """Keep the rows of all plays of the log."""
        log = self._state.log
        known = min(len(self._rows), len(log))
        new = [play.point for play in log[known:]]
        self._rows = np.vstack([self._rows[:known], self._task.space.encode(new)]) if new else self._rows[:known]

    def answer(self) -> Answer:
        """The answer from all plays. It depends on the log alone, not on past questions."""
        plays = self._state.shown
        if self._answered is None or self._answered[0] != plays:
            self._encode()
            known = self._in_turn(len(plays))
            mode = self._folded(known)
            seen = set(known)
            late = [number for number in self._state.answered if number not in seen]
            late = sorted(late) if self._parallel is not None else late
            counted = [plays[number] for number in late if plays[number].status in COUNTED]
            told = [number for number in [*known, *late] if plays[number].measured]
            more = [self._event(play) for play in counted]
            self._answered = (plays, answer(mode, plays, more, numbers=told, minimize=self._minimize))
        return self._answered[1]

    def _seen_by(self, place: int, rows: FloatArray) -> tuple[Mode, FloatArray]:
        """What play `place` may know: the mode, and the rows of all plays before it that have not entered it."""
        known = self._in_turn(place)
        mode = self._folded(known)
        if self._parallel is not None:
            return mode, rows[len(known) : place]
        waiting = [*sorted(self._state.waiting), *range(len(self._state.log), place)]
        return mode, rows[waiting]

    def _in_turn(self, place: int) -> Sequence[int]:
        """The answers that play `place` may see, in order."""
        state = self._state
        if self._parallel is None:
            return list(state.answered)
        end, most = self._mode[1], min(place + 1 - self._parallel, len(state.log))
        while end < most and state.log[end].status is not Status.OPEN:
            end += 1
        return range(end)

    def _folded(self, numbers: Sequence[int]) -> Mode:
        mode, done = self._mode
        for number in numbers[done:]:
            play = self._state.as_shown(self._state.log[number])
            mode = step(mode, self._event(play)) if play.status in COUNTED else mode
            self._mode = mode, (done := done + 1)
        return mode

    def _event(self, play: Play) -> Event:
        row = self._rows[play.number]
        if play.status is Status.FAILED:
            return Failed(row)
        value = finite(play.value)
        value = self._task.given.feared.clipped(-value if self._minimize else value)
        return Told(row, value, play.source, play.noise_std, play.trials, play.why)
