"""A new worker takes the fits of the others from the storage, and asks what they would ask."""

import numpy as np
import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import TrialState

from unswayed.core.gp.kernels import Matern
from unswayed.integrations.optuna import UnswayedSampler, retract
from unswayed.integrations.optuna_trials import FIT
from unswayed.search import beliefs, fold

optuna.logging.set_verbosity(optuna.logging.WARNING)

BOX = {"x": FloatDistribution(-2, 2), "y": FloatDistribution(1e-3, 1e1, log=True)}
SMALL = {"k": CategoricalDistribution(["a", "b", None]), "n": IntDistribution(0, 5)}


def box(trial):
    x, y = trial.suggest_float("x", -2, 2), trial.suggest_float("y", 1e-3, 1e1, log=True)
    if trial.number % 9 == 4:
        raise optuna.TrialPruned
    return -((x - 0.5) ** 2) - 0.3 * np.log10(y / 0.1) ** 2 + np.random.default_rng(trial.number).normal(0, 0.02)


def small(trial):
    kind, n = trial.suggest_categorical("k", ["a", "b", None]), trial.suggest_int("n", 0, 5)
    trial.set_user_attr("source", f"w{trial.number % 4}")
    return (kind == "b") - abs(n - 3) / 5 + np.random.default_rng(trial.number).normal(0, 0.05)


CASES = {
    "box": (box, BOX, {"threat": 1.0}),
    "a kernel is given": (box, BOX, {"kernel": Matern(2.5, 0.3)}),
    "small": (small, SMALL, {}),
}


@pytest.fixture(scope="module", params=CASES)
def made(request):
    """A study, what makes a sampler like its own, and its objective."""
    objective, space, given = CASES[request.param]

    def sampler(**other):
        return UnswayedSampler(space, **{"seed": 7, **given, **other})

    study = optuna.create_study(direction="maximize", sampler=sampler())
    study.optimize(objective, n_trials=44)
    return study, sampler, objective


def counting(monkeypatch):
    fits, steps = [], []
    monkeypatch.setattr(beliefs, "fit_model", lambda *a, of=beliefs.fit_model, **k: fits.append(1) or of(*a, **k))
    monkeypatch.setattr(fold, "step", lambda *a, of=fold.step: steps.append(1) or of(*a))
    return fits, steps


def asked(sampler, study, number):
    trial = study.trials[number]
    return sampler.sample_relative(study, trial, sampler.infer_relative_search_space(study, trial))


def without_fits(study):
    """The same trials in another study, without their fits."""
    copied = optuna.create_study(study_name=study.study_name, direction="maximize")
    for trial in study.get_trials():
        trial._system_attrs = {key: said for key, said in trial.system_attrs.items() if key != FIT}
        copied.add_trial(trial)
    return copied


def test_a_new_worker_asks_the_same_without_fitting_again(made, monkeypatch):
    study, sampler, _ = made
    for number in (12, 30, 43):
        repeated = asked(sampler(), without_fits(study), number)
        with monkeypatch.context() as patch:
            fits, steps = counting(patch)
            assert asked(sampler(), study, number) == repeated == study.trials[number].params
            assert not fits
            assert len(steps) < 5


def test_a_new_worker_continues_like_the_old_one(made):
    study, sampler, objective = made
    by_old, by_new = without_fits(study), without_fits(study)
    by_old.sampler = sampler()
    by_old.optimize(objective, n_trials=6)
    for _ in range(6):
        by_new.sampler = sampler()
        by_new.optimize(objective, n_trials=1)
    assert [trial.params for trial in by_new.trials] == [trial.params for trial in by_old.trials]


def test_fits_of_other_settings_or_values_are_not_taken(made, monkeypatch):
    study, sampler, _ = made
    steps = counting(monkeypatch)[1]
    for other in ({"seed": 8}, {"threat": 2.0}, {"noise_std": 0.5}):
        steps.clear()
        asked(sampler(**other), study, 43)
        assert len(steps) == 43
    changed = optuna.create_study(study_name=study.study_name, direction="maximize")
    for trial in study.get_trials():
        trial.value = trial.value + 1e-9 if trial.number == 0 else trial.value
        changed.add_trial(trial)
    steps.clear()
    asked(sampler(), changed, 43)
    assert len(steps) == 43


def test_after_a_retraction_the_fits_before_it_are_still_taken(made, monkeypatch):
    study, sampler, _ = made
    shared = optuna.create_study(study_name=study.study_name, direction="maximize")
    shared.add_trials(study.trials)
    late = max(trial.number for trial in shared.trials[:38] if trial.state == TrialState.COMPLETE)
    retract(shared, late, "a broken sensor")
    bare = without_fits(shared)
    retract(bare, late, "a broken sensor")
    steps = counting(monkeypatch)[1]
    found = asked(sampler(), shared, 43)
    assert len(steps) < 12
    assert found == asked(sampler(), bare, 43)
    retract(shared, 1, "a broken sensor")
    steps.clear()
    asked(sampler(), shared, 43)
    assert len(steps) == 41


@pytest.fixture(scope="module")
def fourteen():
    study = optuna.create_study(direction="maximize", sampler=UnswayedSampler(BOX, threat=1.0, seed=7))
    study.optimize(box, n_trials=14)
    return study


@pytest.mark.parametrize(
    "change",
    [
        lambda fit: {**fit, "refit_at": 0},
        lambda fit: {**fit, "refit_at": "soon"},
        lambda fit: {**fit, "lengths": [0.1, -1.0]},
        lambda fit: {**fit, "lengths": 3},
        lambda fit: {**fit, "share": 1.0},
        lambda fit: {**fit, "tau": float("nan")},
        lambda fit: {"told": fit["told"], "of": fit["of"]},
        lambda fit: {**fit, "of": ["x"]},
        lambda fit: {**fit, "told": "many"},
        lambda fit: "no fit",
    ],
)
def test_a_damaged_fit_is_not_taken(change, fourteen):
    expected = fourteen.trials[13].params
    damaged = optuna.create_study(study_name=fourteen.study_name, direction="maximize")
    for trial in fourteen.get_trials():
        if FIT in trial.system_attrs:
            trial._system_attrs = {**trial.system_attrs, FIT: change(trial.system_attrs[FIT])}
        damaged.add_trial(trial)
    assert asked(UnswayedSampler(BOX, threat=1.0, seed=7), damaged, 13) == expected


def test_fits_survive_a_database(tmp_path, monkeypatch):
    storage = f"sqlite:///{tmp_path}/study.db"
    study = optuna.create_study(
        storage=storage, direction="maximize", sampler=UnswayedSampler(BOX, threat=1.0, seed=7), study_name="kept"
    )
    study.optimize(box, n_trials=20)
    steps = counting(monkeypatch)[1]
    read = optuna.load_study(study_name="kept", storage=storage)
    assert asked(UnswayedSampler(BOX, threat=1.0, seed=7), read, 19) == study.trials[19].params
    assert len(steps) < 3
