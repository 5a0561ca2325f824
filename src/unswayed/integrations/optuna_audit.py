"""The audit of an Optuna study: its complete trials as a table of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from math import log10
from typing import Any, Unpack

import numpy as np
from optuna.distributions import BaseDistribution, CategoricalDistribution
from optuna.search_space import intersection_search_space
from optuna.study import Study
from optuna.trial import TrialState

from unswayed.audits.audit import Audit, audit
from unswayed.core.assumptions import Given, ModelArgs
from unswayed.errors import InvalidInput
from unswayed.forwarding import forwards
from unswayed.integrations.optuna_trials import measured_value, single_objective
from unswayed.types import FloatArray, IntArray, read_only


@dataclass(frozen=True, eq=False)
class StudyTable:
    """The complete trials of a study as numbers.

    Attributes:
        columns: Titles of the columns of x. A linear parameter has a column with its name and its value, a logarithmic
            one `log10(name)`, a categorical one a column `name=choice` for each choice: 1 for the one that was taken.
        x: A row for each trial.
        y: The value of each trial.
        numbers: The number of each trial.
        minimize: Whether the study minimises.
    """

    columns: tuple[str, ...]
    x: FloatArray
    y: FloatArray
    numbers: IntArray
    minimize: bool


def study_table(study: Study) -> StudyTable:
    """The complete trials with finite values as numbers, in the parameters that all of them have in common."""
    single_objective(study, "an audit")
    complete = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
    trials = [trial for trial in complete if measured_value(study, trial) is not None]
    if not trials:
        raise InvalidInput("the study has no complete trial with a finite value: there is nothing to audit")
    common = intersection_search_space(trials)
    columns = [title for name, one in common.items() for title in _titles(name, one)]
    if not columns:
        raise InvalidInput("the complete trials have no parameter in common that varies: there is nothing to compare")
    x = [[cell for name, one in common.items() for cell in _cells(one, t.params[name])] for t in trials]
    return StudyTable(
        tuple(columns),
        read_only(np.array(x, dtype=np.float64)),
        read_only(np.array([trial.value for trial in trials], dtype=np.float64)),
        read_only(np.array([trial.number for trial in trials], dtype=np.int64)),
        study.direction.name == "MINIMIZE",
    )


@forwards(Given, without=("threat",))
def audit_study(study: Study, *, threat: float = 0.0, **given: Unpack[ModelArgs]) -> Audit:
    """Can the winner of this study be trusted? `unswayed.audit` of its complete trials, whichever sampler made them.

    Args:
        study: A study with one objective.
        {settings}
        threat: Total tampering to certify against, in units of the objective.

    Returns:
        The audit. Its options are the distinct points of the complete trials in the order of first appearance,
        encoded as `study_table` says; a suspect's `row` is a row of that table.
    """
    table = study_table(study)
    return audit(table.x, table.y, names=table.columns, minimize=table.minimize, threat=threat, **given)


def _titles(name: str, distribution: BaseDistribution) -> list[str]:
    if distribution.single():
        return []
    if isinstance(distribution, CategoricalDistribution):
        return [f"{name}={choice}" for choice in distribution.choices]
    return [f"log10({name})" if getattr(distribution, "log", False) else name]


def _cells(distribution: BaseDistribution, value: Any) -> list[float]:
    if distribution.single():
        return []
    if isinstance(distribution, CategoricalDistribution):
        taken = distribution.to_internal_repr(value)
        return [float(number == taken) for number in range(len(distribution.choices))]
    return [log10(value) if getattr(distribution, "log", False) else float(value)]
