"""What a trial may know: the trials before it, in the order of their numbers.

    told      the finished trials before the first open one; they enter the search
    pending   all others whose point is known: open ones, and finished ones behind an open one
    lost      an open trial that many later ones have overtaken; it counts as dead, and nobody waits for it

All of this follows from the trials in the storage alone, so workers that see the same trials agree. A worker that fits
the model writes the fit to the trial that it is asked for. A new worker continues from the newest fit of the trials
that it sees, and asks what a worker would ask that was there from the beginning.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any
from warnings import warn

from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from unswayed.core.data.measurement import Measurement
from unswayed.core.tampering.threat import LARGEST_VALUE
from unswayed.errors import InvalidInput
from unswayed.integrations.optuna_space import Numbers, OptunaSpace
from unswayed.judgement.assumptions import Given
from unswayed.search.fold import Fold, begun, folded
from unswayed.search.modes import Mode
from unswayed.search.play import ABOUT, Proposal, Why
from unswayed.search.schedule import propose
from unswayed.search.task import Event, Failed, Task, Told

FIT = "unswayed:fit"  # a system attribute: a fit, and the mark of the trials it was made from
WHY = "unswayed:why"  # a system attribute: what the sampler chose the trial for
OVERTAKEN, EACH = 16, 4  # an open trial is lost after this many later ones, and this many more for each later open one


@dataclass(frozen=True)
class Trial:
    """A finished trial. Larger values are better; None if it failed or was pruned."""

    number: int
    point: Numbers
    measured: Measurement | None
    why: Why | None = None


Read = dict[int, tuple[FrozenTrial, Trial | None]]  # by number: a finished trial, and what it is in a space


@dataclass(frozen=True)
class Seen:
    """What the trial at `place` sees. Pending are the place and the point of each; None where it is not stored yet."""

    place: int
    told: list[Trial]
    pending: list[tuple[int, Numbers | None]]


def single_objective(study: Study, what: str) -> None:
    """Refuse studies of several objectives."""
    if len(study.directions) > 1:
        raise InvalidInput(f"{what} needs a study with one objective, but this one has {len(study.directions)}")


def measured(trial: FrozenTrial) -> Measurement | None:
    """What a complete trial measured; None for a value that is infinite or beyond computing.

    The user attributes `source`, `noise_std` and `trials` say who measured it, and how precisely.
    """
    if trial.state != TrialState.COMPLETE or trial.value is None or abs(trial.value) > LARGEST_VALUE:
        return None
    try:
        return Measurement(trial.value, **{name: trial.user_attrs[name] for name in ABOUT if name in trial.user_attrs})
    except InvalidInput as error:
        out = f"to leave the trial out: retract(study, {trial.number}, reason)"
        raise InvalidInput(f"trial {trial.number} has a user attribute that makes no sense: {error} ({out})") from None


def seen_by(
    trials: Sequence[FrozenTrial],
    number: int,
    space: OptunaSpace,
    parallel: int,
    read: Read,
    without: Collection[int] = (),
) -> Seen:
    """What trial `number` may know, if `parallel` are open at a time: never the answers of the last parallel - 1.

    Finished trials whose number is in `without` are left out. `read` remembers what was told: a finished trial does not
    change, so each is read once.
    """
    before = sorted((trial for trial in trials if trial.number < number), key=lambda trial: trial.number)
    lost = _lost(before)
    waiting = (i for i, t in enumerate(before) if not t.state.is_finished() and t.number not in lost)
    end = min(next(waiting, len(before)), max(len(before) + 1 - parallel, 0))
    told: list[Trial] = []
    pending: list[tuple[int, Numbers | None]] = []
    for place, trial in enumerate(before):
        if trial.number in without:
            continue
        if place < end and trial.state.is_finished():
            if read.get(trial.number, (None, None))[0] is not trial:
                read[trial.number] = trial, _finished(trial, space)
            if (known := read[trial.number][1]) is not None:
                told.append(known)
            continue
        point = space.numbers(_known_params(trial))
        if point is not None or (not trial.state.is_finished() and trial.number not in lost):
            pending.append((place, point))
    return Seen(len(before), told, pending)


def _finished(trial: FrozenTrial, space: OptunaSpace) -> Trial | None:
    """A finished trial, if it is a point of the space. One that cannot be understood must not stop all workers."""
    point = space.numbers(trial.params)
    if point is None:
        return None
    try:
        return Trial(trial.number, point, measured(trial), Why.read(trial.system_attrs.get(WHY)))
    except InvalidInput as error:
        warn(f"the sampler takes this trial for a failed one: {error}", stacklevel=2)
        return Trial(trial.number, point, None)


def _lost(before: Sequence[FrozenTrial]) -> set[int]:
    """Counted from the last trial backwards, so that trials that died together do not count as alive for each other."""
    lost, finished, alive = set(), 0, 0
    for trial in reversed(before):
        if trial.state.is_finished():
            finished += 1
        elif finished > OVERTAKEN + EACH * (alive + 1):
            lost.add(trial.number)
        else:
            alive += 1
    return lost


def _known_params(trial: FrozenTrial) -> dict[str, Any]:
    """With those that were enqueued and not asked for yet."""
    fixed = {} if trial.state.is_finished() else trial.system_attrs.get("fixed_params", {})
    return {**fixed, **trial.params}


def events(task: Task, space: OptunaSpace, trials: Sequence[Trial], *, minimize: bool) -> list[Event]:
    """Finished trials as a search sees them; one without a measurement has failed."""
    clipped, sign = task.given.threat_or_nothing.clipped, -1 if minimize else 1
    return [
        Failed(row)
        if (found := trial.measured) is None
        else Told(row, clipped(sign * found.value), found.source, found.noise_std, found.trials, trial.why)
        for row, trial in zip(space.rows([trial.point for trial in trials]), trials, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class Searched:
    """The search of a study.

    Attributes:
        space: What may be varied.
        task: What it is for.
        trials: The finished trials that it was told.
        read: What finished trials are in this space.
        fold: The search after these trials; None if it was told nothing so far.
    """

    space: OptunaSpace
    task: Task
    trials: list[Trial]
    read: Read
    fold: Fold | None = None


def continued(
    before: Searched, trials: list[Trial], stored: Iterable[FrozenTrial], given: Given, *, minimize: bool
) -> tuple[Searched, Mode]:
    """The search that was told these trials, and its mode: it goes on, or begins again if it was told others.

    Args:
        before: The search so far.
        trials: What it is to have been told.
        stored: Trials that may hold a fit.
        given: What the user states.
        minimize: Whether smaller values are better.
    """
    space, task, fold, known = before.space, before.task, before.fold, len(before.trials)
    if fold is None or before.trials != trials[:known]:
        when = sorted((name, gate, sorted(values)) for name, (gate, values) in space.when.items())
        identity = repr((task.seed, minimize, given, space.distributions, when))
        found = [fit for trial in stored if isinstance(fit := trial.system_attrs.get(FIT), dict)]
        fits = {(fit["told"], fit["of"]): fit for fit in found if _has_a_mark(fit)}
        fold = folded(begun(task, identity), events(task, space, trials, minimize=minimize), fits)
    else:
        fold = replace(fold, fit=None).then(events(task, space, trials[known:], minimize=minimize))
    return replace(before, trials=trials, fold=fold), fold.mode


def _has_a_mark(fit: dict[str, Any]) -> bool:
    return isinstance(fit.get("told"), int) and isinstance(fit.get("of"), str)


def store_fit(study: Study, trial: FrozenTrial, searched: Searched) -> None:
    """Write down the fit that was just made for an open trial."""
    fit = None if searched.fold is None else searched.fold.fit
    if fit is not None and not trial.state.is_finished():
        study._storage.set_trial_system_attr(trial._trial_id, FIT, dict(fit))


def ask(mode: Mode, space: OptunaSpace, seen: Seen) -> Proposal:
    """The row for the trial that sees this, and what it is for.

    An open trial whose parameters are not stored yet counts with the point that it would be given now. Without that,
    two workers that begin at the same moment would get the same point.
    """
    points: list[Numbers] = []
    for place, point in seen.pending:
        if point is None:
            point = space.numbers_of_row(propose(mode, place, space.rows(points)).row)
        points.append(point)
    return propose(mode, seen.place, space.rows(points))


def store_why(study: Study, trial: FrozenTrial, space: OptunaSpace, why: Why) -> None:
    """Write down what an open trial was chosen for, unless somebody else gave it parameters of this space."""
    if not trial.state.is_finished() and not _known_params(trial).keys() & set(space.names):
        study._storage.set_trial_system_attr(trial._trial_id, WHY, str(why))
