"""The search of a study, folded from its answers as far as a question needs it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from functools import cached_property

import numpy as np

from unswayed.core.data.measurement import finite
from unswayed.judgement.assumptions import Given
from unswayed.search.answer import Answer
from unswayed.search.conclude import answer
from unswayed.search.fold import FitRecord, Fold, Together, begun, folded
from unswayed.search.modes import Mode
from unswayed.search.play import Play, Status, Why
from unswayed.search.schedule import propose
from unswayed.search.task import Event, Failed, Task, Told
from unswayed.spaces import Point
from unswayed.study.state import State
from unswayed.types import FloatArray

COUNTED = (Status.TOLD, Status.FAILED)


class Searching:
    """Chooses points and answers from the plays of a state. What it has computed is kept until the past is edited.

    With a number of plays in `parallel`, answers enter in the order of their plays: play k sees those up to
    k - parallel. Without one they enter in the order in which they came, and each play sees all of them.

    Attributes:
        edition: Of the state that is searched: an edit of the past makes another.
    """

    def __init__(self, state: State) -> None:
        self._begin(state)

    def _begin(self, state: State) -> None:
        self._state, self._task, self.edition = state, state.task, state.edition
        self._fold: Fold | None = None
        self._known = 0  # answers that have entered, also those that do not count
        self._rows = np.empty((0, self._task.space.columns))  # of the plays so far
        self._answered: tuple[tuple[Play, ...], Answer] | None = None
        self.__dict__.pop("_identity", None)

    def follow(self, state: State) -> None:
        """Go on with a state that has more records; begin again if one of them edits the past."""
        if state.edition != self.edition:
            self._begin(state)
        self._state = state

    @property
    def mode(self) -> Mode:
        """The search after the answers that have entered so far."""
        return self._folded(range(self._known)).mode

    @property
    def new_fit(self) -> FitRecord | None:
        """The last fit, if it was made here and no record holds it."""
        fit = None if self._fold is None else self._fold.fit
        return None if fit is None or (fit["told"], fit["of"]) in self._state.fits else fit

    def choose(self, n: int, source: str | None = None) -> list[tuple[Point, Why]]:
        """The next `n` points, each from the answers it may see and the points of all plays before it; and why."""
        self.follow(self._state)
        number = len(self._state.log)
        space = self._task.space
        self._encode()
        rows = np.vstack([self._rows, np.empty((n, space.columns))])
        whys = []
        for place in range(number, number + n):
            mode, pending = self._seen_by(place, rows)
            row, why, _ = propose(mode, self._state.asked + place - number, pending, source)
            repeated = len(pending) > 0 and np.array_equal(row, rows[place - 1])
            rows[place] = row if repeated else space.encode(space.decode(row[None]))[0]  # as it is read from the log
            whys.append(why)
        return list(zip(space.decode(rows[number:]), whys, strict=True))

    def whom(self, n: int, source: str | None) -> list[str | None]:
        """Who will measure the next plays: whoever asks.

        Args:
            n: How many plays are asked for.
            source: Who asks, if that is known.
        """
        return [source] * n

    def _encode(self) -> None:
        """Keep the rows of all plays of the log."""
        log = self._state.log
        known = min(len(self._rows), len(log))
        new = [play.point for play in log[known:]]
        self._rows = np.vstack([self._rows[:known], self._task.space.encode(new)]) if new else self._rows[:known]

    def answer(self) -> Answer:
        """The answer from all plays. It depends on the log alone, not on past questions."""
        self.follow(self._state)
        plays = self._state.shown
        if self._answered is None or self._answered[0] != plays:
            self._encode()
            known = self._state.in_turn(len(plays))
            mode = self._folded(known).mode
            seen = set(known)
            late = [number for number in self._state.answered if number not in seen]
            late = sorted(late) if self._state.settings.parallel is not None else late
            told = [number for number in [*known, *late] if plays[number].measured]
            minimize = self._state.settings.minimize
            self._answered = (plays, answer(mode, plays, self._events(late), numbers=told, minimize=minimize))
        return self._answered[1]

    def _seen_by(self, place: int, rows: FloatArray) -> tuple[Mode, FloatArray]:
        """What play `place` may know: the mode, and the rows of all plays before it that have not entered it."""
        state = self._state
        known = state.in_turn(place)
        mode = self._folded(known).mode
        if state.settings.parallel is not None:
            return mode, rows[len(known) : place]
        waiting = [*sorted(state.waiting), *range(len(state.log), place)]
        return mode, rows[waiting]

    def _folded(self, numbers: Sequence[int]) -> Fold:
        """The search that was told these answers. They begin with those that it was told before, or it begins again."""
        if self._fold is None or self._known > len(numbers):
            state = self._state
            together = Together(len(self._events(numbers[: state.together])), state.start)
            start = begun(self._task, self._identity)
            self._fold = folded(start, self._events(numbers), state.fits, together)
        else:
            self._fold = self._fold.then(self._events(numbers[self._known :]))
        self._known = len(numbers)
        return self._fold

    @cached_property
    def _identity(self) -> str:
        """What fits depend on beside the events: the space, and what was given."""
        task: Task = self._task
        given = [getattr(task.given, one.name) for one in fields(Given)]
        return repr((task.space.fingerprint, given, task.seed, task.method, task.planned))

    def _events(self, numbers: Sequence[int]) -> list[Event]:
        """The answers of these plays that count."""
        plays = (self._state.as_shown(self._state.log[number]) for number in numbers)
        return [self._event(play) for play in plays if play.status in COUNTED]

    def _event(self, play: Play) -> Event:
        row = self._rows[play.number]
        if play.status is Status.FAILED:
            return Failed(row)
        value = finite(play.value)
        value = self._task.given.threat_or_nothing.clipped(-value if self._state.settings.minimize else value)
        log, before = self._state.log, play.number - 1
        continues = play.why is Why.ADDED and before >= 0 and log[before].why is Why.ADDED
        about = (play.source, play.noise_std, play.trials, play.why, play.witnessed)
        return Told(row, value, *about, continues=continues)
