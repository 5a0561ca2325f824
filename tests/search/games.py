"""Searches that are played to some length, for the tests of this folder."""

import numpy as np

from unswayed import Box, Play, Real, Status
from unswayed.judgement.assumptions import Given
from unswayed.search.conclude import answer
from unswayed.search.modes import begin, step
from unswayed.search.schedule import propose
from unswayed.search.task import Failed, Task, Told

SQUARE = Box({"x": Real(0, 1), "y": Real(0, 1)})


def bowl(row):
    """Best at (0.3, 0.7), where it is 1."""
    return 1 - (row[0] - 0.3) ** 2 - (row[1] - 0.7) ** 2


def task(space=SQUARE, seed=0, plays=None, method="auto", **given):
    return Task(space, Given(**({"threat": 5.0} | given)), seed, plays, method, plays)


def nothing(task):
    """No pending rows."""
    return np.empty((0, task.space.columns))


class Game:
    """A search that is played one play at a time; a value of None is a failure."""

    def __init__(self, task):
        self.task, self.mode = task, begin(task)
        self.rows, self.values = [], []

    def play(self, plays, value=bowl, sigma=0.01):
        rng = np.random.default_rng([self.task.seed, 5])
        for _ in range(plays):
            row = self.ask()
            found = value(row)
            self.tell(row, None if found is None else found + sigma * rng.standard_normal())
        return self

    def ask(self):
        return propose(self.mode, len(self.rows), nothing(self.task)).row

    def tell(self, row, value):
        self.mode = step(self.mode, Failed(row) if value is None else Told(row, value))
        self.rows.append(row)
        self.values.append(value)

    def log(self, first=0):
        """The plays, numbered from `first`."""
        return [
            Play(first + number, self.task.space.decode(row[None])[0], Status.FAILED if v is None else Status.TOLD, v)
            for number, (row, v) in enumerate(zip(self.rows, self.values, strict=True))
        ]

    def answer(self, more=(), first=0):
        told = [Play(len(self.rows) + n, row, Status.TOLD, v) for n, (row, v) in enumerate(more)]
        return answer(self.mode, self.log(first) + told, list(more))
