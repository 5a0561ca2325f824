"""A search that is told events one after another, and its fits as records, so that no process repeats them.

A fit of the model starts from the fit before it, so the last fit follows from all events before it, and the search
after it follows from that fit and the events. A record of a fit has a mark of the events it was made from. It is used
where the same events were told in the same order, with the same values; anything else is fitted again.

If the past is edited (a value is retracted, corrected or restored, or a setting changes), the fits after the edited
event are worthless. Fitting again play by play would repeat them all. So the events until then are told together, with
one fit: `Together`.

Of measurements that nobody asked for, added one after the other, the first FEW enter one by one and the others
together: a `Run`. Nothing was asked between them, so no play depends on a fit of some of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from typing import Any

import numpy as np

from unswayed.core.data.measurement import finite
from unswayed.errors import InvalidInput
from unswayed.judgement.fit import LENGTHS, Model
from unswayed.search.beliefs import Beliefs, believed, estimate
from unswayed.search.modes import GROWTH, Eliminating, Guided, Mode, begin, enough, next_fit, refit, step
from unswayed.search.play import Why
from unswayed.search.task import Data, Event, Failed, Task, Told
from unswayed.types import positive, whole

FORMAT = "fit 2"  # part of every mark: where fits are made or used in another way, old records must not be used
FEW = 100  # events of a run that are told one by one; plays of the first of two fits
SIMILAR = 2.0  # a fit of this many times the plays does not start from the one before
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
class Run:
    """Measurements that were added one after the other, which the next one may continue.

    Attributes:
        events: The measurements.
        before: Gives the search before the first of them.
    """

    events: tuple[Event, ...]
    before: Callable[[], Mode]


@dataclass(frozen=True, eq=False)
class Fold:
    """A search after some events.

    Attributes:
        mode: The search.
        told: How many events it was told.
        mark: Equal for the same events of the same search.
        fit: The record of the last fit, if it was made here.
        added: How many of the last events were added one after the other.
        run: Those of them that were told together.
    """

    mode: Mode
    told: int
    mark: bytes
    fit: FitRecord | None = None
    added: int = 0
    run: Run | None = None

    def then(self, events: Sequence[Event]) -> Fold:
        """After more events, told one by one, but for long runs."""
        fold, done = self, 0
        counts = _added(events, self.added)
        while done < len(events):
            end = done + 1
            while counts[done] > FEW and end < len(events) and counts[end] == counts[end - 1] + 1:
                end += 1
            fold = fold._then(events[done:end], counts[end - 1])
            done = end
        return fold

    def _then(self, some: Sequence[Event], added: int) -> Fold:
        """After one more event, or after some of a run. Then `added` of the last events were added."""
        run, last = None, self.mode
        if added > FEW:
            known = self.run if added - len(some) > FEW else None
            run = Run(tuple(some), lambda: last) if known is None else Run((*known.events, *some), known.before)
            last = run.before()
        mode = step(last, some[0]) if run is None else _after_run(last, run.events)
        told, mark, fit = self.told + len(some), self.mark, self.fit
        for event in some:
            mark = _marked(mark, event)
        if isinstance(mode, Guided) and not (isinstance(last, Guided) and last.beliefs is mode.beliefs):
            fit = fit_to_record(mode, told, mark)
        return Fold(mode, told, mark, fit, added, run)


def _added(events: Sequence[Event], before: int = 0) -> list[int]:
    """How many were added one after the other up to each event, if that were so many before the first one."""
    counts = []
    for event in events:
        before = 1 + before * event.continues if isinstance(event, Told) and event.why is Why.ADDED else 0
        counts.append(before)
    return counts


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
    found = _newest(start, events, fits, partial(folded, start, fits=fits))
    if found.told * GROWTH < together.events:
        mark = _all_marked(sha256(start.mark + repr(together.events).encode() + _name(together.start)).digest(), events)
        again = partial(folded, start, fits=fits, together=together)
        found = _newest(replace(start, mark=mark[0]), events, fits, again, together.events, mark)
        if found.told < together.events:
            found = _told_together(start.mode, events[: together.events], mark[together.events], together.start)
    return found.then(events[found.told :])


def _name(fit: FitRecord | None) -> bytes:
    return b"" if fit is None else str(fit.get("of")).encode("utf-8", "backslashreplace")


def _newest(
    start: Fold,
    events: Sequence[Event],
    fits: Fits,
    again: Callable[[Sequence[Event]], Fold],
    first: int = 0,
    marks: list[bytes] | None = None,
) -> Fold:
    """The search right after the newest fit of these events; `start` if there is none.

    A fit of the first part of a run counts only where nothing has continued the run: else the run was told without it.
    """
    known = sorted({told for told, _ in fits if max(first, 1) <= told <= len(events)}, reverse=True)
    if known:
        marks = marks or _all_marked(start.mark, events)
        counts = [0] * (first + 1) + _added(events[first:])  # after so many events
        for told in known:
            cut = counts[told] > FEW and told < len(events) and counts[told + 1] > counts[told]
            fit = None if cut else fits.get((told, marks[told].hex()))
            data = Data.empty(start.mode.task.space.columns).after_all(events[:told])
            mode = None if fit is None else search_from_fit(start.mode.task, data, fit)
            if mode is not None:
                run = _run(events[:told], counts[told] - FEW, again) if counts[told] > FEW else None
                return Fold(mode, told, marks[told], added=counts[told], run=run)
    return start


def _run(events: Sequence[Event], count: int, again: Callable[[Sequence[Event]], Fold]) -> Run:
    """The last events as a run, and how to find the search before it."""
    before = events[: len(events) - count]
    return Run(tuple(events[len(before) :]), lambda: again(before).mode)


def _told_together(mode: Mode, events: Sequence[Event], mark: bytes, start: FitRecord | None) -> Fold:
    """After events that were told together."""
    mode, left = _until_decided(mode, events)
    if isinstance(mode, Eliminating):
        return Fold(mode, len(events), mark)
    task, data = mode.task, mode.data.after_all(left)
    if not enough(task, data):
        return Fold(replace(mode, data=data), len(events), mark)
    before = None
    if start is not None and task.given.kernel is None:
        model = _model(start, int(task.space.groups.max()) + 1)
        before = None if model is None else believed(task, data, model)
    guided = _fitted(task, data, before)
    return Fold(guided, len(events), mark, fit_to_record(guided, len(events), mark))


def _until_decided(mode: Mode, events: Sequence[Event]) -> tuple[Mode, Sequence[Event]]:
    """Elimination needs events one by one, also until it is decided on: the search after these, and what is left."""
    task, done = mode.task, 0
    while task.may_eliminate and done < len(events) and (task.method != "auto" or mode.data.plays < task.decides_at):
        mode = step(mode, events[done])
        done += 1
    if isinstance(mode, Eliminating):
        for event in events[done:]:
            mode = step(mode, event)
        done = len(events)
    return mode, events[done:]


def _after_run(mode: Mode, run: Sequence[Event]) -> Mode:
    """After measurements that were added together, with one fit if one is due."""
    mode, left = _until_decided(mode, run)
    if isinstance(mode, Eliminating) or not left:
        return mode
    data = mode.data.after_all(left)
    if not enough(mode.task, data) or (isinstance(mode, Guided) and data.plays < mode.refit_at):
        return replace(mode, data=data)
    if isinstance(mode, Guided) and data.plays <= SIMILAR * mode.data.plays:
        return refit(mode.task, data, mode)
    some = np.random.default_rng([mode.task.seed, data.plays]).permutation(data.plays)[:FEW]
    return refit(mode.task, data, refit(mode.task, data.only(np.sort(some)), None))


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
        said += " too" * event.continues + " witnessed" * event.witnessed
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
