"""A search that continues from a fit that was written down is the one that was never interrupted."""

import json

import numpy as np
import pytest

from unswayed import Box, InvalidInput, Matern, Options, Real
from unswayed.judgement.assumptions import Given
from unswayed.search.modes import Guided, begin, step
from unswayed.search.schedule import propose
from unswayed.search.task import Data, Failed, Task, Told
from unswayed.search.written import resumed, written

BOX = Box({"x": Real(0, 1), "y": Real(0, 1)})
TASKS = {
    "box": Task(BOX, Given(threat=1.0), 3),
    "kernel": Task(BOX, Given(kernel=Matern(2.5, 0.3)), 3),
    "small": Task(Options([[float(i), float(j)] for i in range(5) for j in range(5)]), Given(), 3),
}


def played(task, plays=40):
    """The events of a search, and each mode after one."""
    rng, mode, events, modes = np.random.default_rng(0), begin(task), [], []
    for number in range(plays):
        row = propose(mode, number, np.empty((0, task.space.columns))).row
        value = float(-np.sum((row - 0.4) ** 2) + 0.02 * rng.standard_normal())
        events.append(Failed(row) if number % 11 == 7 else Told(row, value + 5 * (number == 9)))
        mode = step(mode, events[-1])
        modes.append(mode)
    return events, modes


@pytest.mark.parametrize("name", TASKS)
def test_it_asks_what_the_other_asks(name):
    task = TASKS[name]
    events, modes = played(task)
    fitted = [
        i
        for i, mode in enumerate(modes)
        if isinstance(mode, Guided) and getattr(modes[i - 1], "beliefs", None) is not mode.beliefs
    ]
    assert len(fitted) > 10
    none = np.empty((0, task.space.columns))
    for i in fitted[::5]:
        fit = json.loads(json.dumps(written(modes[i])))
        mode = resumed(task, Data.empty(task.space.columns).after_all(events[: i + 1]), fit)
        assert (mode.refit_at, mode.anew_at) == (modes[i].refit_at, modes[i].anew_at)
        for number in range(i + 1, min(i + 8, len(events))):
            assert propose(mode, number, none).row.tobytes() == propose(modes[number - 1], number, none).row.tobytes()
            mode = step(mode, events[number])
        assert vars(mode.beliefs.prior) == vars(modes[min(i + 8, len(events)) - 1].beliefs.prior)


@pytest.mark.parametrize(
    "change", [{"refit_at": 3}, {"anew_at": None}, {"lengths": [1.0]}, {"share": 1.5}, {"tau": 0.0}, {"centre": "x"}]
)
def test_what_is_no_fit_is_refused(change):
    task = TASKS["box"]
    events, modes = played(task, 12)
    data = Data.empty(task.space.columns).after_all(events)
    with pytest.raises(InvalidInput):
        resumed(task, data, {**written(modes[-1]), **change})
    with pytest.raises(InvalidInput, match="no fit"):
        resumed(task, data, {})
