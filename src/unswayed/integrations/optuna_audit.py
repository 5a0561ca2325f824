"""Audits of Optuna studies: their complete trials as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10
from typing import Any, Unpack

import numpy as np
from optuna.distributions import BaseDistribution, CategoricalDistribution
from optuna.search_space import intersection_search_space
from optuna.study import Study, StudyDirection
from optuna.trial import TrialState

from unswayed.audits.audit import audit_points
from unswayed.audits.result import Audit
from unswayed.core.data.measurement import Measurement, own_noise
from unswayed.errors import InvalidInput
from unswayed.forwarding import forwards
from unswayed.integrations.optuna_retract import retracted
from unswayed.integrations.optuna_trials import measured, single_objective
from unswayed.judgement.assumptions import Given, GivenArgs
from unswayed.types import FloatArray, IntArray, read_only

NOBODY = "(not named)"


@dataclass(frozen=True, eq=False)
class StudyTable:
    """The complete trials of a study as numbers, without those that were retracted.

    Attributes:
        columns: Titles of the columns of x. A linear parameter has a column with its name and its value, a logarithmic
            one `log10(name)`, a categorical one a column `name=choice` for each choice: 1 for the one that was taken.
        x: A row for each trial.
        y: The value of each trial.
        numbers: The number of each trial.
        minimize: Whether the study minimises.
        sources: The user attribute `source` of each trial; None if none has it.
        noise_stds: The standard error of each value, from the user attribute `noise_std` or `trials`; NaN where there
            is none, None if none has one.
    """

    columns: tuple[str, ...]
    x: FloatArray
    y: FloatArray
    numbers: IntArray
    minimize: bool
    sources: tuple[str, ...] | None = None
    noise_stds: FloatArray | None = None


def study_table(study: Study) -> StudyTable:
    """The complete trials with finite values as numbers, in the parameters that all of them have in common."""
    single_objective(study, "an audit")
    complete = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
    out = retracted(study)
    trials = [trial for trial in complete if trial.number not in out and measured(trial) is not None]
    if not trials:
        raise InvalidInput("the study has no complete trial with a finite value: there is nothing to audit")
    common = intersection_search_space(trials).items()
    columns = [column for name, one in common for column in _columns(name, one, [t.params[name] for t in trials])]
    if not columns:
        raise InvalidInput("the complete trials have no parameter in common that varies: there is nothing to compare")
    titles, cells = zip(*columns, strict=True)
    y = np.array([trial.value for trial in trials], dtype=np.float64)
    numbers = np.array([trial.number for trial in trials], dtype=np.int64)
    minimize, x = study.direction == StudyDirection.MINIMIZE, read_only(np.column_stack(cells))
    return StudyTable(titles, x, read_only(y), read_only(numbers), minimize, *_about([measured(t) for t in trials]))


def _about(found: Sequence[Measurement | None]) -> tuple[tuple[str, ...] | None, FloatArray | None]:
    """Who measured each value, and its standard error, where that was told."""
    told = [one for one in found if one is not None]
    sources = tuple(NOBODY if one.source is None else one.source for one in told)
    stated = np.array([np.nan if one.noise_std is None else one.noise_std for one in told])
    noise = own_noise(np.array([one.value for one in told]), stated, np.array([float(one.trials or 0) for one in told]))
    return sources if set(sources) != {NOBODY} else None, noise if np.isfinite(noise).any() else None


@forwards(Given)
def audit_study(study: Study, **given: Unpack[GivenArgs]) -> Audit:
    """Can the winner of this study be trusted? `unswayed.audit` of its complete trials, made by any sampler.

    Args:
        study: A study with one objective.
        {settings}

    Returns:
        The audit. Its options are the distinct points of the complete trials in the order of first appearance,
        encoded as `study_table` says; a suspect's `row` is a row of that table.
    """
    table = study_table(study)
    about: dict[str, Any] = {"sources": table.sources, "noise_stds": table.noise_stds, "minimize": table.minimize}
    return audit_points(table.x, table.y, names=table.columns, **about, **given)


def _columns(name: str, distribution: BaseDistribution, values: list[Any]) -> list[tuple[str, list[float]]]:
    """The columns of one parameter: title and cells of each."""
    if distribution.single():
        return []
    if isinstance(distribution, CategoricalDistribution):
        taken = [distribution.to_internal_repr(value) for value in values]
        return [(f"{name}={choice}", [float(t == i) for t in taken]) for i, choice in enumerate(distribution.choices)]
    if getattr(distribution, "log", False):
        return [(f"log10({name})", [log10(value) for value in values])]
    return [(name, [float(value) for value in values])]
