"""The search of a study, folded from its trials; its fits are kept in the storage, so that no worker repeats them.

A worker that fits the model writes the fit to the trial that it is asked for. A new worker takes the last fit that was
made from the trials that it sees: the same ones, with the same values, space and settings. It is told the later trials
one by one, and asks what a worker would ask that was there from the beginning.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from optuna.study import Study
from optuna.trial import FrozenTrial

from unswayed.errors import InvalidInput
from unswayed.integrations.optuna_space import OptunaSpace
from unswayed.integrations.optuna_trials import Read, Trial, events
from unswayed.judgement.assumptions import Given
from unswayed.search.modes import Guided, Mode, begin, step
from unswayed.search.task import Data, Task
from unswayed.search.written import resumed, written

FIT = "unswayed:fit"  # a system attribute: a fit, and which trials it was made from


@dataclass(frozen=True, eq=False)
class Fold:
    """A search and the trials that it was told.

    Attributes:
        space: What may be varied.
        mode: The search.
        trials: The trials that it was told.
        read: What finished trials are in this space.
        fit: The last fit, if this worker has just made it.
    """

    space: OptunaSpace
    mode: Mode
    trials: list[Trial]
    read: Read
    fit: dict[str, Any] | None = None


def begun(space: OptunaSpace, task: Task) -> Fold:
    """A search that was told nothing."""
    return Fold(space, begin(task), [], {})


def continued(fold: Fold, trials: list[Trial], stored: Iterable[FrozenTrial], given: Given, *, minimize: bool) -> Fold:
    """The search that was told these trials: `fold` continued, or a new one if that was told others.

    Args:
        fold: The search so far.
        trials: What it is to have been told.
        stored: Trials that may hold a fit.
        given: What the user states.
        minimize: Whether smaller values are better.
    """
    task, mode, known = fold.mode.task, fold.mode, len(fold.trials)
    when = sorted((name, gate, sorted(values)) for name, (gate, values) in fold.space.when.items())
    settings = repr((task.seed, minimize, given, fold.space.distributions, when))
    if not known or fold.trials != trials[:known]:
        mode, known = _newest(fold, trials, stored, settings, minimize=minimize)
    made = None
    for count, one in enumerate(events(task, fold.space, trials[known:], minimize=minimize), known + 1):
        before, mode = mode, step(mode, one)
        if isinstance(mode, Guided) and not (isinstance(before, Guided) and before.beliefs is mode.beliefs):
            made = count, mode
    fit = None
    if made is not None:
        count, at = made
        fit = {"told": count, "of": _marks(trials, settings, {count})[count], **written(at)}
    return Fold(fold.space, mode, trials, fold.read, fit)


def store_fit(study: Study, trial: FrozenTrial, fold: Fold) -> None:
    """Write down the fit that was made for an open trial."""
    if fold.fit is not None and not trial.state.is_finished():
        study._storage.set_trial_system_attr(trial._trial_id, FIT, fold.fit)


def _newest(
    fold: Fold, trials: Sequence[Trial], stored: Iterable[FrozenTrial], settings: str, *, minimize: bool
) -> tuple[Mode, int]:
    """The search after the last stored fit that was made from these trials, and how many it was told by then."""
    task = fold.mode.task
    found = [fit for trial in stored if isinstance(fit := trial.system_attrs.get(FIT), dict)]
    fits = {(told, str(fit.get("of"))): fit for fit in found if isinstance(told := fit.get("told"), int)}
    for mark in sorted(_marks(trials, settings, {told for told, _ in fits}).items(), reverse=True):
        with suppress(InvalidInput):
            if mark in fits:
                told = events(task, fold.space, trials[: mark[0]], minimize=minimize)
                return resumed(task, Data.empty(task.space.columns).after_all(told), fits[mark]), mark[0]
    return begin(task), 0


def _marks(trials: Sequence[Trial], settings: str, counts: set[int]) -> dict[int, str]:
    """What tells the first so many trials from any others, with the settings of the search."""
    mark, marks = sha256(settings.encode("utf-8", "backslashreplace")), {}
    for count, trial in enumerate(trials, 1):
        mark.update(repr(trial).encode("utf-8", "backslashreplace"))
        if count in counts:
            marks[count] = mark.hexdigest()
    return marks
