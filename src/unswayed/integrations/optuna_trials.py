"""What a trial may know: the trials before it, told in the order of their numbers.

    told      the finished trials before the first open one; they enter the search
    pending   all others whose point is known: open ones, and finished ones behind an open one
    lost      an open trial that so many later ones have overtaken that it is taken for dead; nobody waits for it

All of this follows from the trials in the storage and from nothing else, so workers that see the same trials agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from unswayed.errors import InvalidInput
from unswayed.integrations.optuna_space import Numbers, OptunaSpace
from unswayed.search.search import Search
from unswayed.study.plays import LARGEST_VALUE
from unswayed.types import FloatArray

OVERTAKEN, EACH = 16, 4  # an open trial is lost after so many later ones, and so many more for each open one from it on


@dataclass(frozen=True)
class Told:
    """A finished trial. `value` is to be maximised; None if the trial failed or was pruned."""

    number: int
    point: Numbers
    value: float | None


@dataclass(frozen=True)
class Seen:
    """What the trial at `place` sees. Pending are the place and the point of each; None where it is not stored yet."""

    place: int
    told: list[Told]
    pending: list[tuple[int, Numbers | None]]


def single_objective(study: Study, what: str) -> None:
    """Refuse studies of several objectives."""
    if len(study.directions) > 1:
        raise InvalidInput(f"{what} needs a study with one objective, but this one has {len(study.directions)}")


def measured_value(study: Study, trial: FrozenTrial) -> float | None:
    """The value of a complete trial, larger is better; None for a value that is infinite or beyond computing."""
    if trial.state != TrialState.COMPLETE or trial.value is None:
        return None
    if abs(trial.value) > LARGEST_VALUE:
        return None
    return -trial.value if study.direction == StudyDirection.MINIMIZE else trial.value


def seen_by(study: Study, trials: Sequence[FrozenTrial], number: int, space: OptunaSpace, parallel: int) -> Seen:
    """What trial `number` may know, if `parallel` are open at a time: never the answers of the last parallel - 1."""
    before = sorted((trial for trial in trials if trial.number < number), key=lambda trial: trial.number)
    lost = _lost(before)
    waiting = (i for i, t in enumerate(before) if not t.state.is_finished() and t.number not in lost)
    end = min(next(waiting, len(before)), max(len(before) + 1 - parallel, 0))
    told: list[Told] = []
    pending: list[tuple[int, Numbers | None]] = []
    for place, trial in enumerate(before):
        point = space.numbers(_known_params(trial))
        if place < end and trial.state.is_finished():
            if point is not None:
                told.append(Told(trial.number, point, measured_value(study, trial)))
        elif point is not None or (not trial.state.is_finished() and trial.number not in lost):
            pending.append((place, point))
    return Seen(len(before), told, pending)


def _lost(before: Sequence[FrozenTrial]) -> set[int]:
    """From the last back, so that those that died together do not vouch for each other."""
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


def tell(search: Search, space: OptunaSpace, told: Sequence[Told]) -> None:
    """Enter finished trials into a search."""
    for one, row in zip(told, space.rows([one.point for one in told]), strict=True):
        if one.value is None:
            search.fail(row)
        else:
            search.tell(row, one.value)


def ask(search: Search, space: OptunaSpace, seen: Seen) -> FloatArray:
    """The row for the trial that sees this.

    An open trial whose parameters are not stored yet is taken to get what it would be given now: without that, two
    workers that begin at the same moment would get the same point.
    """
    points: list[Numbers] = []
    for place, point in seen.pending:
        if point is None:
            point = space.numbers(space.params_of_row(search.ask(place, space.rows(points))))
            assert point is not None
        points.append(point)
    return search.ask(seen.place, space.rows(points))
