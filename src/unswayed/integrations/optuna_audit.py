"""Audits of Optuna studies: their complete trials as numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import log10, sqrt
from typing import Any, Unpack

import numpy as np
from optuna.distributions import BaseDistribution, CategoricalDistribution
from optuna.search_space import intersection_search_space
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from unswayed.audits.audit import audit_points
from unswayed.audits.result import Audit
from unswayed.core.data.measurement import Measurement, own_noise
from unswayed.errors import InvalidInput
from unswayed.forwarding import forwards
from unswayed.integrations.optuna_retract import retracted
from unswayed.integrations.optuna_trials import measured, single_objective
from unswayed.judgement.assumptions import Given, GivenArgs
from unswayed.spaces.conditions import NO_VALUE
from unswayed.text import listed
from unswayed.types import FloatArray, IntArray, read_only

NOBODY = "(not named)"


@dataclass(frozen=True, eq=False)
class StudyTable:
    """The complete trials of a study as numbers, without those that were retracted.

    Attributes:
        columns: Titles of the columns of x. A linear parameter has a column with its name and its value, a logarithmic
            one `log10(name)`, a categorical one a column `name=choice` for each choice: 1 for the one that was taken.
            A number that only some trials have has two columns, `arc(name)` and `has(name)`: its place on an arc that
            is equally far from trials without it (spaces/conditions.py).
        x: A row for each trial.
        y: The value of each trial.
        numbers: The number of each trial.
        minimize: Whether the study minimises.
        sources: The user attribute `source` of each trial; None if none has it.
        noise_stds: The standard error of each value, from the user attribute `noise_std` or `trials`; NaN where there
            is none, None if none has one.
        labels: The parameters of each trial in words.
        left_out: How many trials were left out for what, in words; empty if none was.
    """

    columns: tuple[str, ...]
    x: FloatArray
    y: FloatArray
    numbers: IntArray
    minimize: bool
    sources: tuple[str, ...] | None = None
    noise_stds: FloatArray | None = None
    labels: tuple[str, ...] = ()
    left_out: str = ""


def study_table(study: Study) -> StudyTable:
    """The complete trials with finite values as numbers, in all of their parameters."""
    single_objective(study, "an audit")
    complete = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
    out = retracted(study)
    trials = [trial for trial in complete if trial.number not in out and measured(trial) is not None]
    if not trials:
        raise InvalidInput("the study has no complete trial with a finite value: there is nothing to audit")
    names = sorted({name for trial in trials for name in trial.params})
    common = intersection_search_space(trials)
    columns = [
        column
        for name in names
        for column in (
            _columns(name, common[name], [t.params[name] for t in trials]) if name in common else _some(name, trials)
        )
    ]
    if not columns:
        raise InvalidInput("the complete trials have no parameter that varies: there is nothing to compare")
    titles, cells = zip(*columns, strict=True)
    y = np.array([trial.value for trial in trials], dtype=np.float64)
    numbers = np.array([trial.number for trial in trials], dtype=np.int64)
    minimize, x = study.direction == StudyDirection.MINIMIZE, read_only(np.column_stack(cells))
    about = _about([measured(trial) for trial in trials])
    labels = tuple(_label(trial) for trial in trials)
    left_out = _left_out(study, len(trials), len(out))
    return StudyTable(titles, x, read_only(y), read_only(numbers), minimize, *about, labels, left_out)


def _label(trial: FrozenTrial) -> str:
    """The parameters of a trial in words."""
    shown = ((name, f"{x:.6g}" if isinstance(x, float) else str(x)) for name, x in trial.params.items())
    return ", ".join(f"{name} = {text}" for name, text in shown)


def _left_out(study: Study, used: int, retracted: int) -> str:
    """How many trials are not compared, and why."""
    states = Counter(trial.state.name.lower() for trial in study.get_trials(deepcopy=False))
    unusable = states.pop("complete", 0) - used - retracted
    kinds = {"fail": "failed", "running": "unfinished"}
    counts = {kinds.get(name, name): number for name, number in states.items()}
    counts |= {"retracted": retracted, "without a finite value": unusable}
    words = [f"{number:,} {what}" for what, number in counts.items() if number > 0]
    return f"Trials left out: {listed(words)}." if words else ""


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
    about |= {"lines": table.numbers.tolist(), "called": "trial", "describe": table.labels.__getitem__}
    about["notes"] = [table.left_out] if table.left_out else []
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


def _some(name: str, trials: Sequence[FrozenTrial]) -> list[tuple[str, list[float]]]:
    """The columns of a parameter that only some trials have, or that has not the same range in all."""
    having = [trial for trial in trials if name in trial.params]
    values = [trial.params.get(name) for trial in trials]
    known = [trial.params[name] for trial in having]
    ranges = [trial.distributions[name] for trial in having]
    if any(isinstance(one, CategoricalDistribution) for one in ranges):
        texts = dict.fromkeys(map(str, known))
        has = [name in trial.params for trial in trials]
        return [(f"{name}={x}", [float(h and str(v) == x) for h, v in zip(has, values, strict=True)]) for x in texts]
    log = all(getattr(one, "log", False) for one in ranges)
    scaled = [None if value is None else log10(value) if log else float(value) for value in values]
    if len(having) == len(trials):
        return [(f"log10({name})" if log else name, [float(z) for z in scaled if z is not None])]
    there = [z for z in scaled if z is not None]
    low, width = min(there), (max(there) - min(there)) or 1.0
    places = [NO_VALUE[0] if z is None else (z - low) / width for z in scaled]
    heights = [NO_VALUE[1] if z is None else sqrt(0.5 - (p - 0.5) ** 2) for z, p in zip(scaled, places, strict=True)]
    return [(f"arc({name})", places), (f"has({name})", heights)]
