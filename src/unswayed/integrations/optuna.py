"""Unswayed for Optuna: a sampler, a recommendation that one lie does not move, and an audit of any study.

sampler = UnswayedSampler(threat=2.0)
study = optuna.create_study(direction="maximize", sampler=sampler)
study.optimize(objective, n_trials=100)
sampler.recommend(study).point        # unlike study.best_params, it does not believe every value
audit_study(study).breakdown_budget   # the tampering that would have made another trial win
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from threading import RLock
from typing import Any, TypeVar, Unpack
from zlib import crc32

import numpy as np

from unswayed.errors import InvalidInput

try:
    from optuna.distributions import BaseDistribution
    from optuna.samplers import BaseSampler, RandomSampler
    from optuna.study import Study, StudyDirection
    from optuna.trial import FrozenTrial, TrialState
except ImportError:
    raise InvalidInput("this needs Optuna: pip install 'unswayed[optuna]'") from None

from unswayed.core.data.measurement import Measurement
from unswayed.core.data.threads import one_thread
from unswayed.forwarding import forwards
from unswayed.integrations.optuna_audit import StudyTable, audit_study, study_table
from unswayed.integrations.optuna_common import Common, found_space, given_space, within
from unswayed.integrations.optuna_retract import restore, retract, retracted
from unswayed.integrations.optuna_space import Conditions, OptunaSpace
from unswayed.integrations.optuna_trials import (
    WHY,
    Searched,
    Trial,
    ask,
    continued,
    events,
    measured,
    seen_by,
    single_objective,
    store_fit,
    store_why,
)
from unswayed.judgement.assumptions import Given, GivenArgs
from unswayed.search.answer import Answer
from unswayed.search.conclude import answer
from unswayed.search.modes import begin
from unswayed.search.play import Play, Status, Why
from unswayed.search.task import Task
from unswayed.spaces.encoding import When
from unswayed.types import whole

__all__ = [
    "StudyTable",
    "UnswayedSampler",
    "audit_study",
    "recommend",
    "restore",
    "retract",
    "retracted",
    "study_table",
]

Cached = TypeVar("Cached")
NO_VALUE = {TrialState.PRUNED: "pruned", TrialState.FAIL: "failed"}
KEPT = 4  # a sampler keeps the searches of at most this many studies in memory


@forwards(Given)
class UnswayedSampler(BaseSampler):
    """An Optuna sampler for objectives some of whose values may be wrong.

    What a trial is given follows from the seed and from the trials before it in the storage. So any number of workers
    on one study agree, whatever they keep in memory. A trial does not wait for others: open ones count with their
    predictions. Failed and pruned trials, and values that are infinite or beyond 1e100, count as failed plays: their
    points are not tried again soon, and they say nothing about values. The user attributes `source`, `noise_std` and
    `trials` of a trial say who measured its value, its standard error, or how many outcomes a rate is the mean of; if
    one of them makes no sense, there is a warning, and the trial counts as failed. Trials that were left out by
    `retract` do not count. The system attribute `unswayed:why` of a trial says what it was chosen for: a word of
    `unswayed.Why`.

    Args:
        search_space: The parameters to search together. By default those that all complete trials have in common,
            with the same distributions, and those that a trial has by its choice of another one: C if kind is svm. Any
            other parameter is drawn at random.
        when: Which of the given search space only some trials have: `{"C": {"kind": "svm"}}`, or a list of values.
        {settings}
        parallel: How many trials are open at a time, if you know it. Then what is asked does not depend on which of
            them is faster.
        seed: The same seed and values give the same trials. By default it comes from the study's name.

    Example:
        >>> import optuna
        >>> optuna.logging.set_verbosity(optuna.logging.ERROR)
        >>> study = optuna.create_study(direction="maximize", sampler=UnswayedSampler(threat=1.0, seed=0))
        >>> study.optimize(lambda trial: -((trial.suggest_float("x", 0, 1) - 0.3) ** 2), n_trials=30)
        >>> round(study.sampler.recommend(study).point["x"], 1)
        0.3
    """

    def __init__(
        self,
        search_space: Mapping[str, BaseDistribution] | None = None,
        *,
        when: Mapping[str, When] | None = None,
        parallel: int = 1,
        seed: int | None = None,
        **given: Unpack[GivenArgs],
    ) -> None:
        self._given = Given(**given)
        self._space = given_space(search_space, when)
        self._parallel = whole(parallel, "parallel", least=1)
        self._seed = None if seed is None else whole(seed, "the seed", least=0)
        self._forget()

    def _forget(self) -> None:
        """Begin without what can be computed again."""
        self._lock = RLock()
        self._searches = dict[str, Searched]()
        self._common = dict[str, Common]()

    def __getstate__(self) -> dict[str, Any]:
        """Without what can be computed again."""
        return {name: value for name, value in vars(self).items() if name not in ("_lock", "_searches", "_common")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._forget()

    def reseed_rng(self) -> None:
        """Nothing: workers are meant to agree, and their trials differ by their numbers."""

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        """The given search space, or that of the complete trials before this one."""
        single_objective(study, type(self).__name__)
        return self._search_space(study, trial)[0]

    def _search_space(self, study: Study, trial: FrozenTrial) -> tuple[dict[str, BaseDistribution], Conditions]:
        if self._space is not None:
            return dict(self._space.distributions), self._space.when
        out, trials = retracted(study), study.get_trials(deepcopy=False)
        before = [one for one in trials if one.number < trial.number and one.number not in out]
        with self._lock:
            common = _newest(self._common, study, self._common.get(study.study_name) or Common())
            return common.of(before).space()

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """The parameters of `search_space` for this trial."""
        single_objective(study, type(self).__name__)
        space = OptunaSpace(*within(search_space, self._search_space(study, trial)[1]))
        if space.box is None:
            return dict(space.fixed)
        with self._lock, one_thread():
            trials = study.get_trials(deepcopy=False)
            searched = self._searched(study, space)
            seen = seen_by(trials, trial.number, space, self._parallel, searched.read, retracted(study))
            minimize = study.direction == StudyDirection.MINIMIZE
            searched, mode = continued(searched, seen.told, trials, self._given, minimize=minimize)
            _newest(self._searches, study, searched)
            row, why, _ = ask(mode, space, seen)
        store_fit(study, trial, searched)
        store_why(study, trial, space, why)
        return space.params_of_row(row)

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """A parameter that is not searched: random, by the seed, the trial's number and the parameter's name."""
        single_objective(study, type(self).__name__)
        key = [self._seed_for(study), trial.number, crc32(param_name.encode("utf-8", "surrogatepass"))]
        seed = int(np.random.SeedSequence(key).generate_state(1)[0])
        return RandomSampler(seed).sample_independent(study, trial, param_name, param_distribution)

    def recommend(self, study: Study) -> Answer:
        """The parameters to use, from all complete trials, with what this sampler was given.

        Args:
            study: The study, with trials by any sampler.

        Returns:
            An `Answer` whose points are Optuna's parameters and whose plays are the finished trials.
        """
        return _recommend(study, self._given, self._space, self._seed_for(study))

    def _seed_for(self, study: Study) -> int:
        return _seed_of(study) if self._seed is None else self._seed

    def _searched(self, study: Study, space: OptunaSpace) -> Searched:
        """The last search of the study, or a new one if that was in another space."""
        last = self._searches.get(study.study_name)
        if last is None or (last.space.distributions, last.space.when) != (space.distributions, space.when):
            return Searched(space, _task(study, space, self._given, self._seed_for(study)), [], {})
        return last


def _newest(kept: dict[str, Cached], study: Study, one: Cached) -> Cached:
    """Keep what belongs to a study as the newest of at most KEPT."""
    kept.pop(study.study_name, None)
    while len(kept) >= KEPT:
        del kept[next(iter(kept))]
    kept[study.study_name] = one
    return one


@forwards(Given)
def recommend(
    study: Study,
    *,
    search_space: Mapping[str, BaseDistribution] | None = None,
    when: Mapping[str, When] | None = None,
    seed: int | None = None,
    **given: Unpack[GivenArgs],
) -> Answer:
    """The parameters to use, from all complete trials of a study, made by any sampler.

    `study.best_params` believes the largest value. Here a model of all values decides, and sets aside what the others
    do not explain; so the point need not be one of the trials.

    Args:
        study: A study with one objective.
        {settings}
        search_space: The parameters to compare; by default those of all complete trials, and those that a trial has by
            its choice of another one.
        when: Which of the given search space only some trials have: `{"C": {"kind": "svm"}}`, or a list of values.
        seed: Of the points that are considered; by default from the study's name.

    Returns:
        An `Answer` whose points are Optuna's parameters and whose plays are the finished trials.

    Raises:
        InvalidInput: No complete trial has a finite value for these parameters, or it is not clear which trials have
            which parameters.
    """
    space = given_space(search_space, when)
    seed = _seed_of(study) if seed is None else whole(seed, "the seed", least=0)
    return _recommend(study, Given(**given), space, seed)


def _recommend(study: Study, given: Given, space: OptunaSpace | None, seed: int) -> Answer:
    single_objective(study, "a recommendation")
    trials = [trial for trial in study.get_trials(deepcopy=False) if trial.state.is_finished()]
    out = retracted(study)
    counting = [trial for trial in trials if trial.number not in out]
    space = found_space(counting) if space is None else space
    if not any(measured(trial) and space.numbers(trial.params) is not None for trial in counting):
        raise InvalidInput("no complete trial has a finite value for these parameters: there is nothing to recommend")
    plays, counted, task = [], [], _task(study, space, given, seed)
    for trial in trials:
        point = space.numbers(trial.params)
        if point is not None:
            play, found = _play(trial, space.parts(point), out)
            plays.append(play)
            counted += [Trial(trial.number, point, found)] if play.status is not Status.RETRACTED else []
    minimize = study.direction == StudyDirection.MINIMIZE
    told = events(task, space, counted, minimize=minimize)
    with one_thread():
        return answer(begin(task), plays, told, space=space, named=space.params, minimize=minimize)


def _play(trial: FrozenTrial, names: Iterable[str], out: Mapping[int, str]) -> tuple[Play, Measurement | None]:
    """A finished trial as a play, and what it measured, if that counts."""
    params = {name: trial.params[name] for name in names}
    play = Play(trial.number, params, why=Why.read(trial.system_attrs.get(WHY)))
    if trial.number in out:
        return replace(play, status=Status.RETRACTED, value=trial.value, reason=out[trial.number]), None
    if (found := measured(trial)) is None:
        return replace(play, status=Status.FAILED, reason=NO_VALUE.get(trial.state, "unusable")), None
    return replace(play, status=Status.TOLD, **vars(found)), found


def _task(study: Study, space: OptunaSpace, given: Given, seed: int) -> Task:
    minimize = study.direction == StudyDirection.MINIMIZE
    return Task(space.searched, given.flipped() if minimize else given, seed)


def _seed_of(study: Study) -> int:
    """The same for all workers: not from the time, but from the study's name."""
    return crc32(study.study_name.encode("utf-8", "surrogatepass"))
