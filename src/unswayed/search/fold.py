"""A search that is told events one after another, and its fits as records, so that no process repeats them.

A fit of the model starts from the fit before it, so the last fit follows from all events before it, and the search
after it follows from that fit and the events. A record of a fit has a mark of the events it was made from. It is used
where the same events were told in the same order, with the same values; anything else is fitted again.

If the past is edited (a value is retracted, corrected or restored, or a setting changes), the fits after the edited
event are worthless. Fitting again play by play would repeat them all. So the events until then are told together, with
one fit: `Together`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import numpy as np

from unswayed.core.data.measurement import finite
from unswayed.errors import InvalidInput
from unswayed.judgement.fit import LENGTHS, Model
from unswayed.search.beliefs import Beliefs, believed, estimate
from unswayed.search.modes import GROWTH, Eliminating, Guided, Mode, begin, enough, next_fit, step
from unswayed.search.task import Data, Event, Failed, Task
from unswayed.types import positive, whole

FORMAT = "fit 2"  # part of every mark: where fits are made or used in another way, old records must not be used
POSITIVE = ("share", "ratio", "scale", "tau")
FitRecord = Mapping[str, Any]
Fits = Mapping[tuple[int, str], FitRecord]  # by the number of events and their mark


@dataclass(frozen=True, eq=False)
class Together:
    """The first events of a search whose past was edited: they are told together.

    Attributes:
        events: How many there are; 0 if nothing was edited.
        start: A fit from before the edit, which is improved in a few steps; None makes a fit from nothing.
    """

    events: int = 0
    start: FitRecord | None = None


@dataclass(frozen=True, eq=False)
class Fold:
    """A search after some events.

    Attributes:
        mode: The search.
        told: How many events it was told.
        mark: Equal for the same events of the same search.
        fit: The record of the last fit, if it was made here.
    """

    mode: Mode
    told: int
    mark: bytes
    fit: FitRecord | None = None

    def then(self, events: Sequence[Event]) -> Fold:
        """After more events, told one by one."""
        mode, mark, fit = self.mode, self.mark, self.fit
        for told, event in enumerate(events, self.told + 1):
            before = mode
            mode = step(mode, event)
            mark = _marked(mark, event)
            if isinstance(mode, Guided) and not (isinstance(before, Guided) and before.beliefs is mode.beliefs):
                fit = fit_to_record(mode, told, mark)
        return Fold(mode, self.told + len(events), mark, fit)


def begun(task: Task, identity: str) -> Fold:
    """A search that was told nothing.

    Args:
        task: What the search is for.
        identity: Equal for searches whose fits are the same if their events are: of the space and of what was given.
    """
    return Fold(begin(task), 0, sha256(f"{FORMAT} {identity}".encode("utf-8", "backslashreplace")).digest())


def folded(start: Fold, events: Sequence[Event], fits: Fits, together: Together | None = None) -> Fold:
    """The search after these events, continued from the newest of the fits that was made from the same ones.

    Args:
        start: The search before the first event.
        events: All events.
        fits: Records of fits; those of other events are not used.
        together: How to tell the first events, if the past was edited. They are told one by one nevertheless if a fit
            is known that is nearly as new: then the edit is as if it had always been so.
    """
    together = together or Together()
    found = _newest(start, events, fits)
    if found.told * GROWTH < together.events:
        mark = _all_marked(sha256(start.mark + repr(together.events).encode() + _name(together.start)).digest(), events)
        found = _newest(replace(start, mark=mark[0]), events, fits, least=together.events, marks=mark)
        if found.told < together.events:
            found = _told_together(start.mode, events[: together.events], mark[together.events], together.start)
    return found.then(events[found.told :])


def _name(fit: FitRecord | None) -> bytes:
    return b"" if fit is None else str(fit.get("of")).encode("utf-8", "backslashreplace")


def _newest(
    start: Fold, events: Sequence[Event], fits: Fits, *, least: int = 1, marks: list[bytes] | None = None
) -> Fold:
    """The search right after the newest fit of these events; `start` if there is none."""
    known = sorted({told for told, _ in fits if least <= told <= len(events)}, reverse=True)
    if known:
        marks = marks or _all_marked(start.mark, events)
        for told in known:
            fit = fits.get((told, marks[told].hex()))
            data = Data.empty(start.mode.task.space.columns).after_all(events[:told])
            mode = None if fit is None else search_from_fit(start.mode.task, data, fit)
            if mode is not None:
                return Fold(mode, told, marks[told])
    return start


def _told_together(mode: Mode, events: Sequence[Event], mark: bytes, start: FitRecord | None) -> Fold:
    """After events that were told together. Elimination needs them one by one until it is decided on."""
    task, done = mode.task, 0
    while task.may_eliminate and done < len(events) and (task.method != "auto" or mode.data.plays < task.decides_at):
        mode = step(mode, events[done])
        done += 1
    if isinstance(mode, Eliminating):
        for event in events[done:]:
            mode = step(mode, event)
        return Fold(mode, len(events), mark)
    data = mode.data.after_all(events[done:])
    if not enough(task, data):
        return Fold(replace(mode, data=data), len(events), mark)
    before = None
    if start is not None and task.given.kernel is None:
        model = _model(start, int(task.space.groups.max()) + 1)
        before = None if model is None else believed(task, data, model)
    guided = _fitted(task, data, before)
    return Fold(guided, len(events), mark, fit_to_record(guided, len(events), mark))


def _fitted(task: Task, data: Data, before: Beliefs | None) -> Guided:
    """The search right after one fit of all data; if that only improves an earlier one, the next comes soon."""
    if before is None:
        return Guided(task, data, estimate(task, data), next_fit(data.plays))
    return Guided(task, data, estimate(task, data, before, rounds=0), data.plays + 1, improved=True)


def _marked(mark: bytes, event: Event) -> bytes:
    """The mark after one more event."""
    if isinstance(event, Failed):
        said = "failed"
    else:
        said = repr((float(event.value), event.source, event.noise_std, event.trials, event.why and str(event.why)))
        said += " witnessed" if event.witnessed else ""
    return sha256(mark + event.row.tobytes() + said.encode("utf-8", "backslashreplace")).digest()


def _all_marked(mark: bytes, events: Sequence[Event]) -> list[bytes]:
    """The mark after each number of events, from none to all."""
    marks = [mark]
    for event in events:
        marks.append(_marked(marks[-1], event))
    return marks


def fit_to_record(mode: Guided, told: int, mark: bytes) -> dict[str, Any]:
    """The fit of a search right after it was made; of a given kernel, only when to fit again."""
    due = {"told": told, "of": mark.hex(), "refit_at": mode.refit_at, "improved": mode.improved}
    model = mode.beliefs.fitted
    if model is None:
        return due
    numbers = {name: float(getattr(model, name)) for name in (*POSITIVE, "centre")}
    return {**due, "lengths": [float(length) for length in model.lengths], **numbers}


def search_from_fit(task: Task, data: Data, fit: FitRecord) -> Guided | None:
    """The search right after a fit that was recorded; None if the record is no fit of such a search.

    Args:
        task: What the search is for.
        data: All events before the fit.
        fit: Its record.
    """
    try:
        refit_at, improved = whole(fit["refit_at"], "refit_at", least=data.plays + 1), fit["improved"]
    except (KeyError, TypeError, OverflowError, InvalidInput):
        return None
    if not isinstance(improved, bool):
        return None
    model = None
    if task.given.kernel is None and (model := _model(fit, int(task.space.groups.max()) + 1)) is None:
        return None
    return Guided(task, data, believed(task, data, model), refit_at, improved)


def _model(fit: FitRecord, parameters: int) -> Model | None:
    """What the next fit starts from. Each fit decides again which plays to keep, so that is not recorded."""
    try:
        numbers = {name: positive(fit[name], name) for name in POSITIVE}
        lengths = np.array([positive(length, "a length-scale") for length in fit["lengths"]])
        centre = finite(fit["centre"])
    except (KeyError, TypeError, OverflowError, InvalidInput):
        return None
    near = 1e-9  # a length-scale on the border of the range is computed by exp(log(x))
    inside = (lengths >= LENGTHS[0] * (1 - near)).all() and (lengths <= LENGTHS[1] * (1 + near)).all()
    if len(lengths) != parameters or numbers["share"] >= 1 or not inside:
        return None
    return Model(lengths, **numbers, centre=centre, kept=np.ones(0, np.bool_), score=np.nan)
