"""A search that continues from a recorded fit is the one that was never interrupted."""

import json
from hashlib import sha256

import numpy as np
import pytest

from unswayed import Box, Matern, Options, Real, Why
from unswayed.core.tampering.threat import Threat
from unswayed.judgement.assumptions import Given
from unswayed.search import fold
from unswayed.search.fold import Together, begun, folded, search_from_fit
from unswayed.search.modes import Eliminating, begin, step
from unswayed.search.schedule import propose
from unswayed.search.task import Data, Failed, Task, Told

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


def fits_of(task, events):
    """The fits of a search that was never interrupted, as they are read from a file."""
    one, fits = begun(task, "same"), {}
    for event in events:
        one = one.then([event])
        if one.fit is not None:
            fits[one.fit["told"], one.fit["of"]] = json.loads(json.dumps(one.fit))
    return fits


@pytest.mark.parametrize("name", TASKS)
def test_it_asks_what_the_other_asks(name, monkeypatch):
    task = TASKS[name]
    events, modes = played(task)
    fits = fits_of(task, events)
    assert len(fits) > 10
    none = np.empty((0, task.space.columns))
    steps = []
    monkeypatch.setattr(fold, "step", lambda *a, of=fold.step: steps.append(1) or of(*a))
    for count in range(12, len(events), 5):
        steps.clear()
        one = folded(begun(task, "same"), events[:count], fits)
        assert len(steps) < 4
        assert one.told == count
        assert one.mark == begun(task, "same").then(events[:count]).mark
        assert propose(one.mode, count, none).row.tobytes() == propose(modes[count - 1], count, none).row.tobytes()
        assert vars(one.mode.beliefs.prior) == vars(modes[count - 1].beliefs.prior)


def test_fits_of_other_events_are_not_used(monkeypatch):
    task = TASKS["box"]
    events, _ = played(task)
    fits = fits_of(task, events)
    steps = []
    monkeypatch.setattr(fold, "step", lambda *a, of=fold.step: steps.append(1) or of(*a))
    first = events[0]
    swapped = [events[1], first, *events[2:]]
    for others, identity in (
        ([Told(first.row, first.value + 1e-12), *events[1:]], "same"),
        ([Told(first.row, first.value, "lab"), *events[1:]], "same"),
        ([Failed(first.row), *events[1:]], "same"),
        (events[1:], "same"),
        (swapped, "same"),
        (events, "another"),
    ):
        steps.clear()
        folded(begun(task, identity), others, fits)
        assert len(steps) == len(others)


@pytest.mark.parametrize(
    "change",
    [
        {"refit_at": 3},
        {"refit_at": 10**400},
        {"improved": None},
        {"lengths": [1.0]},
        {"lengths": [1e-200, 1.0]},
        {"lengths": [0.3, 1e9]},
        {"lengths": 7},
        {"share": 1.5},
        {"ratio": "x"},
        {"tau": 0.0},
        {"scale": float("inf")},
        {"centre": "x"},
        {"centre": 1e300},
    ],
    ids=str,
)
def test_what_is_no_fit_is_made_again(change):
    task = TASKS["box"]
    events, _ = played(task, 14)
    fits = fits_of(task, events)
    data = Data.empty(task.space.columns).after_all(events)
    newest = fits[max(fits)]
    assert search_from_fit(task, data, newest) is not None
    assert search_from_fit(task, data, {**newest, **change}) is None
    assert search_from_fit(task, data, {}) is None
    damaged = {key: {**fit, **change} for key, fit in fits.items()}
    plain, other = folded(begun(task, "same"), events, {}), folded(begun(task, "same"), events, damaged)
    none = np.empty((0, task.space.columns))
    assert propose(other.mode, 14, none).row.tobytes() == propose(plain.mode, 14, none).row.tobytes()


@pytest.mark.parametrize("start", [False, True])
def test_events_that_are_told_together_need_one_fit(start, monkeypatch):
    task = TASKS["box"]
    events, _ = played(task)
    fits = fits_of(task, events)
    edited = [*events[:3], *events[4:]]
    together = Together(len(edited), fits[max(fits)] if start else None)
    made = []
    monkeypatch.setattr(fold, "estimate", lambda *a, of=fold.estimate, **k: made.append(k.get("rounds")) or of(*a, **k))
    one = folded(begun(task, "same"), edited, fits, together)
    assert made == [0 if start else None]
    assert one.mode.refit_at == (one.mode.data.plays + 1 if start else int(1.1 * one.mode.data.plays))
    assert one.mode.improved == start
    assert one.mode.data.plays == sum(isinstance(event, Told) for event in edited)
    known = {**fits, (one.fit["told"], one.fit["of"]): one.fit}
    made.clear()
    again = folded(begun(task, "same"), edited, known, together)
    assert not made
    assert vars(again.mode.beliefs.prior) == vars(one.mode.beliefs.prior)
    folded(begun(task, "same"), edited, known, Together(len(edited) - 1, together.start))
    assert made  # another edit, another fit


def test_an_edit_of_the_last_events_is_as_if_it_had_always_been_so():
    task = TASKS["box"]
    events, _ = played(task)
    edited = [*events[:-2], events[-1]]
    one = folded(begun(task, "same"), edited, fits_of(task, events), Together(len(edited)))
    assert vars(one.mode.beliefs.prior) == vars(folded(begun(task, "same"), edited, {}).mode.beliefs.prior)


@pytest.mark.parametrize("method", ["influence-pe", "auto"])
def test_a_search_that_may_eliminate_is_told_one_by_one_until_it_is_decided(method):
    options = Options([[float(i)] for i in range(8)])
    task = Task(options, Given(threat=Threat(0.01)), 3, 4000, method, 4000)
    events, modes = played(task, 60)
    one = folded(begun(task, "same"), events, {}, Together(len(events)))
    assert type(one.mode) is type(modes[-1])
    assert isinstance(one.mode, Eliminating) or method == "auto"
    none = np.empty((0, 1))
    if isinstance(one.mode, Eliminating):
        assert propose(one.mode, 60, none).row.tobytes() == propose(modes[-1], 60, none).row.tobytes()


def test_too_few_events_for_a_model():
    task = TASKS["box"]
    events, _ = played(task, 2)
    one = folded(begun(task, "same"), events, {}, Together(2))
    assert (one.told, one.fit, one.mode.data.plays) == (2, None, 2)


def test_the_mark_of_events_is_a_hash_of_all_that_was_told():
    """Marks stand in journals and storages: a new version must compute the same."""
    start, row = begun(TASKS["box"], "same"), np.array([0.25, 0.5])
    for event, said in (
        (Failed(row), "failed"),
        (Told(row, 1.5), "(1.5, None, None, None, None)"),
        (Told(row, 1.5, "lab", 0.1, 7, Why.EXPLORE), f"(1.5, 'lab', 0.1, 7, '{Why.EXPLORE}')"),
    ):
        assert start.then([event]).mark == sha256(start.mark + row.tobytes() + said.encode()).digest()


@pytest.mark.parametrize(
    ("length", "taken"), [(0.02, True), (0.02 * (1 - 1e-10), True), (0.0199, False), (20.0, True), (20.1, False)]
)
def test_a_recorded_length_scale_is_in_the_range_of_fits(length, taken):
    task = TASKS["box"]
    events, _ = played(task, 20)
    (told, _), fit = list(fits_of(task, events).items())[-1]
    data = Data.empty(2).after_all(events[:told])
    assert search_from_fit(task, data, fit) is not None
    found = search_from_fit(task, data, {**fit, "lengths": [1.0, length]})
    assert (found is not None) == taken
