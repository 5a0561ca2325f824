"""Unswayed for Optuna: a sampler, a recommendation that one lie does not move, and an audit of any study.

sampler = UnswayedSampler(corruption_budget=2.0)
study = optuna.create_study(direction="maximize", sampler=sampler)
study.optimize(objective, n_trials=100)
sampler.recommend(study).point        # beside study.best_params, which believes every value
audit_study(study).breakdown_budget   # the tampering that would have made another trial win
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from threading import RLock
from typing import Any, cast
from zlib import crc32

import numpy as np

from unswayed.errors import InvalidInput
from unswayed.types import positive, whole

try:
    from optuna.distributions import BaseDistribution
    from optuna.samplers import BaseSampler, RandomSampler
    from optuna.search_space import intersection_search_space
    from optuna.study import Study, StudyDirection
    from optuna.trial import FrozenTrial, TrialState
except ImportError:
    raise InvalidInput("this needs Optuna: pip install 'unswayed[optuna]'") from None

from unswayed.core.kernels import Kernel
from unswayed.integrations.optuna_audit import StudyTable, audit_study, study_table
from unswayed.integrations.optuna_space import OptunaSpace, searchable
from unswayed.integrations.optuna_trials import Told, ask, measured_value, seen_by, single_objective, tell
from unswayed.search.answer import Answer
from unswayed.search.beliefs import Given
from unswayed.search.search import Search
from unswayed.spaces import Space

__all__ = ["Recommendation", "StudyTable", "UnswayedSampler", "audit_study", "recommend", "study_table"]

KEPT = 4  # studies whose searches a sampler keeps at hand


@dataclass(eq=False)
class _Fold:
    """A search and the trials that it was told."""

    space: OptunaSpace
    search: Search
    told: list[Told]


class UnswayedSampler(BaseSampler):
    """Samples where it pays, while some of the values may be wrong by `corruption_budget` in total.

    What a trial is given follows from the seed and from the trials before it in the storage, so any number of
    workers on one study agree, whatever they keep in memory. Without a `seed`, it comes from the study's name.
    A trial does not wait for others: open ones are taken to answer what is expected of them. `parallel`, if you
    know how many trials are open at a time, keeps what is asked from depending on which of them is faster.

    `search_space` names the parameters to search together; by default those that all complete trials have in common,
    with the same distributions. Any other parameter is drawn at random. Failed and pruned trials, and values that are
    infinite or beyond 1e100, count as no answer: their points are not tried again soon, and say nothing about values.

    `noise_std`, `kernel` (on the unit cube), `output_scale` and `norm_bound` are estimated where they are not given,
    in units of the objective; `delta` is the probability of failure of the certificate.
    """

    def __init__(
        self,
        search_space: Mapping[str, BaseDistribution] | None = None,
        *,
        corruption_budget: float,
        noise_std: float | None = None,
        kernel: Kernel | None = None,
        output_scale: float | None = None,
        norm_bound: float | None = None,
        delta: float = 0.05,
        parallel: int = 1,
        seed: int | None = None,
    ) -> None:
        self._given = _given(corruption_budget, noise_std, kernel, output_scale, norm_bound, delta)
        self._space = None if search_space is None else OptunaSpace(search_space)
        self._parallel = whole(parallel, "parallel", least=1)
        self._seed = None if seed is None else whole(seed, "the seed", least=0)
        self._lock, self._folds = RLock(), dict[str, _Fold]()

    def __getstate__(self) -> dict[str, Any]:
        """Without what can be computed again."""
        return {name: value for name, value in vars(self).items() if name not in ("_lock", "_folds")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=RLock(), _folds={})

    def reseed_rng(self) -> None:
        """Nothing: workers are meant to agree, and what they are given differs by the numbers of their trials."""

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        """The given search space, or what the complete trials before this one have in common."""
        single_objective(study, type(self).__name__)
        if self._space is not None:
            return dict(self._space.distributions)
        before = [one for one in study.get_trials(deepcopy=False) if one.number < trial.number]
        return searchable(intersection_search_space(before))

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """The parameters of `search_space` for this trial."""
        single_objective(study, type(self).__name__)
        space = OptunaSpace(search_space)
        if space.box is None:
            return dict(space.fixed)
        with self._lock:
            trials = study.get_trials(deepcopy=False)
            seen = seen_by(study, trials, trial.number, space, self._parallel)
            fold = self._fold(study, space, seen.told)
            return space.params_of_row(ask(fold.search, space, seen))

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """A parameter that is not searched: random, by the seed, the trial's number and the parameter's name."""
        single_objective(study, type(self).__name__)
        key = [self._seed_for(study), trial.number, crc32(param_name.encode("utf-8", "surrogatepass"))]
        seed = int(np.random.SeedSequence(key).generate_state(1)[0])
        return RandomSampler(seed).sample_independent(study, trial, param_name, param_distribution)

    def recommend(self, study: Study) -> Recommendation:
        """The parameters to use, from all complete trials, with what this sampler was given."""
        return _recommend(study, self._given, self._space, self._seed_for(study))

    def _seed_for(self, study: Study) -> int:
        return _seed_of(study) if self._seed is None else self._seed

    def _fold(self, study: Study, space: OptunaSpace, told: list[Told]) -> _Fold:
        """The search that was told this: the last one of the study continued, or a new one where that differs."""
        fold = self._folds.pop(study.study_name, None)
        known = 0 if fold is None else len(fold.told)
        if fold is None or fold.space.distributions != space.distributions or fold.told != told[:known]:
            assert space.box is not None
            fold, known = _Fold(space, Search(space.box, self._given, self._seed_for(study)), []), 0
        tell(fold.search, fold.space, told[known:])
        fold.told = told
        while len(self._folds) >= KEPT:
            del self._folds[next(iter(self._folds))]
        self._folds[study.study_name] = fold
        return fold


@dataclass(frozen=True, eq=False)
class Recommendation(Answer):
    """An `Answer` in Optuna's terms: `point`, `rival` and `pivot` are parameters, `set_aside` numbers of trials."""

    def describe(self, space: Space | None = None) -> str:
        """A few sentences for people."""
        return super().describe(cast(Space, _Params()) if space is None else space)


class _Params:
    """Optuna's parameters in words."""

    def describe(self, params: Mapping[str, Any]) -> str:
        shown = ((name, f"{x:.6g}" if isinstance(x, float) else str(x)) for name, x in params.items())
        return ", ".join(f"{name} = {text}" for name, text in shown)


def recommend(
    study: Study,
    *,
    corruption_budget: float,
    search_space: Mapping[str, BaseDistribution] | None = None,
    noise_std: float | None = None,
    kernel: Kernel | None = None,
    output_scale: float | None = None,
    norm_bound: float | None = None,
    delta: float = 0.05,
    seed: int | None = None,
) -> Recommendation:
    """The parameters to use, from all complete trials of a study, whichever sampler made them.

    Unlike `study.best_params`, a model of all values decides, which sets aside what the others do not explain; so
    the point need not be one of the trials. The settings are those of `UnswayedSampler`. Without a `search_space`
    it is about the parameters that all complete trials have in common.
    """
    given = _given(corruption_budget, noise_std, kernel, output_scale, norm_bound, delta)
    space = None if search_space is None else OptunaSpace(search_space)
    return _recommend(study, given, space, _seed_of(study) if seed is None else whole(seed, "the seed", least=0))


def _recommend(study: Study, given: Given, space: OptunaSpace | None, seed: int) -> Recommendation:
    single_objective(study, "a recommendation")
    trials = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
    space = OptunaSpace(searchable(intersection_search_space(trials))) if space is None else space
    told = _measured(study, trials, space)
    if not told:
        raise InvalidInput("no complete trial has a finite value for these parameters: there is nothing to recommend")
    if space.box is None:
        raise InvalidInput("the complete trials have no parameter in common of which there is more than one value")
    rows = space.rows([one.point for one in told])
    answer = Search(space.box, given, seed).answer(
        [one.number for one in told],
        minimize=study.direction == StudyDirection.MINIMIZE,
        more=[(row, cast(float, one.value)) for row, one in zip(rows, told, strict=True)],
    )
    plain = {field.name: getattr(answer, field.name) for field in fields(answer)}
    for name in ("point", "rival", "pivot"):
        plain[name] = None if plain[name] is None else space.params(plain[name])
    return Recommendation(**plain)


def _measured(study: Study, trials: Sequence[FrozenTrial], space: OptunaSpace) -> list[Told]:
    points = [(trial, space.numbers(trial.params), measured_value(study, trial)) for trial in trials]
    return [Told(t.number, point, value) for t, point, value in points if point is not None and value is not None]


def _given(
    corruption_budget: float,
    noise_std: float | None,
    kernel: Kernel | None,
    output_scale: float | None,
    norm_bound: float | None,
    delta: float,
) -> Given:
    if not 0 < delta < 1:
        raise InvalidInput(f"delta must lie between 0 and 1, not {delta:g}")
    return Given(
        corruption_budget=positive(corruption_budget, "the corruption budget", zero=True),
        noise_std=None if noise_std is None else positive(noise_std, "the noise"),
        kernel=kernel,
        output_scale=None if output_scale is None else positive(output_scale, "the output scale"),
        norm_bound=None if norm_bound is None else positive(norm_bound, "the norm bound"),
        delta=delta,
    )


def _seed_of(study: Study) -> int:
    """The same for all workers: not from the time, but from the study's name."""
    return crc32(study.study_name.encode("utf-8", "surrogatepass"))
