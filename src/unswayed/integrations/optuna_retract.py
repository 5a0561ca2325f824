"""Trials of an Optuna study that are left out, by decision of a person.

Optuna does not let anybody change a finished trial. So this is kept with the study, as one user attribute for each such
trial: `unswayed:retracted:17` is the reason why trial 17 is left out, or None if it counts again.
"""

from __future__ import annotations

from optuna.study import Study
from optuna.trial import TrialState

from unswayed.errors import InvalidInput
from unswayed.integrations.optuna_trials import single_objective
from unswayed.study.run import one_line
from unswayed.types import whole

RETRACTED = "unswayed:retracted:"  # and the number of the trial


def retract(study: Study, number: int, reason: str) -> None:
    """Leave a complete trial out from now on, as if it had never been told. What was asked stays asked.

    It is written to the storage of the study. So the sampler of every worker leaves it out, and so do `recommend`,
    `audit_study` and `study_table`. Optuna's own samplers and `study.best_trial` still believe it. To retract a trial
    twice is harmless; the first reason is kept.

    Args:
        study: A study with one objective.
        number: The number of the trial.
        reason: Why, in one line.

    Raises:
        InvalidInput: There is no such trial, it is not complete, or there is no reason.

    Example:
        >>> import optuna
        >>> optuna.logging.set_verbosity(optuna.logging.ERROR)
        >>> study = optuna.create_study(sampler=optuna.samplers.RandomSampler(0))
        >>> study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=8)
        >>> retract(study, 3, "the sensor was unplugged")
        >>> retracted(study)
        {3: 'the sensor was unplugged'}
    """
    key = _key(study, number, "retracted")
    if not isinstance(reason, str) or not reason.strip():
        raise InvalidInput(f"say in one line why trial {number} is retracted")
    if study.user_attrs.get(key) is None:
        study.set_user_attr(key, one_line(reason))


def restore(study: Study, number: int) -> None:
    """Undo a retraction: the trial counts again. To restore a trial twice is harmless.

    Args:
        study: A study with one objective.
        number: The number of the trial.

    Raises:
        InvalidInput: There is no such trial, or it was never retracted.

    Example:
        >>> import optuna
        >>> optuna.logging.set_verbosity(optuna.logging.ERROR)
        >>> study = optuna.create_study(sampler=optuna.samplers.RandomSampler(0))
        >>> study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=8)
        >>> retract(study, 3, "the sensor was unplugged")
        >>> restore(study, 3)
        >>> retracted(study)
        {}
    """
    key = _key(study, number, "restored")
    if key not in study.user_attrs:
        raise InvalidInput(f"trial {number} was never retracted: there is nothing to restore")
    if study.user_attrs[key] is not None:
        study.set_user_attr(key, None)


def retracted(study: Study) -> dict[int, str]:
    """The trials that are left out.

    Args:
        study: The study.

    Returns:
        The number of each, and the reason.
    """
    attributes = study._storage.get_study_user_attrs(study._study_id).items()
    named = {key.removeprefix(RETRACTED): said for key, said in attributes if key.startswith(RETRACTED)}
    return {int(number): str(said) for number, said in named.items() if said is not None and number.isdecimal()}


def _key(study: Study, number: int, done: str) -> str:
    """The attribute that says whether a trial is left out."""
    single_objective(study, "a trial that is " + done)
    known = whole(number, "the number of a trial", least=0)
    trials = study.get_trials(deepcopy=False)
    trial = next((trial for trial in trials if trial.number == known), None)
    if trial is None:
        raise InvalidInput(f"the study has no trial {known}: it has {len(trials)}, counted from 0")
    if trial.state != TrialState.COMPLETE:
        state = trial.state.name.lower()
        raise InvalidInput(f"trial {known} is not complete ({state}): only a complete trial can be {done}")
    return f"{RETRACTED}{known}"
